"""MM-Vet's tables from graded answers: capabilities, exact sets of them, the total."""

import numpy as np
import pandas as pd

from evalcore.analysis import resample

CAPABILITY, INTEGRATION, TOTAL = "capability", "integration", "total"
CAREFUL = (
    "Where a judge wavers on each question by itself, the error over questions holds that already; "
    "the spread over its runs is added all the same, so the interval is too wide rather than too "
    "narrow."
)
"""Said beside the tables."""
COLUMNS = [
    *("axis", "tag", "n", "value", "repeats", "sd_repeats", "se_items", "low", "high"),
]


def tables(verdicts: pd.DataFrame, tags: pd.DataFrame, clusters: pd.Series) -> pd.DataFrame:
    """Mean grades by capability, by exact set of capabilities, and over all questions.

    As MM-Vet v2 (arXiv 2408.00765) has it, a question counts for each of its capabilities and for
    one set, and grades are means over the judge's repeats. Beside the paper's spread over repeats
    stands the error that comes of asking these questions and no others; the interval
    (``resample.interval``) has both, added in quadrature. Where a judge wavers on each question by
    itself the error over questions holds that already, so the interval is careful: by at most a
    factor of root 2, for questions that do not differ at all.

    Args:
        verdicts: of one run by one judge: item, repeat, score (NaN unreadable).
        tags: item, axis (capability or integration; others are left out), tag. Without an axis
            integration a question's set is that of its capabilities.
        clusters: item → cluster.

    Returns:
        One row a tag, capabilities first, then sets by falling n, then the total: axis, tag, n
        (questions with a grade), value (0..1), repeats (most of a question), sd_repeats (standard
        deviation over repeats of the mean of the questions that all of them graded; NaN with one),
        se_items (clustered standard error over questions; NaN below two or where none differs),
        low, high (NaN below two clusters).
    """
    graded = verdicts.dropna(subset="score")
    wide = graded.astype({"item": str}).pivot(index="item", columns="repeat", values="score")
    sets = _with_sets(tags)
    total = pd.DataFrame({"item": wide.index, "axis": TOTAL, "tag": TOTAL})
    rows = [
        (axis, tag, *_row(wide[wide.index.isin(own["item"])], clusters))
        for (axis, tag), own in pd.concat([sets, total]).groupby(["axis", "tag"])
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    return table[table["n"] > 0].sort_values(
        ["axis", "n", "tag"], ascending=[True, False, True], ignore_index=True
    )


def _with_sets(tags: pd.DataFrame) -> pd.DataFrame:
    """The tags that count; files of one's own name capabilities and leave their sets to us."""
    rows = tags[tags["axis"].isin([CAPABILITY, INTEGRATION])]
    if (rows["axis"] == INTEGRATION).any() or rows.empty:
        return rows
    each = rows.drop_duplicates(["item", "tag"]).sort_values("tag")
    sets = each.groupby("item", sort=False)["tag"].agg("+".join).reset_index()
    return pd.concat([rows, sets.assign(axis=INTEGRATION)], ignore_index=True)


def _row(wide: pd.DataFrame, clusters: pd.Series) -> tuple[float, ...]:
    grade = wide.mean(axis=1)
    cluster = clusters.reindex(wide.index)
    moments = resample.moments(grade.to_numpy()[:, None], resample.codes(cluster))
    repeats = int(wide.notna().sum(axis=1).max()) if len(wide) else 0
    whole = wide.dropna()
    sd = float(whole.mean().std(ddof=1)) if len(whole) and wide.shape[1] > 1 else np.nan
    ends = resample.interval(grade, cluster, more=sd / np.sqrt(max(repeats, 1)))
    low, high = ends if moments.clusters[0] > 1 else (np.nan, np.nan)
    return len(grade), moments.mean[0], repeats, sd, moments.se[0], float(low), float(high)


def proportions(tags: pd.DataFrame) -> pd.DataFrame:
    """How many of the questions need each capability, and each exact set (the paper's Figure 2).

    Args:
        tags: item, axis, tag, of all questions.

    Returns:
        One row a tag, the commonest first inside its axis: axis, tag, n (questions), share (of the
        questions that have a tag on the axis).

    Example:
        >>> rows = pd.DataFrame({"item": ["1", "1", "2"], "axis": "capability",
        ...                      "tag": ["ocr", "math", "ocr"]})
        >>> proportions(rows)["share"].to_list()
        [1.0, 0.5, 0.5, 0.5]
    """
    rows = _with_sets(tags)
    counts = rows.groupby(["axis", "tag"])["item"].nunique().rename("n").reset_index()
    of = rows.groupby("axis")["item"].nunique()
    counts["share"] = counts["n"] / counts["axis"].map(of)
    return counts.sort_values(
        ["axis", "n", "tag"], ascending=[True, False, True], ignore_index=True
    )
