"""What calls cost, and a cap that calls in flight cannot exceed together."""

import threading
from dataclasses import dataclass

from evalcore.errors import BadInput, SpendCapReached

POLL_S = 0.2


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


class Ledger:
    """Money spent, and money that calls in flight could still cost.

    Every call first reserves the most it can cost, so that the cap holds whatever the calls in
    flight turn out to cost. Near the cap a call waits until others have settled. Safe to use from
    several threads.
    """

    def __init__(
        self, prices: Prices, cap: float | None, owner: str, spent_before: float = 0.0
    ) -> None:
        _check(prices, cap, owner)
        self.prices = prices
        self.cap = cap
        self._owner = owner
        self._spent = spent_before
        self._held: list[float] = []
        self._off = 1.0
        self._changed = threading.Condition()

    @property
    def spent_usd(self) -> float:
        """Spent so far; a call whose cost is not known counts with the most it can have cost."""
        with self._changed:
            return self._spent

    @property
    def committed_usd(self) -> float:
        """Spent so far, and the most that the calls in flight can still cost."""
        with self._changed:
            return self._spent + sum(self._held)

    def reserve(self, tokens_in: int, tokens_out: int, stop: threading.Event) -> float | None:
        """Set aside the most that a call can cost, waiting for calls in flight if need be.

        Returns:
            What was set aside, for ``settle``; None if ``stop`` was set meanwhile.

        Raises:
            SpendCapReached: The call does not fit under the cap and none is in flight.
        """
        with self._changed:
            while not stop.is_set():
                worst = self._off * (self.prices.usd(tokens_in, tokens_out) or 0.0)
                if self.cap is None or self._spent + sum(self._held) + worst <= self.cap:
                    self._held.append(worst)
                    return worst
                if not self._held:
                    raise SpendCapReached(self._why(worst))
                self._changed.wait(POLL_S)
        return None

    def settle(self, held: float, usd: float | None) -> None:
        """Turn a reservation into what the call cost; None, if unknown, counts as all of it."""
        with self._changed:
            self._held.remove(held)
            self._spent += held if usd is None else usd
            if usd is not None and usd > held > 0:
                # The server counts more tokens than was thought possible: expect it of all calls.
                self._off *= usd / held
            self._changed.notify_all()

    def _why(self, worst: float) -> str:
        return (
            f"{self._owner}: ${self._spent:.4f} of the cap of ${self.cap:g} is spent and the next"
            f" call can cost up to ${worst:.4f}; raise the cap, or lower max_tokens"
        )


def _check(prices: Prices, cap: float | None, owner: str) -> None:
    for name, value in (*vars(prices).items(), ("max_usd", cap)):
        if value is not None and not 0 <= value < float("inf"):
            raise BadInput(f"{owner}: {name} is {value!r}, not a number of dollars from 0 up")
        if value is None and cap is not None:
            raise BadInput(
                f"{owner}: a cap of ${cap:g} needs both prices; state {name}"
                " (dollars per million tokens)"
            )
