"""Any Hugging Face data set of questions about pictures, by naming its columns.

Pictures come out of the data set's own files as they are, without being decoded and encoded
anew, and are kept by their content in a cache folder.
"""

import importlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evalcore import files
from evalcore.benchmarks import own_file, tables
from evalcore.errors import BadInput
from evalcore.hub import within_reach
from evalcore.messages import excerpt, quoted
from evalcore.records import Item

PACKAGE = "datasets"
SAVED = ("state.json", "dataset_dict.json")
"""What a folder written by ``save_to_disk`` holds."""
TEXT = (".jsonl", ".json", ".csv")
MOST_LINES = 2_000_000_000
"""Bytes of a file of text, which the package reads piece by piece."""
MOST_NAME = 1_000
BATCH = 100


def load(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    split: str = "test",
    name: str | None = None,
    answers_are: own_file.AnswersAre = "text",
) -> Iterator[Item]:
    """Read one split.

    Args:
        path: The data set's name on the hub, with configuration and commit if need be
            (``owner/name:configuration@commit``; name a commit where numbers are to be repeated),
            or a folder (saved with ``save_to_disk``, or of files that the package reads).
        columns: Field to column as in ``own_file.match``, where the names differ; ``question`` and
            ``image`` are needed: ``{"answers": "answers.answer", "tag:type": "question_type"}``.
        split: Which split.
        name: The benchmark's name; by default the last part of its name.
        answers_are: Whether answers are written out, or letters or indices of choices.

    Returns:
        The items in the data set's order. Without a column for it the id is ``<split>/<row>``,
        with rows counted from 0; class labels come as their names.

    Raises:
        BadInput: The package is not installed, the data set cannot be read, or a row is wrong.
    """
    source = str(path)
    if not source.strip() or len(source) > MOST_NAME or not source.isprintable():
        raise BadInput(
            f"{quoted(source)} names no data set; give its name on the hub (owner/name), or a "
            "folder"
        )
    _check_folder(Path(source))
    datasets = _package(source)
    data = _open(datasets, source, split)
    where = f"{source} ({split})"
    matched = own_file.match(data.column_names, columns, where, required=("question", "image"))
    local = files.is_folder(Path(source))
    table = own_file.Table(
        benchmark=name or _parts(source)[0].rpartition("/")[2],
        columns=matched,
        # A path in somebody's table leads to what the package unpacked, or nowhere.
        folder=Path(source) if local else Path(datasets.config.HF_CACHE_HOME),
        id_prefix=f"{split}/",
        answers_are=answers_are,
    )
    return iter(own_file.items(enumerate(_rows(data, matched.values())), table, where))


def _check_folder(folder: Path) -> None:
    """Refuse what the package would wait for, or unpack without end.

    Raises:
        BadInput: Something in it is neither a file nor a folder, or a table holds too much.
    """
    if not files.is_folder(folder):
        return
    for path in sorted(folder.rglob("*")):
        if files.is_folder(path):
            continue
        if why := files.wrong(path):
            raise BadInput(f"{files.shown(path)}: {why}")
        ending, size = path.suffix.lower(), path.stat().st_size
        if ending == ".parquet":
            tables.check_parquet(path)
        elif ending in TEXT and size > MOST_LINES:
            raise BadInput(
                f"{files.shown(path)}: it has {size / 1e6:,.0f} MB; at most "
                f"{MOST_LINES / 1e6:,.0f} MB of text are read"
            )


def _package(source: str) -> Any:
    """The ``datasets`` package, which is loaded only when it is needed and has no types."""
    try:
        return importlib.import_module(PACKAGE)
    except ModuleNotFoundError:
        raise BadInput(
            f"{source}: reading it needs the package {PACKAGE}; pip install {PACKAGE}"
        ) from None


def _open(datasets: Any, source: str, split: str) -> Any:
    try:
        if any((Path(source) / file).is_file() for file in SAVED):
            data = datasets.load_from_disk(source)
            if isinstance(data, Mapping) and split not in data:
                raise ValueError(f"it has no split {split!r}, only {', '.join(data)}")
            return data[split] if isinstance(data, Mapping) else data
        path, config, revision = _parts(source)
        with within_reach(path):
            return datasets.load_dataset(path, config, split=split, revision=revision)
    except (OSError, ValueError) as error:
        raise BadInput(
            f"{files.shown(source)}: cannot be read ({excerpt(error, 300)}); give a data set's "
            "name on the hub, or a folder, and a split that it has"
        ) from None


def _parts(source: str) -> tuple[str, str | None, str | None]:
    """Name, configuration and commit of ``owner/name:configuration@commit``.

    >>> _parts("owner/name:v2@abc"), _parts("owner/name")
    (('owner/name', 'v2', 'abc'), ('owner/name', None, None))
    """
    if files.there(Path(source)):
        return source.rstrip("/"), None, None
    rest, _, revision = source.partition("@")
    path, _, config = rest.partition(":")
    return path, config or None, revision or None


def _rows(data: Any, columns: Iterable[str]) -> Iterator[dict[str, object]]:
    """The rows with the columns that are asked for, class labels by their names."""
    there = data.column_names
    heads = {column if column in there else column.partition(".")[0] for column in columns}
    labels = {column: _labels(data.features[column]) for column in heads}
    # Arrow's own form holds pictures as they are in the data set's files.
    for batch in data.select_columns(sorted(heads)).with_format("arrow").iter(BATCH):
        for row in batch.to_pylist():
            yield {column: _named(cell, labels[column]) for column, cell in row.items()}


def _labels(feature: Any) -> list[str] | None:
    """The names of class labels, of one or of a list of them."""
    names = getattr(feature, "names", None) or getattr(
        getattr(feature, "feature", None), "names", None
    )
    return list(names) if names else None


def _named(cell: object, names: list[str] | None) -> object:
    if names is None or cell is None:
        return cell
    if isinstance(cell, list):
        return [_named(part, names) for part in cell]
    # A class label of -1 is the package's way of saying that there is none.
    return names[cell] if isinstance(cell, int) and cell >= 0 else None
