"""What one cell of somebody's table holds: a text, a list of texts, a name.

In CSV every cell is text, in JSONL and Parquet a list may be a list; the same rules hold for all.
"""

import json
import math

from evalcore.errors import BadInput
from evalcore.quoting import quoted
from evalcore.records import TOTAL

MAX_NAME = 200
MOST_TEXT = 1_000_000
"""Characters of a text."""
MOST_PARTS = 10_000
"""Entries of a list."""


def text(cell: object, where: str, field: str) -> str:
    """The text of a cell without white space around it; numbers as they are written.

    Raises:
        BadInput: The cell is empty, or neither text nor a number.
    """
    written = cell.strip() if isinstance(cell, str) else _number(cell, where, field)
    if not written:
        raise BadInput(f"{where}: {field} is empty; write a text")
    if len(written) > MOST_TEXT:
        raise BadInput(
            f"{where}: {field} has {len(written):,} characters; at most {MOST_TEXT:,} are read"
        )
    try:
        written.encode()
    except UnicodeEncodeError:
        raise BadInput(
            f"{where}: {field} {quoted(written)} holds half a letter; write whole UTF-8"
        ) from None
    return written


def texts(cell: object, where: str, field: str) -> tuple[str, ...]:
    """The texts of a cell that holds one or a list; none if it is empty.

    >>> texts('["4", "four"]', "x.csv, row 2", "answers"), texts("red, blue", "", "answers")
    (('4', 'four'), ('red, blue',))

    Raises:
        BadInput: Something in it is no text, or it begins with ``[`` and is no JSON list.
    """
    return tuple(text(part, where, field) for part in parts(cell, where, field))


def parts(cell: object, where: str, field: str) -> list[object]:
    """What a cell lists; a cell that is no list is its own only part."""
    if isinstance(cell, str):
        if cell.lstrip().startswith("["):
            return _json_list(cell.strip(), where, field)
        cell = cell.strip()
    if cell is None or cell == "":
        return []
    return _few(cell, where, field) if isinstance(cell, list) else [cell]


def _few(found: list[object], where: str, field: str) -> list[object]:
    if len(found) > MOST_PARTS:
        raise BadInput(f"{where}: {field} lists {len(found):,}; at most {MOST_PARTS:,} are read")
    return found


def _json_list(cell: str, where: str, field: str) -> list[object]:
    try:
        found = json.loads(cell, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise BadInput(
            f"{where}: {field} {quoted(cell, 60)} begins like a list and is no JSON list; "
            'write ["one", "two"] with double quotes'
        )
    return _few(found, where, field)


def _number(cell: object, where: str, field: str) -> str:
    if cell is None:
        return ""
    # True is a number to Python; whether it means "yes" or "true" is not for us to guess.
    known = isinstance(cell, int | float) and not isinstance(cell, bool) and math.isfinite(cell)
    if not known:
        raise BadInput(f"{where}: {field} holds {quoted(cell, 60)}, which is no text; write a text")
    return str(cell)


def name(cell: object, where: str, field: str) -> str:
    """A short printable text.

    Raises:
        BadInput: It is empty, too long, or holds line breaks or other control characters.
    """
    found = text(cell, where, field)
    if len(found) > MAX_NAME or not found.isprintable():
        raise BadInput(
            f"{where}: {field} {quoted(found)} should be 1 to {MAX_NAME} printable characters"
        )
    return found


def tag(cell: object, where: str, field: str) -> str:
    """A tag's name.

    Raises:
        BadInput: It is no name, or that under which the score over all questions stands.
    """
    found = name(cell, where, field)
    if found == TOTAL:
        raise BadInput(
            f"{where}: {field} {quoted(found)} is the name of the score over all questions; "
            "call the tag something else"
        )
    return found


def filled(cell: object) -> bool:
    """Whether a cell holds more than white space."""
    return bool(cell.strip()) if isinstance(cell, str) else cell is not None
