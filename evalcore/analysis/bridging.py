"""A judge that is gone, bridged by answers that the old and the new judge both scored."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from evalcore.analysis import agreement, intervals
from evalcore.analysis.agreement import Estimate

MODEL_COLUMNS = [
    *("model", "n", "old", "new", "offset", "offset_low", "offset_high", "rank_old", "rank_new"),
]
PAIR_COLUMNS = ["a", "b", "old", "new", "change", "low", "high", "turns"]


class Bridge(NamedTuple):
    """How a new judge's scores stand to an old one's."""

    models: pd.DataFrame
    """One row a model, best under the old judge first: model, n (answers that both scored), old and
    new (mean scores), offset (new minus old) with _low and _high, rank_old, rank_new."""
    pairs: pd.DataFrame
    """One row a pair of models: a (better under the old judge), b, old and new (a minus b), change
    (new minus old) with low and high, turns (the order changes)."""
    offset: Estimate
    """New minus old, mean over models; the interval is about these models."""
    spread: float
    """Standard deviation of the offset between models; NaN with one model."""
    another: tuple[float, float]
    """95 % interval of the offset of a model that is not among these; NaN with one model."""
    alike: Estimate
    """Share of answers to which both give the same score."""


def bridge(answers: pd.DataFrame) -> Bridge:
    """Compare an old and a new judge on the same answers.

    Args:
        answers: one row an answer: model, item, cluster, old, new (0..1; NaN unscored). An answer
            that one of them left unscored is left out.

    Returns:
        See ``Bridge``. The offset of another model is expected at the mean over models, with
        Student's t at (models - 1) degrees of freedom and the standard deviation between models
        and the error of the mean added in quadrature.

    Example:
        >>> rows = pd.DataFrame({"model": list("aabb"), "item": [1, 2, 1, 2],
        ...                      "cluster": [1, 2, 1, 2], "old": [1, 1, 0, 1], "new": [1, 0, 0, 1]})
        >>> bridge(rows).models["offset"].to_list()
        [-0.5, 0.0]
    """
    both = answers.dropna(subset=["old", "new"])
    both = both.assign(moved=both["new"] - both["old"])
    rows = []
    for model, own in both.groupby("model", sort=False):
        found = agreement.mean(own["moved"], np.ones(len(own)), own["cluster"])
        rows.append((model, len(own), own["old"].mean(), own["new"].mean(), *found[:3], None, None))
    models = pd.DataFrame(rows, columns=MODEL_COLUMNS)
    for when in ("old", "new"):
        models[f"rank_{when}"] = models[when].rank(ascending=False, method="min")
    models = models.sort_values("old", ascending=False, kind="stable", ignore_index=True)
    weight = 1 / both.groupby("model")["item"].transform("size") if len(both) else both["moved"]
    offset = agreement.mean(both["moved"], weight, both["cluster"])
    spread = float(models["offset"].std(ddof=1)) if len(models) > 1 else np.nan
    half = np.nan
    if len(models) > 1:
        t = stdtrit(len(models) - 1, 0.5 + intervals.LEVEL / 2)
        half = float(t * spread * np.sqrt(1 + 1 / len(models)))
    another = (offset.value - half, offset.value + half) if half else (np.nan, np.nan)
    same = agreement.share(both["moved"] == 0, np.ones(len(both)), both["cluster"])
    return Bridge(models, _pairs(both, models), offset, spread, another, same)


def _pairs(both: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    rows = []
    told = models[["model", "old", "new"]].to_numpy().tolist()
    for (a, old_a, new_a), (b, old_b, new_b) in combinations(told, 2):
        old, new = old_a - old_b, new_a - new_b
        own = both[both["model"].isin([a, b])]
        moved, first = own["moved"].to_numpy(float), (own["model"] == a).to_numpy()
        centre = np.where(first, moved[first].mean(), moved[~first].mean())
        size = np.where(first, first.sum(), -(~first).sum())
        se = agreement.clustered((moved - centre) / size, own["cluster"])
        half = intervals.z() * se if se > 0 else np.nan
        change = new - old
        rows.append((a, b, old, new, change, change - half, change + half, old * new < 0))
    return pd.DataFrame(rows, columns=PAIR_COLUMNS)
