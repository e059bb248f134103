"""Benchmarks on this disk → tasks: class folders, tables, tar shards, idx files, torch data sets.

The form is seen from what is there; a benchmark needs code of its own only where it is of none.
"""

import gzip
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.contrastive import prompts, shards, tables, vision
from evalcore.contrastive.pictures import Arrays, Files, Of
from evalcore.contrastive.prompts import Prompts
from evalcore.contrastive.task import Task, check
from evalcore.errors import BadInput

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".ppm"})
CODED = re.compile(r"\d+|n\d{8}")
"""Folders that say a class's number, or its place in WordNet, which is ImageNet's order."""
IDX = re.compile(r"(t10k|test)-images[-.]idx3-ubyte(\.gz)?")
IDX_HEADER = {"images": (2051, 16), "labels": (2049, 8)}
"""The first number of a file, and the bytes before its contents."""


def load(name: str, path: str, asked: Prompts | None = None) -> Task:
    """The benchmark that lies at a path.

    Args:
        name: Its id; a known one (``mnist``, ``imagenet1k``) brings class names and templates.
        path: A folder of class folders, of tar shards (clip-benchmark's layout), of MNIST's idx
            files or of a torchvision data set; a tar file; or a CSV file (see ``tables``).
        asked: Class names and templates instead of the benchmark's own.

    Raises:
        BadInput: There is nothing of these, or it cannot be used.
    """
    place = Path(path)
    if not place.exists():
        raise BadInput(f"benchmark {name!r}: there is no file or folder {path!r}")
    kind = _kind(name, place)
    task = KINDS[kind](name, place, asked or Prompts())
    check(task)
    return task


def dataset(  # noqa: PLR0913  what a person says, one argument each
    found: Any,
    name: str,
    classes: Sequence[str] | None = None,
    templates: Sequence[str] | None = None,
    *,
    labels: Any = None,
    type: str | None = None,  # noqa: A002  the word that people know
    capability: str | None = None,
    revision: str | None = None,
) -> Task:
    """Any torch Dataset whose items are (picture, label), made without a transform.

    Args:
        found: The data set.
        name: The benchmark's id.
        classes: Class names in the order of the labels; None: the data set's ``classes``.
        templates: Sentences with ``{}`` for the class; None: the usual ones of that benchmark.
        labels: (n,) class numbers or an (n, classes) table; None: the data set's ``targets``, or
            what its items say, for which each is read once.
        type: What kind of benchmark it is, such as ``object recognition``.
        capability: What it needs, such as ``counting``.
        revision: What names its present contents. With one, or where the data set holds its
            pictures as an array or as files, embeddings are kept for the next time.

    Raises:
        BadInput: It cannot be scored.
    """
    own = Prompts(tuple(classes) if classes else None, tuple(templates) if templates else None)
    held = Prompts(prompts.spoken(getattr(found, "classes", ())) or None)
    words, sentences = prompts.first(own, prompts.known(name), held)
    task = Task(
        name,
        vision.pictures(found, revision) or Of(found, revision),
        classes=words or (),
        labels=vision.labels(found) if labels is None else np.asarray(labels),
        templates=sentences,
        type=type,
        capability=capability,
        source={"loader": "dataset", "of": f"{type_name(found)}", "revision": revision},
    )
    check(task)
    return task


def type_name(found: object) -> str:
    """The full name of an object's class."""
    kind = found.__class__
    return f"{kind.__module__}.{kind.__qualname__}"


def _kind(name: str, place: Path) -> str:
    """Which loader fits what is there."""
    if place.is_file():
        kinds = {".csv": "table", ".tsv": "table", ".tar": "shards"}
        if place.suffix.lower() in kinds:
            return kinds[place.suffix.lower()]
        raise BadInput(
            f"benchmark {name!r}: {place} should be a .csv or .tar file, or a folder of class "
            "folders, tar shards or a torchvision data set"
        )
    if shards.found(place):
        return "shards"
    if _idx(place):
        return "idx"
    return "torchvision" if name in vision.KNOWN and not _holds_classes(place) else "folders"


