"""The parts of the Runs page: a card for a run that is open, and everything about one run."""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from evalcore.contrastive import digits
from evalcore.decision.text.phrases import counted
from evalcore.engine import budget, launch, progress
from evalcore.engine.progress import RUNNING, STARTING
from evalcore.engine.run_status import DAMAGED, DEMO, RunStatus, Total, look, totals
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError
from evalcore.estimate.amounts import duration, is_api, rounded
from evalcore.judges import ASKED
from evalcore.models import ADAPTERS
from pages.shared import frame, launcher, links
from pages.shared.controls import PENDING
from pages.shared.text import plain

BOUNDS = ("If missing are wrong, %", "If missing are right, %")
REPEATS = ("Repeats", "Spread over repeats, points")
LOG_LINES = 40


def card(run: Run, now: RunStatus) -> None:
    """A run's progress with what can be done about it."""
    with st.container(border=True):
        st.markdown(f"**{plain(now.model)}** on {plain(now.benchmark)}")
        # The bar's text is Markdown too.
        share = min(1.0, now.answered / max(1, now.questions))
        st.progress(share, text=plain(progress_text(now)))
        if now.problem:
            (st.error if now.state in ("failed", DAMAGED) else st.warning)(plain(now.problem))
        if launcher.allowed():
            _buttons(run, now)
        if problem := st.session_state.get(f"problem_{run.id}"):
            st.error(plain(problem))


def problems(table: pd.DataFrame) -> None:
    """The runs that do not count, or not whole, each with its reason; nothing if there is none.

    Args:
        table: Table ``run_problems`` of the store.
    """
    if table.empty:
        return
    st.header("Runs that do not count, or not whole", anchor=False)
    frame.say(
        "All other runs and results are as ever; 'python -m evalcore doctor' lists these too."
    )
    for run, reason, counts in table[["run", "reason", "counts"]].itertuples(index=False):
        how = "counts in part" if counts else "does not count"
        (st.warning if counts else st.error)(f"**{plain(run)}** {plain(how)}: {plain(reason)}")


def details(run: Run, scored: Collection[str]) -> None:
    """What came of a run, how it was made, and what it said.

    Args:
        run: The run.
        scored: The suites that the store has scores of.
    """
    now = look(run)
    text = progress_text(now)
    frame.say(f"{text[0].upper()}{text[1:]}.")
    try:
        run_totals = _totals(str(run.folder), _stamp(run.folder))
    except EvalcoreError as error:
        run_totals = []
        st.error(plain(str(error)))
    if run_totals:
        _draw_totals(run, run_totals)
    else:
        frame.say("No answer is judged yet.")
    st.caption(plain(settings_text(now)))
    if run.shipped:
        st.caption("A demo run that ships with Sextant: it was not made here and is only read.")
    suite = DEMO if run.shipped else now.benchmark
    study = _study(run)
    if study.partition("/")[0] in scored:
        _see(run, "Digits", links.STUDY, study)
    elif suite in scored and run_totals and not study:
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


def _draw_totals(run: Run, run_totals: list[Total]) -> None:
    table = total_rows(run_totals)
    st.dataframe(
        table,
        hide_index=True,
        placeholder="–",
        column_config=frame.one_decimal(table) | {"Judge": st.column_config.Column(width="medium")},
        key=f"totals_{run.id}",
    )
    for total in run_totals:
        for sentence in (missing(total), noise(total)):
            if sentence:
                frame.say(sentence)


