"""Two models on the same items: their difference, who wins where, and what is not scored.

All models answered the same questions, so the error of a difference is that of the differences by
item, usually far below that of two separate scores (Miller 2024, arXiv 2411.00640).
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from evalcore.analysis import intervals, multiple, resample
from evalcore.analysis.clusters import sign_p_value, unvaried_bounds, unvaried_error
from evalcore.analysis.intervals import LEVEL
from evalcore.analysis.resample import Draws, Floats, Places
from evalcore.errors import BadInput

RIGHT_FROM = 0.5
"""A graded score counts as right from here on; right-or-wrong scores are 0 and 1."""
ALL = "all"
"""The group of all items."""


COLUMNS = (
    *("difference", "se", "judge_se", "low", "high", "p"),
    *("score", "reference_score", "n", "clusters"),
)
"""Of ``differences``, after group and entry."""
POWER = 0.8
"""The chance to find a difference that is there; the usual one."""


class Outcomes(NamedTuple):
    """On how many items both, one or none of two models is right, and McNemar's p-value."""

    both: int
    only_a: int
    only_b: int
    neither: int
    unscored: int
    """Items that at least one of them has no score for."""
    better_a: int
    """Items that a scores higher on; with graded scores both may count as right."""
    better_b: int
    p: float
    """McNemar's exact test of only_a against only_b; NaN where nothing differs."""


def common(scores: pd.DataFrame) -> pd.DataFrame:
    """Keep the items that every entry has a score for."""
    return scores.dropna()


def unscored(scores: pd.DataFrame) -> pd.DataFrame:
    """Count what is not scored, and bound each mean over all items by it.

    Args:
        scores: items x entries, 0 to 1; NaN is unscored.

    Returns:
        One row an entry: n_items, n_scored, unscored, mean (of the scored), worst and best (the
        mean over all items with each unscored one as 0, and as 1).
    """
    n, filled = len(scores), scores.notna().sum()
    total = scores.sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        return pd.DataFrame(
            {
                "n_items": n,
                "n_scored": filled,
                "unscored": n - filled,
                "mean": scores.mean(),
                "worst": total / (n or np.nan),
                "best": (total + n - filled) / (n or np.nan),
            }
        )


def difference_bounds(scores: pd.DataFrame, a: str, b: str) -> tuple[float, float]:
    """Give the least and the largest difference a - b that unscored items leave open.

    >>> difference_bounds(pd.DataFrame({"a": [1, np.nan], "b": [0.0, 0.0]}), "a", "b")
    (0.5, 1.0)
    """
    if not len(scores):
        return float("nan"), float("nan")
    least = scores[a].fillna(0) - scores[b].fillna(1)
    largest = scores[a].fillna(1) - scores[b].fillna(0)
    return float(least.mean()), float(largest.mean())


def outcomes(scores: pd.DataFrame, a: str, b: str, right_from: float = RIGHT_FROM) -> Outcomes:
    """Count wins, losses, both and neither of two entries on the items that both are scored on.

    >>> found = outcomes(pd.DataFrame({"a": [1, 1, 0, np.nan], "b": [1, 0, 0, 1]}), "a", "b")
    >>> (found.both, found.only_a, found.only_b, found.neither, found.unscored)
    (1, 1, 0, 1, 1)
    """
    pair = scores[[a, b]].dropna()
    first, second = pair[a].to_numpy(float), pair[b].to_numpy(float)
    x, y = first >= right_from, second >= right_from
    only_a, only_b = int((x & ~y).sum()), int((~x & y).sum())
    return Outcomes(
        both=int((x & y).sum()),
        only_a=only_a,
        only_b=only_b,
        neither=int((~x & ~y).sum()),
        unscored=len(scores) - len(pair),
        better_a=int((first > second).sum()),
        better_b=int((first < second).sum()),
        p=mcnemar(only_a, only_b),
    )


def mcnemar(only_a: int, only_b: int) -> float:
    """Give McNemar's exact p-value: could a fair coin split the items that differ so unevenly?

    The two-sided binomial test of only_a of only_a + only_b at 1/2 (McNemar 1947). It takes the
    items as independent; NaN where none differs.

    >>> round(mcnemar(8, 1), 4)
    0.0391
    """
    from scipy.special import bdtr

    if only_a < 0 or only_b < 0:
        raise BadInput(f"numbers of items {only_a} and {only_b} should be 0 or more")
    differing = only_a + only_b
    if not differing:
        return float("nan")
    return min(1.0, 2 * float(bdtr(min(only_a, only_b), differing, 0.5)))


def groups(tags: pd.DataFrame, axis: str, items: pd.Index) -> dict[str, Places]:
    """Give the places in ``items`` of each tag's items, tags in the order of their names.

    Args:
        tags: item, axis, tag; an item may carry several tags of one axis.
        axis: which axis.
        items: the items that are compared.
    """
    mine = tags[tags["axis"] == axis]
    places = items.get_indexer(pd.Index(mine["item"]))
    known = mine.assign(place=places)[places >= 0].drop_duplicates(["tag", "place"])
    return {
        str(tag): np.sort(part.to_numpy(np.intp))
        for tag, part in known.groupby("tag", sort=True)["place"]
    }


def drawn(  # noqa: PLR0913  one assumption an argument
    scores: pd.DataFrame,
    cluster: ArrayLike | None,
    rng: np.random.Generator,
    by: Mapping[str, Places] | None = None,
    strata: ArrayLike | None = None,
    resamples: int = resample.RESAMPLES,
) -> Draws:
    """Resample all entries with one set of weights, over all items first, then by group.

    Args:
        scores: items x entries.
        cluster: the cluster of each item; None where each stands alone.
        rng: random numbers.
        by: places of the items of each group, as from ``groups``.
        strata: see ``resample.bootstrap``.
        resamples: how many.
    """
    parts = [np.arange(len(scores)), *(by or {}).values()]
    return resample.bootstrap(scores.to_numpy(float), cluster, rng, parts, strata, resamples)


