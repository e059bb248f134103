"""MM-Vet v2 in its authors' layout: one file of items, a folder of pictures.

A question is text and picture names with ``<IMG>`` between them:
``What is x in the equation?<IMG>v2_0_0.png``. A truth is one text in which ``<AND>`` joins what
has to be there and ``<OR>`` what may stand instead; the judge reads these marks.

The authors' files of models' answers are read by ``evalcore.models.answers``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evalcore import files
from evalcore.benchmarks import pictures, tables
from evalcore.errors import BadInput
from evalcore.messages import excerpt, quoted
from evalcore.records import Item

BENCHMARK = "mm-vet-v2"
FILE, IMAGES = "mm-vet-v2.json", "images"
PLACE, OURS = "<IMG>", "<image>"
ENDINGS = (".jpg", ".jpeg", ".png")
CAPABILITIES = ("gen", "know", "math", "ocr", "rec", "seq", "spat")


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
    file = Path(path) / FILE if files.is_folder(Path(path)) else Path(path)
    folder = Path(images) if images else file.parent / IMAGES
    items, missing = [], []
    for name, entry in tables.json_object(file).items():
        item, gone = _item(name, entry, f"{file}, {excerpt(name)}", folder)
        missing += gone
        items.append(item)
    if not items:
        raise BadInput(f"{file}: no items; each should stand under its id, such as v2_0")
    if missing and not allow_missing_images:
        total = sum(item.question.count(OURS) for item in items)
        raise BadInput(
            f"{folder}: {len(missing)} of {total} pictures are missing, first "
            f"{missing[0].name}; give their folder with images=..., or read the questions without "
            "them with allow_missing_images=true, which is enough to judge answers"
        )
    return iter(pictures.clustered(items))


def _item(name: str, entry: object, where: str, folder: Path) -> tuple[Item, list[Path]]:
    """One item, and which of its pictures are not there."""
    if not isinstance(entry, dict):
        raise BadInput(f"{where}: it should be an object with question, answer and capability")
    question, shown = _question(_text(entry, "question", where), where)
    paths = [folder / picture for picture in shown]
    missing = [path for path in paths if files.wrong(path)]
    item = Item(
        benchmark=BENCHMARK,
        id=name,
        question=question,
        answers=(_text(entry, "answer", where),),
        images=() if missing else tuple(path.resolve() for path in paths),
        tags=_tags(entry.get("capability"), where),
    )
    return item, missing


def _text(entry: dict[str, Any], field: str, where: str) -> str:
    value = entry.get(field)
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f"{where}: {field} is {quoted(value, 60)}; it should be a text")
    return value


def _question(text: str, where: str) -> tuple[str, list[str]]:
    """The question with ``<image>`` in each place, and the pictures' names in their order."""
    pieces, names = [], []
    for piece in text.split(PLACE):
        name = piece.strip()
        if not name.lower().endswith(ENDINGS):
            pieces.append(piece)
            continue
        if "/" in name or "\\" in name or not name.isprintable():
            raise BadInput(
                f"{where}: {quoted(name, 60)} is no plain name of a picture in the folder"
            )
        pieces.append(OURS)
        names.append(name)
    if not names:
        raise BadInput(
            f"{where}: the question names no picture; it should hold {PLACE} and a file's name"
        )
    return "".join(pieces), names


def _tags(value: object, where: str) -> tuple[tuple[str, str], ...]:
    listed = isinstance(value, list) and all(isinstance(tag, str) for tag in value)
    names = sorted(set(value)) if isinstance(value, list) and listed else []
    if not names or any(name not in CAPABILITIES for name in names):
        raise BadInput(
            f"{where}: capability is {quoted(value, 60)}; it should be a list out of "
            f"{', '.join(CAPABILITIES)}"
        )
    each = tuple(("capability", name) for name in names)
    return (*each, ("integration", "+".join(names)))
