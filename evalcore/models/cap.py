"""A cap on spending that calls in flight cannot exceed together."""

import contextlib
import itertools
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from evalcore.errors import SpendCapReached

POLL_S = 0.2
_ROUNDING = 1e-9
"""Of sums of many small amounts, as a share of the cap."""
UNBELIEVABLE = 20
"""So many times the most tokens that were thought possible is no count but an error: makers count
pictures differently by up to a tenth of that."""


@dataclass(frozen=True)
class Hold:
    """Money that was set aside for one call."""

    number: int
    usd: float
    budget: "Budget | None" = field(default=None, repr=False, compare=False)
    """Where it was set aside; None for a call that costs nothing."""
    item: str | None = None
    """The item whose answer it buys; None for a judge's call."""
    owner: str = ""
    """The model that is called."""


class Budget:
    """What may be spent up to one cap, by several models and threads together.

    Every call sets aside the most that it can cost, going by what was asked and by the dearest
    reply so far. What this promises:

    - While no reply costs more than what was set aside for it, the cap is never exceeded.
    - A server may bill more than could be foreseen. Then the cap is exceeded by that excess alone,
      and only by calls under way when it became known. Unless even ``UNBELIEVABLE`` times the most
      of all calls under way fits under the cap, no more calls of a model are under way than it
      has replied before, so at first one: a server that bills every call too high by the same
      factor exceeds the cap with its first reply or not at all.
    - Nothing is refused while what is left pays for the next call at that price: where it does not
      fit for what others have set aside, it waits until they have settled.

    An answer is bought only if judging it can be paid for too: what that can cost is kept back from
    other answers, not from judges, until the verdicts are there.

    This one is kept in memory; ``engine.budget`` has one that processes share.
    """

    def __init__(self, cap: float | None = None) -> None:
        self._cap = cap
        self._spent = 0.0
        self._holds: dict[int, float] = {}
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._closed = False
        self._judging: dict[str, Callable[[], float]] = {}
        self._owed: dict[str, set[str]] = {}
        """Verdict key → items whose answers are there, or under way, and not judged yet."""
        self._under_way: Counter[str] = Counter()
        """Calls by owner."""

    @property
    def cap(self) -> float | None:
        """Dollars; None: no cap."""
        with self._changed, self._books():
            return self._cap

    @property
    def spent_usd(self) -> float:
        """Spent so far; a call whose cost is not known counts with the most it can have cost."""
        with self._changed, self._books():
            return self._spent

    def expect(self, judging: Mapping[str, Callable[[], float]]) -> None:
        """Keep back what the judging of each answer to come can cost, by verdict key.

        Args:
            judging: Gives dollars, more of them once the judge turns out to be dearer.
        """
        with self._changed:
            self._judging = {key: usd for key, usd in judging.items() if usd() > 0}
            self._owed = {key: set() for key in self._judging}

    def owe(self, item: str, key: str) -> None:
        """Keep back the judging of an answer that is there, if it is expected to cost."""
        with self._changed:
            self._owe(item, key)

    def judged(self, item: str, key: str) -> None:
        """Keep back nothing more for one verdict: it is there, or will not come."""
        with self._changed:
            self._forgive(item, key)
            self._changed.notify_all()

    def reserve(
        self,
        usd: Callable[[], float] | float,
        stop: threading.Event,
        owner: str,
        item: str | None = None,
        replies: Callable[[], int] = lambda: sys.maxsize,
    ) -> Hold | None:
        """Set aside the most that a call can cost, waiting for calls in flight if need be.

        Args:
            usd: Dollars; as a function, asked again after each wait.
            stop: Ends the waiting.
            owner: The model, which an error names.
            item: The item whose answer is bought, which must then be judged; None for a judge.
            replies: Gives how many replies of this model told what they cost.

        Returns:
            What was set aside, for ``charge``; None if ``stop`` was set meanwhile.

        Raises:
            SpendCapReached: The call does not fit under the cap and none is in flight, or the
                budget was closed.
        """
        with self._changed:
            while not stop.is_set():
                with self._books():
                    most = usd() if callable(usd) else usd
                    hold = self._held(most, owner, item, replies())
                if hold is not None:
                    self._under_way[owner] += 1
                    return hold
                self._changed.wait(POLL_S)
        return None

    def charge(self, hold: Hold, usd: float | None, *, answered: bool = True) -> None:
        """Turn what was set aside into what the call cost; None, if unknown, counts as all.

        What is kept back for judging goes if there is nothing to judge.
        """
        with self._changed:
            self._under_way[hold.owner] -= 1
            if hold.item is not None and not answered:
                for key in self._judging:
                    self._forgive(hold.item, key)
            self._pay(hold, hold.usd if usd is None else usd)
            self._changed.notify_all()

    def close(self) -> None:
        """Let nobody wait any longer for money that others may leave."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _held(self, usd: float, owner: str, item: str | None, replies: int) -> Hold | None:
        """What is set aside; None if it may fit when others have settled."""
        judging = due = 0.0
        if item is not None:
            judging, due = self._price_of(self._judging), self._due_for_others(item)
        if self._fits(usd, judging + due):
            if self._under_way[owner] > replies and not self._fits(
                usd, judging + due, UNBELIEVABLE
            ):
                return None
            for key in () if item is None else self._judging:
                self._owe(item or "", key)
            return self._take(usd, item, owner)
        if (self._waits_for_any() or due > 0) and not self._closed:
            return None
        more = f" and its judging up to ${judging:.4f} more" if judging else ""
        raise SpendCapReached(
            f"{owner}: ${self._spent:.4f} of the cap of ${self._cap:g} is spent and the next"
            f" call can cost up to ${usd:.4f}{more}; raise the cap, or lower max_tokens"
        )

    def _fits(self, usd: float, kept_back: float, times: float = 1.0) -> bool:
        """Whether a call fits under the cap, also if it and those under way cost more."""
        if self._cap is None:
            return True
        calls = times * (self._in_flight() + usd)
        return self._spent + calls + kept_back <= self._cap * (1 + _ROUNDING)

    def _price_of(self, keys: Iterable[str]) -> float:
        return sum(self._judging[key]() for key in keys)

    def _owe(self, item: str, key: str) -> None:
        if key in self._judging:
            self._owed[key].add(item)

    def _forgive(self, item: str, key: str) -> None:
        self._owed.get(key, set()).discard(item)

    def _due(self) -> float:
        """What is kept back for judging answers that are there."""
        return sum(len(items) * self._judging[key]() for key, items in self._owed.items() if items)

    def _due_for_others(self, item: str) -> float:
        """What is kept back for judging the answers to other items."""
        own = [key for key, items in self._owed.items() if item in items]
        if sum(map(len, self._owed.values())) == len(own):
            return 0.0  # not what rounding leaves of it
        return self._due() - self._price_of(own)

    # What a budget that processes share does otherwise.

    @contextlib.contextmanager
    def _books(self) -> Iterator[None]:
        """Hold the sums still while they are looked at."""
        yield

    def _in_flight(self) -> float:
        return sum(self._holds.values())

    def _waits_for_any(self) -> bool:
        return bool(self._holds)

    def _take(self, usd: float, item: str | None, owner: str) -> Hold:
        hold = Hold(next(self._numbers), usd, self, item, owner)
        self._holds[hold.number] = usd
        return hold

    def _pay(self, hold: Hold, usd: float) -> None:
        del self._holds[hold.number]
        self._spent += usd
