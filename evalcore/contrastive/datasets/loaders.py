"""Benchmarks on this disk or by address → tasks.

Class folders, tables, tar shards, idx files, torchvision's and Hugging Face's data sets, and the
files of relation benchmarks' authors. The form is seen from what is there; a benchmark needs code
of its own only where it is of none.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np

from evalcore.contrastive import prompts
from evalcore.contrastive.datasets import (
    addresses,
    arrow,
    authors,
    columns,
    corrupted,
    idx,
    orders,
    shards,
    tables,
    vision,
    voc,
)
from evalcore.contrastive.pictures import Arrays, Files, Of
from evalcore.contrastive.prompts import Prompts
from evalcore.contrastive.task import Task, check
from evalcore.errors import BadInput

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".ppm"})
CODED = re.compile(r"\d+|n\d{8}")
"""Folders that say a class's number, or its place in WordNet, which is ImageNet's order."""


def load(name: str, path: str, asked: Prompts | None = None) -> Task:
    """The benchmark that lies at a path or an address.

    Args:
        name: Its id; a known one (``mnist``, ``imagenet1k``) brings class names and templates.
        path: A folder of class folders, of tar shards (clip-benchmark's layout), of MNIST's idx
            files, of a torchvision or a Hugging Face data set, or of the files that ARO,
            SugarCrepe or Winoground publish; one of these files, a tar, Parquet or CSV file (see
            ``tables``); or an address (see ``addresses``). What more is asked stands behind it as
            in a link: ``PATH?split=validation&label=fine_label`` (see ``OPTIONS``).
        asked: Class names and templates instead of the benchmark's own.

    Raises:
        BadInput: There is nothing of these, or it cannot be used.
    """
    text, options = _options(name, path)
    remote = addresses.remote(text)
    place = addresses.local(text, options.get("split")) if remote else Path(text)
    if not place.exists():
        raise BadInput(f"benchmark {name!r}: there is no file or folder {text!r}")
    kind = _kind(name, place)
    vain = options.keys() - TAKES.get(kind, frozenset()) - CORRUPTED
    if vain:
        raise BadInput(f"benchmark {name!r}: {place} is of a kind ({kind}) without {min(vain)!r}")
    found = KINDS[kind](name, place, asked or Prompts(), options)
    if options.keys() & CORRUPTED:
        found = corrupted.of(found, options)
    where = text if remote else str(place.absolute())
    found = replace(found, source={**options, **found.source, "path": where})
    check(found)
    return found


Options = Mapping[str, str]
OPTIONS = {
    "split": "of shards or a Hugging Face data set: test, validation or train; default: the first",
    "config": "the folder of one of several Hugging Face data sets",
    "image": "the column with pictures",
    "label": "the column with classes",
    "objects": "of VOC 2007: cut (default), or whole pictures with several classes each",
    "corruption": "one or several of ImageNet-C's, or all",
    "severity": "of corruptions: 1 to 5, or all",
}
"""What may be asked behind a path."""
TAKES: Mapping[str, frozenset[str]] = {
    "arrow": frozenset({"split", "config", "image", "label"}),
    "shards": frozenset({"split"}),
    "voc": frozenset({"objects"}),
}
"""By which kind of data; any kind of classes may be corrupted."""
CORRUPTED = frozenset({"corruption", "severity"})


def _options(name: str, path: str) -> tuple[str, Options]:
    """A path and what is asked behind it."""
    text, mark, asked = path.rpartition("?")
    if not mark or Path(path).exists():
        return path, {}
    options = dict(parse_qsl(asked, keep_blank_values=True))
    wrong = [one for one in options if one not in OPTIONS]
    if wrong or not options:
        known = "; ".join(f"{one}: {what}" for one, what in OPTIONS.items())
        raise BadInput(f"benchmark {name!r}: {asked!r} asks for nothing known ({known})")
    return text, options


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
        classes: Class names in the order of the labels; None: the data set's ``classes``, or what
            the package ``datasets`` names in its ``features``.
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
    held = Prompts(prompts.spoken(vision.classes(found)) or None)
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
    if authors.found(name, place):
        return "authors"
    if orders.found(place):
        return "orders"
    if place.is_file():
        if place.suffix.lower() in FILES:
            return FILES[place.suffix.lower()]
        raise BadInput(
            f"benchmark {name!r}: {place} should be one of {', '.join(FILES)}, a file that ARO, "
            "SugarCrepe or Winoground publishes, or a folder of class folders, tar shards, a "
            "Hugging Face or a torchvision data set"
        )
    for kind, fits in FOLDERS.items():
        if fits(place):
            return kind
    return "torchvision" if name in vision.KNOWN else "folders"


FILES = {
    ".csv": "table", ".tsv": "table", ".tar": "shards", ".parquet": "arrow", ".arrow": "arrow",
}  # fmt: skip
"""Kinds of files and what reads them."""


def _folders(name: str, place: Path, asked: Prompts, _: Options) -> Task:
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
    asked, held = _words(names, place, asked)
    return _classes(name, Files(paths), np.array(labels), place, asked, held)


def _words(names: Sequence[str], place: Path, asked: Prompts) -> tuple[Prompts, Prompts]:
    """What is asked, and what the data call their classes.

    Data that name their classes have them in an order of their own, which the usual names of the
    benchmark need not be in; numbers and codes leave it to these.
    """
    held = Prompts(prompts.spoken(names))
    if not all(CODED.fullmatch(one) for one in names):
        own = prompts.beside(place).classes
        asked = replace(asked, classes=asked.classes or own or held.classes)
    return asked, held


def _holds_classes(place: Path) -> bool:
    """Whether each folder in a folder holds pictures."""
    folders = [one for one in place.iterdir() if one.is_dir() and not one.name.startswith(".")]
    return bool(folders) and all(
        any(file.suffix.lower() in SUFFIXES for file in folder.iterdir()) for folder in folders
    )


def _idx(name: str, place: Path, asked: Prompts, _: Options) -> Task:
    data, labels = idx.read(place)
    return _classes(name, Arrays(data), labels, place, asked, Prompts())


def _torchvision(name: str, place: Path, asked: Prompts, _: Options) -> Task:
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


def _shards(name: str, place: Path, asked: Prompts, options: Options) -> Task:
    root = place if place.is_dir() else place.parent
    named = asked.classes or prompts.beside(root).classes
    found = shards.read(place, len(named) if named else None, options.get("split"))
    return _of(name, found, root, asked, Prompts())


def _arrow(name: str, place: Path, asked: Prompts, options: Options) -> Task:
    root = place if place.is_dir() else place.parent
    named = asked.classes or prompts.beside(root).classes
    found = columns.read(place, options, len(named) if named else None)
    held = Prompts()
    if found.classes and name not in prompts.IMAGENET:
        asked, held = _words(found.classes, root, asked)
    return _of(name, found.held, root, asked, held)


def _of(name: str, found: shards.Held, root: Path, asked: Prompts, held: Prompts) -> Task:
    """A task of what shards or columns hold: classes, or captions of which the first is right."""
    if not found.captions:
        return _classes(name, found.pictures, found.labels, root, asked, held)
    pairs = len(found.pictures) == 2 * len(found.captions)
    right = None if pairs else np.zeros(len(found.captions), np.int64)
    return Task(name, found.pictures, captions=found.captions, right=right, pairs=pairs)


def _table(name: str, place: Path, asked: Prompts, _: Options) -> Task:
    found = tables.read(place)
    if isinstance(found, tables.Labelled):
        asked, held = _words(found.names, place.parent, asked)
        return _classes(name, found.pictures, found.labels, place.parent, asked, held)
    return tables.task(name, found, place)


def _voc(name: str, place: Path, asked: Prompts, options: Options) -> Task:
    objects = options.get("objects", "cut")
    if objects not in ("cut", "whole"):
        raise BadInput(f"benchmark {name!r}: objects={objects} should be cut or whole")
    pictures, labels = voc.read(place, objects == "whole")
    held = Prompts(tuple(voc.SPOKEN.get(one, one) for one in voc.CLASSES))
    return _classes(name, pictures, labels, place, asked, held)


FOLDERS: Mapping[str, Callable[[Path], bool]] = {
    # torchvision leaves the tar files that it fetched beside what was in them.
    "voc": voc.there,
    "torchvision": vision.marked,
    "shards": shards.there,
    "idx": idx.there,
    "folders": _holds_classes,
    "arrow": arrow.there,
}
"""Kinds of folders, in the order in which they are looked for."""
KINDS: Mapping[str, Callable[[str, Path, Prompts, Options], Task]] = {
    "arrow": _arrow,
    "authors": lambda name, place, asked, options: authors.load(name, place),
    "folders": _folders,
    "idx": _idx,
    "orders": lambda name, place, asked, options: orders.load(name, place),
    "shards": _shards,
    "table": _table,
    "torchvision": _torchvision,
    "voc": _voc,
}
