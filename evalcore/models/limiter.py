"""How many calls may be under way at once: fewer when a server is overloaded, then more again."""

import threading
import time

POLL_S = 0.2


class AdaptiveLimit:
    """Additive increase, multiplicative decrease, as TCP does it (Chiu and Jain 1989).

    An overload halves the limit, but once only for all calls that were already under way; as many
    successes in a row as the limit allows raise it by one. If the server named a time to wait, no
    call is sent before it is over. Safe to use from several threads.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.now = most
        """Calls that may be under way at once."""
        self._under_way = 0
        self._row = 0
        self._cut_at = float("-inf")
        self._closed_until = float("-inf")
        self._changed = threading.Condition()

    def enter(self, stop: threading.Event) -> float | None:
        """Wait for a free place.

        Returns:
            When the call started, for ``leave``; None if ``stop`` was set meanwhile.
        """
        with self._changed:
            while not stop.is_set():
                closed = self._closed_until - time.monotonic()
                if closed <= 0 and self._under_way < self.now:
                    self._under_way += 1
                    return time.monotonic()
                self._changed.wait(min(closed, POLL_S) if closed > 0 else POLL_S)
        return None

    def leave(self) -> None:
        """Give the place back."""
        with self._changed:
            self._under_way -= 1
            self._changed.notify()

    def succeeded(self) -> None:
        """Count a success; enough of them raise the limit by one."""
        with self._changed:
            self._row += 1
            if self._row >= self.now and self.now < self.most:
                self.now += 1
                self._row = 0
                self._changed.notify()

    def overloaded(self, started: float, wait_s: float | None) -> None:
        """Halve the limit for a call that started after it was last halved; then pause.

        Args:
            started: When the call started, as ``enter`` said.
            wait_s: How long the server asks everyone to wait; None if it does not say.
        """
        with self._changed:
            now = time.monotonic()
            self._row = 0
            if started > self._cut_at:
                self.now = max(1, self.now // 2)
                self._cut_at = now
            if wait_s is not None:
                self._closed_until = max(self._closed_until, now + wait_s)
