"""Profiles page: tag by tag, where a few models are strong or weak."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from evalcore.analysis import ordering, unscored
from evalcore.decision.text.phrases import listed
from evalcore.suites import suite
from pages.parts.profiles import views
from pages.shared import boards, charts, frame, ranking
from pages.shared.controls import SidebarState
from pages.shared.text import plain

MOST = 5
FEWEST_SPOKES = 3
FEW_SPOKES = 5
# Ids and names on screen. (A comment: Streamlit would print a string that stands alone.)
Models = Sequence[tuple[str, str]]
ORDERS = {"alike": "Similar tags side by side", "name": "Alphabetical"}
CORRECTIONS = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": "None"}


def chosen_models(choice: SidebarState, cells: pd.DataFrame) -> list[tuple[str, str]]:
    """The models to draw: id and name on screen, at most five."""
    key = f"profiles_models_{choice.data.suite}"
    suggested = views.suggested(choice, ranking.default(choice, cells), MOST)
    _follow(key, suggested)
    picked = st.multiselect(
        "Models (at most five)",
        list(choice.data.models["model"]),
        format_func=choice.name,
        max_selections=MOST,
        key=key,
        bind="query-params",
        help="At first: the leaderboard's first and those tied with it, and the best open model.",
    )
    hidden = [choice.name(model) for model in picked if model not in choice.shown]
    if hidden:
        frame.say(f"Hidden by your filters: {listed(hidden)}.")
    return [(model, choice.name(model)) for model in picked if model in choice.shown]


def _follow(key: str, suggested: list[str]) -> None:
    """Until the reader chooses (here or by a link), let the models follow axis and filters."""
    memory = f"{key}_suggested"
    untouched = key not in st.session_state and key not in st.query_params
    if untouched or st.session_state.get(key) == st.session_state.get(memory, ()):
        st.session_state[key] = suggested
    st.session_state[memory] = suggested


def tag_order(cells: pd.DataFrame) -> list[str]:
    """The tags in the order that the reader chose."""
    order = st.segmented_control(
        "Order of tags",
        list(ORDERS),
        format_func=lambda key: ORDERS[key],
        default="alike",
        required=True,
        key="profiles_order",
        bind="query-params",
        help="Similar: tags on which the shown models score alike stand next to each other.",
    )
    return sorted(set(cells["tag"])) if order == "name" else ordering.similarity_order(cells)


def table(choice: SidebarState, cells: pd.DataFrame) -> pd.DataFrame:
    """The cells of the chosen models, ready to read."""
    ends = zip(cells["low"], cells["high"], strict=True)
    return pd.DataFrame(
        {
            "Tag": cells["tag"],
            "Model": cells["model"].map(choice.names),
            "Score, %": (cells["value"] * 100).round(1),
            "95 % interval": [charts.interval_text(low, high) for low, high in ends],
            "Questions": [views.asked_text(row) for row in cells.to_dict("records")],
        }
    )


def radar(choice: SidebarState, cells: pd.DataFrame, models: Models, order: list[str]) -> None:
    """Draw the radar, unless there are too few tags for one."""
    st.subheader("Radar")
    kept, note = views.spokes(cells, order)
    if len(kept) < FEWEST_SPOKES:
        frame.say(f"{len(kept)} tags make no radar; the dot plot shows them.")
        return
    if len(kept) <= FEW_SPOKES:
        frame.say(
            f"With only {len(kept)} tags a radar's shape says little: read the dot plot below, "
            "which also has the intervals."
        )
        if not st.checkbox(
            "Draw the radar all the same",
            value=len(kept) > FEWEST_SPOKES,
            key="profiles_radar",
            bind="query-params",
        ):
            return
    some = cells[cells["tag"].isin(kept) & cells["model"].isin([model for model, _ in models])]
    summary = (
        "Each line is a model, from 0 at the centre to 100 % at the rim. Hollow marks rest on "
        f"fewer than {charts.FEW} questions; under {charts.TOO_FEW} there is a gap. The area has "
        f"no meaning. {note}"
    )
    fig = charts.radar(some, models, kept)
    frame.figure(
        boards.narrow_radar(fig),
        summary.strip(),
        table(choice, some),
        "profiles_radar_fig",
    )


def dots(choice: SidebarState, cells: pd.DataFrame, models: Models, order: list[str]) -> None:
    """Draw all tags with intervals, and below it what is known on one result."""
    st.subheader("Dot plot")
    some = cells[cells["model"].isin([model for model, _ in models])]
    summary = views.dots_text(some, len(order))
    fig = boards.narrow(charts.dots(some, models, order), order)
    state = frame.figure(fig, summary, table(choice, some), "profiles_dots", select=True)
    places = {f"{name} · {tag}": (model, tag) for model, name in models for tag in order}
    _follow_click(state, {place: label for label, place in places.items()})
    label = st.selectbox(
        "What is known on",
        list(places),
        index=None,
        key="profiles_result_of",
        bind="query-params",
        placeholder="Click a point, or choose here",
    )
    if label:
        views.one_result(choice, cells, *places[label])


def _follow_click(state: object, labels: dict[tuple[str, str], str]) -> None:
    """Put a clicked point into the box below the figure, once: the box stays usable by itself."""
    points = state["selection"]["points"] if state else []
    clicked = tuple(points[0]["customdata"]) if points else None
    if clicked != st.session_state.get("profiles_clicked"):
        st.session_state["profiles_clicked"] = clicked
        if clicked in labels:
            st.session_state["profiles_result_of"] = labels[clicked]


def compare(choice: SidebarState, cells: pd.DataFrame, models: Models, order: list[str]) -> None:
    """Draw the chosen models' differences to a reference model."""
    st.subheader("Difference to one model")
    scored = set(cells["model"])
    against = st.selectbox(
        "Compare with",
        [None, *(model for model in choice.shown if model in scored)],
        format_func=lambda model: "Nobody" if model is None else choice.name(model),
        key=f"profiles_against_{choice.data.suite}",
        bind="query-params",
    )
    if against is None:
        return
    rows = views.differences(choice, cells, against)
    rows = rows[rows["model"].isin([model for model, _ in models])]
    if rows.empty:
        frame.say("Choose another model above to compare with this one.")
        return
    summary = views.difference_text(rows, choice.name(against))
    order = [tag for tag in order if tag in set(rows["tag"])]
    fig = boards.differences(rows, models, order, choice.name(against))
    frame.figure(fig, summary, views.difference_table(choice, rows), "profiles_against_fig")


