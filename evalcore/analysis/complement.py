"""Do models fail on the same items, and what do two of them get right together?

A correlation over items is high for any two models where some items are easy and some are hard, so
it is given beside what remains within items of like difficulty.
"""

from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from evalcore.analysis import intervals, paired, resample
from evalcore.analysis.intervals import LEVEL
from evalcore.analysis.resample import Floats, Places

LEAST_ITEMS = 4
"""Fewer items than this give no correlation: Fisher's interval needs n - 3 > 0."""
PAIR_COLUMNS = (
    *("a", "b", "n", "r", "low", "high", "kappa", "beyond", "others", "both"),
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
    interval counting clusters instead of items (approximate, on the careful side). ``kappa`` is
    Cohen's on right or wrong. ``beyond`` is the correlation within items that equally many of the
    other entries get right, pooled over those strata: what two models share beyond easy and hard
    items; with few ``others`` difficulty is measured roughly, and some of it stays in.

    Args:
        scores: items x entries, 0 to 1.
        cluster: the cluster of each item; None where each stands alone.
        right_from: a score counts as right from here on.
        level: confidence level.

    Returns:
        One row a pair, the best together first: a, b, n, r, low, high, kappa, beyond, others
        (entries that difficulty comes from), both (share that both get right), either (mean of the
        better answer: one right is enough), unrelated (the share of at least one right, were their
        failures unrelated), best_single, gain (either - best_single) with gain_low and gain_high.
        NaN is undefined: fewer than 4 items, or scores that do not vary.
    """
    table = scores.to_numpy(float)
    whole = ~np.isnan(table).any(axis=1)
    group = resample.codes(np.arange(len(table)) if cluster is None else cluster)
    table = table[whole]
    table = np.asfortranarray(table)  # columns are what is read
    right = table >= right_from
    solved = right.sum(axis=1)
    group = resample.codes(group[whole])
    clusters = int(group.max(initial=-1)) + 1
    others = table.shape[1] - 2
    rows = []
    for i, j in combinations(range(table.shape[1]), 2):
        x, y = table[:, i], table[:, j]
        r = _correlation(x, y)
        difficulty = solved - right[:, i] - right[:, j]
        either, *alone = _together(x, y, group, level)
        unrelated = 1 - (1 - _mean(right[:, i])) * (1 - _mean(right[:, j]))
        row = (
            *(str(scores.columns[i]), str(scores.columns[j]), len(table)),
            *(r, *_fisher(r, clusters, level), kappa(right[:, i], right[:, j])),
            *(_within(x, y, difficulty) if others > 0 else np.nan, others),
            *(_mean(right[:, i] & right[:, j]), either, unrelated, *alone),
        )
        rows.append(row)
    found = pd.DataFrame(rows, columns=list(PAIR_COLUMNS))
    return found.sort_values(["either", "a", "b"], ascending=[False, True, True], ignore_index=True)


def kappa(x: NDArray[np.bool_], y: NDArray[np.bool_]) -> float:
    """Give Cohen's kappa of right or wrong: agreement beyond that of two models who guess.

    (agreed - expected) / (1 - expected) (Cohen 1960); NaN where no disagreement was possible.

    >>> kappa(np.array([True, True, False, False]), np.array([True, False, False, False]))
    0.5
    """
    if not len(x):
        return float("nan")
    p, q = float(x.mean()), float(y.mean())
    expected = p * q + (1 - p) * (1 - q)
    if expected >= 1:
        return float("nan")
    return (float((x == y).mean()) - expected) / (1 - expected)


def _together(
    x: Floats, y: Floats, group: Places, level: float
) -> tuple[float, float, float, float, float]:
    """The mean of the better answer, of the better model, and the gain with its interval."""
    if not len(x):
        return (float("nan"),) * 5
    single = x if x.sum() >= y.sum() else y
    better = np.maximum(x, y)
    gain = float((better - single).mean())
    _, error, _, clusters = resample.moments((better - single)[:, None], group)
    half = float((resample.t_quantile(clusters - 1, level) * error)[0])
    return float(better.mean()), float(single.mean()), gain, gain - half, gain + half


def _within(x: Floats, y: Floats, stratum: NDArray[np.int64]) -> float:
    """The correlation of what is left of two columns after each stratum's mean."""
    number = np.maximum(np.bincount(stratum), 1)
    left = [column - (np.bincount(stratum, column) / number)[stratum] for column in (x, y)]
    return _correlation(*left)


def _correlation(x: Floats, y: Floats) -> float:
    if len(x) < LEAST_ITEMS:
        return float("nan")
    a, b = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((a**2).sum() * (b**2).sum()))
    # Residuals of columns that do not vary are rounding, not zero.
    if scale < 1e-9:
        return float("nan")
    return float(np.clip((a * b).sum() / scale, -1, 1))


def _fisher(r: float, n: int, level: float) -> tuple[float, float]:
    if n < LEAST_ITEMS or not abs(r) < 1:
        return float("nan"), float("nan")
    half = intervals.z(level) / np.sqrt(n - 3)
    return float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half))


def _mean(values: NDArray[np.bool_]) -> float:
    return float(values.mean()) if len(values) else float("nan")
