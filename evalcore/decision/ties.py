"""Who leads and by how much, from single questions where models share them, else from totals.

Models whose answers are known item by item are compared on the same questions; the others as
independent normal estimates, with the errors that their totals have.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalcore.analysis import intervals, multiple, paired, ranking, resample
from evalcore.analysis.resample import Draws, Floats
from evalcore.analysis.weighted import Weighted

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
    """How many questions show a difference in mean score, with ``paired.POWER`` at 95 %.

    That of ``paired.questions``; the variance of the difference on one question is
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
    own, other = first * (1 - first), second * (1 - second)
    variance = own + other - 2 * correlation * math.sqrt(max(0.0, own * other))
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
    total = paired.questions(gap, se, n).total
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


SEED = 360
"""Seed of the draws behind the chance of being the best."""
ENDLESS = 1_000_000
"""Clusters of a score whose error is known without resampling: no correction for few of them."""


@dataclass(frozen=True, eq=False)
class Ties:
    """How the ranked models stand to each other."""

    tied: list[str]
    """Those that the data cannot tell from the leader, the leader first."""
    p_best: pd.Series
    ranks: pd.DataFrame
    """rank_low, rank_high by model; NaN unknown."""


def stand(ranked: pd.DataFrame, shared: Weighted | None) -> Ties:
    """Return who is tied with the leader, who may be best, and which ranks are possible.

    Args:
        ranked: score and se by model, best first; se NaN is unknown.
        shared: the models that are compared question by question.
    """
    rng = np.random.default_rng(SEED)
    if not _compared(ranked.index, shared) or shared is None:
        score, se = ranked["score"], ranked["se"]
        p_best = ranking.p_best(score, se, rng)
        return Ties(ranking.tied_best(score, se), p_best, ranking.rank_range(score, se))
    known = ranked[ranked["se"].notna()]
    table = multiple.standings(_draws(known, shared, rng), [str(model) for model in known.index])
    table = table.reindex(ranked.index)
    unknown = ranked["se"].isna()
    ranks = table[["rank_low", "rank_high"]].copy()
    # Whoever has no error may stand above or below anybody.
    ranks["rank_high"] += int(unknown.sum())
    equal = ranked["score"] == ranked["score"].iloc[0]
    tied = equal if unknown.iloc[0] else equal | table["tied"].eq(True)
    p_best = table["p_best"] if not unknown.any() else table["p_best"] * np.nan
    if len(ranked) == 1:
        p_best = p_best.fillna(1.0)
    return Ties([str(model) for model in ranked.index[tied]], p_best, ranks)


def error(overall: pd.DataFrame, shared: Weighted | None, model: str, other: str) -> float:
    """Return the standard error of the difference between two scores; NaN where it is unknown.

    A paired one is widened so that 1.96 of it make the interval that so few clusters need.

    Args:
        overall: se by model.
        shared: the models that are compared question by question.
        model: a model.
        other: the one it is compared with.
    """
    apart = float(np.hypot(overall["se"][model], overall["se"][other]))
    if shared is None:
        return apart
    first, second = shared.column(model), shared.column(other)
    if first is None or second is None:
        return apart
    paired = _widened((first - second)[:, None].astype(np.float32), shared)[0]
    return apart if np.isnan(paired) else float(paired)


def seen(overall: pd.DataFrame, shared: Weighted | None, models: Sequence[str]) -> dict[str, Seen]:
    """Return how far models differ from the first one, of those that share their questions with it.

    Args:
        overall: se by model.
        shared: the models that are compared question by question.
        models: the first one first.
    """
    first = None if shared is None or not models else shared.column(models[0])
    if shared is None or first is None:
        return {}
    tests = {}
    for model in models[1:]:
        own = shared.column(model)
        if own is not None:
            paired = float(_spread((first - own)[:, None].astype(np.float32), shared)[0])
            apart = float(np.hypot(overall["se"][models[0]], overall["se"][model]))
            tests[model] = Seen(paired, apart, shared.n)
    return {model: test for model, test in tests.items() if not np.isnan(test.paired)}


def errors(overall: pd.DataFrame, shared: Weighted | None, models: Sequence[str]) -> Floats | None:
    """Return `error` of every pair, models x models; None where every pair is independent."""
    index = pd.Index(models)
    if shared is None or not _compared(index, shared):
        return None
    alone = overall["se"].reindex(index).to_numpy(float)
    apart: Floats = np.hypot(alone[:, None], alone[None, :])
    column = pd.Index(shared.models).get_indexer(index)
    ours = np.flatnonzero(column >= 0)
    draws = shared.score.draws[:, 0][:, column[ours]]
    for place, own in zip(ours, draws.T, strict=True):
        paired = _widened(draws - own[:, None], shared)
        apart[place, ours] = np.where(np.isnan(paired), apart[place, ours], paired)
    return apart


def _widened(moved: NDArray[np.float32], shared: Weighted) -> Floats:
    """The standard errors that resampled differences show, with Student's t over z in them."""
    se = _spread(moved, shared)
    widened: Floats = se * resample.t_quantile(shared.score.degrees[0, 0]) / intervals.z()
    return widened


def _spread(moved: NDArray[np.float32], shared: Weighted) -> Floats:
    """The standard errors that resampled differences show."""
    return multiple.spread(moved, np.full(moved.shape[1], shared.clusters))


def _compared(models: pd.Index, shared: Weighted | None) -> bool:
    """Whether any of the models has its error from items."""
    return shared is not None and bool(models.isin(shared.models).any())


def _draws(known: pd.DataFrame, shared: Weighted, rng: np.random.Generator) -> Draws:
    """The resampled scores, and for models without items normal draws of their own."""
    score, se = known["score"].to_numpy(float), known["se"].to_numpy(float)
    size = (len(shared.score.draws), len(known))
    draws = score + rng.standard_normal(size) * se
    clusters = np.full(len(known), ENDLESS)
    freedom = np.full(len(known), float(ENDLESS))
    for place, model in enumerate(known.index):
        own = shared.column(str(model))
        if own is not None:
            draws[:, place], clusters[place] = own, shared.clusters
            freedom[place] = shared.score.degrees[0, 0]
    return Draws(
        mean=score[None],
        se=se[None],
        n=known["n"].fillna(0).to_numpy(np.int64)[None],
        clusters=clusters[None],
        draws=draws.astype(np.float32)[:, None],
        freedom=freedom[None],
    )
