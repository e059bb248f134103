"""A weighted mean of tag means from single questions: which models share them, and its resamples.

The score of a model is sum over tags of share x mean over the tag's questions. A question with
several tags counts in each of them, so it moves the score by the sum of share / questions over its
tags. One set of drawn clusters meets all models and all tags: models stay paired, and what tags
share moves them together, so no design effect is needed. See Miller 2024, arXiv 2411.00640. What a
judge adds that was asked several times is drawn beside it, for each model by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalcore.analysis import by_items, intervals, multiple, resample
from evalcore.analysis.by_items import Items, Judged, Key, TagComposition
from evalcore.analysis.intervals import Bounds
from evalcore.analysis.resample import Draws, Floats, Places

SEED = 360
"""Of the resamples, so that the same question gives the same answer everywhere."""
KEEPS = 0.8
"""Another model joins as long as so much of the first one's questions stays common to all."""
SAME = 1e-6
"""A mean over items that lies nearer to a cell than this is that cell."""


@dataclass(frozen=True, eq=False)
class Weighted:
    """Weighted scores of the models that share their questions, with what resampling makes of them.

    Without models nothing was shared, and ``left`` says why.
    """

    models: tuple[str, ...]
    means: pd.DataFrame
    """Models x weighted tags: means over the questions that all of them have a score for."""
    score: Draws
    """One group, a column a model: the weighted means."""
    low: Floats
    """Of the 95 % interval of each model's score; so is ``high``."""
    high: Floats
    left: Mapping[str, str]
    """Model with items that takes no part → why, in words."""
    judged: tuple[str, ...] = ()
    """The models whose errors hold the spread over a judge's repeats as well."""

    @property
    def n(self) -> int:
        """Questions that all models have a score for, each once however many tags it has."""
        return int(self.score.n[0, 0]) if self.models else 0

    @property
    def clusters(self) -> int:
        """Pictures or sources that these questions are about."""
        return int(self.score.clusters[0, 0]) if self.models else 0

    def column(self, model: str) -> Floats | None:
        """The resamples of a model's score; None where it is not among the models."""
        if model not in self.models:
            return None
        return np.asarray(self.score.draws[:, 0, self.models.index(model)], dtype=float)


def weigh(
    items: Items, composition: TagComposition, share: pd.Series, cells: pd.DataFrame
) -> Weighted:
    """Score the models whose items stand behind their cells, on the questions they share.

    Only models take part with a cell for every weighted tag that is the mean of their items. Of
    these as many share their questions as leave ``KEEPS`` of those of the first, which is the one
    with the most that at least one other can join.

    Args:
        items: The items.
        composition: How tags are made of groups of items; a tag that is missing is not.
        share: Share of each weighted tag, summing to 1.
        cells: model, tag, value, for the same axis.

    Returns:
        The scores; without models where nothing is shared.
    """
    parts = {str(tag): dict(composition[tag]) for tag in share.index if composition.get(str(tag))}
    if len(parts) < len(share):
        return _nothing({})
    weight: dict[Key, float] = {}
    for tag, groups in parts.items():
        for key, part in groups.items():
            weight[key] = weight.get(key, 0.0) + float(share[tag]) * part
    fitting, left = _fitting(items, parts, cells)
    rows = _rows(items, list(weight))
    taken = joined(items.scores[fitting].iloc[rows].notna())
    left |= {model: _too_few(items, rows, model, taken) for model in fitting if model not in taken}
    if bare := _bare(items, parts, taken):
        left |= dict.fromkeys(taken, f"no question on {bare} has a score for all of them")
        taken = []
    if not taken:
        return _nothing(left)
    means, draws, ends, judge = _made(items, weight, tuple(taken))
    if draws.clusters[0, 0] < 2:
        return _nothing(
            left | dict.fromkeys(taken, "all questions are about one picture or source")
        )
    by_tag = {
        tag: sum(means[key] * part for key, part in groups.items()) for tag, groups in parts.items()
    }
    frame = pd.DataFrame(by_tag, index=taken)
    judged = tuple(model for model, error in zip(taken, judge, strict=True) if error > 0)
    return Weighted(tuple(taken), frame, draws, ends.low, ends.high, left, judged)


def joined(scored: pd.DataFrame) -> list[str]:
    """Give the models that share their questions: items x models, whether there is a score.

    >>> joined(pd.DataFrame({"a": [True, True], "b": [True, True], "c": [True, False]}))
    ['a', 'b']
    """
    number = scored.sum().sort_index().sort_values(ascending=False, kind="stable")
    order = [str(model) for model in number.index]
    has = {model: scored[model].to_numpy(bool) for model in order}
    for first in order:
        taken, common = [first], has[first]
        for model in order:
            both = common & has[model]
            if model != first and both.sum() >= max(1.0, KEEPS * has[first].sum()):
                taken.append(model)
                common = both
        if common.any() and (len(taken) > 1 or len(order) == 1):
            return [model for model in scored.columns if model in taken]
    return []


