"""What a score is held against: the rows it is made of, another model, and guessing."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from evalcore.analysis import estimates, intervals, profiles
from evalcore.errors import BadInput

PROBABLY = 0.8
"""From this chance on that a difference is above 0, it is called probable."""


def behind(scores: pd.DataFrame, benchmarks: pd.DataFrame, axis: str, tag: str) -> pd.DataFrame:
    """Give the published scores that the cells of one tag are made of.

    Args:
        scores: the scores of one suite.
        benchmarks: one row a benchmark: benchmark, type, capability.
        axis: a stored axis, or "type" or "capability" of a suite that stores benchmarks.
        tag: a tag of that axis.

    Returns:
        Rows of ``scores``, of all models, suspect ones included: one a model on a stored axis, one
        a (model, benchmark) on a derived one.
    """
    if axis in set(scores["axis"]) or axis not in profiles.DERIVED_AXES:
        return scores[(scores["axis"] == axis) & (scores["tag"] == tag)]
    members = benchmarks.loc[benchmarks[axis] == tag, "benchmark"]
    return scores[(scores["axis"] == "benchmark") & scores["benchmark"].isin(members)]


def against(cells: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Give the difference of every model to a reference model, tag by tag.

    value = x - x_ref, se = sqrt(se^2 + se_ref^2), 95 % interval value +- 1.96 se: unpaired, as
    published tables hold no single answers. With the same questions answered by both, a paired
    interval would as a rule be narrower (Miller 2024, arXiv 2411.00640), so this is careful.

    Args:
        cells: as from ``profiles.cells``.
        reference: the model that the others are compared with.

    Returns:
        One row a (model, tag) that both have, the reference itself left out: model, tag, value
        (-1..1), n (the model's items), se, low, high (NaN unknown), verdict ("clearly better":
        the interval excludes 0; "probably better": chance of a difference above 0 is at least
        0.8; "tied"; "clearly worse", "probably worse"; "cannot be judged": no standard error).

    Raises:
        BadInput: the reference has no cell.

    Example:
        >>> frame = pd.DataFrame({"model": ["a", "b"], "tag": "t", "value": [0.7, 0.5],
        ...                       "n": 400.0, "se": [0.02, 0.02]})
        >>> against(frame, "b")[["model", "verdict"]].to_numpy().tolist()
        [['a', 'clearly better']]
    """
    if reference not in set(cells["model"]):
        raise BadInput(f"model {reference!r} has no score on this axis to compare with")
    own = cells.loc[cells["model"] == reference, ["tag", "value", "se"]]
    rows = cells[cells["model"] != reference].merge(own, on="tag", suffixes=("", "_ref"))
    value = (rows["value"] - rows["value_ref"]).to_numpy(float)
    se = np.hypot(rows["se"].to_numpy(float), rows["se_ref"].to_numpy(float))
    ends = intervals.normal(value, se, floor=-1.0)
    found = rows.assign(value=value, se=se, low=ends.low, high=ends.high)
    found["verdict"] = verdicts(value, se, ends)
    return found[["model", "tag", "value", "n", "se", "low", "high", "verdict"]]


def chance_by_tag(scores: pd.DataFrame, benchmarks: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Give what guessing would score on each tag of a suite that stores benchmarks.

    Args:
        scores: the scores of one suite.
        benchmarks: one row a benchmark: benchmark, metric, chance, type, capability.
        axis: "benchmark", "type" or "capability".

    Returns:
        One row a tag: tag, chance (mean over its benchmarks with a known one; NaN if none),
        known, benchmarks (counts). Empty for a suite without benchmarks of its own.
    """
    rows = scores[scores["axis"] == "benchmark"].drop_duplicates(["benchmark", "metric"])
    tag = rows["tag"]
    if axis in profiles.DERIVED_AXES:
        tag = rows["benchmark"].map(benchmarks.set_index("benchmark")[axis])
    groups = rows.assign(tag=tag, chance=estimates.chance_level(rows, benchmarks)).groupby("tag")[
        "chance"
    ]
    return groups.agg(chance="mean", known="count", benchmarks="size").reset_index()


def verdicts(
    value: NDArray[np.float64], se: NDArray[np.float64], ends: intervals.Bounds
) -> list[str]:
    """Put each difference into the words that the whole dashboard uses."""
    with np.errstate(divide="ignore", invalid="ignore"):
        above = ndtr(value / se)
    side = np.where(value > 0, "better", "worse")
    clear = (ends.low > 0) | (ends.high < 0)
    probable = (above >= PROBABLY) | (above <= 1 - PROBABLY)
    return [
        "cannot be judged"
        if np.isnan(error)
        else f"clearly {word}"
        if sure
        else f"probably {word}"
        if likely
        else "tied"
        for error, word, sure, likely in zip(se, side, clear, probable, strict=True)
    ]
