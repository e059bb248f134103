"""Standard errors, intervals and resamples of mean scores over items that may share a source.

Items that share an image are one cluster: a model that misreads it misses several questions at
once, and treating them as independent makes intervals too narrow (Miller 2024, arXiv 2411.00640).
One cluster, or scores that do not vary, say nothing about the error: the result is NaN there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evalcore.analysis import intervals
from evalcore.analysis.clusters import Floats as Floats
from evalcore.analysis.clusters import Moments, with_sums
from evalcore.analysis.clusters import Places as Places
from evalcore.analysis.clusters import codes as codes
from evalcore.analysis.clusters import freedom as freedom
from evalcore.analysis.clusters import moments as moments
from evalcore.analysis.clusters import right_or_wrong as right_or_wrong
from evalcore.analysis.clusters import summed as summed
from evalcore.analysis.intervals import LEVEL, Bounds
from evalcore.errors import BadInput

RESAMPLES = 2000
MANY = 20_000
"""With more clusters than this, draws are normal ones: resampling would give the same, slowly."""
FEW = 500
"""A group with fewer clusters is resampled all the same."""
BLOCK_CELLS = 8_000_000
"""Resampling weights held at a time: 32 MB."""


@dataclass(frozen=True)
class Draws:
    """Mean scores by group of items and column, and what they became in each resample."""

    mean: Floats
    """Groups x columns; NaN where nothing is scored."""
    se: Floats
    """Cluster-aware standard errors, groups x columns."""
    n: NDArray[np.int64]
    """Scored items, groups x columns."""
    clusters: NDArray[np.int64]
    """Clusters with a scored item, groups x columns."""
    draws: NDArray[np.float32]
    """Resamples x groups x columns; NaN where a resample holds none of a group's items."""
    freedom: Floats | None = None
    """Degrees of freedom of the errors, groups x columns; None: clusters - 1."""
    whole: NDArray[np.bool_] | None = None
    """Whether all scores of each column are 0 or 1; None: not known."""

    @property
    def degrees(self) -> Floats:
        """Degrees of freedom of the errors, groups x columns."""
        if self.freedom is not None:
            return self.freedom
        return np.asarray(self.clusters - 1, dtype=float)


def standard_error(score: ArrayLike, cluster: ArrayLike | None = None) -> Floats:
    """Give the standard error of the mean of each column, with items clustered.

    sqrt(G/(G-1) * sum over clusters of (sum of x - mean)^2) / n with G clusters: the sandwich
    estimator of a regression on a constant ("CR1"; Liang & Zeger 1986, Miller 2024). Where every
    item stands alone it is sd/sqrt(n).

    Args:
        score: n items, or items x columns; NaN is unscored and left out.
        cluster: the cluster of each item; None where each stands alone.

    Returns:
        One number a column (0-d for one column); NaN with fewer than two clusters or where the
        scores do not vary.

    Raises:
        BadInput: there is not one cluster an item.

    Example:
        >>> round(float(standard_error([1, 1, 0, 0])), 4)
        0.2887
        >>> round(float(standard_error([1, 1, 0, 0], ["a", "a", "b", "b"])), 4)
        0.5
    """
    table, group = _table(score, cluster)
    return moments(table, group)[1].reshape(np.shape(score)[1:])


def wilson(score: ArrayLike, cluster: ArrayLike | None = None, level: float = LEVEL) -> Bounds:
    """Give the Wilson interval of right-or-wrong scores, with the items' worth cut by clustering.

    The n in it is p(1-p)/se^2 with the clustered se, times (z/t)^2 with G - 1 degrees of freedom
    where clusters hold several items (Korn & Graubard 1998, Survey Methodology 24:193-201), and at
    most the number of items. All right or all wrong counts a cluster as one item.

    Args:
        score: n items or items x columns, each 0, 1 or NaN (unscored).
        cluster: the cluster of each item; None where each stands alone.
        level: confidence level.

    Raises:
        BadInput: a score that is neither 0 nor 1.

    Example:
        >>> low, high = wilson([1] * 70 + [0] * 30)
        >>> round(float(low), 3), round(float(high), 3)
        (0.604, 0.781)
    """
    table, group = _table(score, cluster)
    if not np.isin(table[~np.isnan(table)], (0, 1)).all():
        raise BadInput("Wilson's interval needs scores of 0 or 1; graded ones have `interval`")
    sums = moments(table, group)
    low, high = intervals.wilson(sums.mean, _worth(sums, level), level)
    shape = np.shape(score)[1:]
    return Bounds(low.reshape(shape), high.reshape(shape))


