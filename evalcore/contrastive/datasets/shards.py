"""Tar shards in clip-benchmark's public layout and in UniBench's, read with the standard library.

A folder with ``test/0.tar …`` (or the shards themselves), ``classnames.txt``,
``zeroshot_classification_templates.txt`` and ``dataset_type.txt``. In a shard the files of one
sample share a name: a picture (``.webp``, or ``.0.webp`` and ``.1.webp``), and ``.cls`` with a
class number or ``.npy``: zeros and ones, the numbers of the classes that are shown, or captions of
which the first is right (UniBench's relation benchmarks; github.com/facebookresearch/unibench).
"""

import io
import re
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.contrastive.datasets.naming import SPLITS, leftover
from evalcore.contrastive.pictures import Span, Spans
from evalcore.errors import BadInput

PICTURES = ("webp", "png", "jpg", "jpeg")
LABELS = ("cls", "npy")


NUMBERED = re.compile(rf"(?:(\d+)\.)?({'|'.join(PICTURES)})")
Sample = dict[str, Span]


@dataclass(frozen=True)
class Held:
    """What the shards hold."""

    pictures: Spans
    labels: Any = None
    """(n,) class numbers, or (n, classes) whether a picture shows a class; None with captions."""
    captions: tuple[tuple[str, ...], ...] = ()
    """Of each picture, or of each two pictures; the first is right."""


def there(place: Path) -> bool:
    """Whether a folder, or one in it, holds shards."""
    return bool(_tars(place) or any(_tars(path) for path in place.iterdir() if path.is_dir()))


def shard_files(place: Path, split: str | None = None) -> list[Path]:
    """The shards of a folder, in order.

    Args:
        place: The folder, or one with a folder for each split.
        split: Which one; None: the first of ``SPLITS`` that is there.
    """
    folders = [place / name for name in ((split,) if split else SPLITS)]
    inside = next((folder for folder in folders if _tars(folder)), place)
    return sorted(_tars(inside), key=lambda path: (_number(path), path.name))


def _tars(folder: Path) -> list[Path]:
    """The tar files in a folder, without what a Mac leaves beside them."""
    if leftover(folder.name) or not folder.is_dir():
        return []
    return [path for path in folder.glob("*.tar") if not leftover(path.name)]


def read(place: Path, classes: int | None = None, split: str | None = None) -> Held:
    """Where each picture lies, and its label or captions.

    Args:
        place: A folder of shards, or one.
        classes: How many classes are named, if they are; it tells zeros and ones from numbers.
        split: Which split of a folder (see ``found``).

    Raises:
        BadInput: A shard is damaged or missing, or a sample lacks its picture or label.
    """
    paths = [place] if place.is_file() else shard_files(place, split)
    if not paths:
        raise BadInput(f"{place} has no shards of a split {split or ' or '.join(SPLITS)}")
    _check(place, paths)
    samples: dict[tuple[Path, str], Sample] = {}
    for path in paths:
        for span in _spans(path):
            folder, _, file = span.name.rpartition("/")
            key, _, kind = file.partition(".")
            samples.setdefault((path, f"{folder}/{key}"), {})[kind.lower()] = span
    pictures, values = [], []
    for (path, key), parts in samples.items():
        shown = _pictures(parts)
        label = next((parts[kind] for kind in LABELS if kind in parts), None)
        if not shown or label is None:
            lacks = "picture" if not shown else "label (.cls or .npy)"
            raise BadInput(f"{path}: sample {key.lstrip('/')!r} has no {lacks}")
        pictures.append(shown)
        values.append(_label(label))
    if not values:
        raise BadInput(f"{place}: the shards hold no samples")
    return held(place, Spans([picture for shown in pictures for picture in shown]), values, classes)


