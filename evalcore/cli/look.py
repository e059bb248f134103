"""The commands that look at results, and ``build``, which stores them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
from cyclopts import Parameter

from evalcore.analysis import (
    complement,
    correlation,
    distillation,
    leaders,
    multiple,
    profiles,
    ranking,
    unscored,
)  # fmt: skip
from evalcore.analysis import (
    scaling as slopes,
)
from evalcore.cli.options import (
    AS_TABLE,
    COUNT,
    WEIGHTS,
    WHOLE,
    OfSuite,
    Printed,
    command,
    named,
    pairs,
)
from evalcore.cli.output import Format, text
from evalcore.decision import coverage
from evalcore.decision.presets import CURRENT, PRESETS
from evalcore.errors import BadInput
from evalcore.store import build as stores
from evalcore.store import market, queries
from evalcore.suites import small_sets, suite

LISTS = (*queries.TABLES, "tags", "presets", "coverage")
HOLDS = ("architecture", "train_data", "samples_seen_b", "learning_objective", "family")
PAIRS = [
    *("a", "b", "n", "r", "low", "high", "kappa", "kappa_low", "kappa_high", "beyond"),
    *("beyond_low", "beyond_high", "both", "either", "best_single", "gain", "gain_low"),
    "gain_high",
]
"""Columns of the pairs on screen; CSV and JSON hold all."""
SETS = [
    *("size", "benchmark", "honest_error", "honest_low", "honest_high", "honest_rank"),
    *("again", "error", "rank"),
]
OTHERS = ["name", "size", "printed", "error", "low", "high", "rank", "rank_low", "rank_high"]


@command("maintain")
def build(options: Printed = AS_TABLE) -> str:
    """Build the results store anew from the catalogue and the figures."""
    path = stores.build()
    names = ("sources", "suites", "models", "benchmarks")
    counts = {name: len(queries.table(path, name)) for name in names}
    frame = pd.DataFrame([{"store": str(path), "version": queries.version(path)[0], **counts}])
    return text(frame.assign(values=len(queries.published(path))), options.format)


@command("look")
def list_(
    kind: Annotated[str, Parameter(name="KIND", choices=LISTS)], /, options: Printed = AS_TABLE
) -> str:
    """List what the store knows.

    Example: list models --format csv
    """
    if kind == "presets":
        rows = [
            (name, preset.title, preset.caption) for name, preset in (PRESETS | CURRENT).items()
        ]
        return text(pd.DataFrame(rows, columns=["preset", "title", "caption"]), options.format)
    path = stores.ensure()
    if kind == "coverage":
        return _coverage(path, options.format)
    if kind == "tags":
        return text(queries.tags(path), options.format)
    return text(queries.table(path, kind), options.format)


@dataclass(frozen=True, kw_only=True)
class Scores(Printed):
    """The options of ``scores``."""

    source: str | None = None
    """only this source"""
    suite: str | None = None
    """only this suite"""
    benchmark: str | None = None
    """only this benchmark"""
    axis: str | None = None
    """only this axis"""
    model: str | None = None
    """only this model"""


@command("look")
def scores(options: Scores = Scores()) -> str:
    """Every published value, as printed and as a fraction.

    Example: scores --source vqa360 --model gpt-4o
    """
    path = stores.ensure()
    chosen = {
        name: getattr(options, name) for name in ("source", "suite", "benchmark", "axis", "model")
    }
    for name, value in chosen.items():
        if name != "axis" and value is not None:
            known = queries.ids(path, f"{name}s")
            if value not in known:
                raise suite.unknown(name, value, list(known))
    values = queries.published(path, **chosen)
    if options.axis is not None and values.empty:
        others = queries.published(path, **{**chosen, "axis": None})
        raise suite.unknown("axis", options.axis, sorted(set(others["axis"])))
    return text(values, options.format)


@dataclass(frozen=True, kw_only=True)
class Profile(OfSuite):
    """The options of ``profile``."""

    show: Literal["cells", "winners", "leaderboard"] = "cells"
    min_n: Annotated[int, WHOLE] = 0
    """leave out tags with fewer questions"""
    aggregate: Annotated[str, Parameter(choices=ranking.MODES)] = "macro"
    """the mean of a leaderboard"""
    weights: Annotated[str | None, named("--weights", WEIGHTS, "TAG=W,TAG=W")] = None
    include_suspect: bool = False
    """use results marked as suspect"""
    correction: Annotated[str, Parameter(choices=tuple(multiple.CORRECTIONS))] = "holm"
    """of the many comparisons behind winners, where single answers are known"""
    models: Annotated[str | None, Parameter(metavar="ID,ID")] = None
    """only these models"""
    chance_corrected: bool = False
    """0 is chance, 1 perfect"""


@command("look")
def profile(options: Profile = Profile()) -> str:
    """Scores by tag with intervals, winners, leaderboard.

    Example: profile --suite vqa360 --show winners --correction bh

    Example: profile --show leaderboard --weights "Chart Understanding=2" --axis task_type
    """
    data, axis = _data(options)
    cells = suite.cells(
        data,
        axis,
        include_suspect=options.include_suspect,
        correct_chance=options.chance_corrected,
    )
    cells = cells[profiles.enough(cells, options.min_n)]
    if options.models:
        cells = _only(cells, options.models.split(","), data)
    composition = suite.composition_of(data, axis, correct_chance=options.chance_corrected)
    if options.show == "cells":
        return text(unscored.of_cells(cells, data.items, composition), options.format)
    if options.show == "winners":
        winners = leaders.winners(cells, data.items, composition, options.min_n, options.correction)
        return text(winners, options.format)
    board = leaders.overall(
        _ranked(cells, data, options),
        data.items,
        composition,
        aggregate=options.aggregate,
        weights=dict(pairs(options.weights, "--weights")) if options.weights else None,
        design_effect=suite.design_effect(data, axis),
    )
    return text(board.table, options.format)


@dataclass(frozen=True, kw_only=True)
class Correlate(OfSuite):
    """The options of ``correlate``."""

    suite: str = "openclip"
    """a name of 'list suites'"""
    of: Literal["tags", "models"] = "tags"
    """tags across models, or models across tags"""
    method: Literal["spearman", "pearson"] = "spearman"
    reference: Annotated[str | None, Parameter(metavar="TAG")] = None
    """only with this one, worst first"""
    show: Literal["matrix", "pairs"] = "matrix"
    """pairs: models on single questions, where the suite's runs have them"""