def interval(
    score: ArrayLike,
    cluster: ArrayLike | None = None,
    level: float = LEVEL,
    more: ArrayLike | None = None,
) -> Bounds:
    """Give the interval of the mean of each column: ``wilson``, for grades ``of_grades``.

    Args:
        score: n items or items x columns, in [0, 1] or NaN (unscored).
        cluster: the cluster of each item; None where each stands alone.
        level: confidence level.
        more: a further standard error of each column's mean, such as a judge's; of grades only.

    Returns:
        NaN where the error is unknown.
    """
    table, group = _table(score, cluster)
    sums = moments(table, group)
    error = sums.se if more is None else np.hypot(sums.se, np.nan_to_num(more))
    student = t_quantile(sums.clusters - 1, level)
    low, high = intervals.of_grades(np.clip(sums.mean, 0, 1), error, sums.n, student)
    whole = right_or_wrong(table)
    low[whole], high[whole] = wilson(table[:, whole], group, level)
    shape = np.shape(score)[1:]
    return Bounds(low.reshape(shape), high.reshape(shape))


def worth(score: ArrayLike, cluster: ArrayLike | None = None, level: float = LEVEL) -> Floats:
    """Give the n of ``wilson``: how many equally likely items the scores are worth.

    Args:
        score: n items or items x columns in [0, 1], or with a mean in it; NaN is unscored. Graded
            scores are worth at least what they are given, since they vary less than 0 and 1.
        cluster: the cluster of each item; None where each stands alone.
        level: confidence level.

    Returns:
        One number a column; NaN where nothing is scored, or several items of one cluster alone.

    Example:
        >>> float(worth([1, 1, 0, 1])), round(float(worth([1, 1, 0, 1] * 3, [*"abcd"] * 3)), 2)
        (4.0, 1.14)
    """
    return _worth(moments(*_table(score, cluster)), level).reshape(np.shape(score)[1:])


def _worth(sums: Moments, level: float) -> Floats:
    mean, se, n, clusters = sums
    alone = clusters == n
    worth = np.where(np.isnan(se), clusters, mean * (1 - mean) / se**2)
    worth = worth * np.where(alone, 1, (intervals.z(level) / t_quantile(clusters - 1, level)) ** 2)
    worth = np.where(alone, n, np.minimum(worth, n))
    return np.where((n > 0) & (alone | (clusters > 1)), worth, np.nan)


def t_quantile(freedom: ArrayLike, level: float = LEVEL) -> Floats:
    """Give the two-sided quantile of Student's t; NaN without a degree of freedom.

    >>> float(t_quantile(9).round(3))
    2.262
    """
    from scipy.special import stdtrit

    degrees = np.asarray(freedom, dtype=float)
    known = np.where(degrees >= 1, degrees, np.nan)
    quantile: Floats = np.asarray(stdtrit(known, 0.5 + level / 2), dtype=float)
    return quantile


def bootstrap(  # noqa: PLR0913  one assumption an argument
    score: ArrayLike,
    cluster: ArrayLike | None,
    rng: np.random.Generator,
    groups: Sequence[Places] | None = None,
    strata: ArrayLike | None = None,
    resamples: int = RESAMPLES,
) -> Draws:
    """Draw whole clusters anew, many times, with the same draws for all columns and groups.

    One matrix of weights (clusters x resamples) meets the clusters' sums, so models stay paired
    and groups may share items. A group's mean is the sum of scores over the number of scored items
    in the resample, so that it may hold clusters of unlike size. With more than ``MANY`` clusters
    the draws are normal ones with the same covariance between columns.

    Args:
        score: items x columns; NaN is unscored.
        cluster: the cluster of each item; None where each stands alone.
        rng: random numbers.
        groups: positions of the items of each group; None is one group of all.
        strata: a name for each item, such as its data set: clusters are drawn within it, so that
            every resample has as many clusters of it as the data. A cluster lies in one stratum.
        resamples: how many.

    Raises:
        BadInput: not one cluster or stratum an item, or a cluster that lies in two strata.

    Example:
        >>> both = bootstrap([[1, 0], [1, 1], [0, 0]], None, np.random.default_rng(1))
        >>> both.mean.round(3).tolist(), both.draws.shape
        ([[0.667, 0.333]], (2000, 1, 2))
    """
    table, group = _table(score, cluster)
    parts = [np.arange(len(table))] if groups is None else list(groups)
    stratum = _strata(group, strata)
    summed: list[Moments] = []
    if len(stratum) > MANY:
        draws = np.empty((resamples, len(parts), table.shape[1]), dtype=np.float32)
        for place, part in enumerate(parts):
            part_sums, draws[:, place] = _alone(table[part], group[part], stratum, rng, resamples)
            summed.append(part_sums)
    else:
        summed = [moments(table[part], codes(group[part])) for part in parts]
        sums = [_sums(table[part], group[part]) for part in parts]
        draws = _resampled(sums, stratum, rng, resamples)
    mean, se, n, clusters = (np.stack(part) for part in zip(*summed, strict=True))
    return Draws(mean, se, n, clusters, draws, whole=right_or_wrong(table))


