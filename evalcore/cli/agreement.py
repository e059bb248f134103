"""The command ``agreement``: judges checked against human labels, and against each other."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from evalcore import files, notes
from evalcore.analysis import agreement, bridging, corrected, raters
from evalcore.cli.output import records, text
from evalcore.errors import BadInput
from evalcore.importers import own_labels
from evalcore.store import build
from evalcore.suites import disagreements, item_results, labelled, suite
from evalcore.suites.item_results import ItemResults
from evalcore.suites.labelled import Labelled

SHOWS = (
    *("judges", "models", "corrected", "disagreements", "raters", "thresholds", "curves"),
    *("repeats", "bridge"),
)
UNLABELLED = ("repeats", "bridge")
"""What needs no label."""
TOP = 20
CUT = 60
"""Characters of an answer or a reply in a table on screen."""
MAIN = [
    *("metric", "version", "n", "accuracy", "accuracy_low", "accuracy_high", "kappa", "kappa_low"),
    *("kappa_high", "tau", "tau_low", "tau_high", "common", "both_yes", "only_judge"),
    *("only_people", "both_no", "undecided", "unscored"),
]
"""Columns of a table on screen; CSV and JSON hold all."""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the parser."""
    about = "how far each judge agrees with human labels, scores corrected for it, judges bridged"
    command = commands.add_parser("agreement", help=about, description=about)
    command.add_argument("--format", choices=("table", "csv", "json"), default="table")
    command.add_argument("--benchmark", required=True, help="whose runs the labels are about")
    command.add_argument(
        "--labels", metavar="FILE",
        help="CSV: run or model, item, rater, label (yes, no, unsure, or a grade in 0..1); "
        "default: what was labelled blind on this machine, weighed to all answers",
    )  # fmt: skip
    command.add_argument(
        "--show", choices=SHOWS, default="judges", help=f"{', '.join(SHOWS)}; default: judges"
    )
    command.add_argument("--axis", help="with --show judges: also by the tags of this axis")
    command.add_argument("--judge", metavar="METRIC", help="only this judge; the old one to bridge")
    command.add_argument("--new", metavar="METRIC", help="with --show bridge: the judge after it")
    command.add_argument(
        "--top", type=int, default=TOP, metavar="N",
        help=f"with --show disagreements: the first N answers; default: {TOP}",
    )  # fmt: skip
    command.add_argument(
        "--to-all", action="store_true",
        help="weigh labels to all answers: for labels drawn evenly over models and verdicts; "
        "corrected scores are of all answers, so there labels are always weighed so",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> str:
    """Agreement, corrected scores and what else the labels tell."""
    path = build.ensure()
    there = item_results.benchmarks(path)
    if arguments.benchmark not in there:
        raise suite.unknown("benchmark with runs", arguments.benchmark, there)
    found = item_results.load(path, arguments.benchmark)
    metrics = sorted(set(found.entries["metric"]))
    for metric in (arguments.judge, arguments.new):
        if metric is not None and metric not in metrics:
            raise suite.unknown("judge", metric, metrics)
    if arguments.show == "bridge":
        return _bridge(found, arguments)
    labels = _labels(found, arguments)
    to_all = arguments.to_all or arguments.labels is None
    joined = labelled.labelled(found, labels, to_all=to_all)
    if arguments.judge is not None:
        pairs = joined.pairs[joined.pairs["metric"] == arguments.judge]
        joined = Labelled(found, labels, pairs)
    return _SHOWN[arguments.show](joined, arguments)


def _labels(found: ItemResults, arguments: argparse.Namespace) -> pd.DataFrame:
    """The labels of a file, else those given on this machine."""
    if arguments.labels is None:
        labels = notes.labels(found.benchmark)
        if labels.empty and arguments.show not in UNLABELLED:
            raise BadInput(
                f"no answer of {found.benchmark!r} was labelled here; label some on the page "
                "Judges, or give --labels FILE"
            )
        return labels
    file = Path(arguments.labels)
    try:
        content = files.content(file, own_labels.MAX_BYTES)
    except BadInput as error:
        raise BadInput(
            f"--labels: {error}; it should be a CSV with the columns run or model, item, rater, "
            "label"
        ) from None
    return own_labels.read(content, file.name, labelled.known(found))


def _bridge(found: ItemResults, arguments: argparse.Namespace) -> str:
    """Each model under an old and a new judge, then the mean and what another model may see."""
    if arguments.judge is None or arguments.new is None:
        raise BadInput("--show bridge needs the old judge in --judge and the new one in --new")
    if arguments.judge == arguments.new:
        raise BadInput(f"--judge and --new are both {arguments.new!r}; a bridge joins two judges")
    answers = labelled.side_by_side(found, arguments.judge, arguments.new)
    made, runs = bridging.bridge(answers), labelled.bridged(found, arguments.judge, arguments.new)
    run = answers.drop_duplicates("model").set_index("model")["run"].astype(str)
    models = made.models.assign(run=made.models["model"].map(run))
    if arguments.format == "json":
        about = {"offset": made.offset, "alike": made.alike}
        told = {name: records(pd.DataFrame([one._asdict()]))[0] for name, one in about.items()}
        another = records(pd.DataFrame([dict(zip(("low", "high"), made.another, strict=True))]))[0]
        tables = {"models": records(models), "pairs": records(made.pairs)}
        more = {"another": another, "left_out": list(runs.index[~runs])}
        return json.dumps({**tables, **told, **more}, indent=1) + "\n"
    ends = ("offset", "offset_low", "offset_high")
    rows = [
        {
            "model": "mean over models",
            "n": made.offset.n,
            **dict(zip(ends, made.offset, strict=False)),
        },
        {"model": "another model", **dict(zip(ends[1:], made.another, strict=True))},
    ]
    shown = text(pd.concat([models, pd.DataFrame(rows)]), arguments.format)
    said = labelled.bridged_words(runs) if arguments.format == "table" else ""
    return f"{shown}\n{said}\n" if said else shown


def _judges(joined: Labelled, arguments: argparse.Namespace) -> str:
    if arguments.axis is None:
        return _printed(joined.table(), MAIN, arguments)
    axes = sorted(set(joined.evidence.tags["axis"]))
    if arguments.axis not in axes:
        raise suite.unknown("axis", arguments.axis, axes)
    return _printed(joined.errors(arguments.axis), ["tag", *MAIN], arguments)


def _models(joined: Labelled, arguments: argparse.Namespace) -> str:
    columns = ["model", *MAIN, "bias", "bias_low", "bias_high"]
    return _printed(joined.errors("model"), columns, arguments)


def _corrected(joined: Labelled, arguments: argparse.Namespace) -> str:
    tables, told = [], []
    for metric in dict.fromkeys(joined.pairs["metric"]):
        found = joined.corrected(metric)
        names = labelled.names(joined.evidence, metric)
        table = found.table.assign(entry=found.table["entry"].map(names))
        tables.append(table.assign(metric=metric))
        told += [f"{metric}: {sentence}" for sentence in labelled.order_words(found, names)]
    table = pd.concat(tables) if tables else pd.DataFrame(columns=corrected.TABLE_COLUMNS)
    if arguments.format == "json":
        return json.dumps({"rows": records(table), "ranking": told}, indent=1) + "\n"
    shown = text(table, arguments.format)
    return shown if arguments.format == "csv" else shown + "\n" + "\n".join(told) + "\n"


def _disagreements(joined: Labelled, arguments: argparse.Namespace) -> str:
    """Answers on which a judge and people differ, with the words of model and judge."""
    if arguments.top < 1:
        raise BadInput(f"--top {arguments.top} should be 1 or more")
    rows = disagreements.disagreements(joined)
    path, name = build.ensure(), joined.evidence.benchmark
    few = disagreements.first(rows, arguments.top)
    table = disagreements.with_words(few, lambda item: item_results.of_item(path, name, item))
    if arguments.format != "table":
        return text(table, arguments.format)
    answers = (len(one.drop_duplicates(agreement.KEY)) for one in (few, rows))
    told = "{:,} of {:,} answers on which a judge and people disagree".format(*answers)
    shown = ["model", "item", "labels", "metric", "score", "differs", "answer", "reply"]
    return f"{text(table[shown].map(_line), 'table')}\n{told}\n"


def _line(cell: object) -> object:
    """Text on one line that moves nothing on the screen, whatever it holds."""
    if not isinstance(cell, str):
        return cell
    line = " ".join("".join(one if one.isprintable() else " " for one in cell).split())
    return line if len(line) <= CUT else f"{line[:CUT]}…"


def _raters(joined: Labelled, arguments: argparse.Namespace) -> str:
    pairs = raters.pairs(joined.labels, joined.evidence.clusters)
    found = raters.alpha(joined.labels)
    every = {"a": "all", "b": "Krippendorff's alpha", "n": found.n}
    row = {**every, "kappa": found.value, "kappa_low": found.low, "kappa_high": found.high}
    return text(pd.concat([pairs, pd.DataFrame([row])]), arguments.format)


def _thresholds(joined: Labelled, arguments: argparse.Namespace) -> str:
    return text(joined.thresholds(), arguments.format)


def _curves(joined: Labelled, arguments: argparse.Namespace) -> str:
    curves = [rows.assign(metric=metric) for metric, rows in joined.curves().items()]
    return text(pd.concat(curves) if curves else pd.DataFrame(), arguments.format)


def _repeats(joined: Labelled, arguments: argparse.Namespace) -> str:
    verdicts = joined.evidence.grades
    if arguments.judge is not None:
        verdicts = verdicts[verdicts["metric"] == arguments.judge]
    return text(raters.repeats(verdicts), arguments.format)


def _printed(table: pd.DataFrame, columns: list[str], arguments: argparse.Namespace) -> str:
    if arguments.format == "table" and len(table):
        table = table[columns]
    return text(table, arguments.format)


_SHOWN: dict[str, Callable[[Labelled, argparse.Namespace], str]] = {
    "judges": _judges,
    "models": _models,
    "corrected": _corrected,
    "disagreements": _disagreements,
    "raters": _raters,
    "thresholds": _thresholds,
    "curves": _curves,
    "repeats": _repeats,
}
