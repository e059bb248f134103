"""The commands that make fresh results: estimate, run, judge, runs, resume, cancel."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from evalcore import estimate, files
from evalcore.cli import ended, once
from evalcore.cli.output import end_progress, progress_line, tell, text
from evalcore.engine import background, launch, progress, run_status, runs
from evalcore.engine.progress import Progress
from evalcore.engine.runs import Run
from evalcore.errors import BadInput, EvalcoreError, SpendCapReached
from evalcore.models import ADAPTERS
from evalcore.records import Judge
from evalcore.spelled import checked, shown
from evalcore.store import build
from evalcore.suites.suite import unknown

COLUMNS = (
    "run", "state", "questions", "answered", "failed", "error_rate", "cut_off", "verdicts",
    "unparsed", "unparsed_rate", "per_second", "left_s", "usd", "device", "precision", "created",
    "problem",
)  # fmt: skip


def run_estimate(arguments: argparse.Namespace) -> str:
    """What a run would ask, cost and take, and how wide the intervals would be."""
    plans = _plans(arguments)
    specs, repeats, setup = _judging(arguments, plans[0])
    prompt = Path(setup["prompt_file"]) if "prompt_file" in setup else None
    options = setup.get("options")
    found = [estimate.of(one, specs, repeats, prompt, options) for one in plans]
    if arguments.format != "table":
        return text(pd.DataFrame([one.row() for one in found]), arguments.format)
    parts = [text(pd.DataFrame([one.shown() for one in found]), "table")]
    parts += [f"{one.model}\n" + "\n".join(f"- {s}" for s in one.sentences()) for one in found]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def run_run(arguments: argparse.Namespace) -> str:
    """Run models on a benchmark, judge, and build the store."""
    plans = _plans(arguments)
    specs, repeats, setup = _judging(arguments, plans[0])
    judges = launch.judges_of(specs, **setup)
    for one in plans:
        launch.check(one, judges)
    made = [launch.start(one) for one in plans]
    for run in made:
        run.remember_judges(specs, repeats, **setup)
    if arguments.detach:
        return _detached(made, arguments)
    return _worked_on(made, arguments, {run.id: (judges, repeats) for run in made})


def run_resume(arguments: argparse.Namespace) -> str:
    """Go on with runs that were stopped, killed or partly failed, with all their judges."""
    made = [_run(name) for name in arguments.run]
    options = _options(arguments)
    if foreign := [name for name in options if name not in runs.OPERATIONAL]:
        raise BadInput(
            f"--option {foreign[0]}: another value of it is another run, which 'run' starts; a run "
            f"can go on with another {', '.join(sorted(runs.OPERATIONAL))}"
        )
    for run in made:
        launch.take(run, options)
    if arguments.detach:
        return _detached(made, arguments)
    return _worked_on(made, arguments, {run.id: _judges(run, arguments) for run in made})


def run_judge(arguments: argparse.Namespace) -> str:
    """Score the answers of runs with the judges that are named, or their own again."""
    return run_resume(arguments)


def run_runs(arguments: argparse.Namespace) -> str:
    """All runs with their state, progress, speed and what went wrong."""
    return text(_table(runs.every()), arguments.format)


def run_cancel(arguments: argparse.Namespace) -> str:
    """Ask runs to stop; they can be resumed. Asked again, no call under way is waited for."""
    said = []
    for run in [_run(name) for name in arguments.run]:
        if not progress.open_still(run):
            said.append(f"{run.id}: nothing works on it ({progress.state(run)})\n")
            continue
        background.cancel(run)
        how = (
            "asked to stop at once"
            if background.requests(run) > 1
            else "asked to stop; calls under way are waited for, unless you ask again"
        )
        said.append(f"{run.id}: {how}; 'python -m evalcore resume {run.id}' goes on\n")
    return "".join(said)


ENGINE: dict[str, Callable[[argparse.Namespace], str]] = {
    "estimate": run_estimate,
    "run": run_run,
    "resume": run_resume,
    "judge": run_judge,
    "runs": run_runs,
    "cancel": run_cancel,
}


def _plans(arguments: argparse.Namespace) -> list[launch.Plan]:
    return launch.plan(
        arguments.model,
        arguments.benchmark,
        limit=arguments.limit,
        seed=arguments.seed,
        blind=arguments.blind,
        options=_options(arguments),
        benchmark_options=_pairs("--benchmark-option", arguments.benchmark_option),
    )


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The model's options, of a command that asks one, and the cap."""
    given = vars(arguments)
    options = _pairs("--option", given.get("option"))
    cap = given.get("max_usd")
    return options if cap is None else {**options, "max_usd": cap}


