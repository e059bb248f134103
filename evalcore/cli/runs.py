"""The commands that make fresh results: estimate, run, resume, judge, runs, cancel."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from cyclopts import Parameter

from evalcore import estimate as estimates
from evalcore import files
from evalcore.cli.options import AS_TABLE, COUNT, NUMBER, WHOLE, Printed, command, values_of
from evalcore.cli.output import DONE, GAPS, OPEN, Coded, progress_bar, tell, text
from evalcore.engine import launch, progress, run_status
from evalcore.engine import runs as recorded
from evalcore.engine.progress import Progress
from evalcore.engine.runs import Run
from evalcore.errors import BadInput, EvalcoreError, SpendCapReached
from evalcore.messages import checked
from evalcore.models import ADAPTERS
from evalcore.participants import Judge
from evalcore.store import build
from evalcore.suites.suite import unknown

COLUMNS = (
    "run", "state", "questions", "answered", "failed", "error_rate", "cut_off", "verdicts",
    "unparsed", "unparsed_rate", "per_second", "left_s", "usd", "device", "precision", "created",
    "problem",
)  # fmt: skip
CUT_OFF = "cut off at the limit of tokens (max_tokens, max_new_tokens)"
PAIR = Parameter(metavar="NAME=VALUE")
JUDGING = Parameter(group="Judging")


@dataclass(frozen=True, kw_only=True)
class Judging(Printed):
    """Which judges score, and how."""

    judge: Annotated[list[str] | None, JUDGING] = None
    """may be given again; default: the benchmark's own, or those that a run began with"""
    repeats: Annotated[int | None, JUDGING, COUNT] = None
    """times each judge scores an answer"""
    prompt_file: Annotated[str | None, JUDGING, Parameter(metavar="FILE")] = None
    """another table for MM-Vet grading"""
    encoder: Annotated[str | None, JUDGING, Parameter(metavar="FOLDER")] = None
    """a local model for similarity judges"""
    layer: Annotated[int | None, JUDGING, COUNT] = None
    """the encoder's layer for BERTScore"""
    judge_option: Annotated[list[str] | None, JUDGING, PAIR] = None
    """of the model that judges: usd_per_mtok_in=0.15"""
    max_usd: Annotated[float | None, NUMBER, Parameter(metavar="USD")] = None
    """spend no more on a run, on its model and its judges together"""


@dataclass(frozen=True, kw_only=True)
class Estimate(Judging):
    """The options of ``estimate``."""

    model: list[str]
    """id, or ADAPTER:NAME; may be given again"""
    benchmark: str
    """a name, NAME=FOLDER, or a file of your own"""
    benchmark_option: Annotated[list[str] | None, PAIR] = None
    limit: Annotated[int | None, WHOLE] = None
    """take so many items, spread over the tags"""
    seed: Annotated[int, WHOLE] = 0
    blind: bool = False
    """also run each model without the picture"""
    option: Annotated[list[str] | None, PAIR] = None
    """of the model: batch_size=16"""


@dataclass(frozen=True, kw_only=True)
class GoOn(Judging):
    """The options of commands that carry runs out."""

    retry_failed: bool = False
    """ask again where it failed"""
    detach: bool = False
    """come back at once; 'runs' tells the progress"""


@dataclass(frozen=True, kw_only=True)
class NewRun(GoOn, Estimate):
    """The options of ``run``."""


@dataclass(frozen=True, kw_only=True)
class Resume(GoOn):
    """The options of ``resume``."""

    option: Annotated[list[str] | None, PAIR] = None
    """of the model: batch_size=16"""


Ids = Annotated[list[str], Parameter(name="RUN", help="a run's id, or its last part")]


