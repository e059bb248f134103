"""MM-Vet's tables of a graded run: the command, and the same run on the pages of suites."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from evalcore.__main__ import main
from evalcore.analysis import profiles
from evalcore.benchmarks import mmvet2
from evalcore.engine import evaluate, runs
from evalcore.engine.runs import Settings
from evalcore.home import ROOT
from evalcore.models.answers import Answers
from evalcore.records import Item, Prediction, Verdict
from evalcore.store import build
from evalcore.suites import suite
from tests.fakes import FakeJudge

NEEDS = (["ocr", "math"], ["rec"], ["ocr"], ["rec", "gen", "know"])
NUMBER = 40


@dataclass
class Grader(FakeJudge):
    """Grades by the length of an answer, a little otherwise at each repeat."""

    name: str = "mmvet-fake:none"

    def judge(self, item: Item, prediction: Prediction, repeat: int = 0) -> Verdict:
        """Give a tenth from 0 to 1."""
        grade = (len(prediction.text or "") + repeat) % 11 / 10
        return Verdict(item.id, self.name, "1", repeat, grade, reason="length")


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Published answers of one model to questions made up for them, graded three times."""
    answers = ROOT.parent / "shared" / "data" / "mmvet2" / "gemini-1.5-pro.json"
    if not answers.is_file():
        pytest.skip("the published answers are not beside the project")
    folder = tmp_path_factory.mktemp("mmvet")
    said = json.loads(answers.read_text("utf-8"))
    ids = [name for name, text in said.items() if text][:NUMBER]
    asked = {
        name: {"question": "What?<IMG>x.png", "answer": "x", "capability": NEEDS[at % len(NEEDS)]}
        for at, name in enumerate(ids)
    }
    file = folder / "mm-vet-v2.json"
    file.write_text(json.dumps(asked), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder / "home"))
        items = list(mmvet2.load(file, allow_missing_images=True))
        settings = Settings("gemini-1.5-pro", "answers", "mm-vet-v2", "mm-vet-v2")
        made = runs.create(settings, items, "here")
        evaluate.evaluate(made, lambda: Answers(str(answers)), [Grader()], repeats=3)
        build.build()
    grades = np.array([[(len(said[name]) + turn) % 11 / 10 for turn in range(3)] for name in ids])
    return folder / "home", made.id, file, grades


@pytest.fixture
def printed(graded, monkeypatch, capsys):
    """Run the command and read its JSON."""
    monkeypatch.setenv("EVALCORE_HOME", str(graded[0]))

    def run(*arguments):
        status = main(["mmvet", *map(str, arguments), "--format", "json"])
        told = capsys.readouterr()
        return json.loads(told.out) if status == 0 else told.err

    return run


def test_grades_stand_by_capability_by_exact_set_and_in_total(printed, graded):
    rows = {(row["axis"], row["tag"]): row for row in printed(graded[1].rpartition("--")[2])}
    grades = graded[3]

    total = rows["total", "total"]
    assert (total["n"], total["repeats"], total["metric"]) == (NUMBER, 3, "mmvet-fake:none")
    assert total["value"] == pytest.approx(grades.mean())
    assert total["sd_repeats"] == pytest.approx(grades.mean(axis=0).std(ddof=1))
    error = grades.mean(axis=1).std(ddof=1) / np.sqrt(NUMBER)
    assert total["se_items"] == pytest.approx(error)
    assert total["high"] > total["value"] + 1.9 * error
    assert rows["capability", "ocr"]["n"] == NUMBER / 2
    alone = rows["integration", "ocr"]
    assert (alone["n"], alone["value"]) == (NUMBER / 4, pytest.approx(grades[2::4].mean()))


def test_a_table_says_that_its_interval_is_careful(graded, monkeypatch, capsys):
    monkeypatch.setenv("EVALCORE_HOME", str(graded[0]))

    assert main(["mmvet", graded[1]]) == 0

    assert capsys.readouterr().out.rstrip().endswith("rather than too narrow.")


def test_proportions_come_from_a_run_or_from_the_authors_item_file(printed, graded):
    by_run = printed(graded[1], "--show", "proportions")

    assert by_run == printed(graded[2], "--show", "proportions")
    share = {(row["axis"], row["tag"]): row["share"] for row in by_run}
    assert (share["capability", "ocr"], share["integration", "math+ocr"]) == (0.5, 0.25)


def test_profiles_and_leaderboard_show_the_run_by_capability(graded):
    data = suite.load(graded[0] / "results.duckdb", "mm-vet-v2")

    assert suite.axes(data)[:2] == ["capability", "integration"]
    cells = suite.cells(data, "capability").set_index("tag")
    grades = graded[3].mean(axis=1)
    assert cells.loc["math", "value"] == pytest.approx(grades[0::4].mean())
    assert cells.loc["math", "low"] < cells.loc["math", "value"] < cells.loc["math", "high"]
    assert set(cells["model"]) == {"gemini-1.5-pro"}
    board = profiles.overall(suite.cells(data, "capability"))
    assert board["model"].tolist() == ["gemini-1.5-pro"]


def test_a_run_without_capabilities_and_an_unknown_one_say_what_would_be_right(printed, graded):
    assert "carry no capabilities" in printed("demo-vlm-strong--easy-vqa--d4ebcefd81")
    assert "unknown graded run 'none'" in printed("none")
    assert "unknown judge 'x'" in printed(graded[1], "--judge", "x")