def _pairs(flag: str, given: Sequence[str] | None) -> dict[str, Any]:
    """NAME=VALUE; a number, list, true, false or null where it reads as one, else the text."""
    options: dict[str, Any] = {}
    for pair in given or ():
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise BadInput(f"{flag}: {shown(pair)} should be NAME=VALUE, such as 'batch_size=16'")
        once.check([*options, name], flag)
        try:
            options[name] = json.loads(value)
        except (ValueError, RecursionError):
            options[name] = value
    return options


def _judging(
    arguments: argparse.Namespace, planned: launch.Plan
) -> tuple[list[str], int, dict[str, Any]]:
    """The judges, repeats and setup of a new run: as given, else the benchmark's own."""
    own = launch.default_judges(planned.settings.benchmark, planned.items)
    specs = arguments.judge or list(own)
    launch.check_names(specs)
    return specs, arguments.repeats or 1, _setup(arguments)


def _setup(arguments: argparse.Namespace) -> dict[str, Any]:
    """What judges are made with; files by their whole path, so that any process finds them."""
    given: dict[str, Any] = {}
    if arguments.prompt_file is not None:
        path = Path(checked(arguments.prompt_file, "--prompt-file", "a file"))
        if why := files.wrong(path):
            raise BadInput(f"--prompt-file {files.shown(path)}: {why}")
        given["prompt_file"] = str(files.whole(path))
    if arguments.encoder is not None:
        path = Path(checked(arguments.encoder, "--encoder", "a folder"))
        if not files.is_folder(path):
            raise BadInput(f"--encoder {files.shown(path)}: there is no such folder")
        given["encoder"] = str(files.whole(path))
    if arguments.layer is not None:
        given["layer"] = arguments.layer
    if arguments.judge_option:
        given["options"] = _pairs("--judge-option", arguments.judge_option)
    return given


def _judges(run: Run, arguments: argparse.Namespace) -> tuple[list[Judge], int]:
    """The judges of a run that goes on: its own, with ``resume`` also those that are given.

    What they are is noted, so that the next ``resume`` goes on with them too.
    """
    own, before = run.judge_specs()
    given = list(arguments.judge or ())
    specs = [*own, *given] if arguments.command == "resume" else given or own
    specs = list(dict.fromkeys(specs)) or list(
        launch.default_judges(run.settings.benchmark, run.items())
    )
    repeats = arguments.repeats or (1 if given and arguments.command == "judge" else before)
    held, fresh = run.judge_setup(), _setup(arguments)
    options = {**held.get("options", {}), **fresh.get("options", {})}
    setup = {**held, **fresh, **({"options": options} if options else {})}
    judges = launch.judges_of(specs, **setup)
    run.remember_judges(specs, max(before, repeats), **setup)
    return judges, repeats


