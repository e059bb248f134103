"""Runs that go on: with their own judges, more repeats, another cap, what failed, in a queue."""

import csv
import dataclasses
import json
import os
import time
from types import SimpleNamespace

import pytest

from evalcore.__main__ import main
from evalcore.cli import runs as commands
from evalcore.engine import launch, progress, runs
from evalcore.engine.runs import Run
from evalcore.records import Deployment, Model
from tests.fakes import png
from tests.models.fake_api import Answer, serving

QUESTIONS = 6


@pytest.fixture(autouse=True)
def own_home(home, monkeypatch):
    # The store is built when it is looked at, not after each run: that takes longer than the runs.
    monkeypatch.setattr(commands, "build", SimpleNamespace(ensure=lambda: None))
    return home


@pytest.fixture
def api():
    """A server behind both the model and the judge; the judge's prompt names candidate answers."""

    def script(call, turn):
        content = json.dumps(call.body["messages"])
        judged = "andidate" in content
        text = "Yes" if judged else "red"
        usage = {"prompt_tokens": 100 if judged else 50, "completion_tokens": 1}
        return Answer({"choices": [{"message": {"content": text}}], "usage": usage})

    with serving(script) as running:
        yield running


@pytest.fixture
def questions(tmp_path, home, api):
    """A file of questions, and one model and one judge in one's own catalogue."""
    (tmp_path / "a.png").write_bytes(png())
    rows = [
        {"id": f"q{n}", "image": "a.png", "question": f"Colour {n}?", "answers": ["red"]}
        for n in range(QUESTIONS)
    ]
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (home / "catalog").mkdir()
    prices = {"usd_per_mtok_in": 1, "usd_per_mtok_out": 1}
    for table, record in (("deployments", Deployment), ("models", Model)):
        with (home / "catalog" / f"{table}.csv").open("w", encoding="utf-8", newline="") as opened:
            writer = csv.DictWriter(opened, [one.name for one in dataclasses.fields(record)])
            writer.writeheader()
            for name in ("small", "judge-1"):
                options = {"model": name, "base_url": f"{api.url}/v1", "image_size": None, **prices}
                known = {"model": name, "adapter": "openai", "options": json.dumps(options)}
                about = {"id": name, "name": name, "kind": "generative", "source": "vqa360"}
                writer.writerow(known if record is Deployment else about)
    return str(file)


def answer(capsys, *arguments, code=0):
    ended = main([*arguments, "--format", "json"])
    captured = capsys.readouterr()
    assert ended == code, captured.err
    return json.loads(captured.out)


def asked(api):
    """How many questions the model and the judge were asked."""
    judged = sum("andidate" in json.dumps(call.body) for call in api.calls)
    return len(api.calls) - judged, judged


def only_run():
    (run,) = runs.own()
    return run


JUDGED = ["--judge", "goeval-ref-noimage=judge-1"]


def test_a_run_goes_on_with_the_judges_it_began_with(capsys, questions, api):
    (made,) = answer(capsys, "run", "--model", "small", "--benchmark", questions, *JUDGED)
    for path in (only_run().folder / "verdicts").glob("*"):
        path.unlink()

    answer(capsys, "resume", made["run"])

    (key,) = only_run().judges()
    assert key.startswith("goeval-ref-noimage-judge-1")
    assert asked(api)[0] == QUESTIONS


def test_repeats_can_be_added_later_and_pay_only_for_what_is_new(capsys, questions, api):
    (made,) = answer(capsys, "run", "--model", "small", "--benchmark", questions, *JUDGED)
    assert asked(api) == (QUESTIONS, QUESTIONS)

    answer(capsys, "judge", made["run"], "--repeats", "3")

    assert asked(api) == (QUESTIONS, 3 * QUESTIONS)
    assert len(only_run().judges()) == 3
    assert only_run().judge_specs() == (["goeval-ref-noimage=judge-1"], 3)


