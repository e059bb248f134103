"""Options that several commands share, each declared once, and how numbers and pairs are read."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from cyclopts import Parameter, Token

from evalcore.cli.output import Format
from evalcore.errors import BadInput
from evalcore.messages import shown

Function = TypeVar("Function", bound=Callable[..., str])
WEIGHTS = "default: the total that the source prints, with its n; else all tags, equally"


def command(group: str) -> Callable[[Function], Function]:
    """Mark a function as a command of a group of ``app.GROUPS``; ``app`` finds it by this mark."""
    del group  # read from the source
    return lambda function: function


def _number(read: Callable[[str], Any], right: str) -> Parameter:
    """A parameter that holds one number, or is refused with what would be right."""

    def convert(_: Any, tokens: Sequence[Token]) -> Any:
        try:
            return read(tokens[0].value)
        except ValueError:
            raise BadInput(
                f"{tokens[0].keyword}: {shown(tokens[0].value)} should be {right}"
            ) from None

    return Parameter(converter=convert)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(text)
    return int(text)


WHOLE = _number(int, "a whole number")
COUNT = _number(_count, "a whole number from 1 on")
NUMBER = _number(float, "a number")


def named(name: str, text: str = "", metavar: str | None = None) -> Parameter:
    """A parameter with a name or words of its own."""
    return Parameter(name=name, help=text or None, metavar=metavar)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Printed:
    """What every command takes."""

    format: Format = "table"
    """how it is printed"""


AS_TABLE = Printed()


@dataclass(frozen=True, kw_only=True)
class OfSuite(Printed):
    """Of commands about the results of one suite."""

    suite: str = "vqa360"
    """a name of 'list suites'"""
    axis: str | None = None
    """how questions are sorted; default: the suite's own"""
    include_modes: bool = False
    """also examples in the prompt, tools, tuning"""


def check_once(names: Sequence[str], option: str) -> None:
    """Make sure that NAME=VALUE was given of each name once.

    Args:
        names: In the order in which they were given.
        option: For the message.

    Raises:
        BadInput: A name stands twice.
    """
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise BadInput(f"{option}: {twice[0]!r} is given twice; give it once")


def pairs(texts: str | Iterable[str], option: str) -> tuple[tuple[str, float], ...]:
    """Read ``NAME=NUMBER,NAME=NUMBER``.

    Args:
        texts: As typed, each time the option was given.
        option: For messages.

    Raises:
        BadInput: A part is not of that form, or a name stands twice.

    >>> pairs("Chart Understanding=2,Document Understanding=1", "--weights")
    (('Chart Understanding', 2.0), ('Document Understanding', 1.0))
    """
    given = [texts] if isinstance(texts, str) else texts
    parts = [part for text in given for part in text.split(",") if part.strip()]
    read = tuple(_pair(part, option) for part in parts)
    check_once([name for name, _ in read], option)
    return read


def _pair(part: str, option: str) -> tuple[str, float]:
    name, equals, number = part.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        equals = ""
        value = 0.0
    if not equals or not name.strip():
        raise BadInput(f"{option}: {part.strip()!r} should be NAME=NUMBER, such as 'Sports=2'")
    return name.strip(), value


def values_of(flag: str, given: Sequence[str] | None) -> dict[str, Any]:
    """NAME=VALUE; a number, list, true, false or null where it reads as one, else the text."""
    values: dict[str, Any] = {}
    for pair in given or ():
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise BadInput(f"{flag}: {shown(pair)} should be NAME=VALUE, such as 'batch_size=16'")
        check_once([*values, name], flag)
        try:
            values[name] = json.loads(value)
        except (ValueError, RecursionError):
            values[name] = value
    return values
