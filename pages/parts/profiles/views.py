"""What the Profiles page says about single results, differences and the winners of tags."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from evalcore.analysis import estimates, leaders, unscored
from evalcore.decision.text.phrases import counted, listed
from evalcore.suites import suite
from pages.shared import charts, frame, ranking
from pages.shared.controls import SidebarState
from pages.shared.text import plain

MOST_SPOKES = 17
"""A radar with more spokes than this cannot be read; the fullest 16 stay."""
FEWEST_MODELS = 3
LUCK = {
    "holm": "with Holm's correction for all of these, hardly ever one is clear by luck",
    "bh": "of those that look clear about 1 in 20 is luck (Benjamini-Hochberg)",
    "none": "without a correction about 1 in 20 comparisons looks clear by luck",
}
NO_OPEN_DATA = {
    ("openclip", "type"): ("relation", "corruption"),
    ("clip-grid", "type"): ("relation", "corruption"),
    ("openclip", "capability"): ("pose detection", "relations", "corruption"),
    ("clip-grid", "capability"): ("relations", "corruption"),
}


def suggested(choice: SidebarState, current: ranking.Leaderboard, most: int) -> list[str]:
    """The models to start with: the tied-best, the best open one, the next to make three."""
    ranked = current.ranked
    is_open = ranked["model"].map(ranking.open_weights(choice)) == "yes"
    start = [
        *ranked.loc[ranked["tied_best"], "model"].head(most - 1),
        *ranked.loc[is_open, "model"].head(1),
    ]
    start = list(dict.fromkeys(start))
    rest = [model for model in [*ranked["model"], *choice.shown] if model not in start]
    return start + list(dict.fromkeys(rest))[: max(0, FEWEST_MODELS - len(start))]


def spokes(cells: pd.DataFrame, order: Sequence[str]) -> tuple[list[str], str]:
    """The tags that a radar can hold, in the order given, and a sentence on the others."""
    if len(order) <= MOST_SPOKES:
        return list(order), ""
    # Unknown numbers come last, by the alphabet.
    size = cells.groupby("tag", sort=True)["n"].max()
    kept = set(size.sort_values(ascending=False, kind="stable").index[: MOST_SPOKES - 1])
    rest = sorted(tag for tag in order if tag not in kept)
    note = (
        f"The radar holds the {len(kept)} tags with the most questions; the dot plot below also "
        f"shows {listed(rest)}."
    )
    return [tag for tag in order if tag in kept], note


def one_result(choice: SidebarState, cells: pd.DataFrame, model: str, tag: str) -> None:
    """Say all that is known about one result: what is printed, where, on how many questions."""
    row = cells[(cells["model"] == model) & (cells["tag"] == tag)]
    if row.empty:
        frame.say(f"No score of {choice.name(model)} on {tag} is known.")
        return
    cell = row.iloc[0]
    interval = charts.interval_text(cell["low"], cell["high"])
    frame.say(
        f"{choice.name(model)} on {tag}: {charts.per_cent(cell['value'])} % (95 %: {interval}), "
        f"{asked_text(cell)}. "
        + (f"The interval is {cell['method']}." if cell["method"] else "There is no interval.")
    )
    behind = estimates.behind(choice.data.scores, choice.data.benchmarks, choice.axis, tag)
    behind = behind[behind["model"] == model]
    sources = choice.store.table("sources").set_index("source")["title"]
    names = choice.data.benchmarks.set_index("benchmark")["name"]
    shown = pd.DataFrame(
        {
            "Benchmark": behind["benchmark"].map(names).fillna(behind["benchmark"]),
            "Printed value": behind["printed_value"].astype(str),
            "Unit": behind["printed_unit"],
            "Metric": behind["metric"],
            "Questions": behind["n"].map(charts.n_text),
            "Judge": behind["judge"],
            "Source": behind["source"].map(sources).fillna("your upload"),
            "Note": behind["note"],
        }
    )
    st.dataframe(shown, hide_index=True, placeholder="–", key="profiles_result")


def asked_text(cell: Mapping[Any, Any]) -> str:
    """The questions behind a score, and what those without one leave open.

    Args:
        cell: n, and unscored, of, worst and best as in ``unscored.of_cells``.
    """
    if not cell["unscored"] > 0:
        return charts.n_text(cell["n"])
    return (
        f"{cell['of'] - cell['unscored']:,.0f} of {cell['of']:,.0f} questions scored; with the "
        f"others wrong {charts.per_cent(cell['worst'])} %, right {charts.per_cent(cell['best'])} %"
    )


def dots_text(cells: pd.DataFrame, tags: int) -> str:
    """What the dot plot shows, and which results have no interval."""
    unknown = int(cells["low"].isna().sum())
    click = "Click a point to see what is known on it."
    if unknown == len(cells):
        return f"{tags} tags, without intervals, because n is not published. {click}"
    missing = int(cells["unscored"].gt(0).sum())
    if missing:
        click = (
            f"{missing} of {len(cells)} results rest on a part of the questions; the rest have no "
            f"score, and the table says what that leaves open. {click}"
        )
    gaps = f" {unknown} of {len(cells)} results have no interval: n is not published."
    return (
        f"{tags} tags with 95 % intervals, {interval_text(cells)}. {click}{gaps if unknown else ''}"
    )


def interval_text(cells: pd.DataFrame) -> str:
    """Where the intervals of cells come from, as the end of a sentence."""
    known = cells[cells["low"].notna()]
    answers = known["method"].str.startswith(estimates.BY_ANSWERS)
    judged = known["method"].str.contains(estimates.AND_JUDGE, regex=False).any()
    by_answers = estimates.BY_ANSWERS + (estimates.AND_JUDGE if judged else "")
    if answers.all():
        return by_answers
    if not answers.any():
        return "approximate, from published totals"
    names = known.loc[answers, "model"].nunique()
    return f"of {counted(names)} {by_answers}; the others are approximate"


def difference_text(rows: pd.DataFrame, name: str) -> str:
    """How many differences are clear, and what their intervals are."""
    judged = rows[rows["se"].notna()]
    if judged.empty:
        return f"Differences to {name}; n is not published, so none of them can be judged."
    counts = judged["verdict"].value_counts()
    return (
        f"Of {len(judged)} differences to {name} that can be judged, "
        f"{counts.get('clearly better', 0)} are clearly better and "
        f"{counts.get('clearly worse', 0)} clearly worse (the 95 % interval leaves out 0). "
        f"{_turning(counts.get(unscored.COULD_TURN, 0))}{_pairing(judged)}"
    )


def _turning(count: int) -> str:
    if not count:
        return ""
    are = "is" if count == 1 else "are"
    return f"{count} more {are} clear or probable only on what has a score. "


def _pairing(rows: pd.DataFrame) -> str:
    """How differences are judged."""
    paired = int(rows["paired"].sum())
    if paired == len(rows):
        same = int(rows["same"].sum())
        clusters = "questions that share a picture or source count as one."
        if same == len(rows):
            return (
                f"Both answered the same questions and are compared on them one by one; {clusters}"
            )
        return (
            f"In {same} of {len(rows)} both have a score for the same questions; in the others "
            f"only those that both have are compared one by one, and the difference is also "
            f"between questions; {clusters}"
        )
    if paired:
        return (
            f"{paired} of them are compared question by question; intervals of the others are "
            "approximate and unpaired."
        )
    return "Intervals are approximate and unpaired; single answers would make them narrower."


def difference_table(choice: SidebarState, rows: pd.DataFrame) -> pd.DataFrame:
    """Differences to the reference, ready to read."""
    ends = zip(rows["low"], rows["high"], strict=True)
    return pd.DataFrame(
        {
            "Tag": rows["tag"],
            "Model": rows["model"].map(choice.names),
            "Difference, points": (rows["value"] * 100).round(1),
            "95 % interval": [charts.interval_text(low, high) for low, high in ends],
            "Verdict": rows["verdict"],
            "Questions": rows["n"].map(charts.n_text),
        }
    )


def winners_table(choice: SidebarState, winners: pd.DataFrame) -> pd.DataFrame:
    """Who leads on each tag, ready to read."""
    return pd.DataFrame(
        {
            "Tag": winners["tag"],
            "Winner": winners["winner"].map(choice.names),
            "Score, %": (winners["value"] * 100).round(1),
            "Gap to the next, points": (winners["gap"] * 100).round(1),
            "Questions": [asked_text(row) for row in winners.to_dict("records")],
            "Tied with": [_tied(choice, row) for row in winners.to_dict("records")],
            "Compared": winners["how"],
            "Next": winners["runner_up"].map(choice.names, na_action="ignore"),
        }
    )


def winners_text(winners: pd.DataFrame, correction: str) -> str:
    """What the winners table says, and how far to believe it."""
    judged = winners[winners["certain"] & winners["gap"].notna()]
    turned = judged["turned"].map(len).gt(0)
    alone = int((judged["tied"].map(len).eq(1) & ~turned).sum())
    start = (
        f"On {alone} of {len(judged)} tags one model stands alone; on the others several are tied."
        if len(judged)
        else "Ties cannot be judged here, because n is not published for every model."
    )
    if turned.any():
        start += (
            f" On {int(turned.sum())} the winner would not lead if the questions that it has no "
            "score for were wrong."
        )
    everybody = "All shown models take part, not only those chosen above."
    return f"{start} {everybody} {_luck(winners, correction)}"


def _luck(winners: pd.DataFrame, correction: str) -> str:
    """How leaders are compared, and what many comparisons do to it."""
    if winners["how"].eq(leaders.UNPAIRED).all():
        return (
            "Only published totals are known, so comparisons are approximate and unpaired. Of the "
            f"{len(winners)} gaps about 1 in 20 would look clear by luck alone, so do not choose "
            "by a single tag."
        )
    whole = winners["how"].eq(leaders.PAIRED).all()
    how = (
        "Each leader is compared with every other model question by question"
        if whole
        else "Where single answers are known, the leader is compared with the others question by "
        "question; other comparisons are approximate"
    )
    return f"{how}; {LUCK[correction]}."


def missing_groups(choice: SidebarState) -> None:
    """Say which of UniBench's groups have no open data here, with the paper's own figures."""
    absent = NO_OPEN_DATA.get((choice.data.suite, choice.axis))
    if not absent:
        return
    st.subheader("Without open data")
    groups = choice.store.table("groups")
    groups = groups[(groups["source"] == "unibench") & (groups["axis"] == choice.axis)]
    groups = groups[groups["tag"].isin(absent)]
    frame.say(
        f"No open table gives single models' scores on {listed(absent)}, so no shown model has a "
        "point there. The UniBench paper prints summaries over its 60 models:"
    )
    st.dataframe(
        pd.DataFrame(
            {
                "Group": groups["tag"],
                "Statistic": groups["statistic"],
                "Model family": groups["model_family"],
                "Score, %": (groups["value"] * 100).round(1),
            }
        ),
        hide_index=True,
        placeholder="–",
        key="profiles_groups",
    )
    st.page_link("pages/scaling.py", label=plain("UniBench's tables on size and data: Scaling"))


def _tied(choice: SidebarState, row: dict[Any, Any]) -> str:
    tied = [choice.names[model] for model in row["tied"]][1:]
    if not row["certain"]:
        return "ties cannot be judged"
    text = ranking.short_list(tied) if tied else "nobody"
    turned = [choice.names[model] for model in row["turned"]]
    if not turned:
        return text
    return f"{text}; with its unscored answers as wrong {ranking.short_list(turned)} ahead"


def all_winners(choice: SidebarState, cells: pd.DataFrame, correction: str) -> pd.DataFrame:
    """The leading shown model of each tag with enough questions."""
    tags = ranking.enough_tags(cells, choice.min_n)
    return leaders.winners(
        cells[cells["tag"].isin(tags)],
        choice.data.items,
        suite.composition_of(choice.data, choice.axis),
        choice.min_n,
        correction,
    )


def has_items(choice: SidebarState) -> bool:
    """Whether single answers of two shown models are known."""
    items = choice.data.items
    return items is not None and len(set(items.models) & set(choice.shown)) > 1


def differences(choice: SidebarState, cells: pd.DataFrame, other: str) -> pd.DataFrame:
    """The difference of each model to another one, tag by tag (see ``leaders.against``)."""
    composition = suite.composition_of(choice.data, choice.axis)
    return leaders.against(cells, other, choice.data.items, composition)