def _fitting(
    items: Items, parts: TagComposition, cells: pd.DataFrame
) -> tuple[list[str], dict[str, str]]:
    """The models with items that give every weighted cell, by their ids, and why others do not."""
    used = cells[cells["tag"].isin(list(parts)) & cells["model"].isin(items.models)]
    table = used.pivot(index="model", columns="tag", values="value").astype(float)
    table = table.reindex(columns=list(parts)).dropna()
    means = {
        tag: sum(items.moments(key).mean * part for key, part in groups.items())
        for tag, groups in parts.items()
    }
    given = pd.DataFrame(means, index=items.models).reindex(table.index)
    like = (given - table).abs().to_numpy() <= SAME  # NaN is unlike as well
    left = {}
    for model, row in zip(table.index, like, strict=True):
        if not row.all():
            tag = table.columns[row.argmin()]
            left[str(model)] = f"its answers give another score on {tag} than its total"
    return [str(model) for model in table.index if model not in left], left


def _bare(items: Items, parts: TagComposition, models: list[str]) -> str:
    """A tag without a question that all models have a score for; "" where there is none."""
    common = items.scores[models].notna().all(axis=1).to_numpy()
    for tag, groups in parts.items():
        if models and not all(common[items.places[key]].any() for key in groups):
            return tag
    return ""


def _rows(items: Items, keys: list[Key]) -> Places:
    """The items of any of the groups."""
    return np.unique(np.concatenate([items.places[key] for key in keys]))


def _too_few(items: Items, rows: Places, model: str, taken: list[str]) -> str:
    scored = items.scores.iloc[rows].notna()
    if not taken:
        return "no two of the models have enough questions in common"
    common = scored[taken].all(axis=1)
    both = int((common & scored[model]).sum())
    return f"it has a score for {both} of the {int(common.sum())} questions that the others share"


def _nothing(left: Mapping[str, str]) -> Weighted:
    empty = np.zeros((1, 0))
    none = empty.astype(np.int64)
    draws = Draws(empty, empty, none, none, np.zeros((0, 1, 0), dtype=np.float32))
    return Weighted((), pd.DataFrame(), draws, empty[0], empty[0], left)


@dataclass(frozen=True, eq=False)
class _Common:
    """The questions of an axis that models share, and the resamples of every tag's means."""

    table: Floats
    """Questions x models."""
    cluster: Places
    """Of each question, 0, 1, …"""
    by: Mapping[Key, Places]
    """The questions of each tag that has any."""
    clusters: Mapping[Key, int]
    count: Floats
    """Clusters x tags as in ``by``: how many of a tag's questions are about a cluster."""
    away: NDArray[np.float32] | None
    """How far each mean moves: tags x resamples x models, the tags as in ``by``; None where there
    are too many clusters to resample."""
    judged: Sequence[Judged]
    """The tags' means by repeat, of models that were judged twice or more."""


@lru_cache(maxsize=8)
def _common(items: Items, axis: str, models: tuple[str, ...]) -> _Common:
    """Kept, because a page asks anew for other weights; ``items`` is known by what it is."""
    keys = [key for key in items.places if key[1] == axis and len(items.places[key])]
    scores = items.scores[list(models)].to_numpy(float)
    inside = np.zeros(len(scores), dtype=bool)
    inside[_rows(items, keys)] = True
    rows = np.flatnonzero(inside & ~np.isnan(scores).any(axis=1))
    place = np.full(len(scores), -1)
    place[rows] = np.arange(len(rows))
    parts = {key: place[items.places[key]] for key in keys}
    by = {key: part[part >= 0] for key, part in parts.items() if (part >= 0).any()}
    table, cluster = scores[rows], resample.codes(np.asarray(items.cluster)[rows])
    size = int(cluster.max()) + 1 if len(cluster) else 0
    count = np.zeros((size, len(by)))
    for column, part in enumerate(by.values()):
        count[:, column] = np.bincount(cluster[part], minlength=size)
    clusters = dict(zip(by, map(int, (count > 0).sum(axis=0)), strict=True))
    away = None
    if size <= resample.MANY:
        rng = np.random.default_rng(SEED)
        draws = resample.bootstrap(table, cluster, rng, list(by.values()))
        away = np.moveaxis(np.nan_to_num(draws.draws - draws.mean.astype(np.float32)), 1, 0)
        for column, (key, part) in enumerate(by.items()):
            error = _unvaried(table[part], cluster[part])
            alone = rng.standard_normal(away.shape[1:], dtype=np.float32) * error
            away[column] = away[column] * _widened(clusters[key]) + alone
    own = {key: rows[part] for key, part in by.items()}
    judged = by_items.by_repeat(items.repeats, models, own)
    return _Common(table, cluster, by, clusters, count, away, judged)


