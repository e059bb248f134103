"""Who works on which item: leases, so that several workers on one run never do an item twice.

A lease holds as long as its worker lives. Worker processes are told apart by their id and start
time, because ids are used again.
"""

import contextlib
import fcntl
import json
import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from evalcore.errors import EvalcoreError


class Claims:
    """The leases of one run; workers must share the machine, or at least its process table."""

    def __init__(self, folder: Path) -> None:
        """Use the lease file of a run folder."""
        self.path = folder / "claims.jsonl"
        worker = uuid.uuid4().hex[:12]
        self._me = {"worker": worker, "pid": os.getpid(), "start": started(os.getpid())}

    def take(self, stage: str, open_items: Callable[[], Sequence[str]], most: int) -> list[str]:
        """Lease up to ``most`` items of a stage.

        Args:
            stage: ``predict`` or ``judge:<key>``.
            open_items: The items without a result, asked for while the lock is held.
            most: How many to take.

        Returns:
            Item ids that nobody else works on; empty if none is left.
        """
        with self._locked() as file:
            others = self._held_by_others(file)
            taken = {item for lease in others if lease["stage"] == stage for item in lease["items"]}
            mine = [item for item in open_items() if item not in taken][:most]
            if mine:
                file.write(json.dumps({**self._me, "stage": stage, "items": mine}) + "\n")
                file.flush()
            return mine

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock: for what must not happen twice at a time, such as sealing."""
        with self._locked():
            yield

    def release(self) -> None:
        """Let go of everything this worker holds."""
        with self._locked() as file:
            file.write(json.dumps({**self._me, "stage": "", "items": []}) + "\n")

    def _held_by_others(self, file: IO[str]) -> list[dict[str, Any]]:
        """The leases of other workers that live and have not let go."""
        leases = _leases(file)
        gone = {lease["worker"] for lease in leases if not lease["stage"]}
        gone.add(self._me["worker"])
        starts = {lease["pid"]: started(lease["pid"]) for lease in leases}
        return [
            lease
            for lease in leases
            if lease["worker"] not in gone and starts[lease["pid"]] == lease["start"]
        ]

    @contextlib.contextmanager
    def _locked(self) -> Iterator[IO[str]]:
        try:
            file = self.path.open("a+", encoding="utf-8")
        except OSError as error:
            raise EvalcoreError(f"cannot write {self.path} ({error.strerror})") from None
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)  # let go by the system if this process dies
            yield file


def _leases(file: IO[str]) -> list[dict[str, Any]]:
    file.seek(0)
    whole, _, _ = file.read().rpartition("\n")
    return [json.loads(line) for line in whole.split("\n") if line]


def started(pid: int) -> str | None:
    """When a process started, as the system tells it; None if there is none (or a dead one)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]
