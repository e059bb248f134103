"""What every uploaded text file is checked for before a row is read."""

import math
from collections.abc import Sequence

from evalcore.errors import BadInput
from evalcore.files import shown


def lines(content: bytes, name: str, what: str, max_bytes: int, max_rows: int) -> list[str]:
    """The lines of a file, ends kept.

    Args:
        content: The file.
        name: What it is called, for messages.
        what: What it holds, such as ``scores``.
        max_bytes: Largest file that is taken.
        max_rows: Most lines that are taken.

    Raises:
        BadInput: It is too large, no UTF-8 text, or has too many lines.
    """
    name = shown(name)
    if len(content) > max_bytes:
        raise BadInput(
            f"{name}: {len(content) / 1e6:.0f} MB; a file of {what} may have at most "
            f"{max_bytes / 1e6:.0f} MB"
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{name}: not UTF-8 text (byte {error.start}); save it as CSV UTF-8"
        ) from None
    if "\0" in text:
        raise BadInput(f"{name}: holds zero bytes, so it is no text file; save it as CSV UTF-8")
    rows = text.splitlines(keepends=True)
    if len(rows) > max_rows:
        raise BadInput(f"{name}: {len(rows)} rows; at most {max_rows} are taken")
    return rows


def number(cell: str) -> float:
    """A number as a person writes it; NaN where it is none.

    >>> number("0.5"), number("0_5")
    (0.5, nan)
    """
    try:
        return float(cell.replace("_", "x"))  # Python would read 0.1_5
    except ValueError:
        return math.nan


def one_scale(cells: Sequence[tuple[int, str]], what: str, where: str) -> None:
    """Make sure that a column holds fractions or per cent, not some of each.

    0.9 beside 83 may be 0.9 % or 90 %, and dividing the column by 100 would settle it unsaid.

    Args:
        cells: Line and cell.
        what: What the column is called.
        where: What comes before a line's number in a message.

    Raises:
        BadInput: It holds both.
    """
    numbers = [(line, cell, number(cell)) for line, cell in cells]
    large = next(((line, cell) for line, cell, value in numbers if 1 < value <= 100), None)
    small = next(((line, cell) for line, cell, value in numbers if 0 < value < 1), None)
    if large and small:
        other = f"{small[1][:40]!r} in {where.rpartition(' ')[2]} {small[0]}"
        raise BadInput(
            f"{where} {large[0]}: {what} {large[1][:40]!r} looks like per cent and {other} like a "
            "fraction; write all as fractions from 0 to 1, and see what the small one means"
        )
