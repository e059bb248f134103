"""Overview page: the answers first, then the leaderboard, the tags and the sizes behind them."""

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.analysis import reference
from evalcore.decision.text.phrases import listed
from pages.parts.overview import board_rows
from pages.parts.overview import charts as drawing
from pages.shared import boards, frame, ranking
from pages.shared.controls import SidebarState
from pages.shared.ranking import Leaderboard
from pages.shared.text import plain

TOP = 20
SCORES = {"total": "Published total", "mean": "Mean over tags"}


def chosen_leaderboard(choice: SidebarState, cells: pd.DataFrame) -> Leaderboard:
    """The leaderboard by the page's score; the published total first where there is one."""
    totals = ranking.printed_totals(choice)
    if totals.empty:
        return ranking.by_mean(choice, cells)
    printed = totals["kind"].eq("published").any()
    score = st.segmented_control(
        "Score",
        list(SCORES),
        format_func=lambda key: SCORES[key] if printed or key != "total" else "Total",
        default="mean" if choice.weights else "total",
        required=True,
        key="overview_score_weighted" if choice.weights else "overview_score",
        bind="query-params",
        help="Tags, weights and the kind of mean in the sidebar act on the mean over tags.",
    )
    if score == "total":
        return ranking.by_total(choice, totals)
    return ranking.by_mean(choice, cells)


def cards(choice: SidebarState, current: Leaderboard) -> None:
    """Three answers: the best, the best with open weights, the best small one."""
    is_open = ranking.open_weights(choice)
    small, limit = ranking.small(choice)
    ranked = current.ranked
    answers = {
        "Best overall": ranked,
        "Best with open weights": ranked[ranked["model"].map(is_open) == "yes"],
        f"Best small model ({limit})": ranked[ranked["model"].isin(small)],
    }
    for column, (title, rows) in zip(st.columns(len(answers)), answers.items(), strict=True):
        with column.container(border=True, height="stretch"):
            st.caption(plain(title))
            if rows.empty:
                frame.say("None of the shown models is known to be one.")
                continue
            named, silent = current.chosen(rows)
            st.markdown(f"#### {plain(choice.name(named['model'].iloc[0]))}")
            frame.say(ranking.score_text(current, named.iloc[0]))
            frame.say(ranking.tied_text(current, named, choice.names))
            if silent:
                frame.say(ranking.silent_text(rows, silent, choice.names))
    st.caption(
        plain(
            f"Score: {current.rule}. The cards choose among the {len(ranked)} shown models that "
            "have a score, so the filters in the sidebar act on them too."
        )
    )


def leaderboard(choice: SidebarState, current: Leaderboard) -> pd.DataFrame:
    """Draw the leaderboard; returns the rows that it shows."""
    st.subheader("Leaderboard")
    ranked = board_rows.drawn(choice, current, current.ranked)
    everything = len(ranked)
    if everything > TOP and not st.toggle(
        f"Show all {everything:,} models", key="overview_all", bind="query-params"
    ):
        ranked = ranked.head(TOP)
    first = ranked.iloc[0]
    summary = (
        f"{len(ranked)} of {everything} models, best first, by {current.rule}. First is "
        f"{first['name']} with {ranking.score_text(current, first)}. "
        f"{ranking.tied_text(current, current.ranked, choice.names)}"
    )
    frame.figure(
        boards.leaderboard(ranked, "Score"),
        summary,
        board_rows.table(choice, current),
        "overview_leaderboard",
        expanded=True,
    )
    scored = set(current.ranked["model"])
    unranked = [choice.name(model) for model in choice.shown if model not in scored]
    if unranked:
        frame.say(f"Not ranked, for want of a score on every tag: {listed(unranked)}.")
    frame.say(current.caution)
    return ranked


def tag_by_tag(choice: SidebarState, cells: pd.DataFrame, rows: pd.DataFrame) -> None:
    """Draw the scores behind the leaderboard, tag by tag."""
    st.subheader("Tag by tag")
    values = board_rows.tag_scores(choice, cells, rows["model"])
    low, high = values.mean().idxmin(), values.mean().idxmax()
    summary = (
        f"Rows as in the leaderboard. On average the models find {low} hardest and {high} easiest."
    )
    if rows["unscored"].gt(0).any():
        summary = (
            f"{summary} A cell is of the questions that have a score; not all models have all."
        )
    if note := ranking.left_out(cells, choice.min_n):
        summary = f"{summary} {note}"
    twin = frame.headed((values * 100).round(1), {"Model": list(values.index)})
    frame.figure(boards.heat_strip(values), summary, twin, "overview_tags")


def by_size(choice: SidebarState, current: Leaderboard) -> None:
    """Draw score against size."""
    st.subheader("Score against size")
    rows = board_rows.with_front(board_rows.drawn(choice, current, current.ranked))
    known = int(rows["size"].notna().sum())
    if not known:
        frame.say("The size of none of the shown models is known.")
        return
    _, what = board_rows.sizes(choice)
    front = rows[rows["front"]].sort_values("size")["name"]
    line = " (dashed line)" if drawing.goes_on(rows) else ""
    summary = (
        f"The size of {known} of {len(rows)} models is known. Best of their size or smaller"
        f"{line}: {ranking.short_list(list(front), most=8)}."
    )
    level, words = guessing(choice, current)
    fig = drawing.size_scatter(rows, what=what, axis_title="Score", chance=level)
    millions = rows["size"] * 1000
    twin = pd.DataFrame(
        {
            "Model": rows["name"],
            f"{what}, million": millions.where(millions < 1, millions.round()),
            "Score, %": (rows["score"] * 100).round(1),
            "On the line": rows["front"].map({True: "yes", False: "no"}),
        }
    )
    frame.figure(fig, f"{summary} {words}".strip(), twin, "overview_size")


def guessing(choice: SidebarState, current: Leaderboard) -> tuple[float, str]:
    """The mean chance level of the tags that count alike, and the same in words."""
    chance = reference.chance_by_tag(choice.data.scores, choice.data.benchmarks, choice.axis)
    if choice.weights or choice.mean == "micro" or chance.empty or chance["chance"].isna().any():
        return np.nan, ""
    level, known, total = chance["chance"].mean(), chance["known"].sum(), chance["benchmarks"].sum()
    return level, (
        f"Guessing would score about {100 * level:.1f} % (dotted; from the {known} of {total} "
        "benchmarks whose chance level is known)."
    )


with frame.page("Overview", "Which three to five models deserve a closer look?") as choice:
    cells = choice.cells()
    if not choice.shown or cells.empty:
        frame.say("No model is left to rank: loosen the filters in the sidebar.")
        frame.leave()
    current = chosen_leaderboard(choice, cells)
    for note in current.notes:
        st.info(plain(note))
    if current.ranked.empty:
        frame.say(
            "No shown model has a score on every tag that counts: choose fewer tags, or allow "
            "tags with fewer questions in the sidebar."
        )
        frame.leave()
    cards(choice, current)
    shown = leaderboard(choice, current)
    if ranking.enough_tags(cells, choice.min_n):
        tag_by_tag(choice, cells, shown)
    by_size(choice, current)
