"""Tiny models with random weights in the real formats of their families, built in milliseconds."""

import torch
import transformers as t
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

LINES = [
    "What shape is shown in the image? circle rectangle triangle",
    "Is there a red square? yes no blue green black gray teal brown yellow",
    "Answer the question using a single word. User: Assistant: Describe the picture.",
]
CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% for c in m.content %}{% if c.type == 'image' %}IMAGE{% else %}{{ c.text }}{% endif %}"
    "{% endfor %}<|im_end|>\n{% endfor %}<|im_start|>assistant\n"
)
PLAIN = (
    "{% for m in messages %}USER: {% for c in m.content %}{% if c.type == 'image' %}<image>\n"
    "{% else %}{{ c.text }}{% endif %}{% endfor %} {% endfor %}ASSISTANT:"
)
SMALL = {"hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 128}
SQUARE = {"height": 56, "width": 56}
TOWER = {**SMALL, "image_size": 56, "patch_size": 14}


def new_tokenizer(special, **named):
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=500,
        special_tokens=["<pad>", "<s>", "</s>", *special],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(LINES * 20, trainer)
    return t.PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        extra_special_tokens=named,
    )


def _text(config, tokenizer, **more):
    ids = {name: getattr(tokenizer, name) for name in ("pad_token_id", "bos_token_id")}
    shape = {**SMALL, "num_hidden_layers": 2, "num_key_value_heads": 2, **ids, **more}
    return config(
        vocab_size=len(tokenizer) + 8, eos_token_id=tokenizer.eos_token_id, **shape
    ).to_dict()


def _clip():
    return t.CLIPVisionConfig(**TOWER, num_hidden_layers=3, projection_dim=64).to_dict()


def qwen2_vl():
    image, video = "<|image_pad|>", "<|video_pad|>"
    marks = ["<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", image, video]
    tokenizer = new_tokenizer(marks, image_token=image, video_token=video)
    processor = t.Qwen2VLProcessor(
        t.Qwen2VLImageProcessor(min_pixels=4 * 28 * 28, max_pixels=64 * 28 * 28),
        tokenizer,
        t.Qwen2VLVideoProcessor(),
        chat_template=CHATML.replace("IMAGE", f"<|vision_start|>{image}<|vision_end|>"),
    )
    rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 3, 3]}
    number = tokenizer.convert_tokens_to_ids
    vision = {"depth": 2, "embed_dim": 64, "num_heads": 4, "mlp_ratio": 2, "patch_size": 14}
    config = t.Qwen2VLConfig(
        text_config=_text(t.Qwen2VLTextConfig, tokenizer, rope_parameters=rope),
        vision_config={**vision, "hidden_size": 64},
        image_token_id=number(image),
        video_token_id=number(video),
        vision_start_token_id=number("<|vision_start|>"),
        vision_end_token_id=number("<|vision_end|>"),
    )
    return t.Qwen2VLForConditionalGeneration(config), processor


def internvl():
    names = {"start_image_token": "<img>", "end_image_token": "</img>"}
    names |= {"context_image_token": "<IMG_CONTEXT>", "video_token": "<video>"}
    tokenizer = new_tokenizer(["<|im_start|>", "<|im_end|>", *names.values()], **names)
    processor = t.InternVLProcessor(
        t.GotOcr2ImageProcessor(size=SQUARE, crop_to_patches=True, min_patches=1, max_patches=4),
        tokenizer,
        t.InternVLVideoProcessor(size=SQUARE),
        image_seq_length=4,
        chat_template=CHATML.replace("IMAGE", "<IMG_CONTEXT>\n"),
    )
    config = t.InternVLConfig(
        text_config=_text(t.Qwen2Config, tokenizer),
        vision_config={
            **SMALL,
            "num_hidden_layers": 2,
            "image_size": (56, 56),
            "patch_size": (14, 14),
        },
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=4,
    )
    return t.InternVLForConditionalGeneration(config), processor


def llava():
    tokenizer = new_tokenizer(["<image>"], image_token="<image>")
    processor = t.LlavaProcessor(
        t.CLIPImageProcessor(size={"shortest_edge": 56}, crop_size=SQUARE),
        tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=PLAIN,
    )
    config = t.LlavaConfig(
        text_config=_text(t.LlamaConfig, tokenizer),
        vision_config=_clip(),
        image_token_index=processor.tokenizer.convert_tokens_to_ids("<image>"),
        image_seq_length=16,
    )
    return t.LlavaForConditionalGeneration(config), processor


