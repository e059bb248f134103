"""Human labels of answers from a CSV: one row an answer and rater.

Columns: item, label (yes, no, unsure, or a grade in 0..1), rater (may be left out), and run or
model or both: whose answer it was. A file is taken whole or not at all; its text is treated as
hostile.
"""

import csv
import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pandas as pd

from evalcore.benchmarks.cells import require_only
from evalcore.errors import BadInput
from evalcore.importers import text
from evalcore.messages import excerpt, quoted

COLUMNS = ["run", "item", "rater", "label"]
WORDS = ("yes", "no", "unsure")
SOMEBODY = "rater"
"""The rater of a file that names none."""
MAX_BYTES = 20_000_000
MAX_ROWS = 200_000
MAX_NAME = 100


@dataclass(frozen=True)
class AnswersToLabel:
    """What a benchmark's runs answered, against which a file is checked."""

    runs: Mapping[str, Collection[str]]
    """Run → its items."""
    models: Mapping[str, Collection[str]]
    """Model → its runs."""


def read(content: bytes, name: str, known: AnswersToLabel) -> pd.DataFrame:
    """Read a file of labels.

    Args:
        content: The file's bytes.
        name: Its name, for messages only.
        known: What can be labelled.

    Returns:
        One row a label: run, item, rater, label (text, in lower case).

    Raises:
        BadInput: Anything is wrong; the message names the file, the line and what would be right.
    """
    labels: dict[tuple[str, str, str], tuple[int, str]] = {}
    rows = _rows(content, name)
    text.one_scale([(line, row["label"]) for line, row in rows], "label", f"{name}, line")
    for line, row in rows:
        where = f"{name}, line {line}"
        run = _run(row, known, where)
        if row["item"] not in known.runs[run]:
            raise BadInput(f"{where}: unknown item {_short(row['item'])}{_near(row, known, run)}")
        rater = row.get("rater") or SOMEBODY
        if len(rater) > MAX_NAME or not rater.isprintable():
            raise BadInput(f"{where}: the rater should be 1 to {MAX_NAME} printable characters")
        key = run, row["item"], rater
        if key in labels:
            raise BadInput(
                f"{where}: a second label of {_short(rater)} for item {_short(row['item'])} (the "
                f"first is in line {labels[key][0]}); keep one"
            )
        labels[key] = line, _label(row["label"], where)
    if not labels:
        raise BadInput(f"{name}: no row below the header; give at least one label")
    return pd.DataFrame([(*key, label) for key, (_, label) in labels.items()], columns=COLUMNS)


def _rows(content: bytes, name: str) -> list[tuple[int, dict[str, str]]]:
    lines = text.lines(content, name, "labels", MAX_BYTES, MAX_ROWS)
    reader = csv.DictReader(lines, strict=True)
    rows = []
    try:
        reader.fieldnames = _header(list(reader.fieldnames or ()), name)
        for row in reader:
            if None in row or None in row.values():
                raise BadInput(
                    f"{name}, line {reader.line_num}: it should have {len(reader.fieldnames)} "
                    f"cells ({', '.join(reader.fieldnames)})"
                )
            rows.append((reader.line_num, {cell: row[cell].strip() for cell in row}))
    except csv.Error as error:
        raise BadInput(
            f"{name}, after line {reader.line_num}: broken CSV ({excerpt(error, 100)})"
        ) from None
    return rows


def _header(cells: list[str], name: str) -> list[str]:
    require_only(cells, "label", f"{name}, line 1", "leave the other columns out")
    header = [cell.strip().lower() for cell in cells]
    there = set(header)
    fits = {"item", "label"} <= there <= {*COLUMNS, "model"} and there & {"run", "model"}
    if not fits or len(there) != len(header):
        raise BadInput(
            f"{name}, line 1: the columns are {excerpt(', '.join(header), 200) or 'missing'}; they "
            "should be item, label, run or model (or both) and, if you like, rater"
        )
    return header


def _run(row: dict[str, str], known: AnswersToLabel, where: str) -> str:
    """The run that a row names, by itself or by its model."""
    run, model = row.get("run", ""), row.get("model", "")
    if run:
        ids = [name for name in known.runs if name == run or name.endswith(f"--{run}")]
        if len(ids) != 1:
            raise BadInput(f"{where}: unknown run {_short(run)}; {_listed('runs', known.runs)}")
        if model and ids[0] not in known.models.get(model, ()):
            raise BadInput(f"{where}: run {_short(run)} is not of model {_short(model)}")
        return ids[0]
    if model not in known.models:
        raise BadInput(f"{where}: unknown model {_short(model)}; {_listed('models', known.models)}")
    runs = sorted(known.models[model])
    if len(runs) > 1:
        raise BadInput(
            f"{where}: model {_short(model)} has {len(runs)} runs, and a label belongs to one "
            f"answer; name the run in a column run: {', '.join(runs[:5])}"
        )
    return runs[0]


def _label(cell: str, where: str) -> str:
    word = cell.lower()
    if word in WORDS:
        return word
    grade = text.number(cell)
    if not 0 <= grade <= 1:
        hint = "; per cent? then divide by 100" if 1 < grade <= 100 else ""
        raise BadInput(
            f"{where}: label {_short(cell)} should be yes, no, unsure or a grade in 0..1{hint}"
        )
    return str(grade)


def _near(row: dict[str, str], known: AnswersToLabel, run: str) -> str:
    near = difflib.get_close_matches(row["item"][:MAX_NAME], [*known.runs[run]][:5000], n=3)
    return f" of run {run!r}" + (f"; near it: {', '.join(near)}" if near else "")


def _listed(what: str, names: Collection[str]) -> str:
    some = ", ".join(sorted(names)[:10]) + (" …" if len(names) > 10 else "")
    return f"known {what}: {some or 'none'}"


def _short(text: str) -> str:
    return quoted(text, MAX_NAME)
