"""``hf:`` folders of CLIP, SigLIP and SigLIP 2: the logits that transformers itself computes."""

import numpy as np
import pytest
import torch
import transformers
from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
from tokenizers import models as vocabularies

from evalcore.contrastive import embed, models
from evalcore.contrastive.cache import Cache
from evalcore.contrastive.pictures import Arrays
from evalcore.errors import BadInput, ModelUnavailable
from tests.contrastive.worlds import picture

SMALL = {
    "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
}  # fmt: skip
WORDS = ("a", "photo", "of", "the", "cat", "dog", "red", "blue")
ENDS = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
TEXTS = ["a photo of the cat", "dog", "A Red dog of the blue cat", "blue " * 100 + "cat"]
"""The last is longer than any context here."""


def words(**about):
    """A tokenizer of whole words, as SigLIP's: lower case, padded with what ends a text."""
    known = {word: at for at, word in enumerate(["</s>", "<unk>", *WORDS])}
    made = Tokenizer(vocabularies.WordLevel(known, "<unk>"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing("$A </s>", special_tokens=[("</s>", 0)])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made,
        eos_token="</s>",
        pad_token="</s>",
        unk_token="<unk>",
        model_input_names=["input_ids"],
        **about,
    )


def clip(folder):
    signs = sorted(pre_tokenizers.ByteLevel.alphabet())
    known = [*signs, *(one + "</w>" for one in signs), "<|startoftext|>", "<|endoftext|>"]
    tokenizer = transformers.CLIPTokenizer(
        vocab={word: at for at, word in enumerate(known)}, merges=[]
    )
    ends = {"bos_token_id": len(known) - 2, "eos_token_id": len(known) - 1}
    text = SMALL | ends | {"vocab_size": len(known), "max_position_embeddings": 24}
    config = transformers.CLIPConfig(
        text_config=text | {"pad_token_id": len(known) - 1},
        vision_config=SMALL | {"image_size": 32, "patch_size": 16},
        projection_dim=24,
    )
    pictures = transformers.CLIPImageProcessor(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
    )
    return saved(folder, transformers.CLIPModel(config), tokenizer, pictures)


def siglip(folder):
    config = transformers.SiglipConfig(
        text_config=SMALL | ENDS | {"vocab_size": 10, "projection_size": 32},
        vision_config=SMALL | {"image_size": 32, "patch_size": 16},
    )
    pictures = transformers.SiglipImageProcessor(size={"height": 32, "width": 32})
    return saved(folder, transformers.SiglipModel(config), words(), pictures)


def letters():
    """A tokenizer of letters, of the class that transformers takes for every SigLIP 2."""
    known = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "▁", *"abcdefghijklmnopqrstuvwxyz"]
    made = transformers.Siglip2Tokenizer(vocab={one: at for at, one in enumerate(known)})
    made.backend_tokenizer.post_processor = processors.TemplateProcessing(
        "$A <eos>", special_tokens=[("<eos>", 1)]
    )
    return made


def siglip2(folder):
    ends = {"bos_token_id": 2, "eos_token_id": 1, "pad_token_id": 0}
    config = transformers.Siglip2Config(
        text_config=SMALL | ends | {"vocab_size": 32, "projection_size": 32},
        vision_config=SMALL | {"num_patches": 16, "patch_size": 8},
    )
    pictures = transformers.Siglip2ImageProcessor(patch_size=8, max_num_patches=12)
    return saved(folder, transformers.Siglip2Model(config), letters(), pictures)


def saved(folder, model, tokenizer, pictures):
    with torch.no_grad():
        for weight in model.parameters():  # far from zero, so that pictures and texts differ
            weight.normal_(std=0.3, generator=torch.Generator().manual_seed(weight.numel()))
        model.logit_scale.fill_(2.5)
        if hasattr(model, "logit_bias"):
            model.logit_bias.fill_(-7.0)
    for part in (model.eval(), tokenizer, pictures):
        part.save_pretrained(folder)
    return model, tokenizer, pictures


SHOWN = [picture("red", 1), picture("blue", 2, (40, 17)), picture("green", 3).convert("L")]


