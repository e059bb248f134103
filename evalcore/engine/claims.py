"""Who works on which item: leases, so that several workers on one run never do an item twice.

A lease holds as long as its worker lives. Worker processes are told apart by their id and start
time, because ids are used again.
"""

import contextlib
import functools
import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from evalcore.engine.journal import Journal


class Claims:
    """The leases of one run; workers must share the machine, or at least its process table."""

    def __init__(self, folder: Path) -> None:
        """Use the lease file of a run folder."""
        self._me = worker()
        self._held: dict[str, list[dict[str, Any]]] = {}
        """What each other worker holds."""
        self._journal = Journal(folder / "claims.jsonl", self._note)

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
        with self._journal.locked() as write:
            taken = {
                item
                for lease in self._held_by_others()
                if not set(stages).isdisjoint(lease["stages"])
                for item in lease["items"]
            }
            mine = list(islice((item for item in open_items() if item not in taken), most))
            if mine:
                write({**self._me, "stages": stages, "items": mine})
            return mine

    @contextlib.contextmanager
    def alone(self) -> Iterator[bool]:
        """Hold the lock, for what must not happen twice at a time; tells if nobody else works."""
        with self._journal.locked():
            yield not self._held_by_others()

    def release(self) -> None:
        """Let go of everything this worker holds."""
        with self._journal.locked() as write:
            write({**self._me, "stages": (), "items": ()})

    def _held_by_others(self) -> list[dict[str, Any]]:
        """The leases of other workers that live and have not let go."""
        return [lease for leases in self._held.values() if lives(leases[0]) for lease in leases]

    def _note(self, lease: dict[str, Any]) -> None:
        """Note who holds what."""
        if lease["worker"] == self._me["worker"]:
            return
        if lease["stages"]:
            self._held.setdefault(lease["worker"], []).append(lease)
        else:
            self._held.pop(lease["worker"], None)


def worker() -> dict[str, Any]:
    """Who this worker is, in the lines that it writes: worker, pid, start."""
    return {"worker": uuid.uuid4().hex[:12], "pid": os.getpid(), "start": started(os.getpid())}


def lives(line: Mapping[str, Any]) -> bool:
    """Whether the process of a worker that wrote a line is still there."""
    return bool(started(line["pid"]) == line["start"])


def started(pid: int) -> str | None:
    """When a process started, as the system tells it; None if there is none (or a dead one).

    With the boot of the machine that it runs on: another machine, or this one started anew, counts
    from another moment and gives the same ids again.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else f"{boot()} {fields[19]}"


@functools.cache
def boot() -> str:
    """Which start of which machine this is; empty if the system does not tell."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()[:8]
    except OSError:
        return ""
