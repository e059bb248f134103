"""Sextant's own CSV: one row a score, for placing one's results beside the published ones.

Columns: model, benchmark, axis, tag, score (a fraction in 0..1), n (items behind it, may be
empty), and if needed suite, metric and judge: a score stands in one suite, under the metric and
judge of that suite, and where a benchmark is in several, or measured in several ways, the file has
to say which is meant. A file is taken whole or not at all; its text is treated as hostile.
"""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from evalcore.benchmarks.cells import require_only
from evalcore.errors import BadInput
from evalcore.importers import text
from evalcore.messages import excerpt, quoted

COLUMNS = ("model", "benchmark", "axis", "tag", "score", "n")
MAY = ("suite", "metric", "judge")
"""Columns that a file may have besides: what tells one place of a score from another."""
PLACE = COLUMNS[1:4]
MAX_BYTES = 2_000_000
MAX_ROWS = 20_000
MAX_NAME = 100
MAX_MODELS = 50
MAX_N = 1_000_000_000


@dataclass(frozen=True)
class Stored:
    """What the store has, against which a file is checked."""

    places: pd.DataFrame
    """One row a (suite, benchmark, axis, tag) with its metric and judge, as from ``places``."""
    models: frozenset[str]
    """Ids of stored models, which an upload may not take."""


def places(scores: pd.DataFrame) -> pd.DataFrame:
    """The (suite, benchmark, axis, tag) that scores of the store have, with metric and judge.

    Of several metrics of a benchmark in a suite it is the one with the most scores, which the suite
    shows.
    """
    names = ["suite", "benchmark", "axis", "tag", "metric", "judge"]
    counts = scores.groupby(["suite", "benchmark", "metric"]).size().sort_values(kind="stable")
    shown = counts.reset_index().drop_duplicates(["suite", "benchmark"], keep="last")
    places_ = scores[names].merge(
        shown[names[:2] + ["metric"]], on=["suite", "benchmark", "metric"]
    )
    return places_.drop_duplicates(names[:4]).reset_index(drop=True)


def template(known: Stored, suite: str, axis: str) -> str:
    """A CSV to fill in: a row for each tag of one axis of one suite."""
    rows = known.places
    rows = rows[(rows["suite"] == suite) & (rows["axis"] == axis)]
    lines = [",".join((*COLUMNS, *MAY))]
    lines += [
        f'my-model,{benchmark},{axis},"{tag}",,,{suite},{metric},{judge}'
        for benchmark, tag, metric, judge in _cells(rows)
    ]
    return "\n".join(lines) + "\n"


def _cells(rows: pd.DataFrame) -> list[tuple[str, ...]]:
    columns = ("benchmark", "tag", "metric", "judge")
    return [*zip(*(rows[name].fillna("").astype(str) for name in columns), strict=True)]


def read(content: bytes, name: str, known: Stored) -> pd.DataFrame:
    """Read an uploaded file into score rows of kind ``uploaded``.

    Args:
        content: The file's bytes.
        name: Its name, for messages only.
        known: What the store has.

    Returns:
        One row a score with the columns of the ``scores`` frame.

    Raises:
        BadInput: Anything is wrong; the message names the file, the row and what would be right.
    """
    lines = _rows(text.lines(content, name, "scores", MAX_BYTES, MAX_ROWS), name)
    text.one_scale([(number, row["score"]) for number, row in lines], "score", f"{name}, row")
    there = _places_by_name(known.places)
    rows, seen = [], set()
    for number, row in lines:
        where = f"{name}, row {number}"
        place = _place(row, there, known.places, where)
        model = _model(row["model"], known, where)
        key = (model, place["suite"], *(place[column] for column in PLACE))
        if key in seen:
            raise BadInput(
                f"{where}: a second score of {quoted(model)} for {quoted(row['tag'])}; keep one"
            )
        seen.add(key)
        cells = (_score(row["score"], where), _n(row["n"], where), row["score"])
        rows.append((*key, *cells, place["metric"], place["judge"]))
    models = {row[0] for row in rows}
    if len(models) > MAX_MODELS:
        raise BadInput(f"{name}: {len(models)} models; at most {MAX_MODELS} can be drawn")
    if not rows:
        raise BadInput(f"{name}: no row below the header; give at least one score")
    return _frame(rows)


Place = dict[str, str]


def _places_by_name(places: pd.DataFrame) -> dict[tuple[str, ...], list[Place]]:
    """(benchmark, axis, tag) → the places of that name, one a suite."""
    by_name: dict[tuple[str, ...], list[Place]] = {}
    filled = places.fillna({"judge": ""}).astype(str)
    for row in filled.to_dict("records"):
        place = {str(column): str(cell) for column, cell in row.items()}
        by_name.setdefault(tuple(place[column] for column in PLACE), []).append(place)
    return by_name


