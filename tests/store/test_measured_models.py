"""Fresh numbers beside published ones, if a run repeats the protocol; else in their own suite."""

import json
import shutil

import pytest
from PIL import Image

from evalcore.decision.needs import Needs
from evalcore.engine import launch
from evalcore.judges.goeval import goeval
from evalcore.store import build, queries
from evalcore.suites import current, suite
from tests.judges.askers import Scripted

HERE = "qwen2-vl-2b (measured here)"
PAPERS = {"device": "server api.openai.com", "picture": "224 px longer side"}


class Judge(Scripted):
    """The paper's judge, as far as a run can tell."""

    def __init__(self, *replies, facts=None):
        super().__init__(*replies, name="gpt-4o-mini")
        self.told = PAPERS if facts is None else facts

    def facts(self):
        return {"model": self.name, **self.told}


@pytest.fixture(params=["made", "real"])
def layout(request, tmp_path):
    """VQA360 in its authors' layout with made pictures: real items, and some like them."""
    folder = tmp_path / "test"
    if request.param == "real":
        real = request.getfixturevalue("shared") / "data" / "vqa360_sample" / "test"
        shutil.copytree(real, folder)
    else:
        _made(folder)
    (folder / "images").mkdir()
    for place, file in enumerate(sorted((folder / "data").glob("*.json"))):
        Image.new("RGB", (8, 8), (place, 0, 0)).save(folder / "images" / f"{file.stem}.png")
    return folder


def _made(folder):
    for part in ("data", "task_instance_classifications"):
        (folder / part).mkdir(parents=True)
    for key in range(20):
        about = {"dataset": "ChartQA", "key": key}
        asked = {"question": f"How many bars, {key}?", "label": ["3"]}
        tags = {
            "task_type": "Chart Understanding",
            "application_domain": ["Economics", "Mathematics"],
            "knowledge_type": ["Mathematical Knowledge"],
        }
        name = f"ChartQA_{key}.json"
        (folder / "data" / name).write_text(json.dumps(about | asked))
        (folder / "task_instance_classifications" / name).write_text(json.dumps(about | tags))


def ran(layout, tmp_path, judge=None, limit=None, model="qwen2-vl-2b", options=None):
    """A run whose model's answers come from a file, judged by GoEval."""
    names = [file.stem for file in (layout / "data").glob("*.json")]
    answers = tmp_path / f"{model}.json"
    answers.write_text(json.dumps(dict.fromkeys(names, "three")), encoding="utf-8")
    plan = launch.plan([f"answers:{answers}"], f"vqa360={layout}", limit=limit)[0]
    run = launch.start(plan)
    if options:
        run.tell("model", options)
    judge = judge or Judge("Yes.")
    launch.carry_out(run, [goeval("goeval-ref-image", judge)])
    return run


def loaded(name="vqa360"):
    return suite.load(build.ensure(), name)


def test_a_repeated_protocol_stands_in_the_papers_suite(home, layout, tmp_path):
    ran(layout, tmp_path)

    cells = suite.cells(loaded(), "task_type")
    mine = cells[cells["model"] == HERE].set_index("tag")
    theirs = cells[cells["model"] == "qwen2-vl-2b"].set_index("tag")

    assert mine.loc["Chart Understanding", "value"] == 1.0
    assert mine.loc["Chart Understanding", "kind"] == "measured"
    assert theirs.loc["Chart Understanding", ["value", "n"]].tolist() == [0.1231, 1145]


def test_its_scores_name_metric_judge_and_source_as_published(home, layout, tmp_path):
    ran(layout, tmp_path)

    rows = queries.scores(build.ensure(), "vqa360")
    rows = rows[rows["kind"] == "measured"]

    assert set(rows["source"]) == {"runs/vqa360"}
    assert set(rows["metric"]) == {"goeval-mini-ref-image"}
    assert set(rows["judge"]) == {"gpt-4o-mini"}


def test_no_published_number_changes(home, layout, tmp_path, store):
    before = suite.cells(suite.load(store, "vqa360"), "knowledge_type")
    ran(layout, tmp_path)

    after = suite.cells(loaded(), "knowledge_type")

    kept = after[after["kind"] == "published"].reset_index(drop=True)
    assert kept.equals(before)


def test_the_second_row_has_the_models_facts_and_a_name_that_tells(home, layout, tmp_path):
    ran(layout, tmp_path)

    models = loaded().models.set_index("model")

    assert models.loc[HERE, "name"] == f"{models.loc['qwen2-vl-2b', 'name']} (measured here)"
    assert models.loc[HERE, "params_b"] == models.loc["qwen2-vl-2b", "params_b"]


