"""The stream of answers and verdicts: complete, resumable, and honest about what failed."""

import dataclasses
import os
import signal
import threading
import time
from itertools import islice

import pytest

from evalcore.engine import runs
from evalcore.engine.evaluate import evaluate
from evalcore.engine.progress import read_status
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError, ModelUnavailable, SpendCapReached
from tests.fakes import SETTINGS, FakeJudge, FakeModel, items, noted, start

IDS = [item.id for item in items(12)]
EXACT = "exact-1-r0"


@pytest.fixture
def run(home) -> Run:
    return runs.create(SETTINGS, items(12), "cpu")


@pytest.fixture
def calls(tmp_path):
    return tmp_path / "calls"


def wait_for(what, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


def test_every_item_is_answered_and_judged_once_and_sealed(run, calls):
    progress = evaluate(run, FakeModel({"q/3": "no"}, calls=calls), [FakeJudge()])

    assert (progress.state, progress.answered, progress.failed) == ("done", 12, 0)
    assert progress.judged == {EXACT: 12}
    assert noted(calls) == IDS
    assert [one.item for one in run.predictions().values()] == IDS
    scores = {item: verdict.score for item, verdict in run.verdicts(EXACT).items()}
    assert scores == {item: float(item != "q/3") for item in IDS}
    assert run.sealed("predictions")
    assert run.sealed(f"verdicts/{EXACT}")


def test_a_run_without_items_is_done(home):
    run = runs.create(SETTINGS, [], "cpu")

    assert evaluate(run, FakeModel(), [FakeJudge()]).state == "done"
    assert run.verdicts(EXACT) == {}


def test_a_finished_run_makes_no_model_and_no_calls(run, calls):
    evaluate(run, FakeModel(), [FakeJudge()])

    progress = evaluate(run, None, [FakeJudge(calls=calls)])

    assert (progress.state, progress.answered, progress.judged) == ("done", 12, {EXACT: 12})
    assert noted(calls) == []


def test_a_broken_batch_is_asked_again_one_by_one(run, calls):
    progress = evaluate(run, FakeModel(largest=1, calls=calls), [FakeJudge()])

    assert (progress.state, progress.failed) == ("done", 0)
    assert noted(calls) == IDS


def test_a_breaking_item_fails_alone_and_is_counted(run):
    progress = evaluate(run, FakeModel(breaks_on=["q/5"]), [FakeJudge()])

    assert (progress.state, progress.answered, progress.failed) == ("partly failed", 12, 1)
    assert run.predictions()["q/5"].error == "ValueError: cannot look at q/5"
    assert set(run.verdicts(EXACT)) == set(IDS) - {"q/5"}
    assert not run.sealed("predictions")
    assert not run.sealed(f"verdicts/{EXACT}")


def test_what_failed_is_not_asked_again_unless_wished(run, calls):
    evaluate(run, FakeModel(breaks_on=["q/5", "q/7"]), [FakeJudge()])

    same = evaluate(run, FakeModel(calls=calls), [FakeJudge()])
    assert (same.state, noted(calls)) == ("partly failed", [])

    mended = evaluate(run, FakeModel(calls=calls), [FakeJudge()], retry_failed=True)
    assert (mended.state, mended.answered, mended.failed) == ("done", 12, 0)
    assert noted(calls) == ["q/5", "q/7"]
    assert run.sealed("predictions")
    assert len(run.verdicts(EXACT)) == 12


def test_what_fails_again_is_asked_once_more_only(run, calls):
    model = FakeModel(breaks_on=["q/5"], calls=calls)
    evaluate(run, model, [FakeJudge()])
    calls.unlink()

    progress = evaluate(run, model, [FakeJudge()], retry_failed=True)

    assert (progress.state, progress.answered, progress.failed) == ("partly failed", 12, 1)
    assert set(noted(calls)) == {"q/5"}


def test_an_item_without_an_answer_is_said_and_not_judged(run, calls):
    model = FakeModel({"q/1": None}, silent_on=["q/2"])

    progress = evaluate(run, model, [FakeJudge(calls=calls)])

    assert progress.failed == 2
    assert run.predictions()["q/2"].error == "the model gave no answer for this item"
    assert sorted(noted(calls)) == sorted(set(IDS) - {"q/1", "q/2"})


def test_an_answer_given_twice_counts_once(run, calls):
    progress = evaluate(run, FakeModel(twice=True), [FakeJudge(calls=calls)])

    assert (progress.state, progress.answered) == ("done", 12)
    assert sorted(noted(calls)) == sorted(IDS)


def test_a_breaking_judge_gives_no_score_and_says_why(run):
    progress = evaluate(run, FakeModel(), [FakeJudge(breaks_on=["q/4"])])

    verdict = run.verdicts(EXACT)["q/4"]
    assert (verdict.score, verdict.reason) == (None, "the judge failed: KeyError: 'q/4'")
    assert (progress.judged, progress.unparsed) == ({EXACT: 12}, {EXACT: 1})


def test_what_the_judge_failed_at_can_be_judged_again_after_sealing(run, calls):
    evaluate(run, FakeModel(), [FakeJudge(breaks_on=["q/4"])])
    assert run.sealed(f"verdicts/{EXACT}")

    progress = evaluate(run, None, [FakeJudge(calls=calls)], retry_failed=True)

    assert (progress.state, progress.judged, progress.unparsed[EXACT]) == ("done", {EXACT: 12}, 0)
    assert noted(calls) == ["q/4"]
    assert run.verdicts(EXACT)["q/4"].score == 1.0


@pytest.mark.parametrize(
    ("error", "state", "more"),
    [
        (ModelUnavailable("the key is wrong"), "failed", ""),
        (
            SpendCapReached("2 dollars are spent"),
            "stopped",
            "; 6 of 12 questions are answered, 6 are not (cap reached), and 6 of 6 verdicts on"
            " them given;"
            " 'resume' with a higher --max-usd does the rest",
        ),
    ],
)
def test_an_error_of_the_whole_run_stops_it_and_keeps_what_was_done(run, calls, error, state, more):
    with pytest.raises(type(error), match=str(error)):
        evaluate(run, FakeModel(raises=("q/6", error)), [FakeJudge()])

    status = read_status(run.folder)
    assert (status["state"], status["problem"]) == (state, f"{error}{more}")
    assert (status["answered"], list(run.predictions())) == (6, IDS[:6])
    assert evaluate(run, FakeModel(calls=calls), [FakeJudge()]).state == "done"
    assert noted(calls) == IDS[6:]
    assert len(run.verdicts(EXACT)) == 12


def test_a_model_that_cannot_be_made_is_a_failed_run(run):
    def broken():
        raise OSError("no such folder")

    with pytest.raises(OSError, match="no such folder"):
        evaluate(run, broken, [FakeJudge()])

    status = read_status(run.folder)
    assert (status["state"], status["problem"]) == ("failed", "OSError: no such folder")


def test_a_judge_at_its_cap_stops_the_run_and_keeps_the_answers_it_had(run):
    with pytest.raises(SpendCapReached):
        evaluate(run, FakeModel(delay=0.01), [FakeJudge(raises=SpendCapReached("spent"))])

    status = read_status(run.folder)
    assert status["state"] == "stopped"
    assert status["answered"] == len(run.predictions()) > 0


def test_another_judge_can_come_later_without_new_answers(run, calls):
    evaluate(run, FakeModel(), [FakeJudge()])

    progress = evaluate(run, None, [FakeJudge(), FakeJudge("strict", "2", calls=calls)])

    assert progress.judged == {EXACT: 12, "strict-2-r0": 12}
    assert sorted(noted(calls)) == sorted(IDS)
    assert run.judges() == [EXACT, "strict-2-r0"]


def test_more_repeats_later_pay_the_new_ones_only(run, calls):
    evaluate(run, FakeModel(), [FakeJudge()], repeats=2)

    progress = evaluate(run, None, [FakeJudge(calls=calls)], repeats=3)

    assert sorted(noted(calls)) == sorted(IDS)
    assert progress.judged == {f"exact-1-r{repeat}": 12 for repeat in range(3)}
    assert {one.repeat for one in run.verdicts("exact-1-r2").values()} == {2}


def test_what_a_run_cost_counts_all_passes_and_judges(run):
    with pytest.raises(ModelUnavailable):
        evaluate(run, FakeModel(raises=("q/6", ModelUnavailable("gone"))), [FakeJudge()])

    progress = evaluate(run, FakeModel(), [FakeJudge()])

    assert progress.usd == pytest.approx(12 * 0.25 + 12 * 0.5)


def test_a_cancel_file_stops_the_run_and_without_it_the_rest_follows(run, calls):
    cancel = run.folder / "cancel"
    model = FakeModel(delay=0.01)
    threading.Timer(0.06, cancel.touch).start()
    assert evaluate(run, model, [FakeJudge()]).state == "stopped"
    had = list(run.predictions())
    assert 0 < len(had) < 12

    assert evaluate(run, FakeModel(calls=calls), [FakeJudge()]).state == "stopped"
    assert noted(calls) == []
    cancel.unlink()

    assert evaluate(run, FakeModel(calls=calls), [FakeJudge()]).state == "done"
    assert noted(calls) == IDS[len(had) :]


def test_a_stop_does_not_wait_for_judgements_that_have_not_begun(run, calls):
    evaluate(run, FakeModel(), [])
    threading.Timer(0.1, (run.folder / "cancel").touch).start()
    judge = FakeJudge(delay=0.3, calls=calls, concurrency=1)

    progress = evaluate(run, None, [judge])

    assert progress.state == "stopped"
    assert len(noted(calls)) <= 4
    assert progress.judged == {EXACT: len(noted(calls))}


def test_a_polite_kill_stops_and_the_same_call_finishes(run, calls):
    process = start(run.folder, FakeModel(delay=0.02, calls=calls), FakeJudge())
    wait_for(lambda: len(noted(calls)) >= 3)

    os.kill(process.pid, signal.SIGTERM)
    process.join()

    assert process.exitcode == 0
    assert read_status(run.folder)["state"] == "stopped"
    assert len(noted(calls)) == len(run.predictions()) < 12
    assert evaluate(run, FakeModel(calls=calls), [FakeJudge()]).state == "done"
    assert noted(calls) == IDS


def test_a_second_ctrl_c_does_not_wait_for_the_answer_at_hand(run, calls):
    class Endless(FakeModel):
        def predict(self, items):
            yield from super().predict(islice(items, 2))
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(600)

    with pytest.raises(KeyboardInterrupt):
        evaluate(run, Endless(calls=calls), [FakeJudge()])

    assert read_status(run.folder)["state"] == "stopped"
    assert evaluate(run, FakeModel(calls=calls), [FakeJudge()]).state == "done"
    assert noted(calls) == IDS


def test_another_process_reads_the_status_and_sees_when_it_was_killed(run, calls):
    process = start(run.folder, FakeModel(delay=0.3, calls=calls), FakeJudge())
    wait_for(lambda: len(noted(calls)) >= 3)
    status = read_status(run.folder)
    assert (status["state"], status["total"], status["pid"]) == ("running", 12, process.pid)

    process.kill()
    process.join()

    assert read_status(run.folder)["state"] == "interrupted"


def test_judging_goes_on_while_the_next_answer_comes(run, calls):
    judged_before_the_end = []

    class Watching(FakeModel):
        def predict(self, items):
            for prediction in super().predict(items):
                judged_before_the_end.append(len(run.verdicts(EXACT)))
                yield prediction

    evaluate(run, Watching(delay=0.02), [FakeJudge()])

    assert judged_before_the_end[-1] >= 6
    assert judged_before_the_end == sorted(judged_before_the_end)


def test_verdicts_are_on_disk_while_the_model_thinks_about_the_next_answer(run, calls):
    slow = FakeModel(delay=0.5, calls=calls)
    worker = threading.Thread(target=evaluate, args=(run, slow, [FakeJudge(delay=0.05)]))
    worker.start()
    wait_for(lambda: len(noted(calls)) == 2)

    wait_for(lambda: len(run.verdicts(EXACT)) == 1, 0.4)

    (run.folder / "cancel").touch()
    worker.join()


def test_a_run_that_cannot_be_written_says_so_in_one_sentence(run):
    (run.folder / "predictions").write_text("a file in the folder's place")

    with pytest.raises(EvalcoreError, match=r"cannot write .*/predictions/.* \(File exists\)"):
        evaluate(run, FakeModel(), [FakeJudge()])

    assert read_status(run.folder)["state"] == "failed"


def test_who_watches_is_told_how_far_it_is(run):
    seen = []

    def watch(progress):
        seen.append(dataclasses.replace(progress))

    evaluate(run, FakeModel(delay=0.06), [FakeJudge()], watch=watch)

    assert [one.state for one in seen[:-1]] == ["running"] * (len(seen) - 1)
    assert len(seen) >= 2
    assert (seen[-1].state, seen[-1].answered) == ("done", 12)
