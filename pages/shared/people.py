"""What people say of answers: labels noted on this machine, or those of a file in this session."""

import pandas as pd
import streamlit as st

from evalcore import notes

_FILE = "people_file"


def take(benchmark: str, name: str, labels: pd.DataFrame) -> None:
    """Let a file's labels of a benchmark count instead of those noted here, for this session."""
    st.session_state[_FILE] = benchmark, name, labels


def forget() -> None:
    """Let the labels noted here count again."""
    st.session_state.pop(_FILE, None)


def labels(benchmark: str) -> pd.DataFrame:
    """The labels of a benchmark that count: run, item, rater, label."""
    kept = st.session_state.get(_FILE)
    if kept is None or kept[0] != benchmark:
        return notes.labels(benchmark)
    labels_kept: pd.DataFrame = kept[2]
    return labels_kept


def of_file(benchmark: str) -> str:
    """The name of the file that they are of; empty where they were noted here."""
    kept = st.session_state.get(_FILE)
    return str(kept[1]) if kept is not None and kept[0] == benchmark else ""
