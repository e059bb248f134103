"""Files that people write: text, JSON, and the rows of JSONL, CSV or Parquet, in bounded time and
memory, with errors that say where.

A small file can hold much: Parquet repeats one cell a million times in a few bytes, and a line of
brackets becomes a list each. What is beyond these limits is told in a sentence.
"""

import contextlib
import csv
import io
import json
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from evalcore import files
from evalcore.errors import BadInput
from evalcore.messages import excerpt, quoted

Row = tuple[int, Mapping[str, object]]
ENDINGS = (".jsonl", ".csv", ".parquet")
MOST_ROWS = 1_000_000
MOST_COLUMNS = 1_000
MOST_VALUES = 10_000_000
"""Values of a whole file of text, or of a column of one group of rows in Parquet."""
MOST_PARQUET = 8_000_000_000
"""Bytes of a Parquet file, most of them pictures; they are read one after the other."""
AT_A_TIME = 256
ROOM = 256_000_000
"""Bytes that rows read at a time may take."""
MOST_PICTURES, MOST_WORDS = 16_000_000_000, 500_000_000
"""Bytes of a Parquet file unpacked: its pictures, and all else."""
_limit = threading.Lock()


@dataclass(frozen=True)
class Opened:
    """A table of which the columns are known and the rows are still to be read."""

    columns: list[str]
    """Names in their order."""
    rows: Callable[[Collection[str]], Iterator[Row]]
    """The rows with their numbers, cells as they are written; at least with these columns."""


def opened(file: Path) -> Opened:
    """Open a table.

    Raises:
        BadInput: It cannot be read, is too large, has no rows, or one of them is broken; some of
            this only while its rows are read.
    """
    if file.suffix.lower() not in ENDINGS:
        raise BadInput(
            f"{files.shown(file)}: the ending {quoted(file.suffix)} is unknown; questions come as "
            f"{', '.join(ENDINGS)}"
        )
    table = dict(zip(ENDINGS, (_jsonl, _csv, _parquet), strict=True))[file.suffix.lower()](file)
    if len(table.columns) > MOST_COLUMNS:
        raise BadInput(
            f"{files.shown(file)}: it has {len(table.columns):,} columns; at most "
            f"{MOST_COLUMNS:,} are read"
        )
    return table


def _text(file: Path) -> str:
    written = whole_text(file)
    if written.count(",") + written.count("[") + written.count("{") > MOST_VALUES:
        raise BadInput(f"{file}: it holds more than {MOST_VALUES:,} values; split it")
    if written.count("\n") > MOST_ROWS:
        raise BadInput(f"{file}: it has more than {MOST_ROWS:,} rows; split it")
    return written


def _jsonl(file: Path) -> Opened:
    rows = list(_objects(file))
    if not rows:
        raise _empty(file)
    there = list(dict.fromkeys(chain.from_iterable(row for _, row in rows)))
    return Opened(there, lambda wanted: iter(rows))


def _objects(file: Path) -> Iterator[Row]:
    """Numbers keep their spelling: 0.50 is an answer of its own beside 0.5."""
    for number, line in enumerate(_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_int=str, parse_float=str, object_pairs_hook=once)
        except (ValueError, RecursionError) as error:
            raise BadInput(
                f"{file}, row {number}: no JSON ({excerpt(error, 100)}); write one object a line"
            ) from None
        if not isinstance(row, dict):
            raise BadInput(
                f"{file}, row {number}: {quoted(line.strip())} is no object; "
                'write {"id": ..., "question": ...}'
            )
        yield number, row


def _csv(file: Path) -> Opened:
    """Cells stay text: an answer "None" or "NA" is an answer."""
    text = _text(file)
    first = text.partition("\n")[0]
    # Where the comma is the sign of decimals, spreadsheets part cells by semicolons.
    sign = next((mark for mark in (",", ";", "\t") if mark in first), ",")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=sign)
    try:
        with _long_cells():
            header = _header(next(reader, []), file)
            rows = list(_cells(reader, header, file))
    except csv.Error as error:
        where = f"{file}, after row {reader.line_num}"
        raise BadInput(f"{where}: broken CSV ({excerpt(error, 100)})") from None
    if not rows:
        raise _empty(file)
    return Opened(header, lambda wanted: iter(rows))


