"""One suite's frames together, as pages and the command line hand them to the analysis."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from evalcore.analysis import profiles, ranking
from evalcore.answer import Recommendation
from evalcore.errors import BadInput, UnknownName
from evalcore.needs import Needs
from evalcore.recommend import recommend
from evalcore.store import queries

DERIVED_AXES = ("type", "capability")


@dataclass(frozen=True)
class SuiteData:
    """Everything the store holds for one suite."""

    suite: str
    row: pd.Series
    """The suite's row: name, question, default_axis, source, note."""
    scores: pd.DataFrame
    models: pd.DataFrame
    benchmarks: pd.DataFrame
    axes: pd.DataFrame
    uploaded: bool = False
    """Whether results of a person's own have been added."""


@dataclass(frozen=True)
class ModelFilter:
    """Which models to show; what is unknown passes only when asked."""

    weights: Literal["any", "open", "closed"] = "any"
    max_params_b: float | None = None
    include_unknown: bool = False


def load(path: Path, suite: str) -> SuiteData:
    """Read a suite from the store.

    Raises:
        UnknownName: No such suite; the message lists those that exist.
    """
    suites = queries.table(path, "suites")
    if suite not in set(suites["suite"]):
        raise unknown("suite", suite, list(suites["suite"]))
    axes = queries.table(path, "axes")
    return SuiteData(
        suite=suite,
        row=suites[suites["suite"] == suite].iloc[0],
        scores=_one_metric(queries.scores(path, suite)),
        models=queries.models(path, suite),
        benchmarks=queries.table(path, "benchmarks"),
        axes=axes[axes["suite"] == suite].reset_index(drop=True),
    )


def _one_metric(scores: pd.DataFrame) -> pd.DataFrame:
    """Of each benchmark the metric with the most scores: two metrics do not compare."""
    counts = scores.groupby(["benchmark", "metric"]).size().sort_values(kind="stable")
    chosen = counts.reset_index().drop_duplicates("benchmark", keep="last")
    return scores.merge(chosen[["benchmark", "metric"]], on=["benchmark", "metric"])


def with_upload(data: SuiteData, uploaded: pd.DataFrame) -> SuiteData:
    """Add uploaded score rows and their models (about which nothing else is known)."""
    rows = uploaded[uploaded["suite"] == data.suite]
    if rows.empty:
        return data
    names = rows.drop_duplicates("model")["model"]
    models = pd.DataFrame({"model": names, "name": names, "source": "upload"})
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
    return profiles.cells(
        data.scores,
        data.benchmarks,
        axis,
        include_suspect=include_suspect,
        correct_chance=correct_chance,
    )


def design_effect(data: SuiteData, axis: str) -> float:
    """How much sharing items between tags widens a mean over tags (1 where tags are disjoint)."""
    row = data.axes[data.axes["axis"] == axis].iloc[0]
    return ranking.design_effect(float(row["tags_per_item_mean"]), float(row["tags_per_item_sd"]))


def recommend_for(
    data: SuiteData,
    needs: Needs,
    names: Mapping[str, str] | None = None,
    made: pd.DataFrame | None = None,
) -> Recommendation:
    """The recommendation for needs on this suite; the same for pages and the command line.

    Args:
        data: The suite.
        needs: What is asked.
        names: Model id to its name in sentences, where it differs from the catalogue's.
        made: The cells of the needs' axis, suspect ones too, if they are at hand.
    """
    if data.scores.empty:
        raise BadInput(
            f"suite {data.suite!r} holds summaries of groups, no scores of single models; "
            "choose another suite"
        )
    models = data.models
    if names is not None:
        models = models.assign(name=models["model"].map(names))
    return recommend(
        cells(data, needs.axis, include_suspect=True) if made is None else made,
        models,
        needs,
        design_effect=design_effect(data, needs.axis),
        suite_note=_about(data),
    )


def _about(data: SuiteData) -> str:
    """What must be said of a suite beside any mean over its tags."""
    said = [] if pd.isna(data.row["note"]) else [f"{data.row['name']}: {data.row['note']}."]
    has_total = data.scores["tag"].eq(profiles.TOTAL).any()
    total = profiles.totals(data.scores) if has_total else data.scores.iloc[:0]
    if len(total):
        best = total.sort_values("value").iloc[-1]
        name = data.models[data.models["model"] == best["model"]].iloc[0]["name"]
        said.append(
            f"The score here is a mean over tags; by the total that {data.row['name']} itself "
            f"gives, {name} is first with {100 * best['value']:.1f} %."
        )
    return " ".join(said)


def split_models(models: pd.DataFrame, chosen: ModelFilter) -> tuple[list[str], pd.DataFrame]:
    """Split models by a filter.

    Returns:
        The ids that pass, and one row a hidden model: model, reason.
    """
    reasons = [_hidden_because(row, chosen) for row in models.to_dict("records")]
    hidden = [
        (model, why) for model, why in zip(models["model"], reasons, strict=True) if why is not None
    ]
    kept = [model for model, why in zip(models["model"], reasons, strict=True) if why is None]
    return kept, pd.DataFrame(hidden, columns=["model", "reason"])


def unknown(what: str, name: str, known: list[str]) -> UnknownName:
    """The error for a name that is in no table: what was meant, and what exists."""
    near = get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    listed = ", ".join(known[:30]) + (" …" if len(known) > 30 else "")
    return UnknownName(f"unknown {what} {name!r}; {hint}known: {listed}")


def _hidden_because(row: Mapping[Hashable, Any], chosen: ModelFilter) -> str | None:
    if chosen.weights != "any":
        is_open = row["open_weights"]
        if pd.isna(is_open):
            if not chosen.include_unknown:
                return "not known whether its weights are open"
        elif bool(is_open) != (chosen.weights == "open"):
            return "closed weights" if chosen.weights == "open" else "open weights"
    if chosen.max_params_b is not None:
        size = row["params_b"]
        if pd.isna(size):
            return None if chosen.include_unknown else "size unknown"
        if size > chosen.max_params_b:
            return f"{size:.1f} B parameters"
    return None
