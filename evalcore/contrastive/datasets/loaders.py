"""Benchmarks on this disk or by address → tasks.

Class folders, tables, tar shards, idx files, torchvision's and Hugging Face's data sets, and the
files of relation benchmarks' authors. The form is seen from what is there; a benchmark needs code
of its own only where it is of none.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.contrastive import prompts
from evalcore.contrastive.datasets import (
    addresses,
    arrow,
    authors,
    columns,
    corrupted,
    makers,
    naming,
    orders,
    shards,
    tables,
    vision,
)
from evalcore.contrastive.datasets.naming import Named
from evalcore.contrastive.datasets.options import (
    CORRUPTED,
    OWN,
    TAKES,
    Options,
    own_name,
    parted,
)
from evalcore.contrastive.pictures import Arrays, DatasetPictures, Files
from evalcore.contrastive.prompts import Prompts
from evalcore.contrastive.task import Task, check
from evalcore.errors import BadInput


def load(name: str, path: str, asked: Prompts | None = None) -> Task:
    """The benchmark that lies at a path or an address.

    Args:
        name: Its id; a known one (``mnist``, ``imagenet1k``) brings class names and templates.
        path: A folder of class folders, of tar shards (clip-benchmark's layout), of MNIST's idx
            files, of a torchvision or a Hugging Face data set, of a layout of ``makers`` or
            ``variations``, or of the files that ARO, SugarCrepe or Winoground publish; one of these
            files, a tar, Parquet or CSV file (see ``tables``); or an address (see ``addresses``).
            What more is asked stands behind it as in a link:
            ``PATH?split=validation&label=fine_label`` (see ``options.OPTIONS``).
        asked: Class names and templates instead of the benchmark's own.

    Raises:
        BadInput: There is nothing of these, or it cannot be used.
    """
    text, options = parted(name, path)
    remote = addresses.remote(text)
    place = addresses.local(text, options.get("split")) if remote else Path(text)
    if not place.exists():
        raise BadInput(f"benchmark {name!r}: there is no file or folder {text!r}")
    kind = _kind(name, place)
    takes = _makers(place)[2] if kind == "makers" else TAKES.get(kind, frozenset())
    vain = options.keys() - takes - CORRUPTED - {OWN}
    if vain:
        raise BadInput(f"benchmark {name!r}: {place} is of a kind ({kind}) without {min(vain)!r}")
    task = KINDS[kind](name, place, asked or Prompts(), options)
    if options.keys() & CORRUPTED and kind != "corruptions":
        task = corrupted.of(task, options)
    where = text if remote else str(place.absolute())
    own = own_name(name, options)
    task = replace(task, id=own, source={**options, **task.source, "path": where})
    check(task)
    return task


def dataset(  # noqa: PLR0913  what a person says, one argument each
    data: Any,
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
        data: The data set.
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
    usual, called = prompts.usual(name), list(vision.classes(data))
    held = naming.named(called, Path(), f"benchmark {name!r}") if called else Named(())
    words, sentences = prompts.first(own, usual, Prompts(held.classes or None))
    task = Task(
        name,
        vision.pictures(data, revision) or DatasetPictures(data, revision),
        classes=words or (),
        labels=vision.labels(data) if labels is None else np.asarray(labels),
        templates=sentences,
        coded=held.coded and not (own.classes or usual.classes),
        type=type,
        capability=capability,
        source={"loader": "dataset", "of": f"{type_name(data)}", "revision": revision},
    )
    check(task)
    return task


def type_name(value: object) -> str:
    """The full name of an object's class."""
    kind = value.__class__
    return f"{kind.__module__}.{kind.__qualname__}"


def _kind(name: str, place: Path) -> str:
    """Which loader fits what is there."""
    if authors.author_files(name, place):
        return "authors"
    if orders.caption_file(place):
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
    return "torchvision" if name in vision.TORCHVISION else "folders"


FILES = {
    ".csv": "table", ".tsv": "table", ".tar": "shards", ".parquet": "arrow", ".arrow": "arrow",
}  # fmt: skip
"""Kinds of files and what reads them."""


def _folders(name: str, place: Path, asked: Prompts, options: Options) -> Task:
    """A folder for each class."""
    if several := makers.backgrounds(place):
        raise BadInput(
            f"benchmark {name!r}: {place} holds ImageNet-9 with several backgrounds "
            f"({', '.join(several)}), each a set of its own with nine classes; give one of them: "
            f"{place}/{several[-1]}?{OWN}=imagenet9-{several[-1]}"
        )
    root = naming.root(name, place, options.get("split"))
    folders = naming.classes(name, root)
    if all(folder.isdecimal() for folder, _ in folders):
        # Numbered folders are in the order of their numbers, not of their signs: 2 before 10.
        folders.sort(key=lambda folder_paths: int(folder_paths[0]))
    held = naming.named([folder for folder, _ in folders], root, f"benchmark {name!r}")
    labels = np.repeat(np.arange(len(folders)), [len(paths) for _, paths in folders])
    pictures = Files([path for _, paths in folders for path in paths])
    return _classes(name, pictures, labels, root, asked, held)


def _holds_classes(place: Path) -> bool:
    """Whether each folder in a folder holds pictures."""
    inside = naming.folders(place)
    return bool(inside) and all(map(naming.holds_pictures, inside))


def _makers(place: Path) -> tuple[str, Path, frozenset[str]]:
    """Which makers' layout a folder is of, where in it, and what may be asked of it."""
    layout = makers.layout_of(place)
    assert layout is not None
    return *layout, makers.LAYOUTS[layout[0]].options


def _made(name: str, place: Path, asked: Prompts, options: Options) -> Task:
    kind, folder, _ = _makers(place)
    return _of_made(name, makers.LAYOUTS[kind].read(name, folder, options), folder, asked)


def _corruptions(name: str, place: Path, asked: Prompts, options: Options) -> Task:
    task = _of_made(name, makers.read(name, place, options), place, asked)
    names, degrees = corrupted.chosen(options)
    about = {"corruption": list(names), "severity": list(degrees)}
    return replace(task, source={**task.source, **(about if options.keys() & CORRUPTED else {})})


def _of_made(name: str, labelled: makers.Labelled, place: Path, asked: Prompts) -> Task:
    return _classes(
        name,
        labelled.pictures,
        labelled.labels,
        place,
        asked,
        Named(labelled.classes, labelled.coded),
    )


def _idx(name: str, place: Path, asked: Prompts, _: Options) -> Task:
    data, labels = vision.read_idx(place)
    return _classes(name, Arrays(data), labels, place, asked)


def _torchvision(name: str, place: Path, asked: Prompts, _: Options) -> Task:
    data = vision.make(name, place)
    called = list(vision.classes(data))
    held = naming.named(called, place, f"benchmark {name!r}") if called else None
    pictures, labels = vision.pictures(data, None), vision.labels(data)
    if isinstance(pictures, Files):  # torchvision takes a Mac's leftovers for pictures
        kept = [
            at for at, picture in enumerate(pictures.paths) if not naming.leftover(picture.name)
        ]
        pictures, labels = Files([pictures.paths[at] for at in kept]), labels[kept]
    # Our usual names are in torchvision's order.
    usual = replace(asked, classes=asked.classes or prompts.usual(name).classes)
    return _classes(
        name, pictures or DatasetPictures(data, parallel=True), labels, place, usual, held
    )


def _classes(  # noqa: PLR0913  one argument for each thing that a task is made of
    name: str,
    pictures: Any,
    labels: Any,
    place: Path,
    asked: Prompts,
    held: Named | None = None,
) -> Task:
    """A task of classes: words asked for, else those beside the data, else the data's own.

    Data that name their classes have them in an order of their own, which the usual names of the
    benchmark need not be in; only numbers and codes leave it to these, where they are as many.
    """
    beside, usual = prompts.of_folder(place), prompts.usual(name)
    _check_beside(name, place, beside, held)
    given = asked.classes or beside.classes
    coded = held is None or held.coded
    if coded and held is not None and usual.classes and len(usual.classes) != len(held.classes):
        usual = replace(usual, classes=None)
    words = given or (usual.classes if coded else held and held.classes)
    plain = held.classes if held else tuple(map(str, range(_wide(labels))))
    return Task(
        name,
        pictures,
        classes=words or plain,
        labels=labels,
        templates=prompts.first(asked, beside, usual)[1],
        source={"path": str(place.absolute())},
        coded=not words,
    )


def _wide(labels: Any) -> int:
    """How many classes the labels are of, as far as they tell."""
    return int(labels.shape[1] if np.ndim(labels) == 2 else labels.max() + 1)  # noqa: PLR2004


def _check_beside(name: str, place: Path, beside: Prompts, held: Named | None) -> None:
    """Refuse a list of names that is not of these classes: each would have another's name."""
    if held and beside.classes and len(beside.classes) != len(held.classes):
        raise BadInput(
            f"benchmark {name!r}: classnames.txt in {place} names {len(beside.classes)} classes, "
            f"but the data have {len(held.classes)}; a line for each is wanted, in their order"
        )


def _shards(name: str, place: Path, asked: Prompts, options: Options) -> Task:
    root = place if place.is_dir() else place.parent
    named = asked.classes or prompts.of_folder(root).classes
    held = shards.read(place, len(named) if named else None, options.get("split"))
    return _of(name, held, root, asked, None)


def _arrow(name: str, place: Path, asked: Prompts, options: Options) -> Task:
    root = place if place.is_dir() else place.parent
    named = asked.classes or prompts.of_folder(root).classes
    read = columns.read(place, options, len(named) if named else None)
    usual = prompts.usual(name).classes if name in prompts.IMAGENET else None
    own = read.classes if usual is None or len(read.classes or ()) != len(usual) else None
    held = naming.named(own, root, f"benchmark {name!r}") if own else None
    return _of(name, read.held, root, asked, held)


def _of(name: str, content: shards.Held, root: Path, asked: Prompts, held: Named | None) -> Task:
    """A task of what shards or columns hold: classes, or captions of which the first is right."""
    if not content.captions:
        return _classes(name, content.pictures, content.labels, root, asked, held)
    pairs = len(content.pictures) == 2 * len(content.captions)
    right = None if pairs else np.zeros(len(content.captions), np.int64)
    return Task(name, content.pictures, captions=content.captions, right=right, pairs=pairs)


def _table(name: str, place: Path, asked: Prompts, _: Options) -> Task:
    table = tables.read(place)
    if isinstance(table, tables.Labelled):
        held = naming.named(table.names, place.parent, f"benchmark {name!r}")
        return _classes(name, table.pictures, table.labels, place.parent, asked, held)
    return tables.task(name, table, place)


def _voc(name: str, place: Path, asked: Prompts, options: Options) -> Task:
    objects = options.get("objects", "cut")
    if objects not in ("cut", "whole"):
        raise BadInput(f"benchmark {name!r}: objects={objects} should be cut or whole")
    pictures, labels = vision.read_voc(place, objects == "whole")
    held = Named(tuple(vision.SPOKEN.get(noun, noun) for noun in vision.CLASSES))
    return _classes(name, pictures, labels, place, asked, held)


FOLDERS: Mapping[str, Callable[[Path], object]] = {
    "makers": makers.layout_of,
    "corruptions": makers.corruptions,
    # torchvision leaves the tar files that it fetched beside what was in them.
    "voc": vision.is_voc,
    "torchvision": vision.marked,
    "shards": shards.there,
    "idx": vision.is_idx,
    "folders": _holds_classes,
    "arrow": arrow.there,
}
"""Kinds of folders, in the order in which they are looked for."""
KINDS: Mapping[str, Callable[[str, Path, Prompts, Options], Task]] = {
    "arrow": _arrow,
    "corruptions": _corruptions,
    "makers": _made,
    "authors": lambda name, place, asked, options: authors.load(name, place),
    "folders": _folders,
    "idx": _idx,
    "orders": lambda name, place, asked, options: orders.load(name, place),
    "shards": _shards,
    "table": _table,
    "torchvision": _torchvision,
    "voc": _voc,
}
