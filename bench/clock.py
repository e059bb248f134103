"""Times a call several times."""

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple


class Times(NamedTuple):
    """Seconds of several runs."""

    least: float
    median: float
    most: float


def times(call: Callable[[], object], runs: int = 5) -> Times:
    """Seconds that a call takes, over several runs."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return Times(min(seconds), statistics.median(seconds), max(seconds))
