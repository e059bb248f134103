"""Rows of a run's folder → records whose fields have their type and range.

A count, time or price that is none is unknown; a row whose text, item or score is none is no record
at all, since anything made of it would be another answer.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

from evalcore.records import Ending, Prediction, Verdict
from evalcore.values import Spoilt, amount, count, maybe_text, score, text

Record = TypeVar("Record", Prediction, Verdict)
MOST_REPEATS = 2**31 - 1


def prediction(row: Mapping[Any, Any]) -> Prediction | None:
    """The answer that a row tells; None if it tells none."""
    return record(Prediction, row)


def verdict(row: Mapping[Any, Any]) -> Verdict | None:
    """The verdict that a row tells; None if it tells none."""
    return record(Verdict, row)


def record(kind: type[Record], row: Mapping[Any, Any]) -> Record | None:
    """The record of a kind that a row tells; None if it tells none."""
    of_kind: Any = kind
    readers = _readers(of_kind)
    try:
        return kind(**{name: readers[name](value) for name, value in row.items()})
    except (KeyError, TypeError, Spoilt):  # a field too many, one too few, or one that is spoilt
        return None


def repeat(value: object) -> int:
    """A judge's repeat, 0 for the first time.

    Raises:
        Spoilt: It is none.
    """
    number = count(value, MOST_REPEATS)
    if number is None:
        raise Spoilt(f"{value!r:.40} is no number of a repeat")
    return number


def _ending(value: object) -> object:
    return value if value in get_args(Ending) else None


_BY_HINT: dict[Any, Callable[[object], Any]] = {
    str: text,
    str | None: maybe_text,
    int: repeat,
    int | None: count,
    float | None: amount,
    Ending | None: _ending,
}


@cache
def _readers(kind: Any) -> dict[str, Callable[[object], Any]]:
    """How each field of a record is read."""
    readers = {name: _BY_HINT[hint] for name, hint in get_type_hints(kind).items()}
    return readers | ({"score": score} if "score" in readers else {})