def winners(choice: SidebarState, cells: pd.DataFrame) -> None:
    """Show who leads on each tag."""
    st.subheader("Who leads where")
    correction = "holm"
    if views.has_items(choice):
        correction = st.segmented_control(
            "Correct for many comparisons",
            list(CORRECTIONS),
            format_func=lambda key: CORRECTIONS[key],
            default="holm",
            required=True,
            key="profiles_correction",
            bind="query-params",
            help="The more tags one looks at, the more leads look clear by luck.",
        )
    rows = views.all_winners(choice, cells, correction)
    frame.say(views.winners_text(rows, correction))
    frame.table_twin(views.winners_table(choice, rows), "profiles_winners", expanded=True)


with frame.page("Profiles", "Where is a model strong or weak for your content?") as choice:
    composition = suite.composition_of(choice.data, choice.axis)
    everything = unscored.of_cells(choice.cells(), choice.data.items, composition)
    tags = ranking.enough_tags(everything, choice.min_n)
    cells = everything[everything["tag"].isin(tags)]
    if cells.empty:
        frame.say(
            "Nothing is left to draw: loosen the filters in the sidebar, or allow tags with "
            "fewer questions."
        )
        frame.leave()
    models = chosen_models(choice, everything)
    if note := ranking.left_out(everything, choice.min_n):
        st.caption(plain(note))
    if models:
        order = tag_order(cells)
        radar(choice, cells, models, order)
        dots(choice, cells, models, order)
        compare(choice, cells, models, order)
    else:
        frame.say("Choose at least one model to see its profile.")
    winners(choice, cells)
    views.missing_groups(choice)
