"""The axis "need": what a person needs a model to do, scored by the benchmarks that speak for it.

In a suite the benchmarks of a need are found by one rule (``composition``), and every model is
scored on all of them or not at all, for a mean over fewer benchmarks is not the same measure.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from evalcore.analysis import profiles
from evalcore.decision.limits import check_limits, gather, split
from evalcore.decision.market import Market, card_gb, facts
from evalcore.decision.needs import Needs
from evalcore.decision.text.phrases import counted, listed
from evalcore.errors import BadInput

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


ENOUGH = 3
"""Models that meet the limits below which there is next to nothing to choose from."""
COLUMNS = [
    *("suite", "name", "covers", "lacks", "benchmarks", "thin", "models", "complete"),
    *("admissible", "density", "mixed", "newest", "published", "chosen"),
]


@dataclass(frozen=True)
class Current:
    """All current suites together, as the choice among them needs it."""

    suites: pd.DataFrame
    """One row a current suite: suite, name, mixed, published."""
    scores: pd.DataFrame
    """Of all current suites, by model and mode."""
    models: pd.DataFrame
    """One row a model and mode."""
    benchmarks: pd.DataFrame
    """One row a benchmark: benchmark, name, family, used_by."""
    needs: pd.DataFrame
    """need, family, why."""
    market: Market


@dataclass(frozen=True, eq=False)
class Blocks:
    """The current suites as answers to one question."""

    table: pd.DataFrame
    """One row a suite that covers any need asked, the best first: suite, name, covers and lacks
    (tuples of needs asked), benchmarks (tuple of names behind the needs asked), thin (tuple of
    needs that rest on one of several benchmarks), models (a mode counting as one), complete (of
    them with the whole mix), admissible (releases with the whole mix that meet the limits),
    density (share of filled cells of those benchmarks), mixed, newest (release of its newest
    complete model), published, chosen."""
    chosen: str | None
    """The suite's id; None when no suite covers every need asked."""
    reason: str
    """Why, in one or two sentences."""


def rank(current: Current, needs: Needs) -> Blocks:
    """Rank the current suites for the needs asked.

    Args:
        current: all current suites.
        needs: tags of the axis "need" as weights (all needs when empty) and the limits; those on
            scores do not count here. ``suite`` is not looked at.

    Raises:
        BadInput: a need that no table knows, with the known ones; a limit outside its range.
        UnknownName: a graphics card that is not known.
    """
    check_limits(needs)
    asked = _asked(current.needs, needs)
    members = composition(current.scores, current.benchmarks, current.needs)
    members = members[members["need"].isin(asked)]
    table = _ordered(_table(current, members, _meeting(current, needs), asked))
    usable = table[table["lacks"].map(len).eq(0) & table["complete"].gt(0)]
    chosen = None if usable.empty else str(usable["suite"].iloc[0])
    table["chosen"] = [suite == chosen for suite in table["suite"]]
    return Blocks(table, chosen, _reason(table, chosen, members, asked))


def _asked(known: pd.DataFrame, needs: Needs) -> list[str]:
    all_needs = sorted(set(known["need"]))
    asked = [tag for tag, weight in needs.weights if weight > 0] or all_needs
    unknown = [need for need in asked if need not in all_needs]
    if unknown:
        raise BadInput(f"no need {unknown[0]!r}; known needs: {', '.join(all_needs)}")
    return asked


def _meeting(current: Current, needs: Needs) -> set[str]:
    """The models and modes that meet the limits, those on scores left aside."""
    index = pd.Index(current.models["model"], name="model")
    no_scores = pd.DataFrame({"score": float("nan"), "ceiling": 1.0}, index=index)
    offered = facts(current.models, needs, current.market)
    card = card_gb(needs.gpu, current.market.rents) if needs.gpu else float("nan")
    table = pd.DataFrame(index=index)
    eligible = gather(current.models, _plain(needs), no_scores, table, offered, card)
    return set(split(eligible, _plain(needs)).admissible)


def _plain(needs: Needs) -> Needs:
    """The needs without limits on scores."""
    return Needs(**{**vars(needs), "min_score": None, "min_tag_scores": ()})


