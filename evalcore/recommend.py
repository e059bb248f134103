"""Needs in, recommendation out: hard limits first, then a weighted mean, then what is tied.

The rules: a model that misses a limit is excluded and an unknown value is set aside, never
guessed; only models with every weighted tag are ranked; models that the data cannot tell from the
leader are tied, and among them the cheapest is chosen, else the smallest, else the highest score.
Price and size are never part of the score. Pure functions of frames; the draws have fixed seeds.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import ndtri

from evalcore import words
from evalcore.analysis import ranking, sensitivity
from evalcore.answer import Recommendation, Reference
from evalcore.caveats import assumptions
from evalcore.errors import BadInput
from evalcore.limits import Split, gather, split, usd_per_1000
from evalcore.needs import Needs, check

__all__ = ["Needs", "Recommendation", "Reference", "recommend"]

SEED = 360
"""Seed of the draws behind the chance of being the best."""

UNSURE = "let unknown values pass"
"""What an excluded model needs besides, when another of its values is unknown."""

OVERALL = "total"
"""The published overall of an axis: no tag among tags, used only when weighted by name."""


def recommend(
    cells: pd.DataFrame,
    models: pd.DataFrame,
    needs: Needs,
    *,
    design_effect: float = 1.0,
    suite_note: str = "",
) -> Recommendation:
    """Return which model to use for the needs, and everything that the answer rests on.

    Args:
        cells: the cells of ``needs.suite`` on ``needs.axis``: model, tag, value, n, se, low, high,
            kind, suspect; one row a model and tag.
        models: model, name, params_b, open_weights.
        needs: what the person asks for.
        design_effect: of overlapping tags, see `ranking.design_effect`.
        suite_note: a sentence about the suite to add to the assumptions.

    Raises:
        BadInput: when the needs cannot be meant (see `needs.check`), no result is usable, or no
            tag is left.
    """
    usable = _usable(cells, needs)
    known = {str(model) for model in (*models["model"], *usable["model"])}
    check(needs, [str(tag) for tag in usable["tag"].unique()], sorted(known))
    weights, dropped = _mix(usable, needs)
    share = ranking.shares(usable, weights, needs.aggregate)
    table = usable.pivot(index="model", columns="tag", values="value").astype(float)
    overall = _overall(usable, table[share.index], share, design_effect)
    evidence = _Evidence(needs, models, usable, table, share, overall)
    sorted_out = split(gather(models, needs, overall, table), needs)
    answer = replace(_answer(evidence, sorted_out), design_effect=design_effect)
    notes = assumptions(answer, cells, dropped, suite_note)
    said = words.sentences(answer, sorted_out, overall, words.names(models))
    return replace(answer, assumptions=notes, sentences=said)


@dataclass(frozen=True)
class _Evidence:
    """What one answer is made from."""

    needs: Needs
    models: pd.DataFrame
    cells: pd.DataFrame
    """The usable ones."""
    table: pd.DataFrame
    """Models x all tags."""
    share: pd.Series
    """Of each weighted tag in the overall score."""
    overall: pd.DataFrame
    """See `_overall`."""


def _usable(cells: pd.DataFrame, needs: Needs) -> pd.DataFrame:
    usable = cells[cells["value"].notna()]
    if not needs.include_suspect:
        usable = usable[~usable["suspect"].astype(bool)]
    if usable.empty:
        raise BadInput(
            f"suite {needs.suite!r} has no usable result on axis {needs.axis!r}; "
            "choose another axis, or include suspect results"
        )
    twice = usable[usable.duplicated(["model", "tag"])]
    if len(twice):
        model, tag = twice[["model", "tag"]].iloc[0]
        raise BadInput(f"two cells for {model!r} on {tag!r}; give one a model and tag")
    return usable


def _mix(cells: pd.DataFrame, needs: Needs) -> tuple[dict[str, float], list[str]]:
    """Return the weights to use, and the tags dropped for having too few items."""
    # An upload adds a model, never a tag: it would make every other model incomplete.
    shipped = cells[cells["kind"] != "uploaded"]
    items = cells["n"].groupby(cells["tag"]).max()
    items.update(shipped["n"].groupby(shipped["tag"]).max())
    asked = {tag: weight for tag, weight in needs.weights if weight > 0}
    if not needs.weights:
        asked = {str(tag): 1.0 for tag in sorted(shipped["tag"].unique()) if tag != OVERALL}
    dropped = [tag for tag in asked if items[tag] < needs.min_n]
    kept = {tag: weight for tag, weight in asked.items() if tag not in dropped}
    if not kept:
        raise BadInput(
            f"no tag is left on axis {needs.axis!r}: {sorted(dropped)!r} have fewer than "
            f"{needs.min_n} items; lower min_n or weight other tags"
        )
    return kept, dropped


def _overall(
    cells: pd.DataFrame, table: pd.DataFrame, share: pd.Series, design_effect: float
) -> pd.DataFrame:
    """Return, for every model: score, se, n, low, high (NaN when incomplete), floor, ceiling."""
    # The shares already hold the tags' sizes, so the mean over them is a plain weighted one.
    weights = {str(tag): float(part) for tag, part in share.items()}
    scored = ranking.aggregate(cells, weights, "macro", design_effect)
    frame = scored.reindex(table.index)
    reach = ndtri(0.975) * frame["se"]
    # A chance-corrected score may lie below 0, and its interval with it.
    low = frame["score"] - reach
    frame["low"] = low.mask((low < 0) & (frame["score"] >= 0), 0.0)
    frame["high"] = (frame["score"] + reach).clip(upper=1)
    if len(share) == 1:
        own = cells[cells["tag"] == share.index[0]].set_index("model")
        frame[["low", "high"]] = own[["low", "high"]].astype(float).reindex(frame.index)
    frame["floor"] = table.fillna(0).to_numpy() @ share.to_numpy()
    frame["ceiling"] = table.fillna(1).to_numpy() @ share.to_numpy()
    return frame


def _answer(evidence: _Evidence, sorted_out: Split) -> Recommendation:
    """Return the answer without its design effect and words."""
    share, overall = evidence.share, evidence.overall
    on_mix = evidence.table[share.index]
    ranked = overall.loc[list(sorted_out.admissible)].dropna(subset=["score"])
    shown = on_mix.loc[ranking.in_order(ranked["score"]).index]
    rows = _ranking(evidence, ranked.loc[shown.index], shown)
    tied = ranking.tied_best(ranked["score"], ranked["se"])
    winner, tie_break = _choose(rows, tied)
    return Recommendation(
        needs=evidence.needs,
        mix=tuple((str(tag), float(part)) for tag, part in share.items()),
        design_effect=1.0,
        winner=winner,
        tied_best=tuple(tied),
        tie_break=tie_break,
        ranking=rows,
        excluded=_excluded(sorted_out),
        cannot_tell=_cannot_tell(sorted_out, overall),
        incomplete=_incomplete(sorted_out, on_mix, overall),
        flips=sensitivity.flips(shown, share),
        regret=sensitivity.regret(shown),
        all_rounder=sensitivity.all_rounder(shown),
        pareto=_pareto(rows, ranked),
        reference=_reference(on_mix, overall, winner),
        assumptions=(),
        sentences=(),
    )


def _pareto(rows: pd.DataFrame, ranked: pd.DataFrame) -> pd.DataFrame:
    trade = rows.set_index("model").rename(columns={"params_b": "size", "usd_per_1000": "cost"})
    trade["se"] = ranked["se"]
    return sensitivity.pareto(trade).rename_axis("model").reset_index()


def _ranking(evidence: _Evidence, ranked: pd.DataFrame, shown: pd.DataFrame) -> pd.DataFrame:
    """Return `Recommendation.ranking`; both frames are in order, best first."""
    cells, needs = evidence.cells, evidence.needs
    frame = ranked[["score", "low", "high", "n"]].copy()
    rng = np.random.default_rng(SEED)
    frame["p_best"] = ranking.p_best(ranked["score"], ranked["se"], rng)
    frame["share_first"] = sensitivity.share_first(shown)
    frame["share_first_near"] = sensitivity.share_first(shown, evidence.share)
    frame[["rank_low", "rank_high"]] = ranking.rank_range(ranked["score"], ranked["se"])
    about = evidence.models.drop_duplicates("model").set_index("model").reindex(frame.index)
    frame["params_b"] = pd.to_numeric(about["params_b"])
    costs = [
        usd_per_1000(str(model), None if pd.isna(is_open) else bool(is_open), needs)
        for model, is_open in about["open_weights"].items()
    ]
    frame["usd_per_1000"] = np.array(costs, dtype=float)
    on_mix = cells[cells["tag"].isin(shown.columns)]
    frame["uploaded"] = frame.index.isin(on_mix.loc[on_mix["kind"] == "uploaded", "model"])
    return frame.rename_axis("model").reset_index()[list(RANKING)]


RANKING = (
    "model",
    "score",
    "low",
    "high",
    "p_best",
    "share_first",
    "share_first_near",
    "rank_low",
    "rank_high",
    "n",
    "params_b",
    "usd_per_1000",
    "uploaded",
)
"""Columns of `Recommendation.ranking`."""


def _choose(rows: pd.DataFrame, tied: list[str]) -> tuple[str | None, str]:
    """Return the winner of the tied and what decided: cost, size or score ("" without a tie).

    A tie-break looks only at the models for which it is known.
    """
    if len(tied) < 2:
        return (tied[0] if tied else None), ""
    left = rows[rows["model"].isin(tied)]
    for column, decided in (("usd_per_1000", "cost"), ("params_b", "size")):
        known = left[left[column].notna()]
        if known.empty:
            continue
        left = known[known[column] == known[column].min()]
        if len(left) == 1:
            return str(left["model"].iloc[0]), decided
    return str(left["model"].iloc[0]), "score"


def _excluded(sorted_out: Split) -> pd.DataFrame:
    rows = [
        (
            model,
            "; ".join(miss.text for miss in misses),
            " and ".join(
                [str(miss.relaxation) for miss in misses]
                + ([UNSURE] if model in sorted_out.unsure else [])
            ),
        )
        for model, misses in sorted_out.missed.items()
    ]
    return pd.DataFrame(rows, columns=["model", "limit", "relaxation"])


def _cannot_tell(sorted_out: Split, overall: pd.DataFrame) -> pd.DataFrame:
    rows = [
        (model, "; ".join(gap.text for gap in gaps), overall["score"][model])
        for model, gaps in sorted_out.unknown.items()
    ]
    return pd.DataFrame(rows, columns=["model", "what", "score"])


def _incomplete(sorted_out: Split, on_mix: pd.DataFrame, overall: pd.DataFrame) -> pd.DataFrame:
    lacking = [model for model in sorted_out.admissible if np.isnan(overall["score"][model])]
    gaps = on_mix.loc[lacking].isna().to_numpy()
    tags = [str(tag) for tag in on_mix.columns]
    rows = [
        (
            model,
            tuple(tag for tag, gap in zip(tags, gap_row, strict=True) if gap),
            overall["floor"][model],
            overall["ceiling"][model],
        )
        for model, gap_row in zip(lacking, gaps, strict=True)
    ]
    return pd.DataFrame(rows, columns=["model", "missing", "low", "high"])


def _reference(on_mix: pd.DataFrame, overall: pd.DataFrame, winner: str | None) -> Reference | None:
    best = ranking.in_order(overall["score"])
    if best.empty:
        return None
    model, score = str(best.index[0]), float(best.iloc[0])
    if winner is None:
        return Reference(model, score, float("nan"), ())
    behind = pd.Series(on_mix.loc[model] - on_mix.loc[winner], dtype=float)
    behind = behind.sort_values(ascending=False, kind="stable")
    by_tag = tuple((str(tag), float(points)) for tag, points in behind.items())
    return Reference(model, score, score - float(overall["score"][winner]), by_tag)
