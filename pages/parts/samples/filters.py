"""Which items a filter leaves: by outcome over models, tags, flags and text; and their scores."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from evalcore.analysis import agreement, resample
from evalcore.suites.item_results import ItemResults
from pages.shared.samples import RIGHT

ANY, ALL_RIGHT, ALL_WRONG = "Any", "All right", "All wrong"
DISAGREE, ONE_RIGHT = "Models disagree", "Only one right"
UNSCORED, ERROR, JUDGE = "Unscored", "No usable answer", "Judge and person disagree"
OUTCOMES = (ANY, ALL_RIGHT, ALL_WRONG, DISAGREE, ONE_RIGHT, UNSCORED, ERROR, JUDGE)
FLAGS = ("All", "Flagged", "Not flagged")


@dataclass(frozen=True)
class Filter:
    """What is asked for; an empty field lets everything pass."""

    entries: tuple[str, ...]
    outcome: str = ANY
    only: str | None = None
    """The entry that alone is to be right."""
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Axis → tags of which an item has one at least."""
    flags: str = FLAGS[0]


def masks(
    evidence: ItemResults, entries: Sequence[str], labels: pd.DataFrame
) -> dict[str, pd.Series]:
    """Outcome → which items have it, over entries that asked them.

    Args:
        evidence: The benchmark's.
        entries: The chosen ones; a pattern holds where each of them has a score.
        labels: What people say: run, item, label.
    """
    chosen = list(entries)
    scores = evidence.scores[chosen].to_numpy()
    asked = evidence.asked[chosen].to_numpy()
    right, wrong = scores >= RIGHT, scores < RIGHT
    there = asked.any(axis=1)
    patterns = {
        ANY: there,
        ALL_RIGHT: there & right.all(axis=1),
        ALL_WRONG: there & wrong.all(axis=1),
        DISAGREE: right.any(axis=1) & wrong.any(axis=1),
        ONE_RIGHT: (right.sum(axis=1) == 1) & (right | wrong).all(axis=1) & (len(chosen) > 1),
        UNSCORED: (asked & np.isnan(scores)).any(axis=1),
        ERROR: evidence.failed[chosen].to_numpy().any(axis=1),
        JUDGE: evidence.items.index.isin(_against_people(evidence, chosen, labels)),
    }
    return {name: pd.Series(mask, index=evidence.items.index) for name, mask in patterns.items()}


def rows_shown(
    evidence: ItemResults,
    asked: Filter,
    patterns: Mapping[str, pd.Series],
    flagged: Collection[str],
    containing: Collection[str] | None,
) -> list[str]:
    """The items that a filter leaves, in the benchmark's order.

    Args:
        evidence: The benchmark's.
        asked: The filter.
        patterns: As from ``masks`` for the filter's entries.
        flagged: The items that are flagged.
        containing: The items that hold the text that is looked for; None looks for none.
    """
    kept = patterns[ANY] & patterns[asked.outcome]
    items = evidence.items.index
    if asked.only is not None:
        others = [entry for entry in asked.entries if entry != asked.only]
        kept &= evidence.scores[asked.only] >= RIGHT
        kept &= (evidence.scores[others] < RIGHT).all(axis=1)
    for axis, tags in asked.tags.items():
        if tags:
            held = np.zeros(len(items), dtype=bool)
            for tag in tags:
                held[evidence.tagged(axis, tag)] = True
            kept &= held
    if asked.flags != FLAGS[0]:
        kept &= items.isin(list(flagged)) == (asked.flags == FLAGS[1])
    if containing is not None:
        kept &= items.isin(list(containing))
    return items[kept.to_numpy()].astype(object).tolist()


def score_rows(
    evidence: ItemResults,
    entries: Sequence[str],
    flagged: Collection[str],
    names: Mapping[str, str],
) -> pd.DataFrame:
    """Each entry's mean with its interval, with and without the flagged items.

    Returns:
        One row an entry, ready to read: per cent, 95 % intervals over clusters of items; where an
        item that was asked has no score, how many and what they leave open.
    """
    without = ~evidence.items.index.isin(list(flagged))
    parts = [("", np.ones(len(without), dtype=bool))]
    parts += [(" without flagged", without)] if len(flagged) else []
    scores, clusters = evidence.scores[list(entries)].to_numpy(), evidence.cluster_codes
    table: dict[str, object] = {"Model": [names[entry] for entry in entries]}
    for end, kept in parts:
        values = [_estimate(column[kept], clusters[kept]) for column in scores.T]
        columns = ("Score{}, %", "95 % from{}, %", "to{}, %", "Questions{}")
        for place, name in enumerate(columns):
            table[name.format(end)] = [value[place] for value in values]
    frame = pd.DataFrame(table).join(_open_ends(evidence, entries))
    if len(flagged):
        frame["Change, points"] = frame["Score without flagged, %"] - frame["Score, %"]
    return frame


def _open_ends(evidence: ItemResults, entries: Sequence[str]) -> pd.DataFrame:
    """The items without a score of each entry, and its score with them as wrong and as right."""
    asked = evidence.asked[list(entries)].to_numpy()
    scores = evidence.scores[list(entries)].to_numpy()
    missing, number = (asked & np.isnan(scores)).sum(axis=0), asked.sum(axis=0)
    if not missing.any():
        return pd.DataFrame(index=range(len(entries)))
    with np.errstate(invalid="ignore", divide="ignore"):
        low = np.nansum(np.where(asked, scores, np.nan), axis=0) / number
        ends = {"With these wrong, %": 100 * low, "right, %": 100 * (low + missing / number)}
    return pd.DataFrame({"Without a score": missing, **ends})


def _estimate(scores: np.ndarray, clusters: np.ndarray) -> tuple[float, float, float, int]:
    """Mean and 95 % interval, per cent, and n; NaN where they are undefined."""
    known = ~np.isnan(scores)
    values = scores[known]
    if not len(values):
        return np.nan, np.nan, np.nan, 0
    low, high = (float(end) for end in resample.interval(values, clusters[known]))
    return 100 * float(values.mean()), 100 * low, 100 * high, len(values)


def _against_people(
    evidence: ItemResults, entries: Sequence[str], labels: pd.DataFrame
) -> frozenset[str]:
    """Items of which the most raters say otherwise than the judge, for any of the entries."""
    if labels.empty:
        return frozenset()
    share = agreement.consensus(labels).set_index(["run", "item"])["human"].dropna()
    items: set[str] = set()
    for entry in entries:
        run = evidence.entries.loc[entry, "run"]
        if run not in share.index.get_level_values("run"):
            continue
        labelled = share.xs(run, level="run")
        judged = evidence.scores[entry].reindex(labelled.index)
        other = judged.notna() & ((labelled >= RIGHT) != (judged >= RIGHT))
        items |= set(labelled.index[other])
    return frozenset(items)
