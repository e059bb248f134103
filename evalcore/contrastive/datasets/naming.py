"""What data call their classes, as words: folder names, labels, WordNet's numbers.

A code that nothing can name is never said to a model: the task is marked, and the words have to
come from the person.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from evalcore.errors import BadInput
from evalcore.files import content

WNID = re.compile(r"n\d{8}")
"""WordNet's number of a noun, by which ImageNet calls its classes."""
PREFIXES = (re.compile(r"(n\d{8})[-_. ](.+)"), re.compile(r"(\d+)[._](.*[^\W\d_].*)"))
"""A number before each name, as in ``n02085620-Chihuahua`` and ``001.Black_footed_Albatross``."""
SHELF = re.compile(r"/[a-z]/(.+)")
"""A letter before each name, as in Places365's ``/a/airport_terminal``."""
CODE = re.compile(r"\d+|(?i:class|label|category|id)[ _-]?\d+|n\d{8}.*|[A-Z]{2,3}")
"""A number, a number of WordNet's, or a country's letters."""
MAKERS = ("words.txt", "LOC_synset_mapping.txt", "synset_words.txt", "README.txt")
"""Files in which makers of wnid folders name them, a number and a name a line."""
LINE = re.compile(r"\s*(n\d{8})[\s:,]+(.+?)\s*")


@dataclass(frozen=True)
class Named:
    """The words for some classes."""

    classes: tuple[str, ...]
    coded: bool = False
    """Whether some are codes that no model can read."""


def named(raw: Sequence[str], place: Path, where: str) -> Named:
    """Words for what data call their classes, in the same order.

    Args:
        raw: Folder names or labels, each once.
        place: Where they lie; makers' lists of names are looked for there and above.
        where: The benchmark, for messages.

    Raises:
        BadInput: Two of them become one word, or nothing names a number of WordNet's.

    >>> named(["sea_lion", "fire-truck"], Path(), "").classes
    ('sea lion', 'fire-truck')
    >>> named(["001.Black_footed_Albatross", "002.Laysan_Albatross"], Path(), "").classes
    ('Black footed Albatross', 'Laysan Albatross')
    >>> named(["0", "1"], Path(), "")
    Named(classes=('0', '1'), coded=True)
    """
    if raw and all(WNID.fullmatch(text) for text in raw):
        return Named(_of_wordnet(raw, place, where))
    names = _without_numbers(raw)
    words = tuple(name.replace("_", " ").strip() for name in names)
    _check_once(raw, words, where)
    return Named(words, _coded(words))


def _coded(words: Sequence[str]) -> bool:
    """Whether any word is a code; capitals alone are one where all are (countries), else TV."""
    letters = all(word.isalpha() and word.isupper() for word in words)
    codes = [word for word in words if CODE.fullmatch(word)]
    return not all(words) or any(letters or not word.isalpha() for word in codes)


def _without_numbers(raw: Sequence[str]) -> list[str]:
    """Names without the number before each, where each has another one."""
    shelved = [SHELF.fullmatch(name) for name in raw]
    if all(shelved):
        return [match[1] for match in shelved if match]
    for prefix in PREFIXES:
        matches = [match for name in raw if (match := prefix.fullmatch(name))]
        if matches and len({match[1] for match in matches}) == len(raw):
            return [match[2] for match in matches]
    return list(raw)


def _check_once(raw: Sequence[str], words: Sequence[str], where: str) -> None:
    first: dict[str, str] = {}
    for name, word in zip(raw, words, strict=True):
        other = first.setdefault(_seen(word), name)
        if other != name:
            raise BadInput(
                f"{where}: the classes {other!r} and {name!r} are both said as {word!r}; a model "
                "cannot tell them apart, so rename or join them"
            )


def _seen(word: str) -> str:
    """A name as it looks: an accent may be a character of its own, or a part of its letter."""
    return " ".join(unicodedata.normalize("NFKC", word).casefold().split())


def _of_wordnet(raw: Sequence[str], place: Path, where: str) -> tuple[str, ...]:
    """The names of WordNet's numbers: ImageNet's as they are usually said, then the makers'."""
    usual, makers = imagenet(), _told(place)
    names = [usual.get(number) or makers.get(number) or wordnet(number) for number in raw]
    lacks = [number for number, name in zip(raw, names, strict=True) if not name]
    if lacks:
        raise BadInput(
            f"{where}: nothing names {len(lacks)} of the classes, such as {lacks[0]}; put a list "
            f"({MAKERS[0]}: a number and a name a line) beside them in {place}"
        )
    return tuple(map(str, names))


