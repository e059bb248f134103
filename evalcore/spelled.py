"""What a person types as a name, a path or an address, looked at before anything is done with it.

Libraries answer an empty name, a NUL in a path or half an address with exceptions of their own.
"""

import unicodedata
from collections.abc import Iterable
from urllib.parse import urlsplit

from evalcore.errors import BadInput
from evalcore.quoting import without_keys

LONGEST = 4_000
"""Characters of a name or path; systems allow 4,096 bytes."""
SHOWN = 60
UNSEEN = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Kinds of characters that stand in no name: controls, halves of others, ends of lines."""
ADDRESS = "an address such as http://localhost:8000/v1, without a name or key in it"


def checked(text: str, what: str, right: str) -> str:
    """The text, without spaces around it.

    Args:
        text: As typed.
        what: What it should be, for the error: ``model``.
        right: What would be right: ``openai:NAME``.

    Raises:
        BadInput: It is empty or overlong, or holds a character that stands in no name.
    """
    told = text.strip()
    if not told:
        raise BadInput(f"{what} {text[:SHOWN]!r} is empty; it should be {right}")
    if len(told) > LONGEST:
        raise BadInput(
            f"{what} {shown(told)} has {len(told):,} characters, more than {LONGEST:,}; it should"
            f" be {right}"
        )
    strange = _strange(told)
    if strange is not None:
        raise BadInput(
            f"{what} {shown(told)} holds the character {strange!a}; it should be {right}"
        )
    return told


def check_arguments(given: Iterable[str]) -> None:
    """Make sure that a command's arguments can be names, paths or numbers at all.

    Raises:
        BadInput: One is overlong, or holds a character that stands in no name.
    """
    for text in given:
        if len(text) > LONGEST:
            raise BadInput(
                f"the argument {shown(text)} has {len(text):,} characters; give at most {LONGEST:,}"
            )
        strange = _strange(text)
        if strange is not None:
            raise BadInput(
                f"the argument {shown(text)} holds the character {strange!a}; leave it out"
            )


def _strange(text: str) -> str | None:
    return next((one for one in text if unicodedata.category(one) in UNSEEN), None)


def shown(text: str) -> str:
    r"""A text as an error quotes it: short, without keys or anything that cannot be seen.

    >>> shown("a\tb"), len(shown("a" * 5_000))
    ("'a\\tb'", 63)
    """
    told = without_keys(text)
    return repr(told if len(told) <= SHOWN else f"{told[:SHOWN]}…")


def server(address: str, what: str) -> str:
    """A server's address as typed.

    Args:
        address: Also one with a key in it, which no error repeats.
        what: What it is the address of.

    Raises:
        BadInput: It is none, or one with a name, password or key.
    """
    try:
        parts = urlsplit(address)
        named = "@" in parts.netloc or parts.query or parts.fragment
        good = parts.scheme in ("http", "https") and parts.hostname and not named
        good = good and (parts.port is None or parts.port > 0) and _written(address)
    except ValueError:  # half a bracket, a port that is no number
        good = False
    if not good:
        raise BadInput(f"{what}: base_url must be {ADDRESS}")
    return address


def _written(address: str) -> bool:
    """Whether HTTP can ask for it: no space or control, and a host whose labels are not empty."""
    host = (urlsplit(address).hostname or "").removesuffix(".")
    whole = address.isprintable() and " " not in address and len(address) <= LONGEST
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return whole
