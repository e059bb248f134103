"""Two parts of the Judges page: a judge replaced by another, and MM-Vet's tables of a run."""

import pandas as pd
import streamlit as st

from evalcore.analysis import bridging, capabilities
from evalcore.suites import labelled
from evalcore.suites.evidence import Evidence
from pages.shared import frame
from pages.shared import judges_parts as parts
from pages.shared.controls import Choice
from pages.shared.results import Store
from pages.shared.text import plain


def bridge(choice: Choice) -> None:
    """An old judge beside a new one on the same answers."""
    st.header("Replace a judge", anchor=False)
    evidence = benchmark(choice, "judges_bridge_benchmark")
    if evidence is None:
        return
    counts = evidence.entries.groupby("metric")["run"].nunique().sort_values(ascending=False)
    if len(counts) < 2:
        frame.say(
            "All runs of this benchmark were scored by one judge. Score the same answers with "
            "another one and compare them here:"
        )
        st.code("python -m evalcore judge RUN --judge NAME", language="bash")
        return
    left, right = st.columns(2)
    old = left.selectbox("Old judge", list(counts.index), key="judges_old")
    new = right.selectbox(
        "New judge", [one for one in counts.index if one != old], key=f"judges_new_{old}"
    )
    found = choice.store.once(_bridged, evidence.benchmark, old, new)
    if found.models.empty:
        frame.say("No answer was scored by both.")
        return
    for sentence in parts.bridge_words(found, old, new):
        frame.say(sentence)
    table = found.models
    shown = pd.DataFrame(
        {
            "Model": table["model"],
            "n": table["n"],
            "Old judge, %": (100 * table["old"]).round(1),
            "New judge, %": (100 * table["new"]).round(1),
            "New minus old, points": (100 * table["offset"]).round(1),
            "95 %": [
                parts.interval_text(low, high)
                for low, high in zip(table["offset_low"], table["offset_high"], strict=True)
            ],
            "Rank old": table["rank_old"],
            "Rank new": table["rank_new"],
        }
    )
    titled("Models under both judges", shown, "judges_bridge", expanded=True)


def _bridged(store: Store, name: str, old: str, new: str) -> bridging.Bridge:
    return bridging.bridge(labelled.side_by_side(store.evidence(name), old, new))


def mmvet(choice: Choice) -> None:
    """MM-Vet's tables of a graded run."""
    st.header("MM-Vet's tables from a graded run", anchor=False)
    fitting = choice.store.once(_with_capabilities)
    if not fitting:
        frame.say(
            "No run of a benchmark whose questions carry capabilities is in the store. MM-Vet v2's "
            "questions and answers, published or your own, can be run and graded:"
        )
        st.code(
            "python -m evalcore run --benchmark mm-vet-v2=FOLDER --model answers:FILE --repeats 5",
            language="bash",
        )
        return
    name = st.selectbox("Benchmark", fitting, key="judges_mmvet_benchmark")
    evidence = choice.store.evidence(name)
    names = evidence.labels()
    entry = st.selectbox(
        "Run", list(names), format_func=lambda one: names[one], key=f"judges_mmvet_run_{name}"
    )
    verdicts = evidence.grades[evidence.grades["entry"] == entry]
    rows = capabilities.tables(verdicts, evidence.tags, evidence.clusters)
    frame.say(
        "A question counts for each of its capabilities and for one exact set. The paper prints "
        "the spread over judge runs alone; the interval here has the error over questions too. "
        "Models side by side, by capability, stand on Profiles and Overview, in the suite that is "
        "named after the benchmark."
    )
    titled("Grades", parts.capability_table(rows), "judges_mmvet", expanded=True)
    shares = capabilities.proportions(evidence.tags)
    shares = shares.assign(share=(100 * shares["share"]).round(1)).set_axis(
        ["Kind", "Of", "Questions", "Share, %"], axis=1
    )
    titled("How many questions need what (the paper's Figure 2)", shares, "judges_shares")


def _with_capabilities(store: Store) -> list[str]:
    """The benchmarks with runs whose questions carry capabilities."""
    return [
        name
        for name in store.evidence_benchmarks()
        if capabilities.CAPABILITY in set(store.evidence(name).tags["axis"])
    ]


def benchmark(choice: Choice, key: str) -> Evidence | None:
    """Ask for a benchmark of which the store has single answers; None where there is none."""
    known = choice.store.evidence_benchmarks()
    if not known:
        st.info(
            "No run with single answers is in the store yet. Start one in the sidebar under "
            "Evaluate a model; its answers can then be labelled here."
        )
        return None
    name = st.selectbox("Benchmark", known, key=key, bind="query-params")
    return choice.store.evidence(name)


def titled(title: str, table: pd.DataFrame, key: str, *, expanded: bool = False) -> None:
    """A table under a title of its own; with a CSV to keep where it is expanded."""
    st.markdown(f"**{plain(title)}**")
    if expanded:
        frame.table_twin(table, key, expanded=True)
    else:
        st.dataframe(table, hide_index=True, placeholder="–", key=key)
