"""The parts of the Recommend page below the form, in reading order."""

import datetime
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from evalcore.decision import report
from evalcore.decision.answer import Recommendation
from evalcore.decision.text import advice
from evalcore.decision.text.phrases import counted, listed, of_100, percent, percent_text, points
from pages.parts.recommend import charts as drawing
from pages.shared import frame
from pages.shared.charts import intervals, per_cent
from pages.shared.controls import SidebarState
from pages.shared.needs_form import on_screen
from pages.shared.text import bullets, plain, readable

DRAWN = 20
"""Models drawn at most, best first; the tables hold all."""


def answer(rec: Recommendation, names: Mapping[str, str]) -> None:
    """The card: who to use, and why, in plain words."""
    with st.container(border=True):
        winner = names[rec.winner] if rec.winner else "No model meets all of this"
        st.markdown(f"## {plain(winner)}", anchors=False)
        if len(rec.tied_best) > 1:
            tied = listed([names[model] for model in rec.tied_best])
            st.markdown(f"**Tied on the data:** {plain(tied)}")
        for sentence in rec.sentences:
            frame.say(sentence)


def counts(rows: pd.DataFrame, rec: Recommendation) -> None:
    """How many models remain, limit by limit."""
    if rows.empty:
        st.caption("No limits set: every model with results on the whole mix is ranked.")
        return
    remain, of = len(rec.ranking) + len(rec.incomplete), int(rows["of"].iloc[0])
    frame.say(f"{remain} of {of} models remain. Each limit by itself:")
    lines = [
        f"{row['words']}: {row['remain']} of {of} remain"
        + (f"; cannot tell for {row['unknown']}" if row["unknown"] else "")
        for row in rows.to_dict("records")
    ]
    st.markdown(bullets(lines))


def ranking(rec: Recommendation, rows: pd.DataFrame) -> None:
    """The ranking with intervals, and how firm it is."""
    st.header("The ranking", anchor=False)
    frame.say(rec.basis)
    shown = _drawn(rows)
    more = f" The best {len(shown)} of {len(rows)} are drawn." if len(shown) < len(rows) else ""
    first = rows.iloc[0]
    none = " There are no intervals: n is not published, at least not for all of it."
    low = "" if rows["low"].notna().any() else none
    of = ""
    if first["unscored"] > 0:
        own = advice.by_model(rec)[str(first["model"])]
        of = f" (on {advice.answered(own)}; {100 * own['worst']:.1f} % with the others wrong)"
    summary = (
        f"{first['label']} has the highest score on your mix, {100 * first['score']:.1f} %{of}, of "
        f"{counted(len(rows))}. The star is the model to use, diamonds are tied with it.{low}{more}"
    )
    table = _ranking_table(rows)
    frame.figure(drawing.ranking(shown), summary, table, "rec_ranking")
    st.header("How firm is it?", anchor=False)
    firm = shown[shown[["p_best", "share_first", "share_first_near"]].gt(0.005).any(axis=1)]
    moved = "questions drawn anew" if rows["by_item"].all() else "each score moved by its error"
    summary = (
        f"Bars show how often a model is first: over chance errors ({moved}), and over other "
        "weights of the tags. Models that are hardly ever first are left out."
    )
    if rec.passed_over:
        summary += " Only answers with a score count here, also of those that answered little."
    how_firm = table[list(table.columns[[0, 5, 6, 7]])]
    frame.figure(drawing.firmness(firm), summary, how_firm, "rec_firmness")
    if rows["p_best"].isna().all():
        frame.say("The chance of being the best cannot be given: some errors are unknown.")


def sensitivity(rec: Recommendation, names: Mapping[str, str]) -> None:
    """Which single weight would change the leader."""
    if len(rec.mix) < 2 or len(rec.ranking) < 2:
        return
    st.header("What would change the leader?", anchor=False)
    moving = rec.flips.dropna(subset=["weight"])
    if moving.empty:
        frame.say("No single weight does, whatever it becomes.")
        return
    leader = names[str(rec.ranking["model"].iloc[0])]
    frame.say(
        f"By score {leader} leads. One weight alone, the others keeping their proportions, would "
        f"have to move this far for another to lead ({len(moving)} of {len(rec.flips)} tags can):"
    )
    st.dataframe(_flips_table(rec, names), hide_index=True, key="rec_flips")


def trade(rec: Recommendation, rows: pd.DataFrame, names: Mapping[str, str]) -> str:
    """Quality against size and cost together: who is on the front, in words and in one figure.

    Returns:
        The column that the score is drawn against; "" without a figure.
    """
    st.header("Quality against size and cost", anchor=False)
    known = advice.drawable(rec)
    for sentence in advice.sentences(rec, names):
        frame.say(sentence)
    if not known:
        frame.say("Neither the size nor the cost of these models is known.")
        return ""
    column = _across(rec) if len(known) > 1 else known[0]
    other = next((axis for axis in known if axis != column), "")
    frame.figure(
        drawing.trade(rows, column, advice.AXES[column], other),
        _trade_words(rows, column, other),
        _trade_table(rows),
        "rec_trade",
    )
    return column


