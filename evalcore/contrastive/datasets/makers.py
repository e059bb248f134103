"""Data sets as their makers pack them: their lists say classes, names and parts, not the folders.

CUB-200-2011 (Wah et al. 2011), ObjectNet (Barbu et al. 2019), CLEVR (Johnson et al. 2017) with
VTAB's two questions (Zhai et al. 2019), and Dollar Street (Gaviria Rojas et al. 2022).
"""

import ast
import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore.contrastive.datasets import corrupted, naming
from evalcore.contrastive.datasets.authors import files
from evalcore.contrastive.pictures import Files, Pictures, numbered
from evalcore.errors import BadInput
from evalcore.files import content
from evalcore.messages import excerpt, quoted

Options = Mapping[str, str]


@dataclass(frozen=True)
class Labelled:
    """What a layout holds."""

    pictures: Pictures
    labels: Any
    """(n,) class numbers, or (n, classes) whether a picture shows a class."""
    classes: tuple[str, ...]
    """Their names."""
    coded: bool = False


@dataclass(frozen=True)
class Layout:
    """How makers pack their data."""

    marks: tuple[tuple[str, ...], ...]
    """Files that tell it together, or others that do."""
    within: tuple[str, ...]
    """Folders in which it may lie: the one given, or one in it."""
    read: Callable[[str, Path, Options], Labelled]
    options: frozenset[str] = frozenset()


def layout_of(place: Path) -> tuple[str, Path] | None:
    """Which layout a folder is of, and where in it; also where only its pictures were given."""
    for kind, layout in LAYOUTS.items():
        above = [place.parent] if place.name == "images" else []
        for folder in (*(place / name for name in layout.within), *above):
            if any(all((folder / mark).is_file() for mark in marks) for marks in layout.marks):
                return kind, folder
    return None


def _cub(name: str, place: Path, asked: Options) -> Labelled:
    """The part of ``train_test_split.txt`` that is asked for: test, train or all."""
    part = asked.get("split", "test")
    if part not in ("test", "train", "all"):
        raise BadInput(f"benchmark {name!r}: split={part} should be test, train or all")
    wanted = {"test": ("0",), "train": ("1",), "all": ("0", "1")}[part]
    paths, labels = _pairs(place / "images.txt"), _pairs(place / "image_class_labels.txt")
    parts, classes = _pairs(place / "train_test_split.txt"), _pairs(place / "classes.txt")
    order = {number: at for at, number in enumerate(classes)}
    chosen = [path for path in paths if parts.get(path) in wanted]
    lost = [
        picture for picture in paths if picture not in parts or labels.get(picture) not in order
    ]
    if lost:
        raise BadInput(f"{place}: picture {lost[0]} of images.txt has no part or no class")
    words = naming.named(list(classes.values()), place, f"benchmark {name!r}")
    pictures = files(
        place / "images.txt", [place / "images" / paths[picture] for picture in chosen]
    )
    return Labelled(
        pictures, np.array([order[labels[picture]] for picture in chosen]), words.classes
    )


def _pairs(path: Path) -> dict[str, str]:
    """The lines of a list: a number, and what it stands for."""
    pairs: dict[str, str] = {}
    for number, line in enumerate(_text(path).splitlines(), 1):
        key, _, value = line.strip().partition(" ")
        if line.strip() and (not value or key in pairs):
            raise BadInput(
                f"{path}, line {number}: a number and a text, each number once: {quoted(line)}"
            )
        pairs |= {key: value.strip()} if key else {}
    return pairs


def _objectnet(name: str, place: Path, _: Options) -> Labelled:
    """The classes that are ImageNet's too, by the makers' lists; the red border stays.

    Published zero-shot evaluations (clip-benchmark, DataComp) leave that border of a pixel too.
    """
    lists = place / "mappings" if (place / "mappings").is_dir() else place
    folders = {str(label): folder for folder, label in _object(lists / OBJECTNET[0]).items()}
    shared = list(_object(lists / OBJECTNET[1]))
    lacks = [title for title in shared if title not in folders]
    images = next((folder for folder in (place / "images", place / "objectnet-1.0" / "images") if
                   folder.is_dir()), place / "images")  # fmt: skip
    lacks += [
        title for title in shared if title in folders and not (images / folders[title]).is_dir()
    ]
    if lacks:
        raise BadInput(
            f"benchmark {name!r}: {images} has no folder for {len(lacks)} of the {len(shared)} "
            f"classes that ObjectNet shares with ImageNet, such as {lacks[0]!r}"
        )
    shared.sort(key=lambda title: folders[title])
    each = [naming.pictures(images / folders[title]) for title in shared]
    empty = [title for title, paths in zip(shared, each, strict=True) if not paths]
    if empty:
        raise BadInput(f"benchmark {name!r}: {images / folders[empty[0]]} holds no picture")
    paths = [path for many in each for path in many]
    labels = np.repeat(np.arange(len(shared)), [len(many) for many in each])
    return Labelled(files(images, paths), labels, tuple(title.lower() for title in shared))


