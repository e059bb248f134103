"""A run's answers or verdicts as a table: from the sealed file at once, else from the lines."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

# pyarrow ships no types.
import pyarrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from evalcore.engine.follower import damaged
from evalcore.engine.runs import Run
from evalcore.records import Prediction, Verdict

_KINDS = {
    "repeat": pyarrow.int64(), "tokens_in": pyarrow.int64(), "tokens_out": pyarrow.int64(),
    "score": pyarrow.float64(), "seconds": pyarrow.float64(), "usd": pyarrow.float64(),
}  # fmt: skip
"""Every other field of both records is text."""


def answers(run: Run, columns: Sequence[str] | None = None) -> pyarrow.Table:
    """What counts of a run's answers.

    Args:
        run: The run.
        columns: Fields of ``records.Prediction``; None takes all.

    Returns:
        One row an item that was answered or failed.
    """
    sealed = _sealed(run, "predictions", Prediction, columns)
    if sealed is not None:
        return sealed
    return _table(list(run.predictions().values()), Prediction, columns)


def verdicts(run: Run, key: str, columns: Sequence[str] | None = None) -> pyarrow.Table:
    """What counts of one judge's verdicts of one repeat (see ``runs.verdict_key``).

    Args:
        run: The run.
        key: One of ``run.judges()``.
        columns: Fields of ``records.Verdict``; None takes all.

    Returns:
        One row an item that was judged.
    """
    sealed = _sealed(run, f"verdicts/{key}", Verdict, columns)
    if sealed is not None:
        return sealed
    return _table(list(run.verdicts(key).values()), Verdict, columns)


def _sealed(
    run: Run, part: str, record: type, columns: Sequence[str] | None
) -> pyarrow.Table | None:
    """The sealed table; None where there is none, or where lines came after it.

    A field that a file of an earlier version lacks is unknown.
    """
    path: Path = run.folder / f"{part}.parquet"
    if not path.exists() or any((run.folder / part).glob("*.jsonl")):
        return None
    names = _names(record, columns)
    try:
        known = parquet.read_schema(path).names
        found = parquet.read_table(path, columns=[name for name in names if name in known])
    except (OSError, ValueError) as error:
        raise damaged(path, error) from None
    made = {
        name: compute.cast(found[name], _kind(name))
        if name in known
        else pyarrow.nulls(len(found), _kind(name))
        for name in names
    }
    return pyarrow.table(made)


def _table(
    rows: Sequence[Prediction | Verdict], record: type, columns: Sequence[str] | None
) -> pyarrow.Table:
    made = {
        name: pyarrow.array([_text(vars(row)[name]) for row in rows], _kind(name))
        for name in _names(record, columns)
    }
    return pyarrow.table(made)


def _text(value: object) -> object:
    """A value that can be written: half a surrogate pair becomes a question mark."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _names(record: type, columns: Sequence[str] | None) -> list[str]:
    return list(columns or [one.name for one in dataclasses.fields(record)])


def _kind(name: str) -> pyarrow.DataType:
    return _KINDS.get(name, pyarrow.string())
