"""VQA360 in its authors' layout: one small file a question, its tags in another beside it.

A split's folder holds ``data``, ``task_instance_classifications`` and ``images``, each with files
``{dataset}_{key}``; keys are places in the source data sets, with gaps. The answer choices that
A-OKVQA has were not shown to the models of the paper, so they are not offered by default either.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evalcore import files
from evalcore.benchmarks import pictures, tables
from evalcore.errors import BadInput
from evalcore.messages import excerpt, quoted
from evalcore.records import Item

BENCHMARK = "vqa360"
AXES = ("task_type", "application_domain", "knowledge_type")
DATA, TAGS, IMAGES = "data", "task_instance_classifications", "images"
FILE = re.compile(r"(?P<dataset>.+)_(?P<key>\d+)")
MAX_LABEL = 100_000


def load(
    path: str | Path,
    *,
    images: str | Path | None = None,
    allow_missing_images: bool = False,
    offer_choices: bool = False,
) -> Iterator[Item]:
    """Read one split.

    Args:
        path: The split's folder, in the authors' repository ``experimental_dataset/test``.
        images: The pictures' folder, if it is not ``images`` in it.
        allow_missing_images: Whether items whose picture is not there come without it, instead
            of being an error; they can be read, and asked only blind.
        offer_choices: Whether A-OKVQA's questions offer their four choices, with the right one as
            the only reference. The paper asks them as open questions.

    Returns:
        Items by data set and key, with the id ``{dataset}_{key}``, tags on the axes of the
        suite ``vqa360``, and items with the same picture in one cluster.

    Raises:
        BadInput: Something of the layout is missing or is not what it should be.
    """
    root = Path(path)
    names = _files(root)
    folder = Path(images) if images else root / IMAGES
    shown = {name: folder / f"{name}.png" for name in names}
    missing = [file for file in shown.values() if files.wrong(file)]
    if missing and not allow_missing_images:
        raise BadInput(
            f"{folder}: {len(missing)} of {len(names)} pictures are missing, first "
            f"{missing[0].name}; give their folder with images=..., or "
            "allow_missing_images=True to read the questions without them"
        )
    gone = set(missing)
    items = [
        _item(name, root, () if file in gone else (file.resolve(),), offer_choices)
        for name, file in shown.items()
    ]
    return iter(pictures.clustered(items))


def _files(root: Path) -> list[str]:
    """The names of the data files without their ending, by data set and then by key."""
    for part in (DATA, TAGS):
        if not files.is_folder(root / part):
            inner = root / "test" if files.is_folder(root / "test" / part) else None
            hint = f"give {inner}" if inner else "give the folder of one split, such as .../test"
            raise BadInput(f"{files.shown(root)}: no folder {part!r}; {hint}")
    paths = []
    for file in (root / DATA).glob("*.json"):
        parts = FILE.fullmatch(file.stem)
        if parts is None:
            raise BadInput(f"{file}: the name should be <data set>_<key>.json")
        paths.append((parts["dataset"], int(parts["key"]), file.stem))
    if not paths:
        raise BadInput(f"{root / DATA}: no .json files; there should be one a question")
    return [name for _, _, name in sorted(paths)]


def _item(name: str, root: Path, shown: tuple[Path, ...], offer_choices: bool) -> Item:
    file = root / DATA / f"{name}.json"
    data = _object(file, name)
    answers = _label(data.get("label"), file)
    choices = _texts(data.get("choices") or [], file, "choices")
    right = data.get("correct_choice")
    if offer_choices and choices:
        if right not in choices:
            raise BadInput(
                f"{file}: correct_choice {quoted(right)} is none of {excerpt(choices, 200)}"
            )
        answers = (right,)
    question = data.get("question")
    if not isinstance(question, str) or not question.strip():
        raise BadInput(f"{file}: question is {quoted(question)}; it should be a text")
    return Item(
        benchmark=BENCHMARK,
        id=name,
        question=question,
        answers=answers,
        images=shown,
        choices=choices if offer_choices else (),
        tags=_tags(root / TAGS / f"{name}.json", name),
    )


def _object(file: Path, name: str) -> dict[str, Any]:
    """A file's JSON object, which has to be about the item that the file is named after."""
    value = tables.json_object(file)
    own = f"{value.get('dataset')}_{value.get('key')}"
    if own != name:
        raise BadInput(f"{file}: it speaks of {quoted(own)}; it should be about {name!r}")
    return value


def _tags(file: Path, name: str) -> tuple[tuple[str, str], ...]:
    value = _object(file, name)
    task = value.get("task_type")
    by_axis: Mapping[str, object] = {**value, "task_type": [task] if task else []}
    tags = []
    for axis in AXES:
        names = _texts(by_axis.get(axis) or [], file, axis)
        tags += [(axis, tag.strip()) for tag in dict.fromkeys(names)]
    return tuple(tags)


def _label(label: object, file: Path) -> tuple[str, ...]:
    """Reference answers: a list, or (in A-OKVQA) a text that holds a list as Python writes it."""
    if isinstance(label, str) and len(label) <= MAX_LABEL:
        try:
            # Only literals are read; nothing in the text can be run.
            label = ast.literal_eval(label)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            label = None
    if not isinstance(label, list):
        raise BadInput(
            f"{file}: label should be a list of answers, or a text holding a Python list"
        )
    return _texts(label, file, "label")


def _texts(value: object, file: Path, field: str) -> tuple[str, ...]:
    """Texts of a list, numbers among them as written."""
    if not isinstance(value, list):
        raise BadInput(f"{file}: {field} is {quoted(value, 60)}; it should be a list of texts")
    for part in value:
        if isinstance(part, bool) or not isinstance(part, str | int | float):
            raise BadInput(f"{file}: {field} holds {quoted(part, 60)}, which is no text")
    return tuple(str(part) for part in value)
