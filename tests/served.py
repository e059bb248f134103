"""A real OpenAI-compatible server with a real model: ``transformers serve`` with a demo model."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from evalcore.home import ROOT

MODELS = ROOT / "data" / "demo_models"
PATIENCE_S = 90
"""Seconds after which a server that is not healthy has failed."""
GRACE_S = 10
ENVIRONMENT = {"HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1"}
"""One thread: the model is so small that several only wait for each other."""
CALL = '"POST /v1/chat/completions'
RECEIVED = "[Request received]"


class Served:
    """A server on a port of its own, which stays the same when it is stopped and started again."""

    def __init__(self, model: str, log: Path) -> None:
        """Take a free port; nothing runs yet.

        Args:
            model: A folder in ``data/demo_models``; the server is started beside it, so that its
                name there is the model's name too.
            log: Where everything goes that the server says.
        """
        self.model = model
        self.log = log
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it is healthy.

        Raises:
            RuntimeError: It ended, or was not healthy in time; the message holds what it said.
        """
        arguments = ["serve", self.model, "--device", "cpu", "--host", "127.0.0.1"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "transformers.cli.transformers", *arguments]
                + ["--port", str(self.port)],
                cwd=MODELS,
                env=os.environ | ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        end = time.monotonic() + PATIENCE_S
        while not self._healthy():
            code = self._process.poll()
            if code is not None or time.monotonic() > end:
                self.stop()
                how = f"ended with {code}" if code is not None else f"is not up in {PATIENCE_S} s"
                raise RuntimeError(f"transformers serve {how}; it said:\n{self.said()[-3000:]}")
            time.sleep(0.1)

    def stop(self) -> None:
        """Ask the server to end, and end it if it does not; nothing if it does not run."""
        if self._process is None:
            return
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End the server in the middle of whatever it does."""
        assert self._process is not None
        self._signal(signal.SIGKILL)
        self._process.wait()

    def calls(self) -> int:
        """Chat completions that were answered so far, with whatever status."""
        return self.said().count(CALL)

    def most_at_once(self, since: int) -> int:
        """Most calls under way at the same time, by the server's own account.

        Args:
            since: Characters that it had said before.
        """
        now = most = 0
        for mark in re.findall(f"{re.escape(RECEIVED)}|{re.escape(CALL)}", self.said()[since:]):
            now += 1 if mark == RECEIVED else -1
            most = max(most, now)
        return most

    def said(self) -> str:
        """Everything that the server has said so far."""
        return self.log.read_text("utf-8", "replace")

    def _signal(self, number: int) -> None:
        """Reach the server and whatever it started."""
        assert self._process is not None
        if self._process.poll() is None:
            os.killpg(self._process.pid, number)

    def _healthy(self) -> bool:
        address = f"http://127.0.0.1:{self.port}/health"
        try:
            with urllib.request.urlopen(address, timeout=1) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
