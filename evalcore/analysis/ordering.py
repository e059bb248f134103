"""Orders in which like stands beside like; apart, because what they need of scipy loads slowly."""

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, leaves_list, linkage

from evalcore.analysis import correlation, profiles

ALIKE = 0.9
"""From this r on two benchmarks are said to say the same."""
FEW = 8
"""Below so many shared models a correlation is a hint: with 8, r must exceed .71 to leave 0 out."""


def cluster_order(table: pd.DataFrame, method: correlation.Method = "spearman") -> list[str]:
    """Order the columns so that those which rank models alike stand next to each other.

    Average linkage on the distance 1 - r, then the leaf order with the least sum of neighbouring
    distances (Bar-Joseph et al. 2001, Bioinformatics 17:S22-S29). The order does not depend on
    the order of the input. A pair with no defined r counts as unrelated (r = 0); columns with no
    defined r at all come last, by name.

    Args:
        table: one row a model, one column a benchmark or tag.
        method: "spearman" or "pearson".

    Returns:
        The names of the columns.

    Example:
        >>> table = pd.DataFrame({"a": [1, 2, 3, 4], "b": [4, 1, 3, 2], "c": [1, 2, 4, 3]})
        >>> cluster_order(table)
        ['a', 'c', 'b']
    """
    r = correlation.coefficients(table, method)
    return side_by_side(pd.DataFrame(r, table.columns, table.columns))


def side_by_side(r: pd.DataFrame) -> list[str]:
    """As ``cluster_order``, from the correlations themselves.

    Args:
        r: Columns x columns, symmetric; NaN is not defined.

    Example:
        >>> values = [[1, 0.1, 0.9], [0.1, 1, 0.2], [0.9, 0.2, 1]]
        >>> side_by_side(pd.DataFrame(values, list("abc"), list("abc")))
        ['a', 'c', 'b']
    """
    r = r.loc[sorted(r.columns), sorted(r.columns)]
    related = np.isfinite(r.to_numpy(float)).sum(axis=0) > 1
    names, last = list(r.columns[related]), list(r.columns[~related])
    if len(names) <= 2:
        return names + last
    distance = 1 - np.nan_to_num(r.loc[names, names].to_numpy(float))
    condensed = np.clip(distance[np.triu_indices(len(names), 1)], 0, 2)
    leaves = leaves_list(linkage(condensed, "average", optimal_ordering=True))
    ordered = [names[leaf] for leaf in leaves]
    # Both directions are equally good; the one that starts with the earlier name is taken.
    return (ordered if ordered[0] < ordered[-1] else ordered[::-1]) + last


def clusters(
    table: pd.DataFrame,
    method: correlation.Method = "spearman",
    *,
    least_r: float = ALIKE,
    least_n: int = FEW,
) -> pd.DataFrame:
    """Put columns together that say the same: every pair of them has at least r ``least_r``.

    Complete linkage on the distance 1 - r. A pair with fewer than ``least_n`` shared rows, or
    without an r, counts as unrelated (r = 0): a few models prove no likeness.

    Args:
        table: one row a model, one column a benchmark or tag.
        method: "spearman" or "pearson".
        least_r: the lowest correlation inside a cluster, above 0.
        least_n: shared models that a pair must have.

    Returns:
        One row a cluster of two or more, the largest first: members (a tuple, in the columns'
        order), r, low, high (of its least alike pair), n (fewest models of a pair).

    Example:
        >>> table = pd.DataFrame({"a": range(9), "b": range(9), "c": [1, 0] * 4 + [1]})
        >>> clusters(table)["members"].to_list()
        [('a', 'b')]
    """
    names = list(table.columns)
    groups = []
    if len(names) > 1:
        pairs = correlation.matrix(table, method)
        trusted = pairs["r"].where(pairs["n"] >= least_n, 0.0).fillna(0.0)
        square = trusted.to_numpy().reshape(len(names), -1)
        distance = np.clip(1 - square[np.triu_indices(len(names), 1)], 0, 2)
        # Rounding must not part what is exactly as alike as asked for.
        labels = fcluster(linkage(distance, "complete"), 1 - least_r + 1e-9, "distance")
        for label in dict.fromkeys(labels):
            members = tuple(name for name, own in zip(names, labels, strict=True) if own == label)
            if len(members) > 1:
                inside = pairs[pairs["a"].isin(members) & pairs["b"].isin(members)]
                inside = inside[inside["a"] != inside["b"]].sort_values("r", kind="stable")
                least = inside.iloc[0]
                ends = (least["r"], least["low"], least["high"])
                groups.append((members, *ends, int(inside["n"].min())))
    frame = pd.DataFrame(groups, columns=["members", "r", "low", "high", "n"])
    order = frame["members"].map(len).sort_values(ascending=False, kind="stable").index
    return frame.loc[order].reset_index(drop=True)


def similarity_order(cells: pd.DataFrame) -> list[str]:
    """Order the tags so that those on which models score alike stand next to each other.

    For radars, whose shape depends on the order of the spokes: see ``cluster_order``
    (Pearson, over models). The order does not depend on the order of the rows.

    Returns:
        Every tag once.
    """
    return cluster_order(profiles.wide(cells), "pearson")
