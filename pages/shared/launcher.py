"""The launch form of the sidebar: from a few choices to a run in a process of its own."""

import ipaddress
import os

import streamlit as st

from evalcore import launch
from evalcore.errors import EvalcoreError
from evalcore.judges import ASKED, JUDGES
from pages.shared.text import plain

FORWARDED = ("X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Forwarded")
MOST = 100_000
RULES = [name for name in JUDGES if name not in ASKED and "similarity" not in name]


def allowed() -> bool:
    """Whether this page may start, stop and change runs.

    A server that only this machine reaches may, unless a proxy stands before it;
    ``EVALCORE_ALLOW_WRITE=1`` says yes, ``0`` says no.
    """
    said = os.environ.get("EVALCORE_ALLOW_WRITE")
    if said is not None:
        return said == "1"
    headers = st.context.headers
    return _loopback(st.get_option("server.address")) and not any(
        name in headers for name in FORWARDED
    )


def form() -> None:
    """Draw the form; starting is one click and the page may be closed afterwards."""
    with st.expander("Evaluate a model", icon=":material/play_circle:"):
        if not allowed():
            st.caption(
                "Starting runs is off: this server can be reached by others. Whoever runs it sets "
                "EVALCORE_ALLOW_WRITE=1 to allow it."
            )
            return
        models = st.multiselect("Models", list(launch.deployments()), key="run_models")
        other = st.text_input(
            "or another",
            key="run_other",
            placeholder="openai:NAME, gemini:NAME, transformers:FOLDER",
        )
        benchmark = st.text_input(
            "Benchmark",
            "easy-vqa",
            key="run_benchmark",
            help="easy-vqa, the path of a file of your own, or NAME=FOLDER.",
        )
        limit = int(st.number_input("Questions", 1, MOST, 500, 100, key="run_limit"))
        judge = st.selectbox("Judge", RULES, key="run_judge")
        blind = st.checkbox("Also without the picture", value=True, key="run_blind")
        st.caption(plain(_expected(limit)))
        chosen = [*models, *([other.strip()] if other.strip() else [])]
        st.button(
            "Start",
            type="primary",
            disabled=not chosen,
            key="run_start",
            on_click=_start,
            args=(chosen, benchmark, limit, judge, blind),
        )
        if problem := st.session_state.get("run_problem"):
            st.error(plain(problem))
        elif st.session_state.get("run_started"):
            st.success("Started. It goes on when you close this page; see Runs.")


def _expected(limit: int) -> str:
    width = launch.half_width(limit)
    return (
        f"With {limit:,} questions a score of 70 % comes out within about {100 * width:.1f} "
        "points (95 %)."
    )


def _start(models: list[str], benchmark: str, limit: int, judge: str, blind: bool) -> None:
    """Check what was asked for, then start; a mistake is said and nothing is started."""
    st.session_state.pop("run_started", None)
    st.session_state.pop("run_problem", None)
    try:
        for planned in launch.plan(models, benchmark, limit=limit, blind=blind):
            launch.start(planned)  # so that Runs shows it at once
    except EvalcoreError as error:
        st.session_state["run_problem"] = str(error)
        return
    named = [part for model in models for part in ("--model", model)]
    command = ["run", *named, "--benchmark", benchmark, "--limit", str(limit), "--judge", judge]
    launch.spawn(command + (["--blind"] if blind else []))
    st.session_state["run_started"] = True


def _loopback(address: str | None) -> bool:
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address or "").is_loopback
    except ValueError:
        return False