def test_a_model_that_is_not_published_stands_under_its_own_name(home, layout, tmp_path):
    ran(layout, tmp_path, model="newcomer")

    assert "newcomer" in set(loaded().models["model"])


def test_the_recommender_ranks_both_apart(home, layout, tmp_path):
    ran(layout, tmp_path)
    asked = Needs("vqa360", "task_type", weights=(("Chart Understanding", 1.0),), min_n=0)

    answer = current.recommend_for(loaded(), asked)

    ranked = answer.ranking.set_index("model")["score"]
    assert ranked[HERE] == 1.0
    assert ranked["qwen2-vl-2b"] == pytest.approx(0.1231)


def test_a_sample_displaces_nothing_and_says_what_it_is(home, layout, tmp_path):
    ran(layout, tmp_path, limit=10)
    ran(layout, tmp_path)

    rows = queries.scores(build.ensure(), "vqa360")
    total = rows[(rows["kind"] == "measured") & (rows["tag"] == "total")]

    assert set(total["n"]) == {len(list((layout / "data").glob("*.json")))}
    ran(layout, tmp_path, model="tried", limit=10)
    rows = queries.scores(build.ensure(), "vqa360")
    notes = rows.loc[rows["model"] == "tried", "note"]
    assert notes.str.startswith("a sample of 10 questions (seed 0); answers made elsewhere").all()


def test_totals_that_the_paper_does_not_give_stay_in_the_store(home, layout, tmp_path):
    ran(layout, tmp_path)

    assert "total" in set(queries.scores(build.ensure(), "vqa360")["tag"])
    assert "total" not in set(loaded().scores["tag"])


@pytest.mark.parametrize(
    ("judge", "asked", "why"),
    [
        (Judge("Yes.", facts={}), {}, "nobody knows where the judge was asked"),
        (Judge("Yes.", facts={"device": "server localhost:80"}), {}, "a namesake elsewhere"),
        (Judge("Yes."), {"instruction": "Think aloud.", "picture": "448 px square"}, "other words"),
        (Judge("Yes."), {"picture": "as it is"}, "other pictures"),
        (Judge("Yes."), {"picture": "224 px square"}, "the small pictures, but not PaliGemma"),
    ],
)
def test_another_protocol_has_a_suite_of_its_own(home, layout, tmp_path, judge, asked, why):
    ran(layout, tmp_path, judge, options=asked)

    other = loaded("vqa360-runs")

    assert list(other.models["model"]) == ["qwen2-vl-2b"]
    assert set(other.scores["metric"]) == {"goeval-ref-image:gpt-4o-mini"}
    assert HERE not in set(loaded().models["model"])


def test_verdicts_of_two_versions_are_not_averaged(home, layout, tmp_path):
    run = ran(layout, tmp_path)
    other = goeval("goeval-ref-image", Judge("No."))
    other.version = "another"

    launch.carry_out(run, [other])

    cells = suite.cells(loaded(), "task_type")
    assert set(cells.loc[cells["model"] == HERE, "value"]) == {0.0}
    assert queries.table(build.ensure(), "runs").iloc[0]["judge_version"] == "another"


def test_mm_vet_runs_never_mix_with_the_published_grades(home, tmp_path):
    file = tmp_path / "mm-vet-v2.json"
    entry = {"question": "What?<IMG>a.png", "answer": "x", "capability": ["ocr"]}
    file.write_text(json.dumps({"v2_0": entry}))
    (tmp_path / "images").mkdir()
    Image.new("RGB", (4, 4)).save(tmp_path / "images" / "a.png")
    (tmp_path / "gpt-4o.json").write_text(json.dumps({"v2_0": "x"}))
    plan = launch.plan([f"answers:{tmp_path / 'gpt-4o.json'}"], f"mm-vet-v2={file}")[0]
    run = launch.start(plan)
    judge = launch.judges_of(["mmvet=openai:gpt-4-0613@http://localhost:9/v1"])[0]
    judge.asker = Judge("0.5")

    launch.carry_out(run, [judge])

    path = build.ensure()
    assert set(queries.scores(path, "mm-vet-v2")["metric"]) == {"mmvet-grade-v1:gpt-4-0613"}
    assert "measured" not in set(queries.scores(path, "mmvet2")["kind"])
