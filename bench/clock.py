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


def taken(call: Callable[[], object]) -> float:
    """Seconds on the clock that one call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def times(call: Callable[[], object], runs: int = 5) -> Times:
    """Seconds on the clock that a call takes, over several runs."""
    return both(call, runs)[0]


def both(call: Callable[[], object], runs: int = 5) -> tuple[Times, Times]:
    """Seconds on the clock, and seconds of this process's CPU."""
    walls, cpus = [], []
    for _ in range(runs):
        wall, cpu = time.perf_counter(), time.process_time()
        call()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return of(walls), of(cpus)


def of(seconds: list[float]) -> Times:
    """Several runs in short."""
    return Times(min(seconds), statistics.median(seconds), max(seconds))
