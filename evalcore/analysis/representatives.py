"""The benchmark that stands for its group: the one most correlated with the others of it."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalcore.analysis import intervals
from evalcore.analysis.correlation import LEAST_MODELS
from evalcore.errors import BadInput

NAMED = {"distilled-type": "type", "distilled-capability": "capability"}
"""Name of each of UniBench's own sets → the axis whose groups its benchmarks stand for."""
RESAMPLES = 500
SEED = 20240809
COLUMNS = ["group", "benchmark", "r", "low", "high", "members", "n", "chosen"]

Floats = NDArray[np.float64]


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
    found = []
    for name, part in known.groupby("group"):
        places = table.columns.get_indexer(pd.Index(part["benchmark"]))
        means = np.array([_with_others(square[np.ix_(places, places)]) for square in squares])
        tail = (1 - intervals.LEVEL) / 2
        low, high = np.quantile(means[1:], [tail, 1 - tail], axis=0)
        told = {"r": means[0], "low": low, "high": high}
        rows = pd.DataFrame({"group": name, "benchmark": part["benchmark"].to_numpy(), **told})
        found.append(rows.sort_values(["r", "benchmark"], ascending=[False, True]))
    if not found:
        return pd.DataFrame(columns=COLUMNS)
    whole = pd.concat(found, ignore_index=True)
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
