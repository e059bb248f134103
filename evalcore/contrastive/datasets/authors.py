"""Relation benchmarks as their authors publish them: JSON files and a folder of pictures.

ARO's Visual Genome files (github.com/mertyg/vision-language-models-are-bows), SugarCrepe's seven
files (github.com/RAIVNLab/sugar-crepe) and Winoground's lines (hub: facebook/winoground). ARO's
order benchmarks are made from captions: see ``orders``.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.contrastive.pictures import Box, Crops, Files, Pictures
from evalcore.contrastive.task import Task
from evalcore.errors import BadInput

GENOME = {
    "vg_attribution": "visual_genome_attribution.json",
    "vg_relation": "visual_genome_relation.json",
}
"""Benchmark → ARO's file, which lies beside the folder ``images``."""
SUGARCREPE = (
    "add_att", "add_obj", "replace_att", "replace_obj", "replace_rel", "swap_att", "swap_obj",
)  # fmt: skip
"""SugarCrepe's seven files; its number is the mean over all their lines."""
SUGARCREPE_PART = re.compile("(add|replace|swap)_(att|obj|ent|rel)")
"""One of them alone, also as earlier versions name it."""
WINOGROUND = "examples.jsonl"
BOX = ("bbox_x", "bbox_y", "bbox_w", "bbox_h")
WITHIN = (".", "data")
"""Where the files lie in a folder: in it, or in its ``data`` as in the authors' repositories."""
COCO = ("val2017", "images/val2017", "coco/images/val2017", "images", ".")
"""Where COCO's pictures of 2017 may lie, from a folder with SugarCrepe's files or one above it."""


def author_files(name: str, place: Path) -> list[Path]:
    """The authors' files that a folder holds, or the file itself; none where it is of no author.

    Args:
        name: The benchmark, which tells ARO's two files apart.
        place: A folder, or a JSON or JSONL file.
    """
    if place.is_file():
        return [place] if _reader(place) else []
    for folder in (place / inside for inside in WITHIN):
        crepe = [_crepe(folder, inside) for inside in SUGARCREPE]
        if any(path.is_file() for path in crepe):
            return crepe
        genome = [folder / inside for inside in GENOME.values() if (folder / inside).is_file()]
        if name in GENOME and (folder / GENOME[name]).is_file():
            return [folder / GENOME[name]]
        inside = genome or [folder / WINOGROUND]
        if inside[0].is_file():
            return inside
    return []


def _crepe(folder: Path, name: str) -> Path:
    """One of SugarCrepe's files, as it is called or as earlier versions called it."""
    earlier = folder / f"{name.replace('obj', 'ent')}.json"
    return earlier if earlier.is_file() else folder / f"{name}.json"


def load(name: str, place: Path) -> Task:
    """The relation benchmark that ``found`` sees.

    Args:
        name: Its id.
        place: As in ``found``.

    Raises:
        BadInput: A file is missing, is no JSON or lacks something, or a picture is missing.
    """
    paths = author_files(name, place)
    if len(paths) == 2:  # noqa: PLR2004  both of ARO's
        raise BadInput(
            f"benchmark {name!r}: {place} holds ARO's two benchmarks; call it one of "
            f"{', '.join(GENOME)}, or give one of the files"
        )
    lacks = [path.name for path in paths if not path.is_file()]
    if lacks:
        raise BadInput(
            f"benchmark {name!r}: {paths[0].parent} lacks {', '.join(lacks)}; SugarCrepe is all "
            f"{len(SUGARCREPE)} files (one of them alone can be given as a file)"
        )
    read = _reader(paths[0])
    assert read is not None
    pictures, captions = read(paths)
    pairs = len(pictures) == 2 * len(captions)
    return Task(
        name,
        pictures,
        captions=tuple(captions),
        right=None if pairs else np.zeros(len(captions), np.int64),
        pairs=pairs,
        source={"path": str(place.absolute())},
    )


Captions = list[tuple[str, ...]]
Read = Callable[[Sequence[Path]], tuple[Pictures, Captions]]


def _reader(path: Path) -> Read | None:
    if path.name in GENOME.values():
        return _genome
    if path.suffix == ".json" and SUGARCREPE_PART.fullmatch(path.stem):
        return _sugarcrepe
    return _winoground if path.name == WINOGROUND else None


