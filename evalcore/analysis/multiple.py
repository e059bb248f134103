"""Many comparisons at once: adjusted p-values, simultaneous intervals, who may be the best."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from evalcore.analysis import intervals, ranking, resample
from evalcore.analysis.clusters import unvaried_bounds, unvaried_error
from evalcore.analysis.intervals import LEVEL, Bounds
from evalcore.analysis.resample import Draws, Floats
from evalcore.errors import BadInput

CORRECTIONS = ("none", "holm", "bh")
FLAT = 1e-6
"""Draws are kept in single precision: a spread below this is one of rounding."""


class Curse(NamedTuple):
    """How much too good the highest score looks, because it was picked for being highest."""

    top: float
    bias: float
    """Estimated from the resamples; NaN where it is not known."""
    corrected: float


def holm(p: ArrayLike) -> Floats:
    """Adjust p-values so that the chance of even one false finding stays below the level.

    The i-th smallest of m is multiplied by m - i + 1, and none falls below a smaller one's (Holm
    1979, Scandinavian Journal of Statistics 6:65-70). NaN takes no part.

    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    return _adjusted(p, lambda ranked, m: np.maximum.accumulate(ranked * (m - np.arange(m))))


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Adjust p-values so that the expected share of false findings stays below the level.

    The i-th smallest of m is multiplied by m/i, and none rises above a larger one's (Benjamini &
    Hochberg 1995, JRSS B 57:289-300). NaN takes no part.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.04, 0.04]
    """

    def step_up(ranked: Floats, m: int) -> Floats:
        raised = ranked * m / np.arange(1, m + 1)
        return np.minimum.accumulate(raised[::-1])[::-1]

    return _adjusted(p, step_up)


def adjusted(p: ArrayLike, correction: str) -> Floats:
    """Adjust p-values by one of ``CORRECTIONS``.

    Raises:
        BadInput: an unknown correction.
    """
    if correction not in CORRECTIONS:
        raise BadInput(f"correction {correction!r} is unknown; use one of {', '.join(CORRECTIONS)}")
    if correction == "none":
        return np.asarray(p, dtype=float)
    return holm(p) if correction == "holm" else benjamini_hochberg(p)


def max_t(
    draws: NDArray[np.float32], mean: Floats, se: Floats, freedom: float, level: float = LEVEL
) -> float:
    """Give the number of standard errors that all intervals need to hold together.

    It is the quantile of the largest ``|draw - mean| / se`` of a resample, so the dependence
    between the comparisons is the data's own (single-step max-t; Hothorn, Bretz & Westfall 2008),
    times t/z for few clusters. Comparisons without a standard error take no part.

    Args:
        draws: resamples x comparisons.
        mean: the comparisons' own values.
        se: their standard errors.
        freedom: degrees of freedom, for Student's t.
        level: confidence level of all together.

    Returns:
        NaN where no comparison has a standard error.
    """
    known = ~np.isnan(se) & (se > 0)
    if not known.any():
        return float("nan")
    away = np.abs(draws[:, known] - mean[known]) / se[known]
    largest = np.nanmax(np.where(np.isnan(away), 0, away), axis=1)
    student = float(resample.t_quantile(freedom, level))
    return max(float(np.quantile(largest, level)) * student / intervals.z(level), student)


def spread(draws: NDArray[np.float32], clusters: ArrayLike) -> Floats:
    """Give the standard errors that resamples show: sd x sqrt(G/(G-1)); NaN where none varies."""
    number = np.asarray(clusters, dtype=float)
    drawn = ~np.isnan(draws)
    many = np.maximum(drawn.sum(axis=0), 1)
    away = np.where(drawn, draws, 0).astype(np.float64)
    away = np.where(drawn, away - away.sum(axis=0) / many, 0)
    sd = np.sqrt((away**2).sum(axis=0) / many)
    with np.errstate(invalid="ignore", divide="ignore"):
        se: Floats = sd * np.sqrt(number / (number - 1))
    return np.where((number > 1) & (sd > FLAT), se, np.nan)


def within(low: Floats, high: Floats, value: Floats) -> Bounds:
    """Cut intervals of differences off at -1 and 1, unless the difference itself lies beyond."""
    return Bounds(
        np.maximum(low, np.minimum(value, -1.0)), np.minimum(high, np.maximum(value, 1.0))
    )


def percentile(
    draws: NDArray[np.float32],
    clusters: ArrayLike,
    level: float = LEVEL,
    freedom: ArrayLike | None = None,
) -> Bounds:
    """Give the percentile interval, widened for few clusters.

    The tail's share a/2 becomes Phi(-sqrt(G/(G-1)) t), t the quantile of Student's t: with few
    clusters the plain one is too narrow (Hesterberg 2015, The American Statistician 69:371-386,
    "expanded percentile interval").

    Args:
        draws: resamples first; the other axes are those of ``clusters``.
        clusters: G of each column; fewer than two give NaN.
        level: confidence level.
        freedom: degrees of freedom of each column; G - 1 where they are not given.
    """
    from scipy.special import ndtr

    number = np.asarray(clusters, dtype=float)
    student = resample.t_quantile(number - 1 if freedom is None else freedom, level)
    with np.errstate(invalid="ignore", divide="ignore"):
        tail = ndtr(-np.sqrt(number / (number - 1)) * student)
    flat, tails = draws.reshape(len(draws), -1), np.broadcast_to(tail, draws.shape[1:]).ravel()
    low, high = np.full(flat.shape[1], np.nan), np.full(flat.shape[1], np.nan)
    for share in np.unique(tails[~np.isnan(tails)]):
        same = tails == share
        part = flat[:, same].astype(float)
        quantile = np.nanquantile if np.isnan(part).any() else np.quantile
        low[same], high[same] = quantile(part, [share, 1 - share], axis=0)
    return Bounds(low.reshape(draws.shape[1:]), high.reshape(draws.shape[1:]))


def standings(
    resampled: Draws, names: Sequence[str], group: int = 0, level: float = LEVEL
) -> pd.DataFrame:
    """Compare every model with the leader and with each other, all intervals at once.

    ``behind`` is the leader's score less the model's, with intervals that hold for all models
    together (see ``unvaried_bounds`` where right-or-wrong scores all differ alike); a model whose
    interval covers 0, or has none, cannot be told from the leader and is in the tied-best set. Rank
    ranges count the models that are clearly better or worse with each model's own intervals
    (Mogstad, Romano, Shaikh & Wilhelm 2024). ``p_best`` is the share of resamples that a model
    leads, see ``_share_first``; by itself it is no rule for choosing.

    Args:
        resampled: resamples of scores on common items.
        names: of the columns.
        group: which group of items.
        level: confidence level.

    Returns:
        One row a scored model, best first, index ``entry``: score, low, high, n, clusters, behind,
        behind_low, behind_high, tied, p_best, rank_low, rank_high. NaN is not known.
    """
    mean, draws = resampled.mean[group], resampled.draws[:, group]
    scored = np.flatnonzero(~np.isnan(mean))
    order = scored[np.argsort(-mean[scored], kind="stable")]
    mean, draws = mean[order], draws[:, order]
    clusters, freedom = resampled.clusters[group, order], resampled.degrees[group, order]
    known = ~np.isnan(resampled.se[group, order])
    low, high = np.full(len(order), np.nan), np.full(len(order), np.nan)
    low[known], high[known] = percentile(draws[:, known], clusters[known], level, freedom[known])
    table = pd.DataFrame(
        {
            "score": mean,
            "low": low,
            "high": high,
            "n": resampled.n[group, order],
            "clusters": clusters,
        },
        index=pd.Index([names[place] for place in order], name="entry"),
    )
    whole = np.zeros(len(order), bool) if resampled.whole is None else resampled.whole[order]
    ahead, reach, ends = _compared(mean, draws, clusters, freedom, whole, level)
    first = (-ahead[0], -ends.high[0], -ends.low[0]) if len(order) else (mean, mean, mean)
    table["behind"], table["behind_low"], table["behind_high"] = first
    table["tied"] = ~(table["behind_low"] > 0)
    alone = len(order) == 1
    enough = bool((clusters > 1).all()) and len(order) > 0
    table["p_best"] = _share_first(mean, draws, reach) if enough and not alone else np.nan
    table["rank_low"] = (1.0 + (ends.low > 0).sum(axis=1)) if enough else np.nan
    table["rank_high"] = (len(order) - (ends.high < 0).sum(axis=1)) * 1.0 if enough else np.nan
    return table


def winners_curse(resampled: Draws, group: int = 0) -> Curse:
    """Estimate by how much the highest of several scores is too high.

    In each resample the highest model is picked; the bias is the mean excess of its resampled score
    over the score it has in the data, which stands for the truth there (the bootstrap's estimate of
    bias). It is largest where several models are close.
    """
    mean, draws = resampled.mean[group], resampled.draws[:, group]
    scored = ~np.isnan(mean)
    if not scored.any():
        return Curse(float("nan"), float("nan"), float("nan"))
    mean, draws = mean[scored], draws[:, scored]
    draws = draws[~np.isnan(draws).any(axis=1)]
    top = float(mean.max())
    if scored.sum() < 2 or not len(draws) or np.isnan(resampled.se[group][scored]).all():
        return Curse(top, float("nan"), float("nan"))
    first = draws.argmax(axis=1)
    bias = float((draws[np.arange(len(draws)), first] - mean[first]).mean())
    return Curse(top, bias, top - bias)


def _compared(  # noqa: PLR0913  one assumption an argument
    mean: Floats,
    draws: NDArray[np.float32],
    clusters: NDArray[np.int64],
    freedom: Floats,
    whole: NDArray[np.bool_],
    level: float,
) -> tuple[Floats, Floats, Bounds]:
    """How far each column is ahead of each row, its standard error, each row's intervals."""
    k = len(mean)
    ahead = mean[None, :] - mean[:, None]
    reach, low, high = (np.full((k, k), np.nan) for _ in range(3))
    for place in range(k):
        moved = draws - draws[:, [place]]
        number = np.minimum(clusters, clusters[place])
        own = spread(moved, number)
        least = float(np.minimum(freedom, freedom[place]).min())
        critical = max_t(moved, ahead[place], own, least, level)
        half = critical * own
        low[place], high[place] = within(ahead[place] - half, ahead[place] + half, ahead[place])
        same = np.isnan(own) & (number > 1) & whole & whole[place] & (np.arange(k) != place)
        if same.any():  # resampling knows nothing of these: together by Bonferroni's rule
            share = 1 - (1 - level) / int(same.sum())
            student = float(np.fmax(critical, resample.t_quantile(least, share)))
            ends = unvaried_bounds(ahead[place], number, student)
            low[place] = np.where(same, ends.low, low[place])
            high[place] = np.where(same, ends.high, high[place])
            own = np.where(same, unvaried_error(number, student), own)
        reach[place] = own
    return ahead, reach, Bounds(low, high)


