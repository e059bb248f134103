"""Runs page: what was started here, how far it is, and what came of it."""

from collections.abc import Collection

import streamlit as st

from evalcore.engine import progress, runs
from evalcore.engine.progress import RUNNING
from evalcore.engine.run_status import DEMO, look
from pages.parts.runs import details
from pages.shared import frame, launcher

LOG_LINES = 30
CARDS = 8
DONE = ("done", DEMO)
FORMATS = {
    "Answers a second": st.column_config.NumberColumn(format="%.1f"),
    "USD": st.column_config.NumberColumn(format="%.4f"),
}


def newest_first() -> list[runs.Run]:
    """All runs of this machine, then those that ship with it."""
    return sorted(
        runs.every(),
        key=lambda run: (not run.shipped, str(run.about["created"]), run.id),
        reverse=True,
    )


def live() -> None:
    """The runs that are not done; the page is drawn anew when the last ends, or one goes on."""
    by_id = {run.id: run for run in newest_first()}
    seen = {name: look(run) for name, run in by_id.items()}
    going = [now for now in reversed(seen.values()) if now.under_way]
    going.sort(key=lambda now: now.state != RUNNING)  # then the queue, in its order
    ended = [now for now in seen.values() if not now.under_way and now.state not in DONE]
    shown = [*going, *ended[: max(0, CARDS - len(going))]]
    for now in shown:
        details.card(by_id[now.run], now)
    if not shown:
        st.caption("No run is open.")
    elif len(shown) < len(going) + len(ended):
        left = len(going) + len(ended) - len(shown)
        st.caption(f"{left:,} more are open; they stand in the table below.")
    if st.session_state["runs_live"] != bool(going):
        st.session_state["runs_live"] = bool(going)
        st.rerun()  # whether this part moves on by itself is settled when the page is drawn


def one(listed: list[runs.Run], scored: Collection[str]) -> None:
    """Everything about the run that is chosen; the newest at first."""
    known = {run.id: run for run in listed}
    chosen = st.selectbox(
        "Run",
        list(known),
        format_func=lambda name: (
            f"{known[name].settings.model} on {known[name].settings.benchmark}, "
            f"{known[name].about['items']:,} questions, {name.rpartition('--')[2]}"
        ),
        key="run",
        bind="query-params",
    )
    details.details(known[chosen], scored)


with frame.page("Runs", "Start, watch, trust and repeat an evaluation.", counted=False) as choice:
    every = newest_first()
    watched = [look(run) for run in every]
    running = any(now.under_way for now in watched)
    st.session_state["runs_live"] = running
    st.fragment(live, run_every="2s" if running else None)()
    if all(run.shipped for run in every):
        frame.say("No run yet: start one in the sidebar under Evaluate a model.")
    details.problems(choice.store.table("run_problems"))
    if every:
        st.header("One run", anchor=False)
        one(every, choice.store.scored())
        st.header("All runs", anchor=False)
        demos = sum(run.shipped for run in every)
        frame.say(
            f"{len(every) - demos} made on this machine, newest first; then {demos} demo runs that "
            "ship with Sextant."
        )
        table = details.rows(watched)
        st.dataframe(
            table,
            hide_index=True,
            placeholder="–",
            column_config=frame.one_decimal(table) | FORMATS,
            key="runs_all",
        )
    log = progress.process_log(LOG_LINES)
    if log and launcher.allowed():
        with st.expander("What started processes wrote", icon=":material/terminal:"):
            st.code(log, language=None)
