"""Orders in which like stands beside like; apart, because what they need of scipy loads slowly."""

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage

from evalcore.analysis import correlation


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
    tidy = table[sorted(table.columns)]
    r = correlation.coefficients(tidy, method)
    related = np.isfinite(r).sum(axis=0) > 1
    names = list(tidy.columns[related])
    last = list(tidy.columns[~related])
    if len(names) <= 2:
        return names + last
    distance = 1 - np.nan_to_num(r[np.ix_(related, related)])
    condensed = np.clip(distance[np.triu_indices(len(names), 1)], 0, 2)
    leaves = leaves_list(linkage(condensed, "average", optimal_ordering=True))
    ordered = [names[leaf] for leaf in leaves]
    # Both directions are equally good; the one that starts with the earlier name is taken.
    return (ordered if ordered[0] < ordered[-1] else ordered[::-1]) + last


def similarity_order(cells: pd.DataFrame) -> list[str]:
    """Order the tags so that those on which models score alike stand next to each other.

    For radars, whose shape depends on the order of the spokes: see ``cluster_order``
    (Pearson, over models). The order does not depend on the order of the rows.

    Returns:
        Every tag once.
    """
    return cluster_order(correlation.wide(cells), "pearson")
