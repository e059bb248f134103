"""Compare page: what questions without a score leave open, so that nobody wins by not answering."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from evalcore.analysis import paired
from evalcore.suites.item_results import ItemResults
from pages.parts.compare.comparison import Comparison
from pages.shared.charts import between, points

ROUNDING = 1e-9
"""Differences below this are none."""
NAMED = 5
"""Runs that are named one by one."""


def silent(evidence: ItemResults, metric: str | None = None) -> str:
    """Which runs have no score at all, and why; "" if none.

    Args:
        evidence: Of the benchmark.
        metric: Whose scores count; None takes all.
    """
    rows = evidence.entries[evidence.entries["n_scored"] == 0]
    rows = rows if metric is None else rows[rows["metric"] == metric]
    rows = rows.drop_duplicates("run")
    failed = evidence.failed[rows.index].sum()
    sentences = [_silent(row, int(failed[row.Index])) for row in rows[:NAMED].itertuples()]
    more = len(rows) - NAMED
    sentences += [f"{more:,} more runs have no scored answer."] if more > 0 else []
    return " ".join(sentences)


def _silent(row: Any, failed: int) -> str:
    n = int(row.n_items)
    why = (
        f"all {n:,} failed" if failed == n else f"{failed:,} of {n:,} failed, the rest lack a score"
    )
    return f"Run {row.run} of model {row.model_name} has no scored answer: {why}."


def left_out(comparison: Comparison) -> str:
    """What is left out for want of a score, and the most that it could change; "" if nothing."""
    if not comparison.left:
        return ""
    n, rest = len(comparison.asked), len(comparison.scores)
    missing = comparison.asked.isna().sum()
    who = [
        f"{comparison.names[entry]} {missing[entry]:,}"
        for entry in comparison.entries
        if missing[entry]
    ]
    ends = [
        f"{comparison.names[entry]} {_span(*comparison.bounds(entry))}"
        for entry in comparison.others
    ]
    return (
        f"{comparison.left:,} of {n:,} questions lack a score of at least one and are left out "
        f"({'; '.join(who)}): differences, counts and scores are on the other {rest:,}, which all "
        f"have a score for. Over all {n:,}, whatever the unscored ones would be, the difference to "
        f"{comparison.names[comparison.reference]} lies within: {'; '.join(ends)} points."
    )


def _span(low: float, high: float) -> str:
    return between(low, high) if high - low > ROUNDING else points(low)


def there(comparison: Comparison) -> str:
    """On which questions something holds, to be said where that is not all of them; else ""."""
    if not comparison.left:
        return ""
    return f" on the {len(comparison.scores):,} questions that all have a score for"


def reversal(
    comparison: Comparison, leader: str, others: Iterable[str], group: str = paired.ALL
) -> str:
    """Who would lead if unscored questions were counted, in half a sentence; "" where nobody could.

    Args:
        comparison: The comparison.
        leader: The entry that is ahead on the common questions.
        others: Those that it is ahead of.
        group: Of questions: all or those with one tag.
    """
    asked = comparison.asked_of(group)
    gap = {other: paired.difference_bounds(asked, leader, other)[0] for other in others}
    gap = {other: least for other, least in gap.items() if least < -ROUNDING}
    if not gap:
        return ""
    missing = asked.isna().sum()
    wrong = asked.fillna(0).mean()
    above = wrong[[*gap]]
    first = str(above.idxmax())
    if above[first] > wrong[leader] + ROUNDING:
        own = _whose(missing, leader, comparison.names[leader])
        return f"with {own} as wrong, {comparison.names[first]} would lead"
    first = min(gap, key=lambda other: gap[other])
    parts = []
    if missing[leader]:
        parts.append(
            f"with the {missing[leader]:,} unscored of {comparison.names[leader]} as wrong"
        )
    if missing[first]:
        own = f"the {missing[first]:,} unscored of {comparison.names[first]}"
        parts.append(f"{own} as right" if parts else f"with {own} as right")
    return f"{' and '.join(parts)}, {comparison.names[first]} could lead"


def _whose(missing: pd.Series, leader: str, name: str) -> str:
    """The unscored questions of the leader, or of everybody where others have some too."""
    if (missing.drop(leader) > 0).any():
        return f"all unscored ones ({name} has {missing[leader]:,})"
    return f"the {missing[leader]:,} unscored of {name}"
