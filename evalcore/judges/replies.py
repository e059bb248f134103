"""What a judge model's reply says: a whole word or an anchored number, or nothing.

A reply is read as an answer is: thoughts and ends of turns go, and of what it marks as its answer
(a tag, a box, "Final answer:") the last counts. It may be JSON with one field that says it. A reply
that says two things says nothing.
"""

import json
import re
import unicodedata
from collections.abc import Callable
from typing import TypeVar

from evalcore import markup
from evalcore.judges.text import answer_of

T = TypeVar("T")
PARSER = "2"
"""Changes with the patterns here; it is part of the version of every judge that reads replies."""

_LEAD = r"\A[\s*_`#>\"'“”‘’(\[|]*"
_YES_NO = re.compile(_LEAD + r"(?:answer\s*:[\s*_`\"'‘“]*)?(yes|no)(?![\w-]|['’]\w)", re.IGNORECASE)
# "yes or no", "yes/no" and "no, yes" say nothing; "no doubt" and "no one" are other words.
_UNDECIDED = re.compile(
    r"\A(?:[^\w.!]*(?:(?:or|and|but)\b[^\w.!]*)?(?:yes|no)\b"
    r"|\s+(?:doubt|one|idea|question|problem|way|matter)\b)",
    re.IGNORECASE,
)
_OTHER_LATER = re.compile(
    r"(?:^|[.!?\n])[^\S\n]{0,3}[*_`\"'(]*(yes|no)\b(?=[\s*_`\"')]*(?:[.,!]|$))", re.I
)
_FENCE = re.compile(r"\A\s*```\w*\s*(.*?)\s*```\s*\Z", re.DOTALL)
_SAYS = (
    "answer",
    "verdict",
    "correct",
    "is_correct",
    "judgement",
    "judgment",
    "result",
    "decision",
)
_GRADES = (
    "score",
    "grade",
    "correctness",
    "rating",
    "value",
    "answer",
    "result",
    "correctness_score",
)
"""Names of the JSON fields that say it."""
_GRADE = re.compile(
    _LEAD + r"(?:(?:the\s+)?(?:correctness|score|grade|answer)(?:\s+score)?"
    r"[\s*_`]*(?:is\b|:|=)?[\s*_`|]*)?([0-9]+(?:[.,][0-9]+)?|\.[0-9]+)"
    r"(?!\w|[.,][0-9]|\s*%|\s*[-–]\s*[0-9.]|\s+(?:or|to)\s+[0-9.])"
    r"(?:\s*(?:/|out of)\s*(?P<of>[0-9.]+))?",
    re.IGNORECASE,
)


def yes_no(reply: str) -> bool | None:
    """Return what the first whole word of a reply says, or None.

    Marks around the word and a leading "Answer:" do not count. A longer word ("yesterday"), a
    denial ("not yes"), another word ("correct"), a refusal and "yes or no" say nothing.

    Example:
        >>> yes_no("**Yes**, because the dog is brown."), yes_no("Not yes."), yes_no("eyes")
        (True, None, None)
    """
    return _agreed(reply, _yes_no, _SAYS)


def _yes_no(text: str) -> bool | None:
    match = _YES_NO.match(text)
    if match is None or _UNDECIDED.match(text[match.end() :]):
        return None
    word, rest = match[1].lower(), text[match.end() :]
    back = markup.TAKEN_BACK.search(rest)
    later = {other[1].lower() for other in _OTHER_LATER.finditer(rest)}
    if back:
        later |= set(re.findall(r"\b(?:yes|no)\b", rest[back.start() :].lower()))
    return None if later - {word} else word == "yes"


def grade(reply: str) -> float | None:
    """Return the number from 0 to 1 with which a reply begins, or None.

    Marks, table bars and a leading "Score:" do not count; any number of decimals does. A number
    outside the range, a per cent, a range ("0.4-0.6"), a share of anything but 1 ("1/10") and words
    give None; nothing is clipped.

    Example:
        >>> grade("**0.8** because"), grade("Score: .5"), grade("2"), grade("nan"), grade("1/10")
        (0.8, 0.5, None, None, None)
    """
    return _agreed(reply, _grade, _GRADES)


def _grade(text: str) -> float | None:
    match = _GRADE.match(text)
    if match is None or (match["of"] and match["of"].rstrip(".") not in ("1", "1.0")):
        return None
    rest = text[match.end() :]
    back = markup.TAKEN_BACK.search(rest)
    if back and re.search(r"\d", rest[back.start() :]):
        return None
    other = _GRADE.match(rest.lstrip(" .|*_`\n")) if "\n" in rest else None
    value = float(match[1].replace(",", "."))
    if other and float(other[1].replace(",", ".")) != value:
        return None
    return value if value <= 1 else None


def _agreed(reply: str, read: Callable[[str], T | None], fields: tuple[str, ...]) -> T | None:
    """Read what a reply marks as its answer, and its beginning; None where the two disagree."""
    text = unicodedata.normalize("NFKC", markup.spoken(reply)).strip()
    fence = _FENCE.match(text)
    text = fence[1] if fence else text
    if text.startswith("{"):
        value = _field(text, fields)
        return None if value is None else read(value)
    at_first, marked = read(text), read(answer_of(reply))
    if at_first is not None and marked is not None and at_first != marked:
        return None
    return at_first if marked is None else marked


def _field(text: str, fields: tuple[str, ...]) -> str | None:
    """Return the one field of a JSON object that says it, as words; None if none or several do."""
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return None
    values = [value for name, value in pairs if str(name).lower().replace(" ", "_") in fields]
    if len(values) != 1 or isinstance(values[0], list | None):
        return None
    if isinstance(values[0], bool):
        return "yes" if values[0] else "no"
    return str(values[0])