def test_a_judge_that_is_added_later_is_gone_on_with(capsys, questions):
    (made,) = answer(capsys, "run", "--model", "small", "--benchmark", questions, *JUDGED)

    answer(capsys, "judge", made["run"], "--judge", "exact")
    assert main(["resume", made["run"]]) == 0

    assert only_run().judge_specs()[0] == ["goeval-ref-noimage=judge-1", "exact"]
    assert len(only_run().judges()) == 2


def test_judging_asks_no_model(capsys, questions, api):
    (plan,) = launch.plan(["small"], questions)
    launch.start(plan)

    (row,) = answer(capsys, "judge", "--judge", "exact", plan.settings.id, code=3)

    assert asked(api) == (0, 0)
    assert (row["state"], row["answered"]) == ("stopped", 0)


def test_a_cap_stops_the_run_and_a_higher_one_goes_on(capsys, questions, api):
    run = ["run", "--model", "small", "--benchmark", questions, "--judge", "exact"]
    code = main([*run, "--max-usd", "0.000001", "--option", "max_tokens=5"])
    assert (code, "of the cap of $1e-06 is spent" in capsys.readouterr().err) == (3, True)
    assert asked(api) == (0, 0)

    (row,) = answer(capsys, "resume", only_run().id, "--max-usd", "5")

    assert (row["state"], row["answered"]) == ("done", QUESTIONS)
    assert row["usd"] == pytest.approx(QUESTIONS * 51 / 1e6)


def test_judging_keeps_to_a_cap_too_and_a_higher_one_goes_on(capsys, questions, api):
    (made,) = answer(capsys, "run", "--model", "most-frequent", "--benchmark", questions)
    again = ["judge", made["run"], *JUDGED, "--judge-option", "max_tokens=50", "--max-usd"]

    assert main([*again, "0.0000001"]) == 3
    err = capsys.readouterr().err
    assert "0 of 6 verdicts on them given; 'resume' with a higher --max-usd does the rest" in err
    assert asked(api) == (0, 0)

    (row,) = answer(capsys, *again, "1")
    assert (row["state"], asked(api)) == ("done", (0, QUESTIONS))
    assert row["usd"] == pytest.approx(QUESTIONS * 101 / 1e6)


def test_the_price_of_a_judge_of_ones_own_is_stated_and_remembered(capsys, questions, api):
    judge = f"goeval-ref-noimage=openai:judge-2@{api.url}/v1"
    run = ["run", "--model", "most-frequent", "--benchmark", questions, "--judge", judge]
    assert main([*run, "--max-usd", "1"]) == 2
    assert "a cap of $1 needs both prices; state usd_per_mtok_in" in capsys.readouterr().err

    priced = ["--judge-option", "usd_per_mtok_in=1", "--judge-option", "usd_per_mtok_out=1"]
    (row,) = answer(capsys, *run, *priced, "--max-usd", "1")
    answer(capsys, "resume", row["run"])

    assert row["usd"] == pytest.approx(QUESTIONS * 101 / 1e6)
    assert only_run().judge_setup() == {"options": {"usd_per_mtok_in": 1, "usd_per_mtok_out": 1}}


def test_an_option_that_a_judges_model_has_not_is_refused(capsys, questions):
    run = ["run", "--model", "chance", "--benchmark", questions, *JUDGED]

    assert main([*run, "--judge-option", "colour=1"]) == 2
    assert "judge 'goeval-ref-noimage': 'judge-1' has no option 'colour'" in capsys.readouterr().err


def test_another_answer_deciding_option_is_no_way_to_go_on(capsys, questions):
    (made,) = answer(capsys, "run", "--model", "small", "--benchmark", questions)

    assert main(["resume", made["run"], "--option", "max_tokens=5"]) == 2
    assert "another value of it is another run, which 'run' starts" in capsys.readouterr().err


