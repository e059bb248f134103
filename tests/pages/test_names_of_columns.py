"""Models and tags that are called as columns of ours are: every page draws its tables."""

from dataclasses import replace

import pandas as pd
import pytest

from evalcore.engine import evaluate, runs
from evalcore.records import Item
from evalcore.store import build
from pages.shared import charts, frame
from tests.fakes import SETTINGS, FakeJudge, FakeModel

NAMES = ("Model", "Largest loss", "Tag", "Benchmark", "Rank", "Score, %", "n", "index", "_index")
BENCHMARK = "headings"


@pytest.fixture(scope="module")
def home_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    items = [
        Item(BENCHMARK, f"{name}/{n}", f"{name} {n}?", ("yes",), tags=(("kind", name),))
        for name in NAMES for n in range(6)
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder))
        for at, model in enumerate(NAMES):
            wrong = {item.id: "no" for item in items[at :: at + 2]}
            run = runs.create(replace(SETTINGS, model=model, benchmark=BENCHMARK), items, "here")
            evaluate.evaluate(run, FakeModel(wrong), [FakeJudge()])
        build.ensure()
    return folder


@pytest.mark.parametrize("page", ["overview", "recommend", "profiles", "correlation", "distilled"])
def test_a_page_draws_its_tables_whatever_tags_and_models_are_called(open_page, page):
    at = open_page(page, {"suite_by_hand": True, "suite": BENCHMARK})

    assert not at.exception
    for table in at.dataframe:
        assert table.value.columns.is_unique


def test_a_name_that_is_a_heading_of_ours_stands_in_quotation_marks():
    table = pd.DataFrame({"Model": [1.0], "even": [2.0]}, index=["a"])

    told = frame.headed(table, {"Model": ["a"]})

    assert told.to_dict("records") == [{"Model": "a", "“Model”": 1.0, "even": 2.0}]


def test_a_chart_draws_names_that_plotly_would_take_for_its_own():
    assert charts.safe("constructor") == "\u2060constructor"
    assert charts.safe("%{x}") == "%\u2060{x}"
    assert charts.safe("constructors <b>") == "constructors &lt;b&gt;"
