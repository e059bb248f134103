"""Do models fail on the same items, and what do two of them get right together?

A correlation over items is high for any two models where some items are easy and some are hard, so
it is given beside what remains within items of like difficulty.
"""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from evalcore.analysis import clusters, intervals, paired, resample
from evalcore.analysis.clusters import Floats, Places
from evalcore.analysis.intervals import LEVEL

LEAST_ITEMS = 4
"""Fewer items than this give no correlation: Fisher's interval needs n - 3 > 0."""
NOTHING = 1e-9
"""Sums of squares below this are of rounding."""
PAIR_COLUMNS = (
    *("a", "b", "n", "r", "low", "high", "kappa", "kappa_low", "kappa_high"),
    *("beyond", "beyond_low", "beyond_high", "others", "both"),
    *("either", "unrelated", "best_single", "gain", "gain_low", "gain_high"),
)


def pairs(
    scores: pd.DataFrame,
    cluster: ArrayLike | None = None,
    right_from: float = paired.RIGHT_FROM,
    level: float = LEVEL,
) -> pd.DataFrame:
    """Compare every pair of entries item by item, on the items that all entries are scored on.

    ``r`` is Pearson's correlation, the phi coefficient for right-or-wrong scores, with Fisher's
    interval counting clusters instead of items (approximate: careful about clusters, a little
    narrow where scores are right or wrong and alike). ``kappa`` is
    Cohen's on right or wrong, with the delta method's error (Fleiss, Cohen and Everitt 1969) on
    Fisher's scale, counting clusters too. ``beyond`` is the correlation within items that equally
    many of the other entries get right, pooled over those strata: what two models share beyond
    easy and hard items; with few ``others`` difficulty is measured roughly, and some of it stays
    in. It is a partial correlation, so its interval is Fisher's with one cluster less for each of
    the others.

    Args:
        scores: items x entries, 0 to 1.
        cluster: the cluster of each item; None where each stands alone.
        right_from: a score counts as right from here on.
        level: confidence level.

    Returns:
        One row a pair, the best together first: a, b, n, r, low, high, kappa, beyond (each of
        these with _low and _high), others (entries that difficulty comes from), both (share that
        both get right), either (mean of the better answer: one right is enough), unrelated (the
        share of at least one right, were their failures unrelated), best_single, gain (either -
        best_single) with gain_low and gain_high.
        NaN is undefined: fewer than 4 items, or scores that do not vary.
    """
    table = scores.to_numpy(float)
    group = clusters.codes(np.arange(len(table)) if cluster is None else cluster)
    whole = ~np.isnan(table).any(axis=1)
    table, group = table[whole], clusters.codes(group[whole])
    n, entries = table.shape
    first, second = np.triu_indices(entries, 1)
    right = (table >= right_from).astype(float)
    independent = int(group.max(initial=-1)) + 1
    share = _means(right)
    both = (right.T @ right / n if n else np.full((entries, entries), np.nan))[first, second]
    gains = [part[first, second] for part in _gains(table, group, level)]
    result = pd.DataFrame(
        {
            "a": scores.columns.astype(str)[first],
            "b": scores.columns.astype(str)[second],
            "n": n,
            **_alike(table, right, both, independent, level),
            "others": entries - 2,
            "both": both,
            "unrelated": 1 - (1 - share[first]) * (1 - share[second]),
            **dict(zip(("best_single", "either", *PAIR_COLUMNS[-3:]), gains, strict=True)),
        }
    )[list(PAIR_COLUMNS)]
    return result.sort_values(
        ["either", "a", "b"], ascending=[False, True, True], ignore_index=True
    )


def sharing(scores: pd.DataFrame) -> list[str]:
    """Choose the entries whose common items give the most comparisons: pairs times items.

    Entries join by how many items they are scored on, the most first; one that leaves no common
    item is passed over.

    Args:
        scores: items x entries; NaN is unscored.

    Returns:
        Two entries or more, in the order of the columns; none where no two share an item.

    Example:
        >>> few = [1, 0] + [np.nan] * 8
        >>> sharing(pd.DataFrame({"a": [1.0] * 10, "b": few, "c": [0.0] * 10, "d": [np.nan] * 10}))
        ['a', 'c']
    """
    filled = scores.notna()
    order = filled.sum().sort_values(ascending=False, kind="stable").index
    common, taken, best, most = np.ones(len(scores), dtype=bool), [], [], 0
    for entry in order:
        both = common & filled[entry].to_numpy()
        if not both.any():
            continue
        taken.append(entry)
        common, worth = both, len(taken) * (len(taken) - 1) // 2 * int(both.sum())
        if worth > most:
            best, most = list(taken), worth
    return [str(entry) for entry in scores.columns if entry in best]


