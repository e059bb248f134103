"""A model in a mode is ranked by itself; what does not compete is counted and said."""

import pytest

from evalcore.suites.suite import entities, identity
from tests.small_world import METRICS, MODES, models, scores

MODELS = models(
    a=(4.0, True, "MIT", "2025-01"),
    b=(8.0, True, "MIT", "2025-02"),
    tuned=(3.0, True, "MIT", "2024-07"),
)
ROWS = scores(
    ("a", "", "doc-test", 0.5),
    ("a", "thinking", "doc-test", 0.6),
    ("b", "", "doc-test", 0.7),
    ("b", "4-shot", "doc-test", 0.8),
    ("tuned", "fine-tuned", "doc-test", 0.99),
    ("a", "", "edit", 0.2, {"metric": "edit-distance"}),
)


def made(rows=ROWS, **options):
    return entities(rows, MODELS, MODES, METRICS, **options)


def test_each_mode_of_a_model_is_a_row_with_the_facts_of_the_model():
    found = made().models.set_index("model")

    assert list(found.index) == ["a", "a [thinking]", "b"]
    assert found.loc["a [thinking]", ["base", "mode", "name", "params_b"]].tolist() == [
        "a", "thinking", "A [thinking]", 4.0,
    ]  # fmt: skip
    assert found["mode_kind"].tolist() == ["plain", "thinking", "plain"]


def test_scores_go_by_the_id_of_model_and_mode():
    found = made().scores

    assert dict(zip(found["model"], found["value"], strict=True)) == {
        "a": 0.5, "a [thinking]": 0.6, "b": 0.7,
    }  # fmt: skip
    assert identity("a", "thinking") == "a [thinking]"


def test_what_does_not_compete_is_listed_with_the_reason():
    out = made().left_out.set_index(["model", "mode", "benchmark"])["why"]

    assert out.to_dict() == {
        ("b", "4-shot", "doc-test"): "the mode takes part only when asked for: few-shot",
        ("tuned", "fine-tuned", "doc-test"): "the mode takes part only when asked for: fine-tuned",
        ("a", "", "edit"): "better the lower it is: no mean takes it",
    }


def test_examples_in_the_prompt_take_part_when_asked():
    assert "b [4-shot]" in set(made(include_modes=True).models["model"])


def test_a_model_trained_on_the_task_never_stands_beside_chat_models():
    asked = made(include_modes=True)

    assert "tuned [fine-tuned]" not in set(asked.models["model"])
    assert "not comparable with chat models" in " ".join(asked.left_out["why"])


def test_models_trained_on_the_task_can_be_looked_at_among_themselves():
    alone = ROWS[ROWS["mode"] == "fine-tuned"]

    assert made(alone).models.empty
    assert made(alone, include_modes=True).models["model"].tolist() == ["tuned [fine-tuned]"]


@pytest.mark.parametrize("include", [False, True])
def test_every_score_is_either_kept_or_listed(include):
    found = made(include_modes=include)

    assert len(found.scores) + len(found.left_out) == len(ROWS)
