"""What to test next to be surer: how many own questions part the tied, which result fills a gap.

The gap seen is taken for the true one, which is optimistic for the leader: it leads partly by luck.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from evalcore.analysis import power

CORRELATION = 0.5
"""Assumed correlation of right and wrong between two models that answer the same questions, where
their answers are not known."""
PAIRS = ["model", "gap", "paired", "unpaired", "seen"]
GAPS = ["what", "completes", "lacking"]


class Seen(NamedTuple):
    """How far a model differs from the leader on the questions that both answered."""

    paired: float
    """Standard error of the difference, question by question."""
    apart: float
    """The same, as if each had answered other questions."""
    n: int


def questions(first: float, second: float, correlation: float) -> float:
    """How many questions show a difference in mean score, with ``power.POWER`` at 95 %.

    That of ``power.questions``; the variance of the difference on one question is
    p(1-p) + q(1-q) - 2 r sqrt(p(1-p) q(1-q)), with r the correlation (0: different questions, the
    number holds for each model). Miller 2024, arXiv 2411.00640, section 5.

    Args:
        first: mean score of one model, 0 to 1.
        second: of the other.
        correlation: of their scores over questions, 0 to 1.

    Returns:
        The number, rounded up; NaN for equal scores or an unknown one.

    >>> questions(0.70, 0.67, 0.0)
    3760.0
    """
    one, other = first * (1 - first), second * (1 - second)
    variance = one + other - 2 * correlation * math.sqrt(max(0.0, one * other))
    return _at_least_two(first - second, math.sqrt(max(0.0, variance)), 1)


def pairs(
    score: pd.Series, tied: list[str], seen: Mapping[str, Seen] | None = None
) -> pd.DataFrame:
    """How many own questions would part the leader from each model tied with it.

    Args:
        score: overall score by model, fractions.
        tied: the tied models, the leader first.
        seen: how far models differ from the leader, where the answers of both are known: they are
            taken to differ so on other questions. Of the others ``CORRELATION`` is assumed.

    Returns:
        One row a tied model, the easiest to part first: model, gap (fraction), paired (questions
        put to both), unpaired (questions put to each; both are NaN where the scores are equal) and
        seen (questions that the spread was seen on; NaN: it is assumed).
    """
    if len(tied) < 2:
        return pd.DataFrame(columns=PAIRS)
    leader = float(score[tied[0]])
    rows = []
    for model in tied[1:]:
        other = float(score[model])
        gap, known = leader - other, (seen or {}).get(model)
        if known is None:
            paired, apart = (questions(leader, other, r) for r in (CORRELATION, 0.0))
        else:
            paired, apart = (_at_least_two(gap, se, known.n) for se in (known.paired, known.apart))
        rows.append((model, gap, paired, apart, math.nan if known is None else float(known.n)))
    frame = pd.DataFrame(rows, columns=PAIRS)
    easiest = frame.sort_values("gap", ascending=False, kind="stable")
    return easiest.sort_values("paired", kind="stable", ignore_index=True)


def _at_least_two(gap: float, se: float, n: int) -> float:
    total = power.questions(gap, se, n).total
    return total if math.isnan(total) else max(2.0, total)


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
