"""Needs in, recommendation out: hard limits first, then a weighted mean, then what is tied.

The rules: a model that misses a limit is excluded and an unknown value is set aside, never
guessed; only models with every weighted tag are ranked; models that the data cannot tell from the
leader are tied, and among them the cheapest is chosen, else the smallest, else the highest score.
Scores are of what is known, and nobody is chosen for not answering: a model that would fall clearly
behind if its unscored answers were wrong is passed over, and that is said.
Price and size are never part of the score. Pure functions of frames; the draws have fixed seeds.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import ndtri

from evalcore.analysis import ranking, sensitivity, unscored
from evalcore.analysis.by_items import Items, TagComposition
from evalcore.analysis.weighted import Weighted, weigh
from evalcore.decision import answer, ties
from evalcore.decision.answer import UNSURE, Recommendation, Reference
from evalcore.decision.limits import Split, check, gather, split
from evalcore.decision.market import Market, card_gb, facts
from evalcore.decision.needs import Needs
from evalcore.decision.text import basis, phrases, words
from evalcore.decision.text.basis import assumptions
from evalcore.errors import BadInput

__all__ = ["UNSURE", "Needs", "Recommendation", "Reference", "recommend"]

OVERALL = phrases.OVERALL
"""The printed overall: no tag among tags. It ranks where all have one and no weights are set."""


def recommend(  # noqa: PLR0913  the frames of one question
    cells: pd.DataFrame,
    models: pd.DataFrame,
    needs: Needs,
    *,
    design_effect: float = 1.0,
    suite_note: str = "",
    market: Market | None = None,
    bounds: pd.DataFrame | None = None,
    items: Items | None = None,
    composition: TagComposition | None = None,
) -> Recommendation:
    """Return which model to use for the needs, and everything that the answer rests on.

    Args:
        cells: the cells of ``needs.suite`` on ``needs.axis``: model, tag, value, n, se, low, high,
            kind, suspect; one row a model and tag.
        models: model, name, params_b, open_weights; with a market also licence and, where models
            are ranked by mode, base and mode.
        needs: what the person asks for.
        design_effect: of overlapping tags, see `ranking.design_effect`.
        suite_note: a sentence about the suite to add to the assumptions.
        market: what is known of prices, licences and availability; without it none is looked up.
        bounds: model, tag, floor, ceiling and lacks of tags of which a model has a part; see
            `need_axis.bounds`.
        items: the single questions behind some or all of the cells; models that share them are
            compared on them, the others by their totals.
        composition: how the tags are made of the items.

    Raises:
        BadInput: when the needs cannot be meant (see `needs.check`), no result is usable, or no
            tag is left.
        UnknownName: for a tag, model or graphics card that is not known.
    """
    usable = _usable(cells, needs)
    known = {str(model) for model in (*models["model"], *usable["model"])}
    check(needs, [str(tag) for tag in usable["tag"].unique()], sorted(known))
    weights, dropped = _mix(usable, needs)
    share = ranking.shares(usable, weights, needs.aggregate)
    bounds = None if bounds is None else bounds[bounds["tag"].isin(share.index)]
    shared = None if items is None else weigh(items, composition or {}, share, usable)
    table = _on_common_items(_table(usable, bounds), shared)
    overall = _overall(usable, table[share.index], share, design_effect, bounds)
    own, overall = overall["score"], _from_items(overall, shared)
    offered = pd.DataFrame() if market is None else facts(_of(models, table), needs, market)
    card = card_gb(needs.gpu, () if market is None else market.rents) if needs.gpu else np.nan
    known_of = gather(models, needs, overall, table, None if market is None else offered, card)
    sorted_out = split(known_of, needs)
    cost = pd.Series({fact.model: fact.usd_per_1000 for fact in known_of}, dtype=float)
    parts = (needs, models, usable, table, share, overall, cost, offered, bounds, shared)
    evidence = _Evidence(*parts, unscored.gaps(items, composition or {}, share))
    answer = replace(_answer(evidence, sorted_out), design_effect=design_effect)
    show = words.names(models)
    other = basis.elsewhere(answer, own, items, composition or {}, show)
    answer = replace(answer, basis=basis.sentence(answer, shared, usable, show) + other)
    notes = assumptions(
        answer, cells, dropped, suite_note, basis.more(answer, shared, usable, show)
    )
    texts = words.sentences(answer, sorted_out, overall, show, shared)
    return replace(answer, assumptions=notes, sentences=texts)


def _table(cells: pd.DataFrame, bounds: pd.DataFrame | None) -> pd.DataFrame:
    """The candidates' scores: models x tags, NaN for a gap."""
    table = cells.pivot(index="model", columns="tag", values="value").astype(float)
    if bounds is None:
        return table
    # A model with a part of a tag is a candidate, one with nothing at all is not.
    part = bounds.loc[bounds["floor"].gt(0) | bounds["ceiling"].lt(1), "model"].unique()
    return table.reindex(table.index.union(pd.Index(part, name="model")))


