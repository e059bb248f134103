"""Frames as text: a table to look at, CSV and JSON to work with."""

import json
import math
from typing import Any, Literal

import pandas as pd

Format = Literal["table", "csv", "json"]
FORMATS: tuple[Format, ...] = ("table", "csv", "json")


def text(frame: pd.DataFrame, form: Format) -> str:
    """A frame in the asked format; unknown is empty in CSV, null in JSON, a dash in a table."""
    if form == "csv":
        return str(frame.to_csv(index=False))
    if form == "json":
        return json.dumps(records(frame), indent=1, ensure_ascii=False) + "\n"
    if frame.empty:
        return "nothing found\n"
    shown = frame.map(_cell)
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
    plain = _plain(cell)
    if plain is None or plain == "":
        return "–"
    if isinstance(plain, float):
        return f"{plain:.4f}".rstrip("0").rstrip(".")
    if isinstance(plain, list):
        return ", ".join(map(str, plain))
    return str(plain)