def _worked_on(
    made: Sequence[Run],
    arguments: argparse.Namespace,
    judging: Mapping[str, tuple[Sequence[Judge], int]],
) -> str:
    """Carry runs out one after the other; what one cannot do does not keep the next waiting.

    Returns:
        A table of the runs, with the exit code that tells how they stand.

    Raises:
        SpendCapReached: Nothing else went wrong.
        EvalcoreError: What went wrong, when all have had their turn.
    """
    background.queue(made)
    problems: dict[str, EvalcoreError] = {}
    found: dict[str, Progress] = {}
    for place, run in enumerate(made):
        judges, repeats = judging[run.id]
        try:
            found[run.id] = _carry_out(run, judges, repeats, arguments)
        except EvalcoreError as error:
            problems[run.id] = error
            continue
        tell(ended.left(run, found[run.id]))
        if found[run.id].signal:  # which means all of them
            for waiting in made[place + 1 :]:
                progress.enqueue(waiting, "stopped")
            break
    if not any(one.signal for one in found.values()):  # whoever presses Ctrl-C wants to go
        build.ensure()
    if len(problems) == 1:
        raise next(iter(problems.values()))
    if problems:
        capped = all(isinstance(error, SpendCapReached) for error in problems.values())
        said = "; ".join(f"{name}: {error}" for name, error in problems.items())
        raise SpendCapReached(said) if capped else EvalcoreError(said)
    return ended.Ended.of(text(_table(made), arguments.format), found)


def _carry_out(
    run: Run, judges: Sequence[Judge], repeats: int, arguments: argparse.Namespace
) -> Progress:
    """Do what is open in one run, with its log in its folder and its progress on the screen."""
    with background.logged(run):
        try:
            return launch.carry_out(
                run,
                judges,
                repeats=repeats,
                retry_failed=arguments.retry_failed,
                only_judge=arguments.command == "judge",
                watch=lambda now: _say(run, now),
            )
        finally:
            end_progress()


def _say(run: Run, now: Progress) -> None:
    progress_line(
        f"{run.settings.model} on {run.settings.benchmark}: {now.answered} of {now.total} "
        f"answered, {now.failed} failed, {now.verdicts} verdicts"
    )


def _detached(made: Sequence[Run], arguments: argparse.Namespace) -> str:
    """Have another process do the same, with files by their whole path; it knows the cap."""
    more = ["--retry-failed"] if arguments.retry_failed else []
    for name, value in _options(arguments).items():
        if name in runs.OPERATIONAL and name != "max_usd":
            more += ["--option", f"{name}={json.dumps(value)}"]
    command = "resume"  # a new run knows its judges by now
    if arguments.command != "run":
        command = arguments.command
        more += [part for judge in arguments.judge or () for part in ("--judge", judge)]
        told = {"repeats": arguments.repeats, **_setup(arguments)}
        for name, value in told.pop("options", {}).items():
            more += ["--judge-option", f"{name}={json.dumps(value)}"]
        for name, value in told.items():
            more += [] if value is None else [f"--{name.replace('_', '-')}", str(value)]
    process = background.detach(made, more, command)
    frame = pd.DataFrame({"run": [run.id for run in made], "process": process})
    return text(frame, arguments.format)


def _run(name: str) -> Run:
    known = {run.id: run for run in runs.every()}
    fitting = [run for key, run in known.items() if key == name or key.endswith(f"--{name}")]
    if len(fitting) != 1:
        raise unknown("run", name, list(known))
    if fitting[0].shipped:
        raise BadInput(
            f"{fitting[0].id} ships with Sextant as a demo and is only read; 'python -m evalcore "
            "run' with the same model and benchmark makes one of your own"
        )
    if fitting[0].settings.adapter not in ADAPTERS:
        raise BadInput(
            f"{fitting[0].id} is whole and has nothing to ask or judge; 'python -m evalcore "
            "zeroshot' runs contrastive models"
        )
    return fitting[0]


def _table(listed: Sequence[Run]) -> pd.DataFrame:
    rows = []
    for run in listed:
        now = run_status.look(run)
        rates = {"error_rate": now.error_rate, "unparsed_rate": now.unparsed_rate}
        rows.append({**vars(now), **rates})
    return pd.DataFrame(rows, columns=list(COLUMNS))
