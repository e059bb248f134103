"""The command ``mmvet``: MM-Vet's tables of a graded run, and what its questions need."""

import argparse
from pathlib import Path

import pandas as pd

from evalcore.analysis import capabilities
from evalcore.analysis.capabilities import CAPABILITY, CAREFUL
from evalcore.benchmarks import mmvet2
from evalcore.cli.output import FORMATS, text
from evalcore.errors import BadInput
from evalcore.store import build, queries
from evalcore.suites import item_results, suite

SHOWS = ("grades", "proportions")
FIRST = "metric"


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command to the parser."""
    about = "grades by capability and by exact set, with both spreads, or what questions need"
    command = commands.add_parser("mmvet", help=about, description=about)
    command.add_argument("--format", choices=FORMATS, default="table", help="default: table")
    command.add_argument(
        "run", metavar="RUN",
        help="a graded run's id, or its last part; for proportions also the authors' item file",
    )  # fmt: skip
    command.add_argument("--show", choices=SHOWS, default="grades", help="default: grades")
    command.add_argument("--judge", metavar="METRIC", help="only this judge")


def run(arguments: argparse.Namespace) -> str:
    """The grades of a run by each of its judges, or how many questions need what."""
    if arguments.show == "proportions":
        return text(capabilities.proportions(_tags(arguments.run)), arguments.format)
    path = build.ensure()
    entries = _entries(path, arguments.run)
    metrics = list(entries["metric"])
    if arguments.judge is not None:
        if arguments.judge not in metrics:
            raise suite.unknown("judge", arguments.judge, metrics)
        entries = entries[entries["metric"] == arguments.judge]
    found = item_results.load(path, str(entries["benchmark"].iloc[0]))
    tables = []
    for entry, metric in zip(entries["entry"], entries["metric"], strict=True):
        graded = found.grades[found.grades["entry"] == entry]
        rows = capabilities.tables(graded, found.tags, found.clusters)
        rows.insert(0, FIRST, metric)
        tables.append(rows)
    shown = text(pd.concat(tables, ignore_index=True), arguments.format)
    return f"{shown}\n{CAREFUL}\n" if arguments.format == "table" else shown


def _entries(path: Path, name: str) -> pd.DataFrame:
    """The entries of one run whose questions carry capabilities."""
    known = queries.item_runs(path)
    runs = known["run"].astype(str)
    own = known[(runs == name) | runs.str.endswith(f"--{name}")]
    if own["run"].nunique() != 1:
        raise suite.unknown("graded run", name, sorted(set(runs)))
    benchmark = str(own["benchmark"].iloc[0])
    if not (queries.item_tags(path, benchmark)["axis"] == CAPABILITY).any():
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