@cache
def imagenet() -> dict[str, str]:
    """The names of ImageNet's 1,000 classes by number, in ImageNet's order.

    The numbers are timm's list, the names open_clip's, which published zero-shot evaluations say.
    """
    from open_clip.zero_shot_metadata import IMAGENET_CLASSNAMES

    return dict(zip(_timms("imagenet-1k").label_names(), IMAGENET_CLASSNAMES, strict=True))


def wordnet(number: str) -> str | None:
    """WordNet's first word for a number of the whole ImageNet's 21,841 classes, by timm's list.

    >>> wordnet("n00005787"), wordnet("n99999999")
    ('benthos', None)
    """
    try:
        description: str = _timms("imagenet-22k").label_name_to_description(number)
    except KeyError:
        return None
    return description.split(",")[0].strip() or None


@cache
def _timms(subset: str) -> Any:
    from timm.data.imagenet_info import ImageNetInfo

    return ImageNetInfo(subset)


def _told(place: Path) -> dict[str, str]:
    """What makers' files in a folder, or in the one above, call WordNet's numbers."""
    names: dict[str, str] = {}
    for path in (folder / name for folder in (place, place.parent) for name in MAKERS):
        if path.is_file():
            lines = content(path).decode("utf-8", errors="replace").splitlines()
            for match in filter(None, map(LINE.fullmatch, lines)):
                names.setdefault(match[1], match[2].split(",")[0].strip())
    return names


SPLITS = ("test", "validation", "val", "train")
"""Which split is taken where none is named: the first of these that is there."""
SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".ppm"})
PARTS = frozenset({*SPLITS, "valid", "training", "testing"})
"""Folders that say which part of a data set they hold, never what their pictures show."""
NAMED = 5
"""Folders that a message names."""


def folders(place: Path) -> list[Path]:
    """The folders in a folder, by name."""
    return sorted(path for path in place.iterdir() if path.is_dir() and not leftover(path.name))


def pictures(place: Path) -> list[Path]:
    """The picture files in a folder and below it, by path."""
    return [file for file in files(place, "*") if file.suffix.lower() in SUFFIXES]


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
        path.suffix.lower() in SUFFIXES and not leftover(path.name) and path.is_file()
        for path in place.iterdir()
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
    parts = {folder.name.lower(): folder for folder in inside if folder.name.lower() in PARTS}
    if split is not None:
        if split not in parts:
            there = ", ".join(folder.name for folder in inside[:NAMED]) or "no folder"
            raise BadInput(f"benchmark {name!r}: {place} has no part {split!r}; it has {there}")
        return root(name, parts[split])
    if parts and len(parts) == len(inside):
        chosen = next((folder for folder in (*SPLITS, "testing", "valid") if folder in parts), None)
        return root(name, parts[chosen] if chosen else inside[0])
    single = len(inside) == 1 and not holds_pictures(inside[0]) and not holds_pictures(place)
    return root(name, inside[0]) if single and folders(inside[0]) else place


def classes(name: str, place: Path) -> list[tuple[str, list[Path]]]:
    """Each class folder's name with its pictures.

    Raises:
        BadInput: There are none, one is empty, or they hold folders of classes themselves.
    """
    folders_of_pictures = [(folder.name, pictures(folder)) for folder in folders(place)]
    if not any(paths for _, paths in folders_of_pictures):
        raise BadInput(
            f"benchmark {name!r}: {place} should hold a folder for each class with its pictures "
            f"({', '.join(sorted(SUFFIXES))}), tar shards, idx files, or a torchvision data set"
        )
    empty = [label for label, paths in folders_of_pictures if not paths]
    if empty:
        raise BadInput(
            f"benchmark {name!r}: {_some(empty, 'class folder holds', 'class folders hold')} no "
            f"picture in {place}; a class without pictures is no question, so fill or remove it"
        )
    nested = [label for label, paths in folders_of_pictures if _nested(place / label, paths)]
    if nested:
        raise BadInput(
            f"benchmark {name!r}: {_some(nested, 'folder holds', 'folders hold')} folders of "
            f"pictures in {place}; which are the classes? Give the folder whose folders are, or a "
            "CSV file of image,label"
        )
    return folders_of_pictures


def _nested(folder: Path, paths: list[Path]) -> bool:
    """Whether a folder's pictures lie in several folders and none in itself."""
    first = {path.relative_to(folder).parts[:-1][:1] for path in paths}
    return () not in first and len(first) > 1


def _some(names: list[str], single: str, many: str) -> str:
    listed = ", ".join(names[:NAMED]) + (" …" if len(names) > NAMED else "")
    return f"{len(names)} {single if len(names) == 1 else many} ({listed})"