def _table(
    current: Current, composition: pd.DataFrame, meets: set[str], asked: Sequence[str]
) -> pd.DataFrame:
    """`Blocks.table`, in no order."""
    used = composition[composition["used"]]
    by_suite = used.groupby("suite")
    width = by_suite["benchmark"].nunique()
    filled = current.scores.loc[
        current.scores["axis"].eq("benchmark") & ~current.scores["suspect"].eq(True),
        ["suite", "model", "base", "benchmark"],
    ].merge(used[["suite", "benchmark"]].drop_duplicates(), on=["suite", "benchmark"])
    whole = filled.groupby(["suite", "model", "base"])["benchmark"].nunique().reset_index()
    whole = whole[whole["benchmark"] == whole["suite"].map(width)]
    released = current.models.set_index("model")["released"]
    whole = whole.assign(released=whole["model"].map(released))
    meeting = whole[whole["model"].isin(meets)].groupby("suite")["base"].nunique()
    of = by_suite["of"].first()
    about = current.suites.set_index("suite").reindex(width.index)
    needs_of = {suite: set(group) for suite, group in by_suite["need"]}
    thin = _thin(used, composition)
    covers = [tuple(need for need in asked if need in needs_of[s]) for s in width.index]
    frame = pd.DataFrame(
        {
            "name": about["name"],
            "covers": covers,
            "lacks": [tuple(need for need in asked if need not in has) for has in covers],
            "benchmarks": by_suite["name"].agg(tuple),
            "thin": [tuple(need for need in asked if (s, need) in thin) for s in width.index],
            "models": of.astype(int),
            "complete": whole.groupby("suite").size().reindex(width.index, fill_value=0),
            "admissible": meeting.reindex(width.index, fill_value=0),
            "density": filled.groupby("suite").size() / (of * width),
            "mixed": about["mixed"].astype(bool),
            "newest": whole.dropna(subset=["released"]).groupby("suite")["released"].max(),
            "published": about["published"],
            "chosen": False,
        },
        index=width.index,
    )
    return frame.rename_axis("suite").reset_index()


def _thin(used: pd.DataFrame, composition: pd.DataFrame) -> set[tuple[str, str]]:
    """The (suite, need) that rest on one benchmark, though some block has more for the need."""
    anywhere = composition.groupby("need")["family"].nunique()
    here = used.groupby(["suite", "need"])["family"].nunique()
    alone = here[here == 1].index
    return {(suite, need) for suite, need in alone if anywhere[need] > 1}


def _ordered(table: pd.DataFrame) -> pd.DataFrame:
    enough = table["admissible"] >= ENOUGH
    keys = pd.DataFrame(
        {
            "lacks": table["lacks"].map(len),
            "few": ~enough,
            "too_few": -table["admissible"].where(~enough, 0),
            "thin": table["thin"].map(len),
            "mixed": table["mixed"],
            "models": -table["admissible"],
        }
    )
    order = table.assign(**keys.add_prefix("by_")).sort_values(
        [*keys.add_prefix("by_"), "newest"],
        ascending=[True] * keys.shape[1] + [False],
        kind="stable",
        na_position="last",
    )
    return order[COLUMNS].reset_index(drop=True)


def _reason(
    table: pd.DataFrame, chosen: str | None, composition: pd.DataFrame, asked: Sequence[str]
) -> str:
    if chosen is None:
        return _nobody(table, asked)
    row = table[table["suite"] == chosen].iloc[0]
    own = composition[(composition["suite"] == chosen)]
    protocol = "were collected from several places" if row["mixed"] else "are of one protocol"
    thin = ""
    if row["thin"]:
        thin = (
            f"; no block with enough models has more than one benchmark for {listed(row['thin'])}"
        )
    few = ""
    if row["admissible"] < ENOUGH:
        few = f" (fewer than {ENOUGH}, but no block has more)"
    return (
        f"Answered by the block {row['name']}: it covers what you need "
        f"({composition_in_words(own, list(asked))}), "
        f"{counted(int(row['admissible']))} in it "
        f"{'meets' if row['admissible'] == 1 else 'meet'} your limits with the whole mix{few}, and "
        f"its results {protocol}{thin}. {len(table) - 1} other blocks have a part of it or all."
    )


def _nobody(table: pd.DataFrame, asked: Sequence[str]) -> str:
    if table.empty:
        return f"No current block has a result for {listed(list(asked))}."
    row = table.iloc[0]
    if not row["lacks"]:
        return f"No model of any current block has results on all of {listed(list(asked))}."
    return (
        f"No current block covers all of {listed(list(asked))}; {row['name']} covers the most and "
        f"lacks {listed(list(row['lacks']))}. Ask for fewer needs, or let blocks be mixed "
        "(--mix-blocks)."
    )
