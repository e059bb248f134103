"""Prints how close many calls come to the ideal: ``python -m bench.calls``.

A server on this machine, in a process of its own, takes 0.3 s for every call; 32 calls are in
flight. The ideal is as many rounds of 0.3 s as 1,000 calls in groups of 32 need. The same calls
with nothing but an HTTP client in 32 threads stand beside it, so that the ratio shows what the
adapters cost on any machine. The makers' packages, which a process loads once, are loaded before.
"""

import json
import math
import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection

import google.genai
import httpx2
import openai

from bench.clock import Times, times
from bench.table import ms, show, verdict
from evalcore.models.gemini import GeminiChat
from evalcore.models.openai_chat import OpenAIChat
from evalcore.records import Item

CALLS, IN_FLIGHT, DELAY_S, RUNS, BAR = 1000, 32, 0.3, 3, 1.2
IDEAL_S = math.ceil(CALLS / IN_FLIGHT) * DELAY_S
PROMPT = "Question, references, answer: is the answer right? " * 20
OPENAI = {
    "choices": [{"message": {"content": "1.0"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 300, "completion_tokens": 3},
}
GEMINI = {
    "candidates": [{"content": {"parts": [{"text": "1.0"}]}, "finishReason": "STOP"}],
    "usageMetadata": {"promptTokenCount": 300, "candidatesTokenCount": 3},
}


class _Slow(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        time.sleep(DELAY_S)
        body = json.dumps(OPENAI if self.path.endswith("/completions") else GEMINI).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True


def _serve(tell: Connection) -> None:
    server = _Server(("127.0.0.1", 0), _Slow)
    tell.send(server.server_port)
    server.serve_forever()


def _bare(url: str) -> None:
    """The same calls with an HTTP client alone."""
    body = {"model": "m", "messages": [{"role": "user", "content": PROMPT}]}
    with httpx2.Client() as client, ThreadPoolExecutor(IN_FLIGHT) as pool:
        found = pool.map(
            lambda _: client.post(f"{url}/v1/chat/completions", json=body).json(), range(CALLS)
        )
        assert len(list(found)) == CALLS


def _predicted(model: OpenAIChat | GeminiChat) -> None:
    items = [Item("bench", str(one), PROMPT, ()) for one in range(CALLS)]
    assert sum(one.text == "1.0" for one in model.predict(items)) == CALLS


def _asked(model: OpenAIChat) -> None:
    """As judges do: from threads of their own."""
    with ThreadPoolExecutor(IN_FLIGHT) as pool:
        replies = pool.map(lambda _: model.ask(PROMPT), range(CALLS))
        assert all(reply.text == "1.0" for reply in replies)


def _row(name: str, call: Callable[[], object]) -> tuple[str, Times]:
    return name, times(call, RUNS)


def main() -> None:
    """Print seconds of 1,000 calls, each way, beside the ideal."""
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(there,), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}"
    try:
        rows = [
            _row("HTTP client alone", lambda: _bare(url)),
            _row("OpenAI-compatible, predict", lambda: _predicted(_openai(url))),
            _row("OpenAI-compatible, ask", lambda: _asked(_openai(url))),
            _row("Gemini, predict", lambda: _predicted(GeminiChat("m", base_url=url))),
        ]
    finally:
        server.terminate()
    worst = max(found.most for _, found in rows[1:]) / IDEAL_S
    show(
        f"{CALLS} calls of {ms(DELAY_S)}, {IN_FLIGHT} in flight, openai {openai.__version__}, "
        f"google-genai {google.genai.__version__}; ideal {ms(IDEAL_S)}, "
        f"bar {BAR} x: {verdict(worst, BAR)}",
        (f"{RUNS} runs", "min", "median", "max", "max / ideal"),
        [(name, *map(ms, found), f"{found.most / IDEAL_S:.2f} x") for name, found in rows],
    )


def _openai(url: str) -> OpenAIChat:
    return OpenAIChat("m", base_url=f"{url}/v1", concurrency=IN_FLIGHT)


if __name__ == "__main__":
    main()
