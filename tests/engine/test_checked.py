"""A verdict counts for the answer it judged; no flipped bit changes a score unseen."""

import errno
import json
import os
import random
import shutil

import pyarrow.parquet as parquet
import pytest

from evalcore import judges
from evalcore.engine import lines, run_records, run_status, runs, sealed
from evalcore.engine.evaluate import evaluate
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError
from evalcore.records import Verdict
from evalcore.store import judged_runs
from tests.fakes import SETTINGS, FakeJudge, FakeModel, items, noted
from tests.fuzz import TIMES
from tests.old_runs import written

KEY = "exact-1-r0"
RULE = judges.make("exact")
EVERY = max(1, 37 // TIMES)
"""Every how many bytes one is flipped; 1 takes minutes."""


@pytest.fixture
def run(home, monkeypatch):
    """A run of a product that ships none, which would be read again and again here."""
    monkeypatch.setattr(runs.home, "shipped_runs_folder", lambda: home / "none")
    return runs.create(SETTINGS, items(6), "cpu")


def scores(run):
    """Judge and item → score, as the store counts them, and what is wrong with the run."""
    found, problems = judged_runs.everything()
    said = "; ".join(one.reason for one in problems if one.run == run.id)
    return {(one.named, *pair) for one in found if one.run.id == run.id
            for pair in one.scores.items()}, said  # fmt: skip


def forget(folder):
    """Lose the answers, keep the verdicts."""
    shutil.rmtree(folder / "predictions", ignore_errors=True)
    (folder / "predictions.parquet").unlink(missing_ok=True)
    (folder / "status.json").unlink(missing_ok=True)


@pytest.mark.parametrize("whole", [True, False], ids=["sealed", "open"])
def test_after_answers_were_lost_every_new_answer_is_judged_anew(run, tmp_path, whole):
    evaluate(run, FakeModel(breaks_on=[] if whole else ["q/5"]), [FakeJudge()])
    assert run.sealed("predictions") == whole
    forget(run.folder)
    assert scores(run)[0] == set()

    again = Run(run.folder)
    judge = FakeJudge(calls=tmp_path / "judged")
    ended = evaluate(again, FakeModel({"q/0": "no", "q/1": "no"}), [judge])

    assert ended.state == "done"
    right = {name: one.score for name, one in again.verdicts(KEY).items()}
    assert right == {f"q/{at}": float(at > 1) for at in range(6)}
    assert sorted(noted(tmp_path / "judged")) == [f"q/{at}" for at in range(6)]
    assert scores(run) == ({("exact", name, one) for name, one in right.items()}, "")
    stored = run_records.verdicts(again, KEY, ("item", "score")).to_pylist()
    assert {row["item"]: row["score"] for row in stored} == right


def test_a_verdict_on_another_answer_never_counts_and_is_named(run):
    evaluate(run, FakeModel({"q/0": "no"}, breaks_on=["q/5"]), [FakeJudge()])
    (path,) = run.folder.glob("predictions/*.jsonl")
    rows = [lines.parsed(line) for line in path.read_bytes().splitlines()]
    changed = [row | {"text": "other"} if row["item"] == "q/1" else row for row in rows]
    path.write_bytes(b"".join(map(lines.line, changed)))

    found, said = scores(run)

    assert {name for _, name, _ in found} == {"q/0", "q/2", "q/3", "q/4"}
    assert said == (
        "1 verdicts are on answers that are gone or others and do not count; "
        "'resume' asks for them again"
    )
    assert run_status.look(Run(run.folder)).state == "partly failed"


def test_verdicts_of_an_earlier_version_count_until_their_answer_is_lost(home, tmp_path):
    folder = written("old")
    assert scores(Run(folder)) == ({("exact", "q/0", 1.0), ("exact", "q/1", 1.0)}, "")
    (folder / "predictions" / "1.jsonl").unlink()

    judge = FakeJudge(calls=tmp_path / "judged")
    stopped = FakeModel({"q/0": "no"}, raises=("q/1", EvalcoreError("the key is wrong")))
    with pytest.raises(EvalcoreError, match="the key is wrong"):
        evaluate(Run(folder), stopped, [judge])
    evaluate(Run(folder), FakeModel(), [judge])

    assert sorted(noted(tmp_path / "judged")) == ["q/0", "q/1"]
    assert scores(Run(folder))[0] == {("exact", "q/0", 0.0), ("exact", "q/1", 0.0)}


def test_a_verdict_names_its_answer_in_lines_and_sealed(run):
    evaluate(run, FakeModel(breaks_on=["q/5"]), [FakeJudge()])
    (path,) = run.folder.glob(f"verdicts/{KEY}/*.jsonl")
    in_lines = {row["item"]: row["answer"] for row in map(json.loads, path.open())}

    evaluate(run, FakeModel(), [FakeJudge()], retry_failed=True)

    table = parquet.read_table(run.folder / f"verdicts/{KEY}.parquet").to_pylist()
    marks = {row["item"]: row["answer"] for row in table}
    assert len(set(marks.values())) == 6
    assert in_lines.items() <= marks.items()


@pytest.mark.parametrize("cut", ["lost", "cut"])
def test_a_judge_is_not_forgotten_when_facts_are_lost(run, cut):
    evaluate(run, FakeModel(), [RULE])
    run.remember_judges(["exact", "anls"], 2)
    for path in (run.folder / "facts").glob("*"):
        path.unlink() if cut == "lost" else os.truncate(path, path.stat().st_size // 2)

    again = Run(run.folder)

    assert again.judge_specs() == (["exact", "anls"], 2)
    assert scores(again)[1].endswith("1 of its facts are known only by the copy in ledger.jsonl")


def test_a_judge_of_which_nothing_tells_any_more_keeps_a_run_from_being_done(run):
    other = FakeJudge("words", raises=EvalcoreError("no key"))
    evaluate(run, FakeModel(), [RULE])
    write = run.writer("verdicts/words-1-r0")
    write.append(Verdict("q/0", "words", "1", 0, 1.0))
    write.close()

    ended = evaluate(Run(run.folder), None, [RULE])

    assert (ended.state, ended.problem) == (
        "stopped",
        f"judge words has given 1 of 6 verdicts; 'resume {run.id} --judge ...' with that judge "
        "asks for the rest",
    )
    other.raises = None
    assert evaluate(Run(run.folder), None, [RULE, other]).state == "done"


@pytest.fixture(params=[True, False], ids=["sealed", "open"])
def ended(run, request):
    """A run of one judge, whole or with a failed answer; its scores."""
    launch_facts = {"judge": "exact", "version": "1"}
    run.tell("judge", launch_facts)
    run.tell("model", {"device": "here"})
    evaluate(run, FakeModel({"q/0": "no"}, breaks_on=[] if request.param else ["q/5"]), [RULE])
    return run, scores(run)


def told(run):
    """What the pages and the store tell of a run; None of one that is no run."""
    found, said = scores(run)
    try:
        again = Run(run.folder)
    except EvalcoreError as error:
        return found, said, str(error)
    now = run_status.look(again)
    return found, said, now.problem


def test_no_flipped_byte_changes_a_score_or_a_name_unseen(ended):
    run, (before, nothing) = ended
    assert nothing == "" and len(before) >= 5
    drawn = random.Random(20261201)
    missed = []
    for path in sorted(run.folder.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        places = {
            *range(drawn.randrange(EVERY), len(data), EVERY),
            *range(max(0, len(data) - 3), len(data)),
        }
        for place in sorted(places):
            flipped = bytearray(data)
            flipped[place] ^= 1 << drawn.randrange(8)
            path.write_bytes(bytes(flipped))
            found, said, problem = told(run)
            if found != before and not said and not problem:
                missed.append((path.name, place))
        if data:
            path.write_bytes(data)

    assert missed == []
    assert scores(run) == (before, "")


def full(*ignored, **others):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_ends_the_making_of_a_folder_in_a_sentence(home, monkeypatch):
    monkeypatch.setattr(sealed, "note_all", full)

    with pytest.raises(EvalcoreError, match=r"cannot make the run folder .* \(No space left on devi"
                       r"ce\); the disk is full: make room; set EVALCORE_HOME"):  # fmt: skip
        runs.create(SETTINGS, items(2), "cpu")

    assert list((home / "runs").iterdir()) == []


@pytest.mark.parametrize("at", ["put", "ledger"])
def test_a_full_disk_ends_sealing_in_a_sentence_and_loses_nothing(run, monkeypatch, at):
    whole = (sealed, "put") if at == "put" else (sealed, "note_seals")
    with monkeypatch.context() as patch:
        patch.setattr(*whole, full)
        with pytest.raises(EvalcoreError, match=r"cannot write .*predictions\.parquet \(No space "
                           r".*\); the disk is full: make room; the answers are kept"):  # fmt: skip
            evaluate(run, FakeModel(), [RULE])
    assert len(Run(run.folder).predictions()) == 6
    assert not list(run.folder.rglob("*.aside"))

    assert evaluate(Run(run.folder), FakeModel(), [RULE]).state == "done"
    assert scores(run)[1] == ""
