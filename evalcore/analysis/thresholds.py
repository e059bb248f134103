"""From which score on a graded metric should count as yes, learnt from human labels."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from evalcore.analysis import agreement
from evalcore.analysis.agreement import YES, Estimate

FOLDS = 10
MOST = 400
"""Points of a curve; with more distinct scores it takes quantiles of them."""


class Tuned(NamedTuple):
    """The best threshold, and what it is worth."""

    threshold: float
    inside: float
    """Accuracy on the labels it was chosen from: too good."""
    outside: Estimate
    """Accuracy on labels that had no part in the choice (cross-validated)."""
    common: float
    """Accuracy of always saying what people say more often."""


def curve(human: ArrayLike, score: ArrayLike, weight: ArrayLike) -> pd.DataFrame:
    """Agreement at every threshold: a score at or above it counts as yes.

    Args:
        human: labels; from 0.5 on they count as yes.
        score: the metric's scores, without gaps.
        weight: of each answer.

    Returns:
        One row a threshold, rising, from "all yes" to "all no" (infinite): threshold, accuracy,
        sensitivity, specificity (NaN where people never say so), n.

    Example:
        >>> curve([0, 1], [0.2, 0.8], [1, 1])["accuracy"].to_list()
        [0.5, 1.0, 0.5]
    """
    yes, w = np.asarray(human, dtype=float) >= YES, np.asarray(weight, dtype=float)
    x = np.asarray(score, dtype=float)
    if not len(x):
        return pd.DataFrame(columns=["threshold", "accuracy", "sensitivity", "specificity", "n"])
    cuts = _cuts(x)
    order = np.argsort(x, kind="stable")
    below = np.searchsorted(x[order], cuts, side="left")
    no_below = np.r_[0, (w * ~yes)[order].cumsum()][below]
    yes_below = np.r_[0, (w * yes)[order].cumsum()][below]
    all_yes, all_no = float((w * yes).sum()), float((w * ~yes).sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        return pd.DataFrame(
            {
                "threshold": cuts,
                "accuracy": (no_below + all_yes - yes_below) / w.sum(),
                "sensitivity": (all_yes - yes_below) / np.float64(all_yes),
                "specificity": no_below / np.float64(all_no),
                "n": len(x),
            }
        )


def tuned(
    human: ArrayLike, score: ArrayLike, weight: ArrayLike, cluster: ArrayLike, seed: int = 0
) -> Tuned:
    """Choose the threshold with the best accuracy, and try it where it was not chosen.

    Clusters are dealt at random to ten folds (fewer where there are fewer clusters); each fold is
    judged by the threshold of the others. The interval takes the labels as they are and so leaves
    out that another draw of labels would choose another threshold.

    Returns:
        See ``Tuned``; all NaN without labels, ``outside`` without at least two clusters.
    """
    yes, x = np.asarray(human, dtype=float) >= YES, np.asarray(score, dtype=float)
    w = np.asarray(weight, dtype=float)
    nothing = Estimate(np.nan, np.nan, np.nan, np.nan, 0)
    if not len(x):
        return Tuned(np.nan, np.nan, nothing, np.nan)
    threshold, inside = _best(yes, x, w)
    commoner = float((w * yes).sum() / w.sum())
    common = max(commoner, 1 - commoner)
    _, code = np.unique(np.asarray(cluster).astype(str), return_inverse=True)
    groups = int(code.max()) + 1
    if groups < 2:
        return Tuned(threshold, inside, nothing, common)
    fold = np.random.default_rng(seed).permutation(groups)[code] % min(FOLDS, groups)
    right = np.zeros(len(x), dtype=bool)
    for part in range(int(fold.max()) + 1):
        out = fold == part
        cut, _ = _best(yes[~out], x[~out], w[~out])
        right[out] = (x[out] >= cut) == yes[out]
    return Tuned(threshold, inside, agreement.share(right, w, code), common)


def _best(
    yes: NDArray[np.bool_], x: NDArray[np.float64], w: NDArray[np.float64]
) -> tuple[float, float]:
    """The middle one of the best thresholds and its accuracy."""
    points = curve(yes, x, w)
    best = points[points["accuracy"] >= points["accuracy"].max() - 1e-12]
    row = best.iloc[len(best) // 2]
    return float(row["threshold"]), float(row["accuracy"])


def _cuts(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """All yes, the middles between neighbouring scores, all no."""
    levels = np.unique(x)
    if len(levels) > MOST:
        levels = np.unique(np.quantile(x, np.linspace(0, 1, MOST)))
    cuts: NDArray[np.float64] = np.r_[-np.inf, (levels[1:] + levels[:-1]) / 2, np.inf]
    return cuts
