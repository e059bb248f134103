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
from evalcore.suites.item_scores import HERE

FINE_TUNED = "fine-tuned"
"""The kind of mode that never stands beside chat models: it was trained on the test's own task."""
LOWER = "better the lower it is: no mean takes it"
"""Why a measure stays out of all means."""
LEFT_OUT = ["source", "model", "mode", "benchmark", "value", "why"]


@dataclass(frozen=True)
class Entities:
    """Scores and models of one or more suites, a row of ``models`` for each model and mode."""

    scores: pd.DataFrame
    """As given, ``model`` being the entity's id and ``base`` the release's."""
    models: pd.DataFrame
    """One row an entity: the columns of ``records.Model`` (``model`` the entity's id), and base,
    mode, mode_kind."""
    left_out: pd.DataFrame
    """Scores that take no part, a row each: source, model, mode, benchmark, value, why."""


def identity(model: str, mode: str) -> str:
    """The id of a model in a mode.

    >>> identity("gpt-5", "reasoning high"), identity("gpt-5", "")
    ('gpt-5 [reasoning high]', 'gpt-5')
    """
    return f"{model} [{mode}]" if mode else model


def entities(
    scores: pd.DataFrame,
    models: pd.DataFrame,
    modes: pd.DataFrame,
    metrics: pd.DataFrame,
    *,
    include_modes: bool = False,
) -> Entities:
    """Give the scores and models by entity, and what was left out of them.

    Left out are modes that do not compete unasked (examples in the prompt, tools, training on the
    task) unless they are asked for, and measures that are better the lower they are: the analysis
    takes the higher score for the better one. What was trained on the task stays out even when
    asked for, unless there is nothing else: it would win against models that were not.

    Args:
        scores: of ``queries.scores``.
        models: of ``queries.models``, at least those with a score.
        modes: mode, kind, by_default.
        metrics: metric, higher_is_better.
        include_modes: whether modes that do not compete unasked take part.
    """
    about = modes.set_index("mode")
    kind = scores["mode"].map(about["kind"]).fillna("plain")
    unasked = scores["mode"].map(about["by_default"]).fillna(True).astype(bool)
    lower = scores["metric"].map(metrics.set_index("metric")["higher_is_better"]).eq(False)
    tuned = kind.eq(FINE_TUNED)
    why = pd.Series("", index=scores.index, dtype=object)
    if not include_modes:
        why = why.mask(~unasked, "the mode takes part only when asked for: " + kind)
    elif not tuned.all():
        why = why.mask(tuned, "trained on the task: not comparable with chat models")
    why = why.mask(lower, LOWER)
    stays = why.eq("")
    out = scores[~stays].assign(why=why[~stays])[LEFT_OUT].reset_index(drop=True)
    kept = scores[stays]
    ids = _ids(kept)
    named = kept.assign(base=kept["model"], model=ids).reset_index(drop=True)
    return Entities(named, _models(named, models, about["kind"]), out)


def _ids(scores: pd.DataFrame) -> pd.Series:
    plain = scores["mode"].eq("")
    return (
        scores["model"].where(plain, scores["model"] + " [" + scores["mode"] + "]").astype(object)
    )


def _models(scores: pd.DataFrame, models: pd.DataFrame, kinds: pd.Series) -> pd.DataFrame:
    """One row an entity; its name carries the mode in brackets."""
    pairs = scores[["model", "base", "mode"]].drop_duplicates("model").sort_values("model")
    about = models.set_index("model").reindex(pairs["base"])
    about = about.astype({"open_weights": object}).reset_index(drop=True)
    mode = pairs["mode"].reset_index(drop=True)
    plain = mode.eq("")
    name = about["name"].where(plain, about["name"] + " [" + mode + "]").astype(object)
    first = {"model": pairs["model"].to_numpy(dtype=object)}
    rest = about.assign(name=name, base=pairs["base"].to_numpy(dtype=object), mode=mode)
    frame = pd.concat([pd.DataFrame(first), rest], axis=1)
    return frame.assign(mode_kind=mode.map(kinds).fillna("plain"))


def apart(scores: pd.DataFrame, models: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make a model that is published and was run here into two: one for each.

    Of what was measured only tags that the source has take part: another tag, or a total that the
    source does not give, would leave every published model incomplete. They stay in the store.

    Args:
        scores: One suite's, as from ``queries.scores``.
        models: One row a model, with model and name.

    Returns:
        Both, with a row more in ``models`` for each model that is there twice.
    """
    here = scores["kind"] == "measured"
    if not here.any() or here.all():
        return scores, models
    known = pd.MultiIndex.from_frame(scores.loc[~here, ["axis", "tag"]])
    scores = scores[~here | pd.MultiIndex.from_frame(scores[["axis", "tag"]]).isin(known)]
    here = scores["kind"] == "measured"
    twice = here & scores["model"].isin(set(scores.loc[~here, "model"]))
    scores = scores.assign(model=scores["model"].where(~twice, scores["model"] + HERE))
    rows = models[(models["model"] + HERE).isin(set(scores["model"]))]
    again = rows.assign(model=rows["model"] + HERE, name=rows["name"] + HERE)
    return scores, pd.concat([models, again]).reset_index(drop=True)


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
    by_modes = by_mode(path, scores, models[models["model"].isin(scores["model"])], include_modes)
    relations = queries.table(path, "sources").set_index("source")["relation"]
    pooled = replace(by_modes, scores=pooling.pool(by_modes.scores, relations))
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
