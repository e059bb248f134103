"""Correlation page: which benchmarks or models say the same, and which complement each other."""

import pandas as pd
import streamlit as st

from evalcore.analysis import correlation, ordering
from pages.shared import charts_correlation as drawing
from pages.shared import correlation_parts as parts
from pages.shared import frame
from pages.shared.controls import Choice

WHAT = {
    "benchmark": "Benchmarks",
    "type": "Types of benchmark",
    "capability": "Capabilities",
    "model": "Models by their VQA360 profile",
}
METHODS = {"spearman": "Spearman (ranks)", "pearson": "Pearson (values)"}
ORDERS = {"alike": "Alike side by side", "name": "By name"}
FIRST_PAIR = {
    "benchmark": ("imagenet1k", "kitti_distance"),
    "type": ("object recognition", "reasoning"),
    "capability": ("imagenet", "counting"),
    "model": ("gpt-4o-mini", "internvl2-8b"),
}
# With 8 rows r must exceed .71 before its interval leaves 0 out.
WARN_BELOW = 8


def show_map(view: parts.View, method: correlation.Method, order: str) -> pd.DataFrame:
    """The heat map of all pairs; a click on a square opens the pair below."""
    pairs = correlation.matrix(view.table, method)
    if view.what == "model":
        pairs = pairs.assign(low=float("nan"), high=float("nan"))
    alike = order == "alike"
    columns = ordering.cluster_order(view.table, method) if alike else list(view.table.columns)
    if not alike:
        columns = sorted(columns, key=lambda name: view.names[name].lower())
    fig = drawing.heat_map(pairs, columns, view.names, view.rows)
    once = pairs[pairs["a"] < pairs["b"]]
    state = frame.figure(
        fig,
        parts.map_words(once, view),
        parts.pair_table(once, view),
        f"corr_map_{view.what}",
        select=True,
    )
    _take_click(state, view)
    return pairs


def show_pair(view: parts.View, pairs: pd.DataFrame) -> None:
    """Two columns against each other, every row a named point."""
    st.subheader("One pair", divider="gray")
    known = sorted(view.table.columns, key=lambda name: view.names[name].lower())
    chosen = []
    for place, column in enumerate(st.columns(2)):
        wanted = FIRST_PAIR[view.what][place]
        wanted = wanted if wanted in known else known[place]
        chosen.append(
            column.selectbox(
                ("First", "Second")[place],
                # The default stands first: a click sets the key, which bars another index.
                sorted(known, key=lambda name, wanted=wanted: name != wanted),
                format_func=lambda name: view.names[name],
                key=_pair_key(view.what, place),
                bind="query-params",
            )
        )
    if chosen[0] == chosen[1]:
        frame.say("Choose two different ones to compare.")
        return
    values = view.table[chosen].dropna()
    titles = (view.names[chosen[0]], view.names[chosen[1]])
    labels = view.row_names.reindex(values.index)
    kinds = view.row_kinds.reindex(values.index)
    twin = (values * 100).round(1).set_axis(list(titles), axis=1)
    twin.insert(0, view.rows[:-1].title(), list(labels))
    fig = drawing.pair(values, labels, titles, kinds)
    frame.figure(fig, parts.pair_words(view, pairs, chosen), twin, f"corr_pair_{view.what}")


def show_imagenet(view: parts.View, method: correlation.Method) -> None:
    """What ImageNet fails to predict."""
    st.subheader("What ImageNet fails to predict", divider="gray")
    found = correlation.predicts(view.table, parts.REFERENCE, method)
    words = parts.reference_words(found, view.names)
    twin = found.assign(benchmark=found["benchmark"].map(view.names)).round(2)
    twin.columns = ["Benchmark", "r", "Low", "High", "n models", "Predicted"]
    frame.figure(drawing.predicted(found, view.names), words, twin, "corr_imagenet")
    frame.say(
        "UniBench says of its own models and protocol: “for many others, specifically 18 of the "
        "53 benchmarks, ImageNet performance is poorly or negatively correlated” (UniBench, "
        "section 4, arXiv 2408.04810). It names no limit for “poorly”, and its benchmarks on "
        "relations, corruption and pose are not in the open_clip table, so the two counts stand "
        "side by side and do not compare."
    )


def show_representatives(choice: Choice) -> None:
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


def _pair_key(what: str, place: int) -> str:
    return f"corr_{'ab'[place]}_{what}"


def _take_click(state: object, view: parts.View) -> None:
    """Let a new click choose the pair; an old one must not undo a later choice by hand."""
    points = state["selection"]["points"] if state else []  # type: ignore[index]
    clicked = tuple(points[0]["customdata"]) if points else ()
    seen = f"corr_click_{view.what}"
    if clicked and clicked != st.session_state.get(seen) and set(clicked) <= set(view.table):
        for place, name in enumerate(clicked):
            st.session_state[_pair_key(view.what, place)] = name
    st.session_state[seen] = clicked


with frame.page(
    "Correlation",
    "Helps to decide which benchmarks or models say the same, and which complement each other.",
    strip=False,
) as choice:
    what = st.segmented_control(
        "What to compare",
        list(WHAT),
        format_func=lambda key: WHAT[key],
        default="benchmark",
        required=True,
        key="corr_what",
        bind="query-params",
    )
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
    order = right.segmented_control(
        "Order",
        list(ORDERS),
        format_func=lambda key: ORDERS[key],
        default="alike",
        required=True,
        key="corr_order",
        bind="query-params",
    )
    view = parts.model_view(choice) if what == "model" else parts.benchmark_view(choice, what)
    if len(view.table) < correlation.LEAST_MODELS or len(view.table.columns) < 2:
        st.warning(
            f"Only {len(view.table)} {view.rows} and {len(view.table.columns)} columns remain; a "
            "correlation needs four and two. Widen the filters in the sidebar."
        )
    else:
        if len(view.table) < WARN_BELOW:
            st.warning(
                f"Only {len(view.table)} {view.rows}: with 8, r must exceed 0.71 before it says "
                "more than luck. Take these correlations as hints."
            )
        pairs = show_map(view, method, order)
        show_pair(view, pairs)
        if what == "benchmark" and parts.REFERENCE in view.table:
            show_imagenet(view, method)
    if what != "model":
        show_representatives(choice)
