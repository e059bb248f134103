"""Two parts of the Judges page: a judge replaced by another, and MM-Vet's tables of a run."""

import pandas as pd
import streamlit as st

from evalcore.analysis import bridging, capabilities
from evalcore.analysis.capabilities import CAREFUL
from evalcore.suites import labelled
from evalcore.suites.item_results import ItemResults, Purpose
from pages.parts.judges import judge_tables as parts
from pages.shared import frame
from pages.shared.charts import between, intervals
from pages.shared.controls import SidebarState
from pages.shared.results import Store
from pages.shared.text import plain

ITEMS = "github.com/yuweihao/MM-Vet/releases/download/v2/mm-vet-v2.zip"
ANSWERS = "github.com/yuweihao/MM-Vet, v2/results"
"""Where the authors publish them."""


def bridge(choice: SidebarState) -> None:
    """An old judge beside a new one on the same answers."""
    st.header("Replace a judge", anchor=False)
    evidence = benchmark(choice, "judges_bridge_benchmark", "bridge")
    if evidence is None:
        return
    judges = _in_pairs(evidence.entries)
    if not judges:
        words, command = parts.another_judge(evidence)
        frame.say(words)
        if command:
            st.code(command, language="bash", wrap_lines=True)
        return
    left, right = st.columns(2)
    old = left.selectbox("Old judge", list(judges), key="judges_old", bind="query-params")
    new = right.selectbox("New judge", judges[old], key=f"judges_new_{old}", bind="query-params")
    bridged, run_names = choice.store.once(_bridged, evidence.benchmark, old, new)
    if bridged.models.empty:
        frame.say("No answer was scored by both.")
        return
    runs = labelled.bridged(evidence, old, new)
    if once := labelled.bridged_words(runs):
        frame.say(once)
    for sentence in parts.bridge_words(bridged, old, new):
        frame.say(sentence)
    table = bridged.models
    shown = pd.DataFrame(
        {
            "Model": table["model"],
            "n": table["n"],
            "Old judge, %": (100 * table["old"]).round(1),
            "New judge, %": (100 * table["new"]).round(1),
            "New minus old, points": (100 * table["offset"]).round(1),
            "95 %": intervals(table, "offset_low", "offset_high", how=between),
            "Rank old": table["rank_old"],
            "Rank new": table["rank_new"],
            "Run": table["model"].map(run_names),
        }
    )
    titled("Models under both judges", shown, "judges_bridge", expanded=True)


def _bridged(store: Store, name: str, old: str, new: str) -> tuple[bridging.Bridge, dict[str, str]]:
    """The bridge, and the run of each model in it."""
    answers = labelled.side_by_side(store.evidence(name), old, new)
    runs = answers.drop_duplicates("model")[["model", "run"]].astype(str)
    return bridging.bridge(answers), dict(zip(runs["model"], runs["run"], strict=True))


def _in_pairs(entries: pd.DataFrame) -> dict[str, list[str]]:
    """Judge → those that scored some of the same runs, most runs first; none alone."""
    counts = entries.groupby("metric", sort=False)["run"].nunique()
    counts = counts.sort_values(ascending=False, kind="stable")
    runs = {str(name): set(entries.loc[entries["metric"] == name, "run"]) for name in counts.index}
    pairs = {old: [new for new in runs if new != old and runs[new] & runs[old]] for old in runs}
    return {old: new for old, new in pairs.items() if new}


def mmvet(choice: SidebarState) -> None:
    """MM-Vet's tables of a graded run."""
    st.header("MM-Vet's tables from a graded run", anchor=False)
    fitting = choice.store.once(_with_capabilities)
    if not fitting:
        frame.say(
            "No run of a benchmark whose questions carry capabilities is in the store. MM-Vet v2's "
            f"questions ({ITEMS}) and answers, the authors' ({ANSWERS}) or your own, can be run "
            "and graded:"
        )
        st.code(
            "python -m evalcore run --benchmark mm-vet-v2=FOLDER --model answers:FILE --repeats 5",
            language="bash",
        )
        return
    name = st.selectbox("Benchmark", fitting, key="judges_mmvet_benchmark", bind="query-params")
    evidence = choice.store.evidence(name)
    names = evidence.labels()
    entry = st.selectbox(
        "Run",
        list(names),
        format_func=lambda run: names[run],
        key=f"judges_mmvet_run_{name}",
        bind="query-params",
    )
    verdicts = evidence.grades[evidence.grades["entry"] == entry]
    rows = capabilities.tables(verdicts, evidence.tags, evidence.clusters)
    frame.say(
        "A question counts for each of its capabilities and for one exact set. The paper prints "
        "the spread over judge runs alone; the interval here has the error over questions too. "
        f"{CAREFUL} "
        "Models side by side, by capability, stand on Profiles and Overview, in the suite that is "
        "named after the benchmark."
    )
    titled("Grades", _capability_table(rows), "judges_mmvet", expanded=True)
    shares = capabilities.proportions(evidence.tags)
    shares = shares.assign(share=(100 * shares["share"]).round(1)).set_axis(
        ["Kind", "Of", "Questions", "Share, %"], axis=1
    )
    titled("How many questions need what (the paper's Figure 2)", shares, "judges_shares")


def _capability_table(rows: pd.DataFrame) -> pd.DataFrame:
    """MM-Vet's table of one run, ready to read."""
    kinds = {
        capabilities.CAPABILITY: "Capability",
        capabilities.INTEGRATION: "Exact set",
        capabilities.TOTAL: "Total",
    }
    return pd.DataFrame(
        {
            "Kind": rows["axis"].map(kinds),
            "Of": rows["tag"],
            "n": rows["n"],
            "Grade, %": (100 * rows["value"]).round(1),
            "95 %": intervals(rows),
            "Standard error over questions, points": (100 * rows["se_items"]).round(2),
            "Spread over judge runs, points": (100 * rows["sd_repeats"]).round(2),
            "Judge runs": rows["repeats"],
        }
    )


def _with_capabilities(store: Store) -> list[str]:
    """The benchmarks with runs whose questions carry capabilities."""
    return [
        name
        for name in store.evidence_benchmarks()
        if capabilities.CAPABILITY in set(store.evidence(name).tags["axis"])
    ]


def benchmark(choice: SidebarState, key: str, purpose: Purpose) -> ItemResults | None:
    """Ask for a benchmark of which the store has single answers; None where there is none."""
    known = choice.store.evidence_benchmarks(purpose)
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
