"""A share corrected by a judge's rates: by hand, by a search, and covered in made-up worlds."""

import numpy as np
import pytest
from scipy import optimize
from statsmodels.stats.proportion import proportion_confint

from evalcore.analysis.agreement import Estimate
from evalcore.analysis.corrected import NO_FIT, rogan_gladen


def share(count, n):
    low, high = proportion_confint(count, n, method="wilson")
    value = count / n
    return Estimate(value, low, high, np.sqrt(value * (1 - value) / n), n)


def test_rogan_and_gladen_by_hand():
    # Rogan and Gladen: (p + specificity - 1) / (sensitivity + specificity - 1)
    says, sens, spec = (Estimate(p, p - 0.1, p + 0.1, 0.05, 100) for p in (0.3, 0.8, 0.9))

    found = rogan_gladen(says, sens, spec).estimate

    assert found.value == pytest.approx((0.3 + 0.9 - 1) / (0.8 + 0.9 - 1))
    steps = [
        rogan_gladen(*(one._replace(value=one.value + h) for one, h in zip(
            (says, sens, spec), row, strict=True))).estimate.value - found.value
        for row in np.eye(3) * 1e-6
    ]  # fmt: skip
    assert found.se == pytest.approx(np.linalg.norm(np.array(steps) / 1e-6 * 0.05), rel=1e-4)


def test_the_interval_holds_the_shares_that_the_three_intervals_allow():
    says, sens, spec = share(120, 400), share(126, 140), share(66, 80)

    found = rogan_gladen(says, sens, spec).estimate

    def below(t):
        arms = (says.value - says.low, t * (sens.high - sens.value),
                (1 - t) * (spec.value - spec.low))  # fmt: skip
        return says.value - t * sens.value - (1 - t) * (1 - spec.value) - np.linalg.norm(arms)

    def above(t):
        arms = (says.high - says.value, t * (sens.value - sens.low),
                (1 - t) * (spec.high - spec.value))  # fmt: skip
        return says.value - t * sens.value - (1 - t) * (1 - spec.value) + np.linalg.norm(arms)

    assert found.low == pytest.approx(optimize.brentq(below, 0, found.value))
    assert found.high == pytest.approx(optimize.brentq(above, found.value, 1))


@pytest.mark.parametrize(("says", "end"), [(0.2, 0), (0.95, 1)])
def test_a_share_outside_the_scale_keeps_its_width_and_says_so(says, end):
    found = rogan_gladen(share(500 * says, 500), share(129, 140), share(62, 80))

    assert found.estimate.value == end
    assert found.estimate.high - found.estimate.low > 0.05
    assert found.why.startswith(NO_FIT)


def test_a_share_that_no_luck_takes_outside_is_not_defined():
    says = Estimate(0.084, 0.06, 0.11, 0.0124, 500)
    rates = Estimate(0.92, 0.87, 0.96, 0.02, 140), Estimate(0.77, 0.67, 0.86, 0.03, 80)

    found = rogan_gladen(says, *rates)

    assert np.isnan(found.estimate[:4]).all()
    # (0.084 + 0.77 - 1) / (0.92 + 0.77 - 1)
    assert "-21.2 %, further out than luck brings it" in found.why


@pytest.mark.parametrize("right", [20, 24])
def test_a_judge_hardly_better_than_a_coin_cannot_be_corrected_by_its_rates(right):
    rate = share(right, 40)

    found = rogan_gladen(share(50, 100), rate, rate)

    assert np.isnan(found.estimate.value) and "not clearly commoner" in found.why


@pytest.mark.parametrize("truth", [0.0, 0.02, 0.5, 0.97, 1.0])
def test_the_interval_covers_the_truth_near_both_ends(rng, truth):
    """An interval that is missing counts as one that does not cover."""
    worlds, covered = 600, 0
    for _ in range(worlds):
        says = share(rng.binomial(400, truth * 0.9 + (1 - truth) * 0.15), 400)
        rates = share(rng.binomial(140, 0.9), 140), share(rng.binomial(80, 0.85), 80)
        found = rogan_gladen(says, *rates).estimate
        covered += found.low <= truth <= found.high
        assert not found.high - found.low < 0.01

    assert covered >= worlds * 0.95 - 3 * np.sqrt(worlds * 0.05 * 0.95)