def _widened(clusters: int) -> float:
    """What makes the spread over resamples of few clusters that of the mean: sqrt(G/(G-1))."""
    return float(np.sqrt(clusters / (clusters - 1))) if clusters > 1 else 0.0


def _unvaried(table: Floats, cluster: Places) -> Floats:
    """The standard errors of the means that resampling cannot tell; 0 of all others.

    All right or all wrong, or all on one picture: the binomial error with as many questions as
    clusters, at 0 and 1 half of Wilson's interval over z, so that no error is taken for none.
    """
    mean, se, _, clusters = resample.moments(table, resample.codes(cluster))
    binomial = intervals.standard_error(np.clip(mean, 0, 1), clusters)
    return np.where(np.isnan(se), binomial, 0.0)


def _made(
    items: Items, weight: Mapping[Key, float], models: tuple[str, ...]
) -> tuple[dict[Key, Floats], Draws, Bounds, Floats]:
    """Means by group and model, weighted scores with resamples, intervals, judges' errors."""
    common = _common(items, next(iter(weight))[1], models)
    parts = {key: common.by[key] for key in weight}
    rows = np.unique(np.concatenate(list(parts.values())))
    means = {key: common.table[part].mean(axis=0) for key, part in parts.items()}
    mean = np.sum([share * means[key] for key, share in weight.items()], axis=0)
    clusters = len(np.unique(common.cluster[rows]))
    places = [list(common.by).index(key) for key in weight]
    if common.away is None:
        away = _normal(common, weight, means)
    else:
        away = np.tensordot(np.array(list(weight.values())), common.away[places], axes=1)
    judge = by_items.judge_errors(common.judged, weight, len(models))
    if judge.any():
        apart = np.random.default_rng([SEED, 1])
        away = away + apart.standard_normal((resample.RESAMPLES, len(models))) * judge
    # Whoever reads draws widens them for few clusters; each tag's were widened for its own.
    draws = (mean + away / (_widened(clusters) or 1.0)).astype(np.float32)
    shape = (1, len(models))
    freedom = resample.freedom(common.count[:, places], list(weight.values()))
    if np.isnan(freedom):  # every tag is about one cluster, and its error the binomial one
        freedom = 1.0
    resampled = Draws(
        mean=mean[None],
        se=multiple.spread(draws, np.full(len(models), clusters))[None],
        n=np.full(shape, len(rows)),
        clusters=np.full(shape, clusters),
        draws=draws[:, None],
        freedom=np.full(shape, freedom),
    )
    table, cluster = common.table[rows], common.cluster[rows]
    return means, resampled, _interval(resampled, table, cluster, len(weight), judge), judge


def _normal(common: _Common, weight: Mapping[Key, float], means: Mapping[Key, Floats]) -> Floats:
    """How far scores move: normal, with the covariance that resampling has in the limit."""
    rng = np.random.default_rng(SEED)
    models = common.table.shape[1]
    away, alone = np.zeros((int(common.cluster.max()) + 1, models)), np.zeros(models)
    for key, share in weight.items():
        part, own = common.by[key], means[key]
        table, cluster = common.table[part], common.cluster[part]
        factor = share * _widened(common.clusters[key]) / len(part)
        np.add.at(away, cluster, factor * (table - own))
        alone += (share * _unvaried(table, cluster)) ** 2
    size, turn = np.linalg.eigh(away.T @ away)
    root = turn * np.sqrt(np.maximum(size, 0))
    both = rng.standard_normal((2, resample.RESAMPLES, models))
    moved: Floats = both[0] @ root.T + both[1] * np.sqrt(alone)
    return moved


def _interval(draws: Draws, table: Floats, cluster: Places, tags: int, judge: Floats) -> Bounds:
    """Of one tag as everywhere, of several by the standard error of the weighted mean."""
    if tags == 1:
        return resample.interval(table, cluster, more=judge)
    whole = resample.right_or_wrong(table)
    student = resample.t_quantile(draws.degrees[0])
    return intervals.of_sum(draws.mean[0], draws.se[0], draws.n[0], student, whole)
