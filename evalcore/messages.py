"""What a message says of what somebody gave: checked, quoted, listed, on one line, without secrets.

People name the wrong file now and then, and errors end up in logs and on shared screens. So what
looks like a key, a password or a setting (``NAME=value``) is masked before it is cut. Libraries
answer an empty name, a NUL in a path or half an address with exceptions of their own; here each is
refused in words first.
"""

import re
import unicodedata
from collections.abc import Iterable
from itertools import islice
from urllib.parse import urlsplit

from evalcore.errors import BadInput

MASK = "***"
MOST = 40
LISTED = 10
"""How many names a message lists."""
LOOKED_AT = 2_000
"""Characters of a value that are looked at; far more than are ever shown."""
_KEY = re.compile(
    r"\b(?:(?:sk|pk|rk|gsk|xai|pplx|nvapi)[-_]|AIza|hf_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-"
    r"|AKIA|ASIA|ya29\.|eyJ)[\w.~+/-]{6,}=*"
)
"""How the keys of well-known services begin."""
_SECRETS = (
    (re.compile(r"-----BEGIN.*", re.DOTALL), MASK),
    # A line of settings; its name is what a shell takes.
    (re.compile(r"(?<![\w-])((?:export\s+)?[A-Za-z_]\w*)\s*=\s*[^\s].*", re.DOTALL), rf"\1={MASK}"),
    (
        re.compile(
            r"(\w*(?:key|token|secret|passw(?:or)?d|pwd|credential)\w*[\"']?\s*:)\s*.*",
            re.DOTALL | re.IGNORECASE,
        ),
        rf"\1 {MASK}",
    ),
    (re.compile(r"\b(bearer|basic)\s+\S+", re.IGNORECASE), rf"\1 {MASK}"),
    (re.compile(r"(://[^/\s:@]*):[^/\s@]*@"), rf"\1:{MASK}@"),
    (_KEY, MASK),
)


def masked(text: str) -> str:
    """Text without what looks like a secret.

    >>> masked("OPENAI_API_KEY=sk-abcdefgh"), masked("asked with hf_abcdefgh12 today")
    ('OPENAI_API_KEY=***', 'asked with *** today')
    """
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


def excerpt(value: object, most: int = MOST) -> str:
    """The beginning of a value's text, masked, on one line; of no use to a program.

    >>> excerpt(["x"]), excerpt("a" * 99, 5)
    ("['x']", 'aaaaa')
    """
    text = masked(_text(value))[:most]
    return text if text.isprintable() else repr(text)[1:-1]


def quoted(value: object, most: int = MOST) -> str:
    """The beginning of a value's text in quotes, masked, every strange character spelt out.

    >>> quoted("red"), quoted("a\\0.png"), quoted("KEY=abc")
    ("'red'", "'a\\\\x00.png'", "'KEY=***'")
    """
    return repr(masked(_text(value))[:most])


def without_keys(text: str) -> str:
    """Text without the keys of well-known services; where ``NAME=value`` is usual, as in options.

    >>> without_keys("vqa360=data/test"), without_keys("openai:sk-abcdefgh")
    ('vqa360=data/test', 'openai:***')
    """
    return _KEY.sub(MASK, text)


def quoted_list(values: Iterable[object], nothing: str = "none") -> str:
    """The first of these names, quoted; if there are more, that is said."""
    first = list(islice(values, LISTED + 1))
    more = ", …" if len(first) > LISTED else ""
    return (", ".join(quoted(name) for name in first[:LISTED]) or nothing) + more


def _text(value: object) -> str:
    if isinstance(value, str):
        return value[:LOOKED_AT]
    try:
        return str(value)[:LOOKED_AT]
    except (RecursionError, ValueError):  # nested too deeply; a whole number of 5,000 digits
        return f"a {type(value).__name__}"


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
    bare = text.strip()
    if not bare:
        raise BadInput(f"{what} {text[:SHOWN]!r} is empty; it should be {right}")
    if len(bare) > LONGEST:
        raise BadInput(
            f"{what} {shown(bare)} has {len(bare):,} characters, more than {LONGEST:,}; it should"
            f" be {right}"
        )
    strange = _strange(bare)
    if strange is not None:
        raise BadInput(
            f"{what} {shown(bare)} holds the character {strange!a}; it should be {right}"
        )
    return bare


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
    return next(
        (character for character in text if unicodedata.category(character) in UNSEEN), None
    )


def shown(text: str) -> str:
    r"""A text as an error quotes it: short, without keys or anything that cannot be seen.

    >>> shown("a\tb"), len(shown("a" * 5_000))
    ("'a\\tb'", 63)
    """
    safe = without_keys(text)
    return repr(safe if len(safe) <= SHOWN else f"{safe[:SHOWN]}…")


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