def kappa(x: NDArray[np.bool_], y: NDArray[np.bool_]) -> float:
    """Give Cohen's kappa of right or wrong: agreement beyond that of two models who guess.

    (agreed - expected) / (1 - expected) (Cohen 1960); NaN where no disagreement was possible.

    >>> kappa(np.array([True, True, False, False]), np.array([True, False, False, False]))
    0.5
    """
    if not len(x):
        return float("nan")
    return float(_kappas(x.mean(), y.mean(), (x & y).mean()))


def _kappas(p: Floats, q: Floats, both: Floats) -> Floats:
    """Kappa from the shares that are right, each and both."""
    agreed, expected = 1 - p - q + 2 * both, p * q + (1 - p) * (1 - q)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected < 1, (agreed - expected) / (1 - expected), np.nan)


def _alike(
    table: Floats, right: Floats, both: Floats, independent: int, level: float
) -> dict[str, Floats]:
    """The three measures of likeness of each two columns, with their intervals."""
    entries = table.shape[1]
    first, second = np.triu_indices(entries, 1)
    share, r = _means(right), _correlations(table)[first, second]
    unknown = np.full(len(first), np.nan)
    beyond = _beyond(table, right)[first, second] if entries > 2 else unknown
    kappas = _kappas(share[first], share[second], both)
    error = _kappa_errors(share[first], share[second], both, independent)
    ends = (
        *_fisher(r, independent, level),
        *_on_fisher(kappas, error, level),
        *_fisher(beyond, independent - (entries - 2), level),
    )
    names = ("low", "high", "kappa_low", "kappa_high", "beyond_low", "beyond_high")
    return {"r": r, "kappa": kappas, "beyond": beyond, **dict(zip(names, ends, strict=True))}


def _kappa_errors(p: Floats, q: Floats, both: Floats, n: int) -> Floats:
    """The delta method's error of kappa from n independent items, by the four cells."""
    agreed, left = 1 - p - q + 2 * both, p + q - 2 * p * q
    cells = {(1, 1): both, (1, 0): p - both, (0, 1): q - both, (0, 0): 1 - p - q + both}
    variance = np.zeros_like(np.asarray(both, dtype=float))
    with np.errstate(invalid="ignore", divide="ignore"):
        for (a, b), cell in cells.items():
            chance = (a - p) * (2 * q - 1) + (b - q) * (2 * p - 1)
            moved = (float(a == b) - agreed) / left - (1 - agreed) / left**2 * chance
            variance += cell * moved**2
        return np.sqrt(variance / np.float64(n - 1)) if n > 1 else np.full_like(variance, np.nan)


def _on_fisher(value: Floats, error: Floats, level: float) -> tuple[Floats, Floats]:
    """tanh(atanh(v) -+ z error/(1 - v^2)); NaN where v is 1 or -1 or nothing varies."""
    known = (np.abs(value) < 1) & (error > NOTHING)
    value = np.where(known, value, np.nan)
    centre, half = np.arctanh(value), intervals.z(level) * error / (1 - value**2)
    return np.tanh(centre - half), np.tanh(centre + half)


