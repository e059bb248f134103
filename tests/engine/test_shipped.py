"""The demo runs that ship: sealed, only read, never somebody's own."""

import tempfile

import pytest

from evalcore import home as homes
from evalcore.__main__ import main
from evalcore.analysis import bridging
from evalcore.engine import launch, runs
from evalcore.engine.run_status import look
from evalcore.errors import BadInput
from evalcore.estimate.amounts import Earlier
from evalcore.store import build, queries
from evalcore.suites import item_results, labelled, suite

DEMO = "demo-vlm-strong--easy-vqa--d4ebcefd81"


@pytest.fixture
def demo(home):
    return next(run for run in runs.every() if run.id == DEMO)


def test_shipped_runs_are_whole_and_hold_no_path_of_the_machine_that_made_them(home):
    shipped = [run for run in runs.every() if run.settings.benchmark == "easy-vqa"]

    assert len(shipped) == 8 and all(run.shipped for run in shipped)
    for run in shipped:
        assert run.sealed("predictions") and len(run.predictions()) == run.about["items"] == 500
        assert look(run).state == "demo"
        text = (run.folder / "items.jsonl").read_text("utf-8")
        assert '"images": ["../pictures/' in text
        assert tempfile.gettempdir() not in text + (run.folder / "run.json").read_text("utf-8")
    assert len({run.about["revision"] for run in shipped}) == 1


def test_the_digit_study_that_ships_is_whole_and_stands_in_a_suite_of_its_own(home):
    study = [run for run in runs.every() if run.settings.benchmark == "mnist"]

    assert len({run.settings.options["prompts"] for run in study}) == len(study) == 6
    for run in study:
        assert run.shipped and len(run.items()) == len(run.predictions()) == 1000
        about = (run.folder / "run.json").read_text("utf-8")
        assert tempfile.gettempdir() not in about and not run.settings.loader_options
    scores = queries.scores(build.ensure(), "demo-digits")
    assert set(scores["source"]) == {"demo-digits"} and len(scores) == 6 * 5
    assert scores["note"].str.startswith("demo: a run that ships with Sextant").all()
    assert queries.scores(build.ensure(), "digit-study").empty
    names = item_results.load(build.ensure(), "mnist").labels()
    assert "Demo CLIP, a toy (demo), prompts digits: words x basic" in names.values()


def test_shipped_files_are_small(home):
    files = [path for path in homes.shipped_runs_folder().rglob("*") if path.is_file()]

    assert sum(path.stat().st_size for path in files) < 3_000_000


def test_they_are_never_ones_own(home):
    assert runs.own() == []
    assert Earlier(next(runs.Run(one.folder) for one in runs.every()).settings)._runs == []


def test_they_stand_in_a_suite_of_their_own(home):
    scores = queries.scores(build.ensure(), "demo")

    assert set(scores["source"]) == {"demo"}
    assert scores["metric"].value_counts().to_dict() == {"exact": 6 * 5, "anls": 4 * 5}
    assert scores["note"].str.startswith("demo: a run that ships with Sextant").all()
    strong = scores[(scores["model"] == "demo-vlm-strong") & (scores["tag"] == "total")]
    assert strong.set_index("metric")["value"].to_dict() == {"exact": 0.944, "anls": 0.944}


def test_pages_begin_with_the_benchmarks_own_judge(store):
    data = suite.load(store, "demo")
    entries = item_results.load(store, "easy-vqa").entries

    assert set(data.scores["metric"]) == {"exact"}
    assert entries["metric"].iloc[:2].tolist() == ["exact", "anls"]


def test_the_second_judge_differs_where_words_look_alike_and_is_kind_to_one_model(store):
    """In its 19 answers "rectangle" to triangles 5 of 9 letters stand; the other shapes get 0."""
    found = bridging.bridge(
        labelled.side_by_side(item_results.load(store, "easy-vqa"), "exact", "anls")
    )

    moved = found.models.set_index("model")["offset"]
    assert moved.idxmax() == "Demo VLM, strong, without picture (demo)"
    assert moved.max() == pytest.approx(19 * 5 / 9 / 500)
    # Of the two runs of either model only the newer counts.
    assert len(found.models) == 4
    assert found.alike.value == pytest.approx(1 - (19 + 4) / 2000)


def test_the_same_settings_make_a_run_of_ones_own_which_hides_the_demo(demo):
    (planned,) = launch.plan(["demo-vlm-strong"], "easy-vqa", limit=500)
    assert planned.settings.id == DEMO

    mine = launch.start(planned)

    assert mine.folder.parent == homes.runs_folder() and not mine.shipped
    assert mine.about["revision"] == demo.about["revision"]
    assert [run.shipped for run in runs.every() if run.id == DEMO] == [False]


@pytest.mark.parametrize("command", ["resume", "judge", "cancel"])
def test_no_command_changes_them(demo, capsys, command):
    before = {path: path.stat().st_mtime_ns for path in demo.folder.rglob("*")}

    assert main([command, DEMO]) != 0

    assert "ships with Sextant as a demo and is only read" in capsys.readouterr().err
    assert before == {path: path.stat().st_mtime_ns for path in demo.folder.rglob("*")}


def test_the_engine_does_not_carry_them_out(demo):
    with pytest.raises(BadInput, match="ships with Sextant as a demo"):
        launch.carry_out(demo, [])
