"""How an error quotes what somebody gave: a harmless bit of it, on one line, without secrets.

People name the wrong file now and then, and errors end up in logs and on shared screens. So what
looks like a key, a password or a setting (``NAME=value``) is masked before it is cut.
"""

import re
from collections.abc import Iterable
from itertools import islice

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


def bit(value: object, most: int = MOST) -> str:
    """The beginning of a value's text, masked, on one line; of no use to a program.

    >>> bit(["x"]), bit("a" * 99, 5)
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


def names(found: Iterable[object], nothing: str = "none") -> str:
    """The first of some names, quoted; if there are more, that is said."""
    some = list(islice(found, LISTED + 1))
    more = ", …" if len(some) > LISTED else ""
    return (", ".join(quoted(name) for name in some[:LISTED]) or nothing) + more


def _text(value: object) -> str:
    if isinstance(value, str):
        return value[:LOOKED_AT]
    try:
        return str(value)[:LOOKED_AT]
    except (RecursionError, ValueError):  # nested too deeply; a whole number of 5,000 digits
        return f"a {type(value).__name__}"
