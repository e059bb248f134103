"""Views of many benchmarks at once: medians against guessing, and what scale brings to each group.

After Figures 2 and 4 of UniBench (arXiv 2408.04810).
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import bdtr, stdtrit

from evalcore.analysis import estimates, intervals, profiles
from evalcore.errors import BadInput

END = 5
"""At least so many models make an end of a scale; ties bring more."""
AGAINST = [
    *("benchmark", "metric", "median", "low", "high", "lower_quarter", "upper_quarter", "least"),
    *("most", "chance", "corrected", "above", "judged", "n"),
]
GAINS = [
    *("tag", "gain", "low", "high", "relative", "relative_low", "relative_high", "least_scaled"),
    *("most_scaled",),
]

Floats = NDArray[np.float64]


def against_chance(scores: pd.DataFrame, benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Give the median model on each benchmark, with what guessing would score.

    Args:
        scores: of one suite on the axis "benchmark".
        benchmarks: one row a benchmark: benchmark, metric, chance, n_items.

    Returns:
        One row a benchmark, the lowest median first: benchmark, metric, median, low, high (95 % of
        the median over models from order statistics; NaN for fewer than six), lower_quarter,
        upper_quarter, least, most (of the models), chance (NaN unknown), corrected ((median -
        chance)/(1 - chance)), above (share of the judged models whose own 95 % interval over items
        lies above chance; NaN where there are none), judged (models with such an interval), n
        (models). All but the counts are fractions.

    Raises:
        BadInput: more than one suite, or two scores for the same place.
    """
    rows = profiles.estimated_rows(scores, benchmarks, "benchmark")
    rows = rows.assign(chance=estimates.chance_level(rows, benchmarks))
    rows["judged"] = rows["low"].notna() & rows["chance"].notna()
    rows["above"] = (rows["low"] > rows["chance"]).astype(float).where(rows["judged"])
    spreads = [_spread(name, part) for name, part in rows.groupby("benchmark")]
    frame = pd.DataFrame(spreads, columns=AGAINST)
    return frame.sort_values(["median", "benchmark"], ignore_index=True)


def ends(scale: pd.Series) -> tuple[list[str], list[str]]:
    """Give the least and the most scaled models: ``END`` of each, more where they are tied.

    Args:
        scale: model to its data or size; unknown ones take no part.

    Returns:
        Ids of both; empty where the two ends would meet.
    """
    known = scale.dropna().sort_values()
    if len(known) < 2 * END or known.iloc[END - 1] >= known.iloc[-END]:
        return [], []
    low, high = known.iloc[END - 1], known.iloc[-END]
    return list(known.index[known <= low]), list(known.index[known >= high])


def gains(cells: pd.DataFrame, scale: pd.Series, reference: str) -> pd.DataFrame:
    """Give what the most scaled models have over the least scaled, and how much more than there.

    gain = mean of the most scaled minus mean of the least scaled. relative = the same for the
    difference x(tag) - x(reference) of each model: points more (or fewer) than the reference
    gains. 95 % intervals after Welch 1947 (Biometrika 34:28-35) take models for independent.

    Args:
        cells: as from ``profiles.cells``.
        scale: model to its data or size.
        reference: the tag that the others are compared with.

    Returns:
        One row a tag, the least relative gain first: tag, gain, low, high, relative, relative_low,
        relative_high (fractions; 0 and no interval for the reference), least_scaled, most_scaled
        (models with both scores). Empty where the ends meet.

    Raises:
        BadInput: the reference is no tag.
    """
    wide = cells.pivot(index="model", columns="tag", values="value")
    if reference not in wide:
        raise BadInput(f"unknown tag {reference!r}; known: {', '.join(map(str, wide.columns))}")
    least, most = ends(scale[scale.index.isin(wide.index)])
    rows = []
    for tag in wide.columns if least else ():
        both = pd.DataFrame({tag: wide[tag], "reference": wide[reference]}).dropna()
        low = both[both.index.isin(least)]
        high = both[both.index.isin(most)]
        gain = _welch(high[tag].to_numpy(float), low[tag].to_numpy(float))
        more = _welch(
            (high[tag] - high["reference"]).to_numpy(float),
            (low[tag] - low["reference"]).to_numpy(float),
        )
        rows.append((tag, *gain, *more, len(low), len(high)))
    return pd.DataFrame(rows, columns=GAINS).sort_values(["relative", "tag"], ignore_index=True)


def _spread(name: object, part: pd.DataFrame) -> tuple[object, ...]:
    values = np.sort(part["value"].to_numpy(float))
    low, high = _of_median(values)
    median = float(np.median(values))
    quarters = np.quantile(values, [0.25, 0.75])
    chance = float(part["chance"].iloc[0])
    corrected = (median - chance) / (1 - chance)
    row = (median, low, high, *quarters, values[0], values[-1], chance, corrected)
    counts = (float(part["above"].mean()), int(part["judged"].sum()), len(values))
    return name, part["metric"].iloc[0], *row, *counts


def _of_median(ordered: Floats) -> tuple[float, float]:
    """The interval of a median: the r-th value from below and above, r by the binomial."""
    many = len(ordered)
    tail = (1 - intervals.LEVEL) / 2
    rank = int((bdtr(np.arange(many), many, 0.5) <= tail).sum())
    if rank == 0:
        return np.nan, np.nan
    return float(ordered[rank - 1]), float(ordered[many - rank])


def _welch(more: Floats, less: Floats) -> tuple[float, float, float]:
    """The difference of two means with its interval; none for fewer than two or no spread."""
    if not len(more) or not len(less):
        return np.nan, np.nan, np.nan
    gap = float(more.mean() - less.mean())
    if len(more) < 2 or len(less) < 2:
        return gap, np.nan, np.nan
    parts = np.array([more.var(ddof=1) / len(more), less.var(ddof=1) / len(less)])
    if parts.sum() == 0:
        return gap, np.nan, np.nan
    freedom = parts.sum() ** 2 / (parts**2 / [len(more) - 1, len(less) - 1]).sum()
    half = stdtrit(freedom, 0.5 + intervals.LEVEL / 2) * np.sqrt(parts.sum())
    return gap, float(gap - half), float(gap + half)
