"""What a run tells of how it is carried out, and what it is resumed with."""

import json
import tomllib

import pytest

import evalcore
from evalcore.engine import provenance, runs
from evalcore.home import ROOT
from tests.fakes import SETTINGS, items


@pytest.fixture
def run(home):
    return runs.create(SETTINGS, items(4, home), "cpu")


def test_a_run_says_which_judges_it_was_started_with(run):
    run.remember_judges(["exact", "mmvet=openai:gpt-4.1"], 5)

    assert run.judge_specs() == (["exact", "mmvet=openai:gpt-4.1"], 5)


def test_a_run_that_was_never_told_of_judges_says_none(run):
    assert run.judge_specs() == ([], 1)


def test_a_judge_that_came_later_is_added_and_the_last_repeats_count(run):
    run.remember_judges(["exact"], 1)
    run.remember_judges(["anls", "exact"], 3)

    assert run.judge_specs() == (["exact", "anls"], 3)


def test_what_else_the_judges_were_made_with_is_kept(run):
    run.remember_judges(["mmvet=openai:x"], 1, prompt_file="their.txt", encoder=None)
    run.remember_judges(["similarity-embedding"], 1, encoder="roberta")

    assert run.judge_setup() == {"prompt_file": "their.txt", "encoder": "roberta"}


def test_the_same_judges_again_add_no_line(run):
    run.remember_judges(["exact"], 1)
    run.remember_judges(["exact"], 1)

    assert len(list((run.folder / "facts").glob("*"))) == 1


def test_facts_of_several_workers_are_all_told_oldest_first(run):
    (run.folder / "facts").mkdir()
    for time, device in (("2026-01-02", "cuda:1"), ("2026-01-01", "cuda:0")):
        row = {"kind": "model", "about": {"device": device}, "worker": 1, "time": time}
        path = run.folder / "facts" / f"{device}.jsonl"
        path.write_text(json.dumps(row) + "\n", encoding="utf-8")

    told = provenance.facts(run.folder, "model")

    assert [one.about["device"] for one in told] == ["cuda:0", "cuda:1"]


def test_the_version_stands_in_one_place_and_needs_no_installation():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

    assert provenance.code_version().startswith(f"{evalcore.__version__}+")
    assert "version" not in project["project"]
    dynamic = project["tool"]["setuptools"]["dynamic"]["version"]
    assert dynamic == {"attr": "evalcore.__version__"}