def _genome(paths: Sequence[Path]) -> tuple[Pictures, Captions]:
    """ARO's relation or attribution: a part of each picture, a true and a false caption."""
    (path,) = paths
    names: list[Path] = []
    boxes: list[Box] = []
    captions: Captions = []
    for where, row in entries(path):
        names.append(path.parent / "images" / entry_text(where, row, "image_path"))
        boxes.append(_box(where, row))
        captions.append(
            (entry_text(where, row, "true_caption"), entry_text(where, row, "false_caption"))
        )
    return Crops(files(path, names), boxes), captions


def _box(where: str, row: Mapping[str, Any]) -> Box:
    sides = [row.get(name) for name in BOX]
    if not all(isinstance(side, int | float) for side in sides):
        raise BadInput(f"{where}: {', '.join(BOX)} should be numbers, not {sides}")
    left, top, width, height = (round(side) for side in sides if side is not None)
    if width <= 0 or height <= 0:
        raise BadInput(f"{where}: its part of the picture has no area ({sides})")
    return left, top, left + width, top + height


def _sugarcrepe(paths: Sequence[Path]) -> tuple[Pictures, Captions]:
    names: list[str] = []
    captions: Captions = []
    for path in paths:
        for where, row in entries(path):
            names.append(entry_text(where, row, "filename"))
            captions.append(
                (entry_text(where, row, "caption"), entry_text(where, row, "negative_caption"))
            )
    folder = paths[0].parent
    places = [above / inside for above in (folder, folder.parent) for inside in COCO]
    coco = next((place for place in places if names and (place / names[0]).is_file()), None)
    if coco is None:
        raise BadInput(
            f"{paths[0]}: no picture {names[0] if names else ''!r} in {folder / COCO[0]} or "
            f"{folder.parent / COCO[0]}; put COCO's val2017 (images.cocodataset.org) there"
        )
    return files(paths[0], [coco / name for name in names]), captions


def _winoground(paths: Sequence[Path]) -> tuple[Pictures, Captions]:
    (path,) = paths
    names: list[Path] = []
    captions: Captions = []
    for where, row in entries(path):
        for key in ("image_0", "image_1"):
            stem = path.parent / "images" / entry_text(where, row, key)
            names.append(
                next((ending for ending in _endings(stem) if ending.is_file()), _endings(stem)[0])
            )
        captions.append((entry_text(where, row, "caption_0"), entry_text(where, row, "caption_1")))
    return files(path, names), captions


def _endings(stem: Path) -> list[Path]:
    return [stem.with_name(stem.name + ending) for ending in (".png", ".jpg", "")]


def entries(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The entries of a JSON file (a list, or an object of them) or of JSON lines, with their place.

    Raises:
        BadInput: It cannot be read, holds nothing, or an entry is no object.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".jsonl":
            rows = {
                f"line {number}": json.loads(line)
                for number, line in enumerate(text.splitlines(), 1)
                if line.strip()
            }
        else:
            whole = json.loads(text)
            listed = enumerate(whole) if isinstance(whole, list) else whole.items()
            rows = {f"entry {key}": row for key, row in listed}
    except (OSError, ValueError, AttributeError) as error:
        raise BadInput(f"{path} cannot be read as JSON ({error})") from None
    if not rows:
        raise BadInput(f"{path} has no entries")
    for key, row in rows.items():
        if not isinstance(row, dict):
            raise BadInput(f"{path}, {key}: it should be an object, not {type(row).__name__}")
        yield f"{path}, {key}", row


def entry_text(where: str, row: Mapping[str, Any], key: str) -> str:
    """A text of an entry, without space around it.

    Raises:
        BadInput: It is missing, empty, or no text.
    """
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        there = "" if key in row else f"; it has {', '.join(map(str, row))}"
        raise BadInput(f"{where}: {key!r} should be a text{there}")
    return value.strip()


def files(path: Path, names: Sequence[Path]) -> Files:
    """Picture files that a file names.

    Raises:
        BadInput: One is missing.
    """
    try:
        return Files(names)
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None
