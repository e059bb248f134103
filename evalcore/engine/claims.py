"""Who works on which item: leases, so that several workers on one run never do an item twice.

A lease holds as long as its worker lives. Worker processes are told apart by their id and start
time, because ids are used again.
"""

import contextlib
import errno
import fcntl
import json
import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import FileIO
from itertools import islice
from pathlib import Path
from typing import Any

from evalcore.errors import EvalcoreError


class Claims:
    """The leases of one run; workers must share the machine, or at least its process table."""

    def __init__(self, folder: Path) -> None:
        """Use the lease file of a run folder."""
        self.path = folder / "claims.jsonl"
        worker = uuid.uuid4().hex[:12]
        self._me = {"worker": worker, "pid": os.getpid(), "start": started(os.getpid())}
        self._read = 0
        self._held: dict[str, list[dict[str, Any]]] = {}
        """What each other worker holds, by the first ``_read`` bytes of the file."""

    def take(
        self, stages: Sequence[str], open_items: Callable[[], Iterable[str]], most: int
    ) -> list[str]:
        """Lease up to ``most`` items for all of some stages.

        Args:
            stages: ``predict`` or ``judge:<key>``; an item that another worker holds for one of
                them is not given.
            open_items: The items without a result, asked for while the lock is held and only as
                far as needed.
            most: How many to take.

        Returns:
            Item ids that nobody else works on; empty if none is left.
        """
        with self._locked() as file:
            taken = {
                item
                for lease in self._held_by_others()
                if not set(stages).isdisjoint(lease["stages"])
                for item in lease["items"]
            }
            mine = list(islice((item for item in open_items() if item not in taken), most))
            if mine:
                self._append(file, stages, mine)
            return mine

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        """Hold the lock, for what must not happen twice at a time; tells if nobody else works."""
        with self._locked():
            yield not self._held_by_others()

    def release(self) -> None:
        """Let go of everything this worker holds."""
        with self._locked() as file:
            self._append(file, (), ())

    def _append(self, file: FileIO, stages: Sequence[str], items: Sequence[str]) -> None:
        line = json.dumps({**self._me, "stages": stages, "items": items}).encode() + b"\n"
        try:
            if file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise EvalcoreError(f"cannot write {self.path} ({error.strerror})") from None

    def _held_by_others(self) -> list[dict[str, Any]]:
        """The leases of other workers that live and have not let go."""
        return [
            lease
            for leases in self._held.values()
            if started(leases[0]["pid"]) == leases[0]["start"]
            for lease in leases
        ]

    @contextlib.contextmanager
    def _locked(self) -> Iterator[FileIO]:
        try:
            file = FileIO(self.path, "a+")
        except OSError as error:
            raise EvalcoreError(f"cannot write {self.path} ({error.strerror})") from None
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)  # let go by the system if this process dies
            file.seek(self._read)
            new = file.read()
            whole = new[: new.rfind(b"\n") + 1]
            self._note(whole)
            self._read += len(whole)
            file.truncate(self._read)  # a line may be cut off by a kill or a full disk
            yield file

    def _note(self, lines: bytes) -> None:
        """Note who holds what, by lines that were not read before."""
        for lease in map(json.loads, lines.splitlines()):
            if lease["worker"] == self._me["worker"]:
                continue
            if lease["stages"]:
                self._held.setdefault(lease["worker"], []).append(lease)
            else:
                self._held.pop(lease["worker"], None)


def started(pid: int) -> str | None:
    """When a process started, as the system tells it; None if there is none (or a dead one)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else fields[19]
