"""Models and judges by the words that a person types."""

import inspect
import json

import pytest

from evalcore.engine import launch, resolve
from evalcore.errors import BadInput, ModelUnavailable, UnknownName
from evalcore.models import ADAPTERS
from evalcore.models.prompt import INSTRUCTION
from evalcore.records import Item
from tests.fakes import items


def options(model):
    return json.loads(resolve.deployment_of(model).options)


def asker(spec):
    return launch.judges_of([spec])[0].asker


@pytest.fixture
def keys(home, monkeypatch):
    """A home without keys, and a way to have one."""
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return lambda name: monkeypatch.setenv(name, "made-up")


def test_a_server_of_ones_own_stands_behind_the_name(home):
    assert options("openai:org/model@http://localhost:8000/v1") == {
        "model": "org/model",
        "base_url": "http://localhost:8000/v1",
        "instruction": INSTRUCTION,
    }
    assert resolve.deployment_of("openai:org/model@http://localhost:8000/v1").model == "org/model"


@pytest.mark.parametrize("kind", ["openai", "gemini", "transformers", "remote-code"])
def test_the_same_words_stand_before_a_question_whoever_carries_it(kind, home):
    given = options(f"{kind}:org/model")
    asked = inspect.signature(ADAPTERS[kind]).parameters["instruction"].default

    assert given.get("instruction", asked) == INSTRUCTION


def test_an_at_sign_that_names_no_server_belongs_to_the_name(home):
    assert options("openai:@cf/google/gemma@7") == {
        "model": "@cf/google/gemma@7",
        "instruction": INSTRUCTION,
    }


def test_an_unknown_model_is_told_its_nearest_names(home):
    with pytest.raises(UnknownName) as caught:
        resolve.deployment_of("qwen2-vl-7")

    told = str(caught.value)
    assert told.startswith("unknown model 'qwen2-vl-7'; known: qwen2-vl-7b, qwen2.5-vl-7b, ")
    assert told.endswith(", openai:NAME, remote-code:NAME, transformers:NAME")


@pytest.mark.parametrize(
    ("benchmark", "expected"),
    [
        ("easy-vqa", ("exact",)),
        ("vqa360", ("goeval-ref-image=gpt-4o-mini",)),
        ("mm-vet-v2", ("mmvet=gpt-6-luna",)),
    ],
)
def test_a_benchmark_comes_with_its_judges(benchmark, expected, keys):
    assert launch.default_judges(benchmark) == expected


def test_a_file_with_choices_is_judged_by_the_choice(keys):
    keys("OPENAI_API_KEY")
    offered = [Item("mine", "a", "Which?", ("x",), choices=("x", "y"))]

    assert launch.default_judges("mine", offered) == ("choice",)


def test_elsewhere_a_model_judges_if_there_is_a_key_and_a_rule_if_not(keys):
    asked = items(2)

    assert launch.default_judges("mine", asked) == ("normalised",)
    votes = [Item("mine", "a", "What?", ("x",) * 10)]
    assert launch.default_judges("mine", votes) == ("vqa-accuracy",)
    keys("GEMINI_API_KEY")
    assert launch.default_judges("mine", asked) == ("goeval-ref-noimage=gemini-3.8-flash",)
    keys("OPENAI_API_KEY")
    assert launch.default_judges("mine") == ("goeval-ref-noimage=gpt-4o-mini",)
    nothing = [Item("mine", "a", "What?", ())]
    assert launch.default_judges("mine", nothing) == ("goeval-noref-image=gpt-4o-mini",)


def test_the_papers_judge_sees_small_pictures_and_says_little(keys):
    keys("OPENAI_API_KEY")

    judge = asker("goeval-ref-image=gpt-4o-mini")

    assert (judge.image_size, judge.keep_shape, judge.max_tokens) == (224, True, 10)
    assert judge.usd_per_mtok_in == 0.15


def test_another_judge_has_room_to_think(keys):
    judge = asker("goeval-ref-image=openai:thinker@http://localhost:9/v1")

    assert (judge.image_size, judge.keep_shape, judge.max_tokens) == (512, True, 2048)


def test_a_namesake_on_another_server_is_not_asked_as_the_papers_judge(keys):
    judge = asker("goeval-ref-image=openai:gpt-4o-mini@http://localhost:9/v1")

    assert judge.max_tokens == 2048


def test_judges_that_are_asked_otherwise_are_other_versions(keys):
    keys("OPENAI_API_KEY")
    small = launch.judges_of(["goeval-ref-image=gpt-4o-mini"])[0]
    large = launch.judges_of(["goeval-ref-image=openai:gpt-4o-mini@http://localhost:9/v1"])[0]

    assert small.name == large.name and small.version != large.version


def test_a_judge_without_a_key_is_refused_before_anything_is_asked(keys):
    with pytest.raises(ModelUnavailable) as caught:
        launch.judges_of(["goeval-ref-image=gpt-4o-mini"])

    assert str(caught.value) == (
        "judge 'goeval-ref-image': gpt-4o-mini: the environment variable OPENAI_API_KEY holds no "
        "key; set it, or take another judge"
    )


def test_a_table_of_ones_own_reaches_the_grader(keys, tmp_path):
    table = tmp_path / "theirs.txt"
    table.write_text("Compare.\nQuestion | Truth | Prediction | Grade\na | b | b | 1.0\n")

    judge = launch.judges_of(["mmvet=openai:x@http://localhost:9/v1"], prompt_file=table)[0]

    assert judge.name == "mmvet-theirs:x"


def test_a_local_model_cannot_judge(keys):
    with pytest.raises(BadInput, match="cannot be asked; take openai:NAME or gemini:NAME"):
        launch.judges_of(["goeval-ref-image=demo-vlm-weak"])
