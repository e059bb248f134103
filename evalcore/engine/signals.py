"""Ctrl-C and a polite kill, which let what is at hand be finished."""

import contextlib
import signal
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def on_signals(heard: Callable[[int], None]) -> Iterator[None]:
    """Tell of Ctrl-C and polite kills meanwhile, by their number; only in the main thread."""
    before = {}
    with contextlib.suppress(ValueError):  # not the main thread: the caller's signals stay
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, lambda number, frame: heard(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