@pytest.mark.parametrize(("make", "context"), [(clip, 24), (siglip, 64), (siglip2, 64)])
@torch.no_grad()
def test_logits_are_transformers_own_with_scale_and_bias(tmp_path, make, context):
    model, tokenizer, processor = make(tmp_path)
    tokenizer.padding_side, tokenizer.model_input_names = "right", ["input_ids"]
    tokenizer.padding_side = "right"
    given = {"padding": "max_length", "truncation": True, "max_length": context}
    # SigLIP was trained without a mask: it sees the blanks too (mlfoundations/open_clip#984).
    given["return_attention_mask"] = make is clip
    own = model(
        **tokenizer(TEXTS, return_tensors="pt", **given),
        **processor([one.convert("RGB") for one in SHOWN], return_tensors="pt"),
    ).logits_per_image

    found = models.load(f"hf:{tmp_path}", device="cpu")

    images = embedded(found, SHOWN)
    logits = images @ found.texts(TEXTS).T * found.scale.factor + (found.scale.bias or 0)
    assert logits == pytest.approx(own.numpy(), abs=1e-4)
    assert np.ptp(logits, axis=0).min() > 0.01 and np.ptp(logits, axis=1).min() > 0.01
    assert found.scale.factor == pytest.approx(np.exp(2.5))
    assert found.scale.bias == (None if make is clip else -7)
    assert found.context == context
    assert found.too_long(TEXTS) == [3]


def embedded(encoder, shown):
    pixels = [np.array(encoder.transform.pixels(one)[None]) for one in shown]
    return np.concatenate([encoder.images(one) for one in pixels])


def test_a_text_beyond_the_context_is_cut_before_its_end_sign(tmp_path):
    siglip(tmp_path)
    found = models.load(f"hf:{tmp_path}", device="cpu")

    ids = found.tokens([TEXTS[3], "cat"]).tolist()

    blue, cat = 2 + WORDS.index("blue"), 2 + WORDS.index("cat")
    assert ids == [[blue] * 63 + [0], [cat] + [0] * 63]


def test_texts_are_padded_at_the_right_even_where_the_folder_says_left(tmp_path):
    siglip(tmp_path)
    kept = models.load(f"hf:{tmp_path}", device="cpu").texts(TEXTS)
    words(padding_side="left").save_pretrained(tmp_path)

    assert np.array_equal(models.load(f"hf:{tmp_path}", device="cpu").texts(TEXTS), kept)


def test_pictures_of_any_proportions_are_kept_and_found_again(tmp_path):
    siglip2(tmp_path / "model")
    found = models.load(f"hf:{tmp_path / 'model'}", device="cpu")
    data = np.random.default_rng(0).integers(0, 256, (5, 20, 33, 3), np.uint8)
    cache = Cache(tmp_path / "cache", 10_000_000)

    first = embed.images(found, Arrays(data), cache)
    found.fingerprint = "another"
    again = embed.images(found, Arrays(data), cache)

    assert (first.decoded, again.decoded, again.encoded) == (5, 0, 5)
    assert np.array_equal(first.vectors[:], again.vectors[:])


def test_other_normalising_is_another_embedding(tmp_path):
    siglip(tmp_path / "model")
    cache, pictures = Cache(tmp_path / "cache", 10_000_000), Arrays(np.full((1, 9, 9), 200, "u1"))
    vectors = []
    for mean in (0.5, 0.1):
        transformers.SiglipImageProcessor(
            size={"height": 32, "width": 32}, image_mean=[mean] * 3
        ).save_pretrained(tmp_path / "model")
        found = models.load(f"hf:{tmp_path / 'model'}", device="cpu")
        vectors.append(embed.images(found, pictures, cache))

    assert [one.decoded for one in vectors] == [1, 0]  # the same bytes
    assert not np.allclose(vectors[0].vectors[:], vectors[1].vectors[:])


def test_a_model_of_another_kind_is_told_what_runs(tmp_path):
    transformers.ViTConfig().save_pretrained(tmp_path)

    with pytest.raises(BadInput, match="'vit' model; CLIP, SigLIP, SigLIP 2, BLIP and FLAVA run"):
        models.load(f"hf:{tmp_path}", device="cpu")


def test_a_folder_without_its_image_processor_says_what_it_lacks(tmp_path):
    siglip(tmp_path)
    (tmp_path / "preprocessor_config.json").unlink()

    with pytest.raises(ModelUnavailable, match="its tokenizer and its preprocessor_config.json"):
        models.load(f"hf:{tmp_path}", device="cpu")
