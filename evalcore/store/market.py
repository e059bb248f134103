"""What the store knows of prices, licences and availability, read once and kept."""

import datetime
import functools
from pathlib import Path

from evalcore.cost.prices import price_tables, rows
from evalcore.cost.selfhost import paces
from evalcore.decision.market import Market
from evalcore.side_tables import GpuPrice
from evalcore.store import queries

TABLES = (
    *("prices", "image_rules", "output_tokens", "thinking", "cache_shapes"),
    *("availability", "licences", "modes"),
)


def market(path: Path, day: str | None = None) -> Market:
    """Everything that the store knows of offers.

    Args:
        path: The store.
        day: The day on which one asks, ``2026-11-30``; today (UTC) when not given.
    """
    stat = path.stat()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return _market(path, (stat.st_mtime_ns, stat.st_size), day or today)


@functools.lru_cache(maxsize=4)
def _market(path: Path, stamp: tuple[int, int], day: str) -> Market:
    known = price_tables({name: queries.table(path, name) for name in TABLES})
    rents = tuple(rows(queries.table(path, "gpu_prices"), GpuPrice))
    return Market(known, rents, day, paces(queries.table(path, "runs")))
