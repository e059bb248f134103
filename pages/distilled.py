"""Distilled page: which few benchmarks tell the rest, and where models stand against guessing."""

import streamlit as st

from evalcore.analysis import correlation, distillation, gains
from evalcore.suites import small_sets, suite
from pages.parts.distilled import charts as drawing
from pages.parts.distilled import sets as parts
from pages.parts.distilled import views
from pages.shared import charts, controls, frame
from pages.shared.controls import SidebarState
from pages.shared.text import plain

VIEWS = {
    "set": "Small set",
    "printed": "UniBench's sets",
    "chance": "Medians and guessing",
    "gain": "What scale brings",
}
NO_PRINTED = "UniBench's sets are of its own benchmarks: choose the open_clip table or the grid."


def ask(data: suite.SuiteData) -> tuple[str, str]:
    """The groups to predict, and who is held out."""
    left, right = st.columns(2)
    titles = data.axes.set_index("axis")["title"]
    axis = left.selectbox(
        "Predict the means of each",
        [name for name in suite.axes(data) if name != "benchmark"],
        format_func=lambda name: str(titles[name]),
        key="distil_axis_today" if data.current else "distil_axis",
        bind="query-params",
    )
    how = right.selectbox(
        "Predict without ever having seen",
        list(small_sets.HOLDS),
        format_func=lambda name: small_sets.HOLDS[name].capitalize(),
        key="distil_held",
        bind="query-params",
        help="Checkpoints of one family resemble each other: held out one by one, the others give "
        "the answer away and a set looks better than it is.",
    )
    return axis, how


def ask_size(result: small_sets.SmallSet) -> tuple[int | None, float]:
    """The size of the set: chosen, or the smallest that is good enough."""
    left, right = st.columns(2)
    within = left.number_input(
        "Good enough: error in points",
        min_value=0.1,
        max_value=20.0,
        value=100 * small_sets.WORTH,
        step=0.1,
        format="%.1f",
        key="distil_within",
        bind="query-params",
        help="1.5 points are the sampling error (95 %) of one benchmark with 4,000 questions.",
    )
    size = right.selectbox(
        "Benchmarks in the set",
        [None, *range(1, small_sets.MOST + 1)],
        format_func=lambda name: "Smallest good enough" if name is None else str(name),
        key="distil_size",
        bind="query-params",
    )
    if size is None:
        return distillation.enough(result.path, within / 100), within / 100
    return min(size, len(result.path)), within / 100


def show_set(choice: SidebarState, data: suite.SuiteData) -> None:
    """Our smallest set, its error by size, and what it is compared with."""
    axis, how = ask(data)
    result = parts.small_sets_of(choice.store, data, axis, how)
    size, within = ask_size(result)
    names = parts.names(data)
    frame.say(parts.about(result, data, axis))
    sentences = parts.headline(result, names, size, within, how)
    st.info(plain(sentences), icon=":material/filter_alt:")
    others = result.others.assign(
        label=[parts.label(row, names) for row in result.others.to_dict("records")]
    )
    marked = size if size is not None else 0
    fig = drawing.by_size(result.path, result.random, others, names, marked)
    frame.figure(
        fig,
        "Error of our sets by size, chosen and fitted without the models that they predict; as "
        f"points other sets, in grey {distillation.DRAWS} random sets of each size. An error is "
        "half that of the mean over all benchmarks and half that of the group means; bars: 95 %, "
        "over which models there happen to be.",
        parts.list_table(result, data, axis),
        "distil_by_size",
        expanded=True,
    )
    st.subheader("Against other sets", divider="gray")
    frame.say("Ours with the error of sets chosen anew; the others were not chosen by error.")
    table = parts.sets_table(result, names, size)
    st.dataframe(
        table, hide_index=True, column_config=frame.one_decimal(table), key="distil_sets",
        placeholder="–",
    )  # fmt: skip
    if size is not None:
        st.subheader("What it predicts well", divider="gray")
        frame.say(
            "Every model predicted once, by a fit without its unit; the benchmarks were chosen "
            "with all. An error near the spread of the models is no prediction."
        )
        table = parts.target_table(result, size, small_sets.groups(data, axis))
        st.dataframe(
            table, hide_index=True, column_config=frame.one_decimal(table), key="distil_targets"
        )


def show_printed(choice: SidebarState, data: suite.SuiteData) -> None:
    """UniBench's two sets as printed, beside the same rule on the open table."""
    rows = choice.store.table("representatives")
    frame.say(parts.PAPER_SAYS)
    if data.current:
        st.info(NO_PRINTED)
        return
    frame.say(
        "Recomputed: the benchmark whose Pearson correlations with the other benchmarks of its "
        "group, over models, are highest in the mean; intervals resample models."
    )
    names = parts.names(data)
    for name, axis in correlation.NAMED.items():
        st.subheader(plain(name), divider="gray")
        result = parts.small_sets_of(choice.store, data, axis, "family")
        table = parts.printed_table(result, correlation.printed(rows, name), names)
        measured = result.others[result.others["name"] == name]
        frame.say(parts.printed_words(table, measured, name))
        st.dataframe(table, hide_index=True, placeholder="–", key=f"distil_{name}")


def show_chance(choice: SidebarState, data: suite.SuiteData) -> None:
    """The median model on every benchmark, against guessing."""
    names = parts.names(data)
    scores = data.scores[views.of_filtered(choice, data)]
    if scores.empty:
        st.warning("No model passes the sidebar's filters.")
        return
    rows = gains.against_chance(scores, data.benchmarks)
    words = views.chance_words(rows, names, data)
    twin = views.chance_table(rows, names)
    frame.figure(charts.medians(rows, names), words, twin, "distil_chance")
    if not data.current:
        frame.say(views.FIGURE_2)


def show_gain(choice: SidebarState, data: suite.SuiteData) -> None:
    """What the most scaled models have over the least scaled, against ImageNet's gain."""
    if "capability" not in set(data.axes["axis"]):
        st.info(views.NO_CAPABILITIES)
        return
    x = st.segmented_control(
        "What is scaled",
        list(views.SCALES),
        format_func=lambda key: views.SCALES[key],
        default="train_data_m",
        required=True,
        key="distil_scale",
        bind="query-params",
    )
    cells = choice.store.cells(data, "capability")
    cells = cells[cells["model"].isin(views.shown(choice, data))]
    scale = data.models.set_index("model")[x].astype(float)
    scale = scale[scale.index.isin(cells["model"])]
    if views.REFERENCE not in set(cells["tag"]):
        st.warning("No model passes the sidebar's filters.")
        return
    gain_rows = gains.gains(cells, scale, views.REFERENCE)
    if gain_rows.empty:
        st.warning(views.NO_ENDS)
        return
    frame.figure(
        drawing.relative_gains(gain_rows, "ImageNet"),
        views.gain_words(gain_rows, scale, x),
        views.gain_table(gain_rows),
        "distil_gain",
    )
    frame.say(views.FIGURE_4)
    frame.say(views.CANNOT_SHOW[data.suite])


SHOW = {"set": show_set, "printed": show_printed, "chance": show_chance, "gain": show_gain}

with frame.page(
    "Distilled",
    "Helps to decide which few benchmarks to run: those that tell what all the others would.",
    counted=False,
) as choice:
    data = controls.benchmark_suite(choice)
    controls.other_suites(data, choice)
    view = st.segmented_control(
        "View",
        list(VIEWS),
        format_func=lambda key: VIEWS[key],
        default="set",
        required=True,
        key="distil_view",
        bind="query-params",
    )
    SHOW[view](choice, data)
