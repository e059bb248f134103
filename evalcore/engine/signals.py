"""Ctrl-C and a polite kill, which let what is at hand be finished."""

import contextlib
import signal
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` on Ctrl-C or a polite kill meanwhile; only in the main thread."""
    before = {}
    with contextlib.suppress(ValueError):  # not the main thread: the caller's signals stay
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, lambda number, frame: stop())
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
