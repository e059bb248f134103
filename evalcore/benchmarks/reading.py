"""Text and JSON files read with errors that say where."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from evalcore import files
from evalcore.errors import BadInput
from evalcore.quoting import bit, quoted


def text(file: Path) -> str:
    """A whole UTF-8 file, with or without a byte order mark.

    Raises:
        BadInput: It is not there, no ordinary file, too large, cannot be read or is not UTF-8.
    """
    content = files.content(file)
    try:
        found = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{file}, row {row}: this is no UTF-8; save the file as UTF-8") from None
    if "\0" in found:
        row = found.count("\n", 0, found.index("\0")) + 1
        raise BadInput(
            f"{file}, row {row}: it holds a zero byte, so this is no UTF-8; save the file as UTF-8"
        )
    return found


def json_file(file: Path) -> Any:
    """What a JSON file holds; fractions stay as they are written.

    Raises:
        BadInput: It is not there or no JSON, or a name stands twice in an object.
    """
    try:
        return json.loads(text(file), parse_float=str, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"{file}: no JSON ({bit(error, 100)}); it should hold one JSON object"
        ) from None


def json_object(file: Path) -> dict[str, Any]:
    """The one JSON object that a file holds; fractions stay as they are written.

    Raises:
        BadInput: It is not there or holds anything else, or a name stands twice in an object.
    """
    found = json_file(file)
    if not isinstance(found, dict):
        raise BadInput(f"{file}: it holds {quoted(found)}; it should hold one JSON object")
    return found


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of pairs; of a name that stands twice Python would keep the last in silence.

    Raises:
        ValueError: One does.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise ValueError(f"{quoted(twice)} stands twice")
    return found
