"""The commands ``agreement`` and ``mmvet``: judges checked against people, and graded runs."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
from cyclopts import Parameter

from evalcore import files, notes
from evalcore.analysis import agreement as statistics
from evalcore.analysis import bridging, capabilities, corrected, raters
from evalcore.benchmarks import mmvet2
from evalcore.cli.options import WHOLE, Printed, command
from evalcore.cli.output import records, text
from evalcore.errors import BadInput
from evalcore.importers import own_labels
from evalcore.store import build, queries
from evalcore.suites import item_results, labelled, suite
from evalcore.suites.item_results import ItemResults
from evalcore.suites.labelled import Labelled

UNLABELLED = ("repeats", "bridge")
"""What needs no label."""
CUT = 60
"""Characters of an answer or a reply in a table on screen."""
MAIN = [
    *("metric", "version", "n", "accuracy", "accuracy_low", "accuracy_high", "kappa", "kappa_low"),
    *("kappa_high", "tau", "tau_low", "tau_high", "common", "both_yes", "only_judge"),
    *("only_people", "both_no", "undecided", "unscored"),
]
"""Columns of a table on screen; CSV and JSON hold all."""


@dataclass(frozen=True, kw_only=True)
class Agreement(Printed):
    """The options of ``agreement``."""

    benchmark: str
    """whose runs the labels are about"""
    labels: Annotated[str | None, Parameter(metavar="FILE")] = None
    """CSV: run or model, item, rater, label (yes, no, unsure, or a grade in 0..1); default: what
    was labelled blind on this machine, weighed to all answers"""
    show: Literal[
        "judges", "models", "corrected", "disagreements", "raters", "thresholds", "curves",
        "repeats", "bridge",
    ] = "judges"  # fmt: skip
    axis: str | None = None
    """with --show judges: also by the tags of this axis"""
    judge: Annotated[str | None, Parameter(metavar="METRIC")] = None
    """only this judge; the old one to bridge"""
    new: Annotated[str | None, Parameter(metavar="METRIC")] = None
    """with --show bridge: the judge after it"""
    top: Annotated[int, WHOLE, Parameter(metavar="N")] = 20
    """with --show disagreements: the first N answers"""
    to_all: bool = False
    """weigh labels to all answers: for labels drawn evenly over models and verdicts; corrected
    scores are of all answers, so there labels are always weighed so"""


@command("own")
def agreement(options: Agreement) -> str:
    """How far each judge agrees with human labels, scores corrected for it, judges bridged.

    Example: agreement --benchmark easy-vqa --labels labels.csv --show corrected

    Example: agreement --benchmark easy-vqa --show bridge --judge OLD --new NEW
    """
    path = build.ensure()
    benchmarks = item_results.benchmarks(path)
    if options.benchmark not in benchmarks:
        raise suite.unknown("benchmark with runs", options.benchmark, benchmarks)
    results = item_results.load(path, options.benchmark)
    metrics = sorted(set(results.entries["metric"]))
    for metric in (options.judge, options.new):
        if metric is not None and metric not in metrics:
            raise suite.unknown("judge", metric, metrics)
    if options.show == "bridge":
        return _bridge(results, options)
    labels = _labels(results, options)
    to_all = options.to_all or options.labels is None
    joined = labelled.labelled(results, labels, to_all=to_all)
    if options.judge is not None:
        pairs = joined.pairs[joined.pairs["metric"] == options.judge]
        joined = Labelled(results, labels, pairs)
    return _SHOWN[options.show](joined, options)


def _labels(results: ItemResults, options: Agreement) -> pd.DataFrame:
    """The labels of a file, else those given on this machine."""
    if options.labels is None:
        labels = notes.labels(results.benchmark)
        if labels.empty and options.show not in UNLABELLED:
            raise BadInput(
                f"no answer of {results.benchmark!r} was labelled here; label some on the page "
                "Judges, or give --labels FILE"
            )
        return labels
    file = Path(options.labels)
    try:
        content = files.content(file, own_labels.MAX_BYTES)
    except BadInput as error:
        raise BadInput(
            f"--labels: {error}; it should be a CSV with the columns run or model, item, rater, "
            "label"
        ) from None
    return own_labels.read(content, file.name, labelled.answers_to_label(results))


def _bridge(results: ItemResults, options: Agreement) -> str:
    """Each model under an old and a new judge, then the mean and what another model may see."""
    if options.judge is None or options.new is None:
        raise BadInput("--show bridge needs the old judge in --judge and the new one in --new")
    if options.judge == options.new:
        raise BadInput(f"--judge and --new are both {options.new!r}; a bridge joins two judges")
    answers = labelled.side_by_side(results, options.judge, options.new)
    bridge, runs = bridging.bridge(answers), labelled.bridged(results, options.judge, options.new)
    run = answers.drop_duplicates("model").set_index("model")["run"].astype(str)
    models = bridge.models.assign(run=bridge.models["model"].map(run))
    if options.format == "json":
        about = {"offset": bridge.offset, "alike": bridge.alike}
        offsets = {name: records(pd.DataFrame([part._asdict()]))[0] for name, part in about.items()}
        another = records(pd.DataFrame([dict(zip(("low", "high"), bridge.another, strict=True))]))[
            0
        ]
        tables = {"models": records(models), "pairs": records(bridge.pairs)}
        more = {"another": another, "left_out": list(runs.index[~runs])}
        return json.dumps({**tables, **offsets, **more}, indent=1) + "\n"
    ends = ("offset", "offset_low", "offset_high")
    rows = [
        {
            "model": "mean over models",
            "n": bridge.offset.n,
            **dict(zip(ends, bridge.offset, strict=False)),
        },
        {"model": "another model", **dict(zip(ends[1:], bridge.another, strict=True))},
    ]
    shown = text(pd.concat([models, pd.DataFrame(rows)]), options.format)
    words = labelled.bridged_words(runs) if options.format == "table" else ""
    return f"{shown}\n{words}\n" if words else shown


def _judges(joined: Labelled, options: Agreement) -> str:
    if options.axis is None:
        return _printed(joined.table(), MAIN, options)
    axes = sorted(set(joined.evidence.tags["axis"]))
    if options.axis not in axes:
        raise suite.unknown("axis", options.axis, axes)
    return _printed(joined.errors(options.axis), ["tag", *MAIN], options)


def _models(joined: Labelled, options: Agreement) -> str:
    columns = ["model", *MAIN, "bias", "bias_low", "bias_high"]
    return _printed(joined.errors("model"), columns, options)


def _corrected(joined: Labelled, options: Agreement) -> str:
    tables, ranking = [], []
    for metric in dict.fromkeys(joined.pairs["metric"]):
        scores = joined.corrected(metric)
        names = labelled.names(joined.evidence, metric)
        table = scores.table.assign(entry=scores.table["entry"].map(names))
        tables.append(table.assign(metric=metric))
        ranking += [f"{metric}: {sentence}" for sentence in labelled.order_words(scores, names)]
    table = pd.concat(tables) if tables else pd.DataFrame(columns=corrected.TABLE_COLUMNS)
    if options.format == "json":
        return json.dumps({"rows": records(table), "ranking": ranking}, indent=1) + "\n"
    shown = text(table, options.format)
    return shown if options.format == "csv" else shown + "\n" + "\n".join(ranking) + "\n"


def _disagreements(joined: Labelled, options: Agreement) -> str:
    """Answers on which a judge and people differ, with the words of model and judge."""
    if options.top < 1:
        raise BadInput(f"--top {options.top} should be 1 or more")
    rows = labelled.disagreements(joined)
    path, name = build.ensure(), joined.evidence.benchmark
    few = labelled.first(rows, options.top)
    table = labelled.with_words(few, lambda item: item_results.of_item(path, name, item))
    if options.format != "table":
        return text(table, options.format)
    first, all_of_them = (len(part.drop_duplicates(statistics.KEY)) for part in (few, rows))
    counts = f"{first:,} of {all_of_them:,} answers on which a judge and people disagree"
    shown = ["model", "item", "labels", "metric", "score", "differs", "answer", "reply"]
    return f"{text(table[shown].map(_line), 'table')}\n{counts}\n"


def _line(cell: object) -> object:
    """Text on one line that moves nothing on the screen, whatever it holds."""
    if not isinstance(cell, str):
        return cell
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in cell).split())
    return line if len(line) <= CUT else f"{line[:CUT]}…"


def _raters(joined: Labelled, options: Agreement) -> str:
    pairs = raters.pairs(joined.labels, joined.evidence.clusters)
    alpha = raters.alpha(joined.labels)
    every = {"a": "all", "b": "Krippendorff's alpha", "n": alpha.n}
    row = {**every, "kappa": alpha.value, "kappa_low": alpha.low, "kappa_high": alpha.high}
    return text(pd.concat([pairs, pd.DataFrame([row])]), options.format)


def _thresholds(joined: Labelled, options: Agreement) -> str:
    return text(joined.thresholds(), options.format)


def _curves(joined: Labelled, options: Agreement) -> str:
    curves = [rows.assign(metric=metric) for metric, rows in joined.curves().items()]
    return text(pd.concat(curves) if curves else pd.DataFrame(), options.format)


def _repeats(joined: Labelled, options: Agreement) -> str:
    verdicts = joined.evidence.grades
    if options.judge is not None:
        verdicts = verdicts[verdicts["metric"] == options.judge]
    return text(raters.repeats(verdicts), options.format)


def _printed(table: pd.DataFrame, columns: list[str], options: Agreement) -> str:
    if options.format == "table" and len(table):
        table = table[columns]
    return text(table, options.format)


_SHOWN: dict[str, Callable[[Labelled, Agreement], str]] = {
    "judges": _judges,
    "models": _models,
    "corrected": _corrected,
    "disagreements": _disagreements,
    "raters": _raters,
    "thresholds": _thresholds,
    "curves": _curves,
    "repeats": _repeats,
}


@dataclass(frozen=True, kw_only=True)
class Grades(Printed):
    """The options of ``mmvet``."""

    show: Literal["grades", "proportions"] = "grades"
    judge: Annotated[str | None, Parameter(metavar="METRIC")] = None
    """only this judge"""


@command("own")
def mmvet(
    run: Annotated[
        str,
        Parameter(
            name="RUN",
            help="a graded run's id, or its last part; for proportions also the authors' item file",
        ),
    ],
    /,
    options: Grades = Grades(),
) -> str:
    """Grades by capability and by exact set, with both spreads, or what questions need.

    Example: mmvet RUN --show proportions
    """
    if options.show == "proportions":
        return text(capabilities.proportions(_tags(run)), options.format)
    path = build.ensure()
    entries = _entries(path, run)
    metrics = list(entries["metric"])
    if options.judge is not None:
        if options.judge not in metrics:
            raise suite.unknown("judge", options.judge, metrics)
        entries = entries[entries["metric"] == options.judge]
    results = item_results.load(path, str(entries["benchmark"].iloc[0]))
    tables = []
    for entry, metric in zip(entries["entry"], entries["metric"], strict=True):
        graded = results.grades[results.grades["entry"] == entry]
        rows = capabilities.tables(graded, results.tags, results.clusters)
        rows.insert(0, "metric", metric)
        tables.append(rows)
    shown = text(pd.concat(tables, ignore_index=True), options.format)
    return f"{shown}\n{capabilities.CAREFUL}\n" if options.format == "table" else shown


def _entries(path: Path, name: str) -> pd.DataFrame:
    """The entries of one run whose questions carry capabilities."""
    every = queries.item_runs(path)
    runs = every["run"].astype(str)
    own = every[(runs == name) | runs.str.endswith(f"--{name}")]
    if own["run"].nunique() != 1:
        raise suite.unknown("graded run", name, sorted(set(runs)))
    benchmark = str(own["benchmark"].iloc[0])
    if not (queries.item_tags(path, benchmark)["axis"] == capabilities.CAPABILITY).any():
        raise BadInput(
            f"the questions of {benchmark!r} carry no capabilities; MM-Vet v2's do, and those of a "
            "file of your own with a column capability"
        )
    return own


def _tags(name: str) -> pd.DataFrame:
    """The tags of a run's questions, or of those in the authors' item file."""
    if Path(name).exists():
        items = mmvet2.load(name, allow_missing_images=True)
        rows = [(item.id, axis, tag) for item in items for axis, tag in item.tags]
        return pd.DataFrame(rows, columns=["item", "axis", "tag"])
    path = build.ensure()
    return queries.item_tags(path, str(_entries(path, name)["benchmark"].iloc[0]))
