"""Which model to send which kind of question to, and what that gains over one model for all.

A routing table picks the best of several figures for each kind of question, and so looks better
than it is: its gain is estimated on items that took no part in the picking.

Of entries with equal scores the cheapest answers, a known cost before an unknown one; of equally
cheap ones the best single one where it is among them, else the first by name.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from evalcore.analysis import resample
from evalcore.analysis.intervals import LEVEL
from evalcore.analysis.resample import Floats, Places
from evalcore.errors import BadInput

LEAST_A_KIND = 20
"""A kind of question with fewer items joins ``OTHER``."""
OTHER = "other kinds"
FOLDS = 5
TIE = 1e-6
"""Sums of scores that differ by less are equal: floats add up differently in another order."""
UNPRICED = 1e300
"""Stands for an unknown cost where the cheapest is looked for: dearer than any known one."""
COLUMNS = ("kind", "entry", "n", "share", "score", "single_score", "cost")


@dataclass(frozen=True)
class Settings:
    """How a plan is made and tried."""

    budget: float | None = None
    """The most a question may cost in the mean; an entry of unknown cost does not pass it."""
    folds: int = FOLDS
    level: float = LEVEL


@dataclass(frozen=True)
class Plan:
    """Which entry to send which kind of question to, and what that gains over one for all."""

    table: pd.DataFrame
    """One row a kind, most questions first: kind, entry, n, share, score, single_score, cost."""
    single: str
    """The best single entry under the same limits; "" where none meets them."""
    score: float
    """Of the plan, on the items that it was made from: too good."""
    single_score: float
    cost: float
    """Mean of the cost of a question; NaN where it is not known."""
    single_cost: float
    gain: float
    """Over the best single entry, on items that took no part in the choice; NaN if unknown."""
    gain_low: float
    gain_high: float
    n: int
    """Items that all entries are scored on and that have a kind."""
    cheapest: float
    """Mean cost of a question of the cheapest entry; NaN where no cost is known."""
    cheapest_mix: float
    """The same of each kind's cheapest entry: below ``cheapest`` where costs differ by kind."""


def kinds(tags: pd.DataFrame, axis: str, items: pd.Index, least: int = LEAST_A_KIND) -> pd.Series:
    """Give each item its kind of question: its tag of an axis, or its exact set of them.

    Args:
        tags: item, axis, tag.
        axis: which axis.
        items: the items; one without a tag has no kind and is absent from the result.
        least: kinds with fewer items become ``OTHER``.
    """
    mine = tags[(tags["axis"] == axis) & tags["item"].isin(items)].drop_duplicates()
    mine = mine.sort_values("tag")
    joined = mine.groupby("item")["tag"].agg(" + ".join)
    joined = joined.reindex(items[items.isin(joined.index)])
    return joined.where(joined.map(joined.value_counts()) >= least, OTHER).rename("kind")


