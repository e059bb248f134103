"""A model folder with code of its own, built here, stands for InternVL2 and CogVLM2."""

import json

import pytest
import torch
from PIL import Image
from safetensors.torch import save_file

from evalcore.errors import ModelUnavailable
from evalcore.models.remote_code_vlm import RemoteCodeVLM
from evalcore.records import Item
from tests.models.tiny_vlms import new_tokenizer

CODE = """
import torch
from transformers import PretrainedConfig, PreTrainedModel


class TinyConfig(PretrainedConfig):
    model_type = "tiny-{way}"


class TinyModel(PreTrainedModel):
    config_class = TinyConfig

    def __init__(self, config):
        super().__init__(config)
        self.one = torch.nn.Linear(1, 1)
        self.post_init()
"""
CHAT = """
    def chat(self, tokenizer, pixel_values, question, generation_config, num_patches_list=None):
        tiles = 0 if pixel_values is None else len(pixel_values)
        bright = "" if tiles == 0 else " bright" if pixel_values.mean() > 0 else " dark"
        return f"{tiles}{bright} {question!r}"
"""
CONVERSE = """
    def build_conversation_input_ids(self, tokenizer, query, history, images, template_version):
        ids = torch.tensor(tokenizer(query)["input_ids"])
        seen = [torch.zeros(3, image.height, image.width) for image in images]
        ones = torch.ones_like(ids)
        return {"input_ids": ids, "token_type_ids": ones, "attention_mask": ones, "images": seen}

    def generate(self, input_ids, images=None, max_new_tokens=None, **more):
        return input_ids[:, :] if images is None else torch.cat([input_ids, input_ids[:, -2:]], 1)
"""


def write(place, way, code):
    """A model folder with code of its own; gives its path as text."""
    place = place / way
    new_tokenizer(["<image>"]).save_pretrained(place)
    (place / "tiny.py").write_text(CODE.replace("{way}", way) + code)
    auto = {"AutoConfig": "tiny.TinyConfig", "AutoModel": "tiny.TinyModel"}
    config = {"model_type": f"tiny-{way}", "architectures": ["TinyModel"], "auto_map": auto}
    (place / "config.json").write_text(json.dumps(config))
    weights = {"one.weight": torch.ones(1, 1), "one.bias": torch.zeros(1)}
    save_file(weights, place / "model.safetensors", {"format": "pt"})
    return str(place)


@pytest.fixture
def folder(tmp_path):
    return lambda way, code: write(tmp_path, way, code)


@pytest.fixture
def items(tmp_path):
    found = []
    for name, colour in (("bright", "white"), ("dark", "black")):
        path = tmp_path / f"{name}.png"
        Image.new("RGB", (40, 20), colour).save(path)
        found.append(Item("tiny", name, "What shape?", ("a",), (path,)))
    return found


def said(path, items, **options):
    adapter = RemoteCodeVLM(path, trust_remote_code=True, instruction="", image_size=28, **options)
    return {answer.item: answer for answer in adapter.predict(items)}


@pytest.mark.parametrize("trust", [{}, {"trust_remote_code": False}, {"trust_remote_code": "yes"}])
def test_without_trust_no_code_runs(folder, trust):
    path = folder("evil", "raise SystemExit('the code ran')")

    with pytest.raises(ModelUnavailable, match=r"runs Python code of its own with all of your"):
        RemoteCodeVLM(path, **trust)


def test_chat_gets_pictures_question_and_limits(folder, items):
    found = said(folder("chat", CHAT), items)

    assert found["bright"].text == r"1 bright '<image>\nWhat shape?'"
    assert found["dark"].text == r"1 dark '<image>\nWhat shape?'"
    assert found["dark"].seconds > 0 and found["dark"].tokens_out > 0


def test_chat_gets_several_pictures_in_their_places(folder, items):
    both = Item("tiny", "both", "Is <image> like <image>?", (), tuple(i.images[0] for i in items))

    found = said(folder("several", CHAT), [both])

    assert found["both"].text.startswith(r"2 ")
    assert found["both"].text.endswith(r"'Is <image>\n like <image>\n?'")


def test_blind_asks_without_a_picture(folder, items):
    assert said(folder("blind", CHAT), items, blind=True)["dark"].text == "0 'What shape?'"


def test_a_conversation_model_answers_in_tokens(folder, items):
    found = said(folder("converse", CONVERSE), items)

    assert found["dark"].text == " shape?"


WRITES = """
    def generate(self, input_ids=None, max_new_tokens=None, **more):
        return torch.cat([input_ids, torch.tensor([{written}])], 1)
"""
CHATS = """
    def chat(self, tokenizer, pixel_values, question, generation_config, num_patches_list=None):
        ids = torch.tensor([[3, 4]])
        self.generate(input_ids=ids, **generation_config)
        return "a cat"
"""
CONVERSES = CONVERSE[: CONVERSE.index("    def generate")]
END = 2
"""The tokenizer's own token for the end of an answer."""


@pytest.mark.parametrize("way", [CHATS, CONVERSES])
@pytest.mark.parametrize(
    ("written", "ended"),
    [([7, 8, 9], "cut off"), ([7, 8, END], "finished"), ([7, 8], None)],
)
def test_an_answer_of_code_of_its_own_tells_why_it_ended(folder, items, way, written, ended):
    path = folder("ends", way + WRITES.replace("{written}", str(written)))

    assert said(path, items[:1], max_new_tokens=3)["bright"].ended == ended


def test_a_model_that_shows_no_tokens_leaves_it_unknown_why_it_ended(folder, items):
    assert said(folder("chat", CHAT), items[:1])["bright"].ended is None


def test_a_model_that_cannot_be_asked_is_unavailable(folder):
    with pytest.raises(ModelUnavailable, match=r"has neither chat nor build_conversation"):
        said(folder("mute", ""), [])


def test_facts_tell_how_a_model_with_code_of_its_own_was_run(folder):
    path, asked = folder("told", CHAT), "4bit-if-possible"

    facts = RemoteCodeVLM(path, trust_remote_code=True, device="cpu", quantize=asked).facts()

    assert (facts["class"], facts["dtype"]) == ("TinyModel", "float32")
    assert facts["device"].startswith("cpu ")
    assert facts["left out"] == "4 bits need a CUDA device"
    assert facts["picture"] == "448 px square"