@command("look")
def correlate(options: Correlate = Correlate()) -> str:
    """Which benchmarks, or models, say the same.

    Example: correlate --reference imagenet1k

    Example: correlate --suite demo --show pairs
    """
    data, axis = _data(options, prefer="benchmark")
    if options.show == "pairs":
        return _pairs(data, options.format)
    cells = suite.cells(data, axis)
    columns, rows = ("tag", "model") if options.of == "tags" else ("model", "tag")
    table = profiles.wide(cells, rows=rows, columns=columns)
    if options.reference is None:
        return text(correlation.matrix(table, options.method), options.format)
    if options.reference not in table.columns:
        raise suite.unknown(columns, options.reference, [str(name) for name in table.columns])
    predicted = correlation.predicts(table, options.reference, options.method)
    return text(predicted, options.format)


@dataclass(frozen=True, kw_only=True)
class Scaling(OfSuite):
    """The options of ``scaling``."""

    suite: str = "clip-grid"
    """a name of 'list suites'"""
    x: Literal["train_data_m", "samples_seen_b", "gflops", "image_tower_params_m", "params_b"] = (
        "train_data_m"
    )
    hold: Annotated[
        str | None,
        named("--hold", f"compare only models equal in these: {', '.join(HOLDS)}", "FIELD,FIELD"),
    ] = None
    chance_corrected: bool = False
    """0 is chance, 1 perfect"""


@command("look")
def scaling(options: Scaling = Scaling()) -> str:
    """Points per tenfold of data or size, with interval.

    Example: scaling --hold architecture,samples_seen_b
    """
    data, axis = _data(options)
    hold = tuple(part.strip() for part in (options.hold or "").split(",") if part.strip())
    for field in hold:
        if field not in HOLDS:
            raise suite.unknown("--hold field", field, list(HOLDS))
    cells = suite.cells(data, axis, correct_chance=options.chance_corrected)
    return text(slopes.slopes(cells, data.models, options.x, hold), options.format)


@dataclass(frozen=True, kw_only=True)
class Distil(OfSuite):
    """The options of ``distil``."""

    suite: str = "openclip"
    """a name of 'list suites'"""
    size: Annotated[int | None, COUNT, Parameter(metavar="K")] = None
    """default: smallest good enough"""
    hold_out: Annotated[str, Parameter(choices=tuple(small_sets.HOLDS))] = "family"
    """what no fit sees before it predicts it"""
    set: Annotated[str | None, Parameter(choices=tuple(correlation.NAMED))] = None
    """one of UniBench's own sets instead"""


@command("look")
def distil(options: Distil = Distil()) -> str:
    """Which few benchmarks tell the rest, and how far off.

    Example: distil --size 4

    Example: distil --set distilled-type
    """
    path = stores.ensure()
    data = suite.load(path, options.suite, include_modes=options.include_modes)
    printed = queries.table(path, "representatives")
    axis = options.axis or suite.axes(data)[0]
    study = small_sets.find(data, axis, options.hold_out, printed)
    if options.set is not None:
        return _named_set(study, options.set, printed, options.format)
    size = options.size or distillation.enough(study.path, small_sets.WORTH)
    if size is not None and size > len(study.path):
        raise BadInput(f"--size {size}: sets of 1 to {len(study.path)} are worked out here")
    shown = study.path if size is None else study.path.iloc[:size]
    if options.format != "table":
        return text(shown, options.format)
    parts = [_about(study), _set(study, size), text(shown[SETS], "table").rstrip()]
    parts.append(f"Compared with\n{text(study.others[OTHERS], 'table').rstrip()}")
    parts.append(f"Random sets, median and 5 to 95 %\n{text(study.random, 'table').rstrip()}")
    return "\n\n".join(parts) + "\n"


