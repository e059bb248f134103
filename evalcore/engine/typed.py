"""What a run's folder or a foreign program says → records whose fields have their type and range.

The border at which odd values end: a count, time or price that is none becomes unknown; a row whose
text, item or score is none is no record at all, since anything made of it would be another answer.
"""

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

from evalcore.records import Ending, Prediction, Verdict

Record = TypeVar("Record", Prediction, Verdict)
MOST = 2**63 - 1
"""The largest whole number that files and the store hold."""
MOST_REPEATS = 2**31 - 1


class Spoilt(ValueError):
    """A value without which a row says nothing, or says it of something else."""


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


def count(value: object) -> int | None:
    """A whole number from 0 up, if it is one, else unknown.

    >>> count(12), count(12.0), count(12.5), count(-1), count(True), count(2**70), count("12")
    (12, 12, None, None, None, None, None)
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value <= MOST else None  # type: ignore[operator,return-value]


def amount(value: object) -> float | None:
    """A number from 0 up, if it is one, else unknown.

    >>> amount(0.5), amount(2), amount(float("nan")), amount(-0.1), amount("1"), amount(10**400)
    (0.5, 2.0, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def score(value: object) -> float | None:
    """A fraction, or None for none.

    Raises:
        Spoilt: It is neither.
    """
    if value is None:
        return None
    number = amount(value)
    if number is None or number > 1:
        raise Spoilt(f"a score is a fraction from 0 to 1, not {value!r:.40}")
    return number


def text(value: object) -> str:
    """A text.

    Raises:
        Spoilt: It is none.
    """
    if not isinstance(value, str):
        raise Spoilt(f"{value!r:.40} is no text")
    return value


def maybe_text(value: object) -> str | None:
    """A text, or None for none.

    Raises:
        Spoilt: It is neither.
    """
    return value if value is None else text(value)


def repeat(value: object) -> int:
    """A judge's repeat, 0 for the first time.

    Raises:
        Spoilt: It is none.
    """
    number = count(value)
    if number is None or number > MOST_REPEATS:
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
