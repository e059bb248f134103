"""Runs → rows of the item-level tables, in bulk: columns go from sealed files to the store."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import pyarrow
import pyarrow.compute as compute

from evalcore.engine import run_records
from evalcore.records import Item, Prediction
from evalcore.store import zeroshot
from evalcore.store.judged_runs import JudgedRun

VERDICT = (
    "judge", "version", "item", "repeat", "score", "extracted", "reason", "reply", "seconds", "usd",
)  # fmt: skip
TEXT = pyarrow.string()
INSERT = {
    "item": "INSERT INTO item BY NAME FROM arriving",
    "item_tag": "INSERT INTO item_tag BY NAME FROM arriving",
    "item_asked": "INSERT INTO item_asked BY NAME FROM arriving",
    "item_run": "INSERT INTO item_run BY NAME FROM arriving",
    "prediction": "INSERT INTO prediction BY NAME FROM arriving",
    "verdict": "INSERT INTO verdict BY NAME FROM arriving",
}
"""Table → the statement that takes a registered table's rows."""
Names = dict[str, str]
"""An item's id in a run → its name in the store, where they differ."""


def frames(judged: Sequence[JudgedRun]) -> Iterator[tuple[str, pyarrow.Table]]:
    """Yield (table, rows to add) of every run, also of those whose scores do not count.

    Args:
        judged: As from ``graded.everything``, the oldest first.
    """
    names, asked = _Names(), {}
    for graded in reversed(judged):  # the newest run's question has the plain name
        key = (graded.run.settings.benchmark, str(graded.run.about["revision"]))
        if key not in asked:
            asked[key] = names.of(key[0], graded.items)
            yield from names.rows()
            stored = list(dict.fromkeys(asked[key].get(item.id, item.id) for item in graded.items))
            yield "item_asked", _columns(stored, benchmark=key[0], revision=key[1], item=stored)
    for graded in judged:
        yield "item_run", pyarrow.Table.from_pylist([_entry(graded)])
    seen = set()
    for graded in judged:
        run = graded.run
        renamed = asked[run.settings.benchmark, str(run.about["revision"])]
        if run.id not in seen:
            seen.add(run.id)
            columns = [field.name for field in fields(Prediction)]
            yield "prediction", _stored(run_records.answers(run, columns), renamed, run=run.id)
        for part in graded.keys:
            table = run_records.verdicts(run, part, VERDICT)
            ours = compute.and_(
                compute.equal(table["judge"], graded.named),
                compute.equal(table["version"], graded.version),
            )
            answered = compute.is_in(table["item"], pyarrow.array([*graded.answered], TEXT))
            table = table.filter(compute.and_(ours, answered))
            yield "verdict", _stored(table, renamed, run=run.id, metric=graded.metric)


def digest(item: Item) -> str:
    """What tells two questions with one id apart; pictures count by their number.

    >>> digest(Item("b", "1", "Red?", ("yes",))) == digest(Item("b", "2", "Red?", ("yes",)))
    True
    """
    content = (item.question, item.answers, item.choices, len(item.images))
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:12]


class _Names:
    """The items that were named so far: (benchmark, id) → digest → name."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], dict[str, str]] = {}
        self._new: list[tuple[str, str, Item]] = []

    def of(self, benchmark: str, items: Sequence[Item]) -> Names:
        """Name a benchmark's items; gives those whose name is not their id."""
        renamed = {}
        for item in items:
            mark = digest(item)
            known = self._known.setdefault((benchmark, item.id), {})
            if mark not in known:
                known[mark] = f"{item.id}@{mark}" if known else item.id
                self._new.append((known[mark], mark, replace(item, benchmark=benchmark)))
            if known[mark] != item.id:
                renamed[item.id] = known[mark]
        return renamed

    def rows(self) -> Iterator[tuple[str, pyarrow.Table]]:
        """Yield the rows of the items that were named since the last call."""
        new, self._new = self._new, []
        if not new:
            return
        yield (
            "item",
            pyarrow.table(
                {
                    "benchmark": [item.benchmark for _, _, item in new],
                    "item": [_text(name) for name, _, _ in new],
                    "digest": [mark for _, mark, _ in new],
                    "question": [_text(item.question) for _, _, item in new],
                    "answers": [json.dumps(item.answers) for _, _, item in new],
                    "choices": [json.dumps(item.choices) for _, _, item in new],
                    "images": [json.dumps([*map(str, item.images)]) for _, _, item in new],
                    "cluster": [_text(item.cluster or name) for name, _, item in new],
                }
            ),
        )
        tags = [
            (item.benchmark, name, *pair)
            for name, _, item in new
            for pair in dict.fromkeys(item.tags)
        ]
        if tags:
            columns = ("benchmark", "item", "axis", "tag")
            values = [[*map(_text, column)] for column in zip(*tags, strict=True)]
            yield "item_tag", pyarrow.table(dict(zip(columns, values, strict=True)))


def _entry(graded: JudgedRun) -> dict[str, Any]:
    settings, about = graded.run.settings, graded.run.about
    return {
        "run": graded.run.id,
        "metric": graded.metric,
        "model": settings.model,
        "benchmark": settings.benchmark,
        "judge": graded.named,
        "version": graded.version,
        "repeats": max(graded.repeats.values(), default=0),
        "n_items": len(graded.items),
        "n_scored": len(graded.scores),
        "created": str(about["created"]),
        "revision": str(about["revision"]),
        "settings": json.dumps(
            {**settings.options, "limit": settings.limit, "seed": settings.seed}, default=str
        ),
        "demo": graded.run.shipped,
        "contrastive": zeroshot.is_one(graded),
    }


def _stored(table: pyarrow.Table, renamed: Names, **same: str) -> pyarrow.Table:
    """The table with its items by their names in the store, and columns of one value each."""
    if renamed:
        items = [renamed.get(item, item) for item in table["item"].to_pylist()]
        at = table.column_names.index("item")
        table = table.set_column(at, "item", pyarrow.array(items, TEXT))
    for name, value in same.items():
        table = table.append_column(name, pyarrow.repeat(pyarrow.scalar(value), len(table)))
    return table


def _columns(rows: Sequence[str], **columns: str | list[str]) -> pyarrow.Table:
    columns_ = {
        name: [value] * len(rows) if isinstance(value, str) else [*map(_text, value)]
        for name, value in columns.items()
    }
    return pyarrow.table(columns_)


def _text(value: str) -> str:
    """Text that can be written: half a surrogate pair becomes a question mark."""
    return value.encode("utf-8", "replace").decode()
