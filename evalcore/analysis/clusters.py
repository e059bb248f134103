"""Items that share a source: their numbers, sums, and the error of means over them."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.analysis.intervals import Bounds

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

NOTHING = 1e-9
"""A standard error below this is one of rounding: the scores do not vary."""


MANY = 200
"""With so many clusters in each group, so many degrees of freedom are taken: Student's quantile is
then within 1 % of the normal one."""


class Moments(NamedTuple):
    """Of each column of items x columns."""

    mean: Floats
    se: Floats
    """Cluster-aware; NaN with fewer than two clusters or where the scores do not vary."""
    n: NDArray[np.int64]
    """Scored items."""
    clusters: NDArray[np.int64]
    """Clusters with a scored item."""


def codes(cluster: ArrayLike) -> Places:
    """Number the clusters 0, 1, … in the order of their names.

    >>> codes(["b", "a", "b"]).tolist()
    [1, 0, 1]
    """
    return np.unique(np.asarray(cluster), return_inverse=True)[1].astype(np.intp)


def moments(table: Floats, group: Places) -> Moments:
    """Give mean, standard error, scored items and clusters of each column of items x columns."""
    return with_sums(table, group)[0]


def with_sums(table: Floats, group: Places) -> tuple[Moments, Floats]:
    """As ``moments``, and the clusters' sums of x - mean: clusters x columns."""
    scored = ~np.isnan(table)
    whole = bool(scored.all())
    n = scored.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (table if whole else np.where(scored, table, 0)).sum(axis=0) / n
        away = summed(table - mean if whole else np.where(scored, table - mean, 0), group)
        if whole:
            clusters = np.full(table.shape[1], len(away))
        else:
            clusters = (summed(scored.astype(float), group) > 0).sum(axis=0)
        se = np.sqrt(clusters / (clusters - 1) * (away**2).sum(axis=0)) / n
    known = (clusters > 1) & ~_flat(table, scored) & (se > NOTHING)
    return Moments(mean, np.where(known, se, np.nan), n, clusters), away


def right_or_wrong(table: Floats) -> NDArray[np.bool_]:
    """Whether all scores of each column are 0 or 1; NaN is unscored."""
    whole: NDArray[np.bool_] = ((table == 0) | (table == 1) | np.isnan(table)).all(axis=0)
    return whole


def summed(table: NDArray[Any], group: Places) -> NDArray[Any]:
    """Sum the rows of each cluster: clusters x columns."""
    size = int(group.max()) + 1 if len(group) else 0
    if size == len(group):
        out = np.empty_like(table)
        out[group] = table
        return out
    if size == 1:
        return np.asarray(table.sum(axis=0, keepdims=True))
    return np.asarray(membership(group, table.dtype) @ table)


def freedom(count: ArrayLike, weight: ArrayLike) -> float:
    """Give the degrees of freedom of the clustered error of a weighted sum of groups' means.

    Its square is a sum of squares over clusters of each one's part in the deviations. Where
    clusters vary alike this is a mix of chi-squares with weights l, worth (sum l)^2 / sum l^2
    degrees of freedom (Satterthwaite 1946; Bell & McCaffrey 2002): G - 1 with one group and G
    clusters of one size, Welch's with groups that share none, and few where a small group weighs
    much.

    Args:
        count: clusters x groups, how many of a group's items are about a cluster.
        weight: of each group's mean in the sum.

    Returns:
        ``MANY`` where every group has so many clusters or more; NaN where nothing can vary: no
        items, or one cluster a group.

    Example:
        >>> round(freedom([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]], [0.5, 0.5]), 6)
        4.0
    """
    items = np.asarray(count, dtype=float)
    clusters = (items > 0).sum(axis=0)
    if clusters.min(initial=MANY) >= MANY:
        return float(MANY)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = items / items.sum(axis=0)
        factor = np.where(clusters > 1, np.sqrt(clusters / (clusters - 1)), 0)
    own = share * factor * np.asarray(weight, dtype=float)
    # A cluster moves the sum by its own part, and through the means that it is compared with: the
    # matrix diag(h) - own share', whose squares' traces need no matrix of clusters x clusters.
    square = own.sum(axis=1) ** 2
    sides = np.hstack([own, own.sum(axis=1)[:, None] * share])
    identity, none = np.eye(share.shape[1]), np.zeros((share.shape[1],) * 2)
    middle = np.block([[share.T @ share, -identity], [-identity, none]])
    turned = middle @ (sides.T @ sides)
    first = square.sum() + np.trace(turned)
    second = (square**2).sum() + 2 * np.trace(middle @ (sides.T @ (square[:, None] * sides)))
    second += np.trace(turned @ turned)
    if not first > NOTHING * square.sum():
        return float("nan")
    return max(1.0, float(first**2 / second))


def membership(group: Places, kind: np.dtype[Any]) -> "csr_array":
    """Which item lies in which cluster, clusters x items: times a table it sums quickly."""
    from scipy.sparse import csr_array

    order = np.argsort(group, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(group))])
    return csr_array((np.ones(len(group), kind), order, ends), shape=(len(ends) - 1, len(group)))


def _flat(table: Floats, scored: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each column's scores are all the same, or none."""
    low = table.min(axis=0, initial=np.inf, where=scored)
    high = table.max(axis=0, initial=-np.inf, where=scored)
    flat: NDArray[np.bool_] = high <= low
    return flat


def unvaried_bounds(difference: ArrayLike, clusters: ArrayLike, quantile: ArrayLike) -> Bounds:
    """Give the interval of a mean difference that every cluster shows.

    It is d - s (1 + d) to d + s (1 - d). With single questions, and so d = 0 or 1 or -1, it is
    Tango's score interval of paired proportions (1998, Statistics in Medicine 17:891-908) with t
    for z.

    Args:
        difference: d, -1 to 1.
        clusters: G; fewer than two say nothing and give NaN.
        quantile: t, two-sided.

    Example:
        >>> low, high = unvaried_bounds([0, 1], 200, 1.96)
        >>> low.round(3).tolist(), high.round(3).tolist()
        ([-0.019, 0.962], [0.019, 1.0])
    """
    apart, share = np.asarray(difference, dtype=float), _others(clusters, quantile)
    return Bounds(apart - share * (1 + apart), apart + share * (1 - apart))


def unvaried_error(clusters: ArrayLike, quantile: ArrayLike) -> Floats:
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
