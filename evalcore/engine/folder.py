"""What stands in a run's folder from its first moment: ``run.json`` and ``items.jsonl``, typed."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from evalcore import files, values
from evalcore.engine import lines, sealed
from evalcore.engine.sealed import damaged
from evalcore.errors import BadInput, EvalcoreError
from evalcore.pictures import MOST_BYTES
from evalcore.records import TOTAL, Item

ABOUT, ITEMS = "run.json", "items.jsonl"


def read_about(folder: Path) -> dict[str, Any]:
    """What ``run.json`` tells: ``settings`` as ``runs.Settings`` takes them, and provenance.

    Raises:
        EvalcoreError: It cannot be read, is not what was written, or lacks what a run has.
    """
    try:
        data = sealed.checked(folder, ABOUT)
        about = json.loads(data)
        checked_fields = {name: _field(about, name, check) for name, check in _ABOUT.items()}
        settings = about["settings"]
        checked_fields["settings"] = {
            name: _field(settings, name, check) for name, check in _SETTINGS.items()
        }
        if foreign := settings.keys() - _SETTINGS.keys():
            raise values.Spoilt(f"no setting is called {min(foreign)!r}")
        if about.get("layout") == sealed.LAYOUT and not (folder / sealed.FILE).exists():
            raise values.Spoilt(f"its {sealed.FILE} is missing")
    except (EvalcoreError, ValueError, TypeError, KeyError, RecursionError) as error:
        if isinstance(error, EvalcoreError) and files.there(folder / ABOUT):
            raise  # it names the file and what to do
        raise EvalcoreError(
            f"{folder} is no run folder ({error}); a run is made by 'python -m evalcore run'"
        ) from None
    return {**about, **checked_fields}


def read_items(folder: Path, number: int) -> list[Item]:
    """A run's items in order; a picture without a whole path lies in the run's folder.

    Args:
        folder: The run's.
        number: How many it has.

    Raises:
        EvalcoreError: Some cannot be read, or they are not what was written.
    """
    path = folder / ITEMS
    data = sealed.checked(folder, ITEMS)
    rows = [lines.row(line, path) for line in data.split(b"\n") if line]
    try:
        items = [_item(row, folder) for row in rows if row is not None]
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(path, error) from None
    if len(items) != number:
        raise EvalcoreError(
            f"{path} has {len(items):,} items, the run {number:,}: the file is damaged; run the"
            " model anew and move this folder away"
        )
    if len({item.id for item in items}) < number:
        raise damaged(path, "two items have one id")
    if any(tag == TOTAL for item in items for _, tag in item.tags):
        raise EvalcoreError(
            f"{path}: a tag is called {TOTAL!r}, as is the score over all questions; call the tag"
            " something else and run the model anew"
        )
    return items


def _field(fields: Any, name: str, check: Callable[[object], object]) -> object:
    """One field of a description.

    Raises:
        Spoilt: It is not there, or not of its type.
    """
    if not isinstance(fields, Mapping):
        raise values.Spoilt("it tells nothing")
    try:
        return check(fields[name])
    except KeyError:
        raise values.Spoilt(f"it tells no {name!r}") from None
    except values.Spoilt as error:
        raise values.Spoilt(f"{name!r}: {error}") from None


def _name(value: object) -> str:
    if not values.text(value):
        raise values.Spoilt("it is empty")
    return values.text(value)


def _names(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise values.Spoilt(f"{value!r:.40} are no names with values")
    return value


def _number(value: object) -> int:
    """A whole number that the store can hold."""
    known = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= values.MOST
    if not known:
        raise values.Spoilt(f"{value!r:.40} is no whole number")
    return value  # type: ignore[return-value]


def _maybe_number(value: object) -> int | None:
    return None if value is None else _number(value)


def _items(value: object) -> int:
    number = values.count(value)
    if number is None:
        raise values.Spoilt(f"{value!r:.40} is no number of items")
    return number


_SETTINGS: dict[str, Callable[[object], object]] = {
    "model": _name, "adapter": _name, "benchmark": _name, "loader": values.text,
    "options": _names, "loader_options": _names, "limit": _maybe_number, "seed": _number,
}  # fmt: skip
_ABOUT: dict[str, Callable[[object], object]] = {
    "created": values.text, "code": values.text, "device": values.text, "revision": values.text,
    "items": _items,
}  # fmt: skip


def _item(row: dict[str, Any], folder: Path) -> Item:
    lists = {
        "answers": _texts(row["answers"]),
        "choices": _texts(row.get("choices", [])),
        "images": tuple(folder / path for path in _texts(row.get("images", []))),
        "tags": tuple(_tag(pair) for pair in row.get("tags", [])),
    }
    item = Item(**{**row, **lists})
    _name(item.id)
    values.text(item.question)
    _name(item.benchmark)
    if item.cluster is not None:
        values.text(item.cluster)
    return item


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise values.Spoilt(f"{value!r:.40} is no list")
    return tuple(values.text(part) for part in value)


def _tag(pair: object) -> tuple[str, str]:
    axis, tag = _texts(pair)
    return axis, tag


def revision(items: Iterable[Item]) -> str:
    """A hash of ids, questions, answers, choices, tags and the pictures' bytes.

    Raises:
        BadInput: A picture cannot be read.
    """
    digest = hashlib.sha256()
    for item in items:
        fields = (item.id, item.question, item.answers, item.choices, item.tags)
        digest.update(canonical(fields).encode())
        for path in item.images:
            try:
                digest.update(files.content(path, MOST_BYTES))
            except BadInput as error:
                raise BadInput(
                    f"a picture of item {item.id!r} cannot be read ({error}); put it there, or run "
                    "the model anew with the benchmark where it is now"
                ) from None
    return digest.hexdigest()[:12]


def canonical(value: Any) -> str:
    """JSON in one spelling; ASCII, so that any name of a file or model can be written."""
    return json.dumps(value, sort_keys=True, default=str)
