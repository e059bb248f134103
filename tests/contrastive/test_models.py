"""Loaded models: what a person may name, and that embeddings are just the packages' own."""

from dataclasses import replace

import numpy as np
import open_clip
import pytest
import torch

from evalcore.contrastive import encoder as encoders
from evalcore.contrastive import models
from evalcore.contrastive.scoring import classifier
from evalcore.errors import BadInput, ModelUnavailable, UnknownName
from tests.contrastive.worlds import Colours, config, picture, spec, tiny


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def loaded(folder):
    return tiny(folder)


@pytest.fixture(scope="module")
def plain(folder):
    """The same model through open_clip alone."""
    path = config(folder)
    open_clip.add_model_config(path)
    torch.manual_seed(models.SEED)
    model, _, preprocess = open_clip.create_model_and_transforms(path.stem)
    return model.eval(), preprocess, open_clip.get_tokenizer(path.stem)


def test_pixels_that_are_kept_give_the_tensors_that_open_clip_makes(loaded, plain):
    model, preprocess, _ = plain
    pictures = [picture("red", 1), picture("blue", 2, (40, 17)), picture("green", 3).convert("L")]

    for one in pictures:
        pixels = loaded.transform.pixels(one)
        assert pixels.shape[0] == (1 if one.mode == "L" else 3)
        with torch.inference_mode():
            wanted = model.encode_image(preprocess(one)[None], normalize=True)
        assert np.array_equal(loaded.images(np.array(pixels[None])), wanted.numpy())


def test_class_embeddings_are_open_clips(loaded, plain):
    model, _, tokens = plain
    names, templates = ["cat", "dog", "a very long name " * 9], ["a {}", "the {}."]
    wanted = open_clip.build_zero_shot_classifier(model, tokens, names, templates)

    texts = loaded.texts([template.format(name) for name in names for template in templates])

    assert classifier(texts, 3) == pytest.approx(wanted.T.numpy(), abs=1e-6)


def test_scale_and_bias_are_the_models(loaded, plain):
    assert loaded.scale.factor == pytest.approx(float(plain[0].logit_scale.detach().exp()))
    assert loaded.scale.bias is None


def test_texts_beyond_the_context_are_known(loaded):
    assert loaded.too_long(["short", "long " * 20]) == [1]


def test_a_checkpoint_file(folder, loaded, plain):
    path = folder / "mine.pt"
    torch.save(plain[0].state_dict(), path)

    found = models.load(f"open_clip:{config(folder)}/{path}", device="cpu")

    assert found.name == "tiny/mine"
    assert found.fingerprint == loaded.fingerprint
    assert np.array_equal(found.texts(["a cat"]), loaded.texts(["a cat"]))


def test_another_weight_is_another_fingerprint(plain):
    model = plain[0]
    before = encoders.fingerprint(model)
    with torch.no_grad():
        kept = float(model.text_projection[3, 3])
        model.text_projection[3, 3] += 1e-3
        after = encoders.fingerprint(model)
        model.text_projection[3, 3] = kept

    assert before != after
    assert encoders.fingerprint(model) == before


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        ("ViT-B-32", BadInput, "should be open_clip:ARCHITECTURE/TAG"),
        ("open_clip:ViT-B-32", BadInput, "names no weights.*laion2b_s34b_b79k"),
        ("open_clip:ViT-B-23/openai", UnknownName, "no architecture 'ViT-B-23'; known: ViT-B-32"),
        ("open_clip:ViT-B-32/laion2b", UnknownName, "no tag of ViT-B-32 'laion2b'.*laion2b_s34b"),
        ("open_clip:none.json/random", BadInput, "there is no file 'none.json'"),
        ("no.such.module:make", BadInput, "No module named 'no'"),
        ("tests.contrastive.worlds:nothing", BadInput, "has no attribute 'nothing'"),
    ],
)
def test_words_that_name_no_model_are_told(words, error, said):
    with pytest.raises(error, match=said):
        models.load(words, device="cpu")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("ViT-B-16-SigLIP/random", "needs the tokenizer 'timm/ViT-B-16-SigLIP'.*cannot be reached"),
        ("ViT-B-32/laion2b_s34b_b79k", "weights .*laion2B.* are not on this machine"),
    ],
)
def test_what_the_hub_must_give_fails_at_once_without_it(monkeypatch, tmp_path, words, said):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))

    with pytest.raises(ModelUnavailable, match=said):
        models.load(f"open_clip:{words}", device="cpu")


def test_an_unknown_precision_is_told(folder):
    with pytest.raises(BadInput, match="precision 'int8' should be one of fp32, bf16, fp16"):
        models.load(spec(folder), precision="int8")


def test_half_precision_is_close_and_another_fingerprint(folder, loaded):
    half = models.load(spec(folder), device="cpu", precision="bf16")

    cosine = (half.texts(["a cat"]) * loaded.texts(["a cat"])).sum()
    assert cosine > 0.99
    assert half.fingerprint != loaded.fingerprint


def test_an_object_of_ones_own_from_a_function():
    found = models.load("tests.contrastive.worlds:colours", device="cpu")

    red = found.images(np.array(found.transform.pixels(picture("red"))[None]))
    assert (red @ found.texts(["red", "blue"]).T).argmax() == 0
    assert found.scale.factor == 100
    assert np.linalg.norm(red) == pytest.approx(1)


def test_an_object_that_lacks_a_method_is_told():
    with pytest.raises(BadInput, match="'mine': object has no method get_image_embeddings"):
        models.own(object(), "mine")


def test_the_weights_of_an_object_name_it_unless_it_says_so_itself():
    class Plain(Colours):
        revision = None

    class Network(Plain):
        def __init__(self):
            super().__init__()
            self.part = torch.nn.Linear(2, 2)

    assert models.own(Colours(), "a").fingerprint == "1-fp32-cpu"
    assert models.own(Plain(), "a").fingerprint is None
    assert models.own(Network(), "a").fingerprint != models.own(Network(), "a").fingerprint


def test_a_transform_that_cannot_be_taken_apart_is_used_whole_and_not_kept():
    class Whole(Colours):
        def preprocess(self, one):
            return torch.ones(3, 4, 4) * one.size[0]

    found = models.own(Whole(), "whole")

    assert found.transform.key is None
    assert found.transform.pixels(picture("red")).shape == (3, 4, 4)


def test_a_batch_gives_the_same_whatever_was_shown_before(loaded):
    rng = np.random.default_rng(0)
    shapes = [(3, 1, 16, 16), (2, 3, 16, 16), (1, 1, 16, 16), (4, 3, 16, 16), (3, 1, 16, 16)]
    batches = [rng.integers(0, 256, shape).astype(np.uint8) for shape in shapes]
    alone = [replace(loaded).images(batch) for batch in batches]

    row = [loaded.images(batch) for batch in batches]

    for one, other in zip(row, alone, strict=True):
        assert np.array_equal(one, other)
