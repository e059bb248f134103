"""Answers that were made elsewhere, from a file: judged and stored like any run's.

The file is a JSON object ``{id: answer}``, as the MM-Vet authors publish theirs, or JSONL, CSV or
Parquet with the columns ``id`` and ``answer``. If another column could hold the model's words or
the reference, an option has to say which column is the model's.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from evalcore import files
from evalcore.benchmarks import cells, tables
from evalcore.errors import BadInput
from evalcore.messages import excerpt, quoted, quoted_list
from evalcore.participants import ModelAdapter
from evalcore.records import Item, Prediction

ENDINGS = (".json", *tables.ENDINGS)
ID, ANSWER = "id", "answer"
DECIDES = "--option answer_column=NAME"
EMPTY = "empty answer"
LISTED = 5
"""How many unknown ids a message lists; it counts them all."""


@dataclass
class Answers(ModelAdapter):
    """The answers of one file; an item that has none there is a failure with that reason."""

    path: str
    _: KW_ONLY
    sha256: str | None = None
    """What ``digest`` gave when the run began: changed answers are another run."""
    answer_column: str | None = None
    """The column with the model's answers; None: ``answer``, if nothing else can be meant."""

    def __post_init__(self) -> None:
        """Read the file.

        Raises:
            BadInput: It cannot be read, or has changed since the run began.
        """
        file = Path(self.path)
        self._found = read(file, self.answer_column)
        if self.sha256 not in (None, digest(file)):
            raise BadInput(
                f"{file}: the answers have changed since this run began; start it anew, which "
                "makes another run"
            )

    def predict(self, items: Iterable[Item]) -> Iterator[Prediction]:
        """Give each item the file's answer."""
        for item in items:
            yield self._answer(item.id)

    def check(self, ids: Iterable[str]) -> None:
        """Make sure that the file belongs to a benchmark.

        Args:
            ids: Of all its items, also those that are not asked.

        Raises:
            BadInput: An answer belongs to no item; the message lists the first.
        """
        known = set(ids)
        strange = [name for name in self._found if name not in known]
        if strange:
            more = ", ..." if len(strange) > LISTED else ""
            raise BadInput(
                f"{self.path}: {len(strange):,} of {len(self._found):,} answers belong to no item "
                f"of the benchmark: {quoted_list(strange[:LISTED])}{more}; its ids are "
                f"like {next(iter(sorted(known)), '')!r}"
            )

    def _answer(self, name: str) -> Prediction:
        text = self._found.get(name)
        if text is None:
            return Prediction(name, None, error=f"no answer in {Path(self.path).name}")
        return Prediction(name, text) if text.strip() else Prediction(name, None, error=EMPTY)


def named(text: str) -> tuple[str, dict[str, str]]:
    """The model's name and the adapter's options of ``FILE`` or ``NAME=FILE``.

    Without a name it is the file's, without its ending.

    Raises:
        BadInput: There is no such file.
    """
    name, equals, path = text.partition("=")
    if not equals or files.there(Path(text)):
        name, path = "", text
    file = files.whole(Path(path))
    return name or file.stem, {"path": str(file), "sha256": digest(file)}


def digest(file: Path) -> str:
    """The beginning of the SHA-256 of a file's bytes.

    Raises:
        BadInput: It cannot be read.
    """
    try:
        with files.opened(file, tables.MOST_PARQUET) as content:
            return hashlib.file_digest(content, "sha256").hexdigest()[:16]
    except OSError as error:
        raise BadInput(f"{file}: the answers cannot be read ({error.strerror})") from None
    except BadInput as error:
        raise BadInput(f"the answers cannot be read: {error}") from None


def read(file: Path, answer_column: str | None = None) -> dict[str, str]:
    """Read a file of answers.

    Args:
        file: It.
        answer_column: As in ``Answers``.

    Returns:
        Item id → answer as written, white space kept; an empty text where the file has an empty
        answer.

    Raises:
        BadInput: The file is not as it should be; the message says where.
    """
    ending = file.suffix.lower()
    if ending not in ENDINGS:
        raise BadInput(
            f"{files.shown(file)}: the ending {quoted(file.suffix)} is unknown; answers come as "
            f"{', '.join(ENDINGS)}"
        )
    if ending == ".json" and answer_column is not None:
        raise BadInput(f"{file}: one JSON object has no columns; leave answer_column out")
    answers = _object(file) if ending == ".json" else _rows(file, answer_column)
    if not answers:
        raise BadInput(f"{file}: no answers; each should stand under its item's id")
    return answers


def _object(file: Path) -> dict[str, str]:
    texts = tables.json_object(file)
    return {name: _text(text, f"{file}, {excerpt(name)}") for name, text in texts.items()}


def _rows(file: Path, answer_column: str | None) -> dict[str, str]:
    table = tables.opened(file)
    if answer_column is None:
        cells.require_only(table.columns, ANSWER, str(file), f"say which is the model's, {DECIDES}")
    texts: dict[str, str] = {}
    for number, row in table.rows((ID, answer_column or ANSWER)):
        where = f"{file}, row {number}"
        name = _cell(row, ID, where).strip()
        if name in texts:
            raise BadInput(f"{where}: a second answer to {quoted(name)}; keep one")
        texts[name] = _cell(row, answer_column or ANSWER, where)
    return texts


def _cell(row: Mapping[str, object], column: str, where: str) -> str:
    if column not in row:
        raise BadInput(
            f"{where}: no column {quoted(column)}; there are {quoted_list(row)}, and "
            f"there should be {ID!r} and {ANSWER!r}, or {DECIDES}"
        )
    return _text(row[column], where)


def _text(cell: object, where: str) -> str:
    """An answer's words; nothing there is an empty answer, a number its spelling."""
    if cell is None:
        return ""
    if isinstance(cell, bool) or not isinstance(cell, str | int | float):
        raise BadInput(f"{where}: the answer is {quoted(cell, 60)}; it should be a text")
    return str(cell)
