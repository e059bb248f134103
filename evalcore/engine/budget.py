"""The money of one run: one cap for its model, its judges and all its workers, over all its passes.

Every call that costs is noted in ``spending.jsonl`` of the run's folder before it is made, with the
most that it can cost, and when it has ended, with what it cost. So nothing that was paid is lost
with a worker that is killed: its calls under way count with the most they can have cost.
"""

import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evalcore.engine import provenance
from evalcore.engine.claims import lives, worker
from evalcore.engine.lines import Journal, Write
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError
from evalcore.models.cap import Budget, Hold
from evalcore.models.spending import check_cap

FILE = "spending.jsonl"
log = logging.getLogger(__name__)


class Ledger:
    """What the lines say: spent, set aside, cap.

    Lines: ``before`` (spent until the file was begun), ``cap``, ``hold`` with ``usd`` and who holds
    it, and ``paid`` for a hold, by its worker or, if that one died (``lost``), by another. A line
    with ``due`` tells what its worker keeps back for judging the answers that it has bought.
    """

    def __init__(self) -> None:
        self.begun = False
        self.cap: float | None = None
        self.capped = False
        """Whether a cap, or that there is none, was ever told."""
        self.spent = 0.0
        self.lost = 0.0
        """The part of it that killed workers may have spent, at most."""
        self.holds: dict[tuple[str, int], dict[str, Any]] = {}
        self.reserved: dict[str, dict[str, Any]] = {}
        """The last line of each worker that keeps something back."""

    def note(self, line: Mapping[str, Any]) -> None:
        """Take in a line."""
        self.begun = True
        if "due" in line:
            self.reserved[line["worker"]] = dict(line)
        if "before" in line:
            self.spent += line["before"]
        elif "cap" in line:
            self.cap, self.capped = line["cap"], True
        elif "paid" in line:
            if self.holds.pop((line["worker"], line["hold"]), None) is not None:
                self.spent += line["paid"]
                self.lost += line["paid"] if line.get("lost") else 0.0
        elif "hold" in line:
            self.holds[line["worker"], line["hold"]] = dict(line)

    def due_of_others(self, me: str) -> float:
        """What other workers that live keep back for judging."""
        others = [line for worker, line in self.reserved.items() if worker != me and line["due"]]
        return sum(float(line["due"]) for line in others if lives(line))

    def left_behind(self) -> list[dict[str, Any]]:
        """What workers had set aside that are gone."""
        return [line for line in self.holds.values() if not lives(line)]


def read(folder: Path) -> Ledger | None:
    """The ledger of a run as they stand; None if it never spent or was capped.

    What a dead worker had set aside is spent.
    """
    ledger = Ledger()
    Journal(folder / FILE, ledger.note).look()
    for line in ledger.left_behind():
        ledger.note({**line, "paid": line["usd"], "lost": True})
    return ledger if ledger.begun else None


