"""A run's answers or verdicts as a table: from the sealed file at once, else from the lines."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

# pyarrow ships no types.
import pyarrow
import pyarrow.compute as compute

from evalcore.engine import judged, sealed
from evalcore.engine.runs import Run
from evalcore.records import Prediction, Verdict


def answers(run: Run, columns: Sequence[str] | None = None) -> pyarrow.Table:
    """What counts of a run's answers.

    Args:
        run: The run.
        columns: Fields of ``records.Prediction``; None takes all.

    Returns:
        One row an item that was answered or failed.

    Raises:
        EvalcoreError: A file is damaged.
    """
    if _only_sealed(run, "predictions"):
        found = sealed.read(run.folder, "predictions", Prediction, columns)
        if "item" not in found.column_names or _distinct(found):
            return found
    return _table(list(run.predictions().values()), Prediction, columns)


def verdicts(run: Run, key: str, columns: Sequence[str] | None = None) -> pyarrow.Table:
    """One judge's verdicts of one repeat (see ``runs.verdict_key``) on the answers there are now.

    Args:
        run: The run.
        key: One of ``run.judges()``.
        columns: Fields of ``records.Verdict``; None takes all.

    Returns:
        One row an item that was judged.

    Raises:
        EvalcoreError: A file is damaged.
    """
    if _only_sealed(run, f"verdicts/{key}"):
        asked = sealed.names(Verdict, columns)
        more = [name for name in ("item", "answer") if name not in asked]
        found = sealed.read(run.folder, f"verdicts/{key}", Verdict, [*asked, *more])
        found = _on_answers(found, _marks(run))
        if _distinct(found):
            return found.select(asked)
    return _table(list(run.verdicts(key).values()), Verdict, columns)


def stale(run: Run, key: str) -> int:
    """How many items have only verdicts of this key on answers that are gone or others."""
    if _only_sealed(run, f"verdicts/{key}"):
        found = sealed.read(run.folder, f"verdicts/{key}", Verdict, ("item", "answer"))
        items = found["item"].to_pylist()
        marks = zip(items, found["answer"].to_pylist(), strict=True)
        counting = set(_on_answers(found, _marks(run))["item"].to_pylist())
    else:
        held = run.follow_verdicts(key).now().values()
        marks = zip([one.item for one in held], [one.answer for one in held], strict=True)
        counting = set(run.verdicts(key))
    return len({item for item, answer in marks if answer != judged.GONE} - counting)


def _only_sealed(run: Run, part: str) -> bool:
    """Whether a part has its final form and no lines came after it."""
    return run.sealed(part) and not any((run.folder / part).glob("*.jsonl"))


def _distinct(table: pyarrow.Table) -> bool:
    """Whether no item has a second row, which nobody of ours writes."""
    return bool(compute.count_distinct(table["item"]).as_py() == len(table))


def _on_answers(table: pyarrow.Table, marks: Mapping[str, str | None]) -> pyarrow.Table:
    """The rows that count, as ``judged.counting`` has it."""
    items, named = table["item"].to_pylist(), table["answer"].to_pylist()
    if not any(one is not None for one in named):  # of a version before 0.6
        return table.filter(pyarrow.array([item in marks for item in items], pyarrow.bool_()))
    renewed = {item for item, answer in zip(items, named, strict=True) if answer is not None}
    counts = [
        marks.get(item) == answer if answer is not None else item in marks and item not in renewed
        for item, answer in zip(items, named, strict=True)
    ]
    return table.filter(pyarrow.array(counts, pyarrow.bool_()))


def _marks(run: Run) -> dict[str, str | None]:
    """Item → the mark of its answer; None for one that failed."""
    folder = run.folder / "predictions"
    files = [*folder.glob("*.jsonl"), *run.folder.glob("predictions.parquet")]
    stats = [(path, path.stat()) for path in sorted(files)]
    return _known_marks(
        run, tuple((str(path), stat.st_size, stat.st_mtime_ns) for path, stat in stats)
    )


@lru_cache(maxsize=2)
def _known_marks(run: Run, stamp: tuple[tuple[str, int, int], ...]) -> dict[str, str | None]:
    """The same; several parts of a run ask one after the other."""
    found = answers(run, ("item", "text"))
    pairs = zip(found["item"].to_pylist(), found["text"].to_pylist(), strict=True)
    return {item: None if text is None else judged.mark(text) for item, text in pairs}


def _table(
    rows: Sequence[Prediction | Verdict], record: type, columns: Sequence[str] | None
) -> pyarrow.Table:
    made = {
        name: pyarrow.array([_text(vars(row)[name]) for row in rows], sealed.kind_of(name))
        for name in sealed.names(record, columns)
    }
    return pyarrow.table(made)


def _text(value: object) -> object:
    """A value that can be written: half a surrogate pair becomes a question mark."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
