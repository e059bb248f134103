import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from evalcore.analysis import intervals
from evalcore.errors import BadInput


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("k", "n"), [(0, 10), (1, 7), (35, 50), (70, 100), (517, 517)])
def test_wilson_equals_statsmodels(k, n, level):
    low, high = intervals.wilson(k / n, n, level)

    expected = proportion_confint(k, n, alpha=1 - level, method="wilson")
    assert (float(low), float(high)) == pytest.approx(expected, abs=1e-12)


def test_wilson_stays_inside_the_scale_on_random_proportions():
    rng = np.random.default_rng(1)
    n = rng.integers(1, 2000, 500)
    p = rng.binomial(n, rng.random(500)) / n

    low, high = intervals.wilson(p, n)

    assert ((low >= 0) & (low <= p) & (p <= high) & (high <= 1)).all()


@pytest.mark.parametrize("n", [np.nan, 0])
def test_unknown_number_of_items_has_no_interval_and_no_error(n):
    low, high = intervals.wilson(0.7, n)

    assert np.isnan([low, high, intervals.standard_error(0.7, n)]).all()


def test_unknown_value_has_no_interval():
    assert np.isnan(intervals.wilson([np.nan], [50])).all()
    assert np.isnan(intervals.standard_error([np.nan], [50])).all()


def test_columns_keep_their_unknown_rows_in_place():
    low, _ = intervals.wilson([0.5, 0.5, 0.5], [100, np.nan, 0])

    assert list(np.isnan(low)) == [False, True, True]


@pytest.mark.parametrize(("n", "points"), [(50, 12.7), (200, 6.4), (300, 5.2), (1145, 2.7)])
def test_half_width_at_70_per_cent_by_hand(n, points):
    # 1.96 sqrt(.7 * .3 / n), in points
    assert 196 * float(intervals.standard_error(0.7, n)) == pytest.approx(points, abs=0.05)


@pytest.mark.parametrize("value", [0, 1])
def test_a_perfect_score_still_has_a_standard_error(value):
    low, high = intervals.wilson(value, 100)

    assert float(intervals.standard_error(value, 100)) == pytest.approx(
        float(high - low) / 2 / intervals.z()
    )


def test_standard_error_is_an_upper_bound_for_graded_items():
    items = np.random.default_rng(2).beta(2, 1, 400)

    sampling = items.std() / np.sqrt(400)
    assert intervals.standard_error(items.mean(), 400) > sampling


def test_judge_spread_is_added_in_quadrature():
    assert float(intervals.with_repeats(0.03, 0.04, 1)) == pytest.approx(0.05)
    assert float(intervals.with_repeats(0.03, 0.08, 4)) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("se", "sd", "repeats", "expected", "why"),
    [
        (0.02, np.nan, 5, 0.02, "no spread was published"),
        (0.03, 0.04, np.nan, 0.05, "unknown repeats count as one"),
        (np.nan, 0.04, 5, np.nan, "judge spread alone is no sampling error"),
    ],
)
def test_unknown_parts_of_the_judge_spread(se, sd, repeats, expected, why):
    assert float(intervals.with_repeats(se, sd, repeats)) == pytest.approx(expected, nan_ok=True)


def test_normal_interval_is_cut_off_at_the_scale():
    low, high = intervals.normal([0.01, 0.5, 0.99], [0.02, np.nan, 0.02])

    assert low == pytest.approx([0, np.nan, 0.99 - 1.959964 * 0.02], nan_ok=True)
    assert high == pytest.approx([0.01 + 1.959964 * 0.02, np.nan, 1], nan_ok=True)


def test_normal_interval_may_reach_below_zero_where_chance_is_zero():
    low, _ = intervals.normal(0.0, 0.02, floor=-1.0)

    assert float(low) == pytest.approx(-1.959964 * 0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: intervals.z(95), "confidence level 95 should lie between 0 and 1, such as 0.95"),
        (
            lambda: intervals.wilson([0.5, 71.8], 10),
            "score 71.8 should be a fraction between 0 and 1",
        ),
        (
            lambda: intervals.standard_error(0.5, [-3]),
            "number of items -3.0 should be 0 or more",
        ),
        (
            lambda: intervals.with_repeats(0.1, 0.1, 0),
            "number of judge runs 0.0 should be 1 or more",
        ),
        (
            lambda: intervals.with_repeats(0.1, -0.1, 1),
            "spread over judge runs -0.1 should be 0 or more",
        ),
    ],
)
def test_impossible_numbers_are_refused(call, message):
    with pytest.raises(BadInput) as raised:
        call()

    assert str(raised.value) == message


def test_an_error_is_worth_the_items_that_would_have_it():
    low, high = intervals.of_error(0.7, np.sqrt(0.7 * 0.3 / 80), intervals.z())

    assert (low, high) == pytest.approx(proportion_confint(56, 80, method="wilson"))


@pytest.mark.parametrize("value", [0.0, 1.0, 0.999])
def test_near_the_ends_an_error_keeps_its_width(value):
    low, high = intervals.of_error(value, 0.05, 2.5)

    assert 0 <= low <= value <= high <= 1
    assert high - low == pytest.approx(2 * 2.5 * 0.05)


def test_no_error_no_interval():
    assert np.isnan(intervals.of_error([0.5, np.nan], [np.nan, 0.1], 2)).all()
    assert np.isnan(intervals.of_grades([0.5, np.nan], [np.nan, 0.1], 9, 2)).all()
    assert intervals.of_error(0.5, 9, 2).low == pytest.approx(0, abs=1e-3)
