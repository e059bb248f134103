"""Correlation page, models question by question: who is right and wrong on the same questions."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evalcore.analysis import complement, ordering
from evalcore.analysis.by_items import Items
from evalcore.decision.text.phrases import counted
from evalcore.suites import suite
from evalcore.suites.item_results import ItemResults
from evalcore.suites.item_scores import HERE
from pages.shared import agreement, frame, suites
from pages.shared.agreement import Together
from pages.shared.controls import SidebarState
from pages.shared.heat_map import MARK, uncertain
from pages.shared.results import in_session
from pages.shared.text import plain

MEASURES = {"r": "Phi or Pearson", "kappa": "Kappa", "beyond": "Beyond difficulty"}
ORDERS = {"alike": "Alike side by side", "name": "By name"}
DEMO = "demo"
"""The suite of the runs that ship."""
LEAST = 2
"""Models that one can compare."""
SEPARATOR = "\n"
"""Parts the benchmark from the item in the index of ``Items.scores``."""


def has(data: suite.SuiteData) -> bool:
    """Whether two or more of a suite's models were asked single questions here."""
    return data.items is not None and len(data.items.models) >= LEAST


def show(choice: SidebarState) -> None:
    """The view: a map of all pairs, its table, who complement each other, the way to Compare."""
    data = choice.data
    if not has(data) or data.items is None:
        _without(choice)
        return
    benchmark = _ask_benchmark(choice, data.items)
    measure, order = _ask_how()
    models = [model for model in data.items.models if model in choice.shown]
    pairs_together: Together | None = in_session(
        ("pairs", choice.store.version, data.suite, benchmark, tuple(models)),
        lambda: together(data.items, benchmark, models, choice.names),
    )
    if pairs_together is None:
        st.warning(
            plain(
                f"Only {counted(len(models))} with single questions of {benchmark} pass the "
                "sidebar's filters, or they share no question; two have to. Widen the filters."
            )
        )
        return
    frame.say(_about(data, benchmark, pairs_together, len(models)))
    columns = sorted(pairs_together.names, key=lambda name: pairs_together.names[name].lower())
    pairs = agreement.square(pairs_together, measure)
    if order == "alike":
        columns = ordering.side_by_side(pairs.pivot(index="a", columns="b", values="r"))
    sentence = agreement.words(pairs_together, measure)
    frame.figure(
        agreement.pair_map(pairs_together, measure, columns),
        " ".join([*sentence, _marked(pairs)]).strip(),
        agreement.pair_table(pairs_together),
        "corr_items",
    )
    _to_compare(choice, benchmark, pairs_together)


def together(
    items: Items, benchmark: str, models: list[str], names: Mapping[str, str]
) -> Together | None:
    """Compare a suite's models on the questions of a benchmark that they share.

    Args:
        items: The suite's.
        benchmark: One of them.
        models: Those that may take part.
        names: Name on screen of each.

    Returns:
        The pairs; None where no two models share a question.
    """
    places = _places(items, benchmark)
    scores = items.scores[models].iloc[places]
    taken = complement.sharing(scores)
    if len(taken) < LEAST:
        return None
    common = scores[taken].notna().all(axis=1).to_numpy()
    scores = scores.loc[common, taken]
    pairs = complement.pairs(scores, items.cluster[places][common])
    return Together({model: names[model] for model in taken}, scores, pairs)


def _places(items: Items, benchmark: str) -> np.ndarray:
    mine = items.scores.index.str.startswith(benchmark + SEPARATOR)
    return np.flatnonzero(mine)


def _ask_benchmark(choice: SidebarState, items: Items) -> str:
    """Which benchmark's questions; the one with most answers first."""
    known = {key[0] for key in items.places}
    if len(known) == 1:
        return next(iter(known))
    benchmarks = in_session(
        ("answers", choice.store.version, choice.data.suite),
        lambda: {
            name: int(items.scores.iloc[_places(items, name)].count().sum()) for name in known
        },
    )
    names = choice.data.benchmarks.set_index("benchmark")["name"].to_dict()
    return str(
        st.selectbox(
            "Questions of",
            sorted(known, key=lambda name: (-benchmarks[name], name)),
            format_func=lambda name: str(names.get(name, name)),
            key=f"corr_items_of_{choice.data.suite}",
            bind="query-params",
        )
    )


