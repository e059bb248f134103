"""What calls cost, and a cap that calls in flight cannot exceed together."""

import contextlib
import itertools
import math
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evalcore.errors import BadInput, SpendCapReached

POLL_S = 0.2
_ROUNDING = 1e-9
"""Of sums of many small amounts, as a share of the cap."""


@dataclass(frozen=True)
class Prices:
    """Dollars per million tokens; None if unknown."""

    usd_per_mtok_in: float | None = None
    usd_per_mtok_out: float | None = None

    def usd(self, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """What a call cost; None if a price or a count is unknown.

        >>> Prices(0.15, 0.6).usd(1000, 100)
        0.00021
        >>> Prices(0.15, None).usd(1000, 100) is None
        True
        """
        if self.usd_per_mtok_in is None or self.usd_per_mtok_out is None:
            return None
        if tokens_in is None or tokens_out is None:
            return None
        return (tokens_in * self.usd_per_mtok_in + tokens_out * self.usd_per_mtok_out) / 1e6


@dataclass(frozen=True)
class Hold:
    """Money that was set aside for one call."""

    number: int
    usd: float
    purse: "Purse | None" = field(default=None, repr=False, compare=False)
    """Where it was set aside; None for a call that costs nothing."""
    item: str | None = None
    """The item whose answer it buys; None for a judge's call."""


class Purse:
    """What may be spent up to one cap, by several models and threads together.

    An answer is bought only if judging it can be paid for too: what that can cost is kept back from
    other answers, not from judges, until the verdicts are there.

    This one is kept in memory; ``engine.purse`` has one that processes share.
    """

    def __init__(self, cap: float | None = None) -> None:
        self._cap = cap
        self._spent = 0.0
        self._holds: dict[int, float] = {}
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._closed = False
        self._judging: dict[str, float] = {}
        self._dues: dict[tuple[str, str], float] = {}
        self._due = 0.0
        """The sum of the dues."""

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

    def expect(self, judging: Mapping[str, float]) -> None:
        """Keep back so many dollars for the judging of each answer to come, by verdict key."""
        with self._changed:
            self._judging = {key: usd for key, usd in judging.items() if usd > 0}

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
        self, usd: float, stop: threading.Event, owner: str, item: str | None = None
    ) -> Hold | None:
        """Set aside the most that a call can cost, waiting for calls in flight if need be.

        Args:
            usd: Dollars.
            stop: Ends the waiting.
            owner: Whom an error names.
            item: The item whose answer is bought, which must then be judged; None for a judge.

        Returns:
            What was set aside, for ``settle``; None if ``stop`` was set meanwhile.

        Raises:
            SpendCapReached: The call does not fit under the cap and none is in flight, or the
                purse was closed.
        """
        with self._changed:
            while not stop.is_set():
                with self._books():
                    hold = self._held(usd, owner, item)
                if hold is not None:
                    return hold
                self._changed.wait(POLL_S)
        return None

    def settle(self, hold: Hold, usd: float | None, *, answered: bool = True) -> None:
        """Turn what was set aside into what the call cost; None, if unknown, counts as all.

        What is kept back for judging goes if there is nothing to judge.
        """
        with self._changed:
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

    def _held(self, usd: float, owner: str, item: str | None) -> Hold | None:
        """What is set aside; None if it may fit when others have settled."""
        most = math.inf if self._cap is None else self._cap * (1 + _ROUNDING)
        judging = due = 0.0
        if item is not None:
            judging, due = sum(self._judging.values()), self._due_for_others(item)
        if self._spent + self._in_flight() + usd + judging + due <= most:
            for key in () if item is None else self._judging:
                self._owe(item or "", key)
            return self._take(usd, item)
        if (self._waits_for_any() or due > 0) and not self._closed:
            return None
        more = f" and its judging up to ${judging:.4f} more" if judging else ""
        raise SpendCapReached(
            f"{owner}: ${self._spent:.4f} of the cap of ${self._cap:g} is spent and the next"
            f" call can cost up to ${usd:.4f}{more}; raise the cap, or lower max_tokens"
        )

    def _owe(self, item: str, key: str) -> None:
        if key in self._judging and (item, key) not in self._dues:
            self._dues[item, key] = self._judging[key]
            self._due += self._judging[key]

    def _forgive(self, item: str, key: str) -> None:
        self._due -= self._dues.pop((item, key), 0.0)
        if not self._dues:
            self._due = 0.0  # not what rounding left of it

    def _due_for_others(self, item: str) -> float:
        """What is kept back for judging the answers to other items."""
        own = [key for key in self._judging if (item, key) in self._dues]
        if len(self._dues) == len(own):
            return 0.0  # not what rounding leaves of it
        return self._due - sum(self._dues[item, key] for key in own)

    # What a purse that processes share does otherwise.

    @contextlib.contextmanager
    def _books(self) -> Iterator[None]:
        """Hold the sums still while they are looked at."""
        yield

    def _in_flight(self) -> float:
        return sum(self._holds.values())

    def _waits_for_any(self) -> bool:
        return bool(self._holds)

    def _take(self, usd: float, item: str | None) -> Hold:
        hold = Hold(next(self._numbers), usd, self, item)
        self._holds[hold.number] = usd
        return hold

    def _pay(self, hold: Hold, usd: float) -> None:
        del self._holds[hold.number]
        self._spent += usd


