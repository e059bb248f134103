"""One suite's frames together, as pages and the command line hand them to the analysis."""

from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

import pandas as pd

from evalcore.analysis import by_items, estimates, profiles, ranking
from evalcore.decision import need_axis
from evalcore.decision.limits import ModelFilter as ModelFilter
from evalcore.decision.limits import split_models as split_models
from evalcore.decision.market import Market
from evalcore.errors import BadInput, UnknownName
from evalcore.store import market, queries
from evalcore.suites import item_scores, pooling
from evalcore.suites.entities import Entities, apart, entities

OWN = "my-"
"""Begins the name of an uploaded model that is one of the suite's, measured by oneself."""


@dataclass(frozen=True)
class SuiteData:
    """Everything the store holds for one suite."""

    suite: str
    row: pd.Series
    """The suite's row: name, question, default_axis, source, mixed, current, note."""
    scores: pd.DataFrame
    """As from ``queries.scores``; in a current suite by model and mode (see ``entities``)."""
    models: pd.DataFrame
    """One row a model; in a current suite one a model and mode, with base, mode and mode_kind."""
    benchmarks: pd.DataFrame
    """One row a benchmark; in a current suite with used_by (models anywhere that have it) and
    parts (see ``records.BenchmarkSize``)."""
    axes: pd.DataFrame
    uploaded: bool = False
    """Whether results of a person's own have been added."""
    composition: pd.DataFrame = field(default_factory=pd.DataFrame)
    """Which benchmarks each need is made of, in a current suite (``need_axis.composition``)."""
    left_out: pd.DataFrame = field(default_factory=pd.DataFrame)
    """Scores that take no part, in a current suite: source, model, mode, benchmark, value,
    why."""
    market: Market | None = None
    """What is known of prices, licences and availability, in a current suite."""
    items: by_items.Items | None = None
    """The single questions behind scores measured here; None where there are none."""

    @property
    def current(self) -> bool:
        """Whether its models are of today, so that one asks which can be had."""
        return self.market is not None


def load(
    path: Path, suite: str, *, include_modes: bool = False, day: str | None = None
) -> SuiteData:
    """Read a suite from the store.

    Args:
        path: The store.
        suite: Its id, or ``pooling.SUITE`` for all current suites pooled.
        include_modes: Whether modes take part that do not compete unasked (see ``entities``).
        day: The day on which one asks what can be had, ``2026-11-30``; today when not given.

    Raises:
        UnknownName: No such suite; the message lists those that exist.
    """
    suites = queries.table(path, "suites")
    if suite == pooling.SUITE:
        return _pooled(path, suites, include_modes, day)
    if suite not in set(suites["suite"]):
        raise unknown("suite", suite, list(suites["suite"]))
    axes = queries.table(path, "axes")
    data = SuiteData(
        suite=suite,
        row=suites[suites["suite"] == suite].iloc[0],
        scores=queries.scores(path, suite),
        models=queries.models(path, suite),
        benchmarks=queries.table(path, "benchmarks"),
        axes=axes[axes["suite"] == suite].reset_index(drop=True),
    )
    if data.row["current"]:
        whole = by_mode(path, data.scores, data.models, include_modes)
        data = _current(path, data, whole, day)
    scores, models = apart(data.scores, data.models)
    scores = _one_metric(scores)
    items = item_scores.read(path, suite, scores)
    return replace(data, scores=item_scores.with_errors(scores, items), models=models, items=items)


def by_mode(
    path: Path, scores: pd.DataFrame, models: pd.DataFrame, include_modes: bool = False
) -> Entities:
    """The scores and models of current suites by model and mode (see ``entities``)."""
    tables = {name: queries.table(path, name) for name in ("modes", "metrics")}
    return entities(scores, models, tables["modes"], tables["metrics"], include_modes=include_modes)


def used_by(path: Path) -> pd.Series:
    """How many models of all suites together have each benchmark, suites counted one by one."""
    tags = queries.tags(path)
    return tags[tags["axis"] == "benchmark"].groupby("tag")["models"].sum()


def _current(path: Path, data: SuiteData, models: Entities, day: str | None) -> SuiteData:
    counts = data.benchmarks["benchmark"].map(used_by(path)).fillna(0)
    parts = (
        queries.table(path, "sizes").drop_duplicates("benchmark").set_index("benchmark")["parts"]
    )
    ids = data.benchmarks["benchmark"]
    benchmarks = data.benchmarks.assign(used_by=counts, parts=ids.map(parts))
    return replace(
        data,
        scores=models.scores,
        models=models.models,
        benchmarks=benchmarks,
        composition=need_axis.composition(models.scores, benchmarks, queries.table(path, "needs")),
        left_out=models.left_out,
        market=market.market(path, day),
    )


def _pooled(path: Path, suites: pd.DataFrame, include_modes: bool, day: str | None) -> SuiteData:
    """All current suites as one, a value a model, mode and benchmark."""
    names = set(suites.loc[suites["current"].astype(bool), "suite"])
    scores = queries.scores(path, None)
    scores = scores[scores["suite"].isin(names)]
    models = queries.models(path)
    found = by_mode(path, scores, models[models["model"].isin(scores["model"])], include_modes)
    relations = queries.table(path, "sources").set_index("source")["relation"]
    pooled = replace(found, scores=pooling.pool(found.scores, relations))
    about = {"name": pooling.NAME, "question": pooling.QUESTION, "note": pooling.NOTE}
    fixed = {"suite": pooling.SUITE, "default_axis": need_axis.AXIS, "source": None}
    axes = queries.table(path, "axes")
    own = axes[axes["suite"].isin(names)].drop_duplicates("axis").assign(suite=pooling.SUITE)
    data = SuiteData(
        suite=pooling.SUITE,
        row=pd.Series({**fixed, **about, "mixed": True, "current": True, "published": None}),
        scores=pooled.scores,
        models=models,
        benchmarks=queries.table(path, "benchmarks"),
        axes=own.reset_index(drop=True),
    )
    return _current(path, data, pooled, day)


