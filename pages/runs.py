"""Runs page: what was started here, how far it is, and what came of it."""

import streamlit as st

from evalcore import launch, runs
from evalcore.progress import open_still, read_status, state
from pages.shared import frame, launcher
from pages.shared.run_rows import progress_text, rows
from pages.shared.text import plain

LOG_LINES = 30


def one(run: runs.Run) -> None:
    """A run's progress with what can be done about it."""
    status, now = read_status(run.folder), state(run)
    total = int(run.about["items"])
    with st.container(border=True):
        st.markdown(f"**{plain(run.settings.model)}** on {plain(run.settings.benchmark)}")
        st.progress(min(1.0, status.get("answered", 0) / total), text=progress_text(run))
        if status.get("problem"):
            st.error(plain(status["problem"]))
        if not launcher.allowed():
            return
        if now == "running":
            stop = (run.folder / "cancel").write_text
            st.button("Stop", key=f"stop_{run.id}", on_click=stop, args=("",))
        elif now != "done":
            again = ["resume", run.id, "--retry-failed"]
            st.button("Go on", key=f"go_{run.id}", on_click=launch.spawn, args=(again,))


def live() -> None:
    """The runs that are not done; the page is drawn anew when the last of them ends."""
    listed = [run for run in runs.every() if state(run) != "done"]
    for run in listed:
        one(run)
    if not listed:
        st.caption("No run is open.")
    if st.session_state.get("runs_live") and not any(open_still(run) for run in listed):
        st.session_state["runs_live"] = False
        st.rerun()


with frame.page("Runs", "Start, watch, trust and repeat an evaluation.", strip=False) as choice:
    every = runs.every()
    running = any(open_still(run) for run in every)
    st.session_state["runs_live"] = running
    st.fragment(live, run_every="2s" if running else None)()
    st.header("All runs", anchor=False)
    if every:
        frame.say(f"{len(every)} on this machine or shipped with it, newest first.")
        st.dataframe(rows(every), hide_index=True, placeholder="–", key="runs_all")
    else:
        frame.say("None yet: start one in the sidebar under Evaluate a model.")
    log = launch.log_tail(LOG_LINES)
    if log and launcher.allowed():
        with st.expander("What the last runs said", icon=":material/article:"):
            st.code(log, language=None)