def _data(options: OfSuite, prefer: str = "") -> tuple[suite.SuiteData, str]:
    """The suite's frames and the asked axis, else the preferred one, else the suite's own."""
    data = suite.load(stores.ensure(), options.suite, include_modes=options.include_modes)
    suite.check_scored(data)
    axes = suite.axes(data)
    return data, options.axis or (prefer if prefer in axes else axes[0])


def _coverage(path: Path, form: Format) -> str:
    """What is known of the models of today; in a table only the closed ones that lack it."""
    sources, suites = queries.table(path, "sources"), queries.table(path, "suites")
    values = coverage.today(queries.published(path), sources, suites)
    models = queries.models(path)
    benchmarks = queries.table(path, "benchmarks")
    items = dict(zip(benchmarks["benchmark"], benchmarks["n_items"].astype(float), strict=True))
    facts = coverage.coverage(
        models[models["model"].isin(values["model"])],
        {name: items[name] for name in sorted(set(values["benchmark"]))},
        market.market(path).tables,
    )
    if form == "json":
        return text(facts, form)
    if form == "csv":
        return text(facts.assign(missing=facts["missing"].map("; ".join)), form)
    closed = facts[facts["fact"].str.startswith("closed")]
    lines = [
        f"Without it, {row['fact']}: {', '.join(row['missing'])}"
        for row in closed.to_dict("records")
    ]
    return "\n".join([text(facts.drop(columns="missing"), form), *lines]) + "\n"


def _ranked(cells: pd.DataFrame, data: suite.SuiteData, options: Profile) -> pd.DataFrame:
    """What a leaderboard ranks by: the total that the source prints, unless tags are weighed."""
    total = profiles.printed_totals(data.scores, include_suspect=options.include_suspect)
    if options.weights or options.chance_corrected or total.empty:
        return cells
    return total[total["model"].isin(cells["model"])]


def _only(cells: pd.DataFrame, wanted: list[str], data: suite.SuiteData) -> pd.DataFrame:
    models = list(data.models["model"])
    for model in wanted:
        if model not in models:
            raise suite.unknown("model", model, models)
    return cells[cells["model"].isin(wanted)]


def _pairs(data: suite.SuiteData, form: Format) -> str:
    """Models question by question, on the questions that most of them share."""
    sharing = [] if data.items is None else complement.sharing(data.items.scores)
    if data.items is None or not sharing:
        raise BadInput(
            f"suite {data.suite!r} has no two models with answers to the same single questions; "
            "runs made here have them, and so has --suite demo"
        )
    table = complement.pairs(data.items.scores[sharing], data.items.cluster)
    return text(table[PAIRS] if form == "table" else table, form)


def _about(study: small_sets.SmallSet) -> str:
    models, benchmarks = study.job.table.shape
    whole = f"{study.whole[0]} models and {study.whole[1]} benchmarks"
    return (
        f"{models} models with all of {benchmarks} benchmarks (the suite has {whole}); "
        f"{study.job.held.nunique()} units held out one at a time. An error is half that of the "
        f"mean over all benchmarks and half that of the {study.job.wanted.shape[1] - 1} group "
        "means, on models that took no part in the fit; 'honest': nor in the choice."
    )


def _set(study: small_sets.SmallSet, size: int | None) -> str:
    if size is None:
        return f"No set of up to {len(study.path)} predicts within {_points(small_sets.WORTH)}."
    row = study.path.iloc[size - 1]
    return (
        f"Set of {size}: {', '.join(study.chosen(size))}. Honest error "
        f"{_points(row['honest_error'])} ({_ends(row['honest_low'], row['honest_high'])}), rank "
        f"correlation {row['honest_rank']:.3f}."
    )


def _named_set(study: small_sets.SmallSet, name: str, printed: pd.DataFrame, form: Format) -> str:
    """How one of UniBench's sets does in this suite."""
    rows = correlation.printed(printed, name)
    measured = study.others[study.others["name"] == name]
    if form != "table":
        return text(rows, form)
    shown = rows[["printed_tag", "printed_benchmark", "printed_value", "benchmark"]]
    present = rows["benchmark"].isin(study.job.benchmarks).map({True: "yes", False: "no"})
    parts = [text(shown.assign(here=present), "table").rstrip()]
    if measured.empty:
        return parts[0] + "\n\nNone of its benchmarks is in this suite.\n"
    row = measured.iloc[0]
    parts.append(
        f"Here {row['size']} of its {len(rows)}: error {_points(row['error'])} "
        f"({_ends(row['low'], row['high'])}), rank correlation "
        f"{row['rank']:.3f} ({row['rank_low']:.3f} to {row['rank_high']:.3f}), n {row['n']} models."
    )
    return "\n\n".join(parts) + "\n"


def _ends(low: float, high: float) -> str:
    return "no interval" if pd.isna(low) else f"{100 * low:.2f} to {100 * high:.2f}"


def _points(error: float) -> str:
    return f"{100 * error:.2f} points"
