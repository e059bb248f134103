"""What the body of a server's reply says, as values of a known kind: any other kind is unknown."""

import json
import re
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

from evalcore.typed import count, words

MOST_TOKENS = 10**9
"""No call has so many; what says more is no count."""
PARSING = threading.Lock()
"""Held while a reply is taken apart: a few megabytes can stand for a hundred times as much memory,
which 32 calls at once need not take at the same time."""
ANSWERS = frozenset({"text", "output_text"})
"""Types of content parts that are the answer; every other kind is not."""
THOUGHTS = re.compile("reason|think|thought", re.IGNORECASE)
"""Types of content parts that are reasoning: each maker has a word of its own."""
NUMBER = 12
"""Digits of a count that came as text."""


def parsed(body: str | bytes) -> Mapping[str, Any] | None:
    """The JSON object of a body; None if there is none, or it is nested out of all measure."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, Mapping) else None


def mapping(value: object) -> Mapping[str, Any]:
    """An object as it is, anything else as an empty one."""
    return value if isinstance(value, Mapping) else {}


def tokens(value: object) -> int | None:
    """A number of tokens, also as text; None for what is none.

    >>> tokens(12), tokens("12"), tokens(12.5), tokens(10**10), tokens("n/a")
    (12, 12, None, None, None)
    """
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= NUMBER:
        value = int(value)
    return count(value, MOST_TOKENS)


def kind(value: object) -> str:
    """What a value is, in JSON's words, for an error message.

    >>> kind([1]), kind(True), kind(None)
    ('a list', 'true or false', 'nothing')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    named = ((str, "a text"), (int | float, "a number"), (list, "a list"), (Mapping, "an object"))
    return next(name for kinds, name in named if isinstance(value, kinds))


class Content(NamedTuple):
    """What the content of a message holds."""

    text: str = ""
    """The answer: reasoning is none of it."""
    thought: bool = False
    """Whether there is reasoning."""
    refusal: str | None = None
    strange: str | None = None
    """What should be the answer and cannot be read, in words; None if all could be."""


def content(value: object) -> Content:
    """Read a message's content: a text, a part, or a list of them.

    Only parts of type text are the answer, and those without a type that hold a text, as Gemini's
    do unless they are marked as a thought.

    >>> content([{"type": "reasoning", "text": "hmm"}, {"type": "text", "text": "a cat"}]).text
    'a cat'
    """
    said: list[str] = []
    found = Content()
    other = None
    for part in value if isinstance(value, list) else [value]:
        sort, text = _part(part)
        if sort == "refusal":
            found = found._replace(refusal=words(text) or "")
        elif sort == "thought":
            found = found._replace(thought=True)
        elif sort != "text":
            other = other or sort
        elif (readable := words(text)) is None:
            found = found._replace(strange=f"its text is {kind(text)}")
        else:
            said.append(readable)
    if other and not any(said):
        found = found._replace(strange=found.strange or other)
    return found._replace(text="".join(said))


def _part(part: object) -> tuple[str, object]:
    """(text, thought, refusal or what it is instead; what it says)."""
    if part is None or isinstance(part, str):
        return "text", part or ""
    if not isinstance(part, Mapping):
        return f"it is {kind(part)}", None
    named = str(part.get("type", "text" if "text" in part else "none"))
    if part.get("thought") or THOUGHTS.search(named):
        return "thought", None
    if named in ANSWERS:
        return "text", part.get("text")
    return (
        ("refusal", part.get("refusal"))
        if named == "refusal"
        else (f"a part of type {named[:40]!r}", None)
    )