def _across(rec: Recommendation) -> str:
    """The axis to draw."""
    first = advice.across(rec)
    chosen: str = st.segmented_control(
        "Draw the score against",
        list(advice.AXES),
        format_func=lambda column: advice.AXES[column],
        default=first,
        required=True,
        # A control for each default: what was drawn for another question decides nothing here.
        key=f"rec_across_{first}",
        bind="query-params",
    )
    return chosen


def _trade_words(rows: pd.DataFrame, column: str, other: str) -> str:
    known = int(rows[column].notna().sum())
    strip = " (the others stand in the strip 'not known')" if known < len(rows) else ""
    mark = {"params_b": " The larger a mark, the larger the model.", "": ""}
    larger = mark.get(other, " The larger a mark, the dearer the model.")
    return (
        f"{advice.AXES[column]}, against score, for {known} of {len(rows)} models{strip}.{larger}"
    )


def regret(rec: Recommendation, names: Mapping[str, str]) -> None:
    """Points lost on each tag, and the model whose largest loss is smallest."""
    st.header("What each model gives up", anchor=False)
    largest = points(float(rec.regret.loc[rec.all_rounder].max()))
    aside = " of those that answered enough" if rec.passed_over else ""
    frame.say(
        "Points behind the best remaining model, tag by tag. The safe all-rounder, whose largest "
        f"loss is smallest{aside} ({largest}), is {names[str(rec.all_rounder)]}."
    )
    table = _regret_table(rec, names)
    one_decimal = {name: st.column_config.NumberColumn(format="%.1f") for name in table.columns[1:]}
    with st.expander("Points lost, tag by tag", icon=":material/table:"):
        st.dataframe(table, hide_index=True, column_config=one_decimal, key="rec_regret")


def left_out(rec: Recommendation, names: Mapping[str, str]) -> None:
    """Who is not ranked, why, and what would change that; open where nobody is ranked."""
    parts = (
        ("Excluded by a limit", rec.excluded, _excluded_table),
        ("Cannot tell: state what is unknown", rec.cannot_tell, _unknown_table),
        ("Not ranked: a weighted tag is missing", rec.incomplete, _incomplete_table),
    )
    parts = tuple(part for part in parts if len(part[1]))
    if not parts:
        return
    st.header("Who is left out, and why", anchor=False)
    for title, rows, make in parts:
        with st.expander(plain(f"{title} ({len(rows)})"), expanded=rec.ranking.empty):
            readable(make(rec, names))


def rests_on(
    choice: SidebarState,
    rec: Recommendation,
    models: pd.DataFrame,
    block: str = "",
    across: str = "",
) -> None:
    """The assumptions, and the report to keep.

    Args:
        choice: what the sidebar says.
        rec: the answer.
        models: model, name and source.
        block: why that block answers, a sentence.
        across: the column that the score is drawn against.
    """
    st.header("What this rests on", anchor=False)
    with st.expander(plain(counted(len(rec.assumptions), "assumption")), icon=":material/info:"):
        st.markdown(bullets(rec.assumptions))
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    about = (rec, models, frame.link(), choice.store.version, today)

    def text() -> str:
        return report.markdown(*about, block=block, across=across)

    def page() -> str:
        return report.html(*about, block=block, across=across)

    kinds = (
        ("Download the decision report", text, "md", "text/markdown"),
        ("Download it as a page (HTML)", page, "html", "text/html"),
    )
    with st.container(horizontal=True):
        for label, make, ending, mime in kinds:
            st.download_button(
                plain(label),
                make,  # called at the click
                file_name=f"decision-{rec.needs.suite}-{today}.{ending}",
                mime=mime,
                icon=":material/download:",
                on_click="ignore",
            )


