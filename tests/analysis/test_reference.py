import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from evalcore.analysis import estimates
from evalcore.errors import BadInput


def cells(*rows):
    return pd.DataFrame(rows, columns=["model", "tag", "value", "n", "se"])


def test_difference_and_interval_agree_with_statsmodels_for_two_samples_of_answers():
    rng = np.random.default_rng(7)
    a, b = rng.random(4000) < 0.7, rng.random(4000) < 0.66
    error = [sample.std() / np.sqrt(4000) for sample in (a, b)]
    frame = cells(("a", "t", a.mean(), 4000, error[0]), ("b", "t", b.mean(), 4000, error[1]))

    row = estimates.against(frame, "b").iloc[0]

    other = CompareMeans(DescrStatsW(a.astype(float)), DescrStatsW(b.astype(float)))
    assert (row["low"], row["high"]) == pytest.approx(
        other.zconfint_diff(usevar="unequal"), abs=2e-5
    )


@pytest.mark.parametrize(
    ("value", "se", "verdict"),
    [
        (0.60, 0.02, "clearly better"),
        (0.53, 0.02, "probably better"),
        (0.51, 0.02, "tied"),
        (0.50, 0.02, "tied"),
        (0.47, 0.02, "probably worse"),
        (0.40, 0.02, "clearly worse"),
        (0.90, np.nan, "cannot be judged"),
    ],
)
def test_verdict_is_the_fixed_word_for_the_difference(value, se, verdict):
    frame = cells(("a", "t", value, 500, se), ("ref", "t", 0.5, 500, 0.02))

    assert estimates.against(frame, "ref")["verdict"].to_list() == [verdict]


def test_unknown_error_of_the_reference_leaves_the_interval_unknown():
    frame = cells(("a", "t", 0.7, 500, 0.02), ("ref", "t", 0.5, np.nan, np.nan))

    assert np.isnan(estimates.against(frame, "ref").iloc[0]["low"])


def test_tags_that_the_reference_lacks_are_left_out():
    frame = cells(("a", "s", 0.7, 9, 0.1), ("a", "t", 0.7, 9, 0.1), ("ref", "t", 0.5, 9, 0.1))

    assert estimates.against(frame, "ref")["tag"].to_list() == ["t"]


def test_unknown_reference_is_refused():
    with pytest.raises(BadInput) as error:
        estimates.against(cells(("a", "t", 0.7, 9, 0.1)), "nobody")

    assert str(error.value) == "model 'nobody' has no score on this axis to compare with"


BENCHMARKS = pd.DataFrame(
    {
        "benchmark": ["x", "y", "z"],
        "metric": "accuracy",
        "chance": [0.1, np.nan, 0.5],
        "type": ["one", "one", "two"],
        "capability": ["p", "q", "r"],
    }
)
SCORES = pd.DataFrame(
    {
        "benchmark": ["x", "y", "z", "x"],
        "axis": "benchmark",
        "tag": ["x", "y", "z", "x"],
        "model": ["a", "a", "a", "b"],
        "metric": "accuracy",
    }
)


def test_chance_of_a_group_is_the_mean_over_benchmarks_with_a_known_one():
    found = estimates.chance_by_tag(SCORES, BENCHMARKS, "type")

    assert found.to_numpy().tolist() == [["one", 0.1, 1, 2], ["two", 0.5, 1, 1]]


def test_suite_without_benchmarks_of_its_own_has_no_chance():
    assert estimates.chance_by_tag(SCORES.assign(axis="task_type"), BENCHMARKS, "task_type").empty


def test_behind_a_derived_tag_stand_the_scores_of_its_benchmarks():
    found = estimates.behind(SCORES, BENCHMARKS, "type", "one")

    assert found[["model", "benchmark"]].to_numpy().tolist() == [["a", "x"], ["a", "y"], ["b", "x"]]


def test_behind_a_stored_tag_stands_its_own_row():
    assert len(estimates.behind(SCORES, BENCHMARKS, "benchmark", "x")) == 2