def test_what_failed_is_asked_again_only_when_that_is_wished(capsys, home, questions, api):
    api.script = lambda call, turn: Answer({"error": {"message": "too long"}}, status=400)
    healthy = Answer({"choices": [{"message": {"content": "red"}}], "usage": {}})
    first = ["run", "--model", "small", "--benchmark", questions, "--judge", "exact"]
    turns = {}

    def script(call, turn):
        name = json.dumps(call.body["messages"])
        turns[name] = turns.get(name, 0) + 1
        bad = "Colour 3" in name and turns[name] == 1
        return Answer({"error": {"message": "too long"}}, status=400) if bad else healthy

    api.script = script
    (made,) = answer(capsys, *first, code=4)
    assert (made["state"], made["failed"]) == ("partly failed", 1)
    assert made["error_rate"] == pytest.approx(1 / QUESTIONS)

    (same,) = answer(capsys, "resume", made["run"], code=4)
    assert same["failed"] == 1

    (whole,) = answer(capsys, "resume", made["run"], "--retry-failed")
    assert (whole["state"], whole["failed"], len(api.calls)) == ("done", 0, QUESTIONS + 1)


def test_another_process_carries_a_detached_run_out(capsys, questions):
    (row,) = answer(capsys, "run", "--model", "most-frequent", "--benchmark", questions, "--detach")
    run = Run(runs.home.runs_folder() / row["run"])

    # The log's last line follows the status.
    wait_for(lambda: "ends: done" in progress.run_log(run, 10))

    assert progress.state(run) == "done"
    assert len(run.predictions()) == QUESTIONS
    assert run.judges() == ["normalised-2-r0"]
    assert row["process"] != os.getpid()


def test_a_run_that_is_stopped_while_it_waits_does_not_begin(capsys, questions, api):
    made = [launch.start(plan) for plan in launch.plan(["small", "judge-1"], questions)]
    progress.queue(made)
    assert {progress.state(run) for run in made} == {"waiting"}

    progress.cancel(made[1])
    ended = [launch.carry_out(run, launch.judges_of(["exact"])) for run in made]

    assert [one.state for one in ended] == ["done", "stopped"]
    assert asked(api) == (QUESTIONS, 0)


def test_the_next_run_does_not_wait_for_one_that_cannot_go_on(capsys, questions, api):
    api.script = lambda call, turn: (
        Answer({"error": {"message": "no such key"}}, status=401)
        if call.body["model"] == "small"
        else Answer({"choices": [{"message": {"content": "red"}}], "usage": {}})
    )
    code = main(["run", "--model", "small", "--model", "judge-1", "--benchmark", questions])

    assert "no such key" in capsys.readouterr().err
    states = {run.settings.model: progress.state(run) for run in runs.own()}
    assert (code, states) == (2, {"small": "failed", "judge-1": "done"})


def test_the_exit_code_is_that_of_the_run_that_lacks_most(capsys, questions, api):
    def script(call, turn):
        judged = "andidate" in json.dumps(call.body)
        text = "perhaps" if judged else "red"
        return Answer({"choices": [{"message": {"content": text}}], "usage": {}})

    api.script = script
    run = ["run", "--model", "most-frequent", "--model", "small", "--benchmark", questions]

    assert main([*run, "--judge", "exact"]) == 0
    assert capsys.readouterr().err == ""
    assert main([*run, *JUDGED]) == 4
    assert f"{QUESTIONS} verdicts have no score\n" in capsys.readouterr().err

    progress.cancel(launch.existing_run(launch.plan(["small"], questions)[0].settings))
    codes = [main(["judge", one.id, "--judge", "anls"]) for one in runs.own()]
    assert codes == [0, 0]  # who gives a command takes earlier wishes back


