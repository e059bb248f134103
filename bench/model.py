"""Prints what a real run costs beside its model's calls: ``python -m bench.engine model``.

The strong demo model answers within two or three milliseconds, so that the engine's own share is
larger than it will be with any model of use. Torch takes all cores: what other programs take of
them meanwhile counts here, so the load stands in the title.
"""

import dataclasses
import gc
import os
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from bench.clock import of
from bench.table import show, verdict
from evalcore import judges
from evalcore.engine import launch, runs
from evalcore.engine.evaluate import evaluate
from evalcore.engine.launch import Plan
from evalcore.home import ROOT
from evalcore.models.transformers_vlm import TransformersVLM
from evalcore.records import Item, Prediction

MODEL, BENCHMARK, JUDGE = "demo-vlm-strong", "easy-vqa", "exact"
ANSWERS, REPEATS, BAR = 1_000, 6, 0.03
SIZES = sorted({TransformersVLM.batch_size, 8, 32})
"""Most items in a batch; the default is among them."""


class Watched(TransformersVLM):
    """The model; it notes when it was first called."""

    called = 0.0

    def _generate(self, items: Sequence[Item], ready: Any) -> list[Prediction]:
        self.called = self.called or time.perf_counter()
        return super()._generate(items, ready)


class Took(NamedTuple):
    """One run, in seconds."""

    wall: float
    cpu: float
    """Of all threads, those of torch too."""
    outside: float = 0.0
    """Share of the time from the first ``generate`` to the end of the run in no ``generate``."""


def model_of(plan: Plan) -> Watched:
    """The model of a plan, warmed up."""
    options = dict(plan.settings.options)
    model = Watched(str(ROOT / options.pop("path")), **options)
    for _ in model.predict(plan.items[:100]):
        pass
    return model


def timed(call: Callable[[], object]) -> Took:
    """Seconds of a call; garbage of earlier ones is collected before."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return Took(time.perf_counter() - wall, time.process_time() - cpu)


def stream(plan: Plan, model: Watched) -> Took:
    """A new run: asked, judged, sealed."""
    settings = dataclasses.replace(plan.settings, seed=time.monotonic_ns())
    run = runs.create(settings, plan.items, "cpu")
    model.called = 0.0
    took = timed(lambda: evaluate(run, lambda: model, [judges.make(JUDGE)]))
    whole = time.perf_counter() - model.called
    inside = sum(one.seconds or 0.0 for one in run.predictions().values())
    return took._replace(outside=1 - inside / whole)


def bare(plan: Plan, model: Watched) -> Took:
    """Nothing but the model's answers, which nobody keeps."""
    return timed(lambda: [None for _ in model.predict(plan.items)])


def pairs(plan: Plan, model: Watched) -> list[tuple[Took, Took]]:
    """Stream and bare loop, taken together; which comes first changes each time."""
    found = []
    for number in range(REPEATS):
        first, second = (stream, bare) if number % 2 else (bare, stream)
        one, other = first(plan, model), second(plan, model)
        found.append((one, other) if number % 2 else (other, one))
    return found


def words(plan: Plan, model: Watched) -> dict[str, str | None]:
    """What the model says to each item."""
    return {one.item: one.text for one in model.predict(plan.items)}


def spread(name: str, values: Sequence[float], form: str) -> tuple[str, ...]:
    """A row: its name, and the least, median and most."""
    return name, *(form.format(value) for value in of(list(values)))


def main() -> None:
    """Print shares, ratios and flips; takes about a minute and a half."""
    shares, ratios, said = [], [], {}
    for size in (1, *SIZES):
        options = {"batch_size": size}
        plan = launch.plan([MODEL], BENCHMARK, limit=ANSWERS, options=options)[0]
        model = model_of(plan)
        name = f"batches of {size}{' (default)' * (size == TransformersVLM.batch_size)}"
        said[name] = words(plan, model)
        if size == 1:
            continue
        found = pairs(plan, model)
        shares.append((name, [ours.outside for ours, _ in found]))
        for kind in ("wall", "cpu"):
            pair = [getattr(ours, kind) / getattr(loop, kind) for ours, loop in found]
            ratios.append(spread(f"{name}, {kind}", pair, "{:.3f} x"))
    worst = max(of(values).median for _, values in shares)
    header = (f"{REPEATS} runs of {ANSWERS:,}", "min", "median", "max")
    show(
        f"{MODEL} on {BENCHMARK}, judged by {JUDGE}: share of the time outside transformers' "
        "generate(),\nfrom its first call until the run is sealed; everything else counts as "
        "outside: pictures, tokens,\ndisk, judge. Median at most "
        f"{BAR:.0%}: {verdict(worst, BAR)}. "
        f"Load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores",
        header,
        [spread(name, values, "{:.2%}") for name, values in shares],
    )
    show(
        "The whole of evaluate() beside a bare loop over the same model's predict(), which prepares"
        "\nand generates, and keeps nothing (pairs in changing order)",
        header,
        ratios,
    )
    single = said.pop("batches of 1")
    flips = [
        (name, f"{sum(answers[item] != single[item] for item in single)} of {len(single):,}")
        for name, answers in said.items()
    ]
    show("Answers that are not what the same model says to the same item alone", ("", ""), flips)
