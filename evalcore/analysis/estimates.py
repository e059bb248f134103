"""The sampling error of rows of published scores, and the correction of scores for chance.

Each function takes rows of the ``scores`` frame and returns them with columns added or changed.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from evalcore.analysis import intervals
from evalcore.errors import BadInput

DERIVED_AXES = ("type", "capability")
"""Axes that group benchmarks by a column of the benchmark's own row."""
PROPORTIONS = (
    *("accuracy", "mean-per-class-recall", "relaxed-accuracy", "anls", "vqa-accuracy"),
    *("llm-judged-accuracy", "ocrbench-score", "mm-vet-grade"),
)
"""Metrics that are a mean over the benchmark's items of something from 0 to 1, so that its size is
the n; for the graded ones the binomial error is an upper bound (see `intervals.standard_error`). A
mean over abilities, pages' parts or kinds of accuracy is none, for its parts differ in size."""

BY_WILSON = "approximate, from value and n (Wilson)"
BY_JUDGE = "approximate, from value, n and the spread over judge runs"
BY_ITEMS = "approximate, from n and the spread over items"
BY_ANSWERS = "from single answers; those that share a picture or source count as one cluster"
AND_JUDGE = "; with the spread over judge runs"
BY_SOURCES = "; widened by the spread between sources"
QUESTIONS_ONLY = "; covers the questions, not the choice of benchmarks"
BY_GROUP = f"approximate, from value and n{QUESTIONS_ONLY}"
RESCALED = "; rescaled so that chance is 0"
PROBABLY = 0.8
"""From this chance on that a difference is above 0, it is called probable."""


