"""Answers and verdicts that ended at their limit of tokens, from the server to the store."""

import json

import pytest

from evalcore.__main__ import main
from evalcore.engine import launch, runs
from evalcore.engine.run_status import look
from evalcore.engine.runs import Run
from evalcore.store import build, queries
from pages.parts.runs import details
from tests.fakes import question_file
from tests.models.fake_api import Answer, serving

CUT = "cut off at the limit of tokens (max_tokens, max_new_tokens)"


def script(call, turn):
    """Half a red to the first question; every verdict is cut off but those after the second."""
    asked = str(call.body)
    judging = "andidate" in asked
    cut = ("Colour 1?" in asked or "Colour 2?" in asked) if judging else "Colour 0?" in asked
    said = "Yes, because" if judging else "red"
    choice = {"message": {"content": said}, "finish_reason": "length" if cut else "stop"}
    return Answer({"choices": [choice], "usage": {"prompt_tokens": 5, "completion_tokens": 2}})


@pytest.fixture
def ran(tmp_path, home):
    """A run of four questions: one answer is cut off, and the replies to two others."""
    with serving(script) as api:
        (plan,) = launch.plan([f"openai:small@{api.url}/v1"], question_file(tmp_path, 4))
        run = launch.start(plan)
        judge = f"goeval-ref-noimage=openai:judge@{api.url}/v1"
        launch.carry_out(run, launch.judges_of([judge]))
        yield run


def test_a_cut_off_answer_is_kept_counted_and_marked(ran):
    answers = Run(ran.folder).predictions()
    now = look(ran)

    assert [answers[f"q{at}"].ended for at in range(4)] == ["cut off", *["finished"] * 3]
    assert (now.answered, now.failed, now.cut_off) == (4, 0, 1)
    assert "1 cut off at their limit of tokens" in details.progress_text(now)


def test_a_cut_off_reply_of_a_judge_is_no_verdict_whatever_it_begins_with(ran):
    (key,) = ran.judges()
    found = ran.verdicts(key)

    assert [found[f"q{at}"].score for at in range(4)] == [1.0, None, None, 1.0]
    assert [found[f"q{at}"].ended for at in (0, 1)] == ["finished", "cut off"]
    assert found["q1"].reply == "Yes, because"
    assert found["q1"].reason == (
        "the judge's reply was cut off at its limit of tokens (raise max_tokens)"
    )


def test_the_store_keeps_why_each_answer_ended_and_the_score_says_how_many_were_cut_off(ran):
    path = build.ensure()
    told = queries.predictions(path, "mine").set_index("item")["ended"]
    notes = queries.scores(path, "mine")["note"]
    (note,) = set(notes)

    assert list(told.sort_index()) == ["cut off", "finished", "finished", "finished"]
    assert note.startswith("answers cut off at their limit of tokens: 1; 2 of 4 scored")


def test_the_command_line_counts_what_was_cut_off(ran, capsys):
    main(["runs", "--format", "json"])
    listed = {row["run"]: row["cut_off"] for row in json.loads(capsys.readouterr().out)}
    main(["judge", ran.id, "--judge", "exact"])

    assert listed[ran.id] == 1
    assert f"1 answer {CUT}" in capsys.readouterr().err


def test_a_run_of_an_earlier_version_has_none_that_are_known(home):
    assert {look(run).cut_off for run in runs.every()} == {0}
