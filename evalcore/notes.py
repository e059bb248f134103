"""What people note about items: flags ("this item is wrong") and labels of answers.

Notes are lines that are only appended, in files of each process's own under the home's ``notes``;
the latest line of a kind counts. Nothing of a run or of the store is changed by them.
"""

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

import pandas as pd

from evalcore import home
from evalcore.engine.lines import Tail, Writer
from evalcore.errors import BadInput

LabelWord = Literal["yes", "no", "unsure"]
LABELS = ["run", "item", "rater", "label", "time"]
_writers: dict[tuple[int, Path], Writer] = {}
"""One file a process and folder."""


@dataclass(frozen=True)
class Flag:
    """An item was flagged, or the flag was taken back."""

    kind: Literal["flag"]
    benchmark: str
    item: str
    flagged: bool
    why: str
    time: str
    """ISO 8601, UTC."""


@dataclass(frozen=True)
class Label:
    """A person said whether an answer is right."""

    kind: Literal["label"]
    benchmark: str
    item: str
    run: str
    rater: str
    label: LabelWord
    time: str
    """ISO 8601, UTC."""


def flag(benchmark: str, item: str, flagged: bool, why: str = "") -> None:
    """Note that an item is wrong, and why; or that it no longer is.

    Raises:
        EvalcoreError: The home folder cannot be written.
    """
    _append(Flag("flag", benchmark, item, flagged, why, _now()))


def label(benchmark: str, item: str, run: str, rater: str, label: LabelWord) -> None:
    """Note what a person says of a run's answer to an item.

    Raises:
        BadInput: The label is not yes, no or unsure, or the rater has no name.
        EvalcoreError: The home folder cannot be written.
    """
    if label not in get_args(LabelWord):
        raise BadInput(f"label {label!r} should be one of {', '.join(get_args(LabelWord))}")
    if not rater.strip():
        raise BadInput("a rater needs a name, so that several raters can be told apart")
    _append(Label("label", benchmark, item, run, rater.strip(), label, _now()))


def flags(benchmark: str) -> set[str]:
    """The items of a benchmark that are flagged now."""
    return set(flagged(benchmark)["item"])


def flagged(benchmark: str) -> pd.DataFrame:
    """The items that are flagged now, with the reason.

    Returns:
        One row an item, in the order in which they were flagged: item, why, time.
    """
    latest = {row["item"]: row for row in _rows("flag", benchmark)}
    rows = [row for row in latest.values() if row["flagged"]]
    frame = pd.DataFrame(rows, columns=["item", "why", "time"])
    return frame.sort_values("time", kind="stable").reset_index(drop=True)


def labels(benchmark: str) -> pd.DataFrame:
    """What raters say of a benchmark's answers, the latest word of each.

    Returns:
        One row a run, item and rater: run, item, rater, label (yes, no, unsure), time (UTC).
    """
    rows = {(row["run"], row["item"], row["rater"]): row for row in _rows("label", benchmark)}
    return pd.DataFrame([*rows.values()], columns=LABELS)


def _rows(kind: str, benchmark: str) -> list[dict[str, object]]:
    """A benchmark's notes of one kind, the oldest first."""
    rows = [
        row
        for row in Tail(home.notes_folder()).new()
        if row.get("kind") == kind and row.get("benchmark") == benchmark
    ]
    return sorted(rows, key=lambda row: str(row["time"]))


def _append(note: Flag | Label) -> None:
    place = os.getpid(), home.notes_folder()
    if place not in _writers or not _writers[place].path.exists():
        _writers[place] = Writer(place[1])
    _writers[place].append(note)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
