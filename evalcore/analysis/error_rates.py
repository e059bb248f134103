"""A true share from a judge's share of yes and its two rates of being right (Rogan and Gladen).

Rogan & Gladen 1978, Am. J. Epidemiol. 107:71-76. Three shares go into it, each with a Wilson
interval of its own, and the interval of the result is made of theirs.
"""

from typing import NamedTuple

import numpy as np

from evalcore.analysis import intervals
from evalcore.analysis.agreement import Estimate

NO_FIT = "the labels and the raw score do not fit together"


class ByRates(NamedTuple):
    """A share corrected by a judge's rates, and what is wrong with it."""

    estimate: Estimate
    why: str
    """Why there is none, or why it stands at 0 or 1; empty where nothing is wrong."""


def rogan_gladen(says: Estimate, sensitivity: Estimate, specificity: Estimate) -> ByRates:
    """The true share from the judge's share of yes: (p + spec - 1)/(sens + spec - 1).

    The interval inverts a test, so that nothing is divided by an uncertain number (as Fieller's): a
    true share t stays where p and what the rates make of it, t sens + (1 - t)(1 - spec), differ by
    no more than the arms of the three intervals on that side, in quadrature (Zou & Donner 2008,
    Stat. Med. 27:1693-1702). A p that the rates make of no share is first brought to the nearest
    one that they do make. That takes no share out of the interval, and leaves it its width at 0 and
    1. The standard error is the delta method's.

    Returns:
        Not defined where sens + spec - 1 is not clearly above 0, nor where p lies further from what
        the rates can make than luck brings it: the judge errs otherwise here than on the labels.

    Example:
        >>> says = Estimate(0.6, 0.5, 0.7, 0.05, 100)
        >>> rate = Estimate(0.9, 0.8, 0.96, 0.04, 60)
        >>> round(rogan_gladen(says, rate, rate).estimate.value, 3)
        0.625
    """
    nothing = Estimate(np.nan, np.nan, np.nan, np.nan, says.n)
    power = sensitivity.value + specificity.value - 1
    if np.isnan(power):
        return ByRates(nothing, "no labels of right answers, or none of wrong ones")
    if not power > np.hypot(
        sensitivity.value - sensitivity.low, specificity.value - specificity.low
    ):
        return ByRates(nothing, "the judge's yes is not clearly commoner where people say yes")
    value = (says.value + specificity.value - 1) / power
    near, why = float(np.clip(value, 0, 1)), ""
    if near != value:
        why = f"{NO_FIT}: by one error rate for all it would be {100 * value:.1f} %"
        if np.polyval(_test(says, value * power, sensitivity, specificity, value < 0), near) > 0:
            return ByRates(nothing, f"{why}, further out than luck brings it")
    errors = [_error(one) for one in (says, sensitivity, specificity)]
    se = float(np.hypot(np.hypot(errors[0], errors[1] * value), errors[2] * (1 - value)) / power)
    low, high = (
        _end(_test(says, near * power, sensitivity, specificity, above), near, above)
        for above in (False, True)
    )
    return ByRates(Estimate(near, low, high, se, says.n), why)


def _test(
    says: Estimate, away: float, sensitivity: Estimate, specificity: Estimate, above: bool
) -> tuple[float, float, float]:
    """A quadratic in a true share t that is above 0 where t does not fit.

    Args:
        says: The judge's share of yes.
        away: How far it, or what stands for it, lies from 1 - specificity.
        sensitivity: Of the judge.
        specificity: Of the judge.
        above: Whether t makes more of yes than that, which tells the arms that count.
    """
    power = sensitivity.value + specificity.value - 1
    if above:
        arms = says.high - says.value, sensitivity.value - sensitivity.low
        third = specificity.high - specificity.value
    else:
        arms = says.value - says.low, sensitivity.high - sensitivity.value
        third = specificity.value - specificity.low
    first, second = arms
    return (
        power**2 - second**2 - third**2,
        2 * (third**2 - away * power),
        away**2 - first**2 - third**2,
    )


def _end(test: tuple[float, float, float], near: float, above: bool) -> float:
    """Where the shares stop to fit, from ``near``, which does, to 0 or to 1."""
    end = float(above)
    if np.isnan(test).any():
        return float("nan")
    if np.polyval(test, end) <= 0:
        return end
    low, high = sorted((near, end))
    # The test changes its sign once between the two, so one root lies there.
    return float(min(np.roots(test).real, key=lambda root: max(low - root, root - high)))


def _error(one: Estimate) -> float:
    if 0 < one.value < 1:
        return one.se
    return (one.high - one.low) / (2 * intervals.z())
