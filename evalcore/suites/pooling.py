"""All current blocks in one table, when somebody asks for it: one value a model, mode, benchmark.

Blocks are different experiments. Pooled, a value is the median of the best kind of source, and how
far all sources lie apart goes into its interval. That sources agree proves little: many copy each
other.
"""

from typing import NamedTuple

import pandas as pd

from evalcore.decision.text.phrases import counted

SUITE = "current"
"""Id of the pooled suite; it stands in no file."""
NAME = "All current blocks, mixed"
QUESTION = (
    "Which current models do best when the results of all reports and boards are put together?"
)
NOTE = (
    "blocks of different protocols pooled because you asked: of a value third parties' results "
    "count before makers', their median is used, and the spread between all sources is part of the "
    "interval; sources often copy each other, so that they agree is no confirmation"
)
APART = 0.03
"""Sources that lie farther apart than this are marked."""
ORDER = {"measured here": 0, "third party": 1, "paper": 2, "maker": 3, "documentation": 4}
"""Relation of a source to the models → its rank: the first that has a value counts."""
KEY = ["model", "benchmark", "split"]


class SourceValue(NamedTuple):
    """What one source says of a pooled value."""

    value: float
    """As a fraction."""
    source: str
    relation: str
    used: bool
    """Whether it is of the kind whose median counts."""
    suspect: bool
    note: str | None


def pool(scores: pd.DataFrame, relations: pd.Series) -> pd.DataFrame:
    """Give one score for each (model, benchmark, split).

    Suspect values take no part where there is another one. Of the rest the best kind of source
    that has a value counts (``ORDER``), and of several values of that kind the median.

    Args:
        scores: of many suites, by entity (``entities.Entities.scores``), axis "benchmark".
        relations: source to its relation.

    Returns:
        Rows of ``scores`` with suite ``SUITE`` and the columns n_sources, spread (standard
        deviation of all sources' values, NaN for one source), apart (largest minus smallest),
        disagree (more than ``APART``), relation (whose median counts) and sources (a tuple of
        ``Told``, the best kind first).
    """
    rows = _one_metric(scores[scores["axis"].eq("benchmark") & scores["value"].notna()])
    relation = rows["source"].map(relations)
    rows = rows.assign(
        relation=relation,
        order=relation.map(ORDER).fillna(len(ORDER)),
        suspect=rows["suspect"].eq(True),
    )
    rows = rows.sort_values([*KEY, "suspect", "order", "source"], kind="stable")
    place = rows.groupby(KEY, sort=False).ngroup()
    partial = rows["suspect"] & ~rows["suspect"].groupby(place).transform("all")
    good = rows[~partial]
    best = good["order"].groupby(place).transform("min")
    used = good["order"].eq(best)
    values = good["value"].groupby(place)
    first = rows[~place.duplicated()].set_index(place[~place.duplicated()])
    spread, apart = values.std(), values.max() - values.min()
    counted = good.loc[used, "value"].groupby(place).median()
    pooled = first.assign(
        suite=SUITE,
        source=SUITE,
        value=counted,
        n_sources=values.size(),
        spread=spread,
        apart=apart,
        disagree=apart > APART + 1e-9,
        sources=_told(rows, place, used),
        note=None,
    )
    return pooled.drop(columns="order").reset_index(drop=True)


def sources_of(pooled: pd.DataFrame, model: str, benchmark: str) -> pd.DataFrame:
    """Open one pooled value to its sources.

    Args:
        pooled: as from ``pool``.
        model: the entity's id.
        benchmark: the benchmark's id.

    Returns:
        One row a source, the kind that counts first: value, source, relation, used, suspect, note.
    """
    rows = pooled[pooled["model"].eq(model) & pooled["benchmark"].eq(benchmark)]
    names = [source for sources in rows["sources"] for source in sources]
    return pd.DataFrame(names, columns=SourceValue._fields)


def sentence(pooled: pd.DataFrame) -> str:
    """Say how many values have several sources and how many of these disagree."""
    several = int((pooled["n_sources"] > 1).sum())
    apart = int(pooled["disagree"].sum())
    return (
        f"{counted(len(pooled), 'value')}, {several:,} of them with several sources; in {apart:,} "
        f"these lie more than {100 * APART:g} points apart"
    )


def _told(rows: pd.DataFrame, place: pd.Series, used: pd.Series) -> pd.Series:
    counted = used.reindex(rows.index, fill_value=False)
    groups: dict[int, list[SourceValue]] = {}
    notes = rows["note"].astype(object).where(rows["note"].notna(), None)
    columns = (rows["value"], rows["source"], rows["relation"], counted, rows["suspect"], notes)
    for group, *cell in zip(place, *columns, strict=True):
        groups.setdefault(int(group), []).append(SourceValue(*cell))
    return pd.Series({group: tuple(names) for group, names in groups.items()}, dtype=object)


def _one_metric(rows: pd.DataFrame) -> pd.DataFrame:
    """Of each benchmark the metric with the most values: two metrics do not compare."""
    counts = rows.groupby(["benchmark", "metric"]).size().sort_values(kind="stable")
    chosen = counts.reset_index().drop_duplicates("benchmark", keep="last")
    return rows.merge(chosen[["benchmark", "metric"]], on=["benchmark", "metric"])
