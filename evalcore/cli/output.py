"""Frames as text: a table to look at, CSV and JSON to work with.

Names and answers may hold what a terminal obeys. A table and every sentence show it as ``\\x1b``;
CSV and JSON stay exact, for programs, except where they are written to a terminal.
"""

import json
import logging
import math
import re
import sys
from typing import Any, Literal

import pandas as pd

Format = Literal["table", "csv", "json"]
FORMATS: tuple[Format, ...] = ("table", "csv", "json")
_OBEYED = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""Control characters, and signs that turn the direction in which text is read."""
OBEYED = re.compile(f"[{_OBEYED}]")
IN_A_CELL = re.compile(f"[{_OBEYED}\t\n]")


def visible(text: str, obeyed: re.Pattern[str] = OBEYED) -> str:
    """A text in which what a terminal would obey can be read instead; line breaks stay.

    >>> visible("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return obeyed.sub(lambda found: ascii(found[0])[1:-1], text)


def say(text: str) -> None:
    """Write to standard output; exact, unless a person reads it."""
    sys.stdout.write(visible(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def tell(text: str) -> None:
    """Write a sentence to standard error."""
    sys.stderr.write(visible(text))


def progress_line(text: str) -> None:
    """Write a line to the terminal over the one before; nothing where nobody looks."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{visible(text)}   ")
        sys.stderr.flush()


def end_progress() -> None:
    """Go on below the line of progress."""
    if sys.stderr.isatty():
        sys.stderr.write("\n")


class Sentences(logging.Formatter):
    """Warnings as they may stand on a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the warning, readable in full."""
        return visible(super().format(record))


def text(frame: pd.DataFrame, form: Format) -> str:
    """A frame in the asked format; unknown is empty in CSV, null in JSON, a dash in a table."""
    if form == "csv":
        return str(frame.to_csv(index=False))
    if form == "json":
        return json.dumps(records(frame), indent=1, ensure_ascii=False) + "\n"
    if frame.empty:
        return "nothing found\n"
    shown = frame.map(_cell).rename(columns=lambda name: visible(str(name), IN_A_CELL))
    return str(shown.to_string(index=False)) + "\n"


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as dicts that JSON can hold."""
    return [
        {str(name): _plain(cell) for name, cell in row.items()} for row in frame.to_dict("records")
    ]


def _plain(cell: Any) -> Any:
    if isinstance(cell, tuple | list):
        return [_plain(part) for part in cell]
    if hasattr(cell, "item"):
        cell = cell.item()
    if cell is pd.NA or (isinstance(cell, float) and not math.isfinite(cell)):
        return None
    return cell


def _cell(cell: Any) -> str:
    return visible(_written(cell), IN_A_CELL)


def _written(cell: Any) -> str:
    plain = _plain(cell)
    if plain is None or plain == "":
        return "–"
    if isinstance(plain, float):
        return f"{plain:.4f}".rstrip("0").rstrip(".")
    if isinstance(plain, list):
        return ", ".join(map(str, plain))
    return str(plain)
