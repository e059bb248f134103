"""Killing a run at any moment loses nothing and pays at most for the calls in flight again."""

import random
import shutil
import time
from pathlib import Path

import pytest

from evalcore.engine import runs
from evalcore.engine.runs import Run
from evalcore.records import Verdict
from tests.fakes import SETTINGS, FakeJudge, FakeModel, items, noted, start, stream

NUMBER = 40
IDS = [item.id for item in items(NUMBER)]
KEY = "exact-1-r0"
DRAWN = random.Random(20240909)
MOMENTS = [("answering", DRAWN.random()) for _ in range(15)]
MOMENTS += [("sealing", DRAWN.random()) for _ in range(10)]
"""A stage of the run, and the part of it that has passed when the kill comes."""


def fakes(folder: Path, delay: float = 0.004) -> tuple[FakeModel, FakeJudge]:
    wrong = {item: "wrong" for item in IDS[::3]}
    return (
        FakeModel(wrong, delay, calls=folder / "asked"),
        FakeJudge(delay=delay, calls=folder / "judged"),
    )


def verdicts(run: Run) -> set[Verdict]:
    return set(run.verdicts(KEY).values())


@pytest.fixture(scope="module")
def laid(tmp_path_factory) -> Run:
    """A run folder where nothing is answered yet, to copy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(tmp_path_factory.mktemp("laid")))
        return runs.create(SETTINGS, items(NUMBER), "cpu")


@pytest.fixture(scope="module")
def undisturbed(laid, tmp_path_factory):
    """The verdicts of a run that nobody kills, and the seconds that each stage takes."""
    folder = tmp_path_factory.mktemp("whole")
    run = Run(shutil.copytree(laid.folder, folder / "run"))
    process = start(run.folder, *fakes(folder))
    times = []
    for stage in ("answering", "sealing", "ended"):
        wait_for(stage, run)
        times.append(time.perf_counter())
    process.join()
    took = {"answering": times[1] - times[0], "sealing": times[2] - times[1]}
    return verdicts(run), took


@pytest.fixture
def run(laid, tmp_path) -> Run:
    return Run(shutil.copytree(laid.folder, tmp_path / "run"))


def wait_for(stage: str, run: Run) -> None:
    """Until a stage begins, so that no kill falls into the start of Python or after the end."""
    begun = {
        "answering": lambda: (run.folder / "claims.jsonl").exists(),
        "sealing": lambda: len(run.verdicts(KEY)) == NUMBER,
        "ended": lambda: run.sealed(f"verdicts/{KEY}"),
    }[stage]
    end = time.monotonic() + 20
    while not begun() and time.monotonic() < end:
        time.sleep(0.0005)


@pytest.mark.parametrize(("stage", "moment"), MOMENTS, ids=range(len(MOMENTS)))
def test_a_killed_run_resumes_to_the_same_verdicts(run, undisturbed, tmp_path, stage, moment):
    whole, took = undisturbed
    model, judge = fakes(tmp_path)
    process = start(run.folder, model, judge)
    wait_for(stage, run)

    time.sleep(moment * took[stage])
    process.kill()
    process.join()
    progress = stream(run.folder, model, judge)

    assert (progress.state, progress.judged) == ("done", {KEY: NUMBER})
    assert verdicts(run) == whole
    assert len(noted(tmp_path / "asked")) <= NUMBER + 1
    assert len(noted(tmp_path / "judged")) <= NUMBER + 2


def test_a_run_killed_again_and_again_pays_one_call_a_kill(run, undisturbed, tmp_path, rng):
    model, judge = fakes(tmp_path)
    kills = 0
    while not run.sealed(f"verdicts/{KEY}") and kills < 20:
        process = start(run.folder, model, judge)
        time.sleep(float(rng.uniform(0.02, 0.15)))
        process.kill()
        process.join()
        kills += 1
    stream(run.folder, model, judge)

    assert verdicts(run) == undisturbed[0]
    assert len(noted(tmp_path / "asked")) <= NUMBER + kills
    assert len(noted(tmp_path / "judged")) <= NUMBER + 2 * kills


@pytest.fixture
def shared_run(home) -> Run:
    """A run that is longer than two leases, so that two workers share it."""
    return runs.create(SETTINGS, items(700), "cpu")


def test_two_workers_ask_and_judge_no_item_twice_and_seal(shared_run, tmp_path):
    model, judge = fakes(tmp_path, 0.001)

    workers = [start(shared_run.folder, model, judge) for _ in range(2)]
    for worker in workers:
        worker.join()

    asked, judged = noted(tmp_path / "asked"), noted(tmp_path / "judged")
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len(asked) == len(set(asked)) == 700
    assert len(judged) == len(set(judged)) == 700
    assert len(verdicts(shared_run)) == 700
    assert shared_run.sealed("predictions")
    assert shared_run.sealed(f"verdicts/{KEY}")


def test_one_of_two_workers_is_killed_and_the_other_does_its_items(shared_run, tmp_path):
    model, judge = fakes(tmp_path, 0.001)
    doomed, other = [start(shared_run.folder, model, judge) for _ in range(2)]
    while len(noted(tmp_path / "asked")) < 40:
        time.sleep(0.001)

    doomed.kill()
    doomed.join()
    other.join()

    assert shared_run.sealed("predictions")
    assert len(verdicts(shared_run)) == 700
    assert len(noted(tmp_path / "asked")) <= 701
    assert len(noted(tmp_path / "judged")) <= 702
