"""A run that is stopped keeps what it pays for, and a run that goes on pays nothing twice."""

import json
import signal
import subprocess
import sys
import threading
import time

import pytest

from evalcore.engine import budget, launch, progress, runs
from evalcore.engine.progress import read_status
from evalcore.engine.runs import Run
from evalcore.home import ROOT
from evalcore.models.cancellation import Cancellation
from tests.fakes import question_file
from tests.models.fake_api import Answer, serving

QUESTIONS = 24
AT_ONCE = 4
PRICES = {"usd_per_mtok_in": 0.0, "usd_per_mtok_out": 1_000_000.0}
"""A dollar for each token that comes out."""


class Server:
    """Answers that wait at a gate once so many calls have come."""

    def __init__(self, free, hold):
        self.free, self.hold = free, hold
        self.gate = threading.Event()

    def __call__(self, call, turn):
        judged = is_verdict(call)
        if judged == (self.hold == "verdicts") and turn >= self.free:
            self.gate.wait(30)
        choice = {"message": {"content": "Yes" if judged else "red"}, "finish_reason": "stop"}
        return Answer(
            {"choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 1}},
        )


def is_verdict(call):
    return "andidate" in json.dumps(call.body)


def asked(api):
    judged = sum(map(is_verdict, api.calls))
    return len(api.calls) - judged, judged


@pytest.fixture
def held():
    return Server(AT_ONCE, "answers")


@pytest.fixture
def api(held):
    with serving(held) as running:
        yield running
        held.gate.set()


@pytest.fixture
def questions(tmp_path, home):
    return question_file(tmp_path, QUESTIONS)


def made(questions, api):
    options = {**PRICES, "max_tokens": 4, "concurrency": AT_ONCE}
    (plan,) = launch.plan([f"openai:small@{api.url}/v1"], questions, options=options)
    return launch.start(plan)


def judges(api):
    options = {**PRICES, "max_tokens": 4, "concurrency": AT_ONCE}
    return launch.judges_of([f"goeval-ref-noimage=openai:judge@{api.url}/v1"], options=options)


def wait_for(happened, seconds=60):
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def heard(monkeypatch):
    """Set once a run has heard of a wish to stop."""
    event, look = threading.Event(), Cancellation.look

    def telling(stop):
        found = look(stop)
        if found:
            event.set()
        return found

    monkeypatch.setattr(Cancellation, "look", telling)
    return event


def stopped(run, judging, held, api, heard, under_way, wishes=1):
    """Carry a run out and stop it when calls are at the gate; the gate opens once that is heard."""

    def wish():
        wait_for(lambda: under_way(api))
        for _ in range(wishes):
            progress.cancel(run)
        heard.wait(30)
        time.sleep(0.3)
        held.gate.set()

    aside = threading.Thread(target=wish)
    aside.start()
    ended = launch.carry_out(run, judging)
    still_held = not held.gate.is_set()
    aside.join()
    return ended, still_held


def test_answers_under_way_at_a_stop_are_kept_and_none_is_asked_twice(questions, api, held, heard):
    run, rule = made(questions, api), launch.judges_of(["exact"])

    ended, _ = stopped(run, rule, held, api, heard, lambda api: len(api.calls) >= 2 * AT_ONCE)
    first = len(api.calls)
    progress.queue([run])
    whole = launch.carry_out(Run(run.folder), rule)

    assert (ended.state, ended.answered) == ("stopped", first)
    assert AT_ONCE < first < QUESTIONS
    assert list(ended.judged.values()) == [first]  # a rule costs nothing
    assert (whole.state, len(api.calls)) == ("done", QUESTIONS)
    assert budget.spent_usd(run) == QUESTIONS


def test_verdicts_under_way_at_a_stop_are_kept_and_no_other_begins(questions, api, held, heard):
    held.hold, held.free = "verdicts", 0
    run = made(questions, api)

    ended, _ = stopped(run, judges(api), held, api, heard, lambda api: asked(api)[1] >= AT_ONCE)
    answers, verdicts = asked(api)
    progress.queue([run])
    whole = launch.carry_out(Run(run.folder), judges(api))

    assert (ended.state, ended.answered) == ("stopped", answers)
    assert (verdicts, list(ended.judged.values())) == (AT_ONCE, [AT_ONCE])
    assert (whole.state, asked(api)) == ("done", (QUESTIONS, QUESTIONS))
    assert budget.spent_usd(run) == 2 * QUESTIONS


def test_a_second_stop_waits_for_nothing_and_what_was_under_way_counts_as_paid(
    questions, api, held, heard
):
    run = made(questions, api)

    ended, at_once = stopped(
        run, [], held, api, heard, lambda api: len(api.calls) >= 2 * AT_ONCE, wishes=2
    )

    assert (ended.state, at_once) == ("stopped", True)
    assert ended.answered <= len(api.calls) - AT_ONCE


@pytest.mark.parametrize("signals", [1, 2])
def test_ctrl_c_keeps_what_is_under_way_and_a_second_one_ends_at_once(
    questions, api, held, signals
):
    run = made(questions, api)
    command = ["resume", run.id, "--judge", "exact"]
    process = subprocess.Popen(
        [sys.executable, "-m", "evalcore", *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: len(api.calls) >= 2 * AT_ONCE)

    for _ in range(signals):
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    if signals == 1:
        held.gate.set()
    _, said = process.communicate(timeout=60)

    assert process.returncode == 130, said
    assert held.gate.is_set() == (signals == 1)
    assert f"{run.id}: stopped; 'python -m evalcore resume {run.id}' goes on\n" in said
    status = read_status(run.folder)
    assert (status["state"], status["signal"]) == ("stopped", signal.SIGINT)
    answers = len(Run(run.folder).predictions())
    assert answers == len(api.calls) if signals == 1 else answers <= len(api.calls) - AT_ONCE
    assert budget.spent_usd(run) >= answers
    assert runs.own()[0].id == run.id
