"""A source that prints its total with an n is ranked by it, as its authors do; weights change that.

The figures are MM-Vet v2's: Claude 3.5 Sonnet 71.8, GPT-4o 71.0 of 517 questions (its Table 2).
"""

import json

import pytest

from evalcore.__main__ import main
from evalcore.decision.needs import Needs
from evalcore.suites import current, suite

FIRST = ["claude-3.5-sonnet", "gpt-4o", "internvl2-llama3-76b", "gemini-1.5-pro", "gpt-4v"]


@pytest.fixture(scope="module")
def mmvet2(store):
    return suite.load(store, "mmvet2")


@pytest.mark.parametrize("axis", ["capability", "integration"])
def test_mm_vet_is_ranked_by_its_printed_total(mmvet2, axis):
    answer = current.recommend_for(mmvet2, Needs("mmvet2", axis))

    assert answer.ranking["model"].head(5).tolist() == FIRST
    assert answer.ranking["score"].head(2).tolist() == [0.718, 0.710]
    assert set(answer.ranking["n"]) == {517}
    assert answer.ranking["low"].notna().all()
    assert answer.mix == (("total", 1.0),)
    assert "On the total that its source prints it scores" in answer.sentences[0]
    assert "The score is the total over all questions that the source prints" in " ".join(
        answer.assumptions
    )


def test_weights_rank_by_capabilities(mmvet2):
    answer = current.recommend_for(
        mmvet2, Needs("mmvet2", "capability", weights=(("rec", 1.0), ("ocr", 1.0)))
    )

    assert {tag for tag, _ in answer.mix} == {"ocr", "rec"}
    assert "by the total that MM-Vet v2 itself gives, Claude 3.5 Sonnet is first" in " ".join(
        answer.assumptions
    )


def test_the_leaderboard_of_the_command_line_is_by_the_total_too(home, capsys):
    words = ["profile", "--suite", "mmvet2", "--show", "leaderboard", "--format", "json"]

    assert main(words) == 0
    board = json.loads(capsys.readouterr().out)
    assert main([*words, "--weights", "rec=1,ocr=1"]) == 0
    by_tags = json.loads(capsys.readouterr().out)

    assert [row["model"] for row in board][:5] == FIRST
    assert {row["n"] for row in board} == {517}
    assert {row["n"] for row in by_tags} == {None}


def test_a_suite_that_prints_no_total_is_ranked_by_its_tags(store):
    answer = current.recommend_for(suite.load(store, "vqa360"), Needs("vqa360", "task_type"))

    assert len(answer.mix) == 4