def held(place: Path, pictures: Any, values: list[Any], classes: int | None) -> Held:
    """Pictures with what is told of them, as shards and tables of Hugging Face hold it.

    Args:
        place: Where they are from.
        pictures: All pictures, one or two a sample.
        values: Of each sample a class number, an array of numbers, or an array of captions.
        classes: How many classes are named, if they are.

    Raises:
        BadInput: The samples are not alike, or a class is not among the named ones.
    """
    each, rest = divmod(len(pictures), len(values))
    kinds = {
        "captions" if np.asarray(value).dtype.kind in "UO" else np.ndim(value) for value in values
    }
    if len(kinds) > 1:
        raise BadInput(f"{place}: some samples have a .cls label and others a .npy one")
    if kinds == {"captions"}:
        pictures.repeated = True
        captions = tuple(tuple(str(text).strip() for text in texts) for texts in values)
        few = min(map(len, captions))
        if rest or each > 2 or few < 2 or (each == 2 and {*map(len, captions)} != {2}):  # noqa: PLR2004
            raise BadInput(
                f"{place}: captions should be two or more of value picture, or two of two pictures"
            )
        return Held(pictures, captions=captions)
    if rest or each != 1:
        raise BadInput(f"{place}: {len(pictures)} pictures, but {len(values)} samples with classes")
    if kinds == {0}:
        return Held(pictures, np.array(values, np.int64))
    return Held(pictures, _several(place, [np.asarray(value) for value in values], classes))


def _several(place: Path, values: list[Any], classes: int | None) -> Any:
    """(n, classes) whether a picture shows a class, from zeros and ones or from class numbers."""
    sizes = {len(value) for value in values}
    marks = all(np.isin(value, (0, 1)).all() for value in values)
    if marks and len(sizes) == 1 and sizes != {1} and (classes is None or sizes == {classes}):
        return np.array(values).astype(bool)
    if not all(value.dtype.kind in "iu" or not len(value) for value in values):
        raise BadInput(f"{place}: labels should be zeros and ones, or numbers of classes")
    low = min((int(value.min()) for value in values if len(value)), default=0)
    high = max((int(value.max()) for value in values if len(value)), default=-1)
    wide = high + 1 if classes is None else classes
    if low < 0 or high >= wide:
        raise BadInput(f"{place}: labels from {low} to {high}, but {wide} classes")
    shown = np.zeros((len(values), wide), bool)
    for at, value in enumerate(values):
        shown[at, value.astype(np.int64)] = True
    return shown


def _pictures(parts: Sample) -> list[Span]:
    """The pictures of a sample in their order; of one picture in several forms the first form."""
    ordered: dict[int, Span] = {}
    for kind in sorted(parts, key=lambda kind: _form(kind)):
        match = NUMBERED.fullmatch(kind)
        if match:
            ordered.setdefault(int(match[1] or 0), parts[kind])
    return [ordered[number] for number in sorted(ordered)]


def _form(kind: str) -> int:
    ending = kind.rpartition(".")[2]
    return PICTURES.index(ending) if ending in PICTURES else len(PICTURES)


def _check(place: Path, paths: list[Path]) -> None:
    """Refuse a set that is not whole, or of a kind that has no classes."""
    root = place if place.is_dir() else place.parent
    kind = root / "dataset_type.txt"
    if kind.is_file() and kind.read_text(encoding="utf-8").strip().lower() == "retrieval":
        raise BadInput(f"{place} is a retrieval set; only class and relation sets are scored")
    path = paths[0].parent / "nshards.txt"
    if place.is_dir() and path.is_file():
        number = int(path.read_text(encoding="utf-8"))
        if number != len(paths):
            raise BadInput(f"{path} says {number} shards, but {len(paths)} are there")


def _spans(path: Path) -> list[Span]:
    try:
        with tarfile.open(path, "r:") as archive:
            return [
                Span(path, member.offset_data, member.size, member.name)
                for member in archive
                if member.isfile() and not any(map(leftover, Path(member.name).parts))
            ]
    except (tarfile.TarError, OSError) as error:
        raise BadInput(f"{path} is no whole, uncompressed tar file ({error})") from None


def _label(span: Span) -> Any:
    raw = span.read()
    try:
        if span.name.endswith(".npy"):
            return np.load(io.BytesIO(raw), allow_pickle=False)
        return int(raw.decode("ascii").strip())
    except (ValueError, UnicodeDecodeError) as error:
        raise BadInput(f"{span.archive}: {span.name} is no label ({error})") from None


def _number(path: Path) -> int:
    digits = re.findall(r"\d+", path.stem)
    return int(digits[-1]) if digits else 0
