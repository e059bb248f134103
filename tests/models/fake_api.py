"""A server on this machine that answers as a script tells it, over real sockets."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What the server does with one call."""

    body: Any = None
    """A dict goes out as JSON, bytes as they are."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut: bool = False
    """Close the connection without a word."""
    drip_s: float = 0.0
    """Send the body byte by byte, so many seconds apart."""


@dataclass(frozen=True)
class Call:
    """What came in."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    at: float


class Api:
    """Counts and keeps what comes in."""

    def __init__(self, script: Callable[[Call, int], Answer]) -> None:
        self.script = script
        self.calls: list[Call] = []
        self.busy = 0
        self.most_busy = 0
        self.lock = threading.Lock()
        self.url = ""

    def answer(self, call: Call) -> Answer:
        with self.lock:
            self.calls.append(call)
            turn = len(self.calls) - 1
            self.busy += 1
            self.most_busy = max(self.busy, self.most_busy)
        answer = self.script(call, turn)
        time.sleep(answer.delay_s)
        with self.lock:
            self.busy -= 1
        return answer


class _Server(ThreadingHTTPServer):
    # The usual five would refuse most of 32 calls that come at once.
    request_queue_size = 256
    daemon_threads = True
    api: Api

    def handle_error(self, request, client_address):
        """A client that hangs up is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        call = Call(self.path, headers, json.loads(raw), time.monotonic())
        answer = self.server.api.answer(call)
        if answer.cut:
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        for piece in [body] if not answer.drip_s else [bytes([one]) for one in body]:
            self.wfile.write(piece)
            time.sleep(answer.drip_s)

    def log_message(self, *args):
        """Keep the tests' output clean."""


@contextlib.contextmanager
def serving(script: Callable[[Call, int], Answer] | Sequence[Answer] | Answer) -> Iterator[Api]:
    """A running server; a list is answered in order, its last element again and again."""
    if isinstance(script, Answer):
        script = [script]
    if not callable(script):
        turns = list(script)
        script = lambda call, turn: turns[min(turn, len(turns) - 1)]  # noqa: E731
    server = _Server(("127.0.0.1", 0), _Handler)
    server.api = api = Api(script)
    api.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
