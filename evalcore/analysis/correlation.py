"""Which benchmarks rank models alike, and which one stands for its group."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalcore.analysis import intervals
from evalcore.errors import BadInput

Method = Literal["spearman", "pearson"]

LEAST_MODELS = 4
"""Fewer shared models than this give no correlation: Fisher's interval needs n - 3 > 0."""
WELL_ABOVE = 0.5
"""A benchmark predicts another well when the whole interval of r lies above this."""
POORLY_BELOW = 0.5
"""A benchmark predicts another poorly when r lies below this."""
NOTHING_AT = 0.0
"""A benchmark does not predict another when the interval of r covers or lies below this."""

PAIR_COLUMNS = ["a", "b", "r", "low", "high", "n"]
NAMED = {"distilled-type": "type", "distilled-capability": "capability"}
"""Name of each of UniBench's own sets → the axis whose groups its benchmarks stand for."""
RESAMPLES = 500
SEED = 20240809
COLUMNS = ["group", "benchmark", "r", "low", "high", "members", "n", "chosen"]
Floats = NDArray[np.float64]


def matrix(
    table: pd.DataFrame, method: Method = "spearman", level: float = intervals.LEVEL
) -> pd.DataFrame:
    """Correlate every pair of columns over the rows where both are known.

    The interval is tanh(atanh(r) +- z se). For Pearson se = 1/sqrt(n - 3) (Fisher 1921); for
    Spearman se = sqrt((1 + r^2/2)/(n - 3)) (Bonett & Wright 2000, Psychometrika 65:23-28). It
    treats models as independent; models of one family are not, so the truth is wider.

    Args:
        table: one row a model, one column a benchmark or tag, as from ``wide``.
        method: "spearman" (of the ranks, ties averaged) or "pearson" (of the values).
        level: confidence level.

    Returns:
        One row an ordered pair of columns, the diagonal included: a, b (column names), r (-1..1),
        low, high (the interval), n (rows where both are known). r is NaN where n < 4 or a column
        does not vary; low and high are NaN there, on the diagonal, and where r is exactly 1 or -1.

    Raises:
        BadInput: an unknown method, or a level outside 0..1.

    Example:
        >>> table = pd.DataFrame({"x": [1, 2, 3, 4, 5], "y": [2, 1, 3, 5, 4]})
        >>> pairs = matrix(table)
        >>> round(float(pairs.loc[(pairs.a == "x") & (pairs.b == "y"), "r"].iloc[0]), 3)
        0.8
    """
    if method not in ("spearman", "pearson"):
        raise BadInput(f"unknown correlation {method!r}; known: 'spearman', 'pearson'")
    names = table.columns.to_numpy()
    known = table.notna().to_numpy(dtype=float)
    n = known.T @ known
    r = coefficients(table, method)
    low, high = _bounds(r, n, method, level)
    data = [np.repeat(names, len(names)), np.tile(names, len(names))]
    data += [r.ravel(), low.ravel(), high.ravel(), n.astype(int).ravel()]
    return pd.DataFrame(dict(zip(PAIR_COLUMNS, data, strict=True)))


def predicts(
    table: pd.DataFrame,
    reference: str,
    method: Method = "spearman",
    level: float = intervals.LEVEL,
) -> pd.DataFrame:
    """Say how well the ranking of models on one benchmark holds on each other benchmark.

    The verdicts: "well" when low > 0.5; "not or negatively" when the interval covers or lies below
    0; "poorly" when r < 0.5; "fairly" in between; "cannot tell" when there is no interval, or when
    r >= 0.5 rests on so few models that the interval covers 0.

    Args:
        table: one row a model, one column a benchmark.
        reference: the benchmark that does the predicting, a column of the table.
        method: "spearman" or "pearson".
        level: confidence level.

    Returns:
        One row another benchmark, the worst predicted first and unknown ones last: benchmark, r,
        low, high, n (models with both), verdict.

    Raises:
        BadInput: the reference is no column of the table.

    Example:
        >>> table = pd.DataFrame({"x": range(9), "y": [1, 0, 2, 3, 4, 5, 6, 7, 8]})
        >>> predicts(table, "x")["verdict"].to_list()
        ['well']
    """
    if reference not in table.columns:
        raise BadInput(f"unknown benchmark {reference!r}; known: {_listed(table.columns)}")
    pairs = matrix(table, method, level)
    others = pairs[(pairs["a"] == reference) & (pairs["b"] != reference)]
    result = others.drop(columns="a").rename(columns={"b": "benchmark"})
    result["verdict"] = _verdicts(result)
    return result.sort_values(["r", "benchmark"], ignore_index=True)


def coefficients(table: pd.DataFrame, method: Method) -> NDArray[np.float64]:
    """Give the square of r, pairwise complete; NaN where undefined, 1 on the diagonal."""
    matrix = table.astype(float).corr(method=method, min_periods=LEAST_MODELS)
    r: NDArray[np.float64] = np.clip(matrix.to_numpy(copy=True), -1, 1)
    defined = ~np.isnan(np.diag(r))
    r[defined, defined] = 1.0
    return r


