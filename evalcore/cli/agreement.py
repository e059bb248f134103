"""The command ``agreement``: judges checked against a file of human labels."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from evalcore.analysis import corrected, raters
from evalcore.cli.output import records, text
from evalcore.errors import BadInput
from evalcore.importers import own_labels
from evalcore.store import build
from evalcore.suites import evidence, labelled, suite
from evalcore.suites.labelled import Labelled

SHOWS = ("judges", "models", "corrected", "raters", "thresholds", "repeats")
MAIN = [
    *("metric", "version", "n", "accuracy", "accuracy_low", "accuracy_high", "kappa", "kappa_low"),
    *("kappa_high", "tau", "tau_low", "tau_high", "common", "both_yes", "only_judge"),
    *("only_people", "both_no", "undecided", "unscored"),
]
"""Columns of a table on screen; CSV and JSON hold all."""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the parser."""
    about = "how far each judge agrees with a file of human labels, and scores corrected for it"
    command = commands.add_parser("agreement", help=about, description=about)
    command.add_argument("--format", choices=("table", "csv", "json"), default="table")
    command.add_argument("--benchmark", required=True, help="whose runs the labels are about")
    command.add_argument(
        "--labels", required=True, metavar="FILE",
        help="CSV: run or model, item, rater, label (yes, no, unsure, or a grade in 0..1)",
    )  # fmt: skip
    command.add_argument(
        "--show", choices=SHOWS, default="judges", help=f"{', '.join(SHOWS)}; default: judges"
    )
    command.add_argument("--axis", help="with --show judges: also by the tags of this axis")
    command.add_argument("--judge", metavar="METRIC", help="only this judge")
    command.add_argument(
        "--to-all", action="store_true",
        help="weigh labels to all answers: for labels drawn evenly over models and verdicts",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> str:
    """Agreement, corrected scores and what else the labels tell."""
    path = build.ensure()
    there = evidence.benchmarks(path)
    if arguments.benchmark not in there:
        raise suite.unknown("benchmark with runs", arguments.benchmark, there)
    found = evidence.load(path, arguments.benchmark)
    file = Path(arguments.labels)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise BadInput(
            f"--labels: cannot read {arguments.labels!r} ({error.strerror}); it should be a CSV "
            "with the columns run or model, item, rater, label"
        ) from None
    labels = own_labels.read(content, file.name, labelled.known(found))
    joined = labelled.labelled(found, labels, to_all=arguments.to_all)
    if arguments.judge is not None:
        metrics = sorted(set(found.entries["metric"]))
        if arguments.judge not in metrics:
            raise suite.unknown("judge", arguments.judge, metrics)
        pairs = joined.pairs[joined.pairs["metric"] == arguments.judge]
        joined = Labelled(found, labels, pairs)
    return _SHOWN[arguments.show](joined, arguments)


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


def _raters(joined: Labelled, arguments: argparse.Namespace) -> str:
    pairs = raters.pairs(joined.labels, joined.evidence.clusters)
    found = raters.alpha(joined.labels)
    every = {"a": "all", "b": "Krippendorff's alpha", "n": found.n}
    row = {**every, "kappa": found.value, "kappa_low": found.low, "kappa_high": found.high}
    return text(pd.concat([pairs, pd.DataFrame([row])]), arguments.format)


def _thresholds(joined: Labelled, arguments: argparse.Namespace) -> str:
    return text(joined.thresholds(), arguments.format)


def _repeats(joined: Labelled, arguments: argparse.Namespace) -> str:
    verdicts = joined.evidence.verdicts
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
    "raters": _raters,
    "thresholds": _thresholds,
    "repeats": _repeats,
}
