"""The items behind a suite's scores: clustered errors of means, of differences and of sums.

Models that answered the same questions differ more clearly than their separate intervals tell, and
questions that share a picture are one piece of evidence, not several (Miller 2024, arXiv
2411.00640). What a judge that was asked several times adds by its own spread is kept apart and
added in quadrature, each model's by itself (MM-Vet; ``paired.judge_error``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalcore.analysis import intervals, paired, resample
from evalcore.analysis.resample import Floats, Places

FLAT = 1e-18
"""A variance below this is one of rounding: the scores, or two models, do not differ at all."""
ESTIMATES = (
    *("benchmark", "axis", "tag", "model"),
    *("value", "n", "clusters", "se", "low", "high", "judge_se"),
)
Key = tuple[str, str, str]
"""Benchmark, axis and tag."""
TagComposition = Mapping[str, Mapping[Key, float]]
"""Tag → the weight in its score of the means over groups of items; a group one benchmark's."""


class Moments(NamedTuple):
    """The mean scores of one group of items, by model."""

    mean: Floats
    n: Floats
    """Scored items."""
    clusters: Floats
    """Clusters with a scored item."""
    away: Floats
    """Clusters x models: what each cluster adds to the error of each mean."""
    cluster: Places
    """The cluster of each row of ``away``."""
    whole: NDArray[np.bool_]
    """Whether all scores are right or wrong."""

    @property
    def scaled(self) -> Floats:
        """``away``, so that sums of squares are CR1 variances; NaN with fewer than two clusters."""
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.sqrt(self.clusters / (self.clusters - 1))
        return self.away * np.where(self.clusters > 1, factor, np.nan)


class Repeats(NamedTuple):
    """The verdicts on one model's answers to one benchmark, by a judge that was asked again."""

    model: str
    benchmark: str
    start: int
    """The place of the benchmark's first item."""
    scores: Floats
    """Items of the benchmark x repeats, fractions; NaN is unscored. A score is their mean."""


class Judged(NamedTuple):
    """What each repeat of a judge makes of groups of one benchmark's items."""

    column: int
    """Of the model."""
    means: Mapping[Key, Floats]
    """One mean a repeat, over the items that all repeats scored; NaN without any."""


