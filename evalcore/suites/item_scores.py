"""The single questions behind a suite's measured scores, so that models are compared on them.

Only what is behind the suite's own figures counts: a run whose items give another value or another
number of questions than the store's score is left out.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from evalcore.analysis import by_items, estimates
from evalcore.analysis.by_items import Items, Key, Repeats, TagComposition
from evalcore.analysis.estimates import DERIVED_AXES
from evalcore.analysis.resample import Places
from evalcore.records import TOTAL
from evalcore.store.judged_runs import DEMO
from evalcore.suites import item_results
from evalcore.suites.item_results import ItemResults

SAME = 1e-9
"""A mean over items that lies nearer to a score than this is that score."""
Reading = Callable[[str], ItemResults]
HERE = " (measured here)"
"""Ends the id and the name of a model that was run here and is published too."""


def read(path: Path, suite: str, scores: pd.DataFrame) -> Items | None:
    """Read the items behind a suite's measured scores; None where there are none.

    Args:
        path: The store.
        suite: Its id.
        scores: The suite's, one metric a benchmark, models as ``suite.apart`` names them.
    """
    measured = scores[scores["kind"] == "measured"]
    if measured.empty:
        return None
    there = set(item_results.benchmarks(path))
    parts = []
    for benchmark, rows in measured.groupby("benchmark", sort=True):
        if benchmark in there:
            parts.append(_part(item_results.load(path, str(benchmark)), rows, suite == DEMO))
    return _joined([part for part in parts if part is not None])


def with_errors(scores: pd.DataFrame, items: Items | None) -> pd.DataFrame:
    """Add to scores what their items say of them.

    Args:
        scores: The suite's.
        items: The items behind them.

    Returns:
        The scores with item_se, item_low, item_high, clusters and judge_se (what the spread over a
        judge's repeats adds to item_se; NaN where it was asked once); NaN where a row has no items
        behind it. Without items the scores as they are.
    """
    if items is None:
        return scores
    columns = ["item_se", "item_low", "item_high", "clusters", "judge_se"]
    estimates = by_items.estimates(items, list(items.places)).rename(
        columns={"se": "item_se", "low": "item_low", "high": "item_high"}
    )
    keys = ["benchmark", "axis", "tag", "model"]
    estimates = estimates[[*keys, *columns, "value"]]
    joined = scores.merge(estimates.rename(columns={"value": "_mean"}), on=keys, how="left")
    ours = joined["kind"].eq("measured") & (joined["_mean"] - joined["value"]).abs().lt(SAME)
    joined[columns] = joined[columns].where(ours)
    return joined.drop(columns="_mean").set_axis(scores.index, axis=0)


def composition(
    items: Items,
    scores: pd.DataFrame,
    benchmarks: pd.DataFrame,
    axis: str,
    *,
    correct_chance: bool = False,
) -> TagComposition:
    """Give how each tag's score is made of groups of items.

    A tag with the same name as a group is that group; of an axis that groups benchmarks a tag is
    the mean over its benchmarks, and is left out where one of them has no items.

    Args:
        items: The suite's.
        scores: The suite's.
        benchmarks: One row a benchmark: benchmark, metric, chance, type, capability.
        axis: The axis; the total over all items is among its tags where scores have one.
        correct_chance: Whether each benchmark is rescaled to (x - c)/(1 - c) before.
    """
    rows = scores[scores["axis"] == axis]
    if axis in DERIVED_AXES and rows.empty:
        rows = scores[scores["axis"] == "benchmark"]
        rows = rows.assign(group=rows["benchmark"].map(benchmarks.set_index("benchmark")[axis]))
    else:
        rows = rows.assign(group=rows["tag"])
    rows = rows[rows["group"].notna()].drop_duplicates(["benchmark", "axis", "tag"])
    level = estimates.chance_level(rows, benchmarks).fillna(0) if correct_chance else 0.0
    rows = rows.assign(weight=1 / (1 - level))
    places = {}
    for tag, group in rows.groupby("group", sort=False):
        keys = _keys(group)
        if set(keys) <= set(items.places):
            places[str(tag)] = dict(zip(keys, group["weight"] / len(group), strict=True))
    return places


def _keys(rows: pd.DataFrame) -> list[Key]:
    columns = (rows[name].astype(str) for name in ("benchmark", "axis", "tag"))
    return [(benchmark, axis, tag) for benchmark, axis, tag in zip(*columns, strict=True)]


def _part(results: ItemResults, rows: pd.DataFrame, demo: bool) -> Items | None:
    """One benchmark's items, for the models whose score an entry's items give."""
    keys = _keys(rows.drop_duplicates(["axis", "tag"]))
    places = {key: _places(results, key[1], key[2]) for key in keys}
    chosen = {}
    for model, own in rows.groupby("model", sort=True):
        if entry := _entry(results, own, places, demo):
            chosen[str(model)] = entry
    if not chosen:
        return None
    table = results.scores[list(chosen.values())].set_axis(list(chosen), axis=1)
    clusters = [f"{results.benchmark}\n{name}" for name in results.clusters]
    table = table.set_axis([f"{results.benchmark}\n{item}" for item in table.index], axis=0)
    asked = results.asked[list(chosen.values())].set_axis(list(chosen), axis=1)
    asked = asked.set_axis(table.index, axis=0)
    codes = np.asarray(clusters, dtype=object)
    return Items(table, codes, places, asked=asked, repeats=_repeats(results, chosen))


def _repeats(results: ItemResults, chosen: dict[str, str]) -> list[Repeats]:
    """The verdicts by repeat of the entries that were judged twice or more; read only for them."""
    often = {
        model: entry for model, entry in chosen.items() if results.entries["repeats"][entry] > 1
    }
    if not often:
        return []
    rows = results.grades[results.grades["entry"].isin(list(often.values()))]
    place = rows["item"].cat.codes.to_numpy()
    number, repeat = np.unique(rows["repeat"].to_numpy(), return_inverse=True)
    repeats = []
    for model, entry in often.items():
        own = (rows["entry"] == entry).to_numpy()
        table = np.full((len(results.items), len(number)), np.nan)
        table[place[own], repeat[own]] = rows["score"].to_numpy(float)[own]
        asked = ~np.isnan(table).all(axis=0)
        repeats.append(Repeats(model, results.benchmark, 0, table[:, asked]))
    return repeats


def _places(results: ItemResults, axis: str, tag: str) -> Places:
    """The items of a tag; the total, and a benchmark without tags, is all of them."""
    if tag == TOTAL or (axis, tag) == ("benchmark", results.benchmark):
        return np.arange(len(results.items))
    return np.asarray(results.tagged(axis, tag), dtype=np.intp)


def _entry(
    results: ItemResults, rows: pd.DataFrame, places: dict[Key, Places], demo: bool
) -> str | None:
    """The entry whose items give a model's scores; of several the one of the scores' metric."""
    about = results.entries
    model = str(rows["model"].iloc[0]).removesuffix(HERE)
    mine = about[(about["model"] == model) & (about["demo"] == demo)]
    mine = mine.assign(other=mine["metric"] != rows["metric"].iloc[0])
    for entry in mine.sort_values(["other", "created"], ascending=[True, False]).index:
        scores = results.scores[entry].to_numpy(float)
        cells = zip(_keys(rows), rows["value"], rows["n"], strict=True)
        if all(_gives(scores[places[key]], value, n) for key, value, n in cells):
            return str(entry)
    return None


def _gives(scores: np.ndarray, value: float, n: float) -> bool:
    known = scores[~np.isnan(scores)]
    return bool(len(known)) and len(known) == n and abs(float(known.mean()) - value) < SAME


def _joined(parts: Iterable[Items]) -> Items | None:
    """The benchmarks' items one below the other."""
    parts, start = list(parts), 0
    if not parts:
        return None
    places: dict[Key, Places] = {}
    repeats = []
    for part in parts:
        places |= {key: held + start for key, held in part.places.items()}
        repeats += [again._replace(start=start) for again in part.repeats]
        start += len(part.scores)
    scores = pd.concat([part.scores for part in parts])
    clusters = np.concatenate([part.cluster for part in parts])
    codes = np.unique(clusters, return_inverse=True)[1].astype(np.intp)
    asked = pd.concat([part.asked for part in parts]).reindex(columns=scores.columns).eq(True)
    return Items(scores, codes, places, asked=asked, repeats=repeats)
