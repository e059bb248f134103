"""Standard errors and intervals of one published mean, from its value and its number of items.

Everything here works on whole columns at once. What cannot be known is NaN: a missing interval is
never drawn as an interval of zero width.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from evalcore.errors import BadInput

LEVEL = 0.95
"""The confidence level used wherever the reader has not chosen another."""


class Bounds(NamedTuple):
    """The two ends of a column of intervals; NaN where there is none."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def z(level: float = LEVEL) -> float:
    """Give the two-sided normal quantile of a confidence level.

    Raises:
        BadInput: the level is not between 0 and 1.

    Example:
        >>> round(z(0.95), 3)
        1.96
    """
    if not 0 < level < 1:
        raise BadInput(f"confidence level {level!r} should lie between 0 and 1, such as 0.95")
    return float(ndtri(0.5 + level / 2))


def wilson(value: ArrayLike, n: ArrayLike, level: float = LEVEL) -> Bounds:
    """Give the Wilson score interval of a proportion.

    With p = value, the centre is (p + z^2/2n) / (1 + z^2/n) and the half-width
    z sqrt(p(1-p)/n + z^2/4n^2) / (1 + z^2/n) (Wilson 1927, JASA 22:209-212). For a graded score in
    [0, 1] it is an upper bound, see ``standard_error``.

    Args:
        value: proportions or mean scores, 0 to 1; NaN is unknown.
        n: items behind each value; NaN or 0 is unknown and gives NaN.
        level: confidence level.

    Raises:
        BadInput: a value outside 0..1, a negative n, or a level outside 0..1.

    Example:
        >>> low, high = wilson(0.7, 100)
        >>> round(float(low), 3), round(float(high), 3)
        (0.604, 0.781)
    """
    p, items = _checked(value, n)
    centre, half = _wilson_parts(p, items, z(level))
    # At p = 0 and 1 one end is p itself; floating point may miss it by one bit.
    return Bounds(np.minimum(centre - half, p), np.maximum(centre + half, p))


def standard_error(value: ArrayLike, n: ArrayLike) -> NDArray[np.float64]:
    """Give the binomial standard error sqrt(p(1-p)/n) of a mean over n items.

    It is exact for right-or-wrong items. For graded items in [0, 1] with mean p it is an upper
    bound, because x^2 <= x there and so Var(x) = E[x^2] - p^2 <= p - p^2 = p(1-p). It treats items
    as independent; several questions on one image make the true error larger (Miller 2024,
    arXiv 2411.00640).

    At p = 0 or 1 the formula would give 0, as if nothing were uncertain. There the half-width of
    the 95 % Wilson interval divided by its z is given: z / (2 (n + z^2)).

    Args:
        value: proportions or mean scores, 0 to 1; NaN is unknown.
        n: items behind each value; NaN or 0 is unknown and gives NaN.

    Raises:
        BadInput: a value outside 0..1 or a negative n.

    Example:
        >>> round(float(standard_error(0.7, 517)), 4)
        0.0202
    """
    p, items = _checked(value, n)
    quantile = z(LEVEL)
    _, half = _wilson_parts(p, items, quantile)
    binomial = np.sqrt(p * (1 - p) / items)
    return np.where((p == 0) | (p == 1), half / quantile, binomial)


def with_repeats(se: ArrayLike, sd: ArrayLike, repeats: ArrayLike) -> NDArray[np.float64]:
    """Add the spread over repeated judge runs to a sampling error, in quadrature.

    The result is sqrt(se^2 + sd^2/repeats): judge noise is independent of which items were drawn.
    An unknown se stays unknown, because judge noise alone is no sampling error.

    Args:
        se: standard error over items; NaN is unknown.
        sd: standard deviation over the judge's runs; NaN (none published) adds nothing.
        repeats: runs averaged in the value; NaN (unknown) counts as one, the cautious reading.

    Raises:
        BadInput: a negative sd, or fewer than one repeat.

    Example:
        >>> round(float(with_repeats(0.0197, 0.002, 5)), 4)
        0.0197
    """
    spread = np.asarray(sd, dtype=float)
    runs = np.asarray(repeats, dtype=float)
    if (spread < 0).any():
        raise BadInput(f"spread over judge runs {float(np.nanmin(spread))!r} should be 0 or more")
    if (runs < 1).any():
        raise BadInput(f"number of judge runs {float(np.nanmin(runs))!r} should be 1 or more")
    judge = np.nan_to_num(spread**2) / np.where(np.isnan(runs), 1, runs)
    total: NDArray[np.float64] = np.sqrt(np.asarray(se, dtype=float) ** 2 + judge)
    return total


def normal(value: ArrayLike, se: ArrayLike, level: float = LEVEL, floor: ArrayLike = 0.0) -> Bounds:
    """Give the normal interval value +- z se, cut off at the ends of the scale.

    Args:
        value: mean scores.
        se: their standard errors; NaN is unknown and gives NaN.
        level: confidence level.
        floor: the least possible score: 0, or below 0 on a scale where chance is 0.

    Raises:
        BadInput: the level is not between 0 and 1.

    Example:
        >>> low, high = normal(0.97, 0.02)
        >>> round(float(low), 3), round(float(high), 3)
        (0.931, 1.0)
    """
    centre = np.asarray(value, dtype=float)
    half = z(level) * np.asarray(se, dtype=float)
    lowest = np.asarray(floor, dtype=float)
    return Bounds(np.clip(centre - half, lowest, 1), np.clip(centre + half, lowest, 1))


def _checked(value: ArrayLike, n: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Turn both into float arrays, with an n of 0 as unknown."""
    p, items = np.asarray(value, dtype=float), np.asarray(n, dtype=float)
    outside = p[(p < 0) | (p > 1)]
    if outside.size:
        raise BadInput(f"score {float(outside[0])!r} should be a fraction between 0 and 1")
    negative = items[items < 0]
    if negative.size:
        raise BadInput(f"number of items {float(negative[0])!r} should be 0 or more")
    return p, np.where(items == 0, np.nan, items)


def _wilson_parts(
    p: NDArray[np.float64], n: NDArray[np.float64], quantile: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the centre and the half-width of the Wilson interval."""
    shrink = 1 + quantile**2 / n
    half = quantile * np.sqrt(p * (1 - p) / n + (quantile / (2 * n)) ** 2) / shrink
    return (p + quantile**2 / (2 * n)) / shrink, half
