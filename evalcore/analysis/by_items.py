"""The items behind a suite's scores: clustered errors of means, of differences and of sums.

All models of a suite answered the same questions, so two of them differ more clearly than their
separate intervals tell, and questions that share a picture are one piece of evidence, not several
(Miller 2024, arXiv 2411.00640).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from evalcore.analysis import intervals, resample
from evalcore.analysis.resample import Floats, Places

FLAT = 1e-18
"""A variance below this is one of rounding: the scores, or two models, do not differ at all."""
ESTIMATES = (
    *("benchmark", "axis", "tag", "model"),
    *("value", "n", "clusters", "se", "low", "high"),
)
Key = tuple[str, str, str]
"""Benchmark, axis and tag."""
Made = Mapping[str, Mapping[Key, float]]
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

    @property
    def scaled(self) -> Floats:
        """``away``, so that sums of squares are CR1 variances; NaN with fewer than two clusters."""
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.sqrt(self.clusters / (self.clusters - 1))
        return self.away * np.where(self.clusters > 1, factor, np.nan)


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
    _moments: dict[Key, Moments] = field(default_factory=dict, repr=False)

    @property
    def models(self) -> list[str]:
        """The models that have items."""
        return [str(model) for model in self.scores.columns]

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
    return Moments(mean, n.astype(float), clusters.astype(float), away, present)


def estimates(items: Items, keys: Sequence[Key]) -> pd.DataFrame:
    """Give each model's mean on groups of items, with a cluster-aware interval.

    The standard error is the sandwich estimator of a regression on a constant with clusters
    ("CR1"; Liang & Zeger 1986). Right-or-wrong scores have Wilson's interval with the effective
    number of items (``resample.wilson``); where all are alike its half-width over z stands for the
    standard error. Graded ones have Student's t with G - 1 degrees of freedom, G clusters; where
    they do not vary nothing is known of their error.

    Args:
        items: The items.
        keys: The groups.

    Returns:
        One row a group and model with a score: ``ESTIMATES``; NaN is not known.
    """
    parts = [_of_group(items, key) for key in keys]
    found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=ESTIMATES)
    return found[found["n"] > 0].reset_index(drop=True)


def _of_group(items: Items, key: Key) -> pd.DataFrame:
    found, places = items.moments(key), items.places[key]
    table, cluster = items.scores.to_numpy(float)[places], items.cluster[places]
    known = ~np.isnan(table)
    binary = (np.isin(table, (0, 1)) | ~known).all(axis=0)
    with np.errstate(invalid="ignore"):
        variance = (found.scaled**2).sum(axis=0)
        se = np.where(variance > FLAT, np.sqrt(variance), np.nan)
    half = resample.t_quantile(found.clusters - 1) * se
    low, high = np.clip(found.mean - half, 0, 1), np.clip(found.mean + half, 0, 1)
    if binary.any():
        low[binary], high[binary] = resample.wilson(table[:, binary], cluster)
    alike = binary & np.isnan(se)
    se = np.where(alike, (high - low) / 2 / intervals.z(), se)
    columns = (found.mean, found.n, found.clusters, se, low, high)
    values = dict(zip(ESTIMATES[4:], columns, strict=True))
    named = dict(zip(ESTIMATES[:3], key, strict=True))
    return pd.DataFrame({**named, "model": items.models, **values}, columns=ESTIMATES)


def paired_errors(
    items: Items, made: Mapping[Key, float], columns: np.ndarray
) -> tuple[Floats, Floats]:
    """Give the standard error of the first model's score less each one's, question by question.

    It is the CR1 error of the differences by item, clustered; a model may lack scores that the
    other has.

    Args:
        items: The items.
        made: How the score is made of groups of items.
        columns: Places of the models among ``items.models``, that of the first model first.

    Returns:
        The errors (0 where no difference varies, NaN where nothing is known), and the degrees of
        freedom: clusters less groups.
    """
    variance, freedom = np.zeros(len(columns)), np.full(len(columns), -1.0 * len(made))
    for key, weight in made.items():
        found = items.moments(key)
        scaled, clusters = found.scaled[:, columns], found.clusters[columns]
        variance += weight**2 * ((scaled[:, [0]] - scaled) ** 2).sum(axis=0)
        freedom += np.minimum(clusters, clusters[0])
    with np.errstate(invalid="ignore"):
        error = np.where(variance > FLAT, np.sqrt(variance), np.where(variance >= 0, 0.0, np.nan))
    return error, freedom


def weighted(
    items: Items, counted: Mapping[Key, float], models: Sequence[str]
) -> tuple[Floats, Floats]:
    """Give what each cluster adds to the error of a weighted sum of groups' means.

    Args:
        items: The items.
        counted: Weight of each group.
        models: Whose.

    Returns:
        Clusters x models (sums of squares over clusters are variances, sums of products are
        covariances, both without CR1's factor), and the number of clusters of each model.
    """
    columns = pd.Index(items.models).get_indexer(pd.Index(models))
    size = int(np.max(items.cluster)) + 1
    away, used = np.zeros((size, len(columns))), np.zeros(size, dtype=bool)
    fewest = np.full(len(columns), np.inf)
    for key, weight in counted.items():
        found = items.moments(key)
        away[found.cluster] += weight * found.away[:, columns]
        used[found.cluster] = True
        fewest = np.minimum(fewest, found.clusters[columns])
    clusters = np.where(fewest > 0, float(used.sum()), 0.0)
    return away[used], clusters if len(counted) > 1 else fewest
