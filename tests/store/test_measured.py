"""Runs in the store: what was measured stands beside what is published, with what is missing."""

from dataclasses import replace

import pandas as pd
import pytest

import evalcore
from evalcore.engine import evaluate, progress, runs
from evalcore.store import build, queries
from evalcore.suites import item_results, suite
from tests.fakes import SETTINGS, FakeJudge, FakeModel, described, items

RIGHT = {f"q/{count}": f"q/{count}" for count in range(6)}


def ran(home, answers, number=10, **model):
    run = runs.create(SETTINGS, items(number), "here")
    evaluate.evaluate(run, lambda: FakeModel(answers, **model), [FakeJudge()])
    return run


def made_here(path):
    """The store's runs but for those that ship."""
    runs = queries.table(path, "runs")
    return runs[runs["benchmark"] == "tiny"]


@pytest.fixture
def path(home):
    wrong = {f"q/{count}": "no" for count in range(6, 10)}
    ran(home, RIGHT | wrong)
    return build.ensure()


def test_a_run_is_a_suite_named_after_its_benchmark(path):
    data = suite.load(path, "tiny")

    assert suite.axes(data) == ["kind"]
    assert list(data.models["model"]) == [SETTINGS.model]


def test_each_tag_has_its_mean_and_its_n(path):
    cells = suite.cells(suite.load(path, "tiny"), "kind").set_index("tag")

    assert cells["value"].to_dict() == {"even": 3 / 5, "odd": 3 / 5}
    assert cells["n"].to_dict() == {"even": 5, "odd": 5}
    assert set(cells["kind"]) == {"measured"}
    assert set(cells["method"]) == {
        "from single answers; those that share a picture or source count as one cluster"
    }


def test_the_run_table_tells_where_the_scores_come_from(path):
    row = made_here(path).iloc[0]

    assert (row["items"], row["answered"], row["failed"], row["scored"]) == (10, 10, 0, 10)
    assert row["code"].startswith(f"{evalcore.__version__}+")


def test_the_run_table_tells_on_what_it_ran(home):
    run = runs.create(SETTINGS, items(4), "here")
    for device in ("cuda:0 NVIDIA A40", "cpu"):
        run.tell("model", {"device": device, "dtype": "bfloat16", "quantisation": "none"})
    evaluate.evaluate(run, lambda: FakeModel(), [FakeJudge()])

    row = made_here(build.ensure()).iloc[0]

    assert (row["device"], row["precision"]) == ("cuda:0 NVIDIA A40; cpu", "bfloat16")
    assert (row["quantisation"], row["judge_version"], row["seed"]) == ("none", "1", 0)
    assert pd.isna(row["attention"])


def test_what_the_machine_lacked_stands_with_every_score(home):
    run = runs.create(SETTINGS, items(4), "here")
    run.tell("model", {"left out": "4 bits need a CUDA device"})
    evaluate.evaluate(run, lambda: FakeModel(), [FakeJudge()])

    notes = queries.scores(build.ensure(), "tiny")["note"]

    assert set(notes) == {"4 bits need a CUDA device"}


def test_of_several_runs_the_one_with_the_most_scores_counts(home):
    ran(home, {}, number=10)
    small = runs.create(replace(SETTINGS, limit=4), items(4), "here")
    evaluate.evaluate(small, lambda: FakeModel({"q/0": "no"}), [FakeJudge()])

    rows = queries.scores(build.ensure(), "tiny").set_index("tag")

    assert rows.loc["total", ["value", "n"]].tolist() == [1.0, 10.0]


def test_of_runs_alike_the_newest_counts(home):
    for seed, answers in ((0, {"q/0": "no"}), (1, {})):
        run = runs.create(replace(SETTINGS, seed=seed), items(10), "here")
        described(run, created=f"2026-01-0{seed + 1}T00:00:00+00:00")
        evaluate.evaluate(run, lambda said=answers: FakeModel(said), [FakeJudge()])

    assert made_here(build.ensure()).iloc[0]["seed"] == 1


def test_a_benchmark_that_is_called_like_a_published_suite_gets_another_name(home):
    run = runs.create(replace(SETTINGS, benchmark="openclip"), items(4), "here")
    evaluate.evaluate(run, lambda: FakeModel(), [FakeJudge()])

    path = build.ensure()

    assert set(queries.scores(path, "openclip-runs")["kind"]) == {"measured"}
    assert set(queries.scores(path, "openclip")["kind"]) == {"published"}


def test_the_published_scores_are_still_all_there(path, store):
    assert len(queries.published(path)) == len(queries.published(store)) + 3


def test_what_gave_no_answer_is_counted_and_bounded(home):
    ran(home, RIGHT, breaks_on={f"q/{count}" for count in range(6, 10)})

    rows = queries.scores(build.ensure(), "tiny").set_index("tag")

    assert rows.loc["total", ["value", "n"]].tolist() == [1.0, 6.0]
    assert rows.loc["total", "note"] == (
        "6 of 10 scored: 4 gave no answer; with all of them between 60.0 % and 100.0 %"
    )


def test_the_judge_that_the_first_run_named_first_is_the_benchmarks_own(home):
    for judges in (("word", "exact"), ("exact", "word")):
        run = runs.create(SETTINGS, items(4), "here")
        told = [FakeJudge(name) for name in judges]
        for judge in told:
            run.tell("judge", {"judge": judge.name, "version": judge.version})
        evaluate.evaluate(run, lambda: FakeModel(RIGHT), told)
    path = build.ensure()

    assert item_results.load(path, "tiny").metrics() == ["word", "exact"]


def test_a_run_that_goes_on_is_not_in_the_store_yet(home):
    run = runs.create(SETTINGS, items(4), "here")
    progress.write_status(run.folder, progress.Progress(total=4))

    assert made_here(build.ensure()).empty


def test_a_run_that_only_begins_leaves_the_store_as_it_is(home):
    before = build.version()
    run = runs.create(SETTINGS, items(3), "cpu")
    progress.enqueue(run, progress.STARTING)

    assert build.version() == before


def test_the_store_follows_when_a_run_ends(home):
    before = queries.version(build.ensure())

    ran(home, RIGHT, number=6)

    assert queries.version(build.ensure()) != before


def test_a_broken_run_folder_hides_no_other(home, path):
    broken = runs.home.runs_folder() / "broken"
    broken.mkdir()
    (broken / "run.json").write_text("{", encoding="utf-8")

    assert len(made_here(build.build())) == 1
