"""Text and JSON files read with errors that say where."""

import json
from pathlib import Path
from typing import Any

from evalcore.errors import BadInput


def text(file: Path) -> str:
    """A whole UTF-8 file, with or without a byte order mark.

    Raises:
        BadInput: It is not there, cannot be read or is not UTF-8.
    """
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        raise BadInput(f"{file}: there is no such file") from None
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror or error})") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{file}, row {row}: this is no UTF-8; save the file as UTF-8") from None


def json_object(file: Path) -> dict[str, Any]:
    """The one JSON object that a file holds; fractions stay as they are written.

    Raises:
        BadInput: It is not there or holds anything else, or a name stands twice in an object.
    """
    try:
        found = json.loads(text(file), parse_float=str, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{file}: no JSON ({error}); it should hold one JSON object") from None
    if not isinstance(found, dict):
        raise BadInput(f"{file}: it holds {str(found)[:40]!r}; it should hold one JSON object")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of pairs; of a name that stands twice Python would keep the last in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} stands twice")
    return found
