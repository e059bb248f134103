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


def of_grades(value: ArrayLike, se: ArrayLike, n: ArrayLike, quantile: ArrayLike) -> Bounds:
    """Give a mean of grades Student's t interval with one more item, half right, half wrong.

    Few good grades with a rare bad one show too little spread, so value +- t se misses the truth
    too often near the ends of the scale. One more item, as in Jeffreys' prior, mends that, and
    weighs nothing among many.

    Args:
        value: mean scores, 0 to 1; NaN is unknown.
        se: their standard errors; NaN is unknown and gives NaN.
        n: items behind each.
        quantile: t, the two-sided quantile for each error's degrees of freedom.

    Example:
        >>> low, high = of_grades(0.95, 0.01, 20, 2.093)
        >>> round(float(low), 3), round(float(high), 3)
        (0.86, 0.997)
    """
    p, error = np.asarray(value, dtype=float), np.asarray(se, dtype=float)
    items = np.asarray(n, dtype=float)
    centre = (p * items + 0.5) / (items + 1)
    more = (centre**2 + (1 - centre) ** 2) / 2
    half = np.asarray(quantile, dtype=float) * np.sqrt((error * items) ** 2 + more) / (items + 1)
    low, high = np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)
    return Bounds(np.minimum(low, p), np.maximum(high, p))


def of_error(value: ArrayLike, se: ArrayLike, quantile: ArrayLike, level: float = LEVEL) -> Bounds:
    """Give Wilson's interval of as many right-or-wrong items as a standard error is worth.

    Items: p(1-p)/se^2 (z/t)^2 (Korn & Graubard 1998, Survey Methodology 24:193-201). With p at 0 or
    1 that is none, whatever the error; so at least as many as make the interval's half-width t se.
    Unlike value +- t se it bends away from the ends of the scale, where scores are skewed.

    Args:
        value: mean scores, 0 to 1; NaN is unknown.
        se: their standard errors, above 0; NaN is unknown and gives NaN.
        quantile: t, the two-sided quantile for each error's degrees of freedom.
        level: confidence level.

    Raises:
        BadInput: a value outside 0..1 or the level outside 0..1.

    Example:
        >>> low, high = of_error(0.7, 0.7**0.5 * 0.3**0.5 / 10, 1.959964)
        >>> round(float(low), 3), round(float(high), 3)
        (0.604, 0.781)
    """
    p, error = np.asarray(value, dtype=float), np.asarray(se, dtype=float)
    square = z(level) ** 2
    half = np.asarray(quantile, dtype=float) * error
    with np.errstate(invalid="ignore", divide="ignore"):
        plain = p * (1 - p) * square / half**2
        # The n > 0 at which Wilson's half-width, squared, is that of t se: a quadratic in n.
        wide = np.minimum(half, 0.5 - 1e-9) ** 2
        linear = square * (2 * wide - p * (1 - p))
        alike = np.sqrt(linear**2 + 4 * wide * square**2 * (0.25 - wide)) - linear
        return wilson(p, np.maximum(plain, alike / (2 * wide)), level)


def of_sum(
    value: ArrayLike, se: ArrayLike, n: ArrayLike, quantile: ArrayLike, whole: ArrayLike
) -> Bounds:
    """Give the intervals of weighted means over several groups of items, from their errors.

    Args:
        value: the means, 0 to 1 but for rounding; se, n and quantile are as for ``of_grades``.
        whole: whether each one's scores are all right or wrong: then ``of_error``, else
            ``of_grades``.
    """
    mean = np.clip(np.asarray(value, dtype=float), 0, 1)
    right, graded = of_error(mean, se, quantile), of_grades(mean, se, n, quantile)
    return Bounds(np.where(whole, right.low, graded.low), np.where(whole, right.high, graded.high))


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