OBJECTNET = ("folder_to_objectnet_label.json", "objectnet_to_imagenet_1k.json")
DEPTHS = (0.0, 8.0, 8.5, 9.0, 9.5, 10.0, 100.0)
"""VTAB's bounds of the depth of the closest object (its ``pixel_coords``, third number)."""
FEWEST, MOST = 3, 10
"""Objects in a scene of CLEVR."""


def _clevr(name: str, place: Path, asked: Options) -> Labelled:
    """VTAB's question that the name says, of the validation part, as CLEVR's test part has none."""
    question = asked.get("question") or name.removeprefix("clevr_")
    if question not in QUESTIONS:
        raise BadInput(
            f"benchmark {name!r}: CLEVR's scenes are asked two things; call it clevr_count or "
            f"clevr_distance, or say ?question={' or ?question='.join(QUESTIONS)}"
        )
    part = asked.get("split", "val")
    path = place / "scenes" / f"CLEVR_{part}_scenes.json"
    names, labels = [], []
    for where, scene in _scenes(path):
        names.append(place / "images" / part / str(scene.get("image_filename")))
        labels.append(QUESTIONS[question](where, scene))
    words = tuple(map(str, range(FEWEST, MOST + 1))) if question == "count" else NEARNESS
    return Labelled(files(path, names), np.array(labels), words)


NEARNESS = ("very nearby", "nearby", "near", "", "distant", "very distant")
"""What clip-benchmark calls the six depths; the fourth it leaves without a word."""


def _scenes(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    scenes = _object(path).get("scenes")
    if not isinstance(scenes, list) or not scenes:
        raise BadInput(f"{path} has no list of scenes")
    for number, scene in enumerate(scenes):
        if not isinstance(scene, dict) or not isinstance(scene.get("objects"), list):
            raise BadInput(f"{path}, scene {number}: it has no list of objects")
        yield f"{path}, scene {number}", scene


def _count(where: str, scene: Mapping[str, Any]) -> int:
    number = len(scene["objects"])
    if not FEWEST <= number <= MOST:
        raise BadInput(f"{where}: {number} objects, where CLEVR has {FEWEST} to {MOST}")
    return number - FEWEST


def _distance(where: str, scene: Mapping[str, Any]) -> int:
    try:
        nearest = min(float(shape["pixel_coords"][2]) for shape in scene["objects"])
    except (KeyError, IndexError, TypeError, ValueError):
        raise BadInput(f"{where}: each object should have three pixel_coords") from None
    if not DEPTHS[0] < nearest <= DEPTHS[-1]:
        raise BadInput(f"{where}: the closest object is {nearest} away, not 0 to 100")
    return int(np.searchsorted(DEPTHS, nearest)) - 1


QUESTIONS = {"count": _count, "distance": _distance}


def _dollar_street(name: str, place: Path, _: Options) -> Labelled:
    """The pictures of the makers' table of test pictures (else of all), by their topics."""
    path = next(place / topic for topic in DOLLAR_STREET if (place / topic).is_file())
    try:
        table = list(csv.DictReader(io.StringIO(_text(path), newline="")))
    except csv.Error as error:
        raise BadInput(f"{path} cannot be read ({excerpt(error)})") from None
    rows = [row for row in table if row.get("type", "image") == "image"]
    lacks = [topic for topic in ("imageRelPath", "topics") if not rows or topic not in rows[0]]
    if lacks:
        raise BadInput(f"{path}: no pictures, or no column {lacks[0]}")
    topics = [_listed(path, at, row["topics"] or "") for at, row in enumerate(rows, 2)]
    kinds = sorted({topic for many in topics for topic in many})
    shown = np.zeros((len(rows), len(kinds)), bool)
    for at, many in enumerate(topics):
        shown[at, [kinds.index(topic) for topic in many]] = True
    pictures = files(path, [place / (row["imageRelPath"] or "?") for row in rows])
    labels = shown.argmax(axis=1) if (shown.sum(axis=1) == 1).all() else shown
    words = naming.named(kinds, place, f"benchmark {name!r}")
    return Labelled(pictures, labels, words.classes, words.coded)


DOLLAR_STREET = ("images_v2_imagenet_test.csv", "images_v2.csv")


def _listed(path: Path, row: int, cell: str) -> list[str]:
    """The topics of a cell: a list as Python writes it, or one text."""
    try:
        value = ast.literal_eval(cell) if cell.startswith("[") else [cell]
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        value = []
    names = [name.strip() for name in value if isinstance(name, str) and name.strip()]
    if not names:
        raise BadInput(f"{path}, row {row}: no topic in {quoted(cell)}")
    return names


def _object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} cannot be read as JSON ({excerpt(error)})") from None
    if not isinstance(value, dict):
        raise BadInput(f"{path} should be an object, not {type(value).__name__}")
    return value


