"""How many questions it takes to tell two models apart, from how they differ on some."""

from typing import NamedTuple

import numpy as np

from evalcore.analysis import intervals
from evalcore.analysis.intervals import LEVEL
from evalcore.errors import BadInput

POWER = 0.8
"""The chance to find a difference that is there; the usual one."""


class Needed(NamedTuple):
    """Questions in all, and how many more than there are; NaN where it cannot be known."""

    total: float
    more: float


def questions(
    difference: float, se: float, n: int, power: float = POWER, level: float = LEVEL
) -> Needed:
    """Give the questions that would tell two models apart, if their difference stays as it is.

    n needed = n (z_(1-a/2) + z_power)^2 se^2 / difference^2: the paired se falls with the square
    root of the questions, its clustering included, if new ones are clustered like these (Miller
    2024, arXiv 2411.00640, section 5).

    Args:
        difference: of the two means.
        se: its standard error over n questions, clustered where they are.
        n: questions that both answered.
        power: the chance to find the difference.
        level: confidence level.

    Returns:
        NaN where the difference is 0 or its error unknown; ``more`` is 0 where n is enough.

    Raises:
        BadInput: a power or level outside 0..1, or a negative n.

    Example:
        >>> questions(0.03, 0.02, 300)
        Needed(total=1047.0, more=747.0)
    """
    return _needed(abs(difference), se, n, power, intervals.z(level))


def questions_for_equivalence(  # noqa: PLR0913  one assumption an argument
    difference: float, se: float, n: int, margin: float, level: float = LEVEL, power: float = POWER
) -> Needed:
    """Give the questions that would show two models equivalent within a margin.

    As ``questions``, with the distance from the difference to the margin. With a difference near 0
    both sides must hold, and the figure is a little low. NaN where the difference is beyond it.
    """
    return _needed(margin - abs(difference), se, n, power, intervals.z(level))


def detectable(se: float, power: float = POWER, level: float = LEVEL) -> float:
    """Give the smallest difference that as many questions find with that chance.

    >>> round(detectable(0.02), 3)
    0.056
    """
    return (intervals.z(level) + _one_sided(power)) * se


def _needed(distance: float, se: float, n: int, power: float, quantile: float) -> Needed:
    if n < 0:
        raise BadInput(f"number of questions {n!r} should be 0 or more")
    if np.isnan(distance) or np.isnan(se) or distance <= 0 or se <= 0 or not n:
        return Needed(float("nan"), float("nan"))
    total = float(np.ceil(n * ((quantile + _one_sided(power)) * se / distance) ** 2))
    return Needed(total, max(0.0, total - n))


def _one_sided(power: float) -> float:
    """The normal quantile of a power."""
    from scipy.special import ndtri

    if not 0 < power < 1:
        raise BadInput(f"power {power!r} should lie between 0 and 1, such as 0.8")
    return float(ndtri(power))
