"""Questions of one's own: a JSONL, CSV or Parquet file, or a folder with one and its pictures.

The columns are documented in ``evalcore.benchmarks.rows``; other names are mapped onto them.
Columns beyond these are passed over. A file is taken whole or not at all.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from evalcore import files
from evalcore.benchmarks import cells, rows, tables
from evalcore.errors import BadInput
from evalcore.quoting import LISTED
from evalcore.records import Item


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
    found = tables.opened(file)
    table = rows.Table(
        benchmark=cells.name(name or _own_name(file), str(file), "name"),
        columns=rows.match(found.columns, columns, str(file)),
        folder=file.parent,
        allow_outside=allow_outside,
        answers_are=answers_are,
    )
    # ``answers.text`` reaches into a column ``answers``.
    needed = {part for name in table.columns.values() for part in (name, name.partition(".")[0])}
    return iter(rows.items(found.rows(needed), table, str(file)))


def _questions_file(path: Path) -> Path:
    if not files.is_folder(path):
        if why := files.wrong(path):
            missing = "there is no such file or folder"
            raise BadInput(f"{files.shown(path)}: {missing if why == files.NO_FILE else why}")
        return path
    found = sorted(file for file in path.iterdir() if file.suffix.lower() in tables.ENDINGS)
    found = [file for file in found if file.stem == "questions"] or found
    if len(found) != 1:
        there = ", ".join(files.shown(file.name) for file in found[:LISTED]) or "none"
        raise BadInput(
            f"{path}: the folder should hold one file of questions ({', '.join(tables.ENDINGS)}); "
            f"it holds {there}"
        )
    return found[0]


def _own_name(file: Path) -> str:
    return files.whole(file.parent).name if file.stem == "questions" else file.stem
