"""Whatever happens to run folders, every command and page works, and no other run is lost.

Cases are drawn; EVALCORE_FUZZ=20 takes twenty times as many.
"""

import contextlib
import json
import random
import shutil

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.__main__ import main
from evalcore.engine import budget, launch, progress, run_status, runs
from evalcore.engine.run_status import totals
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError
from evalcore.home import ROOT
from evalcore.store import build, queries
from tests.fakes import question_file
from tests.fuzz import TIMES
from tests.old_runs import written

CASES = 200 * TIMES
HOMES = 2
OTHER = [None, True, -1, 0.5, 2**70, float("nan"), "", "x", [], [1], {}, {"a": None}]
EVERY_RUN = [
    ["build"],
    ["list", "runs"],
    ["list", "models"],
    ["scores", "--suite", "openclip"],
    ["runs"],
    ["doctor", "--runs"],
    ["cache"],
    ["recommend", "--suite", "openclip"],
]


@pytest.fixture(scope="module")
def templates(tmp_path_factory):
    """Folders to copy and damage: whole and open, with and without a ledger, contrastive; a file
    of the questions that they ask."""
    folder = tmp_path_factory.mktemp("templates")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder))
        questions = question_file(folder, 5)
        (plan,) = launch.plan(["most-frequent"], questions)
        whole = launch.start(plan)
        whole.remember_judges(["exact"], 1)
        launch.carry_out(whole, launch.judges_of(["exact"]))
        part = shutil.copytree(whole.folder, folder / "open")
        for path in part.rglob("*.parquet"):
            path.unlink()
        (part / "status.json").unlink()
        half = Run(part)
        for key, held in (("predictions", whole.predictions()), *(
            (f"verdicts/{key}", whole.verdicts(key)) for key in whole.judges()
        )):  # fmt: skip
            writer = half.writer(key)
            writer.append(*list(held.values())[:3])
            writer.close()
        old = []
        for one in (whole.folder, part):
            copy = shutil.copytree(one, folder / f"old-{one.name}")
            (copy / "ledger.jsonl").unlink()
            about = json.loads((copy / "run.json").read_text())
            (copy / "run.json").write_text(json.dumps({**about, "layout": 1}))
            old.append(copy)
        return [whole.folder, part, *old, written("contrastive", scores={})], questions


def damage(folder, drawn):
    """Do one thing to one file of a folder; says what."""
    path = drawn.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
    data = path.read_bytes()
    how = drawn.choice(["cut", "flip", "delete", "empty", "other", "other", "folder", "junk"])
    if how == "cut":
        path.write_bytes(data[: drawn.randrange(len(data) + 1)])
    elif how == "flip" and data:
        flipped = bytearray(data)
        for _ in range(drawn.randint(1, 3)):
            flipped[drawn.randrange(len(data))] ^= 1 << drawn.randrange(8)
        path.write_bytes(bytes(flipped))
    elif how in ("delete", "folder"):
        path.unlink()
        if how == "folder":
            path.mkdir()
    elif how == "other":
        path.write_bytes(otherwise(data, drawn))
    else:
        path.write_bytes(b"" if how == "empty" else drawn.randbytes(200))
    return f"{how} {path.relative_to(folder)}"


def otherwise(data, drawn):
    """JSON, or one of its lines, with one value of another type; without a checksum to tell."""
    for whole in (data, *data.splitlines()):
        try:
            told = json.loads(whole)
        except ValueError:
            continue
        if whole is not data and drawn.random() < 0.5:
            continue
        if isinstance(told, dict) and told:
            told.pop("crc", None)
            inside = told.get("settings", told) if drawn.random() < 0.5 else told
            if isinstance(inside, dict) and inside:
                inside[drawn.choice(sorted(inside))] = drawn.choice(OTHER)
        else:
            told = drawn.choice(OTHER)
        return data.replace(whole, json.dumps(told).encode())
    return data[::-1]


def ran(arguments):
    """The exit code of a command; what it raises fails the test."""
    code = main(arguments)
    assert code in (0, 2, 3, 4), arguments
    return code


def ask_every_run():
    """Ask of each run what pages ask; an error has words."""
    for run in runs.own():
        assert run_status.look(run).run == run.id
        for ask in (totals, budget.spent_usd, progress.state, Run.judge_specs, Run.judge_setup):
            with contextlib.suppress(EvalcoreError):
                ask(run)


@pytest.mark.parametrize("number", range(HOMES))
def test_every_command_and_page_survives(home, store, templates, monkeypatch, capsys, number):
    drawn, (laid, questions) = random.Random(number), templates
    shutil.copytree(laid[0], home / "runs" / "good")
    done = {}
    for at in range(CASES // HOMES):
        folder = shutil.copytree(drawn.choice(laid), home / "runs" / f"m--b--{number}{at:04d}")
        done[folder.name] = damage(folder, drawn)

    for arguments in EVERY_RUN:
        assert ran(arguments) == 0, (capsys.readouterr().err, done)
    ran(["estimate", "--model", "most-frequent", "--benchmark", questions])
    assert "good" in set(queries.item_runs(build.ensure())["run"])
    for page in ("runs", "samples", "overview"):
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
        assert not at.switch_page(f"pages/{page}.py").run().exception, done

    with monkeypatch.context() as patch:  # one build at the end is enough
        patch.setattr(build, "ensure", lambda: None)
        for name in done:
            for command in (["cancel"], ["resume"], ["judge", "--judge", "normalised"]):
                ran([command[0], name, *command[1:]])
    ask_every_run()
    assert ran(["build"]) == 0
    assert "good" in set(queries.item_runs(build.ensure())["run"])