class Ledger:
    """What one model's calls cost, out of a purse that others may spend from too.

    Every call first reserves the most it can cost, so that the cap holds whatever the calls in
    flight turn out to cost. Near the cap a call waits until others have settled. Safe to use from
    several threads.
    """

    def __init__(self, prices: Prices, cap: float | None, owner: str) -> None:
        self.prices = prices
        self._owner = owner
        self._purse = Purse(cap)
        self._mine = 0.0
        self._off = 1.0
        self._changing = threading.Lock()
        _check(prices, cap, owner)

    def spend_from(self, purse: Purse) -> None:
        """Take the money of calls to come from another purse.

        Raises:
            BadInput: It has a cap, and a price is unknown.
        """
        _check(self.prices, purse.cap, self._owner)
        self._purse = purse

    @property
    def spent_usd(self) -> float:
        """Spent by this model; a call whose cost is not known counts with its worst case."""
        with self._changing:
            return self._mine

    def reserve(
        self, tokens_in: int, tokens_out: int, stop: threading.Event, item: str | None = None
    ) -> Hold | None:
        """Set aside the most that a call can cost, waiting for calls in flight if need be.

        Args:
            tokens_in: At most so many tokens go in ...
            tokens_out: ... and come out.
            stop: Ends the waiting.
            item: The item whose answer is bought; None for a judge's call.

        Returns:
            What was set aside, for ``settle``; None if ``stop`` was set meanwhile.

        Raises:
            SpendCapReached: The call does not fit under the cap and none is in flight.
        """
        worst = self.most_usd(tokens_in, tokens_out)
        # What costs nothing, or nobody knows how much, is no matter of the purse.
        return self._purse.reserve(worst, stop, self._owner, item) if worst else Hold(-1, 0.0)

    def most_usd(self, tokens_in: int, tokens_out: int) -> float:
        """The most that a call can cost; 0 if it costs nothing or nobody knows how much."""
        return self._off * (self.prices.usd(tokens_in, tokens_out) or 0.0)

    def settle(self, hold: Hold, usd: float | None, *, answered: bool = True) -> None:
        """Turn a reservation into what the call cost; None, if unknown, counts as all of it."""
        with self._changing:
            self._mine += hold.usd if usd is None else usd
            if usd is not None and usd > hold.usd > 0:
                # The server counts more tokens than was thought possible: expect it of all calls.
                self._off *= usd / hold.usd
        if hold.purse is not None:
            hold.purse.settle(hold, usd, answered=answered)


def check_cap(cap: float | None) -> None:
    """Make sure that a cap is one.

    Raises:
        BadInput: It is no number of dollars from 0 up.
    """
    _check(Prices(0.0, 0.0), cap, "spend cap")


def _check(prices: Prices, cap: float | None, owner: str) -> None:
    for name, value in (*vars(prices).items(), ("max_usd", cap)):
        if value is not None and not (is_number(value) and 0 <= value < math.inf):
            raise BadInput(f"{owner}: {name} is {value!r}, not a number of dollars from 0 up")
        if value is None and cap is not None:
            raise BadInput(
                f"{owner}: a cap of ${cap:g} needs both prices; state {name}"
                " (dollars per million tokens)"
            )


def is_number(value: object) -> bool:
    """Whether a value that a person gave is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)
