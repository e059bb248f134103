import subprocess
import sys
from dataclasses import replace

import pytest
import torch
import transformers
from PIL import Image

from evalcore.benchmarks import easy_vqa
from evalcore.errors import BadInput, ModelUnavailable
from evalcore.home import ROOT
from evalcore.models import local
from evalcore.models.prompt import INSTRUCTION
from evalcore.models.transformers_vlm import TransformersVLM, supported
from evalcore.records import Item
from tests.models.tiny_vlms import FAMILIES, built

DEMO = str(ROOT / "data" / "demo_models" / "demo-vlm-strong")
WEAK = str(ROOT / "data" / "demo_models" / "demo-vlm-weak")


def model(path=DEMO, **options):
    return TransformersVLM(path, **{"max_new_tokens": 8, "image_size": 64, **options})


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Threads of torch wait for each other, long where other programs use the processor too."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def strong():
    return model()


@pytest.fixture(scope="module")
def items():
    return list(easy_vqa.load())[:300]


@pytest.fixture(scope="module", params=FAMILIES)
def family(request, tmp_path_factory):
    return str(built(request.param, tmp_path_factory.mktemp(request.param)))


@pytest.fixture
def asked(tmp_path):
    """Questions of several lengths about pictures of several shapes."""
    shapes = [(100, 80), (320, 90), (64, 200), (30, 30)]
    found = []
    for number, size in enumerate(shapes):
        path = tmp_path / f"{number}.png"
        Image.effect_noise(size, 90).convert("RGB").save(path)
        found.append(Item("tiny", f"q/{number}", "What shape? " * (number + 1), ("a",), (path,)))
    return found


def answers(adapter, items):
    return {prediction.item: prediction for prediction in adapter.predict(items)}


def texts(adapter, items):
    found = answers(adapter, items)
    return [found[item.id].text for item in items]


def share_right(adapter, items):
    given = zip(texts(adapter, items), items, strict=True)
    return sum((text or "").strip() in item.answers for text, item in given) / len(items)


def test_the_strong_demo_model_beats_the_weak_one_and_both_beat_looking_away(strong, items):
    blind = share_right(model(blind=True), items)

    assert blind + 0.05 < share_right(model(WEAK), items) < share_right(strong, items) - 0.05
    assert share_right(strong, items) > 0.88


def test_the_papers_picture_size_and_a_plain_question_work_too(items):
    assert share_right(model(image_size=448), items[:60]) > 0.8
    assert share_right(model(instruction=""), items[:60]) > 0.8


def test_batched_answers_equal_single_ones(strong, items):
    assert texts(strong, items[:60]) == texts(model(batch_size=1), items[:60])


def test_time_and_tokens_are_counted_for_each_item(strong, items):
    found = answers(strong, items[:20]).values()

    assert len(found) == 20
    assert all(answer.seconds > 0 and answer.tokens_out == 2 for answer in found)
    # The mark of a picture is four tokens and three around them; the rest is words.
    assert all(20 < answer.tokens_in < 40 for answer in found)


def test_an_answer_cut_off_at_the_limit_is_kept_and_marked(strong, items):
    (answer,) = model(max_new_tokens=1).predict(items[:1])
    (whole,) = strong.predict(items[:1])

    assert (answer.text.strip(), answer.error, answer.tokens_out) == ("triangle", None, 1)
    assert (answer.ended, whole.ended) == ("cut off", "finished")


def test_an_unreadable_picture_is_an_error_of_its_item_alone(strong, items, tmp_path):
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no picture")
    work = [replace(items[0], images=(broken,)), *items[1:10]]

    found = answers(strong, work)

    assert found[items[0].id].error.startswith("the picture broken.png cannot be decoded (")
    assert [found[item.id].error for item in items[1:10]] == [None] * 9


def test_blind_opens_no_picture(items, tmp_path):
    gone = [replace(item, images=(tmp_path / "gone.png",)) for item in items[:5]]

    found = answers(model(blind=True), gone)

    assert [answer.error for answer in found.values()] == [None] * 5


def test_items_without_a_picture_can_stand_among_the_others(strong, items):
    words_alone = replace(items[1], images=())

    assert None not in texts(strong, [items[0], words_alone, items[2]])


def test_a_mark_without_a_picture_is_an_error_of_its_item(strong, items):
    wrong = replace(items[0], question="<image> or <image>?")

    found = answers(strong, [wrong, items[1]])

    assert "2 places <image> for 1 pictures" in found[wrong.id].error
    assert found[items[1].id].error is None


def test_every_family_answers_batched_as_single(family, asked):
    adapter = model(family, image_size=None)

    found = texts(adapter, asked)

    assert len(found) == 4
    assert found == [texts(adapter, [item])[0] for item in asked]


