"""A current suite: loaded with its models of today, and what it advises for needs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from evalcore.analysis import profiles, unscored
from evalcore.decision import need_axis
from evalcore.decision.answer import Recommendation
from evalcore.decision.need_axis import Blocks, Current
from evalcore.decision.needs import ASSUMED, Needs
from evalcore.decision.recommend import recommend
from evalcore.decision.text.phrases import counted
from evalcore.errors import BadInput
from evalcore.records import TOTAL
from evalcore.store import market, queries
from evalcore.suites import pooling, suite
from evalcore.suites.suite import SuiteData, cells, check_scored, composition_of, design_effect


def recommend_for(
    data: SuiteData,
    needs: Needs,
    names: Mapping[str, str] | None = None,
    table: pd.DataFrame | None = None,
) -> Recommendation:
    """The recommendation for needs on this suite; the same for pages and the command line.

    Args:
        data: The suite.
        needs: What is asked.
        names: Model id to its name in sentences, where it differs from the catalogue's.
        table: The cells of the needs' axis, suspect ones too, if they are at hand.
    """
    check_scored(data)
    models = data.models
    if names is not None:
        models = models.assign(name=models["model"].map(names))
    needs = in_full(data, needs)
    by_need = needs.axis == need_axis.AXIS and data.current
    if table is None:
        table = cells(data, needs.axis, include_suspect=True)
    total = profiles.printed_totals(data.scores, include_suspect=True)
    return recommend(
        table if total.empty else pd.concat([table, total], ignore_index=True),
        models,
        needs,
        design_effect=design_effect(data, needs.axis),
        suite_note=_about(data, needs),
        market=data.market,
        bounds=_bounds(data, needs) if by_need else None,
        items=data.items,
        composition=composition_of(data, needs.axis) if data.items is not None else None,
    )


def _bounds(data: SuiteData, needs: Needs) -> pd.DataFrame:
    """The bounds of the needs that are asked, all when none is."""
    asked = [need for need, weight in needs.weights if weight > 0]
    parts = data.composition[data.composition["need"].isin(asked)] if asked else data.composition
    return need_axis.bounds(data.scores, parts, include_suspect=needs.include_suspect)


def in_full(data: SuiteData, needs: Needs) -> Needs:
    """The needs with what goes without saying in a current suite: what can be had, a question."""
    if not data.current:
        return needs
    today = True if needs.available_today is None else needs.available_today
    return replace(needs, available_today=today, workload=needs.workload or ASSUMED)


def _about(data: SuiteData, needs: Needs) -> str:
    """What must be said of a suite beside any mean over its tags."""
    sentences = [] if pd.isna(data.row["note"]) else [f"{data.row['name']}: {data.row['note']}."]
    has_total = data.scores["tag"].eq(TOTAL).any()
    total = profiles.totals(data.scores) if has_total else data.scores.iloc[:0]
    by_total = not needs.weights and len(profiles.printed_totals(data.scores))
    if len(total) and not by_total:
        table = unscored.of_cells(total, data.items, composition_of(data, needs.axis))
        best = table.sort_values("value").iloc[-1]
        name = data.models[data.models["model"] == best["model"]].iloc[0]["name"]
        of = ""
        if best["unscored"] > 0:
            of = f" of the {best['n']:,.0f} of {best['of']:,.0f} questions that have a score"
        sentences.append(
            f"The score here is a mean over tags; by the total that {data.row['name']} itself "
            f"gives, {name} is first with {100 * best['value']:.1f} %{of}."
        )
    if data.current and needs.axis == need_axis.AXIS:
        asked = [tag for tag, weight in needs.weights if weight > 0] or None
        sentences.append(
            f"Here {need_axis.composition_in_words(data.composition, asked)}. {need_axis.RULE}."
        )
    if "sources" in data.scores:
        sentences.append(f"Pooled: {pooling.sentence(data.scores)}.")
    for why, rows in data.left_out.groupby("why") if len(data.left_out) else ():
        who = counted(rows[["model", "mode"]].drop_duplicates().shape[0])
        sentences.append(f"Left out: {counted(len(rows), 'result')} of {who} ({why}).")
    return " ".join(sentences)


@dataclass(frozen=True, eq=False)
class Decision:
    """An answer and the block that gave it."""

    answer: Recommendation
    data: suite.SuiteData
    blocks: Blocks


def load(path: Path, *, include_modes: bool = False, day: str | None = None) -> Current:
    """Read all current suites from the store.

    Args:
        path: The store.
        include_modes: Whether modes take part that do not compete unasked.
        day: The day on which one asks, ``2026-11-30``; today when not given.
    """
    suites = queries.table(path, "suites")
    suites = suites[suites["current"].astype(bool)].reset_index(drop=True)
    scores = queries.scores(path, None)
    scores = scores[scores["suite"].isin(suites["suite"])]
    models = queries.models(path)
    data = suite.by_mode(path, scores, models, include_modes)
    benchmarks = queries.table(path, "benchmarks")
    counts = benchmarks["benchmark"].map(suite.used_by(path)).fillna(0)
    return Current(
        suites=suites,
        scores=data.scores,
        models=data.models,
        benchmarks=benchmarks.assign(used_by=counts),
        needs=queries.table(path, "needs"),
        market=market.market(path, day),
    )


def choose(current: Current, needs: Needs) -> Blocks:
    """Rank the blocks for a question, with what goes without saying about current models."""
    today = True if needs.available_today is None else needs.available_today
    asked = replace(needs, available_today=today, workload=needs.workload or ASSUMED)
    return need_axis.rank(current, asked)


def decide(
    path: Path,
    needs: Needs,
    *,
    current: Current | None = None,
    names: Mapping[str, str] | None = None,
) -> Decision:
    """Choose the block for needs without a suite, and answer.

    Args:
        path: The store.
        needs: What is asked on the axis "need"; a suite that is named is used.
        current: All current suites, if at hand.
        names: Model id to its name in sentences, where it differs from the catalogue's.

    Raises:
        BadInput: No block covers all needs; the message says which comes nearest.
    """
    if current is None:
        current = load(path, include_modes=needs.include_modes)
    answer = choose(current, replace(needs, axis=need_axis.AXIS))
    chosen = needs.suite or answer.chosen
    if chosen is None:
        raise BadInput(answer.reason)
    asked = replace(needs, suite=chosen, axis=need_axis.AXIS)
    data = suite.load(path, chosen, include_modes=needs.include_modes)
    return Decision(recommend_for(data, asked, names), data, answer)
