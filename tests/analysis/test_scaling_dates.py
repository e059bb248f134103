"""The best so far by release month, and how far open weights are behind closed ones."""

import numpy as np
import pandas as pd
import pytest

from evalcore.analysis import scaling_series

NAN = np.nan
ROWS = pd.DataFrame(
    [
        ("c1", "2024-01", "closed", 0.60, 0.03),
        ("c2", "2024-05", "closed", 0.80, 0.03),
        ("c3", "2024-09", "closed", 0.70, 0.03),
        ("o1", "2024-03", "open", 0.50, 0.04),
        ("o2", "2024-12", "open", 0.75, 0.04),
        ("o3", "2024-12", "open", 0.75, 0.04),
        ("o4", "2025", "open", 0.99, 0.04),
        ("o5", None, "open", 0.99, 0.04),
    ],
    columns=["model", "released", "side", "value", "se"],
)


def front(rows=ROWS):
    return scaling_series.frontier(rows)


def test_only_a_new_best_of_its_side_is_on_the_frontier():
    found = front()

    assert found.loc[found["best"], "model"].to_list() == ["c1", "c2", "o1", "o2"]
    assert list(found.groupby("side")["model"].size()) == [3, 3]


def test_a_year_without_a_month_is_not_dated():
    assert not {"o4", "o5"} & set(front()["model"])


def test_gap_by_hand():
    found = scaling_series.gap(front())

    assert (found.leader, found.leader_model) == ("closed", "c2")
    assert (found.follower, found.follower_model) == ("open", "o2")
    # .80 - .75, half-width 1.959964 * sqrt(.03^2 + .04^2) = 1.959964 * .05
    assert found.points == pytest.approx(0.05)
    assert (found.low, found.high) == pytest.approx((0.05 - 0.0979982, 0.05 + 0.0979982))
    # c2 of May was the first closed one with at least .75; o2 is of December.
    assert (found.reached_by, found.months) == ("c2", 7)


def test_the_follower_may_have_been_first():
    rows = ROWS.assign(released=ROWS["released"].replace("2024-12", "2024-02"))

    assert scaling_series.gap(front(rows)).months == -3


def test_unknown_error_gives_a_gap_without_interval():
    found = scaling_series.gap(front(ROWS.assign(se=NAN)))

    assert found.points == pytest.approx(0.05)
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize("rows", [ROWS.iloc[:3], ROWS.iloc[:0]], ids=["one side", "nobody"])
def test_one_side_has_no_gap(rows):
    assert scaling_series.gap(front(rows)) is None


def test_equal_scores_are_a_gap_of_nothing():
    rows = ROWS.iloc[[1, 4]].assign(value=0.8)

    found = scaling_series.gap(front(rows))

    assert found.points == 0 and abs(found.months) == 7