def _ask_how() -> tuple[str, str]:
    left, right = st.columns(2)
    measure = left.segmented_control(
        "How alike",
        list(MEASURES),
        format_func=lambda key: MEASURES[key],
        default="r",
        required=True,
        key="corr_measure",
        bind="query-params",
        help="Phi: the correlation of right and wrong; of grades it is Pearson's. Beyond "
        "difficulty: within questions that equally many of the other models get right.",
    )
    return str(measure), ask_order(right)


def ask_order(place: DeltaGenerator) -> str:
    """In which order rows and columns of a map stand: one of ``ORDERS``."""
    return str(
        place.segmented_control(
            "Order",
            list(ORDERS),
            format_func=lambda key: ORDERS[key],
            default="alike",
            required=True,
            key="corr_order",
            bind="query-params",
        )
    )


def _about(data: suite.SuiteData, benchmark: str, together: Together, passed: int) -> str:
    """What is compared, and who is not."""
    names = data.benchmarks.set_index("benchmark")["name"].to_dict()
    n = int(together.pairs["n"].iloc[0])
    sentence = (
        f"{data.row['name']}: {len(together.names)} of {len(data.models)} models, each question of "
        f"{names.get(benchmark, benchmark)} that all of them have a score for ({n:,}), as in "
        "Figure 4 of the VQA360 paper. Intervals count what shares a picture or source once."
    )
    if passed > len(together.names):
        few = passed - len(together.names)
        sentence += f" {counted(few)} share{'s' * (few == 1)} too few of these questions."
    return sentence


def _marked(pairs: Any) -> str:
    once = pairs[pairs["a"] < pairs["b"]]
    count = int(uncertain(once).sum())
    return f"The interval of {count} of {len(once)} (marked {MARK}) covers 0." if count else ""


def _to_compare(choice: SidebarState, benchmark: str, together: Together) -> None:
    """The way to Compare, with the two that complement each other best."""
    top = together.pairs.iloc[0]
    two = str(top["a"]), str(top["b"])
    asked = in_session(
        ("compare link", choice.store.version, choice.data.suite, benchmark, *two),
        lambda: _asked(choice.store.evidence(benchmark), choice.data, benchmark, two),
    )
    frame.say(
        "Which of them to send which kind of question to, under your limits and at what cost, "
        "stands on Compare, with the differences between the two that get most right together."
    )
    st.page_link(
        "pages/compare.py",
        label="Compare these two" if len(asked) > 1 else "Compare",
        icon=":material/balance:",
        query_params=asked,
    )


def _asked(
    evidence: ItemResults, data: suite.SuiteData, benchmark: str, models: tuple[str, str]
) -> list[tuple[str, str]]:
    """The parameters that open Compare with two models, where one judge scored both."""
    runs = [_entry(evidence, data, benchmark, model) for model in models]
    asked = [("compare_benchmark", benchmark)]
    metrics = {evidence.entries["metric"][run] for run in runs if run is not None}
    if None not in runs and len(metrics) == 1:
        metric, labels = metrics.pop(), evidence.labels()
        asked.append((f"compare_metric_{benchmark}", metric))
        asked += [(f"compare_entries_{benchmark}_{metric}", labels[str(run)]) for run in runs]
    return asked


def _entry(evidence: ItemResults, data: suite.SuiteData, benchmark: str, model: str) -> str | None:
    """The run behind a model's scores: the one whose scores they are."""
    assert data.items is not None
    scores = data.items.scores[model].to_numpy(float)[_places(data.items, benchmark)]
    mine = evidence.entries["model"] == model.removesuffix(HERE)
    for entry in evidence.entries.index[mine]:
        if np.array_equal(evidence.scores[entry].to_numpy(float), scores, equal_nan=True):
            return str(entry)
    return None


def _without(choice: SidebarState) -> None:
    """Say why there is nothing to compare, and where there is."""
    data = choice.data
    alone = data.items is not None
    sentence = (
        f"{data.row['name']}: of one model alone are single questions known, and two are needed. "
        if alone
        else f"{data.row['name']} holds published totals only. To ask whether two models get the "
        "same questions right, as in Figure 4 of the VQA360 paper, takes their answers to single "
        "questions, and those are not published. "
    )
    frame.say(
        sentence
        + "Runs made here have them: run two models on one benchmark (in the sidebar under "
        "Evaluate a model, or by the command evalcore run), then choose the suite of that "
        "benchmark in the sidebar."
    )
    there = suites.names(choice.store)
    if DEMO in there and data.suite != DEMO:
        st.button(
            plain(f"Show {there[DEMO]}, whose runs ship with Sextant"),
            key="corr_items_demo",
            on_click=suites.take,
            args=(DEMO,),
        )
