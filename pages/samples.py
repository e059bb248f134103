"""Samples page: the questions behind the scores, and what models and judges said to each."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from evalcore import notes
from evalcore.suites.item_results import ItemResults
from pages.parts.samples.filters import ANY, FLAGS, OUTCOMES, Filter, masks, rows_shown, score_rows
from pages.shared import frame, links, people, samples
from pages.shared.results import Store
from pages.shared.text import plain

PAGE = 24
NUMBER, SELECTION = "samples_page", "samples_selection"
"""The page of the list, which stands in the address, and what it is a page of."""
MOST_MODELS = 8
"""Chosen at first: a pattern over more models is rarely what one looks for."""
DEMO = (
    "Runs marked (demo) ship with Sextant and show how the page works; they were not made here, "
    "and their toy models say nothing about models of use."
)


def _evidence(store: Store, names: list[str]) -> ItemResults:
    benchmark = st.selectbox(
        "Benchmark",
        names,
        key="samples_of",
        bind="query-params",
        on_change=samples.open_item,  # the open one is of the former benchmark
        args=("",),
    )
    return store.evidence(benchmark)


def _entries(evidence: ItemResults, names: Mapping[str, str]) -> tuple[str, ...]:
    metric = st.selectbox(
        "Judged by", evidence.metrics(), key="samples_metric", bind="query-params"
    )
    fitting = list(evidence.entries.index[evidence.entries["metric"] == metric])
    chosen = st.multiselect(
        "Models",
        fitting,
        default=fitting[:MOST_MODELS],
        format_func=lambda entry: names[entry],
        key=samples.models_key(evidence.benchmark, metric),
        bind="query-params",
    )
    shown = tuple(chosen or fitting[:MOST_MODELS])
    if len(shown) < len(fitting):
        st.caption(f"{len(shown)} of {len(fitting)} runs; choose others above.")
    return shown


def _filter(evidence: ItemResults, entries: tuple[str, ...], names: Mapping[str, str]) -> Filter:
    metric = evidence.entries["metric"][entries[0]]
    anyone = [ANY, *entries]
    left, middle, right = st.columns(3)
    outcome = left.selectbox("Outcome", OUTCOMES, key="samples_outcome", bind="query-params")
    only = middle.selectbox(
        "Only one that is right",
        anyone,
        format_func=lambda entry: names.get(entry, entry),
        key=links.possible(f"samples_only_{evidence.benchmark}_{metric}", anyone),
        bind="query-params",
    )
    flags = right.selectbox("Flags", FLAGS, key="samples_flags", bind="query-params")
    tags = {}
    for place, (axis, known) in enumerate(evidence.tag_names().items()):
        if place % 3 == 0:
            columns = st.columns(3)
        tags[axis] = columns[place % 3].multiselect(
            plain(axis.replace("_", " ").capitalize()),
            known,
            key=f"samples_tag_{evidence.benchmark}_{axis}",
            bind="query-params",
            placeholder="All",
        )
    return Filter(entries, outcome, None if only == ANY else only, tags, flags)


def _counts(evidence: ItemResults, patterns: Mapping[str, pd.Series]) -> None:
    """How many items each facet has."""
    with st.expander("How many items each facet has", icon=":material/filter_list:"):
        outcomes = pd.DataFrame(
            [("Outcome", name, int(mask.sum())) for name, mask in patterns.items() if name != ANY],
            columns=["Facet", "Value", "Items"],
        )
        there = patterns[ANY].to_numpy()
        counted = pd.DataFrame(
            [
                (axis, tag, int(there[evidence.tagged(axis, tag)].sum()))
                for axis, tags in evidence.tag_names().items()
                for tag in tags
            ],
            columns=["Facet", "Value", "Items"],
        )
        st.dataframe(
            pd.concat([outcomes, counted]), hide_index=True, key="samples_counts", placeholder="–"
        )
        st.caption(
            "A graded score of 0.5 or more counts as right. Models that lack a score on an "
            "item make it neither right nor wrong for all."
        )


def _scores(
    evidence: ItemResults, entries: tuple[str, ...], flagged: set[str], names: Mapping[str, str]
) -> None:
    """What flags change."""
    st.subheader("Scores with and without flagged items", anchor=False)
    held = len(flagged & set(evidence.items.index))
    frame.say(
        f"{held} of {len(evidence.items):,} items flagged. Intervals are 95 %, over questions; "
        "those that share a picture count as one cluster."
        if held
        else "No item is flagged; open one and flag it to see what that changes."
    )
    table = score_rows(evidence, entries, flagged, names)
    st.dataframe(
        table,
        hide_index=True,
        placeholder="–",
        column_config=frame.one_decimal(table),
        key="samples_scores",
    )


def _first_page_of_another(evidence: ItemResults, listed: list[str]) -> None:
    """Go back to the first page where another selection than before is listed."""
    selection = (evidence.benchmark, hash(tuple(listed)))
    if st.session_state.setdefault(SELECTION, selection) != selection:
        st.session_state[SELECTION], st.session_state[NUMBER] = selection, 1


def _listed(evidence: ItemResults, listed: list[str], entries: tuple[str, ...]) -> None:
    """A page of the items that are left."""
    if not listed:
        st.info("No item fits. Choose fewer filters.")
        return
    pages = -(-len(listed) // PAGE)
    number = 1
    if pages > 1:
        number = st.pagination(pages, key=NUMBER, bind="query-params", persist_state="session")
    samples.grid(evidence, listed[(number - 1) * PAGE : number * PAGE], entries)


def _page(store: Store, names: list[str]) -> None:
    evidence = _evidence(store, names)
    labels = evidence.labels()
    entries = _entries(evidence, labels)
    if evidence.entries.loc[list(entries), "demo"].any():
        st.info(DEMO, icon=":material/science:")
    asked = _filter(evidence, entries, labels)
    left, right = st.columns([2, 1])
    text = left.text_input(
        "Find in questions, references and answers", key="samples_text", bind="query-params"
    ).strip()
    sample = right.text_input(
        "Open item", key=samples.SAMPLE, bind="query-params", help="The id of an item."
    )
    patterns = masks(evidence, entries, people.labels(evidence.benchmark))
    if file := people.of_file(evidence.benchmark):
        st.caption(plain(f"What people say is taken from {file}, as uploaded on Judges."))
    flagged = notes.flags(evidence.benchmark)
    containing = store.evidence_containing(evidence.benchmark, text) if text else None
    listed = rows_shown(evidence, asked, patterns, flagged, containing)
    _first_page_of_another(evidence, listed)
    frame.say(f"{len(listed):,} of {int(patterns[ANY].sum()):,} items.")
    if sample in evidence.items.index:
        samples.steps(listed, sample)
        samples.detail(store, evidence, sample, entries, labels)
        with st.popover("Link", icon=":material/link:"):
            metric = str(evidence.entries["metric"][entries[0]])
            here = frame.link(samples_of=evidence.benchmark, samples_metric=metric)
            st.code(here, language=None, wrap_lines=True)
    else:
        if sample:
            st.warning("There is no item of that id in this benchmark.")
        _counts(evidence, patterns)
        _listed(evidence, listed, entries)
    samples.exports(evidence, listed, entries)
    _scores(evidence, entries, flagged, labels)


with frame.page(
    "Samples", "Read the questions behind the scores: do you believe them?", counted=False
) as choice:
    benchmarks = choice.store.evidence_benchmarks()
    if benchmarks:
        _page(choice.store, benchmarks)
    else:
        frame.say("No run's items are in the store yet: start a run under Evaluate a model.")
