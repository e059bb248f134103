"""The Scaling page on models of today: size, release date and price against score."""

import re

import pandas as pd
import pytest

from evalcore.home import ROOT
from evalcore.suites import pooling
from pages.shared import suites
from tests.pages.opening import charts, table, words

MMR = {"suite": "MMR-Bench"}
UPLOAD = """model,benchmark,axis,tag,score,n,suite
<b>mine</b>,mmstar,benchmark,mmstar,0.99,1500,mmr-bench
"""


@pytest.fixture
def page(open_page):
    """Opens the page with a link's parameters."""

    def page(session=None, **link):
        at = open_page("scaling", session, **link)
        assert not at.exception and not at.error
        return at

    return page


def names(chart):
    return [trace["name"] for trace in chart["data"]]


@pytest.fixture(scope="module")
def shipped():
    """MMR-Bench's models as shipped, beside the catalogue's facts."""
    scores = pd.read_csv(next((ROOT / "precomputed/figures/current").glob("mmr-bench*.csv")))
    files = ("models.csv", "models-current.csv")
    facts = pd.concat([pd.read_csv(ROOT / "data/catalog" / name) for name in files])
    return scores.drop_duplicates("model").merge(facts, left_on="model", right_on="id")


def test_a_current_suite_in_the_sidebar_opens_models_of_today(look):
    at = look(**MMR)

    assert "MMR-Bench: entries that take part unasked" in words(at)
    assert len(charts(at)) == 4
    assert "UniBench" not in words(at)


def test_beside_a_paper_the_page_asks_for_the_block(look):
    at = look(scale_suite="Models of today", scale_block="MMR-Bench")

    assert "MMR-Bench: entries that take part unasked" in words(at)


def test_unknown_sizes_are_counted_listed_and_not_drawn(look, shipped):
    at = look(**MMR, scale_by="Benchmark")

    known = int(shipped["params_b"].notna().sum())
    assert f"{len(shipped)} models with a score on" in words(at)
    assert f"all parameters known for {known}. Not drawn, size unknown: Claude 3.7" in words(at)
    drawn = sum(len(trace["text"]) for trace in charts(at)[1]["data"])
    assert drawn == known
    listed = table(at, "All parameters, billion")
    assert len(listed) == len(shipped)
    assert listed["All parameters, billion"].isna().sum() == len(shipped) - known


def test_slope_within_a_series_is_told_apart_from_that_across_all(look):
    at = look(**MMR)

    found = table(at, "Slope").set_index(["Need", "Slope"])
    mathematics = found.loc["mathematics"]
    assert mathematics.loc["within a series", "Gain, points"] == 14.6
    assert mathematics.loc["across all models", "Gain, points"] == 12.2
    assert names(charts(at)[0]) == ["Within a series", "Across all models"]
    assert "what size does is seen within a series" in words(at)


def test_a_series_with_two_sizes_has_no_slope(look):
    found = table(look(**MMR), "For ten times the size, points").set_index("Series")

    few = found[found["Sizes"] < 3]
    assert len(few) == 2 and few["For ten times the size, points"].isna().all()
    assert found.loc[found["Sizes"] >= 3, "For ten times the size, points"].notna().all()


def test_nothing_trained_on_the_task_or_given_examples_or_tools_takes_part(look):
    at = look(suite=pooling.NAME, scale_by="Benchmark")

    modes = pd.read_csv(ROOT / "data/catalog/modes.csv").set_index("mode")["by_default"]
    unasked = {f"[{mode}]" for mode, default in modes.items() if not default}
    listed = table(at, "All parameters, billion")["Model"]
    assert "entries that take part unasked" in words(at) and len(listed) > 100
    assert not any(name.endswith(tuple(unasked)) for name in listed)


