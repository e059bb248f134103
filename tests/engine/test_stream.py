"""The stream is one: no pause between leases, rules beside it, and the device free at its end."""

import dataclasses
import threading
import time
import weakref
from collections import deque
from itertools import islice

import pytest

from evalcore import judges
from evalcore.engine import runs
from evalcore.engine.evaluate import CANCEL_EVERY_S, LEASE, evaluate
from evalcore.errors import SpendCapReached
from evalcore.participants import ModelAdapter
from evalcore.records import Prediction
from tests.fakes import SETTINGS, FakeJudge, FakeModel, items

EXACT = "exact-2-r0"
RULE = judges.make("exact")
MANY = 2 * LEASE + 100


class Concurrent(ModelAdapter):
    """As API models do it keeps so many items in flight; it notes how many, at each answer."""

    def __init__(self, in_flight=64):
        self.most = in_flight
        self.in_flight = []

    def predict(self, items):
        held = deque(islice(items, self.most))
        while held:
            self.in_flight.append(len(held))
            item = held.popleft()
            yield Prediction(item.id, item.id)
            held.extend(islice(items, 1))


@pytest.fixture
def run(home):
    return runs.create(SETTINGS, items(12), "cpu")


@pytest.fixture
def long_run(home):
    return runs.create(SETTINGS, items(MANY), "cpu")


def test_calls_in_flight_do_not_run_dry_between_leases(long_run):
    model = Concurrent()

    progress = evaluate(long_run, lambda: model, [RULE])

    assert (progress.state, progress.judged) == ("done", {EXACT: MANY})
    assert model.in_flight[:-63] == [64] * (MANY - 63)


def test_items_of_a_lease_are_leased_once(long_run):
    evaluate(long_run, Concurrent, [RULE])

    lines = [line for line in (long_run.folder / "claims.jsonl").read_text().splitlines()]
    assert sum(line.count('"q/') for line in lines) == MANY


def test_a_stop_is_heard_between_two_leases(long_run):
    class Stopping(Concurrent):
        def predict(self, items):
            for number, prediction in enumerate(super().predict(items)):
                if number == 10:
                    (long_run.folder / "cancel").touch()
                    time.sleep(2 * CANCEL_EVERY_S)  # the wish is looked for now and then
                yield prediction

    progress = evaluate(long_run, lambda: Stopping(), [RULE])

    assert progress.state == "stopped"
    assert 10 < progress.answered < MANY


def test_two_workers_of_one_run_share_its_items(long_run):
    gate, seen = threading.Barrier(2, timeout=20), {}

    class Meeting(FakeModel):
        def predict(self, items):
            gate.wait()
            for prediction in super().predict(items):
                seen.setdefault(threading.get_ident(), []).append(prediction.item)
                yield prediction

    workers = [
        threading.Thread(target=evaluate, args=(long_run, Meeting(), [RULE])) for _ in range(2)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    one, other = seen.values()
    assert sorted(one + other) == sorted(item.id for item in long_run.items())
    assert min(len(one), len(other)) >= 100
    assert evaluate(long_run, None, [RULE]).state == "done"


def test_what_was_in_flight_when_a_model_breaks_is_answered_once(long_run):
    class Breaking(Concurrent):
        broke = False

        def predict(self, items):
            for number, prediction in enumerate(super().predict(items)):
                if number == LEASE - 10 and not self.broke:
                    self.broke = True
                    raise RuntimeError("a device fell off")
                yield prediction

    model = Breaking()
    progress = evaluate(long_run, lambda: model, [RULE])

    assert (progress.state, progress.answered, progress.failed) == ("done", MANY, 0)
    lines = [path.read_text() for path in long_run.folder.glob("predictions/*.jsonl")]
    assert lines == []
    assert len(long_run.predictions()) == MANY


def test_a_rules_verdicts_are_there_for_every_answer_of_a_run_that_stops(run):
    model = FakeModel(raises=("q/6", SpendCapReached("2 dollars are spent")))

    with pytest.raises(SpendCapReached):
        evaluate(run, model, [RULE])

    assert list(run.verdicts(EXACT)) == list(run.predictions()) == [f"q/{n}" for n in range(6)]


def test_a_rules_verdicts_come_while_the_model_works(run):
    judged = []

    evaluate(
        run,
        FakeModel(delay=0.06),
        [RULE],
        watch=lambda progress: judged.append((progress.answered, progress.judged[EXACT])),
    )

    assert len(judged) >= 3
    assert all(verdicts == answers for answers, verdicts in judged[1:])


def test_a_rule_and_a_judge_that_is_asked_score_the_same_answers(run):
    progress = evaluate(run, FakeModel({"q/3": "no"}), [RULE, FakeJudge("asked")])

    assert progress.judged == {EXACT: 12, "asked-1-r0": 12}
    scores = [
        {item: verdict.score for item, verdict in run.verdicts(key).items()}
        for key in (EXACT, "asked-1-r0")
    ]
    assert scores[0] == scores[1]


@pytest.mark.parametrize("kept_alive", [False, True], ids=["plain", "in a circle"])
def test_the_model_is_gone_before_the_last_judgement(run, kept_alive):
    made = []

    def make():
        model = FakeModel()
        model.answers = {"circle": model} if kept_alive else {}
        made.append(weakref.ref(model))
        return model

    gone = threading.Event()

    class Patient(FakeJudge):
        def judge(self, item, prediction, repeat=0):
            while made[0]() is not None and not gone.wait(0.01):
                pass
            return super().judge(item, prediction, repeat)

    patience = threading.Timer(20, gone.set)
    patience.start()
    progress = evaluate(run, make, [Patient()])
    patience.cancel()

    assert (progress.state, gone.is_set()) == ("done", False)


def test_half_a_surrogate_pair_in_an_answer_is_sealed_as_a_question_mark(run):
    progress = evaluate(run, FakeModel({"q/3": "half \ud83d of it"}), [RULE])

    assert progress.state == "done"
    assert run.predictions()["q/3"].text == "half ? of it"
    assert run.verdicts(EXACT)["q/3"].score == 0.0


def test_what_is_sealed_is_what_the_lines_say(run, home):
    other = runs.create(dataclasses.replace(SETTINGS, seed=1), items(12), "cpu")
    told = {"q/1": "no", "q/2": "zwölf"}
    evaluate(run, FakeModel(told), [RULE, FakeJudge("asked")])

    evaluate(other, FakeModel(told, breaks_on=["q/9"]), [RULE, FakeJudge("asked")])

    assert run.sealed("predictions") and not other.sealed("predictions")
    for whole, lines in (
        (run.predictions(), other.predictions()),
        (run.verdicts(EXACT), other.verdicts(EXACT)),
        (run.verdicts("asked-1-r0"), other.verdicts("asked-1-r0")),
    ):
        assert {**whole, "q/9": None} == {**lines, "q/9": None}
