"""Runs and their totals as rows and words."""

from collections.abc import Sequence

import pandas as pd

from evalcore.decision.text.phrases import counted
from evalcore.engine.progress import RUNNING
from evalcore.engine.run_status import RunStatus
from evalcore.engine.totals import Total
from evalcore.estimate.amounts import duration, rounded

BOUNDS = ("If missing are wrong, %", "If missing are right, %")
REPEATS = ("Repeats", "Spread over repeats, points")


def rows(watched: Sequence[RunStatus]) -> pd.DataFrame:
    """One row a run, in the order given, names as on screen; what is unknown is missing."""
    return pd.DataFrame([_row(one) for one in watched])


def progress_text(one: RunStatus) -> str:
    """How far a run is, in words."""
    parts = [f"{one.state}: {one.answered:,} of {one.questions:,} answered"]
    parts += [f"{one.verdicts:,} verdicts"] if one.verdicts else []
    if one.failed and one.error_rate is not None:
        parts.append(f"{one.failed:,} failed ({100 * one.error_rate:.1f} %)")
    if one.cut_off:
        parts.append(f"{one.cut_off:,} cut off at their limit of tokens")
    if one.unparsed and one.unparsed_rate is not None:
        parts.append(f"{one.unparsed:,} with no score ({100 * one.unparsed_rate:.1f} %)")
    if one.per_second:
        parts.append(f"{rounded(one.per_second)} a second")
    if one.left_s is not None and one.state == RUNNING:
        parts.append(f"about {duration(one.left_s)} left")
    parts += [f"{rounded(one.usd)} USD"] if one.usd else []
    return ", ".join(parts)


def made_with(one: RunStatus) -> str:
    """On what a run was made and how, in a sentence."""
    precision = f", {one.precision}" if one.precision else ""
    return (
        f"Made on {one.device}{precision}, seed {one.seed}, code {one.code}, begun "
        f"{_minute(one.created)} UTC."
    )


def total_rows(totals: Sequence[Total]) -> pd.DataFrame:
    """One row a judge: score and interval; what is missing or repeated, where anything is."""
    table = pd.DataFrame([_total(one) for one in totals])
    if all(one.whole for one in totals):
        table = table.drop(columns=["of", *BOUNDS])
    return table if any(one.repeats > 1 for one in totals) else table.drop(columns=[*REPEATS])


def missing(one: Total) -> str:
    """What a total lacks and how far it could move; empty if nothing is missing."""
    if one.whole:
        return ""
    open_ = one.of - one.scored - one.failed - one.unread
    parts = [
        f"{counted(count, 'question')} {what}"
        for count, what in (
            (one.failed, "got no answer"),
            (one.unread, "got an answer without a score"),
            (open_, "not asked yet"),
        )
        if count
    ]
    return (
        f"{one.judge}: {one.scored:,} of {one.of:,} scored; {', '.join(parts)}. With all of them "
        f"wrong the score is {100 * one.least:.1f} %, with all right {100 * one.most:.1f} %."
    )


def noise(one: Total) -> str:
    """How much a judge's word varies; empty where it was asked once."""
    if one.repeat_sd is None:
        return ""
    mean = 100 * sum(one.repeat_means) / len(one.repeat_means)
    return (
        f"{one.judge}: over {one.repeats} repeats the total is {mean:.1f} % on average with a "
        f"standard deviation of {100 * one.repeat_sd:.2f} points. That is the judge's own noise; "
        "the interval is about the choice of questions."
    )


def _total(one: Total) -> dict[str, object]:
    bounds = (_percent(one.least), _percent(one.most))
    repeats = (one.repeats, _percent(one.repeat_sd))
    return {
        "Judge": one.judge,
        "Score, %": _percent(one.value),
        "95 % from, %": _percent(one.low),
        "to, %": _percent(one.high),
        "Questions scored": one.scored,
        "of": one.of,
        **dict(zip(BOUNDS, bounds, strict=True)),
        **dict(zip(REPEATS, repeats, strict=True)),
    }


def _row(one: RunStatus) -> dict[str, object]:
    return {
        "Model": one.model,
        "Benchmark": one.benchmark,
        "State": one.state,
        "Questions": one.questions,
        "Answered": one.answered,
        "Failed, %": _percent(one.error_rate),
        "No score, %": _percent(one.unparsed_rate),
        "Answers a second": one.per_second,
        "USD": one.usd,
        "Device": one.device,
        "Precision": one.precision,
        "Began": _minute(one.created),
        "Run": one.run,
    }


def _percent(fraction: float | None) -> float | None:
    return None if fraction is None else 100 * fraction


def _minute(moment: str) -> str:
    return moment[:16].replace("T", " ")
