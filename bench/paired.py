"""Prints how long item-level statistics take: ``python -m bench.paired``.

The card's size first (5,725 items, 10 models, 40 tags, 2,000 resamples, one set of weights), then
growth to 60 models and 100,000 items, then what a page asks of it.
"""

import os

import numpy as np
import pandas as pd

from bench.clock import both
from bench.table import show, verdict
from evalcore.analysis import complement, multiple, paired

BAR = 2.0
RESAMPLES = 2000
ON_AN_IMAGE = 1.5
TAGS_AN_ITEM = 3


def world(
    rng: np.random.Generator, items: int, models: int, tags: int
) -> tuple[pd.DataFrame, np.ndarray, dict[str, np.ndarray]]:
    """Scores, images and the items of each tag."""
    hard = rng.normal(size=(items, 1))
    right = hard + rng.normal(size=(items, models)) + np.linspace(0.5, -0.5, models) > 0
    image = rng.integers(0, int(items / ON_AN_IMAGE), items)
    member = rng.random((items, tags)) < TAGS_AN_ITEM / tags
    by = {f"tag {place}": np.flatnonzero(column) for place, column in enumerate(member.T)}
    names = [f"model {place}" for place in range(models)]
    return pd.DataFrame(right.astype(float), columns=names), image, by


def whole(scores: pd.DataFrame, image: np.ndarray, by: dict[str, np.ndarray]) -> None:
    """All that is asked of a benchmark at once."""
    found = paired.drawn(scores, image, np.random.default_rng(1), by, resamples=RESAMPLES)
    names = list(scores)
    paired.differences(found, names, names[0], [paired.ALL, *by])
    multiple.standings(found, names)
    multiple.winners_curse(found)


def main() -> None:
    """Print the tables."""
    rng, rows = np.random.default_rng(7), []
    worst = 0.0
    for items, models, tags, runs in (
        (5725, 10, 40, 5),
        (500, 4, 10, 5),
        (5725, 4, 40, 5),
        (100_000, 60, 0, 1),
        (100_000, 60, 40, 1),
        (100_000, 4, 40, 1),
    ):
        made = world(rng, items, models, max(tags, 1))
        scores, image, by = made[0], made[1], made[2] if tags else {}
        wall, cpu = both(lambda s=scores, i=image, b=by: whole(s, i, b), runs)
        if not rows:
            worst = wall.median
        size = f"{items:,} items, {models} models, {tags} tags"
        rows.append((size, f"{wall.median:.2f} s", f"{wall.least:.2f} s", f"{cpu.least:.2f} s"))
    show(
        f"Paired bootstrap, {RESAMPLES:,} resamples: differences, standings, winner's curse "
        f"({os.cpu_count()} cores; first row's bar {BAR:.0f} s: {verdict(worst, BAR)})",
        ("", "median", "least", "CPU, least"),
        rows,
    )
    rows = []
    for items, models in ((5725, 10), (100_000, 60)):
        scores, image, _ = world(rng, items, models, 1)
        wall, _ = both(lambda s=scores, i=image: complement.pairs(s, i), 1)
        rows.append((f"{items:,} items, {models} models", f"{wall.median:.2f} s"))
    show("Pairs of models, question by question", ("", "median"), rows)


if __name__ == "__main__":
    main()
