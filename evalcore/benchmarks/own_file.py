"""Questions of one's own: a JSONL, CSV or Parquet file, or a folder with one and its pictures.

The columns are documented in ``evalcore.benchmarks.rows``; other names are mapped onto them.
Columns beyond these are passed over. A file is taken whole or not at all.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

# pyarrow ships no types.
import pyarrow.parquet as parquet

from evalcore.benchmarks import cells, reading, rows
from evalcore.errors import BadInput
from evalcore.records import Item

ENDINGS = (".jsonl", ".csv", ".parquet")


def load(
    path: str | Path,
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    allow_outside: bool = False,
    answers_are: rows.AnswersAre = "text",
) -> Iterator[Item]:
    """Read questions of one's own.

    Args:
        path: The file, or a folder that holds one such file (or several, one of which is called
            ``questions``) and the pictures.
        name: The benchmark's name; by default the file's, or the folder's for ``questions``.
        columns: Field to column, where the names differ: ``{"answers": "label"}``.
        allow_outside: Whether pictures may lie outside the file's folder.
        answers_are: Whether answers are written out, or letters or indices of choices.

    Returns:
        The items in the file's order. Where there is no ``cluster`` column, items that show the
        same picture form a cluster. Whether pictures can be opened is for ``sampling.check``.

    Raises:
        BadInput: The file cannot be read or a row is wrong; the message names file and row.
    """
    file = _questions_file(Path(path))
    found = rows_of(file)
    there = list(dict.fromkeys(chain.from_iterable(row for _, row in found)))
    table = rows.Table(
        benchmark=cells.name(name or _own_name(file), str(file), "name"),
        columns=rows.match(there, columns, str(file)),
        folder=file.parent,
        allow_outside=allow_outside,
        answers_are=answers_are,
    )
    return iter(rows.items(found, table, str(file)))


def _questions_file(path: Path) -> Path:
    if not path.is_dir():
        if not path.is_file():
            raise BadInput(f"{path}: there is no such file or folder")
        return path
    found = sorted(file for file in path.iterdir() if file.suffix.lower() in ENDINGS)
    found = [file for file in found if file.stem == "questions"] or found
    if len(found) != 1:
        names = ", ".join(file.name for file in found) or "none"
        raise BadInput(
            f"{path}: the folder should hold one file of questions ({', '.join(ENDINGS)}); "
            f"it holds {names}"
        )
    return found[0]


def _own_name(file: Path) -> str:
    return file.parent.resolve().name if file.stem == "questions" else file.stem


def rows_of(file: Path) -> list[rows.Row]:
    """The rows of a JSONL, CSV or Parquet file with their numbers, cells as they are written.

    Raises:
        BadInput: The file cannot be read, holds no rows, or one of them is broken.
    """
    readers = {".jsonl": _jsonl, ".csv": _csv, ".parquet": _parquet}
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise BadInput(
            f"{file}: the ending {file.suffix!r} is unknown; questions come as {', '.join(ENDINGS)}"
        )
    found = list(reader(file))
    if not found:
        raise BadInput(f"{file}: no rows; give at least one question")
    return found


def _jsonl(file: Path) -> Iterator[rows.Row]:
    """Numbers keep their spelling: 0.50 is an answer of its own beside 0.5."""
    for number, line in enumerate(reading.text(file).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_int=str, parse_float=str)
        except (ValueError, RecursionError) as error:
            raise BadInput(
                f"{file}, row {number}: no JSON ({error}); write one object a line"
            ) from None
        if not isinstance(row, dict):
            raise BadInput(
                f"{file}, row {number}: {line.strip()[:40]!r} is no object; "
                'write {"id": ..., "question": ...}'
            )
        yield number, row


def _csv(file: Path) -> Iterator[rows.Row]:
    """Cells stay text: an answer "None" or "NA" is an answer."""
    reader = csv.reader(io.StringIO(reading.text(file), newline=""), strict=True)
    try:
        header = _header(next(reader, []), file)
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise BadInput(
                    f"{file}, row {reader.line_num}: {len(cells)} cells; there should be "
                    f'{len(header)}, as in the header; put "quotes" around a cell with commas'
                )
            yield reader.line_num, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise BadInput(f"{file}, after row {reader.line_num}: broken CSV ({error})") from None


def _header(cells: Iterable[str], file: Path) -> list[str]:
    header = [cell.strip() for cell in cells]
    if twice := [cell for place, cell in enumerate(header) if cell in header[:place]]:
        raise BadInput(f"{file}, row 1: two columns are called {twice[0]!r}; rename one")
    return header


def _parquet(file: Path) -> Iterator[rows.Row]:
    """The first row is row 1; null is an empty cell."""
    try:
        opened = parquet.ParquetFile(file)
        batches = opened.iter_batches(batch_size=256)
        found = chain.from_iterable(batch.to_pylist() for batch in batches)
        yield from enumerate(found, start=1)
    except (ValueError, OSError) as error:  # pyarrow.ArrowInvalid is a ValueError
        raise BadInput(f"{file}: no whole Parquet file ({error})") from None
