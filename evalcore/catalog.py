"""Reads the files that people and scripts write into records, and refuses what breaks a rule.

A row is checked where it is read, so that an error can name its file, line and column.
"""

import csv
import dataclasses
import io
import math
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from evalcore.errors import BadCatalog

Record = TypeVar("Record")
TINY = 1e-9
"""As the lowest value of a range: anything above 0."""
Where = Callable[[int], str]
"""From the position of a row to its file and line."""


def read(path: Path, record: type[Record]) -> list[Record]:
    """Read one CSV file into records.

    Args:
        path: A UTF-8 CSV file whose header holds exactly the record's field names.
        record: A frozen dataclass of ``evalcore.records``.

    Raises:
        BadCatalog: The header differs, or a cell does not fit its field; the message names the
            file, the line and the column.
    """
    parsers = _parsers(record)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadCatalog(f"{path}: not UTF-8 text ({error.reason} at byte {error.start})") from None
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    rows = []
    try:
        if sorted(reader.fieldnames or ()) != sorted(parsers):
            raise BadCatalog(f"{path}: {_header_problem(reader.fieldnames or (), parsers)}")
        for row in reader:
            where = f"{path}, line {reader.line_num}"
            if None in row or None in row.values():
                raise BadCatalog(f"{where}: not {len(parsers)} cells")
            cells = {name: parse(row[name], f"{where}, {name}") for name, parse in parsers.items()}
            rows.append(record(**cells))
    except csv.Error as error:
        raise BadCatalog(f"{path}, after line {reader.line_num}: broken CSV ({error})") from None
    return rows


def files(folder: Path, name: str) -> list[Path]:
    """The files of one kind in a folder: ``models.csv`` first, then ``models-more.csv``."""
    stem = name.removesuffix(".csv")
    return [*folder.glob(name), *sorted(folder.glob(f"{stem}-*.csv"))]


def refuse_duplicates(rows: Sequence[object], key: Sequence[str], where: Where) -> None:
    """Raise BadCatalog if two rows share the same values of the fields ``key``."""
    seen: dict[tuple[object, ...], int] = {}
    for index, row in enumerate(rows):
        values = tuple(getattr(row, name) for name in key)
        if values in seen:
            named = ", ".join(f"{name}={value!r}" for name, value in zip(key, values, strict=True))
            raise BadCatalog(
                f"{where(index)}: a second row with {named} (the first: {where(seen[values])}); "
                "keep one"
            )
        seen[values] = index


def refuse_unknown(rows: Sequence[object], field: str, known: Iterable[str], where: Where) -> None:
    """Raise BadCatalog if a row names something in ``field`` that ``known`` lacks."""
    known = set(known)
    for index, row in enumerate(rows):
        value = getattr(row, field)
        if value is not None and value not in known:
            raise BadCatalog(
                f"{where(index)}: {field} {value!r} is in no catalogue file; add its row there"
            )


def refuse_outside(
    rows: Sequence[object], field: str, low: float, high: float, where: Where
) -> None:
    """Raise BadCatalog if a row's number in ``field`` is below ``low`` or above ``high``."""
    for index, row in enumerate(rows):
        value = getattr(row, field)
        if value is not None and not low <= value <= high:
            wanted = f"{low:g} to {high:g}" if math.isfinite(high) else f"at least {low:g}"
            wanted = "above 0" if low == TINY else wanted
            raise BadCatalog(f"{where(index)}: {field} is {value!r}; it should be {wanted}")


def places(paths: Sequence[Path]) -> Where:
    """A function from the position of a row, in these files read in order, to its place in words.

    The files are read again, which only happens on the way to an error.
    """

    def where(index: int) -> str:
        for path in paths:
            with path.open(encoding="utf-8-sig", newline="") as file:
                reader = csv.DictReader(file)
                lines = [reader.line_num for _ in reader]
            if index < len(lines):
                return f"{path}, line {lines[index]}"
            index -= len(lines)
        raise IndexError(index)

    return where


def _header_problem(header: Sequence[str], wanted: Iterable[str]) -> str:
    missing = sorted(set(wanted) - set(header))
    extra = sorted(set(header) - set(wanted))
    twice = sorted({name for name in header if header.count(name) > 1})
    problems = (("lacks", missing), ("has unknown", extra), ("has twice", twice))
    parts = [f"{word} {names}" for word, names in problems if names]
    return f"the header {' and '.join(parts)}; it should be {', '.join(wanted)}"


def _parsers(record: type) -> dict[str, Callable[[str, str], Any]]:
    hints = typing.get_type_hints(record)
    return {field.name: _parser(hints[field.name]) for field in dataclasses.fields(record)}


def _parser(hint: Any) -> Callable[[str, str], Any]:
    """The function (cell, where) → value for a field's type."""
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        inner = _parser(next(arg for arg in typing.get_args(hint) if arg is not types.NoneType))
        return lambda cell, where: None if cell == "" else inner(cell, where)
    if typing.get_origin(hint) is typing.Literal:
        return _choice(typing.get_args(hint))
    return {str: _text, bool: _flag, int: _whole, float: _number}[hint]


def _text(cell: str, where: str) -> str:
    return cell


def _choice(allowed: tuple[str, ...]) -> Callable[[str, str], str]:
    def parse(cell: str, where: str) -> str:
        if cell not in allowed:
            raise BadCatalog(f"{where}: {cell!r} is not one of {', '.join(allowed)}")
        return cell

    return parse


def _flag(cell: str, where: str) -> bool:
    if cell not in ("0", "1"):
        raise BadCatalog(f"{where}: {cell!r} should be 1 (yes) or 0 (no)")
    return cell == "1"


def _whole(cell: str, where: str) -> int:
    try:
        return int(cell)
    except ValueError:
        raise BadCatalog(f"{where}: {cell!r} is not a whole number") from None


def _number(cell: str, where: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadCatalog(f"{where}: {cell!r} is not a number")
    return value