@dataclass(frozen=True, eq=False)
class Items:
    """What each model scored on each item, and where the items of each tag are."""

    scores: pd.DataFrame
    """Items x models, fractions; NaN is unscored."""
    cluster: np.ndarray
    """The cluster of each item; benchmarks share none."""
    places: Mapping[Key, Places]
    """The items of each tag of each benchmark."""
    asked: pd.DataFrame | None = None
    """Items x models, bool: whether a model was asked; None: every one was asked everything."""
    repeats: Sequence[Repeats] = ()
    """Of the models that were judged twice or more."""
    _moments: dict[Key, Moments] = field(default_factory=dict, repr=False)
    _put: dict[Key, Floats] = field(default_factory=dict, repr=False)

    @property
    def models(self) -> list[str]:
        """The models that have items."""
        return [str(model) for model in self.scores.columns]

    @cached_property
    def put_to(self) -> NDArray[np.bool_]:
        """Items x models: whether the item was put to the model."""
        if self.asked is None:
            return np.ones(self.scores.shape, dtype=bool)
        return np.asarray(self.asked.to_numpy(bool) | self.scores.notna().to_numpy())

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Items x models: whether a question that was put to the model has no score."""
        return np.asarray(self.put_to & self.scores.isna().to_numpy())

    def put(self, key: Key) -> Floats:
        """How many questions of a group were put to each model; counted once."""
        if key not in self._put:
            self._put[key] = self.put_to[self.places[key]].sum(axis=0).astype(float)
        return self._put[key]

    @cached_property
    def judged(self) -> list[Judged]:
        """The means of every group by repeat, of models that were judged twice or more."""
        return by_repeat(self.repeats, self.models, self.places)

    def moments(self, key: Key) -> Moments:
        """The means of one group of items; worked out once."""
        if key not in self._moments:
            self._moments[key] = _moments(self, self.places[key])
        return self._moments[key]


def _moments(items: Items, places: Places) -> Moments:
    table = items.scores.to_numpy(float)[places]
    present, group = np.unique(items.cluster[places], return_inverse=True)
    mean, _, n, clusters = resample.moments(table, group)
    with np.errstate(invalid="ignore", divide="ignore"):
        away = np.where(np.isnan(table), 0, (table - mean) / n)
    away = resample.summed(away, group)
    whole = resample.right_or_wrong(table)
    return Moments(mean, n.astype(float), clusters.astype(float), away, present, whole)


def by_repeat(
    repeats: Sequence[Repeats], models: Sequence[str], parts: Mapping[Key, Places]
) -> list[Judged]:
    """Give what each repeat of a judge makes of groups of items.

    Args:
        repeats: The repeats; those of other models are left out.
        models: The models whose columns are meant.
        parts: The items of each group.
    """
    column = {model: place for place, model in enumerate(models)}
    return [
        Judged(
            column[repeat.model],
            {
                key: paired.by_repeat(repeat.scores[part - repeat.start])
                for key, part in parts.items()
                if key[0] == repeat.benchmark
            },
        )
        for repeat in repeats
        if repeat.model in column and repeat.scores.shape[1] > 1
    ]


def judge_errors(judged: Sequence[Judged], composition: Mapping[Key, float], models: int) -> Floats:
    """Give the error that repeated judging adds to a weighted sum of groups' means.

    It is ``paired.judge_error`` of the sum: a repeat's weighted total is one number, so tags that
    share items, or the judge's mood, are not taken for independent. Judges of unlike benchmarks
    are. The items' own spread holds a part of it already where a judge wavers on each item by
    itself, so the whole is careful.

    Args:
        judged: As from ``by_repeat``.
        composition: The weight of each group.
        models: How many there are.

    Returns:
        One number a model; 0 for those that were judged once.
    """
    variance = np.zeros(models)
    for judge in judged:
        parts = [
            weight * judge.means[key] for key, weight in composition.items() if key in judge.means
        ]
        known = [part for part in parts if not np.isnan(part).any()]
        if known:
            variance[judge.column] += paired.repeat_error(np.sum(known, axis=0)) ** 2
    return np.where(variance > FLAT, np.sqrt(variance), 0.0)


def estimates(items: Items, keys: Sequence[Key]) -> pd.DataFrame:
    """Give each model's mean on groups of items, with a cluster-aware interval.

    The standard error is the sandwich estimator of a regression on a constant with clusters
    ("CR1"; Liang & Zeger 1986). Right-or-wrong scores have Wilson's interval with the effective
    number of items (``resample.wilson``); where all are alike its half-width over z stands for the
    standard error. Graded ones have ``intervals.of_grades`` with Student's t, G - 1 degrees of
    freedom, G clusters; where they do not vary nothing is known of their error. The spread over a
    judge's repeats is in se and interval, and in judge_se by itself; right-or-wrong scores have
    none, for a mean of unlike verdicts is neither.

    Args:
        items: The items.
        keys: The groups.

    Returns:
        One row a group and model with a score: ``ESTIMATES``; NaN is not known, in judge_se none.
    """
    parts = [_of_group(items, key) for key in keys]
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=ESTIMATES)
    return rows[rows["n"] > 0].reset_index(drop=True)


def _of_group(items: Items, key: Key) -> pd.DataFrame:
    moments, places = items.moments(key), items.places[key]
    table, cluster = items.scores.to_numpy(float)[places], items.cluster[places]
    with np.errstate(invalid="ignore"):
        variance = (moments.scaled**2).sum(axis=0)
        judge = judge_errors(items.judged, {key: 1.0}, len(items.models))
        se = np.where(variance > FLAT, np.sqrt(variance + judge**2), np.nan)
    mean, student = np.clip(moments.mean, 0, 1), resample.t_quantile(moments.clusters - 1)
    low, high = intervals.of_grades(mean, se, moments.n, student)
    if moments.whole.any():
        low[moments.whole], high[moments.whole] = resample.wilson(table[:, moments.whole], cluster)
    alike = moments.whole & np.isnan(se)
    se = np.where(alike, (high - low) / 2 / intervals.z(), se)
    spread = np.where((judge > 0) & ~np.isnan(se), judge, np.nan)
    columns = (moments.mean, moments.n, moments.clusters, se, low, high, spread)
    values = dict(zip(ESTIMATES[4:], columns, strict=True))
    named = dict(zip(ESTIMATES[:3], key, strict=True))
    return pd.DataFrame({**named, "model": items.models, **values}, columns=ESTIMATES)


def paired_errors(
    items: Items, composition: Mapping[Key, float], columns: np.ndarray
) -> tuple[Floats, Floats]:
    """Give the standard error of the first model's score less each one's, question by question.

    It is the CR1 error of the differences by item, clustered, and of both the spread over repeats
    of their judges; a model may lack scores that the other has.

    Args:
        items: The items.
        composition: How the score is made of groups of items.
        columns: Places of the models among ``items.models``, that of the first model first.

    Returns:
        The errors (0 where no difference varies, NaN where nothing is known), and the degrees of
        freedom: clusters less groups.
    """
    variance, freedom = np.zeros(len(columns)), np.full(len(columns), -1.0 * len(composition))
    for key, weight in composition.items():
        moments = items.moments(key)
        scaled, clusters = moments.scaled[:, columns], moments.clusters[columns]
        variance += weight**2 * ((scaled[:, [0]] - scaled) ** 2).sum(axis=0)
        freedom += np.minimum(clusters, clusters[0])
    judge = judge_errors(items.judged, composition, len(items.models))[columns] ** 2
    with np.errstate(invalid="ignore"):
        error = np.sqrt(variance + (judge[0] + judge))
        error = np.where(variance > FLAT, error, np.where(variance >= 0, 0.0, np.nan))
    return error, freedom


class Summed(NamedTuple):
    """The error of a weighted sum of groups' means, by model."""

    away: Floats
    """Clusters x models: sums of squares over clusters are variances, sums of products are
    covariances, with CR1's factor of each group."""
    alone: Floats
    """One variance a model, of the groups whose scores do not vary: binomial with as many items
    as clusters, so that no error is taken for none."""
    clusters: Floats
    """One number a model."""
    n: int
    """Items of any of the groups."""
    whole: NDArray[np.bool_]
    """Whether all scores of a model are right or wrong."""
    freedom: float
    """Degrees of freedom, as if every item had a score: ``clusters.freedom``."""


