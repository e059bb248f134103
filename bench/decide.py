"""Prints how long a decision about current models takes: ``python -m bench.decide``.

First the four ready-made questions of today, with the block chosen among all; then the widest block
and all blocks pooled; then growth, with the pooled models repeated under names of their own; then
models of which every answer is known, compared question by question.
"""

import dataclasses

import numpy as np
import pandas as pd

from bench.clock import both, times
from bench.growth import many
from bench.paired import world
from bench.table import ms, show, verdict
from evalcore.analysis import by_items
from evalcore.decision.needs import Needs
from evalcore.decision.presets import CURRENT
from evalcore.decision.recommend import recommend
from evalcore.store import build
from evalcore.suites import current, pooling, suite

BAR = 0.3
WIDEST = "internvl3.5"
SIZES = {121: 5, 350: 5, 1210: 3, 12100: 1}
"""Models, and runs to take the median of."""
BY_ITEM = ((500, 6, 4), (5_725, 10, 40), (100_000, 10, 40))
"""Questions, models and tags."""
MIX = (("documents", 1.0), ("charts", 1.0))


def sized(data: suite.SuiteData, count: int) -> suite.SuiteData:
    """The suite with so many models that have the whole mix, each under a name of its own."""
    cells = suite.cells(data, "need")
    asked = cells[cells["tag"].isin([tag for tag, _ in MIX])].groupby("model")["tag"].nunique()
    whole = asked.index[asked == len(MIX)]
    whole = data.models[data.models["model"].isin(whole)].reset_index(drop=True)
    part = dataclasses.replace(
        data, models=whole, scores=data.scores[data.scores["model"].isin(whole["model"])]
    )
    grown = many(part, -(-count // len(whole)))
    kept = grown.models.head(count)
    scores = grown.scores[grown.scores["model"].isin(kept["model"])]
    return dataclasses.replace(grown, models=kept, scores=scores)


def by_item(questions: int, models: int, tags: int) -> tuple[str, ...]:
    """The row of one size: the first answer, later ones with other weights, and their CPU."""
    scores, image, by = world(np.random.default_rng(7), questions, models, tags)
    places = {("b", "x", tag): place for tag, place in by.items()}
    group = np.unique(image, return_inverse=True)[1]
    items = by_items.Items(scores, group, places)
    made = {tag: {("b", "x", tag): 1.0} for tag in by}
    cells = by_items.estimates(items, list(places)).assign(kind="measured", suspect=False)
    known = pd.DataFrame({"model": scores.columns, "name": scores.columns, "open_weights": True})
    known = known.assign(params_b=np.arange(models) + 1.0)

    def answer(weight: float = 1.0) -> None:
        mix = tuple((tag, weight if place == 0 else 1.0) for place, tag in enumerate(by))
        recommend(cells, known, Needs("b", "x", mix), items=items, composition=made)

    first = times(answer, 1)
    weights = iter(range(2, 100))
    later, cpu = both(lambda: answer(float(next(weights))), 5)
    size = f"{questions:,} questions, {models} models, {tags} tags"
    return size, ms(first.median), ms(later.median), ms(cpu.median)


def main() -> None:
    """Print the four tables."""
    path = build.ensure()
    load = times(lambda: current.load(path), 3)
    every = current.load(path)
    rows, worst = [], 0.0
    for name, preset in CURRENT.items():
        found = current.choose(every, preset.needs)
        asked = dataclasses.replace(preset.needs, suite=str(found.chosen))
        data = suite.load(path, asked.suite)
        choose = times(lambda asked=asked: current.choose(every, asked))
        answer = times(lambda data=data, asked=asked: current.recommend_for(data, asked))
        worst = max(worst, choose.median + answer.median)
        rows.append((f"{name}: {asked.suite}", ms(choose.median), ms(answer.median)))
    for name in (WIDEST, pooling.SUITE):
        data, asked = suite.load(path, name), Needs(name, "need", MIX)
        answer = times(lambda data=data, asked=asked: current.recommend_for(data, asked))
        worst = max(worst, answer.median)
        rows.append((f"documents and charts: {name}", "", ms(answer.median)))
    show(
        f"Decisions, median of 5 runs; all current results read in {ms(load.median)}; "
        f"bar {ms(BAR)}: {verdict(worst, BAR)}",
        ("", "choose the block", "recommend"),
        rows,
    )
    pooled = suite.load(path, pooling.SUITE)
    grown = []
    for count, runs in SIZES.items():
        data, asked = sized(pooled, count), Needs(pooling.SUITE, "need", MIX)
        cells = suite.cells(data, "need", include_suspect=True)
        taken = times(lambda d=data, a=asked, c=cells: current.recommend_for(d, a, None, c), runs)
        grown.append((f"{count:,} models", ms(taken.median)))
    show("Growth: recommend() with its cells at hand", ("", "median"), grown)
    header = ("", "the first", "other weights, median", "CPU")
    show("Compared question by question", header, [by_item(*size) for size in BY_ITEM])


if __name__ == "__main__":
    main()