def test_active_parameters_are_drawn_only_where_a_source_states_them(look):
    stated = look(suite="Qwen3-VL report", scale_size="Active parameters")
    taken = look(suite="Qwen3-VL report", scale_size="Active parameters", scale_dense="true")

    assert "active parameters known for 4." in words(stated)
    assert "active parameters known for 12." in words(taken)
    assert "Of 8 all parameters are taken as active; no source says so" in words(taken)
    symbols = [s for trace in charts(taken)[1]["data"] for s in trace["marker"]["symbol"]]
    assert sum(symbol.endswith("-open") for symbol in symbols) == 8


def test_the_gap_between_open_and_closed_is_said_in_points_and_months(look):
    text = words(look(suite="InternVL3.5 report"))

    assert (
        "On mathematics, closed weights are 4.3 points ahead of open weights (no interval): GPT-5 "
        "with 78.4 %, GLM-4.5V with 74.1 %. In time, open weights are 2 months behind: Gemini 2.5 "
        "Pro had reached as much 2 months before GLM-4.5V."
    ) in text
    assert "the newest of closed weights is of 2025-08" in text


def test_frontier_lines_only_rise(look):
    for trace in charts(look(**MMR))[2]["data"]:
        if trace["mode"] == "lines":
            assert trace["y"] == sorted(trace["y"]) and trace["x"] == sorted(trace["x"])


def test_an_unknown_price_is_counted_and_never_zero(look):
    at = look(**MMR)

    told = r"USD per 1,000 questions known for (\d+) of (\d+) models \((\d+) more can no longer"
    known, models, gone = map(int, re.search(told, words(at)).groups())
    # Which of them can still be had changes with the day.
    assert (known + gone, models + gone) == (11, 37)
    assert "Unknown, not free: 26" in words(at)
    costs = table(at, "USD per 1,000 questions")["USD per 1,000 questions"]
    assert costs.isna().sum() == 26 and costs.dropna().gt(0).all()
    assert charts(at)[3]["layout"]["xaxis"]["type"] == "log"


def test_no_cheaper_model_scores_as_much_as_one_on_the_front(look):
    rows = table(look(**MMR, scale_price="USD per million tokens sent"), "On the front")

    known = rows.dropna(subset=["USD per million tokens sent"])
    for row in known[known["On the front"] == "yes"].itertuples():
        cheaper = known[known["USD per million tokens sent"] < row[6]]
        assert not (cheaper["Score, %"] > row[2]).any()


def test_price_per_token_is_the_makers_own_as_shipped(look):
    rows = table(look(**MMR, scale_price="USD per million tokens written"), "Rests on")

    own = rows.set_index("Model").loc["Claude Opus 4.7"]
    prices = pd.read_csv(ROOT / "data/catalog/prices.csv")
    made = prices[(prices["model"] == "claude-opus-4.7") & (prices["by_maker"] == 1)]
    assert own["USD per million tokens written"] in set(made["usd_per_mtok_out"])
    assert "the maker's newest price" in own["Rests on"]


def test_filters_of_the_sidebar_act(look):
    text = words(look(**MMR, open="Closed"))

    assert "known for 0. Not drawn, size unknown" in text
    assert "an undefined gain within a series" in text
    assert "Only one side has a dated score here" in text


def test_the_pooled_block_and_the_best_block_open(look):
    assert "All current" in words(look(suite=pooling.NAME, scale_by="Benchmark"))
    assert "entries that take part unasked" in words(look(suite=suites.AUTO_NAME))


def test_an_uploaded_model_is_counted_as_of_unknown_size_and_is_text(page):
    at = page(**MMR, scale_by="Benchmark")
    at.file_uploader[0].upload("own.csv", UPLOAD.encode(), "text/csv").run()
    at.selectbox(key="scale_tag_mmr-bench_benchmark").set_value("mmstar").run()

    assert not at.exception and not at.error
    assert "38 models with a score on" in words(at)
    listed = table(at, "All parameters, billion")
    assert "<b>mine</b> (yours)" in set(listed["Model"])
    assert "<b>mine" not in "".join(chart.proto.spec for chart in at.get("plotly_chart"))
