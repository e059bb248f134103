"""Which benchmarks rank models alike, and which one says little about the others."""

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


def wide(frame: pd.DataFrame, rows: str = "model", columns: str = "tag") -> pd.DataFrame:
    """Lay the column ``value`` of scores or cells out as a table.

    Args:
        frame: one row a score, with ``value`` and the two columns named next.
        rows: the column whose entries become the rows of the table.
        columns: the column whose entries become its columns.

    Returns:
        One row an entry of ``rows``, one column an entry of ``columns``, both in sorted order;
        NaN where there is no score.

    Raises:
        BadInput: a place in the table has two scores.

    Example:
        >>> cells = pd.DataFrame({"model": ["a", "b"], "tag": ["t", "t"], "value": [0.5, 0.7]})
        >>> wide(cells)["t"].to_list()
        [0.5, 0.7]
    """
    twice = frame[frame.duplicated([rows, columns])]
    if len(twice):
        row, column = twice[rows].iloc[0], twice[columns].iloc[0]
        raise BadInput(
            f"{rows} {row!r} has more than one value for {columns} {column!r}; "
            "choose one mode, split and metric"
        )
    return frame.pivot(index=rows, columns=columns, values="value")


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
    found = others.drop(columns="a").rename(columns={"b": "benchmark"})
    found["verdict"] = _verdicts(found)
    return found.sort_values(["r", "benchmark"], ignore_index=True)


def coefficients(table: pd.DataFrame, method: Method) -> NDArray[np.float64]:
    """Give the square of r, pairwise complete; NaN where undefined, 1 on the diagonal."""
    found = table.astype(float).corr(method=method, min_periods=LEAST_MODELS)
    r: NDArray[np.float64] = np.clip(found.to_numpy(copy=True), -1, 1)
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


def _verdicts(found: pd.DataFrame) -> NDArray[np.str_]:
    """Put the thresholds above into words, the first that fits."""
    r, low = found["r"], found["low"]
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
