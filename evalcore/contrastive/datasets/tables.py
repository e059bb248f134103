"""A CSV file as a benchmark; pictures are found from the file's folder.

``image,label`` for classes, where ``;`` parts several labels of one picture. ``image,caption`` and
one or more columns that begin with ``wrong`` for relation benchmarks, whose first caption is right.
``image_0,caption_0,image_1,caption_1`` for Winoground's pairs.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.contrastive.pictures import Files
from evalcore.contrastive.task import Task
from evalcore.errors import BadInput

PAIRED = ("image_0", "caption_0", "image_1", "caption_1")
FORMS = f"image,label; or image,caption and columns that begin with 'wrong'; or {','.join(PAIRED)}"


@dataclass(frozen=True)
class Labelled:
    """Pictures with their classes."""

    pictures: Files
    names: tuple[str, ...]
    """The classes, sorted; numbers by their size."""
    labels: Any
    """(n,) numbers, or (n, classes) where some pictures show several."""


@dataclass(frozen=True)
class Captioned:
    """Pictures with captions; of each the first is right."""

    pictures: Files
    captions: tuple[tuple[str, ...], ...]
    pairs: bool


def read(path: Path) -> Labelled | Captioned:
    """What a CSV file (or a TSV file) holds.

    Raises:
        BadInput: Its columns are of no known form, a cell is empty, or a picture is missing.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ",")
            header = list(reader.fieldnames or ())
            rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path} cannot be read ({error})") from None
    if not rows:
        raise BadInput(f"{path} has no rows; it should have {FORMS}")
    if twice := [name for name in header if name and header.count(name) > 1]:
        raise BadInput(f"{path}, row 1: two columns are called {twice[0]!r}; rename one")
    columns = [name for name in rows[0] if name]
    if set(PAIRED) <= set(columns):
        return _pairs(path, rows)
    wrong = [name for name in columns if name.startswith("wrong")]
    if "image" in columns and "caption" in columns and wrong:
        return _captions(path, rows, wrong)
    if "image" in columns and "label" in columns:
        return _labelled(path, rows)
    raise BadInput(f"{path} has the columns {', '.join(columns)}; it should have {FORMS}")


def task(name: str, table: Captioned, path: Path) -> Task:
    """A relation benchmark."""
    return Task(
        name,
        table.pictures,
        captions=table.captions,
        right=None if table.pairs else np.zeros(len(table.captions), np.int64),
        pairs=table.pairs,
        source={"path": str(path.absolute())},
    )


def _labelled(path: Path, rows: Sequence[Mapping[str, str]]) -> Labelled:
    labels_of_rows = [[part.strip() for part in _cell(path, row, n, "label").split(";")]
            for n, row in enumerate(rows)]  # fmt: skip
    seen = {label for labels in labels_of_rows for label in labels if label}
    names = tuple(sorted(seen, key=int if all(map(str.isdecimal, seen)) else str))
    place = {name: at for at, name in enumerate(names)}
    pictures = _files(path, [_cell(path, row, n, "image") for n, row in enumerate(rows)])
    if all(len(labels) == 1 for labels in labels_of_rows):
        return Labelled(pictures, names, np.array([place[labels[0]] for labels in labels_of_rows]))
    shown = np.zeros((len(rows), len(names)), bool)
    for at, labels in enumerate(labels_of_rows):
        shown[at, [place[label] for label in labels if label]] = True
    return Labelled(pictures, names, shown)


def _captions(path: Path, rows: Sequence[Mapping[str, str]], wrong: Sequence[str]) -> Captioned:
    rows_of_captions = []
    for n, row in enumerate(rows):
        others = [row[name].strip() for name in wrong if (row[name] or "").strip()]
        if not others:
            raise BadInput(f"{path}, row {n + 2}: no wrong caption beside the right one")
        rows_of_captions.append((_cell(path, row, n, "caption"), *others))
    pictures = _files(path, [_cell(path, row, n, "image") for n, row in enumerate(rows)])
    return Captioned(pictures, tuple(rows_of_captions), pairs=False)


def _pairs(path: Path, rows: Sequence[Mapping[str, str]]) -> Captioned:
    names, paired = [], []
    for n, row in enumerate(rows):
        names += [_cell(path, row, n, name) for name in ("image_0", "image_1")]
        paired.append((_cell(path, row, n, "caption_0"), _cell(path, row, n, "caption_1")))
    return Captioned(_files(path, names), tuple(paired), pairs=True)


def _cell(path: Path, row: Mapping[str, str], number: int, column: str) -> str:
    value = (row[column] or "").strip()
    if not value:
        raise BadInput(f"{path}, row {number + 2}: column {column!r} is empty")
    return value


def _files(path: Path, names: Sequence[str]) -> Files:
    try:
        return Files([path.parent / name for name in names])
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