def test_a_run_that_is_stopped_says_so_with_its_exit_code(capsys, questions, api):
    def script(call, turn):
        if turn == 1:
            assert main(["cancel", only_run().id]) == 0
        said = {"choices": [{"message": {"content": "red"}}], "usage": {}}
        return Answer(said, delay_s=1.0 if turn > 1 else 0.0)  # so that the wish is heard meanwhile

    api.script = script
    slow = ["--option", "concurrency=1", "--judge", "exact"]

    assert main(["run", "--model", "small", "--benchmark", questions, *slow]) == 3
    said = capsys.readouterr()
    assert f"{only_run().id}: stopped; 'python -m evalcore resume" in said.err
    assert "calls under way are waited for, unless you ask again" in said.out
    assert len(only_run().predictions()) == len(api.calls) < QUESTIONS

    api.script = lambda call, turn: Answer(
        {"choices": [{"message": {"content": "red"}}], "usage": {}}
    )
    (row,) = answer(capsys, "resume", only_run().id)
    assert (row["state"], len(api.calls)) == ("done", QUESTIONS)


def test_a_process_that_died_leaves_no_run_waiting(questions):
    (plan,) = launch.plan(["most-frequent"], questions)
    run = launch.start(plan)
    assert progress.state(run) == "not begun"

    progress.enqueue(run, progress.STARTING, pid=2**22 - 1)

    assert progress.state(run) == "interrupted"


def test_what_is_not_worked_on_cannot_be_stopped(capsys, questions):
    (made,) = answer(capsys, "run", "--model", "most-frequent", "--benchmark", questions)

    assert main(["cancel", made["run"]]) == 0
    assert capsys.readouterr().out == f"{made['run']}: nothing works on it (done)\n"


def test_answers_from_a_file_are_judged_and_stored_like_a_runs(capsys, questions, tmp_path, api):
    file = tmp_path / "their-model.json"
    file.write_text(json.dumps({"q0": "red", "q1": "blue", "q2": ""}), "utf-8")

    (made,) = answer(capsys, "run", "--model", f"answers:{file}", "--benchmark", questions, code=4)
    (board,) = answer(capsys, "profile", "--suite", "mine", "--show", "leaderboard")

    assert (made["state"], made["answered"], made["failed"]) == ("partly failed", QUESTIONS, 4)
    assert (board["model"], board["score"], board["n"]) == ("their-model", 0.5, 2)
    assert asked(api) == (0, 0)


def test_answers_to_other_questions_are_refused_before_a_run_is_made(capsys, questions, tmp_path):
    file = tmp_path / "theirs.json"
    file.write_text(json.dumps({"q0": "red", "x": "blue"}), "utf-8")

    code = main(["run", "--model", f"answers:{file}", "--benchmark", questions])

    assert code == 2
    assert "1 of 2 answers belong to no item of the benchmark: 'x'" in capsys.readouterr().err
    assert runs.own() == []


@pytest.mark.parametrize(
    ("model", "empty"),
    [
        ("claude-3-5-sonnet-20240620", 0),
        ("gemini-1.5-pro", 10),
        ("gpt-4o-2024-05-13_detail-high", 0),
    ],
)
def test_the_published_answers_to_mm_vet_are_a_run(capsys, shared, tmp_path, model, empty):
    entry = {"question": "Q?<IMG>a.png", "answer": "-1<AND>-5", "capability": ["ocr", "math"]}
    file = tmp_path / "mm-vet-v2.json"
    file.write_text(json.dumps({f"v2_{number}": entry for number in range(517)}), "utf-8")
    answers = shared / "data" / "mmvet2" / f"{model}.json"

    (made,) = answer(
        capsys, "run", "--model", f"answers:{answers}", "--benchmark", f"mm-vet-v2={file}",
        "--benchmark-option", "allow_missing_images=true", "--judge", "exact",
        code=4 if empty else 0,
    )  # fmt: skip

    assert (made["answered"], made["failed"], made["verdicts"]) == (517, empty, 517 - empty)
    assert made["run"].startswith(f"{runs.slug(model)}--mm-vet-v2--")


def wait_for(happened, seconds=60):
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)
