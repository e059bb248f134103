"""What each command does: ask the store, compute, return text."""

import argparse
import datetime
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from evalcore.analysis import correlation, leaders, profiles, scaling, unscored
from evalcore.cli import agreement, doctor, items, mmvet, parser
from evalcore.cli.contrastive import CONTRASTIVE
from evalcore.cli.distil import run_distil
from evalcore.cli.engine import ENGINE
from evalcore.cli.needs import needs, pairs
from evalcore.cli.output import Format, text
from evalcore.decision import coverage, link, need_axis, recommend, report
from evalcore.decision.blocks import Blocks
from evalcore.decision.presets import CURRENT, PRESETS
from evalcore.decision.text import unanswered
from evalcore.errors import BadInput
from evalcore.store import build, offered, queries
from evalcore.suites import advice, current, pooling, suite

SHOWN = (
    *("suite", "chosen", "lacks", "thin", "models", "complete", "admissible", "density"),
    *("mixed", "newest"),
)
"""Columns of ``Blocks.table`` that are printed."""


def run_build(arguments: argparse.Namespace) -> str:
    """Build the store and say what it holds."""
    path = build.build()
    names = ("sources", "suites", "models", "benchmarks")
    counts = {name: len(queries.table(path, name)) for name in names}
    frame = pd.DataFrame([{"store": str(path), "version": queries.version(path)[0], **counts}])
    return text(frame.assign(values=len(queries.published(path))), arguments.format)


def run_list(arguments: argparse.Namespace) -> str:
    """List one kind of thing."""
    if arguments.kind == "presets":
        rows = [
            (name, preset.title, preset.caption) for name, preset in (PRESETS | CURRENT).items()
        ]
        return text(pd.DataFrame(rows, columns=["preset", "title", "caption"]), arguments.format)
    path = build.ensure()
    if arguments.kind == "coverage":
        return _coverage(path, arguments.format)
    if arguments.kind == "tags":
        return text(queries.tags(path), arguments.format)
    return text(queries.table(path, arguments.kind), arguments.format)


def run_scores(arguments: argparse.Namespace) -> str:
    """Every published value that passes the filters."""
    path = build.ensure()
    chosen = {
        name: getattr(arguments, name) for name in ("source", "suite", "benchmark", "axis", "model")
    }
    for name in ("source", "suite", "benchmark", "model"):
        if chosen[name] is not None:
            _check_known(path, name, chosen[name])
    found = queries.published(path, **chosen)
    if chosen["axis"] is not None and found.empty:
        there = queries.published(path, **{**chosen, "axis": None})
        raise suite.unknown("axis", chosen["axis"], sorted(set(there["axis"])))
    return text(found, arguments.format)


def run_profile(arguments: argparse.Namespace) -> str:
    """Cells, winners or the leaderboard of one axis."""
    data, axis = _data(arguments)
    cells = suite.cells(
        data,
        axis,
        include_suspect=arguments.include_suspect,
        correct_chance=arguments.chance_corrected,
    )
    cells = cells[profiles.enough(cells, arguments.min_n)]
    if arguments.models:
        cells = _only(cells, arguments.models.split(","), data)
    made = suite.composition_of(data, axis, correct_chance=arguments.chance_corrected)
    if arguments.show == "cells":
        return text(unscored.of_cells(cells, data.items, made), arguments.format)
    if arguments.show == "winners":
        found = leaders.winners(cells, data.items, made, arguments.min_n, arguments.correction)
        return text(found, arguments.format)
    ranked = _ranked(cells, data, arguments)
    board = leaders.overall(
        ranked,
        data.items,
        made,
        aggregate=arguments.aggregate,
        weights=dict(pairs(arguments.weights, "--weights")) if arguments.weights else None,
        design_effect=suite.design_effect(data, axis),
    )
    return text(board.table, arguments.format)


def run_correlate(arguments: argparse.Namespace) -> str:
    """Correlations between tags across models, models across tags, or models on questions."""
    data, axis = _data(arguments, prefer="benchmark")
    if arguments.show == "pairs":
        return items.pairs(data, arguments)
    cells = suite.cells(data, axis)
    columns, rows = ("tag", "model") if arguments.of == "tags" else ("model", "tag")
    table = correlation.wide(cells, rows=rows, columns=columns)
    if arguments.reference is None:
        return text(correlation.matrix(table, arguments.method), arguments.format)
    if arguments.reference not in table.columns:
        raise suite.unknown(columns, arguments.reference, [str(name) for name in table.columns])
    found = correlation.predicts(table, arguments.reference, arguments.method)
    return text(found, arguments.format)


def run_scaling(arguments: argparse.Namespace) -> str:
    """Slopes by tag: points per tenfold of the chosen quantity."""
    data, axis = _data(arguments)
    hold = tuple(part.strip() for part in (arguments.hold or "").split(",") if part.strip())
    for field in hold:
        if field not in parser.HOLDS:
            raise suite.unknown("--hold field", field, list(parser.HOLDS))
    cells = suite.cells(data, axis, correct_chance=arguments.chance_corrected)
    return text(scaling.slopes(cells, data.models, arguments.x, hold), arguments.format)


