"""MM-Vet v2 in its authors' layout: one file of items, a folder of pictures, files of answers.

A question is text and picture names with ``<IMG>`` between them:
``What is x in the equation?<IMG>v2_0_0.png``. A truth is one text in which ``<AND>`` joins what
has to be there and ``<OR>`` what may stand instead; the judge reads these marks.
"""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from evalcore.benchmarks import pictures, reading
from evalcore.errors import BadInput
from evalcore.records import Item, Prediction

BENCHMARK = "mm-vet-v2"
FILE, IMAGES = "mm-vet-v2.json", "images"
PLACE, OURS = "<IMG>", "<image>"
ENDINGS = (".jpg", ".jpeg", ".png")
CAPABILITIES = ("gen", "know", "math", "ocr", "rec", "seq", "spat")
EMPTY = "empty answer"


def load(
    path: str | Path,
    *,
    images: str | Path | None = None,
    allow_missing_images: bool = False,
) -> Iterator[Item]:
    """Read the items.

    Args:
        path: The authors' folder, or the item file ``mm-vet-v2.json`` in it.
        images: The pictures' folder, if it is not ``images`` beside the item file.
        allow_missing_images: Whether an item comes without its pictures if one of them is not
            there, instead of being an error; it can be read and judged, and asked only blind.

    Returns:
        Items in the file's order: the question with ``<image>`` for each picture, the truth as
        the one answer, a tag on the axis ``capability`` for each capability and one on
        ``integration`` for their set (``math+ocr``).

    Raises:
        BadInput: The file is not as the authors write it, or a picture is missing.
    """
    file = Path(path) / FILE if Path(path).is_dir() else Path(path)
    folder = Path(images) if images else file.parent / IMAGES
    items, missing = [], []
    for name, entry in reading.json_object(file).items():
        item, gone = _item(name, entry, f"{file}, {name}", folder)
        missing += gone
        items.append(item)
    if not items:
        raise BadInput(f"{file}: no items; each should stand under its id, such as v2_0")
    if missing and not allow_missing_images:
        total = sum(item.question.count(OURS) for item in items)
        raise BadInput(
            f"{folder}: {len(missing)} of {total} pictures are missing, first "
            f"{missing[0].name}; give their folder with images=..., or "
            "allow_missing_images=True to read the questions without them"
        )
    return iter(pictures.clustered(items))


def answers_from(path: str | Path, ids: Collection[str] | None = None) -> list[Prediction]:
    """Read a model's published answers, ``{id: text}``.

    Args:
        path: The file.
        ids: The ids of the items that should all be there, if they are known.

    Returns:
        One prediction an id, in the file's order; an empty answer has no text and an error.

    Raises:
        BadInput: The file is not as the authors write it, or its ids are not ``ids``.
    """
    file = Path(path)
    found = reading.json_object(file)
    if not found:
        raise BadInput(f"{file}: no answers; each should stand under its item's id, such as v2_0")
    for name, text in found.items():
        if not isinstance(text, str):
            raise BadInput(f"{file}, {name}: the answer is {str(text)[:60]!r}; it should be a text")
    if ids is not None:
        _covered(file, found.keys(), ids)
    return [
        Prediction(name, text) if text.strip() else Prediction(name, None, error=EMPTY)
        for name, text in found.items()
    ]


def _covered(file: Path, found: Collection[str], ids: Collection[str]) -> None:
    known, there = set(ids), set(found)
    lacking = [name for name in ids if name not in there]
    strange = [name for name in found if name not in known]
    if lacking or strange:
        first = f"{(lacking or strange)[0]!r} {'is missing' if lacking else 'is no item'}"
        raise BadInput(
            f"{file}: {len(lacking)} ids are missing and {len(strange)} are unknown, first "
            f"{first}; there should be one answer to each of the {len(known)} items"
        )


def _item(name: str, entry: object, where: str, folder: Path) -> tuple[Item, list[Path]]:
    """One item, and which of its pictures are not there."""
    if not isinstance(entry, dict):
        raise BadInput(f"{where}: it should be an object with question, answer and capability")
    question, shown = _question(_text(entry, "question", where), where)
    files = [folder / picture for picture in shown]
    missing = [file for file in files if not file.is_file()]
    item = Item(
        benchmark=BENCHMARK,
        id=name,
        question=question,
        answers=(_text(entry, "answer", where),),
        images=() if missing else tuple(file.resolve() for file in files),
        tags=_tags(entry.get("capability"), where),
    )
    return item, missing


def _text(entry: dict[str, Any], field: str, where: str) -> str:
    found = entry.get(field)
    if not isinstance(found, str) or not found.strip():
        raise BadInput(f"{where}: {field} is {str(found)[:60]!r}; it should be a text")
    return found


def _question(text: str, where: str) -> tuple[str, list[str]]:
    """The question with ``<image>`` in each place, and the pictures' names in their order."""
    pieces, names = [], []
    for piece in text.split(PLACE):
        name = piece.strip()
        if not name.lower().endswith(ENDINGS):
            pieces.append(piece)
            continue
        if "/" in name or "\\" in name or not name.isprintable():
            raise BadInput(f"{where}: {name[:60]!r} is no plain name of a picture in the folder")
        pieces.append(OURS)
        names.append(name)
    if not names:
        raise BadInput(
            f"{where}: the question names no picture; it should hold {PLACE} and a file's name"
        )
    return "".join(pieces), names


def _tags(found: object, where: str) -> tuple[tuple[str, str], ...]:
    names = sorted(set(found)) if isinstance(found, list) and found else []
    if not names or any(name not in CAPABILITIES for name in names):
        raise BadInput(
            f"{where}: capability is {str(found)[:60]!r}; it should be a list out of "
            f"{', '.join(CAPABILITIES)}"
        )
    each = tuple(("capability", name) for name in names)
    return (*each, ("integration", "+".join(names)))
