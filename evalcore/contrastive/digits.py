"""The digit study of UniBench (sections 3.2 and 8): labels x prompts, from top-1 to top-5."""

import csv
import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow
import pyarrow.parquet as parquet

from evalcore import files, home
from evalcore.benchmarks import tables
from evalcore.contrastive import prompts
from evalcore.contrastive.prompts import Prompts
from evalcore.contrastive.scoring import TOP
from evalcore.errors import BadInput
from evalcore.messages import excerpt, quoted_list

PREFIX = "digits: "
"""Begins the name of each prompt set, in runs and in the store."""
STUDY, DEMO = "digit-study", "demo-digits"
"""The store's suites of studies: those that were run here, and the one that ships."""
HANDWRITTEN, COUNTED = ("mnist", "svhn"), ("countbench", "clevr_count")
"""Benchmarks whose classes are the ten digits, and those whose classes are numbers of objects."""
NETWORK = 0.99
"""Accuracy on MNIST of a network with two layers, by section 3.2 of the paper, which cites Wan et
al. 2013 for it; neither was measured here."""
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@cache
def _told() -> Any:
    path = home.ROOT / "data" / "zeroshot" / "digits.json"
    return json.loads(path.read_text(encoding="utf-8"))


def sets(benchmark: str) -> list[Prompts]:
    """The prompt sets of a benchmark: word or digit labels with each kind of prompt.

    The paper prints prompts for pictures of digits; counts keep their own sentences.

    Raises:
        BadInput: The benchmark is about neither.
    """
    if benchmark in HANDWRITTEN:
        return [
            Prompts(tuple(labels), tuple(templates), f"{PREFIX}{label} x {name}")
            for label, labels in _told()["labels"].items()
            for name, templates in _told()["prompts"].items()
        ]
    if benchmark in COUNTED:
        own = prompts.usual(benchmark)
        assert own.classes is not None
        words = tuple(NUMBERS[int(digit)] for digit in own.classes)
        return [
            Prompts(words, own.templates, f"{PREFIX}words x own"),
            Prompts(own.classes, own.templates, f"{PREFIX}digits x own"),
        ]
    known = ", ".join((*HANDWRITTEN, *COUNTED))
    raise BadInput(f"benchmark {benchmark!r} is not of digits or counts; the study is of {known}")


def study_key(suite: str, model: str, benchmark: str) -> str:
    """The name of a study, as it stands in links."""
    return f"{suite}/{model}/{benchmark}"


def table(results: pd.DataFrame) -> pd.DataFrame:
    """The study's rows.

    Args:
        results: As from ``Evaluator.evaluate``.

    Returns:
        model, benchmark, labels, prompts, top1 to top5 (NaN where there are no more classes), the
        chance of each, n, and low and high of top1.
    """
    parted = results["prompts"].str.removeprefix(PREFIX).str.partition(" x ")
    rows = results[["model", "benchmark"]].assign(labels=parted[0], prompts=parted[2])
    names = ["accuracy", *(f"accuracy-top{j}" for j in range(2, TOP + 1))]
    classes = 1 / results["chance"]
    for j, name in enumerate(names, 1):
        column = results[name] if name in results else pd.Series(float("nan"), results.index)
        rows[f"top{j}"], rows[f"chance{j}"] = column, (j / classes).where(column.notna())
    return rows.assign(n=results["n"], low=results["low"], high=results["high"])


def remarks(table: pd.DataFrame) -> Sequence[str]:
    """What must be said beside the table."""
    sentences = []
    for (model, benchmark), rows in table.groupby(["model", "benchmark"], sort=False):
        shown = int(rows["encoded"].sum())
        n = int(rows["n"].iloc[0])
        sentences.append(
            f"{model} saw {shown} pictures of {benchmark} ({n} in the set) for {len(rows)} prompt "
            f"sets, in {rows['seconds'].sum():.1f} s"
        )
    if "mnist" in set(table["benchmark"]):
        sentences.append(
            f"A network with two layers: {100 * NETWORK:.0f} % on MNIST (quoted by the UniBench "
            "paper, section 3.2, from Wan et al. 2013; not measured here)"
        )
    return sentences


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
        raise BadInput(f"{path} cannot be read ({excerpt(error, 200)})") from None
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
    columns = [name for name in ((asked,) if asked else COLUMNS) if name in there]
    if not columns:
        wanted = repr(asked) if asked else f"one of {', '.join(COLUMNS)}"
        raise BadInput(
            f"{path} has the columns {quoted_list(there)}, not {wanted}; name one with --column"
        )
    return columns[0]
