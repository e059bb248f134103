"""The commands that make fresh results: estimate, run, judge, runs, resume, cancel."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from evalcore import home, launch, runs
from evalcore.cli.output import text
from evalcore.errors import BadInput
from evalcore.progress import Progress, read_status, state
from evalcore.runs import Run
from evalcore.store import build
from evalcore.suite import unknown

COLUMNS = (
    "run", "state", "items", "answered", "failed", "judged", "unparsed", "per_second", "left_s",
    "usd", "created",
)  # fmt: skip


def run_estimate(arguments: argparse.Namespace) -> str:
    """What a run would ask, and how wide the intervals would be."""
    rows = [
        {
            "model": one.settings.model,
            "benchmark": one.settings.benchmark,
            "items": len(one.items),
            "pictures": sum(len(item.images) for item in one.items),
            "half_width": one.half_width,
            "run": one.settings.id,
            "state": _state_of(one.settings.id),
        }
        for one in _plans(arguments)
    ]
    return text(pd.DataFrame(rows), arguments.format)


def run_run(arguments: argparse.Namespace) -> str:
    """Run models on a benchmark, judge, and build the store."""
    judges = launch.judges_of(arguments.judge or ["exact"])
    plans = _plans(arguments)
    if arguments.detach:
        return _detached(arguments, [one.settings.id for one in plans])
    made = [launch.start(one) for one in plans]
    for run in made:
        _go(run, lambda run=run: _carry_out(run, judges, arguments))  # type: ignore[misc]
    build.ensure()
    return text(_table(made), arguments.format)


def run_resume(arguments: argparse.Namespace) -> str:
    """Go on with a run that was stopped, killed or partly failed."""
    run = _run(arguments.run)
    judges = launch.judges_of(arguments.judge or ["exact"])
    _go(run, lambda: _carry_out(run, judges, arguments))
    build.ensure()
    return text(_table([run]), arguments.format)


def run_judge(arguments: argparse.Namespace) -> str:
    """Score the answers of a run with more judges, or again, without asking the model."""
    return run_resume(arguments)


def run_runs(arguments: argparse.Namespace) -> str:
    """All runs with their state, progress, speed and what went wrong."""
    return text(_table(runs.every()), arguments.format)


def run_cancel(arguments: argparse.Namespace) -> str:
    """Ask a run to stop after the answer at hand; it can be resumed."""
    run = _run(arguments.run)
    (run.folder / "cancel").write_text("", encoding="utf-8")
    return f"{run.id}: asked to stop; 'python -m evalcore resume {run.id}' goes on\n"


ENGINE: dict[str, Callable[[argparse.Namespace], str]] = {
    "estimate": run_estimate,
    "run": run_run,
    "resume": run_resume,
    "judge": run_judge,
    "runs": run_runs,
    "cancel": run_cancel,
}


def _plans(arguments: argparse.Namespace) -> list[launch.Plan]:
    options: dict[str, Any] = {}
    for pair in arguments.option or ():
        name, equals, value = pair.partition("=")
        if not equals:
            raise BadInput(f"--option: {pair!r} should be NAME=VALUE, such as 'batch_size=16'")
        options[name] = _value(value)
    return launch.plan(
        arguments.model,
        arguments.benchmark,
        limit=arguments.limit,
        seed=arguments.seed,
        blind=arguments.blind,
        options=options,
    )


def _value(value: str) -> Any:
    """A number, true, false or null where it reads as one; else the text itself."""
    try:
        return json.loads(value)
    except ValueError:
        return value


def _carry_out(run: Run, judges: Sequence[Any], arguments: argparse.Namespace) -> Progress:
    return launch.carry_out(
        run,
        judges,
        repeats=arguments.repeats,
        retry_failed=arguments.retry_failed,
        watch=lambda progress: _say(run, progress),
    )


def _go(run: Run, work: Callable[[], Progress]) -> None:
    """Do the work of one run and close the line of its progress."""
    try:
        work()
    finally:
        if sys.stderr.isatty():
            sys.stderr.write("\n")


def _say(run: Run, progress: Progress) -> None:
    if not sys.stderr.isatty():
        return
    judged = sum(progress.judged.values())
    sys.stderr.write(
        f"\r{run.settings.model} on {run.settings.benchmark}: {progress.answered} of "
        f"{progress.total} answered, {progress.failed} failed, {judged} judged   "
    )
    sys.stderr.flush()


def _detached(arguments: argparse.Namespace, ids: Sequence[str]) -> str:
    """Start the same command without ``--detach`` in a process of its own."""
    process = launch.spawn([part for part in sys.argv[1:] if part != "--detach"])
    return text(pd.DataFrame({"run": list(ids), "process": process}), arguments.format)


def _run(name: str) -> Run:
    known = {run.id: run for run in runs.every()}
    fitting = [run for key, run in known.items() if key == name or key.endswith(f"--{name}")]
    if len(fitting) != 1:
        raise unknown("run", name, list(known))
    return fitting[0]


def _state_of(run_id: str) -> str:
    folder = home.runs_folder() / run_id
    return state(Run(folder)) if (folder / "run.json").exists() else "new"


def _table(listed: Sequence[Run]) -> pd.DataFrame:
    return pd.DataFrame([_row(run) for run in listed], columns=list(COLUMNS))


def _row(run: Run) -> dict[str, Any]:
    status = read_status(run.folder)
    passed = max(status.get("updated", time.time()) - status.get("began", time.time()), 1e-9)
    speed = status.get("new", 0) / passed if status.get("new") else None
    answered, total = status.get("answered", 0), int(run.about["items"])
    running = state(run) == "running"
    return {
        "run": run.id,
        "state": state(run),
        "items": total,
        "answered": answered or len(run.predictions()),
        "failed": status.get("failed"),
        "judged": sum(status.get("judged", {}).values()) or None,
        "unparsed": sum(status.get("unparsed", {}).values()) if status else None,
        "per_second": speed,
        "left_s": (total - answered) / speed if speed and running else None,
        "usd": status.get("usd") or None,
        "created": run.about["created"],
    }
