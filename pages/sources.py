"""Sources page: may I trust these numbers?"""

import pandas as pd
import streamlit as st

from pages.shared import frame, source_facts
from pages.shared.charts import intervals, per_cent
from pages.shared.controls import SidebarState
from pages.shared.results import Store
from pages.shared.text import bullets, paragraphs, plain, readable

ALL = "All sources"


def overview(sources: pd.DataFrame, counted: pd.DataFrame, names: pd.Series) -> None:
    """One line a source."""
    about = sources.set_index("source")
    # A dash, not 0: a source without scores has no count of models or tags, and nobody looked for
    # contradictions in all.
    some = counted.astype("Int64").where(counted > 0)
    table = pd.DataFrame(
        {
            "Source": names,
            "Published": about["published"],
            "Who says it": about["relation"],
            "Scores": some["scores"],
            "Models": some["models"],
            "Benchmarks": some["benchmarks"],
            "Tags": some["tags"],
            "Other figures": some["others"],
            "Models described": some["model_facts"],
            "Benchmarks described": some["benchmark_facts"],
            "Contradictions": some["errata"],
            "Licence": about["licence"],
            "Address": about["url"].where(about["url"].str.startswith("https://")),
        }
    )
    frame.say(
        "Press a line, or choose a source above, to read how its intervals come about. A dash: the "
        "store holds no such row of that source."
    )
    st.dataframe(
        table,
        hide_index=True,
        placeholder="–",
        column_config={"Address": st.column_config.LinkColumn(display_text="Open the source")},
        key="src_overview",
        on_select=lambda: _take_row(list(table.index)),
        selection_mode="single-cell",
    )


def _take_row(ids: list[str]) -> None:
    if cells := st.session_state["src_overview"].selection.cells:
        st.session_state["src_source"] = ids[cells[0][0]]


def entry(row: dict[str, str], held: str, lines: list[str] | None) -> None:
    """One source: what it is, what the store holds of it, how its intervals come about."""
    published = row["published"] if pd.notna(row["published"]) else "date not stated"
    licence = row["licence"] if pd.notna(row["licence"]) else "not stated"
    about = [f"{row['relation'].capitalize()}, {published}. Licence: {licence}."]
    if pd.notna(row["note"]):
        about.append(f"{row['note'][:1].upper()}{row['note'][1:]}.")
    with st.container(border=True):
        st.markdown(f"#### {plain(row['title'])}\n\n{paragraphs([*about, held])}", anchors=False)
        if lines is not None:
            st.markdown(f"**Where its intervals come from**\n\n{bullets(lines)}")
        if str(row["url"]).startswith("https://"):
            st.link_button("Open the source", row["url"], icon=":material/open_in_new:")


def errata(rows: pd.DataFrame, titles: pd.Series) -> None:
    """Where the sources disagree with themselves."""
    st.header("Where sources disagree with themselves", anchor=False)
    rows = rows[rows["source"].isin(titles.index)]
    count = "1 place" if len(rows) == 1 else f"{len(rows)} places"
    frame.say(f"{count} found while reading; the last column says what this dashboard uses.")
    names = {
        "topic": "Topic",
        "text_says": "One place says",
        "table_says": "The other says",
        "we_use": "We use",
    }
    for source, title in titles.items():
        part = rows.loc[rows["source"] == source, list(names)].rename(columns=names)
        if len(part):
            with st.expander(plain(f"{title}: {len(part)}"), expanded=len(titles) == 1):
                readable(part)


def judges(rows: pd.DataFrame) -> None:
    """How well the judges agree with people."""
    st.header("Do the judges agree with people?", anchor=False)
    table = pd.DataFrame(
        {
            "Judge": rows["metric"],
            "Sees": rows["variant"].str.removeprefix("sees "),
            "Accuracy, %": rows["accuracy"].map(per_cent),
            "95 % interval": intervals(rows),
            "Kendall's tau x 100": rows["tau"].map(per_cent),
            "Human labels": rows["n"],
            "Printed in": rows["in_paper"].map({True: "paper", False: "authors' own table"}),
            "Note": rows["note"],
        }
    )
    frame.figure(
        source_facts.agreement_chart(rows), source_facts.judge_summary(rows), table, "src_judges"
    )
    frame.say(
        "Accuracy is the share of answers on which the judge and people agree that they are right "
        "or wrong; its intervals are Wilson's. VQA360's scores come from GoEval-mini with "
        "references and image, so a gap of one or two points between models is finer than the "
        "judge itself."
    )


def metrics(table: pd.DataFrame, used: pd.Series) -> None:
    """What the metrics of the chosen sources measure; ``used`` counts the scores of each."""
    table = table[table["metric"].isin(used.index)]
    st.header("What the numbers measure", anchor=False)
    shown = pd.DataFrame(
        {
            "Metric": table["name"],
            "What it is": table["note"],
            "Scores with it": table["metric"].map(used).map("{:,}".format),
            "A share of right answers": table["proportion"].map({True: "yes", False: "no"}),
        }
    )
    readable(shown)


def store(choice: SidebarState) -> None:
    """The store's version, and how to have it again."""
    st.header("The results store", anchor=False)
    built = choice.store.built[:16].replace("T", " ")
    frame.say(f"Version {choice.store.version}, built {built} UTC from the files of this project.")
    frame.say("The same files give the same version anywhere. To build it again:")
    st.code("python -m evalcore build", language="bash")
    st.header("What is missing", anchor=False)
    st.markdown(bullets(source_facts.MISSING))


def what_is_held(store: Store) -> pd.DataFrame:
    """How much the store holds of each source."""
    kept = ("models", "benchmarks", "errata", *source_facts.OTHER_TABLES)
    tables = {name: store.table(name) for name in kept}
    return source_facts.counts(store.table("sources"), store.scores(), tables)


def interval_lines(store: Store, suite: str | None) -> list[str] | None:
    """Where the intervals of a source's suite come from; None if it has no score."""
    if pd.isna(suite) or (data := store.suite(suite)).scores.empty:
        return None
    return source_facts.interval_lines(data)


with frame.page(
    "Sources",
    "Decide whether you may trust these numbers: where each comes from, how its interval comes "
    "about, and where its source contradicts itself.",
    counted=False,
) as choice:
    sources = choice.store.table("sources")
    titles = sources.set_index("source")["title"]
    wanted = st.selectbox(
        "Source",
        [ALL, *sources["source"]],
        format_func=lambda source: ALL if source == ALL else str(titles[source]),
        key="src_source",
        bind="query-params",
    )
    picked = sources if wanted == ALL else sources[sources["source"] == wanted]
    counted = choice.store.once(what_is_held)
    suite_names = choice.store.table("suites").set_index("suite")["name"]
    short = titles.str.split(":").str[0]
    short.update(suite_names)
    if wanted == ALL:
        overview(sources, counted, short)
    else:
        row = picked.iloc[0].to_dict()
        lines = interval_lines(choice.store, row["suite"])
        entry(row, source_facts.held(counted.loc[wanted]), lines)
    validated = choice.store.table("judges")
    validated = validated[validated["source"].isin(picked["source"])]
    if len(validated):
        judges(source_facts.judges(validated))
    errata(choice.store.table("errata"), short[list(picked["source"])])
    scores = choice.store.scores()
    used = scores.loc[scores["source"].isin(picked["source"]), "metric"].value_counts()
    if len(used):
        metrics(choice.store.table("metrics"), used)
    store(choice)
