"""A server on this machine that keeps to no rule: raw bytes over real sockets."""

import contextlib
import functools
import itertools
import json
import re
import socket
import threading
import zlib
from collections.abc import Callable, Iterator

Pieces = Iterator[bytes]
OPENAI = {"choices": [{"message": {"content": "red"}, "finish_reason": "stop"}]}
GEMINI = {"candidates": [{"content": {"parts": [{"text": "red"}]}, "finishReason": "STOP"}]}
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"
BLOCK = b"%x\r\n%s\r\n" % (65_536, b" " * 65_536)
MEGABYTES = 300
"""Of zeros in the compressed replies."""
DRIP_S = 0.05
"""Between two pieces of a slow reply."""


def whole(reply: object) -> Pieces:
    """A proper reply."""
    body = json.dumps(reply).encode()
    yield HEAD + b"content-length: %d\r\n\r\n%s" % (len(body), body)


@functools.cache
def packed(bits: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, bits)
    zeros = b"0" * 2**20
    return b"".join([packer.compress(zeros) for _ in range(MEGABYTES)]) + packer.flush()


def _bomb(name: bytes, bits: int) -> Pieces:
    body = packed(bits)
    yield HEAD + b"content-encoding: %s\r\ncontent-length: %d\r\n\r\n" % (name, len(body))
    yield body


def _slowly(pieces: Pieces) -> Pieces:
    """As they are, a little apart: ``serving`` waits at each empty piece."""
    for piece in pieces:
        yield piece
        yield b""


ATTACKS: dict[str, Callable[[], Pieces]] = {
    "endless body": lambda: itertools.chain([CHUNKED], itertools.repeat(BLOCK)),
    "endless body without a length": lambda: itertools.chain(
        [HEAD + b"\r\n"], itertools.repeat(BLOCK)
    ),
    "endless text": lambda: itertools.chain(
        [HEAD + b'\r\n{"choices": [{"message": {"content": "'], itertools.repeat(b"a" * 65_536)
    ),
    "endless body of a fault": lambda: itertools.chain(
        [CHUNKED.replace(b"200 OK", b"400 Bad Request")], itertools.repeat(BLOCK)
    ),
    "gzip bomb": lambda: _bomb(b"gzip", 31),
    "deflate bomb": lambda: _bomb(b"deflate", 15),
    "endless headers": lambda: itertools.chain([HEAD], itertools.repeat(b"x: y\r\n" * 10_000)),
    "slow headers": lambda: _slowly(itertools.chain([HEAD], itertools.repeat(b"x: y\r\n"))),
    "slow status line": lambda: _slowly(itertools.repeat(b"H")),
    "slow status lines": lambda: _slowly(itertools.repeat(b"HTTP/1.1 100 Continue\r\n\r\n")),
    "slow body": lambda: _slowly(itertools.chain([CHUNKED], itertools.repeat(b"1\r\n \r\n"))),
    "slow trailers": lambda: _slowly(
        itertools.chain([CHUNKED + b"1\r\n \r\n0\r\n"], itertools.repeat(b"x: y\r\n"))
    ),
    "nested objects": lambda: whole_text(b"[" * 600_000),
    "many small objects": lambda: whole_text(b"[" + b"{}," * 200_000 + b"{}]"),
}
"""What a server may do without end, by name."""


def whole_text(body: bytes) -> Pieces:
    """A reply of these bytes."""
    yield HEAD + b"content-length: %d\r\n\r\n%s" % (len(body), body)


@contextlib.contextmanager
def serving(script: Callable[[bytes, int], Pieces]) -> Iterator[str]:
    """A running server's address.

    Args:
        script: Given a request and how many came before it, what is sent back until the client
            hangs up; an empty piece is a short wait.
    """
    packed(31), packed(15)  # takes its time, once
    over = threading.Event()
    turns = itertools.count()
    held = socket.create_server(("127.0.0.1", 0), backlog=256)

    def one(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(10)
            while (request := _request(connection)) and not over.is_set():
                for piece in script(request, next(turns)):
                    if over.is_set():
                        return
                    if piece:
                        connection.sendall(piece)
                    else:
                        over.wait(DRIP_S)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = held.accept()
                threading.Thread(target=one, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{held.getsockname()[1]}"
    finally:
        over.set()
        with contextlib.suppress(OSError):
            held.shutdown(socket.SHUT_RDWR)
        held.close()


def _request(connection: socket.socket) -> bytes:
    """The next request; empty if the client hung up."""
    data = b""
    while b"\r\n\r\n" not in data:
        got = connection.recv(65_536)
        if not got:
            return b""
        data += got
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
    while length and len(body) < int(length[1]):
        body += connection.recv(65_536)
    return head + body
