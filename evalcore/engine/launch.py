"""From a few words (models, a benchmark, judges) to runs; what the command line and pages use."""

import json
import math
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evalcore import home
from evalcore.analysis import intervals
from evalcore.benchmarks import LOADERS, sampling
from evalcore.engine import budget, evaluate, provenance, runs
from evalcore.engine.folder import revision
from evalcore.engine.progress import Progress
from evalcore.engine.resolve import (
    benchmark_of,
    check_names,
    default_judges,
    deployment_of,
    deployments,
    judges_of,
)
from evalcore.engine.runs import Run, Settings
from evalcore.errors import BadInput
from evalcore.models import ADAPTERS, adapter_options, answers, spending
from evalcore.models.cap import Budget
from evalcore.models.chat import Chat
from evalcore.participants import Judge, ModelAdapter
from evalcore.records import Deployment, Item

__all__ = (
    "BLIND", "Plan", "adapter", "benchmark_of", "carry_out", "check", "check_names",
    "default_judges", "deployment_of", "deployments", "device", "existing_run", "half_width",
    "judges_of", "plan", "start", "take",
)  # fmt: skip
BLIND = "-blind"
"""Ends the id of a model that answered without its picture."""
TYPICAL = 0.7
"""The score at which an expected half-width is told."""


@dataclass(frozen=True)
class Plan:
    """One run to make: its settings and its items."""

    settings: Settings
    items: tuple[Item, ...]
    max_usd: float | None = None
    """What it may spend, on its model and its judges together; None leaves a run's cap as it is."""

    @property
    def half_width(self) -> float:
        """Half the 95 % interval to expect, a fraction."""
        return half_width(len(self.items))


def half_width(n: int) -> float:
    """Half the 95 % interval to expect at a score of 70 % from n items, a fraction.

    >>> round(half_width(500), 3)
    0.04
    """
    return intervals.z() * math.sqrt(TYPICAL * (1 - TYPICAL) / n)


def plan(  # noqa: PLR0913  what a person says, one argument each
    models: Sequence[str],
    benchmark: str,
    *,
    limit: int | None = None,
    seed: int = 0,
    blind: bool = False,
    options: Mapping[str, Any] | None = None,
    benchmark_options: Mapping[str, Any] | None = None,
) -> list[Plan]:
    """The runs that were asked for, with their items loaded and checked.

    Args:
        models: Ids of ``deployments.csv``, or ADAPTER:NAME such as ``openai:gpt-4o-mini``,
            ``transformers:folder-or-hub-id`` or ``answers:file``.
        benchmark: A loader's name, NAME=PATH for one that needs a folder, or a file of one's own.
        limit: Items to take, seeded and spread over the tags.
        seed: Of the sample and of the models.
        blind: Also run each model with its picture withheld, if it sees one at all.
        options: More options for every adapter; those that decide nothing that is answered (prices,
            time limits ...) go only to the adapters that have them. ``max_usd`` caps each run,
            judges included, whatever its adapter.
        benchmark_options: More options for the loader, such as ``columns``.

    Raises:
        BadInput: A model, benchmark or item cannot be used; nothing is spent before.
    """
    loader, loader_options, name = benchmark_of(benchmark)
    loader_options |= benchmark_options or {}
    deployed = [deployment_of(model) for model in models]
    whole = items = _loaded(loader, loader_options)
    if limit is not None:
        items = tuple(sampling.sample(items, limit, seed))
    sampling.check(items, pictures=any(_sees(each.adapter) for each in deployed))
    plans = []
    given = dict(options or {})
    cap = given.pop("max_usd", None)
    spending.check_cap(cap)
    for deployment in deployed:
        settings = Settings(
            model=deployment.model,
            adapter=deployment.adapter,
            options={**json.loads(deployment.options), **_fitting(deployment, given)},
            benchmark=name,
            loader=loader,
            loader_options=loader_options,
            limit=limit,
            seed=seed,
        )
        if deployment.adapter == "answers":
            answers.Answers(**settings.options).check(item.id for item in whole)
        plans.append(Plan(settings, items, cap))
        if blind and _sees(deployment.adapter):
            without = {**settings.options, "blind": True}
            aside = replace(settings, model=settings.model + BLIND, options=without)
            plans.append(Plan(aside, items, cap))
    return plans


def _loaded(loader: str, options: Mapping[str, Any]) -> tuple[Item, ...]:
    try:
        return tuple(LOADERS[loader](**options))
    except TypeError as error:
        raise BadInput(f"benchmark {loader!r}: {error}") from None


def _sees(adapter: str) -> bool:
    """Whether an adapter's models are shown pictures, which can then be withheld."""
    return ADAPTERS[adapter].may_be_blind