def _folders(name: str, place: Path, asked: Prompts) -> Task:
    """A folder for each class."""
    names = [one.name for one in place.iterdir() if one.is_dir() and not one.name.startswith(".")]
    # Numbered folders are in the order of their numbers, not of their signs: 2 comes before 10.
    names.sort(key=(lambda one: int(one)) if all(map(str.isdecimal, names)) else str)
    paths, labels = [], []
    for label, folder in enumerate(names):
        files = [one for one in (place / folder).rglob("*") if one.suffix.lower() in SUFFIXES]
        paths += sorted(files)
        labels += [label] * len(files)
    if not paths:
        raise BadInput(
            f"benchmark {name!r}: {place} should hold a folder for each class with its pictures "
            f"({', '.join(sorted(SUFFIXES))}), tar shards, idx files, or a torchvision data set"
        )
    held = Prompts(prompts.spoken(names))
    if not all(CODED.fullmatch(one) for one in names):
        # Named folders are in the order of their names, which the usual class names need not be in.
        own = prompts.beside(place).classes
        asked = replace(asked, classes=asked.classes or own or held.classes)
    return _classes(name, Files(paths), np.array(labels), place, asked, held)


def _holds_classes(place: Path) -> bool:
    """Whether each folder in a folder holds pictures."""
    folders = [one for one in place.iterdir() if one.is_dir() and not one.name.startswith(".")]
    return bool(folders) and all(
        any(file.suffix.lower() in SUFFIXES for file in folder.iterdir()) for folder in folders
    )


def _idx_files(name: str, place: Path, asked: Prompts) -> Task:
    """MNIST's own format, also of sets that took it over; gzip or not."""
    images = _idx(place)
    assert images is not None
    data = _bytes(images, "images")
    labels = _bytes(
        images.with_name(images.name.replace("images", "labels").replace("idx3", "idx1"))
    )
    return _classes(name, Arrays(data), labels.astype(np.int64), place, asked, Prompts())


def _idx(place: Path) -> Path | None:
    found = [one for one in sorted(place.rglob("*ubyte*")) if IDX.fullmatch(one.name)]
    return found[0] if found else None


def _bytes(path: Path, kind: str = "labels") -> Any:
    magic, begin = IDX_HEADER[kind]
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        header = np.frombuffer(raw[:begin], ">i4")
        shape = tuple(int(one) for one in header[1:])
        if int(header[0]) != magic:
            raise ValueError(f"it begins with {int(header[0])}, not with {magic}")
        return np.frombuffer(raw[begin:], np.uint8).reshape(shape)
    except (OSError, ValueError, EOFError) as error:
        raise BadInput(f"{path} is no whole idx file of {kind} ({error})") from None


def _torchvision(name: str, place: Path, asked: Prompts) -> Task:
    found = vision.make(name, place)
    held = Prompts(prompts.spoken(getattr(found, "classes", ())) or None)
    pictures = vision.pictures(found, None) or Of(found, parallel=True)
    return _classes(name, pictures, vision.labels(found), place, asked, held)


def _classes(  # noqa: PLR0913  one argument for each thing that a task is made of
    name: str, pictures: Any, labels: Any, place: Path, asked: Prompts, held: Prompts
) -> Task:
    """A task of classes; words asked for, else the folder's, else the usual, else the data's."""
    classes, templates = prompts.first(asked, prompts.beside(place), prompts.known(name), held)
    return Task(
        name,
        pictures,
        classes=classes or tuple(str(one) for one in range(int(labels.max()) + 1)),
        labels=labels,
        templates=templates,
        source={"path": str(place.absolute())},
    )


def _shards(name: str, place: Path, asked: Prompts) -> Task:
    held = shards.read(place)
    root = place if place.is_dir() else place.parent
    return _classes(name, held.pictures, held.labels, root, asked, Prompts())


def _table(name: str, place: Path, asked: Prompts) -> Task:
    found = tables.read(place)
    if isinstance(found, tables.Labelled):
        held = Prompts(prompts.spoken(found.names))
        return _classes(name, found.pictures, found.labels, place.parent, asked, held)
    return tables.task(name, found, place)


KINDS: Mapping[str, Callable[[str, Path, Prompts], Task]] = {
    "folders": _folders,
    "idx": _idx_files,
    "shards": _shards,
    "table": _table,
    "torchvision": _torchvision,
}
