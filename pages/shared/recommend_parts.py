"""The parts of the Recommend page below the form, in reading order."""

import datetime
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from evalcore.decision import report, report_html
from evalcore.decision.answer import Recommendation
from evalcore.decision.phrases import counted, listed, points
from pages.shared import charts_recommend, frame
from pages.shared import recommend_tables as tables
from pages.shared.controls import Choice
from pages.shared.text import plain


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


def counts(tally: pd.DataFrame, rec: Recommendation) -> None:
    """How many models remain, limit by limit."""
    if tally.empty:
        st.caption("No limits set: every model with results on the whole mix is ranked.")
        return
    remain, of = len(rec.ranking) + len(rec.incomplete), int(tally["of"].iloc[0])
    frame.say(f"{remain} of {of} models remain. Each limit by itself:")
    lines = [
        f"{row['said']}: {row['remain']} of {of} remain"
        + (f"; cannot tell for {row['unknown']}" if row["unknown"] else "")
        for row in tally.to_dict("records")
    ]
    st.markdown("\n".join(f"- {plain(line)}" for line in lines))


def ranking(rec: Recommendation, rows: pd.DataFrame) -> None:
    """The ranking with intervals, and how firm it is."""
    st.header("The ranking", anchor=False)
    shown = tables.drawn(rows)
    more = f" The best {len(shown)} of {len(rows)} are drawn." if len(shown) < len(rows) else ""
    first = rows.iloc[0]
    none = " There are no intervals: n is not published, at least not for all of it."
    low = "" if rows["low"].notna().any() else none
    summary = (
        f"{first['label']} has the highest score on your mix, {100 * first['score']:.1f} %, of "
        f"{counted(len(rows))}. The star is the model to use, diamonds are tied with it.{low}{more}"
    )
    frame.figure(charts_recommend.ranking(shown), summary, tables.ranking(rows), "rec_ranking")
    st.header("How firm is it?", anchor=False)
    firm = shown[shown[["p_best", "share_first", "share_first_near"]].gt(0.005).any(axis=1)]
    summary = (
        "Bars show how often a model is first: over chance errors (each score moved within its "
        "interval), and over other weights of the tags. Models that are hardly ever first are "
        "left out."
    )
    columns = list(tables.ranking(rows).columns[[0, 5, 6, 7]])
    table = tables.ranking(rows)[columns]
    frame.figure(charts_recommend.firmness(firm), summary, table, "rec_firmness")
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
    st.dataframe(tables.flips(rec, names), hide_index=True, key="rec_flips")


def trade(rec: Recommendation, rows: pd.DataFrame) -> None:
    """Quality against size, and against cost when anybody stated it."""
    st.header("Quality against size and cost", anchor=False)
    kinds = (("params_b", "Size, billion parameters"), ("usd_per_1000", "USD per 1,000 questions"))
    drawn = [(column, title) for column, title in kinds if (rows[column] > 0).any()]
    if not drawn:
        frame.say("Neither the size nor the cost of these models is known.")
    table = tables.ranking(rows)[["Model", "Score, %", "95 % interval", "Size, B", "USD per 1,000"]]
    table["Standing"] = rows["note"]
    for column, title in drawn:
        summary = _trade_words(rows, column, title)
        key = f"rec_trade_{column}"
        frame.figure(charts_recommend.trade(rows, column, title), summary, table, key)


def _trade_words(rows: pd.DataFrame, column: str, title: str) -> str:
    known, front = int(rows[column].notna().sum()), int((rows["status"] == "front").sum())
    strip = " (the others stand in the strip 'not known')" if known < len(rows) else ""
    words = (
        f"{title}, against score, for {known} of {len(rows)} models{strip}. For {front} of them "
        "no other is at least as good for less."
    )
    perhaps = " 'Perhaps beaten for less': the interval of the difference covers 0 or is unknown."
    return words + perhaps * bool((rows["status"] == "possibly dominated").any())


def regret(rec: Recommendation, names: Mapping[str, str]) -> None:
    """Points lost on each tag, and the model whose largest loss is smallest."""
    st.header("What each model gives up", anchor=False)
    frame.say(
        "Points behind the best remaining model, tag by tag. The safe all-rounder, whose largest "
        f"loss is smallest ({points(float(rec.regret['max'].min()))}), is "
        f"{names[str(rec.all_rounder)]}."
    )
    table = tables.regret(rec, names)
    one_decimal = {name: st.column_config.NumberColumn(format="%.1f") for name in table.columns[1:]}
    st.dataframe(table, hide_index=True, column_config=one_decimal, key="rec_regret")


def left_out(rec: Recommendation, names: Mapping[str, str]) -> None:
    """Who is not ranked, why, and what would change that."""
    parts = (
        ("Excluded by a limit", tables.excluded(rec, names), "rec_excluded"),
        ("Cannot tell: state what is unknown", tables.cannot_tell(rec, names), "rec_unknowns"),
        ("Not ranked: a weighted tag is missing", tables.incomplete(rec, names), "rec_incomplete"),
    )
    for title, table, key in parts:
        if len(table):
            st.subheader(f"{title} ({len(table)})", anchor=False)
            _readable(table, key)


def _readable(table: pd.DataFrame, key: str) -> None:
    """A table of sentences: wrapped while it is short, to scroll and search when long."""
    if len(table) > tables.SHOWN:
        st.dataframe(table, hide_index=True, placeholder="–", key=key)
    else:
        st.table(table.map(lambda cell: plain(str(cell))), hide_index=True, border="horizontal")


def rests_on(choice: Choice, rec: Recommendation, models: pd.DataFrame, block: str = "") -> None:
    """The assumptions, and the report to keep; ``block`` says why that block answers."""
    st.header("What this rests on", anchor=False)
    st.markdown("\n".join(f"- {plain(sentence)}" for sentence in rec.assumptions))
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    about = (rec, models, frame.link(), choice.store.version, today)

    def text() -> str:
        return report.markdown(*about, block=block)

    def page() -> str:
        return report_html.page(text(), rec, models)

    kinds = (
        ("Download the decision report", text, "md", "text/markdown"),
        ("Download it as a page (HTML)", page, "html", "text/html"),
    )
    with st.container(horizontal=True):
        for label, make, ending, mime in kinds:
            st.download_button(
                label,
                make,  # called at the click
                file_name=f"decision-{rec.needs.suite}-{today}.{ending}",
                mime=mime,
                icon=":material/download:",
                on_click="ignore",
            )
