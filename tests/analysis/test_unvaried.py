"""Differences that do not vary, against Tango's score interval, statsmodels and by simulation."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq, minimize_scalar
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from evalcore.analysis import paired
from evalcore.analysis.clusters import sign_p_value, unvaried_bounds, unvaried_error

Z = stats.norm.ppf(0.975)


def tango(only_a, only_b, n):
    """The ends of Tango's interval, his statistic maximised by a search instead of his formula."""

    def score(delta):
        def loss(q):
            cells = (q + delta, q, 1 - 2 * q - delta)
            counts = (only_a, only_b, n - only_a - only_b)
            logs = (k * np.log(max(p, 1e-300)) for k, p in zip(counts, cells, strict=True) if k)
            return -sum(logs)

        least, most = max(0, -delta), (1 - delta) / 2
        q = minimize_scalar(loss, bounds=(least, most), method="bounded").x
        q = min((least, most, q), key=loss)
        return (only_a - only_b - n * delta) / np.sqrt(n * (2 * q + delta * (1 - delta)))

    middle = (only_a - only_b) / n
    low = brentq(lambda d: score(d) - Z, -1 + 1e-9, middle - 1e-9) if middle > -1 else -1.0
    high = brentq(lambda d: score(d) + Z, middle + 1e-9, 1 - 1e-9) if middle < 1 else 1.0
    return low, high


@pytest.mark.parametrize("n", [5, 40, 200])
@pytest.mark.parametrize("only", [(0, 0), (1, 0), (0, 1)])
def test_it_is_tangos_interval_of_paired_proportions(only, n):
    a, b = only[0] * n, only[1] * n

    found = unvaried_bounds(only[0] - only[1], n, Z)

    assert (float(found.low), float(found.high)) == pytest.approx(tango(a, b, n), abs=1e-5)


def test_all_right_against_all_wrong_is_wilsons_interval_on_the_scale_of_differences():
    low, high = proportion_confint(200, 200, method="wilson")

    found = unvaried_bounds(1, 200, Z)

    assert (float(found.low), float(found.high)) == pytest.approx((2 * low - 1, 2 * high - 1))


def test_the_p_value_is_mcnemars_and_falls_below_the_level_where_the_interval_leaves_0():
    theirs = mcnemar([[0, 200], [0, 0]], exact=False, correction=False)

    assert stats.t.sf(np.sqrt(theirs.statistic), 199) * 2 == pytest.approx(sign_p_value(1, 200))
    for n in range(2, 30):
        low = unvaried_bounds(1, n, stats.t.ppf(0.975, n - 1)).low
        assert (low > 0) == (sign_p_value(1, n) < 0.05)
        # Never sure of it where the exact test is not.
        assert not (low > 0 and paired.mcnemar(n, 0) >= 0.05)


def test_one_source_says_nothing():
    assert np.isnan(unvaried_bounds(1, 1, 2.0)).all()
    assert np.isnan(unvaried_error(1, 2.0)) and np.isnan(sign_p_value(1, 1))


@pytest.mark.parametrize(
    ("n", "truth"), [(10, 0.9), (40, 0.97), (200, 0.99), (200, 0.004), (40, 0.02)]
)
def test_where_all_differ_alike_it_holds_the_truth_at_least_as_often_as_it_says(n, truth):
    # The second is always wrong; the first right with this chance. All n differ alike with chance
    # truth^n (all right) or (1 - truth)^n (none right): those worlds may fail in 5 % at most.
    t = stats.t.ppf(0.975, n - 1)
    missed = 0.0
    for difference, chance in ((1, truth**n), (0, (1 - truth) ** n)):
        low, high = unvaried_bounds(difference, n, t)
        missed += chance * (not low <= truth <= high)
    assert missed <= 0.05
