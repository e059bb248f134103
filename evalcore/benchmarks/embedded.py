"""Pictures that stand in a cell of text: Base64, bare or in a ``data:`` address."""

import base64
import binascii
import re

from evalcore.benchmarks.pictures import ENDINGS
from evalcore.errors import BadInput
from evalcore.quoting import quoted

MOST = 100_000_000
"""Characters, of a picture of 75 MB."""
_ADDRESS = re.compile(r"\s*data:", re.IGNORECASE)
_HEAD = re.compile(r"\s*data:image/[\w.+-]+(?:;[\w=.+-]+)*;base64,", re.IGNORECASE)
# Even a picture of one pixel has more letters; no name of a file reads as the start of one.
_BASE64 = re.compile(r"[A-Za-z0-9+/]{64}")
_SURE = tuple(start for start in ENDINGS if len(start) > 2)  # "BM" can begin a name


def is_address(cell: str) -> bool:
    """Whether a cell begins as ``data:`` addresses do; a semicolon in it parts no pictures."""
    return _ADDRESS.match(cell) is not None


def picture(cell: str, where: str) -> bytes | None:
    """The picture that a cell holds; None if it is other text, such as a path.

    >>> picture("a.png", "x.csv, row 2") is None
    True

    Raises:
        BadInput: It begins like one and is none, or is too long.
    """
    head = _HEAD.match(cell)
    bare = cell[head.end() :] if head else cell.strip()
    if not head and is_address(cell):
        raise _none(cell, where)
    if not head and not _begins(bare):
        return None
    if len(bare) > MOST:
        raise BadInput(f"{where}: image holds {len(bare):,} letters of Base64; at most {MOST:,}")
    try:
        found = base64.b64decode("".join(bare.split()), validate=True)
    except (binascii.Error, ValueError):
        raise _none(cell, where) from None
    if not found.startswith(tuple(ENDINGS)):
        raise _none(cell, where)
    return found


def _begins(bare: str) -> bool:
    """Whether text reads as Base64 whose first bytes are those of a picture's file."""
    start = _BASE64.match(bare)
    return start is not None and base64.b64decode(start[0]).startswith(_SURE)


def _none(cell: str, where: str) -> BadInput:
    return BadInput(
        f"{where}: image {quoted(cell)} begins like a picture in Base64 and is none; write "
        "data:image/png;base64,... with a whole picture, or a file's name"
    )