def route(  # noqa: PLR0913  one assumption an argument
    scores: pd.DataFrame,
    kind: pd.Series,
    rng: np.random.Generator,
    cluster: pd.Series | None = None,
    cost: pd.DataFrame | None = None,
    settings: Settings = Settings(),  # noqa: B008  frozen
) -> Plan:
    """Send each kind of question to the entry that is best at it, within a budget.

    Among equals the cheapest answers: see the module. The order of the columns does not matter.

    The gain is cross-validated: clusters are dealt into folds; plan and best single entry are made
    from all but one and tried on that one. Its interval is the clustered one of the differences by
    item, widened by sqrt(1 + K/(K - 1)) for K folds, since the plans share most of the items that
    they are made from (Nadeau & Bengio 2003, Machine Learning 52:239-281).

    Args:
        scores: items x entries that meet the limits.
        kind: item → kind, as from ``kinds``.
        rng: deals the folds.
        cluster: item → cluster; None where each stands alone.
        cost: items x entries, of one question; NaN is unknown.
        settings: budget, folds, level.

    Raises:
        BadInput: a budget without costs.
    """
    if settings.budget is not None and cost is None:
        raise BadInput("a budget needs the cost of each entry's answers")
    used = scores.loc[scores.index.isin(kind.index)].dropna()
    used = used[sorted(used.columns, key=str)]
    names = [str(name) for name in used.columns]
    labels, place = np.unique(kind.reindex(used.index).to_numpy(str), return_inverse=True)
    spent = np.full(used.shape, np.nan)
    if cost is not None:
        spent = cost.reindex(index=used.index, columns=used.columns).to_numpy(float)
    data = _Data(used.to_numpy(float), place, spent, len(labels))
    chosen, single = _plan(data, settings.budget)
    if single < 0:
        return _nobody(data)
    group = None if cluster is None else cluster.reindex(used.index)
    gain, low, high = _tried(data, group, rng, settings)
    rows = np.arange(len(used))
    routed, paid = data.score[rows, chosen[place]], data.cost[rows, chosen[place]]
    alone = data.score[:, single]
    return Plan(
        table=_table(labels, place, [names[entry] for entry in chosen], (routed, alone, paid)),
        single=names[single],
        score=float(routed.mean()),
        single_score=float(alone.mean()),
        cost=_known_mean(paid),
        single_cost=_known_mean(data.cost[:, single]),
        gain=gain,
        gain_low=low,
        gain_high=high,
        n=len(used),
        **data.cheapest(),
    )


def _nobody(data: "_Data") -> Plan:
    """The plan that sends nothing."""
    nan, empty = float("nan"), pd.DataFrame(columns=list(COLUMNS))
    n, cheapest = len(data.score), data.cheapest()
    return Plan(empty, "", nan, nan, nan, nan, nan, nan, nan, n, **cheapest)


def _table(
    labels: np.ndarray, place: Places, entries: list[str], values: tuple[Floats, Floats, Floats]
) -> pd.DataFrame:
    """The plan by kind, from each item's score, the single entry's score and the cost."""
    score, single, cost = values
    each = pd.DataFrame(
        {"kind": labels[place], "score": score, "single_score": single, "cost": cost}
    )
    table = each.groupby("kind").mean().reset_index()
    n = np.bincount(place)
    table = table.assign(entry=entries, n=n, share=n / len(place))[list(COLUMNS)]
    return table.sort_values(["n", "kind"], ascending=[False, True], ignore_index=True)


@dataclass(frozen=True)
class _Data:
    score: Floats
    """Items x entries."""
    kind: Places
    cost: Floats
    kinds: int

    def part(self, rows: np.ndarray) -> "_Data":
        return _Data(self.score[rows], self.kind[rows], self.cost[rows], self.kinds)

    def sums(self, table: Floats) -> Floats:
        """Kinds x entries."""
        columns = [np.bincount(self.kind, column, minlength=self.kinds) for column in table.T]
        return np.stack(columns, axis=1)

    def by_kind(self) -> Floats:
        """Mean cost, kinds x entries; where none of a kind is known, the mean over all kinds."""
        scored = ~np.isnan(self.cost)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = self.sums(np.where(scored, self.cost, 0)) / self.sums(scored.astype(float))
        return np.where(np.isnan(mean), _known_means(self.cost), mean)

    def cheapest(self) -> dict[str, float]:
        """The fields of ``Plan`` that begin so."""
        average = _known_means(self.cost)
        if np.isnan(average).all() or not len(self.kind):
            return {"cheapest": float("nan"), "cheapest_mix": float("nan")}
        lowest = np.nanmin(self.by_kind()[:, ~np.isnan(average)], axis=1)
        mix = float(lowest[self.kind].mean())
        return {"cheapest": float(np.nanmin(average)), "cheapest_mix": mix}