def with_items(rows: pd.DataFrame, benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Fill an unknown n of rows on the axis "benchmark" with the size of the benchmark.

    Args:
        rows: scores: axis, benchmark, metric, n.
        benchmarks: one row a benchmark: benchmark, n_items and, if known, parts (items of each
            part, "1200;500", where the score is the plain mean over parts).

    Returns:
        The rows; n stays NaN where the metric is no share of items (retrieval, mean average
        precision). Where parts are known there is a column n_effective: see ``effective``.
    """
    about = benchmarks.set_index("benchmark")
    size = rows["benchmark"].map(about["n_items"]).astype(float)
    usable = (rows["axis"] == "benchmark") & rows["metric"].isin(PROPORTIONS)
    if "parts" in about:
        known = about["parts"].dropna()
        weighed = rows["benchmark"].map(known.map(effective)).astype(float)
        usable |= weighed.notna()
        rows = rows.assign(n_effective=weighed.where(rows["n"].isna()))
    return rows.assign(n=rows["n"].astype(float).fillna(size.where(usable)))


def effective(parts: str) -> float:
    """The number of items that a plain mean over k parts is worth: k^2 / sum(1/n_part).

    With a like score in every part the variance of the mean over parts, p(1-p) sum(1/n_part)/k^2,
    is that of a mean over so many items: fewer than all of them, as small parts count as much as
    large ones.

    >>> effective("100;100"), effective("150;50")
    (200.0, 150.0)
    """
    sizes = [float(part) for part in parts.split(";")]
    return float(round(len(sizes) ** 2 / sum(1 / size for size in sizes), 6))


def estimated(rows: pd.DataFrame) -> pd.DataFrame:
    """Add standard error and 95 % interval to directly published scores.

    From value and n alone: binomial standard error and Wilson interval. With a spread over judge
    runs: that is added in quadrature. With a spread over items: sd/sqrt(n) (Miller 2024, arXiv
    2411.00640). The last two take the normal interval. Unknown n gives neither. Where several
    sources give one value, their spread is added in quadrature as well. Where the single answers
    are known, what they say takes the place of all this (see ``by_items.estimates``).

    Args:
        rows: scores: value, n, sd, sd_over and, if known, n_effective (see ``effective``), repeats
            (judge runs behind a value), spread (standard deviation between the sources of a
            pooled value, NaN for one source), and item_se, item_low, item_high, clusters (NaN
            clusters: no single answers) and judge_se (see ``by_items.estimates``).

    Returns:
        The rows with n, se, low, high, method, n_benchmarks (1) and floor (the least possible
        score, 0).
    """
    value, sd = rows["value"].to_numpy(float), rows["sd"].to_numpy(float)
    n = rows["n"].to_numpy(float)
    n = np.where(n > 0, n, np.nan)
    worth = n
    if "n_effective" in rows:
        weighed = rows["n_effective"].to_numpy(float)
        worth = np.where(np.isnan(weighed), n, weighed)
    runs = rows["repeats"].to_numpy(float) if "repeats" in rows else np.nan
    judged = ((rows["sd_over"] == "judge repeats") & ~np.isnan(sd)).to_numpy(bool)
    # A spread of 0 over items (all right or all wrong) would claim that nothing is uncertain.
    by_item = ((rows["sd_over"] == "items") & (sd > 0)).to_numpy(bool)
    binomial = intervals.standard_error(value, worth)
    se = intervals.with_repeats(binomial, np.where(judged, sd, np.nan), runs)
    se = np.where(by_item, sd / np.sqrt(n), se)
    spread = rows["spread"].to_numpy(float) if "spread" in rows else np.zeros(len(rows))
    pooled = np.nan_to_num(spread) > 0
    se = np.hypot(se, np.nan_to_num(spread))
    near, exact = intervals.normal(value, se), intervals.wilson(value, worth)
    methods = np.select([np.isnan(n), judged, by_item], ["", BY_JUDGE, BY_ITEMS], BY_WILSON)
    methods = methods.astype(object)
    methods[pooled & ~np.isnan(n)] += BY_SOURCES
    normal = judged | by_item | pooled
    table = rows.assign(
        value=value,
        n=n,
        se=se,
        low=np.where(normal, near.low, exact.low),
        high=np.where(normal, near.high, exact.high),
        method=methods,
        n_benchmarks=1,
        floor=0.0,
    )
    return _by_answers(table) if "clusters" in rows else table


def _by_answers(rows: pd.DataFrame) -> pd.DataFrame:
    """Take error and interval from the items where there are some; unknown there is unknown."""
    ours = rows["clusters"].notna()
    ends = {
        name: rows[name].mask(ours, rows[f"item_{name}"].astype(float))
        for name in ("se", "low", "high")
    }
    judged = rows["judge_se"].notna() if "judge_se" in rows else False
    method = np.where(judged, BY_ANSWERS + AND_JUDGE, BY_ANSWERS)
    method = np.where(ends["se"].isna(), "", method)
    return rows.assign(**ends, method=rows["method"].mask(ours, pd.Series(method, rows.index)))


def chance_level(scores: pd.DataFrame, benchmarks: pd.DataFrame) -> pd.Series:
    """Give the chance level of each score.

    Args:
        scores: rows with benchmark and metric.
        benchmarks: one row a benchmark: benchmark, metric, chance.

    Returns:
        Chance as a fraction; NaN where it is unknown, 1, or holds for another metric.
    """
    known = benchmarks.set_index("benchmark")
    level = scores["benchmark"].map(known["chance"]).astype(float)
    same = scores["benchmark"].map(known["metric"]) == scores["metric"]
    return level.where(same & (level < 1))


def corrected(rows: pd.DataFrame, benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Rescale scores to (x - c)/(1 - c), so that chance c is 0 and all right is 1.

    The rescaling is linear: the ends of the interval move alike, se is divided by 1 - c.

    Args:
        rows: as from ``estimated``, with known chance.
        benchmarks: one row a benchmark: benchmark, metric, chance.

    Returns:
        The rows with value, low, high, se, floor (now below 0) and method changed.
    """
    level = chance_level(rows, benchmarks)
    ends = {name: (rows[name] - level) / (1 - level) for name in ("value", "low", "high")}
    method = rows["method"].where(rows["method"] == "", rows["method"] + RESCALED)
    floor = -level / (1 - level)
    return rows.assign(**ends, se=rows["se"] / (1 - level), floor=floor, method=method)


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
    if axis in set(scores["axis"]) or axis not in DERIVED_AXES:
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
    table = rows.assign(value=value, se=se, low=ends.low, high=ends.high)
    table["verdict"] = verdicts(value, se, ends)
    return table[["model", "tag", "value", "n", "se", "low", "high", "verdict"]]


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
    if axis in DERIVED_AXES:
        tag = rows["benchmark"].map(benchmarks.set_index("benchmark")[axis])
    groups = rows.assign(tag=tag, chance=chance_level(rows, benchmarks)).groupby("tag")["chance"]
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