def test_every_family_can_be_asked_blind(family, asked):
    adapter = model(family, blind=True)

    found = answers(adapter, asked)

    assert {answer.error for answer in found.values()} <= {None, "empty answer"}
    no_template = any(name in family for name in ("paligemma", "blip-2"))
    assert adapter.facts()["blind"] == ("grey picture" if no_template else "text only")


def test_several_pictures_stand_where_the_question_marks_them(asked, tmp_path):
    adapter = model(str(built("qwen2-vl", tmp_path / "model")), image_size=56)
    one, two = asked[0].images[0], asked[1].images[0]
    question = "Is <image> like <image>?"
    ways = [Item("tiny", "q", question, ("a",), seen) for seen in ((one, two), (two, one))]

    counted = [next(adapter.predict([way])).tokens_in for way in ways]
    alone = next(adapter.predict([replace(ways[0], question="Is  like ?", images=(one,))]))

    assert counted[0] == counted[1] > alone.tokens_in


def test_a_model_for_one_picture_refuses_two(asked, tmp_path):
    adapter = model(str(built("blip-2", tmp_path / "model")))
    pair = replace(asked[0], images=(*asked[0].images, *asked[1].images))

    (answer,) = adapter.predict([pair])

    assert answer.error.endswith("takes exactly one picture a question")


def test_silence_is_no_answer(asked, tmp_path):
    adapter = model(str(built("paligemma", tmp_path / "model")))

    (answer,) = adapter.predict(asked[:1])

    # These random weights say special tokens only.
    assert (answer.text, answer.error) == (None, "empty answer")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"batch_size": 0}, "batch_size is 0; it must be 1 or more"),
        ({"image_size": -1}, "image_size is -1; it must be 1 or more"),
    ],
)
def test_a_setting_out_of_range_is_refused(options, expected):
    with pytest.raises(BadInput) as caught:
        model(**options)

    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            {"quantize": "4bit"},
            "quantize '4bit' needs a CUDA device; leave it out, or say '4bit-if-possible'",
        ),
        (
            {"attention": "flash_attention_2"},
            "attention 'flash_attention_2' needs a CUDA device; leave it out, or say "
            "'flash_attention_2-if-possible'",
        ),
        ({"device": "cuda"}, "device 'cuda': torch sees no CUDA device; use 'cpu' or 'auto'"),
    ],
)
def test_what_this_machine_lacks_is_said_before_loading(options, expected):
    if torch.cuda.is_available():
        pytest.skip("this machine has a CUDA device")
    with pytest.raises(ModelUnavailable) as caught:
        model(**options)

    assert str(caught.value) == expected


def test_a_folder_without_a_model_is_unavailable(tmp_path):
    with pytest.raises(ModelUnavailable, match=r"cannot be loaded: "):
        model(str(tmp_path))


def test_an_unknown_family_without_a_template_is_unavailable(tmp_path):
    folder = built("llava", tmp_path)
    (folder / "chat_template.jinja").unlink()

    with pytest.raises(ModelUnavailable, match=r"\(llava\) has no chat template, and how to ask"):
        model(str(folder))


def test_facts_tell_how_the_model_was_run(strong):
    facts = strong.facts()

    assert facts.pop("device").startswith("cpu ")
    assert facts == {
        "class": "Idefics3ForConditionalGeneration",
        "dtype": "float32",
        "picture": "64 px square",
        "instruction": INSTRUCTION,
        "most new tokens": "8",
        "decoding": "greedy",
        "seed": "0",
        "quantisation": "none",
        "attention": "sdpa",
        "batch size": "8",
        "blind": "no",
    }


def test_what_is_asked_if_possible_is_left_out_with_the_reason():
    means = local.means("cpu", "auto", "4bit-if-possible", "flash_attention_2-if-possible")

    assert (means.four_bit, means.attention) == (False, None)
    assert means.facts() == {
        "quantisation": "none",
        "left out": "4 bits need a CUDA device; FlashAttention 2 needs a CUDA device",
    }


def test_other_attention_is_taken_as_it_is():
    assert local.means("cpu", "auto", None, "eager").attention == "eager"


@pytest.mark.parametrize(
    ("family", "expected"),
    [(transformers.Qwen2VLConfig, local.FLASH), (transformers.PaliGemmaConfig, None)],
)
def test_flash_attention_if_possible_heeds_the_family(family, expected):
    asked = local.FLASH + local.IF_POSSIBLE

    means = supported(asked, local.Means(False, local.FLASH), family())

    assert means.attention == expected
    assert ("FlashAttention 2 is not made for" in means.facts().get("left out", "")) == (
        expected is None
    )


def test_flash_attention_that_is_insisted_on_is_left_to_the_library():
    asked = local.Means(False, local.FLASH)

    assert supported(local.FLASH, asked, transformers.PaliGemmaConfig()) is asked


def test_naming_the_adapters_loads_no_heavy_package():
    told = (
        "import sys, evalcore.models; print({'torch', 'transformers', 'openai'} & set(sys.modules))"
    )

    done = subprocess.run(
        [sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "set()"
