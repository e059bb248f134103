"""Questions of one's own: a JSONL, CSV or Parquet file, or a folder with one and its pictures.

Columns beyond the fields are passed over; other names are mapped onto them. A file is taken whole
or not at all. The fields of a row:

``id``          unique inside the file.
``question``    the question; ``<image>`` may mark the place of each picture.
``image``       a path relative to the file, several with ``;`` between them, or a JSON list; in
                Parquet also the picture itself (bytes, or bytes and path as Hugging Face writes
                them), in any file its Base64, bare or as a data: address. Never an address on the
                web. An empty cell: a question without a picture.
``answers``     reference answers: a JSON list, or one answer as it stands. Nothing splits a single
                answer, neither comma nor bar; one that begins with ``[`` has to be in a list.
``choices``     what to choose from, a JSON list of two or more.
``cluster``     a name shared by items that are not independent of each other.
``tag:<axis>``  a tag on that axis, or a JSON list of tags; as many such columns as there are axes.
"""

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evalcore import files
from evalcore.benchmarks import cells, pictures, tables
from evalcore.benchmarks.cells import require_only
from evalcore.benchmarks.tables import Row
from evalcore.errors import BadInput
from evalcore.messages import LISTED, excerpt, quoted, quoted_list
from evalcore.records import MARK, Item, letter

FIELDS = ("id", "question", "image", "answers", "choices", "cluster")
TAG = "tag:"
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")

AnswersAre = Literal["text", "letter", "index"]
MOST_PICTURES = 1_000
"""Pictures of one question."""


@dataclass(frozen=True)
class Table:
    """What all rows of one table have in common."""

    benchmark: str
    columns: Mapping[str, str]
    """Field to the table's own name for it, as ``match`` finds them."""
    folder: Path
    """What relative paths of pictures start from."""
    allow_outside: bool = False
    """Whether a picture may lie outside ``folder``."""
    id_prefix: str = ""
    """Comes before a row's number where the table has no ids."""
    answers_are: AnswersAre = "text"
    """Whether answers are written out, or are letters (A, B ...) or indices (0, 1 ...) of
    choices."""