def differences(  # noqa: PLR0913  one assumption an argument
    draws: Draws,
    names: list[str],
    reference: str,
    labels: list[str] | None = None,
    judge: Floats | None = None,
    level: float = LEVEL,
) -> pd.DataFrame:
    """Give each entry's difference to a reference, by group, with interval and p-value.

    The standard error is the spread of the paired differences over the resamples times
    sqrt(G/(G-1)); the interval takes Student's t with G - 1 degrees of freedom, G clusters, and is
    cut off at the ends of the scale. Where all clusters show the same difference of right-or-wrong
    scores, see ``unvaried_bounds``. A judge's own spread, if given, is added in quadrature and
    stays visible beside it.

    Args:
        draws: as from ``drawn`` on common items.
        names: of the columns.
        reference: the entry that the others are compared with.
        labels: of the groups; None is ``ALL`` alone.
        judge: standard errors from repeated judging, groups x columns; NaN adds nothing.
        level: confidence level.

    Returns:
        One row a group and entry: group, entry, difference (entry - reference), se (sampling),
        judge_se, low, high, p, score, reference_score, n, clusters. NaN is not known.

    Raises:
        BadInput: an unknown reference, or labels that do not fit the groups.
    """
    labels = [ALL] if labels is None else labels
    if reference not in names or len(labels) != len(draws.mean):
        raise BadInput(f"reference {reference!r} or the {len(labels)} labels do not fit the scores")
    base = names.index(reference)
    rows = [
        _against(draws, [place, base], judge, level).assign(group=labels, entry=name)
        for place, name in enumerate(names)
        if name != reference
    ]
    columns = ["group", "entry", *COLUMNS]
    return pd.concat(rows, ignore_index=True)[columns] if rows else pd.DataFrame(columns=columns)


def _against(draws: Draws, pair: list[int], judge: Floats | None, level: float) -> pd.DataFrame:
    """The difference of two columns, the first less the second: one row a group."""
    from scipy.special import stdtr

    clusters, n = draws.clusters[:, pair].min(axis=1), draws.n[:, pair].min(axis=1)
    score, reference = draws.mean[:, pair].T
    apart = score - reference
    se = multiple.spread(draws.draws[:, :, pair[0]] - draws.draws[:, :, pair[1]], clusters)
    noise = np.zeros(len(apart))
    if judge is not None:
        noise = np.hypot(*np.nan_to_num(judge[:, pair]).T)
    student = resample.t_quantile(clusters - 1, level)
    total = intervals.with_repeats(se, noise, 1)
    low, high = multiple.within(apart - student * total, apart + student * total, apart)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = 2 * stdtr(np.maximum(clusters - 1, 1), -np.abs(apart / total))
    if draws.whole is not None and draws.whole[pair].all():
        same, ends = np.isnan(se), unvaried_bounds(apart, clusters, student)
        se = np.where(same, unvaried_error(clusters, student), se)
        low, high = np.where(same, ends.low, low), np.where(same, ends.high, high)
        p = np.where(same, sign_p_value(apart, clusters), p)
    values = (
        *(apart, se, np.where(noise > 0, noise, np.nan), low, high, p),
        *(score, reference, n, clusters),
    )
    return pd.DataFrame(dict(zip(COLUMNS, values, strict=True)))


def judge_error(repeats: pd.DataFrame, parts: list[Places] | None = None) -> Floats:
    """Give the standard error that repeated judging adds to a mean: sd of the totals / sqrt(R).

    This is the ± that MM-Vet v2 prints, over sqrt(R): the judge's own spread, which says nothing
    about which items were drawn.

    Args:
        repeats: items x repeats of the judge; NaN is unscored.
        parts: places of the items of each group; None is one group of all.

    Returns:
        One number a group; NaN with fewer than two complete repeats.
    """
    table = repeats.to_numpy(float)
    parts = [np.arange(len(table))] if parts is None else parts
    return np.array([repeat_error(by_repeat(table[part])) for part in parts])


def by_repeat(table: Floats) -> Floats:
    """Give the mean of each repeat over the items that all of them scored; NaN without any."""
    whole = table[~np.isnan(table).any(axis=1)]
    return whole.mean(axis=0) if len(whole) else np.full(table.shape[1], np.nan)


def repeat_error(totals: Floats) -> float:
    """Give the standard error of the mean of several repeats' totals; NaN of fewer than two."""
    if len(totals) < 2:
        return float("nan")
    return float(totals.std(ddof=1) / np.sqrt(len(totals)))


def verdict(low: float, high: float, margin: float) -> str:
    """Say whether an interval of a difference means "equivalent", "different" or "cannot tell".

    Equivalent: the whole interval lies within the margin, even where it leaves 0 out (a difference
    too small to matter). Different: it leaves 0 out and reaches beyond the margin.

    >>> verdict(-0.01, 0.015, 0.02), verdict(0.01, 0.05, 0.02), verdict(-0.01, 0.05, 0.02)
    ('equivalent', 'different', 'cannot tell')
    """
    if np.isnan(low) or np.isnan(high):
        return "cannot tell"
    if max(-low, high) <= margin:
        return "equivalent"
    return "different" if low > 0 or high < 0 else "cannot tell"


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
