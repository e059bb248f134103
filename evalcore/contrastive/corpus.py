"""How often captions name digits, in words and in figures: Figure 11 of UniBench for any corpus."""

import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow
import pyarrow.parquet as parquet

from evalcore import files
from evalcore.benchmarks import tables
from evalcore.contrastive.digits import NUMBERS
from evalcore.errors import BadInput
from evalcore.quoting import bit, names

WORDS = NUMBERS[:10]
LONGEST = 1_000_000
"""Characters of a line that are one caption."""
COLUMNS = ("caption", "text", "TEXT", "title", "prompt")
"""Columns that are looked for, in this order, where none is named."""
_WORD = re.compile(rf"\b({'|'.join(WORDS)})\b", re.IGNORECASE)
_FIGURE = re.compile(r"(?<![\d.,])(\d)(?![\d]|[.,]\d)", re.ASCII)
"""A figure that stands alone: the 3 of "3 cats", not that of "30", "3.5" or "1,300"."""


def count(path: Path, column: str | None = None) -> tuple[pd.DataFrame, int]:
    """Count the captions that name each digit; a corpus of any size is read piece by piece.

    Args:
        path: Text with a caption a line, CSV, TSV (each also as .gz), or Parquet.
        column: Of a table; None takes the first of ``COLUMNS`` that is there.

    Returns:
        digit, word, captions_with_word and captions_with_figure; and how many captions there are.

    Raises:
        BadInput: The file cannot be read, or has no such column.
    """
    words: Counter[str] = Counter()
    figures: Counter[str] = Counter()
    total = 0
    files.opened(path).close()
    try:
        for caption in _captions(path, column):
            total += 1
            words.update({word.lower() for word in _WORD.findall(caption)})
            figures.update(set(_FIGURE.findall(caption)))
    except (OSError, ValueError, EOFError, zlib.error, csv.Error, pyarrow.ArrowException) as error:
        raise BadInput(f"{path} cannot be read ({bit(error, 200)})") from None
    rows = [(digit, word, words[word], figures[str(digit)]) for digit, word in enumerate(WORDS)]
    names = ["digit", "word", "captions_with_word", "captions_with_figure"]
    return pd.DataFrame(rows, columns=names), total


def _captions(path: Path, column: str | None) -> Iterator[str]:
    if path.suffix == ".parquet":
        yield from _of_parquet(path, column)
        return
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8-sig", newline="") as lines:
        kind = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
        if kind not in (".csv", ".tsv"):
            if column:
                raise BadInput(
                    f"{path} is read as text, a caption a line, and has no column {column!r}; "
                    "columns are those of .csv, .tsv (also .gz) and .parquet"
                )
            yield from iter(lambda: lines.readline(LONGEST), "")
            return
        rows = csv.DictReader(lines, delimiter="\t" if kind == ".tsv" else ",")
        name = _column(path, list(rows.fieldnames or ()), column)
        for row in rows:
            yield row[name] or ""


def _of_parquet(path: Path, column: str | None) -> Iterator[str]:
    file = parquet.ParquetFile(path)
    name = _column(path, list(file.schema_arrow.names), column)
    for batch in file.iter_batches(columns=[name], batch_size=tables.fitting(file)):
        for caption in batch.column(0).to_pylist():
            yield caption or ""


def _column(path: Path, there: list[str], asked: str | None) -> str:
    found = [name for name in ((asked,) if asked else COLUMNS) if name in there]
    if not found:
        wanted = repr(asked) if asked else f"one of {', '.join(COLUMNS)}"
        raise BadInput(
            f"{path} has the columns {names(there)}, not {wanted}; name one with --column"
        )
    return found[0]
