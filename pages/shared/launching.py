"""What the launch form asks for, and what is done about it: an estimate, or runs in a process."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from evalcore import estimate
from evalcore.engine import background, launch
from evalcore.engine.progress import open_still
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError
from evalcore.estimate.judging import is_api


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


def own_judges(benchmark: str) -> tuple[str, ...]:
    """The judges of a benchmark; none while its name makes no sense."""
    try:
        return launch.default_judges(launch.benchmark_of(benchmark)[2])
    except EvalcoreError:
        return ()


def calls_api(model: str) -> bool:
    """Whether a model costs money a call; not while its name makes no sense."""
    try:
        return is_api(launch.deployment_of(model).adapter)
    except EvalcoreError:
        return False


def forecast(request: LaunchRequest) -> list[estimate.Forecast]:
    """What each run will take.

    Raises:
        EvalcoreError: Something that was asked for cannot be used.
    """
    launch.judges_of(request.judges)
    return [estimate.of(one, request.judges, request.repeats) for one in request.plans()]


def start(request: LaunchRequest) -> str:
    """Start the runs that are not under way, one after the other in one process.

    Returns:
        What was done, in a sentence.

    Raises:
        EvalcoreError: Something that was asked for cannot be used; nothing is started.
    """
    judges = launch.judges_of(request.judges)
    plans = request.plans()
    for one in plans:
        launch.check(one, judges)
    made = [launch.start(one) for one in plans]
    fresh = [run for run in made if not open_still(run)]
    if not fresh:
        return "This is under way already; see Runs."
    for run in fresh:
        run.remember_judges(request.judges, request.repeats)
    more = [
        part
        for name, value in request.options
        for part in ("--option", f"{name}={json.dumps(value)}")
    ]
    background.detach(fresh, more)
    return "Started. It goes on when you close this page; see Runs."


def has_prices(run: Run) -> bool:
    """Whether money is spent on the run's model by prices that are known."""
    options = run.settings.options
    known = all(options.get(name) is not None for name in ("usd_per_mtok_in", "usd_per_mtok_out"))
    return known and is_api(run.settings.adapter)


def asks(judges: Sequence[str]) -> bool:
    """Whether one of these judges asks a model."""
    return any("=" in judge for judge in judges)


def go_on(run: Run, max_usd: float | None = None, *, retry_failed: bool = False) -> None:
    """Go on with a run and its own judges; with ``retry_failed`` also where it failed."""
    more = [] if max_usd is None else ["--max-usd", str(max_usd)]
    background.detach([run], [*more, "--retry-failed"] if retry_failed else more)


def judge_again(run: Run, judges: Sequence[str], repeats: int) -> None:
    """Have a run's answers judged, without asking its model.

    Raises:
        EvalcoreError: A judge cannot be used; nothing is started.
    """
    launch.judges_of(judges)
    named = [part for judge in judges for part in ("--judge", judge)]
    background.detach([run], [*named, "--repeats", str(repeats)], "judge")
