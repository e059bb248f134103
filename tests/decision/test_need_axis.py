"""A need is a mean over the same benchmarks for everybody, with bounds where one is missing."""

import numpy as np
import pandas as pd
import pytest

from evalcore.decision import need_axis
from evalcore.suites.suite import entities
from tests.small_world import BENCHMARKS, METRICS, MODES, NEEDS, models, scores

MODELS = models(**{name: (1.0, True, "MIT", "2025-01") for name in "abcd"})
ROWS = scores(
    ("a", "", "doc-test", 0.8), ("b", "", "doc-test", 0.6), ("c", "", "doc-test", 0.4),
    ("a", "", "doc-val", 0.1), ("d", "", "doc-val", 0.9),
    ("a", "", "info", 0.6), ("b", "", "info", 0.5),
    ("a", "", "chart", 0.7),
)  # fmt: skip


def composed(rows=ROWS, benchmarks=BENCHMARKS):
    return need_axis.composition(rows, benchmarks, NEEDS)


def cells(rows=ROWS, **options):
    found = need_axis.cells(rows, BENCHMARKS, composed(rows), **options)
    return found.set_index(["model", "tag"])


def test_of_a_benchmark_the_edition_counts_that_most_models_have():
    used = composed().query("used").set_index("need")

    assert set(used.loc["read", "benchmark"]) == {"doc-test", "info"}
    assert used.loc["read", "models"].to_list() == [3, 2]
    assert used.loc["read", "of"].to_list() == [4, 4]


def test_among_equals_the_edition_counts_that_is_commoner_elsewhere():
    both = scores(*[(m, "", b, 0.5) for m in "ab" for b in ("doc-test", "doc-val")])

    plain = composed(both).query("used")["benchmark"].to_list()
    known = composed(both, BENCHMARKS.assign(used_by=[1, 9, 0, 0, 0])).query("used")

    assert plain == ["doc-test"]
    assert known["benchmark"].to_list() == ["doc-val"]


def test_without_a_benchmark_that_half_the_models_have_the_commonest_one_counts():
    made = composed().set_index("need")

    # One model of four has it: less than half, but the only one for the need.
    assert made.loc["count", ["benchmark", "used"]].to_list() == ["chart", True]


def test_a_need_is_the_mean_of_its_benchmarks_with_their_errors():
    row = cells().loc[("a", "read")]

    errors = [0.8 * 0.2 / 400, 0.6 * 0.4 / 100]
    assert row["value"] == pytest.approx((0.8 + 0.6) / 2)
    assert row["n"] == 500
    assert row["se"] == pytest.approx(np.sqrt(sum(errors)) / 2)
    assert row["method"].startswith("approximate")


def test_a_benchmark_of_unknown_size_has_no_interval():
    assert cells().loc[("a", "count"), ["n", "se", "low", "high"]].isna().all()


def test_a_model_that_lacks_a_benchmark_has_bounds_instead_of_a_mean():
    bounds = need_axis.bounds(ROWS, composed()).set_index(["model", "tag"])

    assert ("c", "read") not in cells().index
    assert bounds.loc[("c", "read")].to_list() == [0.2, 0.7, ("Info",)]
    # A value on another edition says nothing about the one that counts.
    assert bounds.loc[("d", "read")].to_list() == [0.0, 1.0, ("Doc test", "Info")]


def test_a_suspect_value_leaves_a_gap_and_changes_nobody_elses_measure():
    rows = ROWS.assign(suspect=(ROWS["model"] == "b") & (ROWS["benchmark"] == "info"))

    without = cells(rows)
    bounds = need_axis.bounds(rows, composed(rows)).set_index(["model", "tag"])

    assert ("b", "read") not in without.index
    assert without.loc[("a", "read"), "value"] == pytest.approx(0.7)
    assert bounds.loc[("b", "read"), "lacks"] == ("Info",)
    assert cells(rows, include_suspect=True).loc[("b", "read"), "suspect"]


def test_an_upload_does_not_decide_what_a_need_is_made_of():
    rows = ROWS.assign(kind=ROWS["kind"].where(ROWS["benchmark"] != "doc-val", "uploaded"))

    assert "doc-val" not in set(composed(rows)["benchmark"])


def test_a_measure_that_is_better_the_lower_it_is_enters_no_mean():
    extra = scores(*[(m, "", "edit", 0.1, {"metric": "edit-distance"}) for m in "abcd"])

    found = entities(pd.concat([ROWS, extra]), MODELS, MODES, METRICS)

    assert "edit" not in set(composed(found.scores)["benchmark"])


def test_the_benchmarks_of_a_need_are_said():
    assert need_axis.composition_in_words(composed()) == "count is Chart; read is Doc test and Info"


def test_what_stands_behind_a_need_are_the_scores_of_its_benchmarks():
    found = need_axis.behind(ROWS, composed(), "read")

    assert set(found["benchmark"]) == {"doc-test", "info"}
    assert len(found) == 5


def test_a_suite_without_scores_has_no_needs():
    made = composed(ROWS.head(0))

    assert made.empty
    assert need_axis.bounds(ROWS.head(0), made).empty