def _gains(table: Floats, group: Places, level: float) -> tuple[Floats, ...]:
    """The means of the better model and answer of each two, and what the second adds, with ends.

    Args:
        table: items x entries.
        group: the cluster of each item.
        level: confidence level.

    Returns:
        Five tables, entries x entries; the upper triangle counts.
    """
    n, entries = table.shape
    single, either, gain, low, high = (np.full((entries, entries), np.nan) for _ in range(5))
    if not n:
        return single, either, gain, low, high
    if np.isin(table, (0, 1)).all():
        table = table.astype(np.float32)  # half the memory, and exact
    member = clusters.membership(group, table.dtype)
    size, total = np.bincount(group)[:, None], table.sum(axis=0, dtype=float)
    independent = len(size)
    student = resample.t_quantile(independent - 1, level)
    for i in range(entries - 1):
        ahead = total[i] >= total[i + 1 :]
        more = table[:, i + 1 :] - table[:, [i]]
        more *= np.where(ahead, 1, -1).astype(table.dtype)
        np.maximum(more, 0, out=more)
        sums = more if independent == n else member @ more
        added, best = sums.sum(axis=0, dtype=float), np.where(ahead, total[i], total[i + 1 :])
        gained = added / n
        with np.errstate(invalid="ignore", divide="ignore"):
            squares = ((sums - size * gained) ** 2).sum(axis=0)
            error = np.sqrt(independent / np.float64(independent - 1) * squares) / n
        error = np.where(error > clusters.NOTHING, error, np.nan)
        gain[i, i + 1 :] = gained
        single[i, i + 1 :], either[i, i + 1 :] = best / n, (best + added) / n
        # A gain is a mean of shares, never below 0: an interval that bends away from the ends.
        ends = intervals.of_error(np.clip(gained, 0, 1), error, student, level)
        low[i, i + 1 :], high[i, i + 1 :] = ends
    return single, either, gain, low, high


def _beyond(table: Floats, right: Floats) -> Floats:
    """The correlation of every two columns within items that equally many of the others solve.

    An item that t entries solve has difficulty t less those of the two that solve it. So the sums
    over items of one t, by whether the first and the second solve it, are put together anew for
    each difficulty; the sums themselves are products of matrices.
    """
    n, entries = table.shape
    if n < LEAST_ITEMS:
        return np.full((entries, entries), np.nan)
    # By difficulty: items, and sums of x, y, x squared, y squared and xy.
    sums = np.zeros((6, entries + 1, entries, entries))
    solved = right.sum(axis=1).astype(np.intp)
    for t in np.unique(solved):
        x, hit = table[solved == t], right[solved == t]
        for a, b, common in _by_hits(x, hit):
            # Where nobody but these two can have solved it so, there is nothing to add.
            sums[:, max(t - a - b, 0)] += common
    number = np.maximum(sums[0], 1)
    x, y, xx, yy, xy = sums[1:]
    return _from_sums(*((both - first * other / number).sum(axis=0) for both, first, other in (
        (xy, x, y), (xx, x, x), (yy, y, y),
    )))  # fmt: skip


def _by_hits(x: Floats, hit: Floats) -> Iterator[tuple[int, int, Floats]]:
    """Items and sums of x, y, xx, yy, xy by whether the first and the second of two solve them."""
    hits = (1 - hit, hit)
    if np.array_equal(x, hit):  # right or wrong: one product tells all
        both, own = hit.T @ hit, hit.sum(axis=0)[:, None]
        nothing = np.zeros_like(both)
        counts = [[len(x) - own - own.T + both, own.T - both], [own - both, both]]
        for a, b in product((0, 1), (0, 1)):
            n = counts[a][b]
            first, second = (n if wanted else nothing for wanted in (a, b))
            yield a, b, np.stack([n, first, second, first, second, both if a and b else nothing])
        return
    for a, b in product((0, 1), (0, 1)):
        left, other = hits[a], hits[b]
        first, second = x * left, x * other
        parts = (
            *(left.T @ other, first.T @ other, left.T @ second),
            *((x * first).T @ other, left.T @ (x * second), first.T @ second),
        )
        yield a, b, np.stack(parts)


def _correlations(table: Floats) -> Floats:
    if len(table) < LEAST_ITEMS:
        return np.full((table.shape[1],) * 2, np.nan)
    away = table - table.mean(axis=0)
    products = away.T @ away
    squares = np.diag(products)
    return _from_sums(products, *np.broadcast_arrays(squares[:, None], squares))


def _from_sums(products: Floats, x: Floats, y: Floats) -> Floats:
    """Correlations from sums of products of what is left of the means; NaN where none varies."""
    varies = (x > NOTHING) & (y > NOTHING)  # what is left of no variation is rounding, not zero
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(varies, np.clip(products / np.sqrt(x * y), -1, 1), np.nan)


def _fisher(r: Floats, n: int, level: float) -> tuple[Floats, Floats]:
    known = (np.abs(r) < 1) & (n >= LEAST_ITEMS)
    centre = np.arctanh(np.where(known, r, np.nan))
    half = intervals.z(level) / np.sqrt(max(n - 3, 1))
    return np.tanh(centre - half), np.tanh(centre + half)


def _means(table: Floats) -> Floats:
    return table.mean(axis=0) if len(table) else np.full(table.shape[1], np.nan)
