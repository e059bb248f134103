"""The untrained parts of the demo models: tokenizer, processor and a random Idefics3."""

import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from evalcore.models.prompt import INSTRUCTION
from evalcore.records import Item

SIDE, PATCH, SHUFFLE = 64, 8, 4
VISION, TEXT = 96, 96
PLACES = (SIDE // PATCH // SHUFFLE) ** 2
"""Tokens that a picture takes in the language model."""
CONNECTED = TEXT * PLACES
IMAGE, END = "<image>", "</s>"
TOKENS = (
    "<pad>",
    "<s>",
    END,
    IMAGE,
    "<fake_token_around_image>",
    "<global-img>",
    "<end_of_utterance>",
)
TEMPLATE = (
    "{% for m in messages %}{% if m.role == 'user' %}User:"
    "{% for c in m.content %}{% if c.type == 'image' %}<image>{% else %} {{ c.text }}{% endif %}"
    "{% endfor %}\n{% endif %}{% endfor %}{% if add_generation_prompt %}Assistant:{% endif %}"
)


def new_processor(items: list[Item]) -> transformers.Idefics3Processor:
    """A processor whose vocabulary is learned from the training questions."""
    lines = [
        f"User: {INSTRUCTION}\n{item.question}\nAssistant: {item.answers[0]}" for item in items
    ]
    lines += [f"User: {item.question}" for item in items]
    letters = pre_tokenizers.ByteLevel.alphabet()
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600, special_tokens=list(TOKENS), initial_alphabet=letters, show_progress=False
    )
    bpe.train_from_iterator(lines, trainer)
    named = {
        "image_token": IMAGE,
        "fake_image_token": TOKENS[4],
        "global_image_token": TOKENS[5],
        "end_of_utterance_token": TOKENS[6],
    }
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        pad_token=TOKENS[0],
        bos_token=TOKENS[1],
        eos_token=END,
        padding_side="left",
        extra_special_tokens=named,
    )
    edge = {"longest_edge": SIDE}
    images = transformers.Idefics3ImageProcessor(
        size=edge,
        max_image_size=edge,
        do_image_splitting=False,
        image_mean=[0.9] * 3,
        image_std=[0.25] * 3,
    )
    return transformers.Idefics3Processor(
        images, tokenizer, image_seq_len=PLACES, chat_template=TEMPLATE
    )


def new_model(
    processor: transformers.Idefics3Processor,
) -> transformers.Idefics3ForConditionalGeneration:
    """A model with random weights from torch's seed, for that processor."""
    ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    text = transformers.LlamaConfig(
        vocab_size=len(processor.tokenizer),
        hidden_size=TEXT,
        intermediate_size=2 * TEXT,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=512,
        **ids,
    )
    vision = {
        "hidden_size": VISION,
        "intermediate_size": 2 * VISION,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "image_size": SIDE,
        "patch_size": PATCH,
    }
    config = transformers.Idefics3Config(
        text_config=text.to_dict(),
        vision_config=vision,
        image_token_id=TOKENS.index(IMAGE),
        scale_factor=SHUFFLE,
    )
    model = transformers.Idefics3ForConditionalGeneration(config)
    model.generation_config = transformers.GenerationConfig(
        max_new_tokens=8, do_sample=False, **ids
    )
    return model
