"""The command ``doctor``: which of UniBench is here and can be run, which runs are damaged."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pandas as pd

from evalcore import files, home
from evalcore.cli.options import Printed, command, named
from evalcore.cli.output import Format, text
from evalcore.contrastive import doctor as checks
from evalcore.engine import damage, runs
from evalcore.engine.progress import open_still
from evalcore.errors import BadInput
from evalcore.store import build, queries

SHOWN = [
    "benchmark", "state", "layout", "items", "expected", "classes", "megabytes",
    "archive_megabytes", "licence", "revision", "words",
]  # fmt: skip
"""Of a table; the other forms hold also what a licence covers, the sources, and notes."""

PROBLEM = ["run", "counts", "reason"]


DATA = "a folder with a folder for each benchmark; default: benchmarks in the home folder"
Data = Annotated[Path | None, named("--data", DATA, "DIR")]


@dataclass(frozen=True, kw_only=True)
class Doctor(Printed):
    """The options of ``doctor``."""

    data: Data = None
    models: bool = False
    """the 60 models instead of the data"""
    runs: bool = False
    """the runs that do not count, or not whole, and why, instead of the data"""


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


@command("maintain")
def doctor(options: Doctor = Doctor()) -> str:
    """Which of UniBench's data and models are on this machine.

    Example: doctor --data DIR

    Example: doctor --runs
    """
    if options.models:
        models = checks.models()
        return _printed(models, options.format, _of_models(models))
    wrong = _problems()
    if options.runs:
        return _printed(wrong, options.format, _of_runs(wrong))
    catalogue = queries.table(build.ensure(), "benchmarks")
    root = data_folder(options.data)
    data = checks.benchmarks(root, catalogue)
    shown = _short(data) if options.format == "table" else data
    counts = data["state"].value_counts()
    words = ", ".join(f"{counts[state]} {state}" for state in counts.index)
    licensed = f"licence known for {data['licence'].notna().sum()} of {len(data)}"
    sized = f"size of an archive for {data['archive_megabytes'].notna().sum()}"
    line = (
        f"{len(data)} benchmarks in {root}: {words}; {licensed}, {sized} (sources: --format json)\n"
        f"{_layouts(data)}"
    )
    return _printed(shown, options.format, f"{line}\n{_of_runs(wrong)}")


def _problems() -> pd.DataFrame:
    """The runs that do not count, or not whole: run, counts, reason; every file is read anew."""
    stored = queries.table(build.ensure(), "run_problems")
    rows = list(stored[PROBLEM].itertuples(index=False, name=None))
    damage.forget()
    for run in runs.every():
        why = "" if run.id in set(stored["run"]) or open_still(run) else damage.broken(run)
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


def _short(data: pd.DataFrame) -> pd.DataFrame:
    """The columns of a table; beside a licence what it covers, where that is not the data."""
    covers = data["licence_covers"].where(data["licence_covers"] != "data")
    covered = (" (" + covers + ")").fillna("")
    return data.assign(licence=data["licence"] + covered)[SHOWN]


def _layouts(data: pd.DataFrame) -> str:
    counts = data["layout"].value_counts()
    return (
        f"makers' own files: of {counts['read']} benchmarks read as they are, of "
        f"{counts['own name']} read under a name of one's own (?as=NAME), of {counts['shards']} "
        "refused, as these need shards or a CSV file (which files: --format json)"
    )


def _of_models(data: pd.DataFrame) -> str:
    runs = data["runs"].value_counts()
    here = int((data["here"] == True).sum())  # noqa: E712  None is neither
    return (
        f"runnable {len(data) - runs.get('no', 0)} of {len(data)}, "
        f"{runs.get('with a file', 0)} of them with a checkpoint file of one's own; "
        f"the weights of {here} are on this machine"
    )


def _printed(frame: pd.DataFrame, form: Format, words: str) -> str:
    return f"{text(frame, 'table')}{words}\n" if form == "table" else text(frame, form)