def run_recommend(arguments: argparse.Namespace) -> str:
    """The recommendation: sentences and ranking, or everything as JSON."""
    if getattr(arguments, "show", "answer") == "routing":
        return items.run_routing(arguments)
    answer, _, found, _ = _answer(arguments)
    if arguments.format == "json":
        plain = answer.to_dict()
        if found is not None:
            plain["block"] = found.reason
            plain["blocks"] = json.loads(found.table.to_json(orient="records"))
        return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"
    if arguments.format == "csv":
        return text(unanswered.ranking(answer), "csv")
    said = answer.sentences if found is None else (found.reason, *answer.sentences)
    parts = ["\n".join(said), text(unanswered.ranking(answer), "table")]
    for title, frame in (("Excluded", answer.excluded), ("Cannot tell", answer.cannot_tell)):
        if len(frame):
            parts.append(f"{title}\n{text(frame, 'table')}")
    if found is not None:
        parts.append(f"Blocks\n{text(found.table[list(SHOWN)], 'table')}")
    parts.append("What this rests on\n" + "\n".join(f"- {line}" for line in answer.assumptions))
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def run_report(arguments: argparse.Namespace) -> str:
    """The decision report in Markdown (``--format table``), else as ``recommend``."""
    if arguments.format != "table":
        return run_recommend(arguments)
    answer, data, found, path = _answer(arguments)
    version, _ = queries.version(path)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    names = dict(zip(data.models["model"], data.models["name"], strict=True))
    title = _title(data, answer.needs.axis)
    address = link.recommend(answer.needs, str(data.row["name"]), title, names)
    why = "" if found is None else found.reason
    written = report.markdown(answer, data.models, address, version, today, block=why)
    if arguments.out is None:
        return written
    try:
        Path(arguments.out).write_text(written, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"--out: cannot write {arguments.out!r} ({error.strerror})") from None
    return f"{arguments.out}\n"


COMMANDS: dict[str, Callable[[argparse.Namespace], str]] = {
    "build": run_build,
    "list": run_list,
    "scores": run_scores,
    "profile": run_profile,
    "correlate": run_correlate,
    "distil": run_distil,
    "scaling": run_scaling,
    "recommend": run_recommend,
    "report": run_report,
    **ENGINE,
    **CONTRASTIVE,
    "agreement": agreement.run,
    "mmvet": mmvet.run,
    "doctor": doctor.run,
}


def _data(arguments: argparse.Namespace, prefer: str = "") -> tuple[suite.SuiteData, str]:
    """The suite's frames and the asked axis, else the preferred one, else the suite's own."""
    data = suite.load(build.ensure(), arguments.suite, include_modes=arguments.include_modes)
    suite.check_scored(data)
    offered_axes = suite.axes(data)
    return data, arguments.axis or (prefer if prefer in offered_axes else offered_axes[0])


def _answer(
    arguments: argparse.Namespace,
) -> tuple[recommend.Recommendation, suite.SuiteData, Blocks | None, Path]:
    """The answer, its suite, the blocks among which it was chosen (if it was), and the store."""
    path = build.ensure()
    suites = queries.table(path, "suites")
    axes = dict(zip(suites["suite"], suites["default_axis"], strict=True))
    asked = needs(arguments, axes | {pooling.SUITE: need_axis.AXIS})
    if not asked.suite:
        done = current.decide(path, asked)
        return done.answer, done.data, done.blocks, path
    data = suite.load(path, asked.suite, include_modes=asked.include_modes)
    return advice.recommend_for(data, asked), data, None, path


def _coverage(path: Path, form: Format) -> str:
    """What is known of the models of today; in a table only the closed ones that lack it."""
    sources, suites = queries.table(path, "sources"), queries.table(path, "suites")
    values = coverage.today(queries.published(path), sources, suites)
    models = queries.models(path)
    benchmarks = queries.table(path, "benchmarks")
    items = dict(zip(benchmarks["benchmark"], benchmarks["n_items"].astype(float), strict=True))
    found = coverage.coverage(
        models[models["model"].isin(values["model"])],
        {name: items[name] for name in sorted(set(values["benchmark"]))},
        offered.market(path).offers,
    )
    if form == "json":
        return text(found, form)
    if form == "csv":
        return text(found.assign(missing=found["missing"].map("; ".join)), form)
    closed = found[found["fact"].str.startswith("closed")]
    lines = [
        f"Without it, {row['fact']}: {', '.join(row['missing'])}"
        for row in closed.to_dict("records")
    ]
    return "\n".join([text(found.drop(columns="missing"), form), *lines]) + "\n"


def _title(data: suite.SuiteData, axis: str) -> str:
    return str(data.axes.set_index("axis").loc[axis, "title"])


def _ranked(
    cells: pd.DataFrame, data: suite.SuiteData, arguments: argparse.Namespace
) -> pd.DataFrame:
    """What a leaderboard ranks by: the total that the source prints, unless tags are weighed."""
    total = profiles.printed_totals(data.scores, include_suspect=arguments.include_suspect)
    if arguments.weights or arguments.chance_corrected or total.empty:
        return cells
    return total[total["model"].isin(cells["model"])]


def _only(cells: pd.DataFrame, wanted: list[str], data: suite.SuiteData) -> pd.DataFrame:
    models = list(data.models["model"])
    for model in wanted:
        if model not in models:
            raise suite.unknown("model", model, models)
    return cells[cells["model"].isin(wanted)]


def _check_known(path: Path, name: str, value: str) -> None:
    there = queries.known(path, f"{name}s")
    if value not in there:
        raise suite.unknown(name, value, list(there))
