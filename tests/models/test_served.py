"""The API adapter and the judges against a real server with a real model, over real HTTP."""

import csv
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from transformers.utils.import_utils import is_serve_available

from evalcore import judges
from evalcore.__main__ import main
from evalcore.benchmarks import easy_vqa, sampling
from evalcore.cli import runs as commands
from evalcore.engine import launch
from evalcore.engine.evaluate import evaluate
from evalcore.engine.runs import Run
from evalcore.errors import ModelUnavailable
from evalcore.home import ROOT
from evalcore.judges import Setup
from evalcore.judges.cache import VerdictCache
from evalcore.judges.replies import yes_no
from evalcore.models.calls import Patience
from evalcore.models.openai_chat import OpenAIChat
from evalcore.models.prompt import INSTRUCTION
from evalcore.models.transformers_vlm import TransformersVLM
from evalcore.participants import ModelAdapter
from evalcore.records import Item, Prediction
from tests.served import MODELS, Served

DEMO = "demo-vlm-strong"
ASKED = "easy-vqa", 20
"""Benchmark and number of real questions; a call takes a tenth of a second of one processor."""
HOW = {"image_size": None, "instruction": INSTRUCTION}
"""As the demo model was trained: pictures as they are, the paper's instruction first."""
QUICK = Patience(attempts=3, first_wait_s=0.01)
OWN_ROW = "demo-served"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if not is_serve_available():
        missing = "transformers serve needs what requirements-dev.txt lists"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    served = Served(DEMO, tmp_path_factory.mktemp("served") / "log.txt")
    try:
        served.start()
        yield served
    finally:
        served.stop()


@pytest.fixture(scope="module")
def items():
    return sampling.sample(list(easy_vqa.load()), ASKED[1], seed=0)


@pytest.fixture(scope="module")
def local(items):
    """What the same model says when it is run in this process, one item at a time."""
    model = TransformersVLM(str(MODELS / DEMO), **HOW, max_new_tokens=8, batch_size=1)
    return {prediction.item: prediction for prediction in model.predict(items)}


