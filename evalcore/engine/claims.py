"""Who works on which item: leases, so that several workers on one run never do an item twice.

A lease holds as long as its worker lives. Worker processes are told apart by their id and start
time, because ids are used again.
"""

import contextlib
import functools
import logging
import os
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from evalcore.engine.lines import Journal
from evalcore.errors import EvalcoreError
from evalcore.records import Item, Prediction


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


log = logging.getLogger(__name__)
Ask = Callable[[Iterable[Item]], Iterator[Prediction]]
"""``ModelAdapter.predict``."""
SILENT = "the model gave no answer for this item"


class ItemQueue(Iterator[Item]):
    """The items of one worker: leased a few hundred at a time, as the model takes them."""

    def __init__(
        self,
        first: Iterable[Item],
        lease: Callable[[], Iterable[Item]],
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Give out ``first``, then what ``lease`` gives when all is used up; nothing ends it.

        Once it is ``stopped``, what the model has taken and not answered stays unanswered.
        """
        self._ready = deque(first)
        self._lease = lease
        self.stopped = stopped
        self.ended = False
        self.taken = 0
        self.unanswered: dict[str, Item] = {}
        """What the model took and has not answered yet, in that order."""

    def end(self) -> None:
        """Give nothing more; what the model has taken it may still answer."""
        self._ready.clear()
        self.ended = True

    def left(self) -> list[Item]:
        """What the model has taken and will not answer by itself; nothing once it is to stop."""
        return [] if self.stopped() else list(self.unanswered.values())

    def __next__(self) -> Item:
        """The model's next item."""
        if self.stopped():
            self.end()
        if not self._ready and not self.ended:
            self._ready.extend(self._lease())
            self.ended = not self._ready
        if not self._ready:
            raise StopIteration
        item = self._ready.popleft()
        self.taken += 1
        self.unanswered[item.id] = item
        return item


def answers(ask: Ask, source: ItemQueue) -> Iterator[Prediction]:
    """One answer for every item of the source, as the model gives them.

    Where the model breaks, what it had taken is asked one by one, and what breaks then is a
    failure, as is an item about which the model says nothing; after that the stream goes on.

    Raises:
        EvalcoreError: What ends a whole run, such as a wrong key or the spend cap.
    """
    while not source.ended:
        before, broke = source.taken, False
        try:
            for prediction in ask(source):
                if source.unanswered.pop(prediction.item, None) is not None:
                    yield prediction
        except EvalcoreError:
            raise
        except Exception as error:  # noqa: BLE001  any adapter may fail in any way
            log.warning("%s on %d items", type(error).__name__, len(source.unanswered))
            broke = True
        if source.taken == before:  # or a model that takes nothing would be asked for ever
            next(source, None)
        for item in source.left():
            del source.unanswered[item.id]
            yield _alone(ask, item) if broke else Prediction(item.id, None, error=SILENT)


def _alone(ask: Ask, item: Item) -> Prediction:
    try:
        prediction = next((answer for answer in ask([item]) if answer.item == item.id), None)
    except EvalcoreError:
        raise
    except Exception as error:  # noqa: BLE001  recorded, counted and shown
        return Prediction(item.id, None, error=f"{type(error).__name__}: {str(error)[:300]}")
    return prediction or Prediction(item.id, None, error=SILENT)
