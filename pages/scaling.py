"""Scaling page: does a bigger model, or more data, pay for the task."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from evalcore.analysis import profiles
from pages.parts.scaling import charts as drawing
from pages.parts.scaling import claims, today_views, words
from pages.parts.scaling import views as parts
from pages.shared import frame
from pages.shared.controls import SidebarState
from pages.shared.results import Store
from pages.shared.text import plain

TODAY, CLAIMS = "today", "claims"
SUITES = {
    TODAY: "Models of today",
    "openclip": "open_clip table",
    "clip-grid": "Controlled grid",
    CLAIMS: "Claims of UniBench",
    "vqa360": "VQA360: score by size",
}
AXES = {"type": "Type of benchmark", "capability": "Capability"}
# A bigger model is compared at the same data, more data at the same architecture.
HOLDS = {
    "train_data_m": "architecture",
    "samples_seen_b": "architecture",
    "gflops": "train_data",
    "image_tower_params_m": "train_data",
    "params_b": "train_data",
}
SLICES = {
    "data": "Data varies; architecture and samples seen fixed",
    "size": "Size varies; data and samples seen fixed",
    "samples": "Samples seen vary; architecture and data fixed",
}
SLICE_X = {
    "data": ("train_data_m", ("architecture", "samples_seen_b")),
    "size": ("gflops", ("train_data", "samples_seen_b")),
    "samples": ("samples_seen_b", ("architecture", "train_data")),
}


def table(choice: SidebarState) -> str:
    """Ask for the table; models of today come first where the sidebar shows a current suite."""
    current = choice.data.current
    number = choice.store.table("suites").set_index("suite")["models"].get("openclip", 0)
    chosen = st.segmented_control(
        "Models",
        list(SUITES),
        format_func=lambda key: SUITES[key] + (f": {number:,} models" if key == "openclip" else ""),
        default=TODAY if current else "openclip",
        required=True,
        key="scale_suite_today" if current else "scale_suite",
        bind="query-params",
        help="The tables are never fitted together: the same model scores differently in each.",
    )
    return str(chosen)


def choose(choice: SidebarState, name: str) -> parts.View:
    """Ask what to look at in one of the papers' tables."""
    if name == "vqa360":
        data = parts.suite_data(choice, name)
        axis = choice.axis if choice.data.suite == name else str(data.row["default_axis"])
        return parts.view(choice, name, axis, "params_b")
    left, right = st.columns(2)
    x, hold = _open_scale(left) if name == "openclip" else _slice(left)
    axis, chance = _grouping(right)
    view = parts.view(choice, name, axis, x, hold, correct_chance=chance)
    if chance:
        st.caption(plain(words.left_out(view)))
    return view


def _grouping(place: st.delta_generator.DeltaGenerator) -> tuple[str, bool]:
    """How benchmarks are grouped, and whether guessing becomes 0."""
    axis = place.segmented_control(
        "Group benchmarks by",
        list(AXES),
        format_func=lambda key: AXES[key],
        default="type",
        required=True,
        key="scale_axis",
        bind="query-params",
    )
    chance = place.checkbox(
        "Correct for chance", key="scale_chance", bind="query-params", help="Guessing becomes 0."
    )
    return str(axis), chance


def _open_scale(place: st.delta_generator.DeltaGenerator) -> tuple[str, tuple[str, ...]]:
    x = place.selectbox(
        "Scale",
        list(parts.UNITS),
        format_func=lambda key: ", ".join(parts.UNITS[key]),
        key="scale_x",
        bind="query-params",
    )
    same = "of one architecture" if HOLDS[x] == "architecture" else "trained on one data set"
    held = place.checkbox(
        f"Compare only models {plain(same)}", key="scale_hold", bind="query-params"
    )
    return x, (HOLDS[x],) if held else ()


def _slice(place: st.delta_generator.DeltaGenerator) -> tuple[str, tuple[str, ...]]:
    chosen = place.selectbox(
        "What varies",
        list(SLICES),
        format_func=lambda key: SLICES[key],
        key="scale_slice",
        bind="query-params",
    )
    return SLICE_X[chosen]


