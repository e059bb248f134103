"""HTTP for the adapters: a client that limits a request's whole time, and faults told apart."""

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from evalcore.errors import ModelUnavailable
from evalcore.models.calls import Passing, Rejected

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
Fault = Passing | Rejected | ModelUnavailable


def client(timeout_s: float, concurrency: int) -> "httpx2.Client":
    """A client that gives up on a request after ``timeout_s``, however slowly its answer drips.

    It follows no redirects, because a redirect could carry the key to another host.
    """
    import httpx2

    class Timed(httpx2.SyncByteStream):
        """A body that may not come later than its time; the client alone limits single reads."""

        def __init__(self, body: httpx2.SyncByteStream, end: float) -> None:
            self._body = body
            self._end = end

        def __iter__(self) -> Iterator[bytes]:
            for chunk in self._body:
                if time.monotonic() > self._end:
                    raise httpx2.ReadTimeout(f"no whole answer within {timeout_s:g} s")
                yield chunk

        def close(self) -> None:
            self._body.close()

    def sending(request: httpx2.Request) -> None:
        request.extensions["ends"] = time.monotonic() + timeout_s

    def receiving(response: httpx2.Response) -> None:
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = Timed(response.stream, response.request.extensions["ends"])

    return httpx2.Client(
        timeout=timeout_s,
        limits=httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
        event_hooks={"request": [sending], "response": [receiving]},
    )


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
    why = f"{status} {code}: {message}" if code else f"{status}: {message}"
    if status in PASSING and code not in OUT_OF_MONEY:
        return Passing(why, wait_s=wait_s, overloaded=status in OVERLOAD, billed=status in UNSURE)
    if status in (400, 403) and FILTERED.search(f"{code} {message}"):
        return Rejected(f"refused: {why}")
    if status in FATAL or status < 400 or code in EVERY_CALL or NO_MODEL.search(message):
        return ModelUnavailable(f"{model}: {why}")
    return Rejected(why)


def broken(cause: BaseException, address: str, timeout_s: float) -> Passing:
    """What it means that a call ended without an answer; ``cause`` is the client's exception."""
    import httpx2

    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
        host = urlsplit(address).netloc
        return Passing(f"no connection to {host}: {clean(cause, None)}", unreachable=True)
    if isinstance(cause, httpx2.TimeoutException):
        return Passing(f"no answer within {timeout_s:g} s", overloaded=True, billed=True)
    return Passing(f"the connection was cut ({type(cause).__name__})", billed=True)


def retry_after(headers: "httpx2.Headers") -> float | None:
    """Seconds that a server asks to wait, given in milliseconds, seconds or as a date."""
    milliseconds = headers.get("retry-after-ms", "")
    try:
        if milliseconds:
            return max(0.0, float(milliseconds) / 1000)
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        then = _moment(headers.get("retry-after", ""))
    if then is None:
        return None
    # By the server's own clock, since this machine's may be wrong by hours.
    now = _moment(headers.get("date", "")) or datetime.now(UTC)
    return max(0.0, (then - now).total_seconds())


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