def weight_blocks(
    stratum: Places, rng: np.random.Generator, resamples: int
) -> Iterator[NDArray[np.float32]]:
    """Give how often each cluster is drawn: clusters x resamples, in blocks of resamples.

    Args:
        stratum: the stratum of each cluster, 0, 1, …; within each, as many are drawn as there are.
        rng: random numbers.
        resamples: how many.
    """
    size = len(stratum)
    order = np.argsort(stratum, kind="stable")
    numbers = np.bincount(stratum) if size else np.zeros(0, dtype=np.intp)
    starts = np.repeat(np.cumsum(numbers) - numbers, numbers)
    reach = np.repeat(numbers, numbers)
    for start in range(0, resamples, step := max(1, BLOCK_CELLS // max(1, size))):
        block = min(step, resamples - start)
        if numbers.size <= 1:
            drawn = rng.integers(0, max(1, size), size=(size, block))
        else:
            within = (rng.random((size, block)) * reach[:, None]).astype(np.intp)
            drawn = order[starts[:, None] + within]
        flat = drawn.astype(np.intp) * block + np.arange(block)
        counts = np.bincount(flat.ravel(), minlength=size * block)
        yield counts.astype(np.float32).reshape(size, block)


def _table(score: ArrayLike, cluster: ArrayLike | None) -> tuple[Floats, Places]:
    """Scores as items x columns, and the number of each item's cluster."""
    table = np.asarray(score, dtype=float)
    table = table[:, None] if table.ndim == 1 else table
    group = np.arange(len(table)) if cluster is None else codes(cluster)
    if len(group) != len(table):
        raise BadInput(f"{len(table)} items have {len(group)} clusters; give one an item")
    return table, group


def _sums(table: Floats, group: Places) -> tuple[Places, NDArray[np.float32], NDArray[np.float32]]:
    """The clusters of a group's items, and their sums and scored items by column."""
    present, within = np.unique(group, return_inverse=True)
    scored = ~np.isnan(table)
    total = summed(np.where(scored, table, 0), within)
    count = scored if not scored.all() else scored[:, :1]
    return present, total.astype(np.float32), summed(count.astype(float), within).astype(np.float32)


def _resampled(
    sums: list[tuple[Places, NDArray[np.float32], NDArray[np.float32]]],
    stratum: Places,
    rng: np.random.Generator,
    resamples: int,
) -> NDArray[np.float32]:
    """Draws of all groups, with the same weights: resamples x groups x columns."""
    columns = sums[0][1].shape[1] if sums else 0
    draws = np.empty((resamples, len(sums), columns), dtype=np.float32)
    done = 0
    for weights in weight_blocks(stratum, rng, resamples):
        block = slice(done, done := done + weights.shape[1])
        for place, (present, total, count) in enumerate(sums):
            used = weights if len(present) == len(stratum) else weights[present]
            with np.errstate(invalid="ignore", divide="ignore"):
                draws[block, place] = ((total.T @ used) / (count.T @ used)).T
    return draws


def _alone(
    table: Floats, group: Places, stratum: Places, rng: np.random.Generator, resamples: int
) -> tuple[Moments, NDArray[np.float32]]:
    """Moments and draws (resamples x columns) of one group among very many clusters.

    The draws are normal with the covariance that resampling has in the limit: that of the clusters'
    sums of x - mean. A group with few clusters is resampled by itself.
    """
    present, within = np.unique(group, return_inverse=True)
    sums, away = with_sums(table, within)
    mine = codes(stratum[present])
    if len(present) < FEW:
        _, total, count = _sums(table, group)
        drawn = _resampled([(np.arange(len(present)), total, count)], mine, rng, resamples)
        return sums, drawn[:, 0]
    numbers = np.bincount(mine)[:, None]
    away = (away - (summed(away, mine) / numbers)[mine]) / np.maximum(sums.n, 1)
    size, turn = np.linalg.eigh(np.nan_to_num(away.T @ away))
    root = turn * np.sqrt(np.maximum(size, 0))
    draws: Floats = sums.mean + rng.standard_normal((resamples, len(sums.mean))) @ root.T
    return sums, draws.astype(np.float32)


def _strata(group: Places, strata: ArrayLike | None) -> Places:
    """The stratum of each cluster."""
    size = int(group.max()) + 1 if len(group) else 0
    if strata is None:
        return np.zeros(size, dtype=np.intp)
    named = codes(strata)
    if len(named) != len(group):
        raise BadInput(f"{len(group)} items have {len(named)} strata; give one an item")
    out = np.zeros(size, dtype=np.intp)
    out[group] = named
    if (out[group] != named).any():
        raise BadInput("a cluster lies in two strata; name the stratum by what its items share")
    return out