def _plan(data: _Data, budget: float | None) -> tuple[Places, int]:
    """The entry of each kind and the best single one; -1 where none meets the budget."""
    nobody = np.full(data.kinds, -1, dtype=np.intp)
    if not data.score.size:
        return nobody, -1
    total, average = data.score.sum(axis=0), _known_means(data.cost)
    allowed = np.ones(len(total), dtype=bool) if budget is None else average <= budget
    if not allowed.any():
        return nobody, -1
    single = int(_best(np.where(allowed, total, -np.inf)[None, :], average[None, :])[0])
    score, by_kind = data.sums(data.score), data.by_kind()
    if budget is None:
        return _best(score, by_kind, single), single
    expense = by_kind * np.bincount(data.kind, minlength=data.kinds)[:, None]
    return _within_budget(score, expense, single, budget * len(data.score)), single


def _best(score: Floats, cost: Floats, first: int | None = None) -> Places:
    """Of each row the column with the highest score; of equal ones the cheapest.

    Args:
        score: rows x entries; -inf may not be taken.
        cost: rows x entries; NaN is unknown, and dearer than any known one.
        first: this column before other equally cheap ones; the others in their order.
    """
    price = np.where(np.isnan(cost), UNPRICED, cost)
    price = np.where(score >= score.max(axis=1, keepdims=True) - TIE, price, np.inf)
    cheapest = price <= price.min(axis=1, keepdims=True) * (1 + 1e-9)
    best: Places = cheapest.argmax(axis=1).astype(np.intp)
    if first is not None:
        best[cheapest[:, first]] = first
    return best


def _within_budget(score: Floats, expense: Floats, single: int, budget: float) -> Places:
    """The best choice on the frontier of score against cost (Lagrange's multiplier).

    Every price of money at which some kind changes its entry is tried; a choice between two points
    of the frontier may be a little better and is not looked for. Of equally good choices the
    cheapest is taken.
    """
    known = ~np.isnan(expense).any(axis=0)
    score, cost = np.where(known, score, -np.inf), np.where(known, expense, 0)
    rows = np.arange(len(score))
    # Who costs no more on a kind than the single one, which is within the budget, fits too.
    best = _best(np.where(cost <= cost[:, [single]], score, -np.inf), cost, single)
    reached, paid = score[rows, best].sum(), cost[rows, best].sum()
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = (score[:, :, None] - score[:, None, :]) / (cost[:, :, None] - cost[:, None, :])
    for price in (0.0, *np.unique(ratios[np.isfinite(ratios) & (ratios > 0)])):
        choice = _best(score - price * cost, cost, single)
        total, asked = score[rows, choice].sum(), cost[rows, choice].sum()
        if asked > budget * (1 + 1e-12):
            continue
        if total > reached + TIE or (total > reached - TIE and asked < paid):
            best, reached, paid = choice, total, asked
    return best


def _tried(
    data: _Data, cluster: pd.Series | None, rng: np.random.Generator, settings: Settings
) -> tuple[float, float, float]:
    """The gain on items that took no part in making the plan, with its interval."""
    unknown = float("nan"), float("nan"), float("nan")
    group = np.arange(len(data.score)) if cluster is None else resample.codes(cluster)
    clusters = len(np.unique(group))
    if clusters < 2 * settings.folds:
        return unknown
    fold = (rng.permutation(clusters) % settings.folds)[group]
    gained = np.empty(len(data.score))
    for part in range(settings.folds):
        rows = np.flatnonzero(fold == part)
        chosen, single = _plan(data.part(fold != part), settings.budget)
        if single < 0:
            return unknown
        gained[rows] = data.score[rows, chosen[data.kind[rows]]] - data.score[rows, single]
    gain = float(gained.mean())
    error = float(resample.standard_error(gained, group))
    wider = np.sqrt(1 + settings.folds / (settings.folds - 1))
    half = float(resample.t_quantile(clusters - 1, settings.level)) * error * wider
    return gain, gain - half, gain + half


def _known_mean(values: Floats) -> float:
    return float(_known_means(values[:, None])[0])


def _known_means(table: Floats) -> Floats:
    """The mean of each column's known values; NaN where none is."""
    known = ~np.isnan(table)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = np.where(known, table, 0).sum(axis=0) / known.sum(axis=0)
    return means
