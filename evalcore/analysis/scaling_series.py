"""What size brings inside one series of releases, told apart from what it brings across all.

Across all models the larger ones are also the newer ones and come from other makers. A series is
what one maker released in several sizes under one name.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalcore.analysis import intervals, scaling

FEWEST_SIZES = 3
"""With fewer sizes a series has no slope: two points lie on a line whatever they are."""
_SIZE = re.compile(
    r"(?<![\w.])[AE]?\d+(?:\.\d+)?[BT]\b|\b(?:tiny|small|base|large|mini|nano)\b", re.IGNORECASE
)
_SLOPE = ["slope", "low", "high"]
_FACTS = ["n_models", "n_levels", "x_min", "x_max", "fold"]
_MONTH = re.compile(r"^(\d{4})-(\d{2})(-\d{2})?$")
_YEAR = 12


def names(models: pd.DataFrame) -> pd.Series:
    """Name the series of each model: its name without the size in it.

    So checkpoints that answer in another way ("Thinking", "Instruct") or in another mode are
    series of their own, and so are versions. A name without a size is a series of one.

    Args:
        models: one row a model: name (with its mode, if any).

    Returns:
        The series' names in the index of ``models``.

    Example:
        >>> names(pd.DataFrame({"name": ["Qwen3-VL-30B-A3B-Thinking", "Ovis2-8B", "GPT-5"]}))[0]
        'Qwen3-VL-Thinking'
    """
    return models["name"].map(_without_size).astype(object)


def within(
    cells: pd.DataFrame,
    models: pd.DataFrame,
    x: scaling.Scale,
    series: pd.Series,
    level: float = intervals.LEVEL,
) -> pd.DataFrame:
    """Give the slope of every series with at least ``FEWEST_SIZES`` sizes, tag by tag.

    Args:
        cells: one row a (model, tag): model, tag, value.
        models: one row a model, with the column named by x.
        x: the column that is scaled.
        series: the series of each model, in the index of ``models``.
        level: confidence level.

    Returns:
        One row a (tag, series) with at least two models of known size: tag, series, slope
        (fraction per tenfold; NaN below three sizes), low, high, n_models, n_levels (sizes), x_min,
        x_max, fold.
    """
    rows = [
        {"tag": tag, "series": name, **_slope(*_arrays(part), level)}
        for (tag, name), part in _placed(cells, models, x, series).groupby(
            ["tag", "series"], sort=False
        )
        if len(part) > 1
    ]
    table = pd.DataFrame(rows, columns=["tag", "series", *_SLOPE, *_FACTS])
    table[_SLOPE] = table[_SLOPE].where(table["n_levels"] >= FEWEST_SIZES)
    return table


def distinguishable(
    cells: pd.DataFrame,
    models: pd.DataFrame,
    x: scaling.Scale,
    series: pd.Series,
    level: float = intervals.LEVEL,
) -> pd.DataFrame:
    """Give the slope inside series and the slope across all models, tag by tag.

    Inside: y = a_series + slope * log10(x) over the series with at least ``FEWEST_SIZES`` sizes
    (see ``scaling.within_group_slope``). Across: one line through all models of known size,
    undefined below three sizes.

    Args:
        cells: as for ``within``; models, x, series and level too.

    Returns:
        One row a (tag, part), part being "within" or "across": tag, part, slope, low, high,
        n_models, n_series (1 across), n_levels, x_min, x_max, fold, n_unknown (models on the tag
        whose x is unknown).
    """
    placed = _placed(cells, models, x, series)
    placed["sizes"] = placed.groupby(["tag", "series"])["x"].transform("nunique")
    on_tag = cells[cells["value"].notna()].groupby("tag", sort=False).size()
    # As arrays: a page asks for both slopes of some 30 tags at once.
    scale, value = placed["x"].to_numpy(float), placed["value"].to_numpy(float)
    group, tags = pd.factorize(placed["series"])[0], placed["tag"].to_numpy(object)
    long = placed["sizes"].to_numpy() >= FEWEST_SIZES
    rows: list[dict[str, Any]] = []
    for tag, total in on_tag.items():
        own = tags == tag
        fixed = {"tag": tag, "n_unknown": int(total) - int(own.sum())}
        inside = own & long
        series_in = len(np.unique(group[inside]))
        slope = _slope(scale[inside], value[inside], group[inside], level)
        rows.append({**fixed, "part": "within", "n_series": series_in, **slope})
        across = _slope(scale[own], value[own], np.zeros(own.sum(), dtype=int), level)
        if across["n_levels"] < FEWEST_SIZES:
            across |= dict.fromkeys(_SLOPE, np.nan)
        rows.append({**fixed, "part": "across", "n_series": 1, **across})
    columns = ["tag", "part", *_SLOPE, "n_series", *_FACTS, "n_unknown"]
    return pd.DataFrame(rows, columns=columns)


def _without_size(name: str) -> str:
    """A name of one size and no more: what is left must still name something."""
    left = re.sub(r"[-\s]{2,}", "-", _SIZE.sub("", name)).strip("- ")
    left = re.sub(r"[-\s]+\[", " [", left)
    return left or name


def _placed(
    cells: pd.DataFrame, models: pd.DataFrame, x: scaling.Scale, series: pd.Series
) -> pd.DataFrame:
    """The cells whose model has a known x, with x and the series."""
    facts = pd.DataFrame(
        {"model": models["model"], "x": models[x].astype(float), "series": series}
    ).dropna(subset=["x"])
    rows = cells.loc[cells["value"].notna(), ["model", "tag", "value"]]
    return rows.merge(facts, on="model", validate="many_to_one")


def _arrays(
    part: pd.DataFrame,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp]]:
    """x, value and one group for all of a series."""
    x, value = part["x"].to_numpy(float), part["value"].to_numpy(float)
    return x, value, np.zeros(len(part), dtype=np.intp)


def _slope(
    x: NDArray[np.float64], value: NDArray[np.float64], groups: NDArray[np.intp], level: float
) -> dict[str, Any]:
    fit = scaling.within_group_slope(x, value, groups, level)
    low, high = (float(x.min()), float(x.max())) if len(x) else (np.nan, np.nan)
    return {
        "slope": fit.slope,
        "low": fit.low,
        "high": fit.high,
        "n_models": fit.n,
        "n_levels": fit.n_levels,
        "x_min": low,
        "x_max": high,
        "fold": high / low,
    }


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
    match = _MONTH.match(released)
    return np.nan if match is None else int(match[1]) * float(_YEAR) + int(match[2]) - 1
