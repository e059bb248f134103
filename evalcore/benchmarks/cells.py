"""Somebody's table: which column is meant, and what one cell holds (text, list, name).

In CSV every cell is text, in JSONL and Parquet a list may be a list; the same rules hold for all.
Tools disagree on what ``answer`` means: MMMU's own output has the reference there and the model's
words in ``response``; others write the model's ``answer`` beside a ``target``. A reader that takes
a column by its name asks wherever another column could be the one that is meant.
"""

import json
import math
import re
from collections.abc import Collection

from evalcore.errors import BadInput
from evalcore.messages import quoted, quoted_list
from evalcore.records import TOTAL

MAX_NAME = 200
MOST_TEXT = 1_000_000
"""Characters of a text."""
MOST_PARTS = 10_000
"""Entries of a list."""


def text(cell: object, where: str, field: str) -> str:
    """The text of a cell without white space around it; numbers as they are written.

    Raises:
        BadInput: The cell is empty, or neither text nor a number.
    """
    written = cell.strip() if isinstance(cell, str) else _number(cell, where, field)
    if not written:
        raise BadInput(f"{where}: {field} is empty; write a text")
    if len(written) > MOST_TEXT:
        raise BadInput(
            f"{where}: {field} has {len(written):,} characters; at most {MOST_TEXT:,} are read"
        )
    try:
        written.encode()
    except UnicodeEncodeError:
        raise BadInput(
            f"{where}: {field} {quoted(written)} holds half a letter; write whole UTF-8"
        ) from None
    return written


def texts(cell: object, where: str, field: str) -> tuple[str, ...]:
    """The texts of a cell that holds one or a list; none if it is empty.

    >>> texts('["4", "four"]', "x.csv, row 2", "answers"), texts("red, blue", "", "answers")
    (('4', 'four'), ('red, blue',))

    Raises:
        BadInput: Something in it is no text, or it begins with ``[`` and is no JSON list.
    """
    return tuple(text(part, where, field) for part in parts(cell, where, field))


def parts(cell: object, where: str, field: str) -> list[object]:
    """What a cell lists; a cell that is no list is its own only part."""
    if isinstance(cell, str):
        if cell.lstrip().startswith("["):
            return _json_list(cell.strip(), where, field)
        cell = cell.strip()
    if cell is None or cell == "":
        return []
    return _few(cell, where, field) if isinstance(cell, list) else [cell]


def _few(values: list[object], where: str, field: str) -> list[object]:
    if len(values) > MOST_PARTS:
        raise BadInput(f"{where}: {field} lists {len(values):,}; at most {MOST_PARTS:,} are read")
    return values


def _json_list(cell: str, where: str, field: str) -> list[object]:
    try:
        values = json.loads(cell, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list):
        raise BadInput(
            f"{where}: {field} {quoted(cell, 60)} begins like a list and is no JSON list; "
            'write ["one", "two"] with double quotes'
        )
    return _few(values, where, field)


def _number(cell: object, where: str, field: str) -> str:
    if cell is None:
        return ""
    # True is a number to Python; whether it means "yes" or "true" is not for us to guess.
    known = isinstance(cell, int | float) and not isinstance(cell, bool) and math.isfinite(cell)
    if not known:
        raise BadInput(f"{where}: {field} holds {quoted(cell, 60)}, which is no text; write a text")
    return str(cell)


def name(cell: object, where: str, field: str) -> str:
    """A short printable text.

    Raises:
        BadInput: It is empty, too long, or holds line breaks or other control characters.
    """
    written = text(cell, where, field)
    if len(written) > MAX_NAME or not written.isprintable():
        raise BadInput(
            f"{where}: {field} {quoted(written)} should be 1 to {MAX_NAME} printable characters"
        )
    return written


def tag(cell: object, where: str, field: str) -> str:
    """A tag's name.

    Raises:
        BadInput: It is no name, or that under which the score over all questions stands.
    """
    written = name(cell, where, field)
    if written == TOTAL:
        raise BadInput(
            f"{where}: {field} {quoted(written)} is the name of the score over all questions; "
            "call the tag something else"
        )
    return written


def filled(cell: object) -> bool:
    """Whether a cell holds more than white space."""
    return bool(cell.strip()) if isinstance(cell, str) else cell is not None


_SAID = (
    "(?:assistant|candidate|gpt|[mv]?llm|vlm)(?=answer|text)|completions?|extraction"
    "|generat(?:ed|ions?)|hypothes[ie]s|model|outputs?|pred(?:s|icted|ictions?)?"
    "|repl(?:y|ies)|resp(?:s|onses?)?"
)
_TRUE = (
    "correct|expected|gold(?:en)?|ground|gt|labels?|ref(?:s|erences?)?|solutions?|std(?=answer)"
    "|targets?|tru(?:e|th)"
)
_EITHER = r"answers?|choice|extracted|filtered|final|option|parsed|raw|texts?|\d"
"""Words that say nothing of whose answer it is."""
ANSWERS = re.compile(f"(?:{_SAID}|{_EITHER})+|(?:{_TRUE}|{_EITHER})+")
"""Names of columns that hold what a model said, or the reference: made of such words alone."""
TELLING = re.compile(f"{_SAID}|{_TRUE}|answer")
_BETWEEN = re.compile(r"[\W_]+")


def rival_columns(columns: Collection[str], taken: str) -> list[str]:
    """The columns that could hold answers of either kind beside the one that is taken.

    Args:
        columns: A table's columns.
        taken: That which a reader takes by its name.

    >>> rival_columns(["id", "answer", "response", "response_time"], "answer")
    ['response']
    """
    return [name for name in columns if name.strip().lower() != taken and _holds_answers(name)]


def require_only(columns: Collection[str], taken: str, where: str, how: str) -> None:
    """Make sure that a column taken by its name is the only one that can be meant.

    Args:
        columns: The table's columns.
        taken: That which the reader takes.
        where: The table's name, for the message.
        how: What decides it, for the message.

    Raises:
        BadInput: There is another that can be; the message names both, and what decides.
    """
    if others := rival_columns(columns, taken):
        raise BadInput(
            f"{where}: beside {taken!r} there {'is' if len(others) == 1 else 'are'} "
            f"{quoted_list(others)}; which holds the model's answers and which the "
            f"reference is not guessed: {how}"
        )


def _holds_answers(name: str) -> bool:
    """Whether a name has words of one kind only: ``response_time`` is no response.

    >>> [_holds_answers(name) for name in ("goldAnswer", "GT", "output tokens", "model", "text")]
    [True, True, False, False, False]
    """
    word = _BETWEEN.sub("", name.lower())
    fits = word != "model" and ANSWERS.fullmatch(word) and TELLING.search(word)
    return bool(fits)
