"""The page, the command line and the report give one answer, and the link asks for it again."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from evalcore.__main__ import main
from evalcore.decision import link
from evalcore.decision.needs import Needs
from evalcore.suites import suite
from tests.pages.opening import words

QUESTIONS = [
    ["--preset", "open"],
    ["--preset", "cheaper-than-best-closed"],
    ["--preset", "open-academic", "--aggregate", "micro"],
    [
        "--weights", "Chart Understanding=2,Document Understanding=1", "--open-weights",
        "--max-params-b", "10", "--min-score", "10", "--min-n", "300",
    ],
    [
        "--max-usd-per-1000", "0.5", "--usd-per-1000", "gpt-4o-mini=0.3", "--self-hosted",
        "--gpu-usd-per-hour", "1.5", "--questions-per-hour", "4000", "--include-unknown",
    ],
    ["--suite", "mmvet2", "--axis", "integration", "--include-suspect", "--max-memory-gb", "24"],
    [
        "--max-seconds", "2", "--seconds", "internvl2-8b=1.5",
        "--min-score", "Chart Understanding=60",
    ],
    ["--suite", "openclip", "--weights", "reasoning=3,texture=1"],
    ["--suite", "demo", "--weights", "shape=2,yes-no=1"],
]  # fmt: skip


def from_command_line(capsys, question):
    assert main(["recommend", *question, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def address(capsys, question):
    assert main(["report", *question]) == 0
    report = capsys.readouterr().out
    return next(word.strip("<>") for word in report.split() if "/recommend?" in word)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: " ".join(question)[:40])
def test_the_link_of_a_report_opens_the_page_with_the_same_sentences(capsys, open_page, question):
    answer = from_command_line(capsys, question)
    page = open_page("recommend", **parse_qs(urlsplit(address(capsys, question)).query))

    assert not page.exception and not page.error
    shown = words(page)
    said_of_it = [*answer["sentences"], answer["basis"]]
    assert [sentence for sentence in said_of_it if sentence not in shown] == []


def test_a_link_says_nothing_about_limits_that_are_not_set(store):
    data = suite.load(store, "vqa360")
    needs = Needs("vqa360", "task_type")

    made = link.recommend(needs, "VQA360", "Task type", {})

    assert data.suite == "vqa360"
    assert parse_qs(urlsplit(made).query).keys() == {
        "suite", "axis", "min_n_vqa360", "mean", "rec_where", "rec_precision",
    }  # fmt: skip