def _bounds(
    r: NDArray[np.float64], n: NDArray[np.float64], method: Method, level: float
) -> intervals.Bounds:
    """Give Fisher's interval; none where |r| is 1, since its width would be zero."""
    inside = np.where(np.abs(r) < 1, r, np.nan)
    spread = 1 + inside**2 / 2 if method == "spearman" else np.ones_like(inside)
    freedom = np.where(n >= LEAST_MODELS, n - 3, np.nan)
    half = intervals.z(level) * np.sqrt(spread / freedom)
    centre = np.arctanh(inside)
    return intervals.Bounds(np.tanh(centre - half), np.tanh(centre + half))


def _verdicts(pairs: pd.DataFrame) -> NDArray[np.str_]:
    """Put the thresholds above into words, the first that fits."""
    r, low = pairs["r"], pairs["low"]
    rules = [
        (low.isna(), "cannot tell"),
        (low > WELL_ABOVE, "well"),
        ((low <= NOTHING_AT) & (r >= POORLY_BELOW), "cannot tell"),
        (low <= NOTHING_AT, "not or negatively"),
        (r < POORLY_BELOW, "poorly"),
    ]
    words = [word for _, word in rules]
    return np.select([mask.to_numpy(dtype=bool) for mask, _ in rules], words, default="fairly")


def _listed(names: Sequence[str] | pd.Index, most: int = 10) -> str:
    """Write the first few names for a message."""
    shown = ", ".join(map(repr, list(names)[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def printed(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Give one of UniBench's own sets as its Tables 2 and 3 print it.

    Args:
        rows: the store's representatives: axis, tag, printed_tag, benchmark, printed_benchmark,
            correlation, printed_value, note.
        name: one of ``NAMED``.

    Returns:
        The rows of that set: 8 by type, 18 by capability. ``benchmark`` is empty where the paper
        does not say which of two it means.

    Raises:
        BadInput: no such set.
    """
    if name not in NAMED:
        raise BadInput(f"unknown set {name!r}; known: {', '.join(NAMED)}")
    return rows[rows["axis"] == NAMED[name]].reset_index(drop=True)


def typical(table: pd.DataFrame, groups: pd.DataFrame) -> pd.DataFrame:
    """Give how far each benchmark stands for its group, by the rule of UniBench's section 10.

    r is the mean of Pearson's correlations, over models, with the other benchmarks of the group:
    the paper says "correlate strongly with other benchmarks", and on the open table this rule, and
    not the correlation with the group's mean, gives values near the printed ones. The 95 % interval
    resamples models (percentile bootstrap, ``RESAMPLES``, fixed seed); it takes them for
    independent, which checkpoints of one family are not.

    Args:
        table: one row a model, one column a benchmark, no gaps.
        groups: one row a (benchmark, group): benchmark, group.

    Returns:
        One row a (group, benchmark) of the table, the most typical of each group first: group,
        benchmark, r, low, high, members (benchmarks of the group in the table), n (models), chosen
        (the first of its group). A benchmark alone in its group is chosen without an r: it has
        nothing to agree with (the paper prints 1). r is NaN too where a benchmark does not vary.

    Raises:
        BadInput: gaps, or fewer than four models.

    Example:
        >>> table = pd.DataFrame({"x": [1, 2, 3, 4], "y": [1, 2, 3, 5], "z": [2, 1, 4, 3]})
        >>> groups = pd.DataFrame({"benchmark": list("xyz"), "group": "g"})
        >>> typical(table, groups)["benchmark"].to_list()
        ['x', 'y', 'z']
    """
    if table.isna().any(axis=None) or len(table) < LEAST_MODELS:
        raise BadInput(
            f"a table of {len(table)} models should have no gaps and at least {LEAST_MODELS}"
        )
    known = groups[groups["benchmark"].isin(table.columns)].drop_duplicates()
    values = table.to_numpy(float)
    rng = np.random.default_rng(SEED)
    drawn = rng.integers(0, len(values), (RESAMPLES, len(values)))
    squares = [_square(values), *(_square(values[rows]) for rows in drawn)]
    parts = []
    for name, part in known.groupby("group"):
        places = table.columns.get_indexer(pd.Index(part["benchmark"]))
        means = np.array([_with_others(square[np.ix_(places, places)]) for square in squares])
        tail = (1 - intervals.LEVEL) / 2
        low, high = np.quantile(means[1:], [tail, 1 - tail], axis=0)
        row = {"r": means[0], "low": low, "high": high}
        rows = pd.DataFrame({"group": name, "benchmark": part["benchmark"].to_numpy(), **row})
        parts.append(rows.sort_values(["r", "benchmark"], ascending=[False, True]))
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    whole = pd.concat(parts, ignore_index=True)
    members = whole.groupby("group")["benchmark"].transform("size")
    first = ~whole["group"].duplicated()
    return whole.assign(members=members, n=len(table), chosen=first)[COLUMNS]


def _square(values: Floats) -> Floats:
    """All correlations; NaN for a column that does not vary."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.atleast_2d(np.corrcoef(values, rowvar=False))


def _with_others(square: Floats) -> Floats:
    """The mean of each row without its diagonal; NaN where there is nothing else."""
    many = len(square)
    if many == 1:
        return np.array([np.nan])
    means: Floats = (square.sum(axis=1) - np.diag(square)) / (many - 1)
    return means
