"""Tar shards in clip-benchmark's public layout, read with the standard library.

A folder with ``test/0.tar …`` (or the shards themselves), ``classnames.txt``,
``zeroshot_classification_templates.txt`` and ``dataset_type.txt``. In a shard the files of one
sample share a name: a picture, and ``.cls`` with a class number or ``.npy`` with zeros and ones.
"""

import io
import re
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.contrastive.pictures import Span, Spans
from evalcore.errors import BadInput

PICTURES = ("webp", "png", "jpg", "jpeg")
LABELS = ("cls", "npy")


@dataclass(frozen=True)
class Held:
    """What the shards hold."""

    pictures: Spans
    labels: Any
    """(n,) class numbers, or (n, classes) whether a picture shows a class."""


def found(place: Path) -> list[Path]:
    """The shards of a folder, in order; those of its ``test`` folder where it has one."""
    inside = place / "test" if (place / "test").is_dir() else place
    return sorted(inside.glob("*.tar"), key=lambda path: (_number(path), path.name))


def read(place: Path) -> Held:
    """Where each picture lies, and its label.

    Raises:
        BadInput: A shard is damaged or missing, or a sample lacks its picture or label.
    """
    paths = [place] if place.is_file() else found(place)
    _check(place, paths)
    samples: dict[tuple[Path, str], dict[str, Span]] = {}
    for path in paths:
        for span in _spans(path):
            folder, _, file = span.name.rpartition("/")
            key, _, kind = file.partition(".")
            samples.setdefault((path, f"{folder}/{key}"), {})[kind.lower()] = span
    pictures, labels = [], []
    for (path, key), parts in samples.items():
        picture = next((parts[kind] for kind in PICTURES if kind in parts), None)
        label = next((parts[kind] for kind in LABELS if kind in parts), None)
        if picture is None or label is None:
            lacks = "picture" if picture is None else "label (.cls or .npy)"
            raise BadInput(f"{path}: sample {key.lstrip('/')!r} has no {lacks}")
        pictures.append(picture)
        labels.append(_label(label))
    if not pictures:
        raise BadInput(f"{place}: the shards hold no samples")
    if len({np.shape(label) for label in labels}) > 1:
        raise BadInput(f"{place}: some samples have a .cls label and others a .npy one")
    return Held(Spans(pictures), np.array(labels))


def _check(place: Path, paths: list[Path]) -> None:
    """Refuse a set that is not whole, or of a kind that has no classes."""
    root = place if place.is_dir() else place.parent
    kind = root / "dataset_type.txt"
    if kind.is_file() and kind.read_text(encoding="utf-8").strip().lower() == "retrieval":
        raise BadInput(f"{place} is a retrieval set; only classes and relation sets are scored")
    told = paths[0].parent / "nshards.txt"
    if place.is_dir() and told.is_file():
        number = int(told.read_text(encoding="utf-8"))
        if number != len(paths):
            raise BadInput(f"{told} says {number} shards, but {len(paths)} are there")


def _spans(path: Path) -> list[Span]:
    try:
        with tarfile.open(path, "r:") as archive:
            return [
                Span(path, one.offset_data, one.size, one.name)
                for one in archive
                if one.isfile() and not Path(one.name).name.startswith(".")
            ]
    except (tarfile.TarError, OSError) as error:
        raise BadInput(f"{path} is no whole, uncompressed tar file ({error})") from None


def _label(span: Span) -> Any:
    raw = span.read()
    try:
        if span.name.endswith(".npy"):
            return np.load(io.BytesIO(raw), allow_pickle=False).astype(bool)
        return int(raw.decode("ascii").strip())
    except (ValueError, UnicodeDecodeError) as error:
        raise BadInput(f"{span.archive}: {span.name} is no label ({error})") from None


def _number(path: Path) -> int:
    digits = re.findall(r"\d+", path.stem)
    return int(digits[-1]) if digits else 0
