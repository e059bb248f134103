"""What one model got on one benchmark, as a table shows it."""

import math
from dataclasses import dataclass
from typing import Any

from evalcore.analysis import intervals
from evalcore.contrastive.scoring import Metric


@dataclass(frozen=True)
class BenchmarkResult:
    """What one model got on one benchmark."""

    model: str
    benchmark: str
    metrics: tuple[Metric, ...]
    """The benchmark's main metric first."""
    run: str
    """The run's id."""
    prompts: str
    """The name of the prompt set; empty for the benchmark's own."""
    ties: int
    unread: int
    """Pictures that could not be read; they are in no metric."""
    cut: int | None
    """Texts that are longer than the model's context and were cut; None if unknown."""
    texts: int
    seconds: float
    decoded: int
    """Pictures that were decoded and resized for it."""
    encoded: int
    """Pictures that the model was shown for it; the others were kept from before."""
    failed: tuple[str, ...] = ()
    """Why pictures could not be read, the first few."""
    undecidable: int = 0
    """Items with a wrong caption that equals the right one; they are in no metric."""
    clusters: int | None = None
    """Pictures that the items are about, where some share one; None: each item stands alone."""

    def row(self) -> dict[str, Any]:
        """The outcome as a row of a table; metrics by their names."""
        main = self.metrics[0]
        low, high = interval(main)
        row: dict[str, Any] = {
            "model": self.model,
            "benchmark": self.benchmark,
            "prompts": self.prompts,
            "metric": main.name,
            "value": main.value,
            "low": low,
            "high": high,
            "n": main.n,
            "chance": main.chance,
        }
        row |= {one.name: one.value for one in self.metrics}
        counts = (
            "clusters",
            "ties",
            "unread",
            "undecidable",
            "cut",
            "decoded",
            "encoded",
            "seconds",
            "run",
        )
        return row | {name: getattr(self, name) for name in counts}


def interval(metric: Metric) -> tuple[float, float]:
    """The 95 % interval over pictures, by Wilson; NaN where none is known.

    Pictures whose ties earn a share vary less than right and wrong ones: there it is too wide.
    """
    if not metric.worth > 0:
        return math.nan, math.nan
    low, high = intervals.wilson(metric.value, metric.worth)
    return float(low), float(high)
