"""MM-Vet's tables from graded answers: capabilities, exact sets of them, the total."""

import numpy as np
import pandas as pd

from evalcore.analysis import agreement, intervals

CAPABILITY, INTEGRATION, TOTAL = "capability", "integration", "total"
COLUMNS = [
    *("axis", "tag", "n", "value", "repeats", "sd_repeats", "se_items", "low", "high"),
]


def tables(verdicts: pd.DataFrame, tags: pd.DataFrame, clusters: pd.Series) -> pd.DataFrame:
    """Mean grades by capability, by exact set of capabilities, and over all questions.

    As MM-Vet v2 (arXiv 2408.00765) has it, a question counts for each of its capabilities and for
    one set, and grades are means over the judge's repeats. Beside the paper's spread over repeats
    stands the error that comes of asking these questions and no others; the interval has both,
    added in quadrature, and is cut off at 0 and 1.

    Args:
        verdicts: of one run by one judge: item, repeat, score (NaN unreadable).
        tags: item, axis (capability or integration; others are left out), tag.
        clusters: item → cluster.

    Returns:
        One row a tag, capabilities first, then sets by falling n, then the total: axis, tag, n
        (questions with a grade), value (0..1), repeats (most of a question), sd_repeats (standard
        deviation over repeats of the mean of the questions that all of them graded; NaN with one),
        se_items (clustered standard error over questions; NaN below two), low, high.
    """
    graded = verdicts.dropna(subset="score")
    wide = graded.astype({"item": str}).pivot(index="item", columns="repeat", values="score")
    sets = tags[tags["axis"].isin([CAPABILITY, INTEGRATION])]
    total = pd.DataFrame({"item": wide.index, "axis": TOTAL, "tag": TOTAL})
    rows = [
        (axis, tag, *_row(wide[wide.index.isin(own["item"])], clusters))
        for (axis, tag), own in pd.concat([sets, total]).groupby(["axis", "tag"])
    ]
    found = pd.DataFrame(rows, columns=COLUMNS)
    return found[found["n"] > 0].sort_values(
        ["axis", "n", "tag"], ascending=[True, False, True], ignore_index=True
    )


def _row(wide: pd.DataFrame, clusters: pd.Series) -> tuple[float, ...]:
    grade = wide.mean(axis=1)
    found = agreement.mean(grade, np.ones(len(grade)), clusters.reindex(wide.index))
    repeats = int(wide.notna().sum(axis=1).max()) if len(wide) else 0
    whole = wide.dropna()
    sd = float(whole.mean().std(ddof=1)) if len(whole) and wide.shape[1] > 1 else np.nan
    se = intervals.with_repeats(found.se, sd, max(repeats, 1))
    low, high = intervals.normal(found.value, se if se > 0 else np.nan)
    return found.n, found.value, repeats, sd, found.se, float(low), float(high)


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
        [1.0, 0.5]
    """
    rows = tags[tags["axis"].isin([CAPABILITY, INTEGRATION])]
    found = rows.groupby(["axis", "tag"])["item"].nunique().rename("n").reset_index()
    of = rows.groupby("axis")["item"].nunique()
    found["share"] = found["n"] / found["axis"].map(of)
    return found.sort_values(["axis", "n", "tag"], ascending=[True, False, True], ignore_index=True)