def ranked(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    """The ranking with label, winner, tied, status and note for the figures."""
    rows = rec.ranking.merge(rec.pareto, on="model", how="left")
    gaps = rec.unscored.reindex(columns=["model", "unscored", "of", "worst", "best"])
    rows = rows.merge(gaps, on="model", how="left")
    beaten = rows["by"].map(names)
    note = rows["status"].where(beaten.isna(), rows["status"] + " by " + beaten.astype(str))
    return rows.assign(
        label=rows["model"].map(names),
        winner=rows["model"] == rec.winner,
        tied=rows["model"].isin(rec.tied_best) if len(rec.tied_best) > 1 else False,
        note=note,
        by_item=rows["model"].isin(rec.by_item),
    )


def _drawn(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows to draw: the best, the winner, and those that were uploaded."""
    keep = (rows.index < DRAWN) | rows["winner"] | rows["uploaded"]
    return rows[keep].reset_index(drop=True)


def _ranking_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Everything about each ranked model."""
    table = pd.DataFrame(
        {
            "Model": rows["label"],
            "Score, %": rows["score"].map(per_cent),
            "95 % interval": intervals(rows),
            "Questions": [_questions(row) for row in rows.to_dict("records")],
            "Ranks possible": intervals(rows, "rank_low", "rank_high", how=_ranks),
            "Chance of being the best": [_or_dash(value, percent_text) for value in rows["p_best"]],
            "First near your weights": [_or_dash(v, of_100) for v in rows["share_first_near"]],
            "First in all weightings": [_or_dash(v, of_100) for v in rows["share_first"]],
            "Size, B": rows["params_b"].round(1),
            "USD per 1,000": rows["usd_per_1000"],
            "For its size and cost": rows["note"],
        }
    )
    if rows["by_item"].nunique() > 1:  # else one sentence says it for all
        table["Compared by"] = rows["by_item"].map({True: "single questions", False: "totals"})
    if rows["unscored"].gt(0).any():
        ends = pd.Series(intervals(rows, "worst", "best"))
        known = rows["worst"].notna()
        table["Unscored questions as wrong to as right, %"] = ends.where(known, "–")
    return table


def _trade_table(rows: pd.DataFrame) -> pd.DataFrame:
    """What each model is worth for its size and cost."""
    return pd.DataFrame(
        {
            "Model": rows["label"],
            "Score, %": rows["score"].map(per_cent),
            "95 % interval": intervals(rows),
            "Size, B": rows["params_b"].round(1),
            "USD per 1,000": rows["usd_per_1000"].round(3),
            "Standing": rows["note"],
        }
    )


def _questions(row: Mapping[Any, Any]) -> str:
    if pd.isna(row["n"]):
        return "n not published"
    if not row["unscored"] > 0:
        return f"{row['n']:,.0f}"
    return f"{row['n']:,.0f} ({row['unscored']:,.0f} of {row['of']:,.0f} have no score)"


def _ranks(low: float, high: float) -> str:
    if pd.isna(low):
        return "cannot be told"
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def _or_dash(value: float, how: Callable[[float], str]) -> str:
    return "–" if pd.isna(value) else how(value)


def _flips_table(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    """What one weight must become for another model to lead by score."""
    rows = rec.flips
    return pd.DataFrame(
        {
            "Tag": rows["tag"],
            "Its share now": [percent(share) for share in rows["now"]],
            "Another leads at": [
                "at no share"
                if pd.isna(weight)
                else f"{'more' if weight > now else 'less'} than {percent(weight)}"
                for weight, now in zip(rows["weight"], rows["now"], strict=True)
            ],
            "Then first": [names.get(str(model), "–") for model in rows["new_winner"]],
        }
    )


def _regret_table(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    """Points lost on each tag against the best model that meets the limits."""
    largest = rec.regret.max(axis=1).sort_values(kind="stable")
    points = (rec.regret.loc[largest.index] * 100).round(1)
    labels = [names[str(model)] for model in largest.index]
    first = {"Model": labels, "Largest loss": [*(largest * 100).round(1)]}
    return frame.headed(points, first)


def _excluded_table(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    """Who misses a limit, and the smallest change that lets it in; a line a case."""
    rows = rec.excluded
    why = rows["limit"] + ". Let in if you " + rows["relaxation"] + "."
    return _cases("Misses", why, [names[str(model)] for model in rows["model"]])


def _unknown_table(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    """Whose values are unknown, and what to state; a line a case."""
    rows = rec.cannot_tell
    who = [
        names[str(model)] + ("" if pd.isna(score) else f" ({per_cent(score)} % on your mix)")
        for model, score in zip(rows["model"], rows["score"], strict=True)
    ]
    return _cases("Unknown", rows["what"].map(on_screen), who)


def _incomplete_table(rec: Recommendation, names: Mapping[str, str]) -> pd.DataFrame:
    """Who lacks a tag, and between what its overall score could lie; a line a case."""
    rows = rec.incomplete
    between = intervals(rows)
    who = [
        f"{names[str(model)]} (overall {ends} %)"
        for model, ends in zip(rows["model"], between, strict=True)
    ]
    return _cases("No result on", rows["missing"].map(", ".join), who)


def _cases(title: str, why: pd.Series, who: list[str]) -> pd.DataFrame:
    """One line a reason with everybody whom it concerns, the most frequent reason first."""
    models_by_text: dict[str, list[str]] = {}
    for text, name in zip(why, who, strict=True):
        models_by_text.setdefault(str(text), []).append(name)
    rows = sorted(models_by_text.items(), key=lambda item: -len(item[1]))
    return pd.DataFrame(
        [(text, ", ".join(models)) for text, models in rows], columns=[title, "Models"]
    )
