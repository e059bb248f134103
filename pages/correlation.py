"""Correlation page: which benchmarks or models say the same, and which complement each other."""

import streamlit as st

from evalcore.analysis import correlation, ordering
from evalcore.suites import pooling, suite
from pages.parts.correlation import items
from pages.parts.correlation import views as parts
from pages.shared import controls, frame
from pages.shared import heat_map as drawing
from pages.shared.controls import SidebarState
from pages.shared.text import plain

ITEMS = {"items": "Models, question by question"}
WHAT = {
    "benchmark": "Benchmarks",
    "type": "Types of benchmark",
    "capability": "Capabilities",
    "model": "Models by their VQA360 profile",
    **ITEMS,
}
WHAT_TODAY = {"benchmark": "Benchmarks", "need": "Needs", **ITEMS}
LEAST = {pooling.SUITE: 40}
"""A map of all blocks would have more benchmarks than one can read."""
METHODS = {"spearman": "Spearman (ranks)", "pearson": "Pearson (values)"}
FIRST_PAIR = {
    "benchmark": ("imagenet1k", "kitti_distance"),
    "type": ("object recognition", "reasoning"),
    "capability": ("imagenet", "counting"),
    "model": ("gpt-4o-mini", "internvl2-8b"),
}


def show_map(view: parts.View, method: correlation.Method, order: str) -> None:
    """The heat map of all pairs; a click on a square opens the pair below."""
    pairs = correlation.matrix(view.table, method)
    if view.what == "model":
        pairs = pairs.assign(low=float("nan"), high=float("nan"))
    alike = order == "alike"
    columns = ordering.cluster_order(view.table, method) if alike else list(view.table.columns)
    if not alike:
        columns = sorted(columns, key=lambda name: view.names[name].lower())
    few = 0 if view.what == "model" else ordering.FEW
    fig = drawing.heat_map(pairs, columns, view.names, view.rows, few)
    once = pairs[pairs["a"] < pairs["b"]]
    state = frame.figure(
        fig,
        parts.map_words(once, view),
        parts.pair_table(once, view),
        f"corr_map_{view.scope}",
        select=True,
    )
    _take_click(state, view)


def show_clusters(view: parts.View, method: correlation.Method) -> None:
    """The benchmarks of which one would do for all."""
    st.subheader("Which say the same", divider="gray")
    clusters = ordering.clusters(view.table, method)
    frame.say(parts.cluster_words(clusters, view))
    if len(clusters):
        shown = parts.cluster_table(clusters, view)
        st.dataframe(shown, hide_index=True, key=f"corr_clusters_{view.scope}")


def show_pair(view: parts.View, method: correlation.Method) -> None:
    """Two columns against each other, every row a named point."""
    st.subheader("One pair", divider="gray")
    known = sorted(view.every.columns, key=lambda name: view.names[name].lower())
    first = FIRST_PAIR.get(view.what, ())
    first = first if set(first) <= set(known) and first else _most_common(view)
    chosen = []
    for place, column in enumerate(st.columns(2)):
        wanted = first[place]
        chosen.append(
            column.selectbox(
                ("First", "Second")[place],
                # The default stands first: a click sets the key, which bars another index.
                sorted(known, key=lambda name, wanted=wanted: name != wanted),
                format_func=lambda name: view.names[name],
                key=_pair_key(view.scope, place),
                bind="query-params",
            )
        )
    if chosen[0] == chosen[1]:
        frame.say("Choose two different ones to compare.")
        return
    values = view.every[chosen].dropna()
    pairs = correlation.matrix(view.every[chosen], method)
    if values.empty:
        frame.say("No model has both.")
        return
    titles = (view.names[chosen[0]], view.names[chosen[1]])
    labels = view.row_names.reindex(values.index)
    kinds = view.row_kinds.reindex(values.index)
    percents = (values * 100).round(1).set_axis(list(titles), axis=1)
    twin = frame.headed(percents, {view.rows[:-1].title(): list(labels)})
    fig = drawing.pair(values, labels, titles, kinds)
    frame.figure(fig, parts.pair_words(view, pairs, chosen), twin, f"corr_pair_{view.scope}")


def show_reference(view: parts.View, method: correlation.Method, reference: str) -> None:
    """What ImageNet, or today the most common benchmark, fails to predict."""
    name = "ImageNet" if reference == parts.REFERENCE else "one benchmark"
    st.subheader(plain(f"What {name} fails to predict"), divider="gray")
    if view.today:
        known = sorted(
            view.every.columns, key=lambda value: (value != reference, view.names[value])
        )
        reference = st.selectbox(
            "Benchmark that is to predict the others",
            known,
            format_func=lambda value: view.names[value],
            key=f"corr_reference_{view.scope}",
            bind="query-params",
        )
    table = view.table.assign(**{reference: view.every[reference]})
    rows = correlation.predicts(table, reference, method)
    words = parts.reference_words(rows, view.names, reference)
    twin = rows.assign(benchmark=rows["benchmark"].map(view.names)).round(2)
    twin.columns = ["Benchmark", "r", "Low", "High", "n models", "Predicted"]
    key = "corr_imagenet" if view.scope == "benchmark" else f"corr_predicts_{view.scope}"
    frame.figure(drawing.predicted(rows, view.names), words, twin, key)
    if view.today:
        return
    frame.say(
        "UniBench says of its own models and protocol: “for many others, specifically 18 of the "
        "53 benchmarks, ImageNet performance is poorly or negatively correlated” (UniBench, "
        "section 4, arXiv 2408.04810). It names no limit for “poorly”, and its benchmarks on "
        "relations and corruption are in no open table, so the two counts stand "
        "side by side and do not compare."
    )