def weighted(items: Items, counted: Mapping[Key, float], models: Sequence[str]) -> Summed:
    """Give what each cluster adds to the error of a weighted sum of groups' means.

    Args:
        items: The items.
        counted: Weight of each group.
        models: Whose.

    Returns:
        Without the spread over judges' repeats: see ``judge_errors``.
    """
    columns = pd.Index(items.models).get_indexer(pd.Index(models))
    size = int(np.max(items.cluster)) + 1
    away, alone, count = np.zeros((size, len(columns))), np.zeros(len(columns)), []
    whole, fewest = np.ones(len(columns), dtype=bool), np.full(len(columns), np.inf)
    inside = np.zeros(len(items.cluster), dtype=bool)
    for key, weight in counted.items():
        moments, places = items.moments(key), items.places[key]
        moved, clusters = np.nan_to_num(moments.scaled[:, columns]), moments.clusters[columns]
        away[moments.cluster] += weight * moved
        fewest, whole = np.minimum(fewest, clusters), whole & moments.whole[columns]
        flat = (moved**2).sum(axis=0) <= FLAT
        binomial = intervals.standard_error(np.clip(moments.mean[columns], 0, 1), clusters)
        alone += np.where(flat, (weight * binomial) ** 2, 0)
        count.append(np.bincount(items.cluster[places], minlength=size))
        inside[places] = True
    table = np.stack(count, axis=1)
    used = table.any(axis=1)
    number = np.where(fewest > 0, float(used.sum()), 0.0) if len(counted) > 1 else fewest
    freedom = resample.freedom(table[used], [*counted.values()])
    return Summed(away[used], alone, number, int(inside.sum()), whole, freedom)
