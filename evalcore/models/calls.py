"""Calls to a model behind an API: many at once, retried in one layer, under a spend cap.

This knows no SDK: an adapter turns an item into a ``Request`` whose ``send`` answers with a
``Reply`` or raises one of ``TransientError``, ``RequestRejected`` and ``ModelUnavailable``.
"""

import contextlib
import logging
import queue
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from evalcore.errors import EvalcoreError, ModelUnavailable, Stopped
from evalcore.models.cancellation import LOOK_EVERY_S, Cancellation
from evalcore.models.spending import Reservations, believed
from evalcore.records import Reply

log = logging.getLogger(__name__)
T = TypeVar("T")
AHEAD = 2
"""Items handed out for each thread, so that all stay busy while the caller writes."""
UNREACHABLE_ATTEMPTS = 3
"""A server that never answered is most likely a wrong address: say so soon."""
ROW = 10
"""So many items failing one after another are no longer the items' fault."""


class TransientError(Exception):
    """A call failed in a way that may pass: worth another attempt."""

    def __init__(
        self,
        message: str,
        *,
        wait_s: float | None = None,
        overloaded: bool = False,
        unreachable: bool = False,
        billed: bool = False,
    ) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        """How long the server asks to wait."""
        self.overloaded = overloaded
        self.unreachable = unreachable
        """No connection was made at all."""
        self.billed = billed
        """It may have been paid for all the same, as when the connection was cut."""


class RequestRejected(Exception):
    """The server does not take this request (too long, filtered ...); others may be fine."""

    def __init__(self, message: str, *, billed: bool = False) -> None:
        super().__init__(message)
        self.billed = billed
        """It may have been paid for all the same."""


@dataclass(frozen=True)
class Request:
    """One call, ready to be sent as often as needed."""

    send: Callable[[], Reply]
    """Sends it once; raises TransientError, RequestRejected or ModelUnavailable."""
    most_in: int = 0
    """At most so many tokens go in ..."""
    most_out: int = 0
    """... and come out."""
    item: str | None = None
    """The benchmark's item that it asks; None if it is a judge's call."""


@dataclass(frozen=True)
class Patience:
    """How often and how long to try; seconds."""

    attempts: int = 6
    first_wait_s: float = 2.0
    """Before the second attempt; doubled before every further one."""
    longest_wait_s: float = 60.0
    longest_asked_s: float = 600.0
    """A server that asks for a longer pause ends the run, which can be resumed later."""
    seed: int = 0
    """Of the jitter, which spreads attempts over half of each wait."""