def _buttons(run: Run, now: RunStatus) -> None:
    """Stop what goes, go on with what does not."""
    if now.state == STARTING:
        st.caption("A process is being started.")
        return
    if now.under_way:
        asked = progress.asked_to_stop(run)
        if asked:
            st.caption("Stopping: the calls under way are paid and are waited for.")
        st.button(
            "Stop at once" if asked else "Stop",
            key=f"stop_{run.id}",
            on_click=_do,
            args=(run, progress.cancel, run),
        )
        return
    cap = _cap(run)
    with st.container(horizontal=True):
        if now.answered < now.questions or now.state != "partly failed":
            st.button("Go on", key=f"go_{run.id}", on_click=_do, args=(run, _go_on, run, cap))
        if now.failed:
            st.button(
                f"Retry {now.failed:,} failed",
                key=f"retry_{run.id}",
                on_click=_do,
                args=(run, _go_on, run, cap),
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
    if not (_has_prices(run) or launcher.asks_a_model(run.judge_specs()[0])):
        return None
    held = budget.cap_usd(run)
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
        _start_judging(run, judges, repeats)
    except EvalcoreError as error:
        st.session_state[f"again_problem_{run.id}"] = str(error)


def _has_prices(run: Run) -> bool:
    """Whether money is spent on the run's model by prices that are known."""
    options = run.settings.options
    known = all(options.get(name) is not None for name in ("usd_per_mtok_in", "usd_per_mtok_out"))
    return known and is_api(run.settings.adapter)


def _go_on(run: Run, max_usd: float | None = None, *, retry_failed: bool = False) -> None:
    """Go on with a run and its own judges; with ``retry_failed`` also where it failed."""
    more = [] if max_usd is None else ["--max-usd", str(max_usd)]
    progress.detach([run], [*more, "--retry-failed"] if retry_failed else more)


def _start_judging(run: Run, judges: Sequence[str], repeats: int) -> None:
    """Have a run's answers judged, without asking its model.

    Raises:
        EvalcoreError: A judge cannot be used; nothing is started.
    """
    launch.judges_of(judges)
    named = [part for judge in judges for part in ("--judge", judge)]
    progress.detach([run], [*named, "--repeats", str(repeats)], "judge")


def _log(run: Run) -> None:
    text = progress.run_log(run, LOG_LINES)
    if text:
        with st.expander("Log", icon=":material/article:"):
            st.code(text, language=None)


def rows(watched: Sequence[RunStatus]) -> pd.DataFrame:
    """One row a run, in the order given, names as on screen; what is unknown is missing."""
    return pd.DataFrame([_row(status) for status in watched])


def progress_text(status: RunStatus) -> str:
    """How far a run is, in words."""
    parts = [f"{status.state}: {status.answered:,} of {status.questions:,} answered"]
    parts += [f"{status.verdicts:,} verdicts"] if status.verdicts else []
    if status.failed and status.error_rate is not None:
        parts.append(f"{status.failed:,} failed ({100 * status.error_rate:.1f} %)")
    if status.cut_off:
        parts.append(f"{status.cut_off:,} cut off at their limit of tokens")
    if status.unparsed and status.unparsed_rate is not None:
        parts.append(f"{status.unparsed:,} with no score ({100 * status.unparsed_rate:.1f} %)")
    if status.per_second:
        parts.append(f"{rounded(status.per_second)} a second")
    if status.left_s is not None and status.state == RUNNING:
        parts.append(f"about {duration(status.left_s)} left")
    parts += [f"{rounded(status.usd)} USD"] if status.usd else []
    return ", ".join(parts)


def settings_text(status: RunStatus) -> str:
    """On what a run was made and how, in a sentence."""
    precision = f", {status.precision}" if status.precision else ""
    return (
        f"Made on {status.device}{precision}, seed {status.seed}, code {status.code}, begun "
        f"{_minute(status.created)} UTC."
    )


def total_rows(totals: Sequence[Total]) -> pd.DataFrame:
    """One row a judge: score and interval; what is missing or repeated, where anything is."""
    table = pd.DataFrame([_total(total) for total in totals])
    if all(total.whole for total in totals):
        table = table.drop(columns=["of", *BOUNDS])
    return table if any(total.repeats > 1 for total in totals) else table.drop(columns=[*REPEATS])


def missing(total: Total) -> str:
    """What a total lacks and how far it could move; empty if nothing is missing."""
    if total.whole:
        return ""
    open_ = total.of - total.scored - total.failed - total.unread
    parts = [
        f"{counted(count, 'question')} {what}"
        for count, what in (
            (total.failed, "got no answer"),
            (total.unread, "got an answer without a score"),
            (open_, "not asked yet"),
        )
        if count
    ]
    return (
        f"{total.judge}: {total.scored:,} of {total.of:,} scored; {', '.join(parts)}. With all of "
        f"them wrong the score is {100 * total.least:.1f} %, with all right "
        f"{100 * total.most:.1f} %."
    )


def noise(total: Total) -> str:
    """How much a judge's word varies; empty where it was asked once."""
    if total.repeat_sd is None:
        return ""
    mean = 100 * sum(total.repeat_means) / len(total.repeat_means)
    return (
        f"{total.judge}: over {total.repeats} repeats the total is {mean:.1f} % on average with a "
        f"standard deviation of {100 * total.repeat_sd:.2f} points. That is the judge's own noise; "
        "the interval is about the choice of questions."
    )


def _total(total: Total) -> dict[str, object]:
    bounds = (_percent(total.least), _percent(total.most))
    repeats = (total.repeats, _percent(total.repeat_sd))
    return {
        "Judge": total.judge,
        "Score, %": _percent(total.value),
        "95 % from, %": _percent(total.low),
        "to, %": _percent(total.high),
        "Questions scored": total.scored,
        "of": total.of,
        **dict(zip(BOUNDS, bounds, strict=True)),
        **dict(zip(REPEATS, repeats, strict=True)),
    }


def _row(status: RunStatus) -> dict[str, object]:
    return {
        "Model": status.model,
        "Benchmark": status.benchmark,
        "State": status.state,
        "Questions": status.questions,
        "Answered": status.answered,
        "Failed, %": _percent(status.error_rate),
        "No score, %": _percent(status.unparsed_rate),
        "Answers a second": status.per_second,
        "USD": status.usd,
        "Device": status.device,
        "Precision": status.precision,
        "Began": _minute(status.created),
        "Run": status.run,
    }


def _percent(fraction: float | None) -> float | None:
    return None if fraction is None else 100 * fraction


def _minute(moment: str) -> str:
    return moment[:16].replace("T", " ")


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
    sizes = []
    for path in sorted(set(parts)):
        try:
            sizes.append((path.name, path.stat().st_size))
        except OSError:  # sealed meanwhile
            continue
    return tuple(sizes)