def _one_metric(scores: pd.DataFrame) -> pd.DataFrame:
    """Of each benchmark the metric with the most scores: two metrics do not compare."""
    counts = scores.groupby(["benchmark", "metric"]).size().sort_values(kind="stable")
    chosen = counts.reset_index().drop_duplicates("benchmark", keep="last")
    return scores.merge(chosen[["benchmark", "metric"]], on=["benchmark", "metric"])


def with_upload(data: SuiteData, uploaded: pd.DataFrame) -> SuiteData:
    """Add uploaded score rows and their models.

    Of a model that is called "my-" and the id of one of the suite's, everything is known that is
    known of that one: size, licence, price. Of another nothing is.
    """
    rows = uploaded[uploaded["suite"] == data.suite]
    if data.suite == pooling.SUITE and len(uploaded):
        shared = uploaded["axis"].eq("benchmark")
        shared &= uploaded["benchmark"].isin(data.scores["benchmark"])
        rows = uploaded[shared].drop_duplicates(["model", "benchmark", "tag"])
        rows = rows.assign(suite=pooling.SUITE)
    if rows.empty:
        return data
    names = rows.drop_duplicates("model")["model"]
    ids = names.str.removeprefix(OWN)
    known = data.models.assign(base=data.models["base" if data.current else "model"])
    models = known.drop_duplicates("base").set_index("base").reindex(ids.to_numpy())
    models = models.assign(model=names.to_numpy(), name=names.to_numpy(), source="upload")
    if data.current:
        base = ids.where(ids.isin(known["base"]), names)
        rows = rows.assign(base=rows["model"].map(dict(zip(names, base, strict=True))), mode="")
        models = models.assign(base=base.to_numpy(), mode="", mode_kind="plain")
    models = models.reindex(columns=data.models.columns).astype(object)
    return replace(
        data,
        scores=pd.concat([data.scores, rows.reindex(columns=data.scores.columns)]),
        models=pd.concat([data.models.astype(object), models]).reset_index(drop=True),
        uploaded=True,
    )


def axes(data: SuiteData) -> list[str]:
    """The suite's axes, its default first."""
    names = list(data.axes["axis"])
    first = str(data.row["default_axis"])
    return sorted(names, key=lambda name: (name != first, names.index(name)))


def cells(
    data: SuiteData, axis: str, *, include_suspect: bool = False, correct_chance: bool = False
) -> pd.DataFrame:
    """The cells of one axis (see ``analysis.profiles.cells``).

    Raises:
        UnknownName: The suite has no such axis.
    """
    if axis not in set(data.axes["axis"]):
        raise unknown(f"axis of suite {data.suite}", axis, axes(data))
    if axis == need_axis.AXIS and axis not in set(data.scores["axis"]):
        return need_axis.cells(
            data.scores,
            data.benchmarks,
            data.composition,
            include_suspect=include_suspect,
            correct_chance=correct_chance,
        )
    return profiles.cells(
        data.scores,
        data.benchmarks,
        axis,
        include_suspect=include_suspect,
        correct_chance=correct_chance,
    )


def composition_of(
    data: SuiteData, axis: str, *, correct_chance: bool = False
) -> by_items.TagComposition:
    """How the tags of an axis (and the total) are made of ``data.items``; {} without items."""
    if data.items is None:
        return {}
    return item_scores.composition(
        data.items, data.scores, data.benchmarks, axis, correct_chance=correct_chance
    )


def behind(data: SuiteData, axis: str, tag: str) -> pd.DataFrame:
    """The scores that the cells of one tag are made of: rows of ``data.scores``, of all models."""
    if axis == need_axis.AXIS and axis not in set(data.scores["axis"]):
        return need_axis.behind(data.scores, data.composition, tag)
    return estimates.behind(data.scores, data.benchmarks, axis, tag)


def design_effect(data: SuiteData, axis: str) -> float:
    """How much sharing items between tags widens a mean over tags (1 where tags are disjoint)."""
    row = data.axes[data.axes["axis"] == axis].iloc[0]
    return ranking.design_effect(float(row["tags_per_item_mean"]), float(row["tags_per_item_sd"]))


def check_scored(data: SuiteData) -> None:
    """Refuse a suite of which nothing could be shown, for the reason that there is.

    Raises:
        BadInput: It has no scores of single models, or none that take part.
    """
    if len(data.scores):
        return
    if data.left_out.empty:
        raise BadInput(
            f"suite {data.suite!r} holds summaries of groups, no scores of single models; "
            "choose another suite"
        )
    reasons = "; ".join(dict.fromkeys(data.left_out["why"]))
    raise BadInput(
        f"suite {data.suite!r} holds no scores that take part ({reasons}); "
        "include such modes (--include-modes), or choose another suite"
    )


def unknown(what: str, name: str, known: list[str]) -> UnknownName:
    """The error for a name that is in no table: what was meant, and what exists."""
    near = get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    listed = ", ".join(known[:30]) + (" …" if len(known) > 30 else "")
    return UnknownName(f"unknown {what} {name!r}; {hint}known: {listed}")
