"""An HTTP client that bounds each reply: its bytes after decompression, and its time as a whole.

A server is free to send without end, to compress gigabytes into a few bytes, or to send a line of
headers now and then; the client's own limits are about single reads.
"""

import contextlib
import math
import threading
import time
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpcore2
    import httpx2

MOST_BYTES = 2**19
"""Of an answer, after decompression; 32 of them fit into memory many times over."""
MOST_BYTES_OF_FAULT = 64 * 2**10
"""Of the reply with an error's status: its beginning says what is wrong."""
PIECE = 16 * 2**10
"""Bytes that are sent or unpacked between two looks at the clock and the sum."""
ZLIB_OR_GZIP = 47
"""What zlib calls to find out by itself which of the two a stream is."""
NOT_OF_THE_BODY = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers that hold no longer once the body is read."""


class TooLong(Exception):
    """A reply has more bytes than are read."""

    def __init__(self, most: int) -> None:
        super().__init__(f"longer than {most:,} bytes")
        self.most = most


def client(timeout_s: float, concurrency: int, most_bytes: int = MOST_BYTES) -> "httpx2.Client":
    """A client whose replies come whole, or not at all.

    It follows no redirects, because a redirect could carry the key to another host.

    Args:
        timeout_s: Seconds for a request and its reply together: connecting, status line, headers
            and body, however slowly they drip. ``httpx2.TimeoutException`` when they are over.
        concurrency: Most requests at once.
        most_bytes: Of a body after decompression; one byte more raises ``TooLong``. The body of
            an error's reply is cut instead.
    """
    import httpx2

    deadline = _Deadline()

    class Bounded(httpx2.Client):
        """Reads every reply whole before it gives it out."""

        def send(
            self, request: httpx2.Request, *, stream: bool = False, **more: Any
        ) -> httpx2.Response:
            deadline.set(timeout_s)
            reply = super().send(request, stream=True, **more)
            with contextlib.closing(reply):
                body = _body(reply, most_bytes)
            if reply.is_server_error:
                # A server closes the connection after a fault of its own, and the next call would
                # meet it closing.
                reply.extensions["network_stream"].close()
            headers = [(n, v) for n, v in reply.headers.items() if n not in NOT_OF_THE_BODY]
            return httpx2.Response(
                reply.status_code, headers=headers, content=body, request=request
            )

    client = Bounded(
        timeout=timeout_s,
        limits=httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency),
        # Nothing is gained by less: a reply has a few thousand bytes.
        headers={"accept-encoding": "identity"},
    )
    _hurry(client, deadline)
    return client


def downloads(timeout_s: float) -> "httpx2.Client":
    """A client for files, which follows redirects: a reply has to begin in time, and go on.

    Args:
        timeout_s: Seconds for status line and headers together, and for each piece of the body,
            whose length the caller has to look at.
    """
    import httpx2

    deadline = _Deadline()

    class Prompt(httpx2.Client):
        """Waits for a reply's beginning no longer than it may take."""

        def send(self, request: httpx2.Request, **more: Any) -> httpx2.Response:
            deadline.set(timeout_s)
            try:
                return super().send(request, **more)
            finally:
                deadline.set(math.inf)

    client = Prompt(timeout=timeout_s, follow_redirects=True)
    _hurry(client, deadline)
    return client


def _hurry(client: "httpx2.Client", deadline: "_Deadline") -> None:
    """Have all of a client's connections heed a deadline.

    The client makes its own transports, also those through proxies that the environment names;
    their pools have no public way to another backend.
    """
    import httpx2

    for transport in (client._transport, *client._mounts.values()):
        if isinstance(transport, httpx2.HTTPTransport):
            pool: Any = transport._pool
            pool._network_backend = _Backend(pool._network_backend, deadline)


def _body(reply: "httpx2.Response", most_bytes: int) -> bytes:
    fault = reply.is_error
    most = MOST_BYTES_OF_FAULT if fault else most_bytes
    body, piece = bytearray(), b""
    try:
        for piece in _pieces(reply):
            body += piece
            if len(body) > most and fault:
                break
            if len(body) > most:
                raise TooLong(most)
        return bytes(body[:most])
    finally:
        body.clear()  # or an error that is kept would keep what was read, too
        piece = b""


def _pieces(reply: "httpx2.Response") -> Iterator[bytes]:
    """The body, decompressed in small pieces; the client's own are of a megabyte each."""
    if reply.headers.get("content-encoding", "").lower() not in ("gzip", "x-gzip", "deflate"):
        yield from reply.iter_bytes()
        return
    unpack = zlib.decompressobj(ZLIB_OR_GZIP)
    for packed in reply.iter_raw(PIECE):
        while packed and not unpack.eof:
            try:
                yield unpack.decompress(packed, PIECE)
            except zlib.error:
                import httpx2

                raise httpx2.DecodingError("no such compression", request=reply.request) from None
            packed = unpack.unconsumed_tail


class _Deadline(threading.local):
    """When the request of this thread has to be over; a request is carried out in one thread."""

    end = math.inf

    def set(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    def left(self, timeout: float | None, step: str) -> float:
        """Seconds that a step may take, ``Connect``, ``Read`` or ``Write``."""
        import httpcore2

        left = min(self.end - time.monotonic(), math.inf if timeout is None else timeout)
        if left <= 0:
            over: type[Exception] = getattr(httpcore2, f"{step}Timeout")
            raise over("the time for the whole request is over")
        return left


class _Stream:
    """A network stream none of whose steps goes on after the deadline."""

    def __init__(self, inner: "httpcore2.NetworkStream", deadline: _Deadline) -> None:
        self._inner, self._deadline = inner, deadline
        self.close = inner.close
        self.get_extra_info = inner.get_extra_info

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._deadline.left(timeout, "Read"))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for at in range(0, len(buffer), PIECE):
            self._inner.write(buffer[at : at + PIECE], self._deadline.left(timeout, "Write"))

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> "_Stream":
        left = self._deadline.left(timeout, "Connect")
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._deadline)


class _Backend:
    """A network backend with such streams."""

    def __init__(self, inner: "httpcore2.NetworkBackend", deadline: _Deadline) -> None:
        self._inner, self._deadline = inner, deadline
        self.sleep = inner.sleep

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, **more: Any
    ) -> _Stream:
        left = self._deadline.left(timeout, "Connect")
        return _Stream(self._inner.connect_tcp(host, port, left, **more), self._deadline)
