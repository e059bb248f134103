"""Overview page: the answers first, then the leaderboard, the tags and the sizes behind them."""

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.analysis import estimates, profiles
from evalcore.analysis.ranking import pareto
from evalcore.decision.text.phrases import listed
from pages.parts.overview import charts as drawing
from pages.shared import boards, charts, frame, ranking
from pages.shared.controls import SidebarState
from pages.shared.ranking import Leaderboard
from pages.shared.text import plain

TOP = 20
SCORES = {"total": "Published total", "mean": "Mean over tags"}
TIED = {"tied": "tied with the best", "behind": "no", "unknown": "not known"}


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
    ranked = _with_facts(choice, current, current.ranked)
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
        _table(choice, current),
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
    values = _tag_scores(choice, cells, rows["model"])
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
    rows = _with_front(_with_facts(choice, current, current.ranked))
    known = int(rows["size"].notna().sum())
    if not known:
        frame.say("The size of none of the shown models is known.")
        return
    _, what = _sizes(choice)
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
    chance = estimates.chance_by_tag(choice.data.scores, choice.data.benchmarks, choice.axis)
    if choice.weights or choice.mean == "micro" or chance.empty or chance["chance"].isna().any():
        return np.nan, ""
    level, known, total = chance["chance"].mean(), chance["known"].sum(), chance["benchmarks"].sum()
    return level, (
        f"Guessing would score about {100 * level:.1f} % (dotted; from the {known} of {total} "
        "benchmarks whose chance level is known)."
    )


def _with_facts(choice: SidebarState, current: Leaderboard, rows: pd.DataFrame) -> pd.DataFrame:
    """Add to leaderboard rows what the figures need: names, words, state, size, openness."""
    models = choice.data.models.set_index("model").reindex(rows["model"])
    size, _ = _sizes(choice)
    unknown = rows["se"].isna() | current.ranked["se"].iloc[:1].isna().any()
    return rows.assign(
        name=rows["model"].map(choice.names),
        n_text=[current.n(row) for row in rows.to_dict("records")],
        state=rows["tied_best"].map({True: "tied", False: "behind"}).mask(unknown, "unknown"),
        uploaded=models["source"].eq("upload").to_numpy(),
        open=rows["model"].map(ranking.open_weights(choice)),
        size=rows["model"].map(size),
    )


def _sizes(choice: SidebarState) -> tuple[pd.Series, str]:
    """Size of each model in billions, and what it is the size of."""
    models = choice.data.models.set_index("model")
    total = models["params_b"].astype(float)
    if total.isna().all():
        return models["image_tower_params_m"].astype(float) / 1000, "Parameters of the image tower"
    return total, "Parameters in total"


def _table(choice: SidebarState, current: Leaderboard) -> pd.DataFrame:
    """The whole leaderboard, ready to read, models without a score at the end."""
    rows = _with_facts(choice, current, current.table)
    models = choice.data.models.set_index("model").reindex(rows["model"])
    first = rows["model"].eq(rows["model"].iloc[0]) & rows["score"].notna()
    ranks = zip(rows["rank_low"], rows["rank_high"], strict=True)
    shown = pd.DataFrame(
        {
            "Model": rows["name"],
            "Maker": models["maker"].to_numpy(),
            "Score, %": (rows["score"] * 100).round(1),
            "95 % interval": charts.intervals(rows),
            "Rank": [ranking.rank_text(low, high) for low, high in ranks],
            "Tied with the best": rows["state"].map(TIED).mask(first, "first"),
            "Coverage, %": (rows["coverage"] * 100).round(),
            "Questions": rows["n_text"],
            "Parameters, million": (models["params_b"].astype(float) * 1000).round().to_numpy(),
            "Open weights": rows["open"],
        }
    )
    if rows["unscored"].gt(0).any():
        shown = shown.join(_open_ends(rows))
    return shown.join(_printed_total(choice, rows["model"]))


def _open_ends(rows: pd.DataFrame) -> pd.DataFrame:
    """How many answers have no score, and the score with them as wrong to as right."""
    text = pd.Series(charts.intervals(rows, "worst", "best"), rows.index)
    return pd.DataFrame(
        {
            "Without a score": rows["unscored"],
            "With these as wrong to as right, %": text.where(rows["unscored"].notna(), "–"),
        }
    )


def _with_front(rows: pd.DataFrame) -> pd.DataFrame:
    """Mark the models than which no smaller one of known size scores as much."""
    trade = rows.set_index("model")[["score", "se", "size"]].assign(cost=float("nan"))
    status = pareto(trade)["status"]
    return rows.assign(front=rows["model"].map(status) == "front")


def _tag_scores(choice: SidebarState, cells: pd.DataFrame, models: pd.Series) -> pd.DataFrame:
    """Score of each model (in the order given) on each tag with enough questions."""
    wide = profiles.wide(cells[["model", "tag", "value"]])
    tags = [tag for tag in ranking.enough_tags(cells, choice.min_n) if tag in wide]
    scores = wide.reindex(index=models, columns=tags)
    return scores.set_axis([choice.name(model) for model in models])


def _printed_total(choice: SidebarState, order: pd.Series) -> pd.DataFrame:
    """The total that the source prints, beside the score; no columns where there is none."""
    totals = ranking.printed_totals(choice)
    if totals.empty:
        return pd.DataFrame(index=order.index)
    rows = totals.set_index("model").reindex(order)
    scores = choice.data.scores
    printed = scores[(scores["tag"] == profiles.TOTAL) & scores["n"].notna()]
    printed = printed.drop_duplicates("model").set_index("model").reindex(order)
    # The spread over items of a run made here is in its interval already.
    spread = printed["sd"].where(printed["sd_over"] == "judge repeats")
    title = "Published total, %" if totals["kind"].eq("published").any() else "Total, %"
    return pd.DataFrame(
        {
            title: (rows["value"] * 100).round(1).to_numpy(),
            "Interval of the total": charts.intervals(rows),
            "Spread over judge runs": [
                "–" if pd.isna(sd) else f"{100 * sd:.1f} points, {runs:.0f} runs"
                for sd, runs in zip(spread, printed["repeats"].fillna(1), strict=True)
            ],
        },
        index=order.index,
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
