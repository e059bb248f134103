"""The best score so far by release month, two sides apart, and how far one is behind the other."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from evalcore.analysis import intervals

_MONTH = re.compile(r"^(\d{4})-(\d{2})(-\d{2})?$")
_YEAR = 12


@dataclass(frozen=True)
class Gap:
    """How far the best of one side is behind the best of the other."""

    leader: str
    """The side whose best score is higher."""
    follower: str
    leader_model: str
    follower_model: str
    points: float
    """Best of the leader minus best of the follower, a fraction."""
    low: float
    """95 %, unpaired; NaN where a standard error is unknown."""
    high: float
    reached_by: str
    """The leader's first model with at least the follower's best score."""
    months: int
    """From that model's release to that of the follower's best; below 0 when the follower had its
    best score before the leader came to it."""


def months(released: pd.Series) -> pd.Series:
    """Count months since year 0; NaN for an unknown date and for a year without a month.

    Example:
        >>> months(pd.Series(["2025-08", "2025-08-31", "2025", None])).to_list()
        [24307.0, 24307.0, nan, nan]
    """
    return released.map(_month, na_action="ignore").astype(float)


def frontier(rows: pd.DataFrame) -> pd.DataFrame:
    """Mark the releases that were the best of their side when they came.

    Args:
        rows: one row a model: model, released (``2025-08``), side, value, se.

    Returns:
        The rows with a known month and value, by side and month, with month and best (whether no
        earlier or same-month release of its side scored as much; the first of equals counts).
    """
    known = rows.assign(month=months(rows["released"])).dropna(subset=["month", "value"])
    known = known.sort_values(
        ["side", "month", "value", "model"], ascending=[True, True, False, True], kind="stable"
    )
    before = known.groupby("side")["value"].transform(lambda value: value.cummax().shift())
    return known.assign(best=before.isna() | (known["value"] > before)).reset_index(drop=True)


def gap(front: pd.DataFrame) -> Gap | None:
    """Say how far one of two sides is behind the other, in score and in months.

    points = best of one side - best of the other, 95 % interval points +- 1.96 sqrt(se1^2 +
    se2^2). Months: from the leader's first model that scored at least the follower's best, to the
    release of that best.

    Args:
        front: as from ``frontier``.

    Returns:
        The gap; None unless there are two sides.
    """
    best = front[front["best"]]
    sides = list(best["side"].unique())
    if len(sides) != 2:
        return None
    tops = best.sort_values(["month"], kind="stable").drop_duplicates("side", keep="last")
    lead, follow = (
        row for _, row in tops.sort_values("value", ascending=False, kind="stable").iterrows()
    )
    level = best[(best["side"] == lead["side"]) & (best["value"] >= follow["value"])]
    first = level.sort_values("month", kind="stable").iloc[0]
    points = float(lead["value"] - follow["value"])
    ends = intervals.normal(points, np.hypot(float(lead["se"]), float(follow["se"])), floor=-1.0)
    return Gap(
        leader=str(lead["side"]),
        follower=str(follow["side"]),
        leader_model=str(lead["model"]),
        follower_model=str(follow["model"]),
        points=points,
        low=float(ends.low),
        high=float(ends.high),
        reached_by=str(first["model"]),
        months=int(follow["month"] - first["month"]),
    )


def _month(released: str) -> float:
    found = _MONTH.match(released)
    return np.nan if found is None else int(found[1]) * float(_YEAR) + int(found[2]) - 1