def show_representatives(choice: SidebarState) -> None:
    """UniBench's own choice of one benchmark a group, as printed."""
    st.subheader("UniBench's representatives", divider="gray")
    rows = choice.store.table("representatives")
    available = set(parts.suite_data(choice, "openclip").scores["benchmark"])
    frame.say(
        "Which benchmark stands for its group in UniBench (Tables 2 and 3), with the correlation "
        "as printed. A low one (spatial reasoning 0.29) means that one benchmark does not stand "
        "for its group."
    )
    shown = parts.representatives(rows, available)
    st.dataframe(shown, hide_index=True, key="corr_representatives")


def _pair_key(scope: str, place: int) -> str:
    return f"corr_{'ab'[place]}_{scope}"


def _most_common(view: parts.View) -> list[str]:
    """The two columns that most rows have."""
    counts = view.every.notna().sum()
    return sorted(counts.index, key=lambda name: -counts[name])[:2]


def _take_click(state: object, view: parts.View) -> None:
    """Let a new click choose the pair; an old one must not undo a later choice by hand."""
    points = state["selection"]["points"] if state else []  # type: ignore[index]
    clicked = tuple(points[0]["customdata"]) if points else ()
    seen = f"corr_click_{view.scope}"
    if clicked and clicked != st.session_state.get(seen) and set(clicked) <= set(view.table):
        for place, name in enumerate(clicked):
            st.session_state[_pair_key(view.scope, place)] = name
    st.session_state[seen] = clicked


def ask_what(data: suite.SuiteData, choice: SidebarState) -> str:
    """What is compared; a suite of today has needs instead of types and capabilities.

    A suite with single questions and without scores by benchmark opens with its questions.
    """
    key, first = ("corr_what_today" if data.current else "corr_what"), "benchmark"
    if data.suite != choice.data.suite and items.has(choice.data):
        key, first = "corr_what_items", "items"
    return st.segmented_control(
        "What to compare",
        list(WHAT_TODAY if data.current else WHAT),
        format_func=lambda key: WHAT_TODAY[key] if data.current else WHAT[key],
        default=first,
        required=True,
        key=key,
        bind="query-params",
    )


def ask_least(data: suite.SuiteData) -> int:
    """How many models a benchmark must have to be in the map."""
    mixed = data.suite in LEAST
    return int(
        st.number_input(
            "Fewest models of a benchmark in the map",
            min_value=correlation.LEAST_MODELS,
            max_value=1000,
            value=LEAST.get(data.suite, correlation.LEAST_MODELS),
            step=1,
            key="corr_least_mixed" if mixed else "corr_least",
            bind="query-params",
            help="A correlation needs four models that have both benchmarks.",
        )
    )


def show_tables(choice: SidebarState, data: suite.SuiteData, what: str) -> None:
    """Benchmarks over models, or models over tags: the map, and what follows from it."""
    left, right = st.columns(2)
    method = left.segmented_control(
        "Correlation",
        list(METHODS),
        format_func=lambda key: METHODS[key],
        default="spearman",
        required=True,
        key="corr_method",
        bind="query-params",
        help="Spearman asks whether two rank alike; Pearson whether their values lie on a line.",
    )
    order = items.ask_order(right)
    if what == "model":
        view = parts.model_view(choice)
    else:
        view = parts.benchmark_view(choice, data, what, ask_least(data) if data.current else 0)
    if len(view.table) < correlation.LEAST_MODELS or len(view.table.columns) < 2:
        st.warning(
            f"Only {len(view.table)} {plain(view.rows)} and {len(view.table.columns)} columns "
            "remain; a correlation needs four and two. Widen the filters in the sidebar."
        )
    else:
        if len(view.table) < ordering.FEW:
            st.warning(
                f"Only {len(view.table)} {plain(view.rows)}: with 8, r must exceed 0.71 before "
                "it says more than luck. Take these correlations as hints."
            )
        show_map(view, method, order)
        if what != "model":
            show_clusters(view, method)
        show_pair(view, method)
        if view.reference is not None:
            show_reference(view, method, view.reference)
    if what != "model" and not data.current:
        show_representatives(choice)


with frame.page(
    "Correlation",
    "Helps to decide which benchmarks or models say the same, and which complement each other.",
    counted=False,
) as choice:
    data = controls.benchmark_suite(choice)
    controls.other_suites(data, choice)
    what = ask_what(data, choice)
    if what == "items":
        items.show(choice)
    else:
        show_tables(choice, data, what)
