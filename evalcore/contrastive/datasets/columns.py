"""What the columns of a Hugging Face data set are: pictures, classes, captions.

The names are those that the package ``datasets`` gives (``image``, ``label``) or makes of the
files in UniBench's shards (``0.webp``, ``cls``, ``npy``), and Winoground's (``image_0``,
``caption_0`` …). What the package writes of a column, such as the names of classes, is read from
the same files.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from evalcore.contrastive.datasets import shards
from evalcore.contrastive.datasets.arrow import Column, Part, split_files
from evalcore.contrastive.datasets.shards import Held
from evalcore.errors import BadInput

IMAGES = ("image", "img", "picture")
LABELS = ("label", "cls", "npy", "labels", "fine_label", "number")
COUNTED = ("number",)
"""Columns whose numbers are what the classes are called, as CountBench's, not their places."""
PAIRED = ("image_0", "image_1", "caption_0", "caption_1")
RIGHT = ("caption", "true_caption")
WRONG = ("wrong", "negative_caption", "false_caption")
"""How columns of wrong captions begin."""


@dataclass(frozen=True)
class Named:
    """What a data set holds, and what it calls its classes."""

    held: Held
    classes: tuple[str, ...] | None


def read(place: Path, asked: Mapping[str, str], classes: int | None = None) -> Named:
    """What a data set holds.

    Args:
        place: A folder that ``save_to_disk`` wrote, one with Parquet files, or one of the files.
        asked: ``image`` and ``label``: the columns to take; ``split`` and ``config``: which files.
        classes: How many classes someone names; None: those of the files.

    Raises:
        BadInput: There is no such column or split, or a file is damaged.
    """
    parts = [Part(path) for path in split_files(place, asked)]
    features, columns = _features(parts[0]), list(parts[0].schema.names)
    for name in (asked[key] for key in ("image", "label") if key in asked):
        if name not in columns:
            raise BadInput(f"{place} has no column {name!r}; it has {', '.join(columns)}")
    pictures = Column(parts, _images(place, parts[0], features, asked.get("image")))
    captions = [] if "label" in asked else _captions(columns)
    if captions:
        texts = [_cells(parts, name) for name in captions]
        arrays = [np.array([text for text in row if text], str) for row in zip(*texts, strict=True)]
        return Named(shards.held(place, pictures, arrays, None), None)
    label = asked.get("label") or _label(place, columns, features)
    names = _names(features.get(label))
    cells = _cells(parts, label)
    _check(place, label, cells)
    if label in COUNTED or all(isinstance(cell, str) for cell in cells):
        kinds = sorted(set(cells))
        places = {kind: at for at, kind in enumerate(kinds)}
        cells = [places[cell] for cell in cells]
        names = tuple(map(str, kinds))
    arrays = [np.array(cell) for cell in cells]
    wide = len(names) if names and classes is None else classes
    return Named(shards.held(place, pictures, arrays, wide), names)


def _cells(parts: Sequence[Part], name: str) -> list[Any]:
    return [cell for part in parts for cell in part.column(name)]


def _check(place: Path, label: str, cells: Sequence[Any]) -> None:
    """Refuse a column in which a cell says no class."""
    for row, cell in enumerate(cells):
        if cell is None or (isinstance(cell, int) and cell < 0):
            raise BadInput(f"{place}, row {row}: column {label!r} says no class ({cell})")
        if not isinstance(cell, int | str | list):
            raise BadInput(f"{place}, row {row}: column {label!r} holds {type(cell).__name__}")


def _features(part: Part) -> dict[str, Any]:
    """What the package ``datasets`` wrote of each column; nothing where it wrote nothing."""
    about = (part.schema.metadata or {}).get(b"huggingface")
    beside = part.path.parent / "dataset_info.json"
    try:
        if about:
            return dict(json.loads(about)["info"]["features"])
        return dict(json.loads(beside.read_text(encoding="utf-8"))["features"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _images(place: Path, part: Part, features: Mapping[str, Any], asked: str | None) -> list[str]:
    """The columns with pictures."""
    columns = list(part.schema.names)
    if asked:
        return [asked]
    if set(PAIRED) <= set(columns):
        return list(PAIRED[:2])
    # UniBench's columns are named by the kind of file; two of them are two pictures.
    numbered = sorted(column for column in columns if shards.NUMBERED.fullmatch(column))
    if numbered:
        return numbered
    some = [name for name in columns if _shows(part.schema.field(name).type, features.get(name))]
    named = [name for name in IMAGES if name in some] or some
    if len(named) != 1:
        raise BadInput(
            f"{place}: which of the columns {', '.join(named or columns)} holds the pictures? "
            "Say ?image=COLUMN"
        )
    return named


def _shows(kind: pa.DataType, feature: Any) -> bool:
    """Whether a column holds pictures."""
    if isinstance(feature, dict) and feature.get("_type"):
        return bool(feature["_type"] == "Image")
    if pa.types.is_struct(kind):
        return any(kind.field(at).name == "bytes" for at in range(kind.num_fields))
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _captions(columns: Sequence[str]) -> list[str]:
    """The columns with captions, the right one first; none where it is of classes."""
    if set(PAIRED) <= set(columns):
        return list(PAIRED[2:])
    right = next((name for name in RIGHT if name in columns), None)
    wrong = [column for column in columns if column.startswith(WRONG)]
    return [right, *wrong] if right and wrong else []


def _label(place: Path, columns: Sequence[str], features: Mapping[str, Any]) -> str:
    known = next((name for name in LABELS if name in columns), None)
    of_classes = [column for column in columns if _names(features.get(column))]
    if known is None and len(of_classes) != 1:
        raise BadInput(
            f"{place}: which of the columns {', '.join(columns)} holds the classes? "
            "Say ?label=COLUMN"
        )
    return known or of_classes[0]


def _names(feature: Any) -> tuple[str, ...] | None:
    """The names of classes, of one or of a list of them."""
    inside = feature.get("feature", feature) if isinstance(feature, dict) else feature
    names = inside.get("names") if isinstance(inside, dict) else None
    return tuple(map(str, names)) if names else None
