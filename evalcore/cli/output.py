"""What a command writes, frames as a table, CSV or JSON, and with which code it ends.

Names and answers may hold what a terminal obeys. A table and every sentence show it as ``\\x1b``;
CSV and JSON stay exact, for programs, except where they are written to a terminal.
"""

import contextlib
import json
import logging
import math
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

DONE = 0
BAD_INPUT = 2
OPEN = 3
"""Something is still to be asked or judged: stopped, at the spend cap, or another worker's."""
GAPS = 4
"""All was asked and judged, but some questions have no answer, or answers no score."""
INTERRUPTED = 128 + signal.SIGINT
"""What shells give a process that Ctrl-C ended; other signals likewise."""
Format = Literal["table", "csv", "json"]
_OBEYED = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""Control characters, and signs that turn the direction in which text is read."""
OBEYED = re.compile(f"[{_OBEYED}]")
IN_A_CELL = re.compile(f"[{_OBEYED}\t\n]")


def visible(text: str, obeyed: re.Pattern[str] = OBEYED) -> str:
    """A text in which what a terminal would obey can be read instead; line breaks stay.

    >>> visible("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return obeyed.sub(lambda sign: ascii(sign[0])[1:-1], text)


def say(text: str) -> None:
    """Write to standard output; exact, unless a person reads it."""
    sys.stdout.write(visible(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def tell(text: str) -> None:
    """Write a sentence to standard error."""
    sys.stderr.write(visible(text))


@contextlib.contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """A line of progress with the time left, where a person reads standard error.

    Gives the function to call with what is worked on, how much of it is done, and of how much.
    """
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from tqdm import tqdm  # not needed where nobody looks

    bars: list[Any] = []

    def show(what: str, done: int, total: int) -> None:
        name = visible(what, IN_A_CELL)
        if not bars or bars[-1].total != total or done < bars[-1].n:
            for before in bars:
                before.close()
            bars.append(tqdm(desc=name, total=total, initial=done, file=sys.stderr))
        bars[-1].set_description_str(name, refresh=done == bars[-1].n)
        bars[-1].update(done - bars[-1].n)

    try:
        yield show
    finally:
        for bar in bars:
            bar.close()


class Coded(str):
    """What a command prints, with the exit code that tells how its runs stand."""

    code: int

    def __new__(cls, printed: str, code: int) -> "Coded":
        """Join the two."""
        coded = super().__new__(cls, printed)
        coded.code = code
        return coded


def leave(code: int) -> None:
    """End this process; calls that nobody waits for any more do not hold it."""
    sys.stdout.flush()
    sys.stderr.flush()
    calling = any(thread.name.startswith(("call", "judge")) for thread in threading.enumerate())
    if code > GAPS or (code == OPEN and calling):
        os._exit(code)
    sys.exit(code)


class Sentences(logging.Formatter):
    """Warnings as they may stand on a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the warning, readable in full."""
        return visible(super().format(record))


def text(frame: "pd.DataFrame", form: Format) -> str:
    """A frame in the asked format; unknown is empty in CSV, null in JSON, a dash in a table."""
    if form == "csv":
        return str(frame.to_csv(index=False))
    if form == "json":
        return json.dumps(records(frame), indent=1, ensure_ascii=False) + "\n"
    if frame.empty:
        return "nothing found\n"
    shown = frame.map(_cell).rename(columns=lambda name: visible(str(name), IN_A_CELL))
    return str(shown.to_string(index=False)) + "\n"


def records(frame: "pd.DataFrame") -> list[dict[str, Any]]:
    """Rows as dicts that JSON can hold."""
    return [
        {str(name): _plain(cell) for name, cell in row.items()} for row in frame.to_dict("records")
    ]


def _plain(cell: Any) -> Any:
    if isinstance(cell, tuple | list):
        return [_plain(part) for part in cell]
    if hasattr(cell, "item"):
        cell = cell.item()
    if type(cell).__name__ == "NAType" or (isinstance(cell, float) and not math.isfinite(cell)):
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