class Calls:
    """Calls to one model; all its threads share one limit and one ledger."""

    def __init__(
        self, name: str, ledger: Reservations, concurrency: int, patience: Patience | None = None
    ) -> None:
        self.name = name
        self.ledger = ledger
        self.limit = AdaptiveLimit(concurrency)
        self.patience = patience or Patience()
        self._jitter = random.Random(self.patience.seed)
        self._state = threading.Lock()
        self._answered = False
        self._row = 0
        self._stop = Cancellation()

    def stop_with(self, stop: Cancellation) -> None:
        """Heed a request to stop from now on."""
        self._stop = stop

    def many(
        self, items: Iterable[T], prepare: Callable[[T], Request]
    ) -> Iterator[tuple[T, Reply]]:
        """Call for every item; as they finish, in any order.

        Items are taken as calls finish, so that as many are under way as the limit allows until
        the last.

        When the cap is reached, the model turns out to be unavailable or somebody asks to stop,
        no further call is made, those under way finish and are given out, and then the error, if
        there is one, is raised. A second request to stop ends it without them.

        Raises:
            SpendCapReached: The next call could exceed the cap.
            ModelUnavailable: The model cannot be called at all, or no longer.
        """
        stop = threading.Event()
        finished: queue.SimpleQueue[Future[Reply | None]] = queue.SimpleQueue()
        asked: dict[Future[Reply | None], T] = {}
        threads = self.limit.most
        pool = ThreadPoolExecutor(threads, thread_name_prefix="call")
        left = iter(items)
        problem: EvalcoreError | None = None
        try:
            while True:
                for item in islice(left, self._room(len(asked), stop)):
                    call = pool.submit(self._one, item, prepare, stop)
                    asked[call] = item
                    call.add_done_callback(finished.put)
                future = self._finished(finished, stop) if asked else None
                if future is None:
                    break
                item = asked.pop(future)
                try:
                    reply = future.result()
                except EvalcoreError as error:
                    problem = problem or error
                    continue
                if reply is not None:
                    yield item, reply
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
        if problem:
            raise problem

    def _room(self, asked: int, stop: threading.Event) -> int:
        """How many more items to take; none once no call may begin."""
        if self._stop.look():
            stop.set()
        return 0 if stop.is_set() else AHEAD * self.limit.most - asked

    def _finished(
        self, finished: "queue.SimpleQueue[Future[Reply | None]]", stop: threading.Event
    ) -> Future[Reply | None] | None:
        """The next that has ended; None if somebody asks twice to stop."""
        while not self._stop.at_once:
            with contextlib.suppress(queue.Empty):
                return finished.get(timeout=LOOK_EVERY_S)
            if self._stop.look():
                stop.set()
        log.warning("%s: calls under way are not waited for; they count as paid", self.name)
        return None

    def one(self, request: Request) -> Reply:
        """Call once, with retries; safe to use from several threads.

        Raises:
            SpendCapReached: The call could exceed the cap.
            ModelUnavailable: The model cannot be called at all.
            Stopped: Somebody asked to stop before it was sent, or between two attempts.
        """
        reply = self._tried(request, self._stop.asked)
        if reply is None:
            raise Stopped(f"{self.name}: not called, as it should stop")
        return reply

    def _one(self, item: T, prepare: Callable[[T], Request], stop: threading.Event) -> Reply | None:
        """The reply to an item; None if a stop came first."""
        if stop.is_set():
            return None
        try:
            return self._tried(prepare(item), stop)
        except RequestRejected as error:
            return Reply(None, error=str(error))
        except EvalcoreError:
            stop.set()
            raise

    def _tried(self, request: Request, stop: threading.Event) -> Reply | None:
        """The reply after as many attempts as it takes and patience allows."""
        attempt = 1
        while True:
            try:
                return self._sent(request, stop)
            except RequestRejected as error:
                # The server works: only if it never took a call is the model, not the item, wrong.
                return self._failed(str(error), fatal=not self._answered)
            except TransientError as error:
                if attempt >= self._attempts(error):
                    return self._given_up(error, attempt)
                wait_s = self._wait(attempt, error)
                log.info("%s: %s; attempt %d in %.1f s", self.name, error, attempt + 1, wait_s)
            if stop.wait(wait_s):
                return None
            attempt += 1

    def _sent(self, request: Request, stop: threading.Event) -> Reply | None:
        """One attempt, inside the cap and the limit; None if a stop came first."""
        held = self.ledger.reserve(request.most_in, request.most_out, stop, request.item)
        if held is None:
            return None
        started = self.limit.enter(stop)
        if started is None:
            self.ledger.charge(held, 0.0, answered=False)
            return None
        usd: float | None = None
        answered = False
        try:
            reply = _believed(request, request.send())
            answered = reply.text is not None
            asked = (request.most_in, request.most_out)
            usd = self.ledger.billed(asked, (reply.tokens_in, reply.tokens_out))
        except TransientError as error:
            usd = None if error.billed else 0.0
            if error.overloaded:
                self.limit.overloaded(started, error.wait_s)
            raise
        except RequestRejected as error:
            usd = None if error.billed else 0.0
            raise
        except ModelUnavailable:
            usd = 0.0
            raise
        finally:
            self.limit.leave()
            self.ledger.charge(held, usd, answered=answered)
        self._worked()
        return replace(reply, usd=usd, seconds=time.monotonic() - started)

    def _worked(self) -> None:
        self.limit.succeeded()
        with self._state:
            self._answered = True
            self._row = 0

    def _failed(self, why: str, *, fatal: bool) -> Reply:
        """Count an item that failed for good; if ``fatal``, a long row of them ends the run."""
        with self._state:
            self._row += 1
            row = self._row
        log.warning("%s: %s", self.name, why)
        if fatal and row >= ROW:
            raise ModelUnavailable(f"{self.name}: {row} calls in a row failed, the last: {why}")
        return Reply(None, error=why)

    def _attempts(self, error: TransientError) -> int:
        if error.unreachable and not self._answered:
            return min(UNREACHABLE_ATTEMPTS, self.patience.attempts)
        return self.patience.attempts

    def _given_up(self, error: TransientError, attempts: int) -> Reply:
        # No item is at fault where no server is: none gets a record, so that a later pass asks it.
        if error.unreachable:
            raise ModelUnavailable(f"{self.name}: no server answers ({error})")
        why = f"{error} ({attempts} attempts)" if attempts > 1 else str(error)
        return self._failed(why, fatal=True)

    def _wait(self, attempt: int, error: TransientError) -> float:
        """Seconds until the next attempt: what the server asks, else doubling, with jitter."""
        if error.wait_s is not None and error.wait_s > self.patience.longest_asked_s:
            raise ModelUnavailable(
                f"{self.name} asks to wait {error.wait_s:.0f} s ({error}); start again later"
            )
        doubled = self.patience.first_wait_s * 2.0 ** (attempt - 1)
        longest = min(self.patience.longest_wait_s, doubled)
        return max(error.wait_s or 0.0, longest * self._jitter.uniform(0.5, 1.0))


def _believed(request: Request, reply: Reply) -> Reply:
    """The reply, without counts of tokens that cannot be meant."""
    return replace(
        reply,
        tokens_in=believed(reply.tokens_in, request.most_in),
        tokens_out=believed(reply.tokens_out, request.most_out),
    )


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
