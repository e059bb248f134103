"""Reading and writing of the CSV files that convert_figures.py turns into each other.

Cells stay strings: a printed value is copied letter by letter, and numbers are moved between
units with exact decimals, so that 46.81 % becomes 0.4681 and nothing else.
"""

import csv
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

Row = dict[str, str]
Entry = TypeVar("Entry")


def columns(header: str) -> list[str]:
    """Column names from a header line."""
    return header.split(",")


def read(path: Path) -> list[Row]:
    """Read a CSV file into one dictionary of strings a row."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def write(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write rows under exactly the given columns; a column that a row lacks is left empty."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def decimal(number: Decimal) -> str:
    """A decimal without exponent: 0.00005, not 5E-5."""
    return format(number, "f")


def percent(printed: str) -> str:
    """A printed per cent as a fraction, exactly: '46.81' becomes '0.4681', '' stays ''."""
    return decimal(Decimal(printed).scaleb(-2)) if printed else ""


def times(printed: str, factor: str) -> str:
    """A printed number times a factor, exactly; '' (unknown) stays ''."""
    return decimal(Decimal(printed) * Decimal(factor)) if printed else ""


def look_up(table: Mapping[str, Entry], name: str, what: str) -> Entry:
    """The entry for a name.

    Raises:
        ValueError: The table has no such name; a person has to decide and add it.
    """
    if name not in table:
        raise ValueError(f"{what}: no entry for {name!r}; known: {', '.join(sorted(table))}")
    return table[name]
