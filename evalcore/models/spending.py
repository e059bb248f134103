"""What one model's calls cost, and what they can cost at most."""

import math
import threading
from dataclasses import dataclass

from evalcore.errors import BadInput
from evalcore.models.cap import UNBELIEVABLE, Budget, Hold


@dataclass(frozen=True)
class Prices:
    """Dollars per million tokens; None if unknown."""

    usd_per_mtok_in: float | None = None
    usd_per_mtok_out: float | None = None

    def usd(self, tokens_in: float | None, tokens_out: float | None) -> float | None:
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


class Reservations:
    """What one model's calls cost, out of a budget that others may spend from too.

    Every call first reserves the most it can cost, so that the cap holds whatever the calls in
    flight turn out to cost; see ``Budget`` for what holds where a server bills more than that. Near
    the cap a call waits until others have settled. Safe to use from several threads.
    """

    def __init__(self, prices: Prices, cap: float | None, owner: str) -> None:
        self.prices = prices
        self._owner = owner
        self._purse = Budget(cap)
        self._mine = 0.0
        self._off = (1.0, 1.0)
        """How many times the tokens that were thought possible a reply had at most, in and out."""
        self._replies = 0
        self._changing = threading.Lock()
        _check(prices, cap, owner)

    def spend_from(self, budget: Budget) -> None:
        """Take the money of calls to come from another budget.

        Raises:
            BadInput: It has a cap, and a price is unknown.
        """
        _check(self.prices, budget.cap, self._owner)
        self._purse = budget

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
            What was set aside, for ``charge``; None if ``stop`` was set meanwhile.

        Raises:
            SpendCapReached: The call does not fit under the cap and none is in flight.
        """
        if not self.most_usd(tokens_in, tokens_out):
            # What costs nothing, or nobody knows how much, is no matter of the budget.
            return Hold(-1, 0.0)
        return self._purse.reserve(
            lambda: self.most_usd(tokens_in, tokens_out),
            stop, self._owner, item, lambda: self._replies,
        )  # fmt: skip

    def most_usd(self, tokens_in: int, tokens_out: int) -> float:
        """The most that a call can cost; 0 if it costs nothing or nobody knows how much."""
        more_in, more_out = self._off
        return self.prices.usd(more_in * tokens_in, more_out * tokens_out) or 0.0

    def billed(
        self, asked: tuple[int, int], counted: tuple[int | None, int | None]
    ) -> float | None:
        """What a call cost by its server's count; reservations to come learn from it.

        Args:
            asked: The most tokens that were thought to go in and come out.
            counted: What the server says.

        Returns:
            Dollars; None if a price or a count is unknown.
        """
        times = [
            tokens / most if tokens is not None and most else 1.0
            for most, tokens in zip(asked, counted, strict=True)
        ]
        with self._changing:
            self._replies += 1
            # The dearest reply, not one rise upon another: 32 calls under way may tell the same.
            self._off = (max(self._off[0], times[0]), max(self._off[1], times[1]))
        return self.prices.usd(*counted)

    def charge(self, hold: Hold, usd: float | None, *, answered: bool = True) -> None:
        """Turn a reservation into what the call cost; None, if unknown, counts as all of it."""
        with self._changing:
            self._mine += hold.usd if usd is None else usd
        if hold.budget is not None:
            hold.budget.charge(hold, usd, answered=answered)


def believed(counted: int | None, most: int) -> int | None:
    """A server's count of tokens; None where it cannot be meant.

    >>> believed(130, 100), believed(10**9, 100), believed(10**9, 0)
    (130, None, 1000000000)
    """
    return None if counted is not None and 0 < most * UNBELIEVABLE < counted else counted


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
