"""What a server's reply means: its faults, told apart in plain words, and its body as values of a
known kind, any other kind being unknown.
"""

import json
import math
import re
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from evalcore.errors import ModelUnavailable
from evalcore.models.bounded import TooLong
from evalcore.models.calls import RequestRejected, TransientError
from evalcore.values import count, words

if TYPE_CHECKING:
    import httpx2

PASSING = {408, 409, 425, 429, 500, 502, 503, 504, *range(520, 530)}
OVERLOAD = {429, 503, 529}
UNSURE = {408, 504, 524}
"""Statuses after which the work may have been done, and be charged."""
FATAL = {401, 402, 403, 404, 405}
EVERY_CALL = {
    "model_not_found",
    "unsupported_parameter",
    "unsupported_value",
    "unknown_parameter",
    "API_KEY_INVALID",
    "insufficient_quota",
    "billing_hard_limit_reached",
}
"""Codes that every call of the run would get, whatever its status."""
OUT_OF_MONEY = {"insufficient_quota", "billing_hard_limit_reached"}
NO_MODEL = re.compile(
    r"\bmodel\b.{0,80}(not found|not exist|not available|not supported)|(unknown|no such) model"
    r"|^Server is pinned to ",  # transformers serve
    re.IGNORECASE | re.DOTALL,
)
FILTERED = re.compile(r"content.?(filter|policy)|moderation|flagged|responsible.?ai", re.IGNORECASE)
KEY_LIKE = re.compile(r"\b(sk|AIza)[-\w*]{6,}")
LONGEST = 300
LONGEST_PAUSE_S = 1e9
MOVED = 300
"""Statuses from here on are no success; below the errors they send elsewhere."""
ELSEWHERE = "the server sends to another address; give that one"
STATUSES = range(300, 600)
"""Of HTTP, for what is no answer."""
NO_JSON = "the server's reply is no JSON object; is the address that of a chat server?"
CLOSED = re.compile("disconnected|peer closed", re.IGNORECASE)
"""How the client says that a connection was closed; its other complaints are about form."""
Fault = TransientError | RequestRejected | ModelUnavailable


def fault(
    model: str, status: int, message: str, code: str = "", wait_s: float | None = None
) -> Fault:
    """What an error status means for the call and for the run.

    Args:
        model: The model, which a message about the whole run names.
        status: The HTTP status.
        message: The server's words, without the key.
        code: Its own name for the error, if it gave one.
        wait_s: How long it asks to wait.
    """
    reason = message or (ELSEWHERE if MOVED <= status < 400 else "the server gives no reason")
    why = f"{status} {code}: {reason}" if code else f"{status}: {reason}"
    if status < MOVED:  # a success, but no answer
        return TransientError(why, billed=True)
    if status in PASSING and code not in OUT_OF_MONEY:
        return TransientError(
            why, wait_s=wait_s, overloaded=status in OVERLOAD, billed=status in UNSURE
        )
    if status in (400, 403) and FILTERED.search(f"{code} {message}"):
        return RequestRejected(f"refused: {why}")
    if status in FATAL or status < 400 or code in EVERY_CALL or NO_MODEL.search(message):
        return ModelUnavailable(f"{model}: {why}")
    return RequestRejected(why)


def broken(
    cause: BaseException, address: str, timeout_s: float
) -> TransientError | RequestRejected:
    """What it means that a call ended without an answer; ``cause`` is the client's exception."""
    import httpx2

    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
        host = urlsplit(address).netloc
        return TransientError(f"no connection to {host}: {clean(cause, None)}", unreachable=True)
    if isinstance(cause, httpx2.TimeoutException):
        return TransientError(
            f"no whole answer within {timeout_s:g} s", overloaded=True, billed=True
        )
    if isinstance(cause, TooLong):
        # What does not end once does not end the next time either.
        return RequestRejected(
            f"the server's reply has more than {cause.most:,} bytes and was not read to its end",
            billed=True,
        )
    return TransientError(_cut(cause), billed=True)


def _cut(cause: BaseException) -> str:
    """In words, what a server did that ended a connection early."""
    import httpx2

    if isinstance(cause, httpx2.DecodingError):
        return "the server's reply is compressed in a way that cannot be read"
    if isinstance(cause, httpx2.RemoteProtocolError) and not CLOSED.search(str(cause)):
        return "the server's reply is no HTTP; is the address right, and http or https?"
    return "the server closed the connection before its reply was whole"


def retry_after(headers: "httpx2.Headers") -> float | None:
    """Seconds that a server asks to wait, given in milliseconds, seconds or as a date."""
    milliseconds = pause(headers.get("retry-after-ms", ""))
    seconds = pause(headers.get("retry-after", ""))
    if milliseconds is not None or seconds is not None:
        return seconds if milliseconds is None else milliseconds / 1000
    then = _moment(headers.get("retry-after", ""))
    if then is None:
        return None
    # By the server's own clock, since this machine's may be wrong by hours.
    now = _moment(headers.get("date", "")) or datetime.now(UTC)
    return max(0.0, (then - now).total_seconds())


def pause(text: str) -> float | None:
    """A number of seconds, or of their parts, to wait; None if it is none.

    >>> pause("17.5"), pause("-5"), pause("nan"), pause("soon")
    (17.5, 0.0, None, None)
    """
    try:
        seconds = float(text)
    except ValueError:
        return None
    return None if math.isnan(seconds) else min(max(0.0, seconds), LONGEST_PAUSE_S)


def _moment(date: str) -> datetime | None:
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return None
    return then if then.tzinfo else then.replace(tzinfo=UTC)


def clean(message: object, key: str | None) -> str:
    """A server's words in one short line, without the key.

    >>> clean("wrong key  sk-abcd1234: denied", None)
    'wrong key [key]: denied'
    """
    text = str(message)
    if key:
        text = text.replace(key, "[key]")
    text = " ".join(KEY_LIKE.sub("[key]", text).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


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
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, Mapping) else None


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
    texts: list[str] = []
    result = Content()
    other = None
    for part in value if isinstance(value, list) else [value]:
        sort, text = _part(part)
        if sort == "refusal":
            result = result._replace(refusal=words(text) or "")
        elif sort == "thought":
            result = result._replace(thought=True)
        elif sort != "text":
            other = other or sort
        elif (readable := words(text)) is None:
            result = result._replace(strange=f"its text is {kind(text)}")
        else:
            texts.append(readable)
    if other and not any(texts):
        result = result._replace(strange=result.strange or other)
    return result._replace(text="".join(texts))


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
