"""A run's totals for its page, computed once for each state of its files."""

from pathlib import Path

import streamlit as st

from evalcore.engine.runs import Run
from evalcore.engine.totals import Total, totals


def of(run: Run) -> list[Total]:
    """The totals of a run, one a judge."""
    return _totals(str(run.folder), _stamp(run.folder))


@st.cache_data(max_entries=16)
def _totals(folder: str, stamp: tuple[tuple[str, int], ...]) -> list[Total]:
    return totals(Run(Path(folder)))


def _stamp(folder: Path) -> tuple[tuple[str, int], ...]:
    """What changes when an answer or a verdict comes."""
    parts = [
        *folder.glob("predictions*"),
        *folder.glob("predictions/*"),
        *folder.rglob("verdicts/**/*"),
    ]
    found = []
    for path in sorted(set(parts)):
        try:
            found.append((path.name, path.stat().st_size))
        except OSError:  # sealed meanwhile
            continue
    return tuple(found)