def _share_first(mean: Floats, draws: NDArray[np.float32], reach: Floats) -> Floats:
    """The share of resamples that each model leads.

    With four models or more their scores are first drawn together as far as their errors explain
    their spread (James & Stein 1961): of many models that are close, the highest is mostly lucky,
    and the plain share would be too sure of it.
    """
    whole = draws[~np.isnan(draws).any(axis=1)]
    if not len(whole):
        return np.full(len(mean), np.nan)
    k, apart = len(mean), mean - mean.mean()
    pull = 1.0
    if k > 3 and apart.any():
        # Half the mean variance of a difference is one score's own, without what models share.
        error = np.nan_to_num(reach**2).sum() / (k * (k - 1)) / 2
        pull = max(0.0, 1 - (k - 3) / (k - 1) * error / float(apart.var(ddof=1)))
    moved = np.sqrt(pull) * apart + (whole - mean)
    return np.asarray(ranking.first_share(moved), dtype=float)


def _adjusted(p: ArrayLike, rule: Callable[[Floats, int], Floats]) -> Floats:
    values = np.asarray(p, dtype=float)
    outside = values[(values < 0) | (values > 1)]
    if outside.size:
        raise BadInput(f"p-value {float(outside.flat[0])!r} should lie between 0 and 1")
    out = np.full(values.shape, np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    if len(order):
        out[order] = np.minimum(rule(values[order], len(order)), 1)
    return out