def _text(path: Path) -> str:
    try:
        return content(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is no text in UTF-8 ({error.reason})") from None


LAYOUTS: Mapping[str, Layout] = {
    "CUB-200-2011": Layout(
        (("images.txt", "image_class_labels.txt"),),
        (".", "CUB_200_2011"),
        _cub,
        frozenset({"split"}),
    ),
    "ObjectNet": Layout(
        (OBJECTNET, tuple(f"mappings/{file}" for file in OBJECTNET)),
        (".", "objectnet-1.0"),
        _objectnet,
    ),
    "CLEVR": Layout(
        (("scenes/CLEVR_val_scenes.json",),),
        (".", "CLEVR_v1.0"),
        _clevr,
        frozenset({"split", "question"}),
    ),
    "Dollar Street": Layout(
        tuple((file,) for file in DOLLAR_STREET), (".", "dataset_dollarstreet"), _dollar_street
    ),
}
"""The makers' layouts, by their data sets."""


EXTRA = ("gaussian_blur", "saturate", "spatter", "speckle_noise")
"""Corruptions for tuning, which are no part of the benchmark."""
BACKGROUNDS = (
    "fg", "mixed_next", "mixed_rand", "mixed_same", "no_fg", "only_bg_b", "only_bg_t", "only_fg",
    "original",
)  # fmt: skip


class Forms(Files):
    """Pictures of which one folder holds several forms: those of one name are of one picture."""

    def wholes(self) -> NDArray[np.int64] | None:
        """By class folder and file name."""
        return numbered(path.parts[-2:] for path in self.paths)


def corruptions(place: Path) -> dict[str, Path]:
    """The corruptions that a folder holds, in it or in folders of archives."""
    inside = naming.folders(place)
    every = [*inside, *(below for folder in inside if folder.name not in CORRUPTED
                        for below in naming.folders(folder))]  # fmt: skip
    return {
        folder.name: folder for folder in every if folder.name in CORRUPTED and _severities(folder)
    }


CORRUPTED = frozenset({*corrupted.CORRUPTIONS, *EXTRA})


def _severities(folder: Path) -> bool:
    return any((folder / str(severity)).is_dir() for severity in corrupted.SEVERITIES)


def backgrounds(place: Path) -> list[str]:
    """The variations of ImageNet-9 that a folder holds; none if it is no such."""
    names = [folder.name for folder in naming.folders(place) if folder.name in BACKGROUNDS]
    return names if len(names) > 1 else []


def read(name: str, place: Path, asked: Mapping[str, str]) -> Labelled:
    """All corruptions at all severities, or those that are asked for.

    Raises:
        BadInput: One is missing, or its classes are others than those of the first.
    """
    there = corruptions(place)
    chosen, degrees = corrupted.chosen(asked)
    sets = {}
    for corruption, severity in product(chosen, degrees):
        folder = there.get(corruption, place / corruption) / str(severity)
        if not folder.is_dir():
            raise BadInput(
                f"benchmark {name!r}: {place} lacks {corruption} at severity {severity}; "
                "ImageNet-C is 15 corruptions at 5 severities, and some of them can be asked for: "
                "?corruption=fog,snow&severity=3&as=NAME"
            )
        sets[corruption, severity] = dict(naming.classes(name, folder))
    return _joined(name, place, sets)


def _joined(
    name: str, place: Path, sets: Mapping[tuple[str, int], Mapping[str, list[Path]]]
) -> Labelled:
    """The pictures of all sets, of which each must have the same classes and as many pictures."""
    (first, held), *others = sets.items()
    order, size = {label: at for at, label in enumerate(held)}, sum(map(len, held.values()))
    for which, classes in others:
        count = sum(map(len, classes.values()))
        if classes.keys() != held.keys() or count != size:
            raise BadInput(
                f"benchmark {name!r}: {which[0]} at severity {which[1]} has {len(classes)} classes "
                f"and {count} pictures, {first[0]} at {first[1]} has {len(held)} and {size}; all "
                "should have the same"
            )
    rows = [(path, order[called]) for classes in sets.values()
            for called, paths in classes.items() for path in paths]  # fmt: skip
    words = naming.named(list(order), place, f"benchmark {name!r}")
    pictures = Forms([path for path, _ in rows])
    labels = np.array([label for _, label in rows])
    return Labelled(pictures, labels, words.classes, words.coded)
