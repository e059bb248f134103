"""The answers on which a judge and people disagree: a table with a link to each on Samples."""

from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from evalcore.analysis import agreement
from evalcore.suites.item_results import ItemResults
from evalcore.suites.labelled import Labelled, disagreements, first
from pages.shared import frame, samples
from pages.shared.text import plain

SHOWN = 50


def view(joined: Labelled) -> None:
    """List the answers, most judges against people first."""
    rows = disagreements(joined)
    count = len(rows.drop_duplicates(agreement.KEY))
    both = joined.pairs.dropna(subset=["human", "score"])
    labelled = len(both.drop_duplicates(agreement.KEY))
    st.markdown("**" + plain("Answers on which a judge and people disagree") + "**")
    frame.say(
        f"On {count:,} of {labelled:,} labelled answers with a verdict a judge says otherwise than "
        "people" + (f"; the first {SHOWN} are shown, the CSV has all." if count > SHOWN else ".")
    )
    if not count:
        return
    st.dataframe(
        table(joined.evidence, first(rows, SHOWN)),
        hide_index=True,
        placeholder="–",
        column_config={
            "Sample": st.column_config.LinkColumn("Sample", display_text="Open", width="small")
        },
        key="judges_against",
    )
    st.download_button(
        "CSV",
        lambda: frame.to_csv(table(joined.evidence, rows).drop(columns="Sample")),
        file_name="judges_against.csv",
        mime="text/csv",
        key="judges_against_csv",
        on_click="ignore",
    )
    st.caption(
        plain(
            "Judges' replies stand on Samples, where the outcome Judge and person disagree lists "
            "the same items; python -m evalcore agreement --show disagreements prints them."
        )
    )


def table(evidence: ItemResults, rows: pd.DataFrame) -> pd.DataFrame:
    """One row an answer, ready to read: a link, who answered what, labels, each judge's score.

    Args:
        evidence: The benchmark's.
        rows: As from ``disagreements``.
    """
    differing = rows[rows["differs"]].drop_duplicates(agreement.KEY)
    shown = pd.DataFrame(
        {
            "Sample": [
                link(evidence, str(entry), str(item))
                for entry, item in zip(differing["entry"], differing["item"], strict=True)
            ],
            "Model": differing["model"],
            "Item": differing["item"],
            "People say": differing["labels"],
        }
    )
    wide = rows.pivot_table(index=agreement.KEY, columns="metric", values="score", sort=False)
    keys = pd.MultiIndex.from_frame(differing[agreement.KEY])
    for metric in wide.columns:
        shown[f"{metric} gives"] = wide[metric].reindex(keys).to_numpy()
    return shown


def link(evidence: ItemResults, entry: str, item: str) -> str:
    """The address of an item on the Samples page, with one run and judge chosen there."""
    metric = str(evidence.entries.loc[entry, "metric"])
    asked = {
        "samples_of": evidence.benchmark,
        "samples_metric": metric,
        samples.models_key(evidence.benchmark, metric): evidence.labels()[entry],
        "sample": item,
    }
    return f"samples?{urlencode(asked)}"