def _on_common_items(table: pd.DataFrame, shared: Weighted | None) -> pd.DataFrame:
    """The table with the means over the questions that models share, where they share them."""
    if shared is None or not shared.models:
        return table
    table = table.copy()
    table.loc[list(shared.models), list(shared.means.columns)] = shared.means
    return table


def _from_items(overall: pd.DataFrame, shared: Weighted | None) -> pd.DataFrame:
    """The overall scores with those that come from items; an unknown error stays the total's."""
    if shared is None or not shared.models:
        return overall
    own = {"score": shared.score.mean[0], "se": shared.score.se[0], "n": shared.score.n[0]}
    table = pd.DataFrame({**own, "low": shared.low, "high": shared.high}, list(shared.models))
    return table.astype(float).reindex(overall.index).combine_first(overall)[overall.columns]


def _of(models: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """The models that have a result."""
    return models[models["model"].isin(table.index)]


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
    cost: pd.Series
    """Dollars per 1,000 questions by model; NaN unknown."""
    market: pd.DataFrame
    bounds: pd.DataFrame | None
    shared: Weighted | None
    """The models that are compared question by question."""
    missing: pd.DataFrame
    """What questions without a score leave open: ``unscored.gaps``."""

    def silent(self, scored: pd.DataFrame) -> list[str]:
        """Who is not to be chosen among models, the best first, for want of answers."""
        return unscored.passed_over(unscored.bounded(scored, self.missing))


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
        # A total that only some models have ranks nobody.
        whole = set(shipped.loc[shipped["tag"] == OVERALL, "model"]) == set(shipped["model"])
        tags = sorted(shipped["tag"].unique())
        asked = {str(tag): 1.0 for tag in tags if (tag == OVERALL) == whole}
    dropped = [tag for tag in asked if items[tag] < needs.min_n]
    kept = {tag: weight for tag, weight in asked.items() if tag not in dropped}
    if not kept:
        raise BadInput(
            f"no tag is left on axis {needs.axis!r}: {sorted(dropped)!r} have fewer than "
            f"{needs.min_n} items; lower min_n or weight other tags"
        )
    return kept, dropped


def _overall(
    cells: pd.DataFrame,
    table: pd.DataFrame,
    share: pd.Series,
    design_effect: float,
    bounds: pd.DataFrame | None,
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
    frame["floor"] = _filled(table, bounds, "floor", 0.0) @ share.to_numpy()
    frame["ceiling"] = _filled(table, bounds, "ceiling", 1.0) @ share.to_numpy()
    return frame


def _filled(table: pd.DataFrame, bounds: pd.DataFrame | None, end: str, worst: float) -> np.ndarray:
    """Return the table with one end of the bounds in every gap."""
    if bounds is not None and len(bounds):
        known = bounds.pivot(index="model", columns="tag", values=end).astype(float)
        table = table.fillna(known.reindex(index=table.index, columns=table.columns))
    filled: np.ndarray = table.fillna(worst).to_numpy()
    return filled


def _answer(evidence: _Evidence, sorted_out: Split) -> Recommendation:
    """Return the answer without its design effect and words."""
    share, overall = evidence.share, evidence.overall
    on_mix = evidence.table[share.index]
    ranked = overall.loc[list(sorted_out.admissible)].dropna(subset=["score"])
    shown = on_mix.loc[ranking.in_order(ranked["score"]).index]
    ranked = ranked.loc[shown.index]
    stands = ties.stand(ranked, evidence.shared)
    rows, tied = _ranking(evidence, ranked, shown, stands), stands.tied
    silent = evidence.silent(ranked)
    winner, tie_break = _winner(rows, tied, silent, evidence.needs)
    best = float(rows["score"].iloc[0]) if len(rows) else np.nan
    lacking = answer.incomplete(sorted_out, on_mix, overall, evidence.bounds)
    return Recommendation(
        needs=evidence.needs,
        mix=tuple((str(tag), float(part)) for tag, part in share.items()),
        design_effect=1.0,
        winner=winner,
        tied_best=tuple(tied),
        tie_break=tie_break,
        ranking=rows,
        excluded=answer.excluded(sorted_out),
        cannot_tell=answer.cannot_tell(
            sorted_out, overall, _without(rows, silent), evidence.needs, evidence.market
        ),
        incomplete=lacking,
        flips=sensitivity.flips(shown, share),
        regret=sensitivity.regret(shown),
        all_rounder=sensitivity.all_rounder(shown.drop(index=silent)),
        pareto=_pareto(rows, overall, evidence.shared),
        reference=answer.reference(on_mix, overall, winner, _silent(evidence)),
        assumptions=(),
        sentences=(),
        findings=sorted_out.findings,
        market=evidence.market,
        relaxations=answer.relaxations(sorted_out, overall, best),
        tests=ties.pairs(ranked["score"], tied, ties.seen(overall, evidence.shared, tied)),
        gaps=ties.gaps(lacking, best),
        by_item=() if evidence.shared is None else evidence.shared.models,
        unscored=evidence.missing.rename_axis("model").reset_index(),
        passed_over=tuple(silent),
    )


def _silent(evidence: _Evidence) -> list[str]:
    """Who is passed over among all models, whatever the limits."""
    overall = evidence.overall
    return evidence.silent(overall.loc[ranking.in_order(overall["score"]).index])


def _without(rows: pd.DataFrame, silent: list[str]) -> pd.DataFrame:
    return rows[~rows["model"].isin(silent)]


def _winner(
    rows: pd.DataFrame, tied: list[str], silent: list[str], needs: Needs
) -> tuple[str | None, str]:
    """Return the winner and what decided, by the objective that the needs set.

    Whoever is ahead by what it did not answer leaves its place to the next.
    """
    heard = _without(rows, silent)
    near = [model for model in tied if model not in silent] or list(heard["model"].head(1))
    chosen, decided = answer.choose(heard, near)
    if needs.within is None or heard.empty:
        return chosen, decided or ("answers" if silent else "")
    cheapest = answer.cheapest(heard, needs.within)
    return (chosen, "unpriced") if cheapest is None else (cheapest, "within")


def _pareto(rows: pd.DataFrame, overall: pd.DataFrame, shared: Weighted | None) -> pd.DataFrame:
    trade = answer.trade(rows, overall["se"])
    apart = ties.errors(overall, shared, [str(model) for model in trade.index])
    return ranking.pareto(trade, errors=apart).rename_axis("model").reset_index()


def _ranking(
    evidence: _Evidence, ranked: pd.DataFrame, shown: pd.DataFrame, stands: ties.Ties
) -> pd.DataFrame:
    """Return `Recommendation.ranking`; both frames are in order, best first."""
    cells = evidence.cells
    frame = ranked[["score", "low", "high", "n"]].copy()
    frame["p_best"] = stands.p_best
    frame["share_first"] = sensitivity.share_first(shown)
    frame["share_first_near"] = sensitivity.share_first(shown, evidence.share)
    frame[["rank_low", "rank_high"]] = stands.ranks
    about = evidence.models.drop_duplicates("model").set_index("model").reindex(frame.index)
    frame["params_b"] = pd.to_numeric(about["params_b"])
    frame["usd_per_1000"] = evidence.cost.reindex(frame.index)
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