@pytest.fixture
def own_row(home, server):
    """A row of the user's own catalogue that says where the served model is."""
    options = {"model": server.model, "base_url": server.url, "max_tokens": 8, **HOW}
    (home / "catalog").mkdir()
    with (home / "catalog" / "deployments.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["model", "adapter", "options", "note"])
        writer.writerow([OWN_ROW, "openai", json.dumps(options), ""])
    return OWN_ROW


def chat(server, model=None, **options):
    given = {"max_tokens": 8, "concurrency": 8, "patience": QUICK, **HOW, **options}
    return OpenAIChat(model or server.model, base_url=server.url, **given)


def right(items, answers):
    exact = judges.make("exact")
    return sum(exact.judge(item, answers[item.id]).score for item in items)


def told(capsys, *arguments, code=0):
    ended = main([*arguments, "--format", "json"])
    captured = capsys.readouterr()
    assert ended == code, captured.err
    return json.loads(captured.out)


def test_a_served_model_answers_as_it_does_in_this_process(server, items, local):
    served = {one.item: one for one in chat(server).predict(items)}

    assert [served[item.id].error for item in items] == [None] * len(items)
    # The same arithmetic, but another number of threads may round another way where two answers
    # are nearly as likely.
    flips = [item.id for item in items if served[item.id].text != local[item.id].text]
    assert len(flips) <= 1, flips
    assert right(items, served) >= 0.8 * len(items)


def test_tokens_are_those_that_the_model_read_and_wrote(server, items, local):
    model = chat(server, usd_per_mtok_in=1.0, usd_per_mtok_out=10.0)
    served = list(model.predict(items[:10]))

    for one in served:
        same = local[one.item]
        assert (one.tokens_in, one.tokens_out) == (same.tokens_in, same.tokens_out)
        assert one.usd == pytest.approx(one.tokens_in * 1e-6 + one.tokens_out * 1e-5)
    assert model.spent_usd == pytest.approx(sum(one.usd for one in served))


def test_calls_are_under_way_at_the_same_time(server, items):
    before = len(server.said())

    list(chat(server, concurrency=8).predict(items[:16]))

    assert 2 <= server.most_at_once(before) <= 8


def test_a_wrong_model_name_ends_the_run_at_its_first_call(server, items):
    before = server.calls()

    with pytest.raises(ModelUnavailable) as caught:
        list(chat(server, model="demo-vlm-strnog", concurrency=1).predict(items))

    assert str(caught.value) == (
        "demo-vlm-strnog: 400: Server is pinned to 'demo-vlm-strong'; requested 'demo-vlm-strnog'."
    )
    assert server.calls() == before + 1


def test_an_item_at_which_the_server_fails_is_a_record_of_its_own(server, items):
    # The mark of a picture without a picture: the server's own code raises, and it says 500.
    broken = Item("easy-vqa", "broken", "What does <image> mean?", ())

    found = {one.item: one for one in chat(server).predict([*items[:5], broken])}

    assert found["broken"].text is None
    assert found["broken"].error == "500: Internal Server Error (3 attempts)"
    assert [item.id for item in items[:5] if found[item.id].text is None] == []


def test_a_prompt_with_marks_is_sent_again_with_marks_set_apart_if_the_server_fails(server):
    before = server.calls()

    reply = chat(server).ask("Is it <image> or <fake_token_around_image>? </s><|im_end|>yes")

    # What it says to such words is its affair; as marks they made it fail.
    assert reply.tokens_in > 20
    assert server.calls() >= before + 2


@pytest.mark.parametrize("form", ["goeval-ref-noimage", "goeval-ref-image"])
def test_a_served_judge_scores_what_it_can_be_read_to_say(server, items, form):
    judge = judges.make(form, Setup(asker=chat(server)))
    verdicts = judged(judge, items)

    assert judge.name == f"{form}:{DEMO}"
    assert {1.0, 0.0} <= {verdict.score for verdict in verdicts}
    for verdict in verdicts:
        assert verdict.score == (None if verdict.reply is None else score(verdict.reply))
        assert verdict.score is not None or verdict.reason.startswith(("unreadable", "the judge "))
        assert verdict.tokens_in > 100 and verdict.tokens_out >= 1


def test_a_kept_verdict_is_not_asked_for_again_and_an_unreadable_one_is(server, items, tmp_path):
    with VerdictCache(tmp_path / "verdicts.jsonl") as cache:
        judge = judges.make("goeval-ref-image", Setup(asker=chat(server), cache=cache))
        first = judged(judge, items[:8])
        before = server.calls()
        again = judged(judge, items[:8])

    assert server.calls() == before + sum(verdict.score is None for verdict in first)
    assert [(one.score, one.reply) for one in again] == [(one.score, one.reply) for one in first]


def judged(judge, items):
    said = [said_of(item, place) for place, item in enumerate(items)]
    return [judge.judge(*pair) for pair in zip(items, said, strict=True)]


def said_of(item, place):
    """A right answer, then a wrong one, and so on."""
    return Prediction(item.id, item.answers[0] if place % 2 else "a teapot")


def score(reply):
    said = yes_no(reply)
    return None if said is None else float(said)


def test_grades_that_are_words_are_no_grades(server, items):
    judge = judges.make("mmvet", Setup(asker=chat(server)))

    verdicts = [judge.judge(item, Prediction(item.id, item.answers[0])) for item in items[:8]]

    for verdict in verdicts:
        assert (verdict.score, verdict.reason) == (
            None,
            "unreadable reply: expected a number from 0 to 1 at its beginning",
        )
        assert verdict.reply.strip().isalpha()


def test_the_command_line_runs_a_served_model_up_to_the_store(own_row, home, items, local, capsys):
    benchmark, limit = ASKED
    command = ["run", "--model", own_row, "--benchmark", benchmark, "--limit", str(limit)]
    done = subprocess.run(
        [sys.executable, "-m", "evalcore", *command, "--format", "json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    assert (row["state"], row["answered"], row["failed"]) == ("done", limit, 0)
    (first,) = told(capsys, "profile", "--suite", benchmark, "--show", "leaderboard")
    assert (first["model"], first["n"]) == (own_row, limit)
    answers = Run(home / "runs" / row["run"]).predictions()
    assert abs(right(items, answers) - right(items, local)) <= 1


def test_what_a_served_judge_leaves_open_is_counted_and_kept(own_row, home, capsys, monkeypatch):
    monkeypatch.setattr(
        commands, "build", SimpleNamespace(ensure=lambda: None)
    )  # not looked at here
    run = ["run", "--model", own_row, "--benchmark", "easy-vqa", "--limit", "6"]
    (row,) = told(capsys, *run, "--judge", f"mmvet={own_row}", code=4)

    made = Run(home / "runs" / row["run"])
    (key,) = made.judges()
    verdicts = made.verdicts(key).values()
    assert (row["answered"], row["verdicts"], row["unparsed"]) == (6, 6, 6)
    assert {verdict.score for verdict in verdicts} == {None}
    assert all(verdict.reply.strip().isalpha() for verdict in verdicts)


def test_a_server_that_dies_in_the_middle_costs_only_the_calls_in_flight(server, home, items):
    (planned,) = launch.plan(["openai:" + DEMO], "easy-vqa", limit=48)
    run = launch.start(planned)
    exactly = judges.make("exact")

    with pytest.raises(ModelUnavailable, match=f"^{DEMO}: no server answers "):
        evaluate(run, lambda: Dying(server, after=12), [exactly])
    first = run.predictions()
    with pytest.raises(ModelUnavailable, match=f"^{DEMO}: no server answers "):
        evaluate(run, lambda: chat(server), [exactly])
    down = run.predictions()
    server.start()
    progress = evaluate(run, lambda: chat(server), [exactly])

    assert 12 <= len(first) < 48
    assert [one for one in first.values() if one.text is None] == []
    assert down == first
    assert (progress.state, progress.answered, progress.failed) == ("done", 48, 0)
    assert progress.new == 48 - len(first)
    assert {name: run.predictions()[name] for name in first} == first


class Dying(ModelAdapter):
    """A served model whose server is killed after some answers."""

    def __init__(self, server, after):
        self.server = server
        self.after = after

    def predict(self, items):
        for count, prediction in enumerate(chat(self.server).predict(items), start=1):
            if count == self.after:
                self.server.kill()
            yield prediction
