"""The launch form of the sidebar: from a few choices to a run in a process of its own."""

import ipaddress
import os

import streamlit as st

from evalcore.engine import launch
from evalcore.errors import EvalcoreError
from evalcore.estimate import Forecast
from evalcore.judges import ASKED, JUDGES
from pages.shared import launching
from pages.shared.launching import LaunchRequest
from pages.shared.text import bullets, plain

FORWARDED = ("X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Forwarded")
MOST = 100_000
PRICE = "Dollars per million tokens. Without both prices no cap can be kept."
OWN = "the benchmark's own"
RULES = [name for name in JUDGES if name not in ASKED and "similarity" not in name]
MODELS_HINT = "openai:NAME, gemini:NAME, transformers:FOLDER"
JUDGES_HINT = "openai:NAME, gemini:NAME, openai:NAME@http://host:port/v1"
FORECAST = "run_forecast"
"""In the session: the request that was estimated, and what came of it."""


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
        request = _request()
        width = launch.half_width(request.limit)
        st.caption(
            f"With {request.limit:,} questions a score of 70 % comes out within about "
            f"{100 * width:.1f} points (95 %)."
        )
        ready = bool(request.models)
        with st.container(horizontal=True):
            estimate = st.button("Estimate", key="run_estimate", disabled=not ready)
            st.button(
                "Start",
                type="primary",
                disabled=not ready,
                key="run_start",
                on_click=_start,
                args=(request,),
            )
        if estimate:
            _estimate(request)
        _said(request)


def judge_choice(key: str, *, own: str | None = None) -> tuple[tuple[str, ...], int]:
    """Ask for a judge; one that asks a model also for which, and how often.

    Args:
        key: Begins the widgets' keys.
        own: Words for an empty choice, which gives no judge; None offers none.

    Returns:
        The judges as ``launch.judges_of`` takes them, and the repeats.
    """
    names = [*RULES, *sorted(ASKED)]
    judge = st.selectbox(
        "Judge",
        names if own is None else ["", *names],
        format_func=lambda name: name or str(own),
        key=f"{key}_judge",
        help="A rule compares by itself; goeval and mmvet ask a language model.",
    )
    if judge not in ASKED:
        return ((judge,) if judge else ()), 1
    asked = st.text_input("Model that judges", key=f"{key}_asked", placeholder=JUDGES_HINT)
    repeats = st.number_input(
        "Times each answer is judged",
        1,
        100,
        1,
        key=f"{key}_repeats",
        help="More repeats show how much the judge's word varies; they can be added later.",
    )
    return (f"{judge}={asked.strip()}" if asked.strip() else judge,), int(repeats)


def _request() -> LaunchRequest:
    chosen = st.multiselect("Models", list(launch.deployments()), key="run_models")
    other = st.text_input("or another", key="run_other", placeholder=MODELS_HINT).strip()
    benchmark = st.text_input(
        "Benchmark",
        "easy-vqa",
        key="run_benchmark",
        help="easy-vqa, the path of a file of your own, or NAME=FOLDER.",
    ).strip()
    some, seed = st.columns(2)
    limit = int(some.number_input("Questions", 1, MOST, 500, 100, key="run_limit"))
    drawn = int(
        seed.number_input(
            "Seed", 0, MOST, 0, key="run_seed", help="Another seed draws other questions."
        )
    )
    judges, repeats = judge_choice("run", own=OWN)
    blind = st.checkbox("Also without the picture", value=True, key="run_blind")
    models = (*chosen, *([other] if other else []))
    judges = judges or launching.own_judges(benchmark)
    priced = any(map(launching.calls_api, models))
    return LaunchRequest(
        models=models,
        benchmark=benchmark,
        limit=limit,
        seed=drawn,
        judges=judges,
        repeats=repeats,
        blind=blind,
        options=_money(priced) if priced or launching.asks(judges) else (),
    )


def _money(priced: bool) -> tuple[tuple[str, float], ...]:
    """A cap, and the model's prices without which it cannot be kept; only what was filled in."""
    cap = st.number_input(
        "Spend at most, USD", 0.0, value=None, key="run_cap", placeholder="no cap",
        help="On each run: its model and its judges together.",
    )  # fmt: skip
    if not priced:
        return () if cap is None else (("max_usd", float(cap)),)
    in_, out = st.columns(2)
    prices = (
        in_.number_input("USD, 1 M in", 0.0, value=None, key="run_usd_in", help=PRICE),
        out.number_input("USD, 1 M out", 0.0, value=None, key="run_usd_out", help=PRICE),
    )
    names = ("max_usd", "usd_per_mtok_in", "usd_per_mtok_out")
    filled = zip(names, (cap, *prices), strict=True)
    return tuple((name, float(value)) for name, value in filled if value is not None)


def _estimate(request: LaunchRequest) -> None:
    try:
        with st.spinner("Reading the questions"):
            st.session_state[FORECAST] = request, launching.forecast(request)
    except EvalcoreError as error:
        st.session_state[FORECAST] = request, str(error)


def _start(request: LaunchRequest) -> None:
    """Check what was asked for, then start; a mistake is said and nothing is started."""
    st.session_state.pop(FORECAST, None)
    try:
        st.session_state["run_said"] = request, launching.start(request), False
    except EvalcoreError as error:
        st.session_state["run_said"] = request, str(error), True


def _said(request: LaunchRequest) -> None:
    """What came of the last click, as long as the form still says the same."""
    of, text, wrong = st.session_state.get("run_said", (None, "", False))
    if of == request:
        (st.error if wrong else st.success)(plain(text))
        if not wrong:
            st.page_link("pages/runs.py", label="Runs", icon=":material/directions_run:")
    of, found = st.session_state.get(FORECAST, (None, None))
    if of != request:
        return
    if isinstance(found, str):
        st.error(plain(found))
    else:
        _forecasts(found)


def _forecasts(found: list[Forecast]) -> None:
    for one in found:
        shown = one.shown()
        st.markdown(
            f"**{plain(one.model)}**  \n"
            + plain(f"Time: {shown['time']}. Model: {shown['model cost']}. ")
            + plain(f"Judge: {_calls(one)}{shown['judge cost']}. {one.under_the_cap()}")
        )
    if any(one.seconds.value is None for one in found):
        st.caption("A first run of 20 questions measures what is unknown.")
    with st.popover("Tokens, and where this comes from"):
        for one in found:
            st.markdown(f"**{plain(one.model)}**")
            st.markdown(bullets(one.sentences()))


def _calls(one: Forecast) -> str:
    asked = sum(judging.calls for judging in one.judging)
    return f"{asked:,} calls, " if asked else ""


def _loopback(address: str | None) -> bool:
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address or "").is_loopback
    except ValueError:
        return False