@contextlib.contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be long: a picture has more letters than the usual 131,072."""
    with _limit:  # which is the whole process's
        before = csv.field_size_limit(files.MOST_TEXT)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _header(cells: Sequence[str], file: Path) -> list[str]:
    header = [cell.strip() for cell in cells]
    if not any(header):
        raise _empty(file)
    if twice := [cell for cell, count in Counter(header).items() if count > 1]:
        raise BadInput(f"{file}, row 1: two columns are called {quoted(twice[0])}; rename one")
    return header


def _cells(reader: Any, header: list[str], file: Path) -> Iterator[Row]:
    for cells in reader:
        if not cells:
            continue
        if len(cells) != len(header):
            raise BadInput(
                f"{file}, row {reader.line_num}: {len(cells)} cells; there should be "
                f'{len(header)}, as in the header; put "quotes" around a cell with commas'
            )
        yield reader.line_num, dict(zip(header, cells, strict=True))


def _parquet(file: Path) -> Opened:
    """The first row is row 1; null is an empty cell."""
    files.opened(file, MOST_PARQUET).close()
    try:
        whole = parquet.ParquetFile(file, buffer_size=1_000_000)
        _check(whole, file)
        lists = _lists(whole)
        if lists:  # each repeated text once, as it stands in the file
            whole = parquet.ParquetFile(file, buffer_size=1_000_000, read_dictionary=lists)
    except _NO_PARQUET as error:
        raise _no_parquet(file, error) from None
    return Opened(list(whole.schema_arrow.names), lambda wanted: _unpacked(whole, wanted, file))


# pyarrow.ArrowInvalid is a ValueError, ArrowMemoryError a MemoryError.
_NO_PARQUET = (arrow.ArrowException, ValueError, OSError, MemoryError, OverflowError)


def _no_parquet(file: Path, error: Exception) -> BadInput:
    return BadInput(f"{file}: no whole Parquet file ({excerpt(error, 200)})")


def check_parquet(file: Path) -> None:
    """Refuse a file that holds more than it seems to.

    Raises:
        BadInput: It is too large, packed or unpacked, or no whole Parquet file.
    """
    files.opened(file, MOST_PARQUET).close()
    try:
        _check(parquet.ParquetFile(file), file)
    except _NO_PARQUET as error:
        raise _no_parquet(file, error) from None


def _check(whole: parquet.ParquetFile, file: Path) -> None:
    about = whole.metadata
    if about.num_rows == 0:
        raise _empty(file)
    groups = [about.row_group(number) for number in range(about.num_row_groups)]
    columns = [group.column(at) for group in groups for at in range(group.num_columns)]
    most = max((column.num_values for column in columns), default=0)
    unpacked = sum(column.total_uncompressed_size for column in columns)
    counts = (
        ("rows", about.num_rows, MOST_ROWS),
        ("values in a column", most, MOST_VALUES),
        ("bytes unpacked", unpacked, MOST_PICTURES),
    )
    for what, count, limit in counts:
        if count > limit:
            raise BadInput(f"{file}: it has {count:,} {what}; at most {limit:,} are read")


def _lists(whole: parquet.ParquetFile) -> list[str]:
    """The columns of text inside lists, of which one row can hold any number."""
    columns = [whole.schema.column(at) for at in range(len(whole.schema))]
    return [
        column.path
        for column in columns
        if column.max_repetition_level and column.physical_type == "BYTE_ARRAY"
    ]


def _unpacked(whole: parquet.ParquetFile, wanted: Collection[str], file: Path) -> Iterator[Row]:
    columns = [name for name in whole.schema_arrow.names if name in wanted]
    held = {"pictures": 0, "words": 0}
    try:
        batches = whole.iter_batches(batch_size=fitting(whole), columns=columns)
        number = 0
        for part in chain.from_iterable(map(_parts, batches)):
            for name, column in zip(part.schema.names, part.columns, strict=True):
                kind = "pictures" if "binary" in str(column.type) else "words"
                held[kind] += _size(column)
                _within(held, f"{file}, row {number + 1}, column {quoted(name)}")
            for row in part.to_pylist():
                number += 1
                yield number, row
    except _NO_PARQUET as error:
        raise _no_parquet(file, error) from None


def _parts(batch: arrow.RecordBatch) -> Iterator[arrow.RecordBatch]:
    """Some rows as they are, or one by one where lists make them large."""
    if sum(map(_size, batch.columns)) <= ROOM:
        yield batch
        return
    for at in range(batch.num_rows):
        row = batch.slice(at, 1)
        if sum(map(_size, row.columns)) > ROOM:
            raise ValueError(f"one row unpacks to more than {ROOM:,} bytes")
        yield row


def _within(held: Mapping[str, int], where: str) -> None:
    for kind, limit in (("pictures", MOST_PICTURES), ("words", MOST_WORDS)):
        if held[kind] > limit:
            raise BadInput(
                f"{where}: the file unpacks to more than {limit:,} bytes of {kind}; it repeats "
                "long cells, so shorten or split it"
            )


def fitting(whole: parquet.ParquetFile) -> int:
    """How many rows fit into memory, should each repeat the longest cell that there can be."""
    about = whole.metadata
    sizes = (
        about.row_group(group).column(at).total_uncompressed_size
        for group in range(about.num_row_groups)
        for at in range(about.row_group(group).num_columns)
    )
    longest: int = max(sizes, default=0)
    return min(AT_A_TIME, max(1, ROOM // max(1, longest)))


def _size(column: arrow.Array) -> int:
    """Bytes that a column takes when every repeated text is written out."""
    if isinstance(column, arrow.DictionaryArray):
        lengths = compute.binary_length(column.dictionary)
        total = compute.sum(lengths.take(column.indices)).as_py()
        return int(total or 0)
    if isinstance(column, arrow.StructArray):
        return sum(map(_size, column.flatten()))
    if isinstance(column, arrow.ListArray | arrow.LargeListArray):
        return int(_size(column.flatten())) + 8 * len(column)
    return int(column.nbytes)


def _empty(file: Path) -> BadInput:
    return BadInput(f"{file}: no rows; give at least one question")


def whole_text(file: Path) -> str:
    """A whole UTF-8 file, with or without a byte order mark.

    Raises:
        BadInput: It is not there, no ordinary file, too large, cannot be read or is not UTF-8.
    """
    content = files.content(file)
    try:
        written = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{file}, row {row}: this is no UTF-8; save the file as UTF-8") from None
    if "\0" in written:
        row = written.count("\n", 0, written.index("\0")) + 1
        raise BadInput(
            f"{file}, row {row}: it holds a zero byte, so this is no UTF-8; save the file as UTF-8"
        )
    return written


def json_file(file: Path) -> Any:
    """What a JSON file holds; fractions stay as they are written.

    Raises:
        BadInput: It is not there or no JSON, or a name stands twice in an object.
    """
    try:
        return json.loads(whole_text(file), parse_float=str, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"{file}: no JSON ({excerpt(error, 100)}); it should hold one JSON object"
        ) from None


def json_object(file: Path) -> dict[str, Any]:
    """The one JSON object that a file holds; fractions stay as they are written.

    Raises:
        BadInput: It is not there or holds anything else, or a name stands twice in an object.
    """
    value = json_file(file)
    if not isinstance(value, dict):
        raise BadInput(f"{file}: it holds {quoted(value)}; it should hold one JSON object")
    return value


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of pairs; of a name that stands twice Python would keep the last in silence.

    Raises:
        ValueError: One does.
    """
    whole = dict(pairs)
    if len(whole) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise ValueError(f"{quoted(twice)} stands twice")
    return whole
