"""The launch form of the sidebar: from a few choices to a run in a process of its own."""

import ipaddress
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from evalcore import estimate
from evalcore.engine import launch, progress
from evalcore.engine.progress import open_still
from evalcore.errors import EvalcoreError
from evalcore.estimate import Forecast
from evalcore.estimate.amounts import is_api
from evalcore.judges import ASKED, JUDGES
from pages.shared.text import bullets, plain

FORWARDED = ("X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Forwarded")
MOST = 100_000
PRICE = "Dollars per million tokens. Without both prices no cap can be kept."
OWN = "the benchmark's own"
RULES = [name for name, row in JUDGES.items() if not row.asks and not row.secondary]
MODELS_HINT = "openai:NAME, gemini:NAME, transformers:FOLDER"
JUDGES_HINT = "openai:NAME, gemini:NAME, openai:NAME@http://host:port/v1"
FORECAST = "run_forecast"
"""In the session: the request that was estimated, and what came of it."""


@dataclass(frozen=True)
class LaunchRequest:
    """Runs that somebody would like to have, in the words of the form."""

    models: tuple[str, ...]
    benchmark: str
    limit: int
    seed: int
    judges: tuple[str, ...]
    """As ``launch.judges_of`` takes them."""
    repeats: int
    blind: bool
    options: tuple[tuple[str, float], ...] = ()
    """Cap and prices that were filled in."""

    def plans(self) -> list[launch.Plan]:
        """The runs, with their questions loaded and checked."""
        return launch.plan(
            self.models,
            self.benchmark,
            limit=self.limit,
            seed=self.seed,
            blind=self.blind,
            options=dict(self.options),
        )


def allowed() -> bool:
    """Whether this page may start, stop and change runs.

    A server that only this machine reaches may, unless a proxy stands before it;
    ``EVALCORE_ALLOW_WRITE=1`` says yes, ``0`` says no.
    """
    setting = os.environ.get("EVALCORE_ALLOW_WRITE")
    if setting is not None:
        return setting == "1"
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
            estimating = st.button("Estimate", key="run_estimate", disabled=not ready)
            st.button(
                "Start",
                type="primary",
                disabled=not ready,
                key="run_start",
                on_click=_start,
                args=(request,),
            )
        if estimating:
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
    judges = judges or _own_judges(benchmark)
    priced = any(map(_calls_api, models))
    return LaunchRequest(
        models=models,
        benchmark=benchmark,
        limit=limit,
        seed=drawn,
        judges=judges,
        repeats=repeats,
        blind=blind,
        options=_money(priced) if priced or asks_a_model(judges) else (),
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
            st.session_state[FORECAST] = request, _forecast(request)
    except EvalcoreError as error:
        st.session_state[FORECAST] = request, str(error)


def _start(request: LaunchRequest) -> None:
    """Check what was asked for, then start; a mistake is said and nothing is started."""
    st.session_state.pop(FORECAST, None)
    try:
        st.session_state["run_said"] = request, _begin(request), False
    except EvalcoreError as error:
        st.session_state["run_said"] = request, str(error), True


def _said(request: LaunchRequest) -> None:
    """What came of the last click, as long as the form still says the same."""
    of, text, wrong = st.session_state.get("run_said", (None, "", False))
    if of == request:
        (st.error if wrong else st.success)(plain(text))
        if not wrong:
            st.page_link("pages/runs.py", label="Runs", icon=":material/directions_run:")
    of, forecasts = st.session_state.get(FORECAST, (None, None))
    if of != request:
        return
    if isinstance(forecasts, str):
        st.error(plain(forecasts))
    else:
        _forecasts(forecasts)


def _forecasts(forecasts: list[Forecast]) -> None:
    for forecast in forecasts:
        shown = forecast.shown()
        st.markdown(
            f"**{plain(forecast.model)}**  \n"
            + plain(f"Time: {shown['time']}. Model: {shown['model cost']}. ")
            + plain(f"Judge: {_calls(forecast)}{shown['judge cost']}. {forecast.under_the_cap()}")
        )
    if any(forecast.seconds.value is None for forecast in forecasts):
        st.caption("A first run of 20 questions measures what is unknown.")
    with st.popover("Tokens, and where this comes from"):
        for forecast in forecasts:
            st.markdown(f"**{plain(forecast.model)}**")
            st.markdown(bullets(forecast.sentences()))


def _calls(forecast: Forecast) -> str:
    asked = sum(judging.calls for judging in forecast.judging)
    return f"{asked:,} calls, " if asked else ""


def _own_judges(benchmark: str) -> tuple[str, ...]:
    """The judges of a benchmark; none while its name makes no sense."""
    try:
        return launch.default_judges(launch.benchmark_of(benchmark)[2])
    except EvalcoreError:
        return ()


def _calls_api(model: str) -> bool:
    """Whether a model costs money a call; not while its name makes no sense."""
    try:
        return is_api(launch.deployment_of(model).adapter)
    except EvalcoreError:
        return False


def asks_a_model(judges: Sequence[str]) -> bool:
    """Whether one of these judges asks a model."""
    return any("=" in judge for judge in judges)


def _forecast(request: LaunchRequest) -> list[estimate.Forecast]:
    """What each run will take.

    Raises:
        EvalcoreError: Something that was asked for cannot be used.
    """
    launch.judges_of(request.judges)
    return [estimate.of(plan, request.judges, request.repeats) for plan in request.plans()]


def _begin(request: LaunchRequest) -> str:
    """Start the runs that are not under way, one after the other in one process.

    Returns:
        What was done, in a sentence.

    Raises:
        EvalcoreError: Something that was asked for cannot be used; nothing is started.
    """
    judges = launch.judges_of(request.judges)
    plans = request.plans()
    for plan in plans:
        launch.check(plan, judges)
    runs = [launch.start(plan) for plan in plans]
    fresh = [run for run in runs if not open_still(run)]
    if not fresh:
        return "This is under way already; see Runs."
    for run in fresh:
        run.remember_judges(request.judges, request.repeats)
    more = [
        part
        for name, value in request.options
        for part in ("--option", f"{name}={json.dumps(value)}")
    ]
    progress.detach(fresh, more)
    return "Started. It goes on when you close this page; see Runs."


def _loopback(address: str | None) -> bool:
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address or "").is_loopback
    except ValueError:
        return False