@command("run")
def estimate(options: Estimate) -> str:
    """What a run would ask, cost and take, and how wide its intervals would be.

    Example: estimate --model demo-vlm-weak --benchmark easy-vqa --limit 500
    """
    plans = _plans(options)
    specs, repeats, setup = _new_judges(options, plans[0])
    prompt = Path(setup["prompt_file"]) if "prompt_file" in setup else None
    expected = [estimates.of(plan, specs, repeats, prompt, setup.get("options")) for plan in plans]
    if options.format != "table":
        return text(pd.DataFrame([row.row() for row in expected]), options.format)
    parts = [text(pd.DataFrame([row.shown() for row in expected]), "table")]
    parts += [
        f"{row.model}\n" + "\n".join(f"- {line}" for line in row.sentences()) for row in expected
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


@command("run")
def run(options: NewRun) -> str:
    """Run models on a benchmark, judge the answers, put them into the store.

    Example: run --model demo-vlm-strong --model demo-vlm-weak --benchmark easy-vqa --limit 500

    Example: run --model openai:NAME --benchmark questions.jsonl --judge exact --max-usd 2
    """
    plans = _plans(options)
    specs, repeats, setup = _new_judges(options, plans[0])
    judges = launch.judges_of(specs, **setup)
    for plan in plans:
        launch.check(plan, judges)
    started = [launch.start(plan) for plan in plans]
    for new in started:
        new.remember_judges(specs, repeats, **setup)
    if options.detach:
        return _detached(started, "resume", options)  # a new run knows its judges by now
    return _carried_out(started, options, {new.id: (judges, repeats) for new in started})


@command("run")
def resume(run: Ids, /, options: Resume = Resume()) -> str:
    """Go on with runs that were stopped, killed or partly failed.

    Their judges are those that each run began with; more may be named.

    Example: resume RUN --retry-failed
    """
    return _gone_on(run, "resume", options)


@command("run")
def judge(run: Ids, /, options: GoOn = GoOn()) -> str:
    """Score the answers of runs with more judges, or more often, asking no model again.

    Example: judge RUN --judge anls
    """
    return _gone_on(run, "judge", options)


@command("run")
def runs(options: Printed = AS_TABLE) -> str:
    """All runs: state, progress, speed, spend, what went wrong."""
    return text(_table(recorded.every()), options.format)


@command("run")
def cancel(run: Ids, /, options: Printed = AS_TABLE) -> str:
    """Ask runs to stop (again: at once); they can go on.

    Example: cancel RUN
    """
    lines = []
    for asked in [_run(name) for name in run]:
        if not progress.open_still(asked):
            lines.append(f"{asked.id}: nothing works on it ({progress.state(asked)})\n")
            continue
        progress.cancel(asked)
        how = (
            "asked to stop at once"
            if progress.requests(asked) > 1
            else "asked to stop; calls under way are waited for, unless you ask again"
        )
        lines.append(f"{asked.id}: {how}; 'python -m evalcore resume {asked.id}' goes on\n")
    return "".join(lines)


def _gone_on(names: Sequence[str], command_name: str, options: GoOn) -> str:
    """Carry out what is still open in runs, or only judge them."""
    open_runs = [_run(name) for name in names]
    asked = _model_options(options)
    if foreign := [name for name in asked if name not in recorded.OPERATIONAL]:
        raise BadInput(
            f"--option {foreign[0]}: another value of it is another run, which 'run' starts; a run "
            f"can go on with another {', '.join(sorted(recorded.OPERATIONAL))}"
        )
    for open_run in open_runs:
        launch.take(open_run, asked)
    if options.detach:
        return _detached(open_runs, command_name, options)
    again = command_name == "judge"
    judging = {open_run.id: _judges(open_run, options, again) for open_run in open_runs}
    return _carried_out(open_runs, options, judging, only_judge=again)


def _plans(options: Estimate) -> list[launch.Plan]:
    return launch.plan(
        options.model,
        options.benchmark,
        limit=options.limit,
        seed=options.seed,
        blind=options.blind,
        options=_model_options(options),
        benchmark_options=values_of("--benchmark-option", options.benchmark_option),
    )


def _model_options(options: Judging) -> dict[str, Any]:
    """The model's options, of a command that asks one, and the cap."""
    values = values_of("--option", getattr(options, "option", None))
    return values if options.max_usd is None else {**values, "max_usd": options.max_usd}


def _new_judges(options: Estimate, plan: launch.Plan) -> tuple[list[str], int, dict[str, Any]]:
    """The judges, repeats and setup of a new run: as given, else the benchmark's own."""
    own = launch.default_judges(plan.settings.benchmark, plan.items)
    specs = options.judge or list(own)
    launch.check_names(specs)
    return specs, options.repeats or 1, _setup(options)


def _setup(options: Judging) -> dict[str, Any]:
    """What judges are made with; files by their whole path, so that any process finds them."""
    setup: dict[str, Any] = {}
    if options.prompt_file is not None:
        path = Path(checked(options.prompt_file, "--prompt-file", "a file"))
        if why := files.wrong(path):
            raise BadInput(f"--prompt-file {files.shown(path)}: {why}")
        setup["prompt_file"] = str(files.whole(path))
    if options.encoder is not None:
        path = Path(checked(options.encoder, "--encoder", "a folder"))
        if not files.is_folder(path):
            raise BadInput(f"--encoder {files.shown(path)}: there is no such folder")
        setup["encoder"] = str(files.whole(path))
    if options.layer is not None:
        setup["layer"] = options.layer
    if options.judge_option:
        setup["options"] = values_of("--judge-option", options.judge_option)
    return setup


def _judges(open_run: Run, options: GoOn, again: bool) -> tuple[list[Judge], int]:
    """The judges of a run that goes on: its own and those that are given.

    Where answers are only judged again, the given ones alone. What they are is noted, so that the
    next ``resume`` goes on with them too.
    """
    own, before = open_run.judge_specs()
    given = list(options.judge or ())
    specs = (given or own) if again else [*own, *given]
    specs = list(dict.fromkeys(specs)) or list(
        launch.default_judges(open_run.settings.benchmark, open_run.items())
    )
    repeats = options.repeats or (1 if given and again else before)
    held, fresh = open_run.judge_setup(), _setup(options)
    merged = {**held.get("options", {}), **fresh.get("options", {})}
    setup = {**held, **fresh, **({"options": merged} if merged else {})}
    judges = launch.judges_of(specs, **setup)
    open_run.remember_judges(specs, max(before, repeats), **setup)
    return judges, repeats


def _carried_out(
    started: Sequence[Run],
    options: GoOn,
    judging: Mapping[str, tuple[Sequence[Judge], int]],
    *,
    only_judge: bool = False,
) -> str:
    """Carry runs out one after the other; what one cannot do does not keep the next waiting.

    Returns:
        A table of the runs, with the exit code of the run that lacks most.

    Raises:
        SpendCapReached: Nothing else went wrong.
        EvalcoreError: What went wrong, when all have had their turn.
    """
    progress.queue(started)
    problems: dict[str, EvalcoreError] = {}
    ends: dict[str, Progress] = {}
    for place, mine in enumerate(started):
        judges, repeats = judging[mine.id]
        try:
            with progress.logged(mine), progress_bar() as bar:
                ends[mine.id] = launch.carry_out(
                    mine,
                    judges,
                    repeats=repeats,
                    retry_failed=options.retry_failed,
                    only_judge=only_judge,
                    watch=partial(_show, bar, mine),
                )
        except EvalcoreError as error:
            problems[mine.id] = error
            continue
        tell(_lacks(mine, ends[mine.id]))
        if ends[mine.id].signal:  # which means all of them
            for waiting in started[place + 1 :]:
                progress.enqueue(waiting, "stopped")
            break
    if not any(end.signal for end in ends.values()):  # whoever presses Ctrl-C wants to go
        build.ensure()
    if len(problems) == 1:
        raise next(iter(problems.values()))
    if problems:
        capped = all(isinstance(error, SpendCapReached) for error in problems.values())
        words = "; ".join(f"{name}: {error}" for name, error in problems.items())
        raise SpendCapReached(words) if capped else EvalcoreError(words)
    worst = max((_code(end) for end in ends.values()), default=DONE)
    return Coded(text(_table(started), options.format), worst)


def _show(bar: Callable[[str, int, int], None], mine: Run, now: Progress) -> None:
    name = f"{mine.settings.model} on {mine.settings.benchmark}"
    bar(f"{name}: {now.failed} failed, {now.verdicts} verdicts", now.answered, now.total)


def _lacks(mine: Run, now: Progress) -> str:
    """What a run lacks, in a line; empty if it is whole."""
    if _code(now) in (DONE, GAPS):
        counts = [
            _counted(now.failed, "question has no answer", "questions have no answer"),
            _counted(sum(now.unparsed.values()), "verdict has no score", "verdicts have no score"),
            _counted(now.cut_off, f"answer {CUT_OFF}", f"answers {CUT_OFF}"),
        ]
        words = ", ".join(filter(None, counts))
        return f"{mine.id}: {words}\n" if words else ""
    if now.state == "working":
        return f"{mine.id}: another worker still holds some of it\n"
    why = f" ({now.problem})" if now.problem else ""
    return f"{mine.id}: stopped{why}; 'python -m evalcore resume {mine.id}' goes on\n"


def _counted(number: int, singular: str, plural: str) -> str:
    return f"{number:,} {singular if number == 1 else plural}" if number else ""


def _code(now: Progress) -> int:
    """The exit code that tells how a run stands."""
    if now.signal:
        return 128 + now.signal
    if now.state not in ("done", "partly failed"):
        return OPEN
    return GAPS if now.failed or any(now.unparsed.values()) else DONE


def _detached(started: Sequence[Run], command_name: str, options: GoOn) -> str:
    """Have another process do the same, with files by their whole path; it knows the cap."""
    more = ["--retry-failed"] * options.retry_failed
    for name, value in _model_options(options).items():
        if name in recorded.OPERATIONAL and name != "max_usd":
            more += ["--option", f"{name}={json.dumps(value)}"]
    if not isinstance(options, NewRun):
        more += [part for spec in options.judge or () for part in ("--judge", spec)]
        setup = {"repeats": options.repeats, **_setup(options)}
        for name, value in setup.pop("options", {}).items():
            more += ["--judge-option", f"{name}={json.dumps(value)}"]
        for name, value in setup.items():
            more += [] if value is None else [f"--{name.replace('_', '-')}", str(value)]
    process = progress.detach(started, more, command_name)
    frame = pd.DataFrame({"run": [new.id for new in started], "process": process})
    return text(frame, options.format)


def _run(name: str) -> Run:
    every = {run.id: run for run in recorded.every()}
    fitting = [run for key, run in every.items() if key == name or key.endswith(f"--{name}")]
    if len(fitting) != 1:
        raise unknown("run", name, list(every))
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
    rows = [
        {**vars(now), "error_rate": now.error_rate, "unparsed_rate": now.unparsed_rate}
        for now in map(run_status.look, listed)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))
