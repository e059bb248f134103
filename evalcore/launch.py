"""From a few words (models, a benchmark, judges) to runs; what the command line and pages use."""

import inspect
import json
import math
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalcore import catalog, evaluate, home, judges, runs
from evalcore.analysis import intervals
from evalcore.benchmarks import LOADERS, sampling
from evalcore.errors import BadInput, UnknownName
from evalcore.judges.cache import VerdictCache
from evalcore.judges.setup import Setup
from evalcore.models import ADAPTERS
from evalcore.models.baselines import Baseline
from evalcore.models.chat import Chat
from evalcore.progress import Progress
from evalcore.records import Deployment, Item, Judge, ModelAdapter
from evalcore.runs import Run, Settings

BLIND = "-blind"
"""Ends the id of a model that answered without its picture."""
SHIPPED = frozenset({"easy-vqa"})
"""Benchmarks whose data comes with a package."""
TYPICAL = 0.7
"""The score at which an expected half-width is told."""


@dataclass(frozen=True)
class Plan:
    """One run to make: its settings and its items."""

    settings: Settings
    items: tuple[Item, ...]

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
) -> list[Plan]:
    """The runs that were asked for, with their items loaded and checked.

    Args:
        models: Ids of ``deployments.csv``, or ADAPTER:NAME such as ``openai:gpt-4o-mini`` or
            ``transformers:folder-or-hub-id``.
        benchmark: A loader's name, NAME=PATH for one that needs a folder, or a file of one's own.
        limit: Items to take, seeded and spread over the tags.
        seed: Of the sample and of the models.
        blind: Also run each model with its picture withheld.
        options: More options for every adapter.

    Raises:
        BadInput: A model, benchmark or item cannot be used; nothing is spent before.
    """
    loader, loader_options, name = benchmark_of(benchmark)
    items = tuple(LOADERS[loader](**loader_options))
    if limit is not None:
        items = tuple(sampling.sample(items, limit, seed))
    sampling.check(items)
    made = []
    for model in models:
        deployment = deployment_of(model)
        settings = Settings(
            model=deployment.model,
            adapter=deployment.adapter,
            options={**json.loads(deployment.options), **(options or {})},
            benchmark=name,
            loader=loader,
            loader_options=loader_options,
            limit=limit,
            seed=seed,
        )
        made.append(Plan(settings, items))
        if blind:
            without = {**settings.options, "blind": True}
            made.append(
                Plan(replace(settings, model=settings.model + BLIND, options=without), items)
            )
    return made


def start(planned: Plan) -> Run:
    """Make (or find) the run folder of a plan."""
    return runs.create(planned.settings, planned.items, device())


def carry_out(
    run: Run,
    scored_by: Sequence[Judge],
    *,
    repeats: int = 1,
    retry_failed: bool = False,
    watch: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Answer and judge what is open in a run; see ``evaluate.evaluate``."""
    (run.folder / "cancel").unlink(missing_ok=True)
    return evaluate.evaluate(
        run,
        lambda: adapter(run.settings, run.items()),
        scored_by,
        repeats=repeats,
        retry_failed=retry_failed,
        watch=watch,
    )


def adapter(settings: Settings, items: Sequence[Item] = ()) -> ModelAdapter:
    """Make the model of a run; a baseline is shown all the items whose answers it counts.

    Raises:
        BadInput: An option is not one of the adapter's.
        ModelUnavailable: It cannot be run on this machine.
    """
    options = dict(settings.options)
    path = options.get("path")
    if path and (home.ROOT / path).exists():
        options["path"] = str(home.ROOT / path)
    kind = ADAPTERS[settings.adapter]
    if "seed" in inspect.signature(kind).parameters:
        options.setdefault("seed", settings.seed)
    try:
        made = kind(**options)
    except TypeError as error:
        raise BadInput(f"adapter {settings.adapter!r}: {error}") from None
    if isinstance(made, Baseline):
        made.know(items)
    return made


def judges_of(names: Sequence[str]) -> list[Judge]:
    """The judges by name; one that asks a model says which: ``goeval-ref-image=openai:NAME``.

    Raises:
        UnknownName: No such judge or model; the message lists them.
        BadInput: A judge that asks a model was given none.
    """
    return [_judge(*name.partition("=")[::2]) for name in names]


def _judge(name: str, asked: str) -> Judge:
    if not asked:
        return judges.make(name)
    deployment = deployment_of(asked)
    model = ADAPTERS[deployment.adapter](**json.loads(deployment.options))
    if not isinstance(model, Chat):
        raise BadInput(
            f"judge {name!r}: {asked!r} cannot be asked; take openai:NAME or gemini:NAME"
        )
    cache = home.home() / "verdicts.jsonl"
    return judges.make(name, Setup(asker=model, cache=VerdictCache(cache)))


def deployments() -> dict[str, Deployment]:
    """The rows of ``deployments.csv``, shipped and added, by model."""
    folders = home.catalog_folders()
    paths = [path for folder in folders for path in catalog.files(folder, "deployments.csv")]
    rows = [row for path in paths for row in catalog.read(path, Deployment)]
    return {row.model: row for row in rows}


def deployment_of(model: str) -> Deployment:
    """How a model is run: its catalogue row, or what ADAPTER:NAME says.

    Raises:
        UnknownName: It is neither.
    """
    known = deployments()
    if model in known:
        return known[model]
    kind, colon, name = model.partition(":")
    if kind in ADAPTERS and (colon or not known):
        field = "path" if kind in ("transformers", "remote-code") else "model"
        options = {field: name} if name else {}
        return Deployment(name or kind, kind, json.dumps(options), None)
    if model in ADAPTERS:
        return Deployment(model, model, "{}", None)
    raise UnknownName(
        f"unknown model {model!r}; known: {', '.join(known)}; or one of "
        f"{', '.join(f'{kind}:NAME' for kind in ADAPTERS)}"
    )


def benchmark_of(text: str) -> tuple[str, dict[str, Any], str]:
    """(loader, its options, the benchmark's id) of a name, NAME=PATH or a file.

    Raises:
        UnknownName: It is none of these.
    """
    name, equals, path = text.partition("=")
    if name in LOADERS:
        return name, _loader_options(name, path if equals else None), name
    if Path(text).exists():
        own = runs.slug(Path(text).stem)
        return "file", {"path": str(Path(text).resolve()), "name": own}, own
    raise UnknownName(
        f"unknown benchmark {text!r}; known: {', '.join(LOADERS)} (NAME=FOLDER where it needs "
        "one), or the path of a file of your own"
    )


def _loader_options(name: str, path: str | None) -> dict[str, Any]:
    """What a loader is given: a folder as it stands on this disk, a hub name as it is written."""
    if path is None:
        if name not in SHIPPED:
            raise BadInput(f"benchmark {name!r} needs its data: {name}=FOLDER")
        return {}
    return {"path": path if name == "hf" else str(Path(path).resolve())}


def spawn(arguments: Sequence[str]) -> int:
    """Start ``python -m evalcore`` with these arguments in a process that outlives this one.

    Returns:
        Its process id; what it says goes into ``launch.log`` in the home folder.
    """
    log = home.home() / "launch.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file:
        child = subprocess.Popen(
            [sys.executable, "-m", "evalcore", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
            cwd=home.ROOT,
        )
    return child.pid


def log_tail(lines: int) -> str:
    """The last lines that started processes have said; empty if none has."""
    try:
        text = (home.home() / "launch.log").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def device() -> str:
    """What runs run on, in words."""
    return f"{platform.machine()} {platform.system()}"
