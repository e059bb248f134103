"""What to test next to be surer: how many own questions part the tied, which result fills a gap.

The gap seen is taken for the true one, which is optimistic for the leader: it leads partly by luck.
"""

import math

import numpy as np
import pandas as pd
from scipy.special import ndtri

CORRELATION = 0.5
"""Assumed correlation of right and wrong between two models that answer the same questions."""
POWER, LEVEL = 0.8, 0.95
PAIRS = ["model", "gap", "paired", "unpaired"]
GAPS = ["what", "completes", "lacking"]


def questions(first: float, second: float, correlation: float) -> float:
    """How many questions show a difference in mean score, with ``POWER`` at ``LEVEL``.

    n = (z_level + z_power)^2 x variance / gap^2; the variance of the difference on one question is
    p(1-p) + q(1-q) - 2 r sqrt(p(1-p) q(1-q)), with r the correlation (0: different questions, the
    number holds for each model). Miller 2024, arXiv 2411.00640, section 5.

    Args:
        first: mean score of one model, 0 to 1.
        second: of the other.
        correlation: of their scores over questions, 0 to 1.

    Returns:
        The number, rounded up; NaN for equal scores or an unknown one, infinite for none.

    >>> questions(0.70, 0.67, 0.0)
    3760.0
    """
    gap = first - second
    if math.isnan(gap) or gap == 0:
        return math.nan
    one, other = first * (1 - first), second * (1 - second)
    variance = one + other - 2 * correlation * math.sqrt(max(0.0, one * other))
    z = float(ndtri(0.5 + LEVEL / 2) + ndtri(POWER))
    return float(max(2, math.ceil(z**2 * variance / gap**2)))


def pairs(score: pd.Series, tied: list[str]) -> pd.DataFrame:
    """How many own questions would part the leader from each model tied with it.

    Args:
        score: overall score by model, fractions.
        tied: the tied models, the leader first.

    Returns:
        One row a tied model, the easiest to part first: model, gap (fraction), paired (questions
        put to both, at ``CORRELATION``) and unpaired (questions put to each; NaN where the scores
        are equal).
    """
    if len(tied) < 2:
        return pd.DataFrame(columns=PAIRS)
    leader = float(score[tied[0]])
    rows = []
    for model in tied[1:]:
        other = float(score[model])
        paired = questions(leader, other, CORRELATION)
        rows.append((model, leader - other, paired, questions(leader, other, 0.0)))
    frame = pd.DataFrame(rows, columns=PAIRS)
    return frame.sort_values("gap", ascending=False, kind="stable", ignore_index=True)


def gaps(incomplete: pd.DataFrame, best: float) -> pd.DataFrame:
    """Which single result would place most of the models that lack one and could still be best.

    Args:
        incomplete: one row a model: model, lacks (names of what it has no result on, a tuple),
            high (its overall score with the best result in every gap).
        best: the leader's score; NaN without one, then every model could be best.

    Returns:
        One row a missing result, the most useful first: what, completes (models that lack nothing
        else, a tuple), lacking (all that lack it, a tuple).
    """
    high = incomplete["high"].to_numpy(float)
    could = incomplete[~(high < best)] if not np.isnan(best) else incomplete
    lacking: dict[str, list[str]] = {}
    alone: dict[str, list[str]] = {}
    for model, lacks in zip(could["model"], could["lacks"], strict=True):
        for what in lacks:
            lacking.setdefault(what, []).append(model)
            if len(lacks) == 1:
                alone.setdefault(what, []).append(model)
    rows = [(what, tuple(alone.get(what, ())), tuple(who)) for what, who in lacking.items()]
    rows.sort(key=lambda row: (-len(row[1]), -len(row[2]), row[0]))
    return pd.DataFrame(rows, columns=GAPS)