class RunBudget(Budget):
    """The budget of one run, which several processes may use at the same time."""

    def __init__(self, folder: Path, before: Callable[[], float] = float) -> None:
        """Open the budget of a run folder; the file is begun when something is spent or capped.

        Args:
            folder: The run's.
            before: What the run had spent before it had such a file.
        """
        super().__init__()
        self._me = worker()
        self._before = before
        self._known = Ledger()
        self._journal = Journal(folder / FILE, self._known.note)
        self._write: Write | None = None
        self._looked_for_dead = False
        self._told_due = 0.0
        self._unwritten: list[dict[str, Any]] = []

    def limit(self, cap: float | None) -> None:
        """Let a cap hold from now on for every worker, or none.

        Raises:
            BadInput: It is no sum of money.
            EvalcoreError: The folder cannot be written.
        """
        check_cap(cap)
        with self._changed, self._open() as write:
            if not self._known.capped or self._known.cap != cap:
                write({"cap": cap})
            self._look()

    @property
    def spent_usd(self) -> float:
        """Spent so far by all workers; a call whose cost is not known counts with its worst case.

        What another worker has set aside is not spent yet.
        """
        with self._changed:
            self._journal.look()
            return self._known.spent

    @property
    def cap(self) -> float | None:
        """Dollars, as last told by any worker; None: no cap."""
        with self._changed:
            self._journal.look()
            return self._known.cap

    def close(self) -> None:
        """Let nobody wait any longer, nor keep anything back for judging."""
        super().close()
        with self._changed:
            self._owed.clear()
            if self._told_due:
                with contextlib.suppress(EvalcoreError), self._open() as write:
                    self._tell_due(write)

    @contextlib.contextmanager
    def _books(self) -> Iterator[None]:
        with self._open() as write:
            self._write = write
            if not self._looked_for_dead:
                self._bury()
                self._looked_for_dead = True
            self._look()
            yield

    @contextlib.contextmanager
    def _open(self) -> Iterator[Write]:
        with self._journal.locked() as write:
            if not self._known.begun:
                write({"before": self._before()})
            while self._unwritten:
                write(self._unwritten[0])
                del self._unwritten[0]
            yield write

    def _look(self) -> None:
        self._cap, self._spent = self._known.cap, self._known.spent

    def _in_flight(self) -> float:
        return sum(float(line["usd"]) for line in self._known.holds.values())

    def _waits_for_any(self) -> bool:
        """Whether a living worker has set something aside."""
        self._bury()
        self._look()
        assert self._write is not None
        self._tell_due(self._write)  # or two workers could wait for each other's old reserved
        return bool(self._known.holds)

    def _due_for_others(self, item: str) -> float:
        return super()._due_for_others(item) + self._known.due_of_others(self._me["worker"])

    def _tell_due(self, write: Write) -> None:
        due = self._due()
        if due != self._told_due:
            self._told_due = due
            write({**self._me, "due": due})

    def _bury(self) -> None:
        """Count as spent what dead workers had set aside, so that nobody waits for them."""
        gone = self._known.left_behind()
        assert self._write is not None
        for line in gone:
            paid = {"worker": line["worker"], "hold": line["hold"], "paid": line["usd"]}
            self._write({**paid, "lost": True})
        if gone:
            log.warning(
                "%d calls were under way when their worker died; the most that they can have cost,"
                " $%.4f, counts as spent",
                len(gone),
                sum(line["usd"] for line in gone),
            )

    def _take(self, usd: float, item: str | None, owner: str) -> Hold:
        assert self._write is not None
        hold = Hold(next(self._numbers), usd, self, item, owner)
        due = self._due()
        facts = {} if due == self._told_due else {"due": due}
        self._told_due = due
        self._write({**self._me, "hold": hold.number, "usd": usd, **facts})
        return hold

    def _pay(self, hold: Hold, usd: float) -> None:
        paid = {"worker": self._me["worker"], "hold": hold.number, "paid": usd}
        # The answer is there and must not be lost: what cannot be written now is written before the
        # next call is made, and until then, or for good, the most it can have cost counts.
        self._unwritten.append(paid)
        with contextlib.suppress(EvalcoreError), self._open():
            pass


def spent_usd(run: Run) -> float:
    """What a run has cost so far in dollars, failed attempts and lost ones included."""
    ledger = read(run.folder)
    return _recorded(run) if ledger is None else ledger.spent


def cap_usd(run: Run) -> float | None:
    """What a run may spend at most in dollars, as last told; None: no cap."""
    ledger = read(run.folder)
    if ledger is not None and ledger.capped:
        return ledger.cap
    cap: float | None = run.settings.options.get("max_usd")
    return cap


def limit(run: Run, cap: float | None) -> None:
    """Let a cap hold from now on, for every worker and every later pass; None: no cap.

    Raises:
        BadInput: It is no number of dollars from 0 up.
        EvalcoreError: The folder cannot be written.
    """
    RunBudget(run.folder, lambda: _recorded(run)).limit(cap)


def budget_of(run: Run) -> RunBudget:
    """The budget that a worker on a run spends from.

    Raises:
        EvalcoreError: The folder cannot be written.
    """
    opened = RunBudget(run.folder, lambda: _recorded(run))
    cap = cap_usd(run)
    if cap is not None:
        opened.limit(cap)
    return opened


def _recorded(run: Run) -> float:
    """What the records alone tell: all there is of a run that has kept no ledger yet."""
    lost = sum(float(fact.about["usd"]) for fact in run.facts(provenance.UNANSWERED))
    paid = [prediction.usd for prediction in run.predictions().values()]
    paid += [
        verdict.usd for key in run.judges() for verdict in run.follow_verdicts(key).now().values()
    ]
    return lost + sum(usd or 0.0 for usd in paid)