def _fitting(deployment: Deployment, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options for one adapter; one that only concerns how a run goes is left out if foreign."""
    known = adapter_options(deployment.adapter)
    foreign = [name for name in options if name not in known and name not in runs.OPERATIONAL]
    if foreign:
        raise BadInput(
            f"adapter {deployment.adapter!r} of {deployment.model!r} has no option {foreign[0]!r}; "
            f"it has {', '.join(known)}{_who_has(foreign[0], deployment.model)}"
        )
    return {name: value for name, value in options.items() if name in known}


def _who_has(option: str, model: str) -> str:
    """Which adapters have an option that one lacks, as an end of a sentence."""
    others = [f"{name}:{model}" for name in ADAPTERS if option in adapter_options(name)]
    return f"; {' and '.join(others)} would have it" if others else ""


def check(planned: Plan, scored_by: Sequence[Judge] = ()) -> None:
    """Make sure that what calls an API can, before there is a run: options, key, prices for a cap.

    Raises:
        BadInput: An option cannot be used, or a cap not be kept.
        ModelUnavailable: There is no key.
    """
    budget = Budget(planned.max_usd)
    for judge in scored_by:
        judge.spend_from(budget)
    kind = ADAPTERS[planned.settings.adapter]
    if issubclass(kind, Chat):
        adapter_made = kind(**_options_of(planned.settings))
        adapter_made.require_key()
        adapter_made.spend_from(budget)


def start(planned: Plan) -> Run:
    """Make (or find) the run folder of a plan; options that may change, such as a cap, hold anew.

    Raises:
        BadInput: The run exists with other items.
        EvalcoreError: The home folder cannot be written.
    """
    run = runs.create(planned.settings, planned.items, device())
    cap = {} if planned.max_usd is None else {"max_usd": planned.max_usd}
    take(run, {**planned.settings.options, **cap})
    return run


def take(run: Run, options: Mapping[str, Any]) -> None:
    """Let options hold from now on that change nothing of what a run is (``runs.OPERATIONAL``).

    A cap (``max_usd``) holds for every worker at once and for later passes too.

    Raises:
        BadInput: The cap is no number of dollars from 0 up.
        EvalcoreError: The folder cannot be written.
    """
    if "max_usd" in options:
        budget.limit(run, options["max_usd"])
    known = adapter_options(run.settings.adapter)
    asked = runs.OPERATIONAL & set(known) - {"max_usd"}
    fresh = {name: value for name, value in options.items() if name in asked}
    run.settings = replace(run.settings, options={**run.settings.options, **fresh})


def existing_run(settings: Settings) -> Run | None:
    """The run of these settings, if it was begun before."""
    folder = home.runs_folder() / settings.id
    return Run(folder) if (folder / "run.json").exists() else None


def carry_out(  # noqa: PLR0913  what to do, and how it may be watched
    run: Run,
    scored_by: Sequence[Judge],
    *,
    repeats: int = 1,
    retry_failed: bool = False,
    only_judge: bool = False,
    watch: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Answer and judge what is open in a run, or only judge; see ``evaluate.evaluate``.

    What it is done with is noted in the run's folder. A run that was asked to stop since
    ``progress.queue`` stops at once.
    """
    if run.shipped:
        raise BadInput(f"{run.id} ships with Sextant as a demo and is only read")
    for judge in scored_by:
        run.tell("judge", {"judge": judge.name, "version": judge.version, **judge.facts()})
    cap = budget.budget_of(run)

    def model() -> ModelAdapter:
        check_pictures(run)
        model_made = adapter(run.settings, run.items())
        model_made.spend_from(cap)
        with_code = {"code": provenance.code_version(), "packages": provenance.packages()}
        run.tell("model", {"adapter": run.settings.adapter, **with_code, **model_made.facts()})
        return model_made

    return evaluate.evaluate(
        run,
        None if only_judge else model,
        scored_by,
        budget=cap,
        repeats=repeats,
        retry_failed=retry_failed,
        watch=watch,
    )


def check_pictures(run: Run) -> None:
    """Make sure that a run that goes on asks what it began with, if its model looks at pictures.

    Raises:
        BadInput: A picture is missing, as on another machine, or was changed since.
    """
    if run.checked or not _sees(run.settings.adapter):
        return
    now = revision(run.items())
    if now != run.about["revision"]:
        raise BadInput(
            f"{run.id}: pictures were changed since it began (revision {now}, it began with "
            f"{run.about['revision']}); put them back, or move {run.folder} away and begin anew"
        )
    run.checked = True


def adapter(settings: Settings, items: Sequence[Item] = ()) -> ModelAdapter:
    """Make the model of a run.

    Args:
        settings: The run's.
        items: All its items, whose answers a baseline counts.

    Raises:
        BadInput: An option is not one of the adapter's.
        ModelUnavailable: It cannot be run on this machine.
    """
    options = _options_of(settings)
    path = options.get("path")
    if path and (home.ROOT / path).exists():
        options["path"] = str(home.ROOT / path)
    kind = ADAPTERS[settings.adapter]
    if kind.seeded:
        options.setdefault("seed", settings.seed)
    try:
        built = kind(**options)
    except TypeError as error:
        raise BadInput(f"adapter {settings.adapter!r}: {error}") from None
    built.know(items)
    return built


def _options_of(settings: Settings) -> dict[str, Any]:
    """The adapter's own; a cap is the run's."""
    return {name: value for name, value in settings.options.items() if name != "max_usd"}


def device() -> str:
    """What runs run on, in words."""
    return f"{platform.machine()} {platform.system()}"
