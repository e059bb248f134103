"""What a stranger's program or file says → a value of a known kind, or unknown.

The border at which odd values end, wherever they come from: a server's reply, a run's folder, a
file of results. What is no count and no amount is unknown; what a row cannot do without is spoilt.
Nothing behind this border has to think of that again.
"""

import math

MOST = 2**63 - 1
"""The largest whole number that files and the store hold."""


class Spoilt(ValueError):
    """A value without which a row says nothing, or says it of something else."""


def count(value: object, most: int = MOST) -> int | None:
    """A whole number from 0 up to ``most``, if it is one, else unknown.

    >>> count(12), count(12.0), count(12, most=10)
    (12, 12, None)
    >>> count(12.5), count(-1), count(True), count([1]), count(2**70), count("12")
    (None, None, None, None, None, None)
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= most else None


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


def words(value: object) -> str | None:
    """A text that can be written and sent: half a surrogate pair becomes a question mark.

    >>> words("red \\ud83d"), words(7)
    ('red ?', None)
    """
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None
