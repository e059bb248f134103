"""How the computing grows with the number of models, and what one recommendation costs."""

import dataclasses

import pandas as pd

from bench.clock import times
from bench.table import ms, show
from evalcore.analysis import correlation, profiles
from evalcore.decision.needs import Needs
from evalcore.store import build
from evalcore.suites import current, suite
from evalcore.suites.suite import SuiteData

COPIES = {1: 3, 10: 3, 100: 1}
"""Times that the models are repeated, and runs to take the median of (the last is slow)."""


def many(data: SuiteData, copies: int) -> SuiteData:
    """The suite with each model several times over, under names of its own."""

    def repeated(frame: pd.DataFrame) -> pd.DataFrame:
        parts = [frame.assign(model=frame["model"] + f"#{copy}") for copy in range(copies)]
        return pd.concat(parts, ignore_index=True)

    return dataclasses.replace(data, scores=repeated(data.scores), models=repeated(data.models))


def _growth(data: SuiteData, axis: str, runs: int) -> tuple[str, ...]:
    cells = suite.cells(data, axis)
    needs = Needs(suite=data.suite, axis=axis)
    seconds = [
        times(lambda: suite.cells(data, axis), runs).median,
        times(lambda: profiles.overall(cells), runs).median,
        times(lambda: current.recommend_for(data, needs), runs).median,
        times(lambda: correlation.matrix(profiles.wide(cells)), runs).median,
    ]
    return f"{len(data.scores):,} rows, {len(data.models):,} models", *map(ms, seconds)


def main() -> None:
    """Print both tables."""
    path = build.ensure()
    openclip = suite.load(path, "openclip")
    show(
        "Growth: the open_clip table, its models repeated; median of 3, 3 and 1 runs",
        ("", "cells", "leaderboard", "recommend", "correlation"),
        [_growth(many(openclip, copies), "benchmark", runs) for copies, runs in COPIES.items()],
    )
    cases = [(suite.load(path, "vqa360"), "application_domain"), (openclip, "benchmark")]
    rows = []
    for data, axis in cases:
        cells = suite.cells(data, axis)
        needs = Needs(suite=data.suite, axis=axis)
        taken = times(lambda data=data, needs=needs: current.recommend_for(data, needs))
        shape = f"{cells['model'].nunique()} models x {cells['tag'].nunique()} tags ({data.suite})"
        rows.append((shape, *map(ms, taken)))
    show("recommend(), cells included", ("5 runs", "min", "median", "max"), rows)
