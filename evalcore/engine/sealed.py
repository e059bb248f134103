"""The final form of a run's answers or verdicts: one Parquet file a part, checked as it is read.

Each page has a checksum and each file a digest in the ledger. Columns come out with the type and
range of their field; a field that a file of an earlier version lacks is unknown.
"""

import contextlib
import io
import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

# pyarrow ships no types.
import pyarrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from evalcore import values
from evalcore.engine import recorded, seals
from evalcore.engine.lines import cannot
from evalcore.engine.seals import damaged
from evalcore.records import Prediction, Verdict

TEXT = pyarrow.string()
_KINDS = {
    "repeat": pyarrow.int64(), "tokens_in": pyarrow.int64(), "tokens_out": pyarrow.int64(),
    "score": pyarrow.float64(), "seconds": pyarrow.float64(), "usd": pyarrow.float64(),
}  # fmt: skip
"""Every other field of both records is text."""
_READ: dict[str, Callable[[object], object]] = {
    "repeat": recorded.repeat, "score": values.score, "tokens_in": values.count,
    "tokens_out": values.count, "seconds": values.amount, "usd": values.amount,
}  # fmt: skip
_OPTIONAL = frozenset({"tokens_in", "tokens_out", "seconds", "usd"})
"""Fields that are unknown where they are no number; an impossible value elsewhere is damage."""
_KNOWN = frozenset({"item", "judge", "version", "repeat"})
"""Fields that no row is without."""


def kind_of(name: str) -> pyarrow.DataType:
    """The type of a field's column."""
    return _KINDS.get(name, TEXT)


def names(record: type, columns: Sequence[str] | None) -> list[str]:
    """The fields of ``Prediction`` or ``Verdict`` that are asked for; None asks for all."""
    return list(columns or [one.name for one in fields(record)])


def read(
    folder: Path, part: str, record: type, columns: Sequence[str] | None = None
) -> pyarrow.Table:
    """A sealed part of a run.

    Args:
        folder: The run's.
        part: ``predictions`` or ``verdicts/<key>``.
        record: Whose fields the columns are.
        columns: Which of them; None reads all.

    Raises:
        EvalcoreError: The file is not what was written, or tells what cannot be.
    """
    name = f"{part}.parquet"
    data = seals.checked(folder, name)
    try:
        with parquet.ParquetFile(io.BytesIO(data), page_checksum_verification=True) as file:
            asked = names(record, columns)
            found = file.read([one for one in asked if one in file.schema_arrow.names])
        return pyarrow.table({one: _column(found, one, record) for one in asked})
    # What a library says of bytes that are no such file is of any kind.
    except Exception as error:  # noqa: BLE001
        raise damaged(folder / name, error) from None


def write(folder: Path, part: str, rows: Sequence[Prediction | Verdict], record: type) -> None:
    """Put a part of a run into its final form; what it was gathered from goes afterwards.

    Raises:
        UnicodeEncodeError: A text has half a surrogate pair.
        EvalcoreError: The disk is full; the lines stay as they are.
    """
    target = folder / f"{part}.parquet"
    aside = target.with_name(f".{target.name}.aside")
    try:
        target.parent.mkdir(exist_ok=True)
        # Without a data frame in between, which would take twice the time.
        values = {name: [vars(row)[name] for row in rows] for name in names(record, None)}
        table = {name: pyarrow.array(found, kind_of(name)) for name, found in values.items()}
        put(pyarrow.table(table), aside)
        before = [target.read_bytes()] if target.exists() else []
        for data in (*before, aside.read_bytes()):
            seals.note(folder, {f"{part}.parquet": data})
        aside.replace(target)
    except OSError as error:
        raise cannot(f"write {target}", error, "the answers are kept") from None
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
    shutil.rmtree(folder / part, ignore_errors=True)


def put(table: pyarrow.Table, path: Path) -> None:
    """Write a table with a checksum a page."""
    parquet.write_table(table, path, write_page_checksum=True)


def _column(table: pyarrow.Table, name: str, record: type) -> Any:
    """A column with the type and range of its field.

    Raises:
        Spoilt: It holds what cannot be, or is not there and has to be.
    """
    kind = kind_of(name)
    if name not in table.column_names:
        if next(one for one in fields(record) if one.name == name).default is MISSING:
            raise values.Spoilt(f"it has no column {name!r}")
        return pyarrow.nulls(len(table), kind) if name != "reason" else _blank(len(table))
    found = _text(table[name], name) if kind == TEXT else _numbers(table[name], name, kind)
    if name in _KNOWN and found.null_count:
        raise values.Spoilt(f"column {name!r} has gaps")
    return compute.fill_null(found, "") if name == "reason" else found


def _blank(rows: int) -> Any:
    return pyarrow.repeat(pyarrow.scalar("", TEXT), rows)


def _text(found: Any, name: str) -> Any:
    kind = found.type.value_type if pyarrow.types.is_dictionary(found.type) else found.type
    checks = (pyarrow.types.is_string, pyarrow.types.is_large_string, pyarrow.types.is_null)
    if not any(check(kind) for check in checks):
        raise values.Spoilt(f"column {name!r} is no text")
    return compute.cast(found, TEXT)


def _numbers(found: Any, name: str, kind: pyarrow.DataType) -> Any:
    """The numbers of a column; one of ``_READ`` that is none is unknown."""
    if found.type != kind:  # of another writer or an earlier version, one by one
        read_one = _READ[name]
        return pyarrow.chunked_array([pyarrow.array(map(read_one, found.to_pylist()), kind)])
    bounds = {"score": 1.0, "repeat": recorded.MOST_REPEATS}
    most = bounds.get(name, values.MOST if kind == pyarrow.int64() else math.inf)
    good = compute.and_(compute.greater_equal(found, 0), compute.less_equal(found, most))
    if name in _OPTIONAL:
        whole = good if kind == pyarrow.int64() else compute.and_(good, compute.is_finite(found))
        return compute.if_else(whole, found, pyarrow.scalar(None, kind))
    if compute.all(good).as_py() is False:  # None: there is nothing but gaps
        raise values.Spoilt(f"column {name!r} holds what cannot be")
    return found
