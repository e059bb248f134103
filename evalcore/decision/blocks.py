"""Which block of current results answers a question: numbers compare only inside one.

The rule, in this order: the block has results for every need asked; at least ``ENOUGH`` models meet
the limits and have the whole mix; no need rests on a single benchmark where more speak for it; one
protocol goes before results collected from several places; then the block that ranks the most
models, then the one with the newest. Too few models to choose from, and the block with the most.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from evalcore.decision import need_axis
from evalcore.decision.limits import check_limits, gather, split
from evalcore.decision.market import Market, card_gb, facts
from evalcore.decision.needs import Needs
from evalcore.decision.text.phrases import counted, listed
from evalcore.errors import BadInput

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
    composition = need_axis.composition(current.scores, current.benchmarks, current.needs)
    composition = composition[composition["need"].isin(asked)]
    table = _ordered(_table(current, composition, _meeting(current, needs), asked))
    usable = table[table["lacks"].map(len).eq(0) & table["complete"].gt(0)]
    chosen = None if usable.empty else str(usable["suite"].iloc[0])
    table["chosen"] = [suite == chosen for suite in table["suite"]]
    return Blocks(table, chosen, _reason(table, chosen, composition, asked))


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
        f"({need_axis.composition_in_words(own, list(asked))}), "
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
