"""The axis "need": what a person needs a model to do, scored by the benchmarks that speak for it.

In a suite the benchmarks of a need are found by one rule (``composition``), and every model is
scored on all of them or not at all, for a mean over fewer benchmarks is not the same measure.
"""

import pandas as pd

from evalcore.analysis import profiles
from evalcore.decision.text.phrases import listed

AXIS = "need"
COMPOSITION = [
    *("suite", "need", "family", "benchmark", "name"),
    *("models", "of", "used", "why"),
]
RULE = (
    "Of each benchmark the edition counts that most models of the block have. A need is the mean "
    "over the benchmarks that at least half of the block's models have, or over the one that most "
    "have where none reaches half; which benchmarks speak for a need is our judgement"
)


def composition(
    scores: pd.DataFrame, benchmarks: pd.DataFrame, needs: pd.DataFrame
) -> pd.DataFrame:
    """Say which benchmarks each need is made of, in each suite.

    Of each family one edition counts: the one that most models of the suite have, among equals
    the one that most models anywhere have (``used_by``), then the first by id. Of a need the
    families are used that at least half of the suite's models have, or else the most common one.
    Uploaded scores do not count: they would change what everybody else is scored on.

    Args:
        scores: rows on the axis "benchmark", one a (suite, model, benchmark).
        benchmarks: benchmark, name, family and, if known, used_by.
        needs: need, family, why.

    Returns:
        One row a (suite, need, family) with a result: suite, need, family, benchmark (the
        edition), name, models (that have it), of (models in the suite), used, why.
    """
    rows = scores[scores["axis"].eq("benchmark") & scores["kind"].ne("uploaded")]
    of = rows.groupby("suite")["model"].nunique()
    counts = rows.groupby(["suite", "benchmark"])["model"].nunique().rename("models").reset_index()
    about = benchmarks.set_index("benchmark")
    used_by = about["used_by"] if "used_by" in about else pd.Series(0, index=about.index)
    counts["family"] = counts["benchmark"].map(about["family"])
    counts["name"] = counts["benchmark"].map(about["name"])
    counts["used_by"] = counts["benchmark"].map(used_by).fillna(0)
    counts = counts.sort_values(
        ["models", "used_by", "benchmark"], ascending=[False, False, True], kind="stable"
    )
    editions = counts.dropna(subset=["family"]).drop_duplicates(["suite", "family"])
    members = editions.merge(needs, on="family")
    members["of"] = members["suite"].map(of).astype(float).astype(int)
    common = 2 * members["models"] >= members["of"]
    first = ~members.duplicated(["suite", "need"])
    none = ~common.groupby([members["suite"], members["need"]]).transform("any")
    members["used"] = common | (first & none)
    order = ["suite", "need", "used", "models", "family"]
    members = members.sort_values(order, ascending=[True, True, False, False, True], kind="stable")
    return members[COMPOSITION].reset_index(drop=True)


def cells(
    scores: pd.DataFrame,
    benchmarks: pd.DataFrame,
    composition: pd.DataFrame,
    *,
    include_suspect: bool = False,
    correct_chance: bool = False,
) -> pd.DataFrame:
    """Give the score of each model on each need of one suite.

    value = mean over the need's benchmarks, se = sqrt(sum se^2)/k, n = their questions together
    (NaN where one number is unknown, and then no interval).

    Args:
        scores: the scores of one suite, higher is better.
        benchmarks: as for ``profiles.cells``.
        composition: which benchmarks a need is made of, as from ``composition``; taken of all rows,
            so that a suspect result changes nobody else's measure.
        include_suspect: whether scores that may be misprinted take part.
        correct_chance: as for ``profiles.cells``.

    Returns:
        The columns of ``profiles.cells``, ``tag`` being the need; a model that lacks one of the
        need's benchmarks has no cell there (see ``bounds``).
    """
    parts = composition[composition["used"]]
    rows = profiles.estimated_rows(
        scores,
        benchmarks,
        "benchmark",
        include_suspect=include_suspect,
        correct_chance=correct_chance,
    )
    if correct_chance:
        usable = set(rows["benchmark"])
        parts = parts[parts["benchmark"].isin(usable)]
    rows = rows.drop(columns="tag").merge(parts[["benchmark", "need"]], on="benchmark")
    whole = parts.groupby("need")["benchmark"].nunique()
    return profiles.grouped(rows.rename(columns={"need": "tag"}), whole)


def bounds(
    scores: pd.DataFrame, composition: pd.DataFrame, *, include_suspect: bool = False
) -> pd.DataFrame:
    """Give the bounds of each need for which a model lacks a benchmark.

    Args:
        scores: the scores of one suite, higher is better.
        composition: as from ``composition``.
        include_suspect: whether scores that may be misprinted take part.

    Returns:
        One row a (model, need): model, tag, floor, ceiling (its mean with 0 and with 1 in every
        gap; 0 and 1 where it has none of them), lacks (names of the missing benchmarks, a tuple).
    """
    parts = composition[composition["used"]]
    taken = scores["axis"].eq("benchmark") & scores["value"].notna()
    if not include_suspect:
        taken &= ~scores["suspect"].eq(True)
    rows = scores.loc[taken, ["model", "benchmark", "value"]]
    table = rows.pivot(index="model", columns="benchmark", values="value").astype(float)
    result = [_bounds(str(need), part, table) for need, part in parts.groupby("need")]
    columns = ["model", "tag", "floor", "ceiling", "lacks"]
    return pd.concat(result, ignore_index=True) if result else pd.DataFrame(columns=columns)


def _bounds(need: str, part: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    own = table.reindex(columns=part["benchmark"].to_list())
    gaps = own.isna()
    some = gaps.any(axis=1)
    names = part["name"].to_list()
    lacks = [
        tuple(name for name, gap in zip(names, row, strict=True) if gap)
        for row in gaps[some].to_numpy()
    ]
    return pd.DataFrame(
        {
            "model": own.index[some],
            "tag": need,
            "floor": own[some].fillna(0).mean(axis=1).to_numpy(),
            "ceiling": own[some].fillna(1).mean(axis=1).to_numpy(),
            "lacks": pd.Series(lacks, dtype=object),
        }
    )


def behind(scores: pd.DataFrame, composition: pd.DataFrame, need: str) -> pd.DataFrame:
    """Give the scores that the cells of one need are made of.

    Returns:
        Rows of ``scores``, one a (model, benchmark of the need), of all models.
    """
    members = set(composition.loc[composition["used"] & composition["need"].eq(need), "benchmark"])
    return scores[scores["axis"].eq("benchmark") & scores["benchmark"].isin(members)]


def composition_in_words(rows: pd.DataFrame, needs: list[str] | None = None) -> str:
    """Say in one sentence which benchmarks make up each need.

    Args:
        rows: of one suite, as from ``composition``.
        needs: the needs to name; all when not given.

    >>> made = pd.DataFrame({"need": ["charts", "charts"], "name": ["ChartQA", "CharXiv"],
    ...                      "used": [True, True]})
    >>> composition_in_words(made)
    'charts is ChartQA and CharXiv'
    """
    used = rows[rows["used"]]
    wanted = list(dict.fromkeys(used["need"])) if needs is None else needs
    parts = [(need, used.loc[used["need"] == need, "name"].to_list()) for need in wanted]
    return "; ".join(f"{need} is {listed(names)}" for need, names in parts if names)
