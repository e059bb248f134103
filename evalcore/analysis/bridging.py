"""A judge that is gone, bridged by answers that the old and the new judge both scored."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from evalcore.analysis import agreement, intervals
from evalcore.analysis.agreement import Estimate, Floats

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
            that one of them left unscored is left out. A model is to stand there with one run:
            two would count as two models and make them look more alike than models are.

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
    known = answers[["old", "new"]].notna().all(axis=1)
    both = answers if known.all() else answers[known]
    old, new = both["old"].to_numpy(float), both["new"].to_numpy(float)
    moved, code = new - old, agreement.numbers(both["model"])
    cluster, size = agreement.numbers(both["cluster"]), np.bincount(code)
    moves = np.zeros((len(size), int(cluster.max(initial=-1)) + 1))
    there = np.zeros(moves.shape, dtype=bool)
    rows = []
    for place, number in enumerate(size):
        at = np.flatnonzero(code == place)
        mean_offset = agreement.mean(moved[at], np.ones(number), cluster[at])
        away = (moved[at] - mean_offset.value) / number
        moves[place] = np.bincount(cluster[at], away, minlength=moves.shape[1])
        there[place, cluster[at]] = True
        name = both["model"].iloc[at[0]]
        rows.append((name, number, old[at].mean(), new[at].mean(), *mean_offset[:3], None, None))
    models = pd.DataFrame(rows, columns=MODEL_COLUMNS)
    for when in ("old", "new"):
        models[f"rank_{when}"] = models[when].rank(ascending=False, method="min")
    order = (-models["old"].to_numpy(float)).argsort(kind="stable")
    models = models.iloc[order].reset_index(drop=True)
    offset = agreement.mean(moved, 1 / size[code], cluster)
    spread = float(models["offset"].std(ddof=1)) if len(models) > 1 else np.nan
    half = np.nan
    if len(models) > 1:
        t = stdtrit(len(models) - 1, 0.5 + intervals.LEVEL / 2)
        half = float(t * spread * np.sqrt(1 + 1 / len(models)))
    another = (offset.value - half, offset.value + half) if half else (np.nan, np.nan)
    same = agreement.share(moved == 0, np.ones(len(moved)), cluster)
    pairs = _pairs(models, moves[order], there[order])
    return Bridge(models, pairs, offset, spread, another, same)


def _pairs(models: pd.DataFrame, moves: Floats, there: NDArray[np.bool_]) -> pd.DataFrame:
    """Changes of differences, cluster by cluster, so that what models share cancels.

    Args:
        models: as in ``Bridge``.
        moves: models x clusters: what a cluster adds to the error of a model's offset.
        there: models x clusters: whether the model answered in it.
    """
    shared, present = moves @ moves.T, there.astype(np.float32)
    common = present @ present.T
    rows = []
    named = models[["model", "old", "new"]].to_numpy().tolist()
    for (i, (a, old_a, new_a)), (j, (b, old_b, new_b)) in combinations(enumerate(named), 2):
        old, new = old_a - old_b, new_a - new_b
        groups = common[i, i] + common[j, j] - common[i, j]
        squared = shared[i, i] + shared[j, j] - 2 * shared[i, j]
        se = np.sqrt(max(squared, 0) * groups / (groups - 1)) if groups > 1 else np.nan
        half = intervals.z() * se if se > agreement.NOTHING else np.nan
        change = new - old
        rows.append((a, b, old, new, change, change - half, change + half, old * new < 0))
    return pd.DataFrame(rows, columns=PAIR_COLUMNS)
