"""The parts of the Runs page: a card for a run that is open, and everything about one run."""

from collections.abc import Callable, Collection

import pandas as pd
import streamlit as st

from evalcore.contrastive import digits
from evalcore.engine import background, money
from evalcore.engine.progress import STARTING
from evalcore.engine.run_status import DAMAGED, DEMO, RunStatus, look
from evalcore.engine.runs import Run
from evalcore.engine.totals import Total
from evalcore.errors import EvalcoreError
from evalcore.judges import ASKED
from evalcore.models import ADAPTERS
from pages.parts.runs import rows, totals
from pages.shared import frame, launcher, launching, links
from pages.shared.controls import PENDING
from pages.shared.text import plain

LOG_LINES = 40


def card(run: Run, now: RunStatus) -> None:
    """A run's progress with what can be done about it."""
    with st.container(border=True):
        st.markdown(f"**{plain(now.model)}** on {plain(now.benchmark)}")
        # The bar's text is Markdown too.
        share = min(1.0, now.answered / max(1, now.questions))
        st.progress(share, text=plain(rows.progress_text(now)))
        if now.problem:
            (st.error if now.state in ("failed", DAMAGED) else st.warning)(plain(now.problem))
        if launcher.allowed():
            _buttons(run, now)
        if problem := st.session_state.get(f"problem_{run.id}"):
            st.error(plain(problem))


def problems(found: pd.DataFrame) -> None:
    """The runs that do not count, or not whole, each with its reason; nothing if there is none.

    Args:
        found: Table ``run_problems`` of the store.
    """
    if found.empty:
        return
    st.header("Runs that do not count, or not whole", anchor=False)
    frame.say(
        "All other runs and results are as ever; 'python -m evalcore doctor' lists these too."
    )
    for run, reason, counts in found[["run", "reason", "counts"]].itertuples(index=False):
        how = "counts in part" if counts else "does not count"
        (st.warning if counts else st.error)(f"**{plain(run)}** {plain(how)}: {plain(reason)}")


def details(run: Run, scored: Collection[str]) -> None:
    """What came of a run, how it was made, and what it said.

    Args:
        run: The run.
        scored: The suites that the store has scores of.
    """
    now = look(run)
    text = rows.progress_text(now)
    frame.say(f"{text[0].upper()}{text[1:]}.")
    try:
        found = totals.of(run)
    except EvalcoreError as error:
        found = []
        st.error(plain(str(error)))
    if found:
        _totals(run, found)
    else:
        frame.say("No answer is judged yet.")
    st.caption(plain(rows.made_with(now)))
    if run.shipped:
        st.caption("A demo run that ships with Sextant: it was not made here and is only read.")
    suite = DEMO if run.shipped else now.benchmark
    study = _study(run)
    if study.partition("/")[0] in scored:
        _see(run, "Digits", links.STUDY, study)
    elif suite in scored and found and not study:
        _see(run, "Profiles", "suite", suite)
    # A contrastive model's answers are scored as they are made: nobody judges them again.
    if launcher.allowed() and not run.shipped and run.settings.adapter in ADAPTERS:
        if not now.under_way:
            _judge_again(run)
        _log(run)


def _study(run: Run) -> str:
    """The digit study that a run is of; empty where it is of none."""
    settings = run.settings
    if not str(settings.options.get("prompts", "")).startswith(digits.PREFIX):
        return ""
    return digits.study_key(
        digits.DEMO if run.shipped else digits.STUDY, settings.model, settings.benchmark
    )


def _see(run: Run, page: str, key: str, value: str) -> None:
    """A button that opens a page at what this run counts for."""
    if st.button(f"See it on {plain(page)}", key=f"see_{run.id}"):
        st.session_state[PENDING] = {key: value}
        # Unasked Streamlit empties the address, and refuses where controls are bound to it.
        st.switch_page(f"pages/{page.lower()}.py", query_params={})


def _totals(run: Run, found: list[Total]) -> None:
    table = rows.total_rows(found)
    st.dataframe(
        table,
        hide_index=True,
        placeholder="–",
        column_config=frame.one_decimal(table) | {"Judge": st.column_config.Column(width="medium")},
        key=f"totals_{run.id}",
    )
    for one in found:
        for sentence in (rows.missing(one), rows.noise(one)):
            if sentence:
                frame.say(sentence)


def _buttons(run: Run, now: RunStatus) -> None:
    """Stop what goes, go on with what does not."""
    if now.state == STARTING:
        st.caption("A process is being started.")
        return
    if now.under_way:
        asked = background.asked_to_stop(run)
        if asked:
            st.caption("Stopping: the calls under way are paid and are waited for.")
        st.button(
            "Stop at once" if asked else "Stop",
            key=f"stop_{run.id}",
            on_click=_do,
            args=(run, background.cancel, run),
        )
        return
    cap = _cap(run)
    with st.container(horizontal=True):
        if now.answered < now.questions or now.state != "partly failed":
            st.button(
                "Go on", key=f"go_{run.id}", on_click=_do, args=(run, launching.go_on, run, cap)
            )
        if now.failed:
            st.button(
                f"Retry {now.failed:,} failed",
                key=f"retry_{run.id}",
                on_click=_do,
                args=(run, launching.go_on, run, cap),
                kwargs={"retry_failed": True},
            )


def _do(run: Run, action: Callable[..., None], *args: object, **more: object) -> None:
    """Do what a click asks for; what cannot be done is said at the run."""
    st.session_state.pop(f"problem_{run.id}", None)
    try:
        action(*args, **more)
    except EvalcoreError as error:
        st.session_state[f"problem_{run.id}"] = str(error)


def _cap(run: Run) -> float | None:
    """The spend cap to go on with; only asked where money is spent, by the model or a judge."""
    if not (launching.has_prices(run) or launching.asks(run.judge_specs()[0])):
        return None
    held = money.cap_usd(run)
    return st.number_input(
        "Spend at most, USD, on all of the run",
        0.0,
        value=None if held is None else float(held),
        key=f"cap_{run.id}",
        placeholder="no cap",
    )


def _judge_again(run: Run) -> None:
    with st.expander("Judge again", icon=":material/gavel:"):
        st.caption("Another judge, or more repeats, on the answers that are there.")
        judges, repeats = launcher.judge_choice(f"again_{run.id}")
        st.button("Judge", key=f"judge_{run.id}", on_click=_judge, args=(run, judges, repeats))
        if problem := st.session_state.get(f"again_problem_{run.id}"):
            st.error(plain(problem))
        own, _ = run.judge_specs()
        if any(judge.partition("=")[0] in ASKED for judge in own):
            st.caption(plain(f"Judged so far with {', '.join(own)}."))


def _judge(run: Run, judges: tuple[str, ...], repeats: int) -> None:
    st.session_state.pop(f"again_problem_{run.id}", None)
    try:
        launching.judge_again(run, judges, repeats)
    except EvalcoreError as error:
        st.session_state[f"again_problem_{run.id}"] = str(error)


def _log(run: Run) -> None:
    text = background.run_log(run, LOG_LINES)
    if text:
        with st.expander("Log", icon=":material/article:"):
            st.code(text, language=None)
