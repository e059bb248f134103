"""Fresh results from the command line, on a real model that ships with the project."""

import json
from types import SimpleNamespace

import pytest

from evalcore import home
from evalcore.__main__ import main
from evalcore.cli import runs as commands
from evalcore.engine import launch
from evalcore.errors import BadInput, UnknownName
from evalcore.store import build
from tests.fakes import png

DEMO = ["--model", "demo-vlm-weak", "--benchmark", "easy-vqa", "--limit", "24"]


@pytest.fixture(autouse=True)
def own_home(home, monkeypatch):
    # The store is built when it is looked at, not after each run: that takes longer than the runs.
    monkeypatch.setattr(commands, "build", SimpleNamespace(ensure=lambda: None))
    return home


def answer(capsys, *arguments):
    code = main([*arguments, "--format", "json"])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return json.loads(captured.out)


def refused(capsys, *arguments):
    assert main(list(arguments)) == 2
    return capsys.readouterr().err


def test_an_estimate_says_the_width_and_starts_nothing(capsys):
    (row,) = answer(capsys, "estimate", *DEMO)

    assert (row["questions"], row["pictures"], row["state"]) == (24, 24, "new")
    assert (row["judge_calls"], row["seconds"]) == (0, None)
    assert row["half_width"] == pytest.approx(1.959964 * (0.21 / 24) ** 0.5)
    assert not home.runs_folder().exists()


def test_a_run_ends_in_the_store_and_the_same_command_does_nothing_twice(capsys, monkeypatch):
    monkeypatch.setattr(commands, "build", build)
    (first,) = answer(capsys, "run", *DEMO)
    assert build.built_version(home.store_path()) == build.version()
    (again,) = answer(capsys, "run", *DEMO)
    board = answer(capsys, "profile", "--suite", "easy-vqa", "--show", "leaderboard")

    assert (first["state"], first["answered"], first["verdicts"]) == ("done", 24, 24)
    assert again["run"] == first["run"]
    assert [(row["model"], row["n"]) for row in board] == [("demo-vlm-weak", 24)]
    board = answer(capsys, "profile", "--suite", "demo", "--show", "leaderboard")
    won = answer(capsys, "profile", "--suite", "demo", "--show", "winners", "--correction", "bh")
    assert {row["how"] for row in (*board, *won)} == {"question by question"}


def test_a_blind_run_is_a_model_of_its_own(capsys):
    made = answer(capsys, "run", *DEMO, "--blind")

    assert [row["run"].split("--")[0] for row in made] == ["demo-vlm-weak", "demo-vlm-weak-blind"]


def test_the_table_says_what_is_unknown_and_where_the_rest_comes_from(capsys):
    assert main(["estimate", *DEMO, "--judge", "exact"]) == 0

    said = capsys.readouterr().out
    assert "- Model: no API cost: it runs on this machine.\n" in said
    assert (
        "- Time: unknown (on this machine not measured yet; a run of 20 questions tells).\n" in said
    )


def test_a_baseline_has_no_picture_to_withhold(capsys):
    made = answer(capsys, "run", "--model", "chance", *DEMO[2:], "--blind")

    assert [row["run"].split("--")[0] for row in made] == ["chance"]


def test_a_cap_is_kept_where_money_is_spent_and_no_matter_elsewhere(capsys):
    capped = answer(
        capsys, "estimate", *DEMO, "--model", "openai:small", "--max-usd", "2",
        "--option", "usd_per_mtok_in=1", "--option", "usd_per_mtok_out=2",
    )  # fmt: skip

    assert [row["model"] for row in capped] == ["demo-vlm-weak", "small"]
    assert capped[1]["usd_high"] > 0


def test_another_judge_costs_no_new_answers(capsys):
    (run,) = answer(capsys, "run", *DEMO)
    (judged,) = answer(capsys, "judge", run["run"], "--judge", "normalised")

    listed = [row for row in answer(capsys, "list", "runs") if row["id"].startswith(run["run"])]
    assert {row["judge"] for row in listed} == {"exact", "normalised"}
    # What the first judge said counts as before, and is told in the same words.
    assert (judged["answered"], judged["verdicts"]) == (24, 48)
    assert {row["verdicts"] for row in answer(capsys, "runs") if row["run"] == run["run"]} == {48}