def _place(
    row: dict[str, str],
    there: Mapping[tuple[str, ...], Sequence[Place]],
    places: pd.DataFrame,
    where: str,
) -> Place:
    """The one place that a row can mean.

    Raises:
        BadInput: There is none, what it says does not fit, or there are several.
    """
    alike = there.get(tuple(row[column] for column in PLACE))
    if not alike:
        raise BadInput(f"{where}: {_wrong_place(row, places)}")
    fitting = list(alike)
    for column in MAY:
        value = row.get(column, "")
        kept = [place for place in fitting if value in ("", place[column])]
        if not kept:
            known = ", ".join(sorted({place[column] or "none" for place in fitting}))
            raise BadInput(
                f"{where}: {column} {quoted(value, MAX_NAME)} is not that of {row['benchmark']!r} "
                f"there ({known}); scores of another {column} do not compare"
            )
        fitting = kept
    metrics = sorted({place["metric"] for place in alike})
    if len(metrics) > 1 and not row.get("metric"):
        raise BadInput(
            f"{where}: {row['benchmark']!r} is measured by {' and by '.join(metrics)}; say which "
            "yours is in a column metric"
        )
    if len(fitting) > 1:
        suites = ", ".join(sorted(place["suite"] for place in fitting))
        raise BadInput(
            f"{where}: {row['benchmark']!r} stands in {len(fitting)} suites ({suites}); say in a "
            "column suite beside which yours belongs"
        )
    return fitting[0]


def _rows(lines: list[str], name: str) -> list[tuple[int, dict[str, str]]]:
    """The rows with their line in the file (blank lines are passed over but counted)."""
    reader = csv.DictReader(lines, strict=True)
    rows = []
    try:
        reader.fieldnames = _header(reader.fieldnames or (), name)
        for row in reader:
            if None in row or None in row.values():
                raise BadInput(f"{name}, row {reader.line_num}: not {len(reader.fieldnames)} cells")
            cells = {column: cell.strip() for column, cell in row.items()}
            rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise BadInput(
            f"{name}, after row {reader.line_num}: broken CSV ({excerpt(error, 100)})"
        ) from None
    return rows


def _header(cells: Sequence[str], name: str) -> list[str]:
    require_only(cells, "score", f"{name}, row 1", "leave the other columns out")
    header = [cell.strip() for cell in cells]
    if sorted(set(header) - {*MAY}) != sorted(COLUMNS) or len(set(header)) < len(header):
        raise BadInput(
            f"{name}, row 1: the columns are {excerpt(', '.join(header), 200) or 'missing'}; "
            f"they should be {', '.join(COLUMNS)}, and may be {', '.join(MAY)} too"
        )
    return header


def _wrong_place(row: dict[str, str], places: pd.DataFrame) -> str:
    """What is wrong with a (benchmark, axis, tag) that the store lacks: its first unknown part."""
    for column in PLACE:
        fitting = places[places[column] == row[column]]
        if fitting.empty:
            break
        places = fitting
    known = sorted(set(places[column]))
    listed = ", ".join(known[:40]) + (" …" if len(known) > 40 else "")
    return f"unknown {column} {quoted(row[column], MAX_NAME)}; known here: {listed}"


def _model(name: str, known: Stored, where: str) -> str:
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise BadInput(f"{where}: the model's name must be 1 to {MAX_NAME} printable characters")
    if name in known.models:
        raise BadInput(
            f"{where}: {quoted(name)} is a model of the store; give yours another name, such as "
            f"{quoted('my-' + name)}"
        )
    return name


def _score(cell: str, where: str) -> float:
    if cell == "":
        raise BadInput(f"{where}: no score; give a number in 0..1 or delete the row")
    value = text.number(cell)
    if not 0 <= value <= 1:
        hint = "; per cent? then divide by 100" if 1 < value <= 100 else ""
        raise BadInput(f"{where}: score {quoted(cell)} is no number in 0..1{hint}")
    return value


def _n(cell: str, where: str) -> float:
    if cell == "":
        return math.nan
    # The length is checked first: turning a very long row of digits into a number is slow.
    if not (cell.isascii() and cell.isdigit() and len(cell) <= 10 and 0 < int(cell) <= MAX_N):
        raise BadInput(
            f"{where}: n {quoted(cell)} is no whole number from 1 to {MAX_N:,}; "
            "leave it empty if unknown"
        )
    return float(cell)


def _frame(rows: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    """Score rows, each in its suite."""
    names = ["model", "suite", *PLACE, "value", "n", "printed_value", "metric", "judge"]
    frame = pd.DataFrame(rows, columns=names)
    return frame.assign(
        source="upload",
        kind="uploaded",
        mode="",
        split="",
        sd=math.nan,
        sd_over=None,
        repeats=math.nan,
        printed_model=frame["model"],
        printed_unit="fraction",
        suspect=False,
        note="uploaded in this session",
    )