def load(
    path: str | Path,
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    allow_outside: bool = False,
    answers_are: AnswersAre = "text",
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
    rows = tables.opened(file)
    table = Table(
        benchmark=cells.name(name or _own_name(file), str(file), "name"),
        columns=match(rows.columns, columns, str(file)),
        folder=file.parent,
        allow_outside=allow_outside,
        answers_are=answers_are,
    )
    # ``answers.text`` reaches into a column ``answers``.
    needed = {part for name in table.columns.values() for part in (name, name.partition(".")[0])}
    return iter(items(rows.rows(needed), table, str(file)))


def _questions_file(path: Path) -> Path:
    if not files.is_folder(path):
        if why := files.wrong(path):
            missing = "there is no such file or folder"
            raise BadInput(f"{files.shown(path)}: {missing if why == files.NO_FILE else why}")
        return path
    candidates = sorted(file for file in path.iterdir() if file.suffix.lower() in tables.ENDINGS)
    candidates = [file for file in candidates if file.stem == "questions"] or candidates
    if len(candidates) != 1:
        there = ", ".join(files.shown(file.name) for file in candidates[:LISTED]) or "none"
        raise BadInput(
            f"{path}: the folder should hold one file of questions ({', '.join(tables.ENDINGS)}); "
            f"it holds {there}"
        )
    return candidates[0]


def _own_name(file: Path) -> str:
    return files.whole(file.parent).name if file.stem == "questions" else file.stem


def match(
    there: Collection[str],
    columns: Mapping[str, str] | None,
    where: str,
    required: Collection[str] = ("id", "question", "image"),
) -> dict[str, str]:
    """Find each field's column.

    Args:
        there: The table's columns.
        columns: Field to column, where the names differ; ``answers.text`` reaches into a column
            ``answers`` of records.
        where: The table's name, for messages.
        required: Fields that a table has to have.

    Returns:
        Field to column, for the fields that are there; tags under ``tag:<axis>``.

    Raises:
        BadInput: An unknown field, a column that is not there, one that looks misspelt, or another
            that could hold the reference where ``answers`` is taken by its name.
    """
    mapped = dict(columns or {})
    listed = quoted_list(there)
    for field, column in mapped.items():
        if field not in FIELDS and not (field.startswith(TAG) and field[len(TAG) :].strip()):
            raise BadInput(
                f"{where}: columns maps {quoted(field)}, which is no field; "
                f"fields are {', '.join(FIELDS)} and {TAG}<axis>"
            )
        if column not in there and column.partition(".")[0] not in there:
            raise BadInput(f"{where}: no column {quoted(column)} (for {field}); there are {listed}")
    free = [column for column in there if column not in mapped.values()]
    for column in free:
        if column in FIELDS or (column.startswith(TAG) and column != TAG):
            mapped.setdefault(column, column)
    _no_missing(mapped, required, listed, where)
    _no_near_miss(mapped, free, where)
    _no_choices_apart(mapped, free, where)
    if "answers" in free:
        how = """say which is the reference, --benchmark-option columns={"answers": "NAME"}"""
        require_only(free, "answers", where, how)
    return mapped


def _no_missing(
    mapped: Collection[str], required: Collection[str], listed: str, where: str
) -> None:
    if missing := [field for field in required if field not in mapped]:
        raise BadInput(
            f"{where}: no column {missing[0]!r}; there are {listed}. Name it so, or say which "
            f"column it is: columns={{{missing[0]!r}: ...}}"
        )


def _no_choices_apart(mapped: Collection[str], free: Collection[str], where: str) -> None:
    """Passed over, a column for each choice would make open questions, answered by letters."""
    apart = [column for column in free if column.strip().upper() in ("A", "B")]
    if "choices" not in mapped and len(apart) > 1:
        raise BadInput(
            f"{where}: the columns {quoted_list(apart)} look like choices; write all of them into "
            'one column choices, as a JSON list: ["red", "blue"]'
        )


def _no_near_miss(mapped: Collection[str], free: Collection[str], where: str) -> None:
    """A misspelt optional column would leave its items without answers, and nobody would know."""
    for column in free:
        absent = [field for field in FIELDS if field not in mapped]
        if near := difflib.get_close_matches(column.strip().lower(), absent, cutoff=0.8):
            raise BadInput(
                f"{where}: the column {quoted(column)} looks like {near[0]!r}; rename it, or map "
                f"it: columns={{{near[0]!r}: {quoted(column)}}}"
            )


def items(rows: Iterable[Row], table: Table, where: str) -> list[Item]:
    """Turn all rows of a table into items.

    Args:
        rows: Each row with its number.
        table: What all rows have in common.
        where: The table's name, for messages.

    Returns:
        One item a row. Where the table has no clusters, items with the same pictures form one.

    Raises:
        BadInput: A cell is not what its field needs, or an id stands twice.
    """
    read, seen = [], dict[str, int]()
    for number, row in rows:
        place = f"{where}, row {number}"
        item = _item(row, table, place, f"{table.id_prefix}{number}")
        if item.id in seen:
            raise BadInput(
                f"{place}: the id {quoted(item.id)} stands in row {seen[item.id]} too; "
                "every row needs an id of its own"
            )
        seen[item.id] = number
        read.append(item)
    return read if "cluster" in table.columns else pictures.clustered(read)


def _item(row: Mapping[str, object], table: Table, where: str, default_id: str) -> Item:
    values = {field: _pick(row, column, where) for field, column in table.columns.items()}
    choices = _choices(values.get("choices"), where)
    answers = cells.texts(values.get("answers"), where, "answers")
    cluster = values.get("cluster")
    return Item(
        benchmark=table.benchmark,
        id=cells.name(values["id"], where, "id") if "id" in values else default_id,
        question=cells.text(values["question"], where, "question"),
        answers=_written_out(answers, choices, table.answers_are, where),
        images=_images(values.get("image"), table, where),
        choices=choices,
        tags=_tags(values, where),
        cluster=cells.name(cluster, where, "cluster") if cells.filled(cluster) else None,
    )


def _tags(fields: Mapping[str, object], where: str) -> tuple[tuple[str, str], ...]:
    """The tags of every ``tag:`` column; one that is listed twice counts once."""
    return tuple(
        (field[len(TAG) :].strip(), cells.tag(tag, where, field))
        for field, cell in fields.items()
        if field.startswith(TAG)
        for tag in dict.fromkeys(cells.texts(cell, where, field))
    )


def _choices(cell: object, where: str) -> tuple[str, ...]:
    choices = cells.texts(cell, where, "choices")
    texts = [choice for choice in choices if MARK not in choice]
    if len(choices) == 1 or len(set(texts)) < len(texts):
        raise BadInput(
            f"{where}: choices {excerpt(choices[:6], 200)} should be a JSON list of two or more "
            "different texts"
        )
    return choices


def _written_out(
    answers: tuple[str, ...], choices: tuple[str, ...], are: AnswersAre, where: str
) -> tuple[str, ...]:
    """Letters and indices of choices become the choices' texts; of a picture, its letter."""
    if are == "text":
        return answers
    names = [letter(place) for place in range(len(choices))]
    keys = names if are == "letter" else [str(place) for place in range(len(choices))]
    texts = [
        name if MARK in choice else choice for name, choice in zip(names, choices, strict=True)
    ]
    by_key = dict(zip(keys, texts, strict=True))
    for answer in answers:
        if answer.upper() not in by_key:
            raise BadInput(
                f"{where}: answer {quoted(answer)} is no {are} of a choice; "
                f"there are {', '.join(keys) or 'no choices'}"
            )
    return tuple(by_key[answer.upper()] for answer in answers)


def _images(cell: object, table: Table, where: str) -> tuple[Path, ...]:
    # Only a bare cell is split; inside a list a name may hold a semicolon.
    bare = isinstance(cell, str) and not cell.lstrip().startswith("[") and cells.filled(cell)
    split = bare and not pictures.is_address(str(cell))
    parts = str(cell).split(";") if split else cells.parts(cell, where, "image")
    if len(parts) > MOST_PICTURES:
        raise BadInput(f"{where}: image names {len(parts):,} pictures; at most {MOST_PICTURES}")
    return tuple(_picture(part, table, where) for part in parts)


def _picture(part: object, table: Table, where: str) -> Path:
    if isinstance(part, dict) and {"bytes", "path"} >= set(part):
        part = part.get("bytes") or part.get("path")
    if isinstance(part, str):
        part = pictures.picture(part, where) or part
    if isinstance(part, bytes):
        return pictures.keep(part)
    name = cells.text(part, where, "image")
    shown = quoted(name, 80)
    if ADDRESS.match(name):
        raise BadInput(f"{where}: image {shown} is an address; fetch the picture and give its path")
    folder = files.whole(table.folder)
    why = files.wrong(folder / name)
    if why and why != files.NO_FILE:
        raise BadInput(f"{where}: image {shown}: {why}")
    path = files.whole(folder / name)
    if not table.allow_outside and not path.is_relative_to(folder):
        raise BadInput(
            f"{where}: image {shown} lies outside {folder}; move it there (a file of "
            "your own may be read with allow_outside=True)"
        )
    return path


def _pick(row: Mapping[str, object], column: str, where: str) -> object:
    """A cell; ``answers.text`` is the ``text`` of the record, or of each record, in ``answers``."""
    if column in row or "." not in column:
        return row.get(column)
    head, _, rest = column.partition(".")
    cell = row.get(head)
    try:
        if isinstance(cell, list):
            return [record[rest] for record in cell]
        return cell[rest] if isinstance(cell, dict) else None
    except (KeyError, TypeError):
        raise BadInput(
            f"{where}: a record in {quoted(head)} has no {quoted(rest)}; it is {excerpt(cell, 80)}"
        ) from None