def show_slopes(view: parts.View) -> None:
    """The sentence and the forest plot of points per tenfold."""
    st.subheader("What ten times as much brings", divider="gray")
    if view.slopes.empty:
        frame.say("No slope: the scale does not vary within any group of the models shown.")
        return
    st.info(plain(words.headline(view)), icon=":material/trending_up:")
    slopes = view.slopes
    twin = pd.DataFrame(
        {
            view.axis.replace("_", " ").title(): slopes["tag"],
            "Points per tenfold": (slopes["slope"] * 100).round(1),
            "Low": (slopes["low"] * 100).round(1),
            "High": (slopes["high"] * 100).round(1),
            "n models": slopes["n_models"],
            "Groups": slopes["n_groups"],
            "Fold covered": slopes["fold"].round(1),
            "Unknown": slopes["n_unknown"],
        }
    )
    fig = drawing.slopes(slopes, view.flat)
    frame.figure(fig, words.coverage(view), twin, f"scale_slopes_{view.data.suite}")
    for note in words.notes(view):
        st.caption(plain(note))


def show_panels(view: parts.View) -> None:
    """Score against scale, one panel a tag."""
    st.subheader("Score against scale", divider="gray")
    rows = parts.points(view)
    order = list(view.slopes["tag"]) or list(dict.fromkeys(rows["tag"]))
    order += [tag for tag in dict.fromkeys(rows["tag"]) if tag not in order]
    twin = pd.DataFrame(
        {
            "Model": rows["name"],
            "Tag": rows["tag"],
            view.x_title: rows["x"],
            "Score %": (rows["value"] * 100).round(1),
            "Group": rows["group"],
        }
    )
    fig = drawing.panels(rows, parts.lines(view, rows), order, view.x_title)
    frame.figure(fig, words.unknown_words(view), twin, f"scale_panels_{view.data.suite}")


def paper_figure(store: Store, axis: str) -> go.Figure:
    """The figure of UniBench's Table 1 or 4."""
    return drawing.ranges(parts.paper_table(store, axis))


def show_unibench(choice: SidebarState, view: parts.View) -> None:
    """The paper's statements, quoted, and its Tables 1 and 4."""
    st.subheader("What UniBench says", divider="gray")
    for quote in words.QUOTES:
        st.markdown(f"> {plain(quote)}")
    st.caption(plain("UniBench, section 3.1, arXiv 2408.04810: quoted, not computed again here."))
    axis = view.axis if view.axis in AXES else "type"
    paper = choice.store.once(parts.paper_table, axis)
    if view.axis in AXES:
        for sentence in words.no_open_data(paper, list(dict.fromkeys(view.cells["tag"]))):
            frame.say(sentence)
    twin = paper[["label", "worst_family", "worst", "mean", "best_family", "best"]].copy()
    twin[["worst", "mean", "best"]] = (twin[["worst", "mean", "best"]] * 100).round(1)
    twin = twin.rename(columns={"label": axis}).rename(columns=lambda c: c.replace("_", " "))
    narrow, wide = paper.iloc[-1], paper.iloc[0]
    summary = (
        f"UniBench's Table {1 if axis == 'type' else 4}, as printed: worst, mean and best of its "
        f"models by {axis}. The range is widest on {wide['label']} "
        f"({wide['worst'] * 100:.1f} to {wide['best'] * 100:.1f} %) and narrowest on "
        f"{narrow['label']} ({narrow['worst'] * 100:.1f} to {narrow['best'] * 100:.1f} %). "
        "n not published, no interval."
    )
    fig = choice.store.once(paper_figure, axis)
    frame.figure(fig, summary, twin, f"scale_unibench_{axis}")
    frame.say("How many times the scale of the worst model the best one has, as printed:")
    shown = paper[["label", "training data", "model size"]]
    shown = shown.set_axis(["Group", "Training data, times", "Model size, times"], axis=1)
    st.dataframe(shown, hide_index=True, key="scale_ratios")


def show_papers(choice: SidebarState, name: str) -> None:
    """Everything that the page says of one of the papers' tables."""
    view = choose(choice, name)
    if profiles.enough(view.cells, 0).sum() == 0:
        st.warning(
            "No model of this table passes the sidebar's filters. Widen them, or include models "
            "where size or openness is unknown."
        )
    else:
        show_slopes(view)
        show_panels(view)
    show_unibench(choice, view)


with frame.page(
    "Scaling",
    "Helps to decide whether a bigger, newer or dearer model, or one with more data, pays for "
    "your task.",
    counted=False,
) as choice:
    chosen = table(choice)
    if chosen == TODAY:
        today_views.show(choice)
    elif chosen == CLAIMS:
        axis, chance = _grouping(st.container())
        claims.show(choice, axis, chance=chance)
    else:
        show_papers(choice, chosen)
