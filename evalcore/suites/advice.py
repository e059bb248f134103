"""What a suite advises for needs: the recommendation, and what has to be said beside it."""

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from evalcore.analysis import profiles, unscored
from evalcore.decision import need_axis
from evalcore.decision.answer import Recommendation
from evalcore.decision.needs import ASSUMED, Needs
from evalcore.decision.recommend import recommend
from evalcore.decision.text.phrases import counted
from evalcore.records import TOTAL
from evalcore.suites import pooling
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
