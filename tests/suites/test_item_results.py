"""The items of runs as frames: what was asked, answered and scored, item by item."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evalcore.engine import evaluate, progress, runs
from evalcore.records import Prediction, Verdict
from evalcore.store import build, queries
from evalcore.suites import item_results, labelled
from tests import hostile
from tests.fakes import SETTINGS, FakeJudge, FakeModel, items


def ran(answers=None, asked=None, judges=None, repeats=1, settings=SETTINGS, **model):
    run = runs.create(settings, asked or items(6), "here")
    judging = judges or [FakeJudge()]
    for judge in judging:
        run.tell("judge", {"judge": judge.name, "version": judge.version})
    evaluate.evaluate(run, lambda: FakeModel(answers or {}, **model), judging, repeats=repeats)
    return run


def loaded(benchmark="tiny"):
    return item_results.load(build.ensure(), benchmark)


def test_scores_are_items_by_entries(home):
    first = ran({"q/1": "no"})
    second = ran({"q/2": "no"}, settings=replace(SETTINGS, model="other"))

    found = loaded()

    assert list(found.scores.index) == [f"q/{count}" for count in range(6)]
    assert found.scores[f"{first.id}/exact"].tolist() == [1, 0, 1, 1, 1, 1]
    assert found.scores[f"{second.id}/exact"].tolist() == [1, 1, 0, 1, 1, 1]
    assert found.entries["n_scored"].tolist() == [6, 6]


def test_an_item_keeps_what_was_asked(home):
    asked = [replace(one, choices=("a", "b"), cluster="photo") for one in items(3)]
    ran(asked=asked)

    found = loaded()

    row = found.items.loc["q/1"]
    assert (row["question"], row["answers"], row["choices"]) == (
        "What is q/1?",
        ("q/1",),
        ("a", "b"),
    )
    assert set(found.clusters) == {"photo"}
    assert found.tags.groupby("tag").size().to_dict() == {"even": 2, "odd": 1}


def test_an_item_without_a_cluster_is_one_of_its_own(home):
    ran()

    assert (loaded().clusters == loaded().items.index).all()


def test_a_missing_answer_has_no_score_and_was_asked(home):
    run = ran(breaks_on={"q/3"})

    found = loaded()

    assert np.isnan(found.scores.loc["q/3", f"{run.id}/exact"])
    assert found.asked.all().all()
    error = found.answers.set_index("item").loc["q/3", "error"]
    assert "cannot look at q/3" in error


def test_what_another_sample_did_not_hold_was_not_asked(home):
    ran(asked=items(6))
    small = ran(asked=items(2), settings=replace(SETTINGS, limit=2))

    found = loaded()

    assert found.asked[f"{small.id}/exact"].sum() == 2
    assert found.scores[f"{small.id}/exact"].notna().sum() == 2


def test_repeats_are_averaged_and_their_spread_is_kept(home):
    run = ran(asked=items(3))
    for repeat, scores in enumerate(([1, 0.5, None], [0, 0.5, 1])):
        rows = [Verdict(f"q/{at}", "goeval", "1", repeat, score) for at, score in enumerate(scores)]
        run.seal(f"verdicts/{runs.verdict_key('goeval', '1', repeat)}", rows)

    found = loaded()

    entry = f"{run.id}/goeval"
    assert found.scores[entry].tolist() == [0.5, 0.5, 1]
    assert found.repeat_sd[entry].tolist()[:2] == [np.std([0, 1], ddof=1), 0]
    assert np.isnan(found.repeat_sd[entry].iloc[2])
    assert found.entries.loc[entry, "repeats"] == 2


def test_of_a_judges_versions_one_counts(home):
    run = ran(judges=[FakeJudge(version="1")])
    evaluate.evaluate(run, None, [FakeJudge(version="2")])

    assert len(loaded().entries) == 1
    assert len(loaded().verdicts) == 6


def test_two_judges_of_one_run_are_two_entries(home):
    run = ran(judges=[FakeJudge(), FakeJudge("strict")])

    assert set(loaded().entries["metric"]) == {"exact", "strict"}
    assert set(loaded().entries["run"]) == {run.id}
    assert len(loaded().answers) == 6


def test_the_judge_that_was_named_first_comes_first_but_after_one_that_scored_more_runs(home):
    run = ran({"q/1": "no"}, judges=[FakeJudge("strict"), FakeJudge("kind", breaks_on=["q/2"])])

    found = loaded()
    assert found.metrics() == list(found.entries["metric"]) == ["strict", "kind"]
    assert found.scores.sum().to_dict() == {f"{run.id}/strict": 5, f"{run.id}/kind": 4}

    ran(judges=[FakeJudge("kind")], settings=replace(SETTINGS, model="other"))

    assert loaded().metrics() == ["kind", "strict"]


def test_another_question_under_the_same_id_is_another_item(home):
    ran(settings=replace(SETTINGS, model="old"))
    changed = [replace(items(1)[0], question="What else?"), *items(6)[1:]]
    newer = ran(asked=changed, settings=replace(SETTINGS, model="new", seed=1))

    found = loaded()

    assert len(found.items) == 7
    assert (found.scores.notna().sum(axis=1) == 2).sum() == 5
    both = found.items[found.items.index.str.startswith("q/0")]
    assert set(both["question"]) == {"What is q/0?", "What else?"}
    assert set(found.answers["item"]) == set(found.items.index)
    assert newer.id in set(found.answers["run"])


def test_a_stopped_run_counts_sealed_or_not(home):
    run = ran(asked=items(3))
    before = loaded().scores
    writer = run.writer("verdicts/exact-1-r0")
    writer.append(Verdict("q/0", "exact", "1", 0, 1.0))
    writer.close()

    pd.testing.assert_frame_equal(loaded().scores, before)


def test_a_run_of_which_every_answer_failed_is_an_entry_without_a_score(home):
    other = ran(settings=replace(SETTINGS, benchmark="silence"), asked=items(3))
    run = hostile.silent()

    found = loaded("silence")
    entry = f"{run.id}/exact"

    assert set(found.entries.index) == {entry, f"{other.id}/exact"}
    told = found.entries.loc[entry, ["metric", "judge", "n_items", "n_scored"]]
    assert told.tolist() == ["exact", "exact", 3, 0]
    assert found.failed[entry].sum() == found.asked[entry].sum() == 3
    assert found.scores[entry].isna().all()


def test_a_run_that_goes_on_is_left_out(home):
    run = ran()
    progress.write_status(run.folder, progress.Progress(total=6))

    assert loaded().items.empty
    assert "tiny" not in item_results.benchmarks(build.ensure())


def test_a_page_opens_with_the_benchmark_that_has_something_to_compare(home):
    """Of ones own: "a" one run, "b" two runs of one judge, "c" one run of two judges."""
    ran(settings=replace(SETTINGS, benchmark="a"))
    for seed in (0, 1):
        ran(settings=replace(SETTINGS, benchmark="b", seed=seed))
    ran(judges=[FakeJudge(), FakeJudge("strict")], settings=replace(SETTINGS, benchmark="c"))
    path = build.ensure()

    assert item_results.benchmarks(path)[:3] == ["a", "b", "c"]
    assert item_results.benchmarks(path, "compare") == ["b", "easy-vqa", "mnist", "a", "c"]
    assert item_results.benchmarks(path, "bridge") == ["c", "easy-vqa", "a", "b", "mnist"]
    # A contrastive model's choices are nothing to check a judge by.
    assert item_results.benchmarks(path, "label") == ["a", "b", "c", "easy-vqa", "mnist"]


def test_a_contrastive_run_of_ones_own_hides_nothing_that_can_be_compared(store):
    """As after a first zero-shot run: the shipped one of "mnist" is taken for ones own."""
    runs_there = queries.item_runs(store)
    assert set(runs_there.loc[runs_there["contrastive"], "benchmark"]) == {"mnist"}

    with pytest.MonkeyPatch.context() as patch:
        alone = runs_there[~runs_there["contrastive"] | ~runs_there["benchmark"].duplicated()]
        alone = alone.assign(demo=~alone["contrastive"])
        patch.setattr(queries, "item_runs", lambda path: alone)
        assert item_results.benchmarks(store) == ["mnist", "easy-vqa"]
        for purpose in ("compare", "bridge", "label"):
            assert item_results.benchmarks(store, purpose) == ["easy-vqa", "mnist"]


def test_a_model_with_several_runs_is_bridged_once_by_its_newest_whole_run(home):
    both = [FakeJudge(), FakeJudge("strict")]
    old, newer, part = (
        ran(judges=both, settings=replace(SETTINGS, seed=seed), breaks_on=broken)
        for seed, broken in ((1, ()), (2, ()), (3, ["q/1"]))
    )
    other = ran(judges=both, settings=replace(SETTINGS, model="other"))
    ran(settings=replace(SETTINGS, model="by one judge"))
    found = loaded()
    created = {old.id: "2026-01-01", newer.id: "2026-01-02", part.id: "2026-01-03"}
    times = found.entries["run"].map(created).fillna("2026-01-01")
    found = replace(found, entries=found.entries.assign(created=times))

    counting = labelled.bridged(found, "exact", "strict")
    rows = labelled.side_by_side(found, "exact", "strict")

    assert counting.to_dict() == {old.id: False, newer.id: True, part.id: False, other.id: True}
    assert rows.drop_duplicates("model")[["model", "run"]].astype(str).values.tolist() == [
        ["fake-1b", newer.id],
        ["other", other.id],
    ]
    said = labelled.bridged_words(counting)
    assert said == (
        "4 runs were scored by both. A model counts once, with its newest run, so 2 of them are "
        "left out."
    )
    assert labelled.bridged_words(counting[counting]) == ""


def test_the_answers_to_one_item_are_read_alone(home):
    run = ran({"q/1": "no"})

    answers, verdicts = item_results.of_item(build.ensure(), "tiny", "q/1")

    assert answers[["run", "text"]].values.tolist() == [[run.id, "no"]]
    assert verdicts[["entry", "score"]].values.tolist() == [[f"{run.id}/exact", 0.0]]


def test_text_is_found_in_questions_references_and_answers(home):
    ran({"q/1": 'a "Red" thing'})
    path = build.ensure()

    assert item_results.containing(path, "tiny", 'a "red"') == {"q/1"}
    assert item_results.containing(path, "tiny", "WHAT IS Q/2") == {"q/2"}
    assert item_results.containing(path, "tiny", "%") == set()


def test_a_benchmark_without_runs_is_empty(home):
    found = loaded("nothing")

    assert found.items.empty and found.entries.empty and found.scores.empty
    assert found.answers.empty and found.verdicts.empty
    assert found.labels() == {}


def test_entries_have_names_that_tell_them_apart(home):
    ran()
    ran(settings=replace(SETTINGS, seed=1))
    ran(settings=replace(SETTINGS, model="other"))

    names = loaded().labels()

    assert len(set(names.values())) == 3
    assert "other" in names.values()


@pytest.mark.parametrize("text", ["\ud800 half", "tail\x00zero", "<script>"])
def test_any_answer_is_kept_as_text(home, text):
    ran({"q/1": text})

    kept = loaded().answers.set_index("item").loc["q/1", "text"]

    assert kept.replace("?", "\ud800") if "\ud800" in text else kept == text


def test_every_entry_is_a_row_of_the_item_runs(home):
    run = ran()

    row = queries.item_runs(build.ensure()).set_index("entry").loc[f"{run.id}/exact"]

    assert (row["model"], row["judge"], row["version"]) == (SETTINGS.model, "exact", "1")
    assert (row["n_items"], row["repeats"], row["demo"]) == (6, 1, False)


def test_answers_that_came_from_elsewhere_count_as_they_are(home):
    run = runs.create(SETTINGS, items(2), "here")
    run.seal("predictions", [Prediction("q/0", "q/0", tokens_out=3)])
    run.seal("verdicts/exact-1-r0", [Verdict("q/0", "exact", "1", 0, 1)])

    answers = loaded().answers

    assert answers["tokens_out"].tolist() == [3]
    assert answers["seconds"].isna().all()
