"""Times a call several times."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Times(NamedTuple):
    """Seconds of several runs."""

    least: float
    median: float
    most: float


def times(call: Callable[[], object], runs: int = 5) -> Times:
    """Seconds that a call takes, over several runs."""
    return of([taken(call) for _ in range(runs)])


def taken(call: Callable[[], object]) -> float:
    """Seconds that a call takes, once."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def of(seconds: Sequence[float]) -> Times:
    """Several runs in short."""
    return Times(min(seconds), statistics.median(seconds), max(seconds))
