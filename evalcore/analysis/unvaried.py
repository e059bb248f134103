"""Two models whose right-or-wrong scores differ alike everywhere: what that is worth.

Resampling such differences gives the same one each time, as if nothing were uncertain. But of G
pictures or sources that all show the same difference one can say how many others may show another:
at most a share s = t^2/(G + t^2), the end of Wilson's interval of 0 of G with Student's t for z.
There the difference is at least -1 and at most 1.
"""

import numpy as np
from numpy.typing import ArrayLike

from evalcore.analysis.clusters import Floats
from evalcore.analysis.intervals import Bounds


def bounds(difference: ArrayLike, clusters: ArrayLike, quantile: ArrayLike) -> Bounds:
    """Give the interval of a mean difference that every cluster shows.

    It is d - s (1 + d) to d + s (1 - d). With single questions, and so d = 0 or 1 or -1, it is
    Tango's score interval of paired proportions (1998, Statistics in Medicine 17:891-908) with t
    for z.

    Args:
        difference: d, -1 to 1.
        clusters: G; fewer than two say nothing and give NaN.
        quantile: t, two-sided.

    Example:
        >>> low, high = bounds([0, 1], 200, 1.96)
        >>> low.round(3).tolist(), high.round(3).tolist()
        ([-0.019, 0.962], [0.019, 1.0])
    """
    apart, share = np.asarray(difference, dtype=float), _others(clusters, quantile)
    return Bounds(apart - share * (1 + apart), apart + share * (1 - apart))


def error(clusters: ArrayLike, quantile: ArrayLike) -> Floats:
    """Give half of the interval's width over t, for what takes a standard error: s/t."""
    half: Floats = _others(clusters, quantile) / np.asarray(quantile, dtype=float)
    return half


def sign_p_value(difference: ArrayLike, clusters: ArrayLike) -> Floats:
    """Give the two-sided p-value of no difference: the interval of its level ends at 0.

    With all of one model's answers right and the other's wrong it is McNemar's test with Student's
    t for z: t = sqrt(G).

    >>> sign_p_value([0, 1], [200, 1]).tolist()
    [1.0, nan]
    """
    from scipy.special import stdtr

    apart, number = np.asarray(difference, dtype=float), np.asarray(clusters, dtype=float)
    p = 2 * stdtr(np.maximum(number - 1, 1), -np.sqrt(number * np.abs(apart)))
    return np.where(number > 1, p, np.nan)


def _others(clusters: ArrayLike, quantile: ArrayLike) -> Floats:
    number, square = np.asarray(clusters, dtype=float), np.asarray(quantile, dtype=float) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(number > 1, square / (number + square), np.nan)