def test_baselines_and_a_file_of_ones_own(capsys, tmp_path):
    questions = tmp_path / "mine.jsonl"
    (tmp_path / "a.png").write_bytes(png())
    row = {"image": "a.png", "question": "Red?", "answers": ["yes"], "tag:colour": "red"}
    lines = [json.dumps({"id": str(count), **row}) for count in range(5)]
    questions.write_text("\n".join(lines), encoding="utf-8")

    (made,) = answer(capsys, "run", "--model", "most-frequent", "--benchmark", str(questions))

    assert made["answered"] == 5
    cells = answer(capsys, "profile", "--suite", "mine")
    assert [(cell["tag"], cell["value"], cell["n"]) for cell in cells] == [("red", 1, 5)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--model", "x", "--benchmark", "easy-vqa"], "error: unknown model 'x'; known: "),
        (["run", "--model", "chance", "--benchmark", "nope"], "error: unknown benchmark 'nope'"),
        (["run", "--model", "chance", "--benchmark", "vqa360"], "error: benchmark 'vqa360' needs"),
        (["run", *DEMO, "--judge", "best"], "error: no judge is called 'best'"),
        (["run", *DEMO, "--judge", "goeval-ref-image"], "error: judge 'goeval-ref-image' asks"),
        (["run", *DEMO, "--option", "batch"], "error: --option: 'batch' should be NAME=VALUE"),
        (["run", *DEMO, "--option", "colour=1"], "error: adapter 'transformers' of "),
        (["run", *DEMO, "--benchmark-option", "a=1"], "error: benchmark 'easy-vqa': "),
        (["resume", "nothing"], "error: unknown run 'nothing'"),
        (["cancel", "nothing"], "error: unknown run 'nothing'"),
    ],
)
def test_a_mistake_is_said_before_anything_is_spent(capsys, arguments, message):
    assert refused(capsys, *arguments).startswith(message)


API = ["run", "--model", "openai:small@http://127.0.0.1:9/v1", *DEMO[2:]]
JUDGE = ["--judge", "goeval-ref-noimage=openai:judge@http://127.0.0.1:9/v1"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*API, "--option", "max_tokens=many"], "small: max_tokens is 'many', not a number"),
        ([*API, "--option", "concurrency=0"], "small: concurrency 0, max_tokens 2048 and"),
        ([*API, "--option", 'patience={"tries": 3}'], "small: patience {'tries': 3}: "),
        ([*API, "--max-usd", "1"], "small: a cap of $1 needs both prices; state usd_per_mtok_in"),
        ([*API, "--max-usd", "-1"], "spend cap: max_usd is -1.0, not a number of dollars from 0"),
        (["run", "--model", "openai:small", *DEMO[2:]], "small: the environment variable OPENAI"),
        (["run", *DEMO, *JUDGE, "--judge-option", "temperature=hot"], "judge 'goeval-ref-noimage'"),
        (["run", *DEMO, *JUDGE, "--max-usd", "1"], "judge 'goeval-ref-noimage:judge': judge: a c"),
        (["run", *DEMO, "--judge", "exact=gpt-4o-mini"], "judge 'exact' asks no model; name it "),
    ],
)
def test_what_cannot_be_called_is_said_before_there_is_a_run(
    capsys, monkeypatch, arguments, message
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    assert refused(capsys, *arguments).startswith(f"error: {message}")
    assert not home.runs_folder().exists()


def test_the_list_of_runs_says_what_went_wrong(capsys):
    assert main([*API, "--option", 'patience={"attempts": 1}']) == 2
    capsys.readouterr()

    (row,) = [row for row in answer(capsys, "runs") if row["run"].startswith("small--")]

    assert row["state"] == "failed"
    assert row["problem"].startswith("small: no server answers (no connection to 127.0.0.1:9")


def test_a_hub_name_is_left_as_it_is_and_a_folder_made_absolute(tmp_path):
    assert launch.benchmark_of("hf=owner/name")[1] == {"path": "owner/name"}
    assert launch.benchmark_of(f"vqa360={tmp_path}/.")[1] == {"path": str(tmp_path)}


def test_a_judge_cannot_ask_a_baseline():
    with pytest.raises((BadInput, UnknownName), match="cannot be asked"):
        launch.judges_of(["goeval-ref-noimage=chance"])


def test_a_file_of_answers_with_a_reference_is_asked_about_and_then_scored(tmp_path, capsys):
    rows = [
        {"id": f"q{n}", "question": f"{n}?", "answer": "A", "response": "A" if n < 3 else "B"}
        for n in range(8)
    ]
    asked = [{**row, "image": "", "answers": "A"} for row in rows]
    for row in asked:
        del row["answer"], row["response"]
    for name, lines in (("out", rows), ("asked", asked)):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"{name}.jsonl").write_text(text)
    words = ["run", "--model", f"answers:{tmp_path}/out.jsonl", "--judge", "exact"]
    words += ["--benchmark", f"{tmp_path}/asked.jsonl"]

    said = refused(capsys, *words)
    (run,) = answer(capsys, *words, "--option", "answer_column=response")

    assert "beside 'answer' there is 'response'" in said
    assert "--option answer_column=NAME" in said
    assert run["answered"] == 8
    build.ensure()
    (total,) = [
        row for row in answer(capsys, "scores", "--benchmark", "asked") if row["tag"] == "total"
    ]
    assert (total["value"], total["n"]) == (3 / 8, 8)
