"""The command ``doctor``: which of UniBench is here and can be run, which runs are damaged."""

import argparse
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from evalcore import files, home
from evalcore.cli.output import text
from evalcore.contrastive import doctor
from evalcore.engine import damage, runs
from evalcore.engine.progress import open_still
from evalcore.errors import BadInput
from evalcore.store import build, queries

Command = Callable[..., argparse.ArgumentParser]
SHOWN = [
    "benchmark", "state", "layout", "items", "expected", "classes", "megabytes",
    "archive_megabytes", "licence", "revision", "words",
]  # fmt: skip
"""Of a table; the other forms hold also what a licence covers, the sources, and notes."""

PROBLEM = ["run", "counts", "reason"]


def add(commands: object, command: Command) -> None:
    """Add the command to the parser (see ``contrastive.add``)."""
    made = command(commands, "doctor", "which of UniBench's data and models are on this machine")
    made.add_argument("--data", type=Path, metavar="DIR", help=DATA)
    made.add_argument("--models", action="store_true", help="the 60 models instead of the data")
    made.add_argument(
        "--runs", action="store_true",
        help="the runs that do not count, or not whole, and why, instead of the data",
    )  # fmt: skip


DATA = "a folder with a folder for each benchmark; default: benchmarks in the home folder"


def data_folder(chosen: Path | None) -> Path:
    """Where the data of known benchmarks lie.

    Raises:
        BadInput: No folder is there.
    """
    if chosen is None:
        return home.home() / "benchmarks"
    if not files.is_folder(chosen):
        raise BadInput(f"--data {files.shown(chosen)}: there is no such folder")
    return chosen


def run(arguments: argparse.Namespace) -> str:
    """Look at the data, or at the models."""
    if arguments.models:
        found = doctor.models()
        return _told(found, arguments.format, _of_models(found))
    wrong = _problems()
    if arguments.runs:
        return _told(wrong, arguments.format, _of_runs(wrong))
    catalogue = queries.table(build.ensure(), "benchmarks")
    root = data_folder(arguments.data)
    found = doctor.benchmarks(root, catalogue)
    shown = _short(found) if arguments.format == "table" else found
    counts = found["state"].value_counts()
    words = ", ".join(f"{counts[state]} {state}" for state in counts.index)
    known = f"licence known for {found['licence'].notna().sum()} of {len(found)}"
    sized = f"size of an archive for {found['archive_megabytes'].notna().sum()}"
    line = (
        f"{len(found)} benchmarks in {root}: {words}; {known}, {sized} (sources: --format json)\n"
        f"{_layouts(found)}"
    )
    return _told(shown, arguments.format, f"{line}\n{_of_runs(wrong)}")


def _problems() -> pd.DataFrame:
    """The runs that do not count, or not whole: run, counts, reason; every file is read anew."""
    known = queries.table(build.ensure(), "run_problems")
    rows = list(known[PROBLEM].itertuples(index=False, name=None))
    damage.forget()
    for run in runs.every():
        why = "" if run.id in set(known["run"]) or open_still(run) else damage.broken(run)
        rows += [(run.id, False, why)] if why else []
    return pd.DataFrame(rows, columns=PROBLEM)


def _of_runs(wrong: pd.DataFrame) -> str:
    """The same in words."""
    if wrong.empty:
        return "runs: every file is what was written, and every run counts"
    lines = [
        f"- {run}: {'counts in part' if counts else 'does not count'}: {reason}"
        for run, counts, reason in wrong.itertuples(index=False, name=None)
    ]
    return "\n".join(["runs that do not count, or not whole:", *lines])


def _short(found: pd.DataFrame) -> pd.DataFrame:
    """The columns of a table; beside a licence what it covers, where that is not the data."""
    covers = found["licence_covers"].where(found["licence_covers"] != "data")
    told = (" (" + covers + ")").fillna("")
    return found.assign(licence=found["licence"] + told)[SHOWN]


def _layouts(found: pd.DataFrame) -> str:
    counts = found["layout"].value_counts()
    return (
        f"makers' own files: of {counts['read']} benchmarks read as they are, of "
        f"{counts['own name']} read under a name of one's own (?as=NAME), of {counts['shards']} "
        "refused, as these need shards or a CSV file (which files: --format json)"
    )


def _of_models(found: pd.DataFrame) -> str:
    runs = found["runs"].value_counts()
    here = int((found["here"] == True).sum())  # noqa: E712  None is neither
    return (
        f"runnable {len(found) - runs.get('no', 0)} of {len(found)}, "
        f"{runs.get('with a file', 0)} of them with a checkpoint file of one's own; "
        f"the weights of {here} are on this machine"
    )


def _told(frame: pd.DataFrame, form: str, words: str) -> str:
    return f"{text(frame, 'table')}{words}\n" if form == "table" else text(frame, form)  # type: ignore[arg-type]
