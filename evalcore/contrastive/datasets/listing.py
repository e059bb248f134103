"""What a folder of a data set holds: class folders and pictures, without what systems leave."""

from collections.abc import Iterator
from pathlib import Path

from evalcore.errors import BadInput

SPLITS = ("test", "validation", "val", "train")
"""Which split is taken where none is named: the first of these that is there."""
SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".ppm"})
PARTS = frozenset({*SPLITS, "valid", "training", "testing"})
"""Folders that say which part of a data set they hold, never what their pictures show."""
NAMED = 5
"""Folders that a message names."""


def folders(place: Path) -> list[Path]:
    """The folders in a folder, by name."""
    return sorted(one for one in place.iterdir() if one.is_dir() and not leftover(one.name))


def pictures(place: Path) -> list[Path]:
    """The picture files in a folder and below it, by path."""
    return [one for one in files(place, "*") if one.suffix.lower() in SUFFIXES]


def files(place: Path, pattern: str) -> list[Path]:
    """The files of a name in a folder and below it, by path."""
    return sorted(_files(place, pattern))


def _files(place: Path, pattern: str) -> Iterator[Path]:
    for path in place.rglob(pattern):
        if not any(map(leftover, path.relative_to(place).parts)) and path.is_file():
            yield path


def leftover(name: str) -> bool:
    """Whether a file or folder is a system's own: hidden, or left by a Mac or Windows."""
    return name.startswith(".") or name in ("__MACOSX", "Thumbs.db", "desktop.ini", "@eaDir")


def holds_pictures(place: Path) -> bool:
    """Whether there is a picture in a folder itself."""
    return any(
        one.suffix.lower() in SUFFIXES and not leftover(one.name) and one.is_file()
        for one in place.iterdir()
    )


def root(name: str, place: Path, split: str | None = None) -> Path:
    """The folder whose folders are the classes: this one, the only one in it, or its test part.

    Args:
        name: The benchmark, for messages.
        place: A folder.
        split: Which part, where it holds several; None: the first of ``SPLITS`` that is there.

    Raises:
        BadInput: There is no such part.
    """
    inside = folders(place)
    parts = {one.name.lower(): one for one in inside if one.name.lower() in PARTS}
    if split is not None:
        if split not in parts:
            there = ", ".join(one.name for one in inside[:NAMED]) or "no folder"
            raise BadInput(f"benchmark {name!r}: {place} has no part {split!r}; it has {there}")
        return root(name, parts[split])
    if parts and len(parts) == len(inside):
        chosen = next((one for one in (*SPLITS, "testing", "valid") if one in parts), None)
        return root(name, parts[chosen] if chosen else inside[0])
    single = len(inside) == 1 and not holds_pictures(inside[0]) and not holds_pictures(place)
    return root(name, inside[0]) if single and folders(inside[0]) else place


def classes(name: str, place: Path) -> list[tuple[str, list[Path]]]:
    """Each class folder's name with its pictures.

    Raises:
        BadInput: There are none, one is empty, or they hold folders of classes themselves.
    """
    found = [(one.name, pictures(one)) for one in folders(place)]
    if not any(paths for _, paths in found):
        raise BadInput(
            f"benchmark {name!r}: {place} should hold a folder for each class with its pictures "
            f"({', '.join(sorted(SUFFIXES))}), tar shards, idx files, or a torchvision data set"
        )
    empty = [one for one, paths in found if not paths]
    if empty:
        raise BadInput(
            f"benchmark {name!r}: {_some(empty, 'class folder holds', 'class folders hold')} no "
            f"picture in {place}; a class without pictures is no question, so fill or remove it"
        )
    nested = [one for one, paths in found if _nested(place / one, paths)]
    if nested:
        raise BadInput(
            f"benchmark {name!r}: {_some(nested, 'folder holds', 'folders hold')} folders of "
            f"pictures in {place}; which are the classes? Give the folder whose folders are, or a "
            "CSV file of image,label"
        )
    return found


def _nested(folder: Path, paths: list[Path]) -> bool:
    """Whether a folder's pictures lie in several folders and none in itself."""
    first = {path.relative_to(folder).parts[:-1][:1] for path in paths}
    return () not in first and len(first) > 1


def _some(names: list[str], one: str, many: str) -> str:
    told = ", ".join(names[:NAMED]) + (" …" if len(names) > NAMED else "")
    return f"{len(names)} {one if len(names) == 1 else many} ({told})"