def llava_next():
    tokenizer = new_tokenizer(["<image>"], image_token="<image>")
    grid = [[56, 112], [112, 56], [112, 112]]
    processor = t.LlavaNextProcessor(
        t.LlavaNextImageProcessor(
            size={"shortest_edge": 56}, crop_size=SQUARE, image_grid_pinpoints=grid
        ),
        tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=PLAIN,
    )
    config = t.LlavaNextConfig(
        text_config=_text(t.MistralConfig, tokenizer, sliding_window=None),
        vision_config=_clip(),
        image_token_index=processor.tokenizer.convert_tokens_to_ids("<image>"),
        image_grid_pinpoints=grid,
        image_seq_length=16,
    )
    return t.LlavaNextForConditionalGeneration(config), processor


def paligemma():
    images = t.SiglipImageProcessor(size=SQUARE)
    images.image_seq_length = 16
    processor = t.PaliGemmaProcessor(images, new_tokenizer(["<image>"], image_token="<image>"))
    tokenizer = processor.tokenizer
    config = t.PaliGemmaConfig(
        text_config=_text(t.GemmaConfig, tokenizer, num_key_value_heads=1, head_dim=16),
        vision_config=t.SiglipVisionConfig(
            **TOWER, num_hidden_layers=2, vision_use_head=False
        ).to_dict(),
        image_token_index=processor.image_token_id,
        projection_dim=64,
        hidden_size=64,
        vocab_size=len(tokenizer) + 8,
    )
    return t.PaliGemmaForConditionalGeneration(config), processor


def smolvlm():
    names = {"image_token": "<image>", "fake_image_token": "<fake_token_around_image>"}
    names |= {"end_of_utterance_token": "<end_of_utterance>", "global_image_token": "<global-img>"}
    places = [f"<row_{row}_col_{column}>" for row in range(1, 5) for column in range(1, 5)]
    tokenizer = new_tokenizer(["<|im_start|>", "<video>", *names.values(), *places], **names)
    edge, most = {"longest_edge": 128}, {"longest_edge": 64}
    processor = t.SmolVLMProcessor(
        t.SmolVLMImageProcessor(size=edge, max_image_size=most),
        tokenizer,
        t.SmolVLMVideoProcessor(size=most, max_image_size=most),
        image_seq_len=4,
        chat_template=PLAIN.replace("<image>\n", "<image>"),
    )
    config = t.SmolVLMConfig(
        text_config=_text(t.LlamaConfig, tokenizer),
        vision_config={**SMALL, "num_hidden_layers": 2, "image_size": 64, "patch_size": 16},
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
    )
    return t.SmolVLMForConditionalGeneration(config), processor


def blip_2():
    # Its processor adds the picture's token itself, and breaks if the tokenizer names it already.
    processor = t.Blip2Processor(
        t.BlipImageProcessor(size=SQUARE), new_tokenizer(["<image>"]), num_query_tokens=8
    )
    size = len(processor.tokenizer) + 8
    opt = {"hidden_size": 64, "word_embed_proj_dim": 64, "ffn_dim": 128, "vocab_size": size}
    ids = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    former = {**SMALL, "num_hidden_layers": 2, "encoder_hidden_size": 64, "vocab_size": size}
    config = t.Blip2Config(
        text_config=t.OPTConfig(num_attention_heads=4, num_hidden_layers=2, **opt, **ids).to_dict(),
        vision_config={**TOWER, "num_hidden_layers": 2, "initializer_range": 0.02},
        qformer_config=former,
        num_query_tokens=8,
        image_token_index=processor.tokenizer.convert_tokens_to_ids("<image>"),
    )
    return t.Blip2ForConditionalGeneration(config), processor


FAMILIES = {
    "qwen2-vl": qwen2_vl,
    "internvl": internvl,
    "llava": llava,
    "llava-next": llava_next,
    "paligemma": paligemma,
    "smolvlm": smolvlm,
    "blip-2": blip_2,
}


def built(family, folder):
    """The folder, with a model of that family saved in it."""
    torch.manual_seed(0)
    model, processor = FAMILIES[family]()
    for name in ("pad_token_id", "bos_token_id", "eos_token_id"):
        setattr(model.generation_config, name, getattr(processor.tokenizer, name))
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder
