"""Runs → rows of the store: scores by tag with their n, and what they refer to.

Of several runs of one model in one suite, by one judge, the one with the most scored answers
counts, then the newest: a try of 50 questions takes no full run's place.
"""

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from evalcore.records import (
    TOTAL,
    Benchmark,
    Item,
    Metric,
    Model,
    ModelKind,
    Score,
    Source,
    Suite,
    SuiteAxis,
)
from evalcore.store.judged_runs import JudgedRun

PREFIX = "runs/"


def counting(judged: Sequence[JudgedRun]) -> list[JudgedRun]:
    """Of several runs alike the largest, and of these the newest.

    Args:
        judged: As from ``graded.everything``, the oldest first.
    """
    best: dict[tuple[str, str, str], JudgedRun] = {}
    for graded in judged:
        key = (graded.run.settings.model, graded.suite, graded.metric)
        if key not in best or len(graded.scores) >= len(best[key].scores):
            best[key] = graded
    return list(best.values())


def source(graded: JudgedRun) -> str:
    """The id of the source that a run's scores come from."""
    return graded.suite if graded.run.shipped else f"{PREFIX}{graded.suite}"


def catalog_rows(judged: Sequence[JudgedRun]) -> dict[str, list[Any]]:
    """Rows that the runs need beside the catalogue's: table → records."""
    rows: dict[str, dict[Any, Any]] = defaultdict(dict)
    for graded in judged:
        settings, name = graded.run.settings, source(graded)
        suite, benchmark = graded.suite, settings.benchmark
        rows["source"][name] = Source(
            name, f"Runs on {benchmark}", None, str(graded.run.about["created"])[:7],
            "measured here", suite, None, None,
        )  # fmt: skip
        axes = list(dict.fromkeys(axis for item in graded.items for axis, _ in item.tags))
        rows["suite"][suite] = Suite(
            suite, suite if suite == benchmark else f"{benchmark}, run here", name,
            axes[0] if axes else "benchmark",
            f"How do models that were run here answer {benchmark}?", False, False, None,
        )  # fmt: skip
        for axis in axes or ["benchmark"]:
            rows["suite_axis"][suite, axis] = _axis(suite, axis, graded.items)
        rows["metric"][graded.metric] = Metric(
            graded.metric, graded.metric, "fraction", 0, 1, True, graded.whole, None
        )
        rows["model"][settings.model] = unknown_model(settings.model, name)
        # The first judge that its first run named is the benchmark's own.
        rows["benchmark"].setdefault(benchmark, Benchmark(
            benchmark, benchmark, None, "open question", graded.judge or None, graded.metric, None,
            None, None, None, None, None, None, None, name, None,
        ))  # fmt: skip
    return {table: list(records.values()) for table, records in rows.items()}


def scores(graded: JudgedRun) -> list[Score]:
    """The run's scores: one for each tag and one for all its items."""
    groups: dict[tuple[str, str], list[Item]] = defaultdict(list)
    axes = list(dict.fromkeys(axis for item in graded.items for axis, _ in item.tags))
    for item in graded.items:
        for axis, tag in item.tags:
            groups[axis, tag].append(item)
    for axis in axes or ["benchmark"]:
        groups[axis, TOTAL] = graded.items
    if not axes:
        groups["benchmark", graded.run.settings.benchmark] = graded.items
    rows = [_score(graded, axis, tag, items) for (axis, tag), items in groups.items()]
    return [score for score in rows if score is not None]


def run_row(graded: JudgedRun) -> dict[str, Any]:
    """The run's row of table ``run``."""
    about, settings = graded.run.about, graded.run.settings
    return {
        "id": f"{graded.run.id}/{graded.metric}",
        "model": settings.model,
        "benchmark": settings.benchmark,
        "judge": graded.metric,
        "settings": json.dumps(vars(settings), sort_keys=True, default=dict),
        "created": about["created"],
        "code": about["code"],
        "device": graded.run.fact("device") or about["device"],
        "precision": graded.run.fact("dtype"),
        "quantisation": graded.run.fact("quantisation"),
        "attention": graded.run.fact("attention"),
        "judge_version": graded.version,
        "seed": settings.seed,
        "revision": about["revision"],
        "items": len(graded.items),
        "answered": len(graded.answered),
        "failed": len(graded.failed),
        "scored": len(graded.scores),
        "seconds": graded.seconds,
        "usd": graded.usd,
    }


def _score(graded: JudgedRun, axis: str, tag: str, items: Sequence[Item]) -> Score | None:
    """The mean over the items that have a score; None where no item has one."""
    means = [graded.scores[item.id] for item in items if item.id in graded.scores]
    if not means:
        return None
    value = sum(means) / len(means)
    # Of zeros and ones the spread follows from the mean, and Wilson's interval is the better one.
    spread = len(means) > 1 and not set(means) <= {0.0, 1.0}
    return Score(
        model=graded.run.settings.model,
        mode="",
        benchmark=graded.run.settings.benchmark,
        split="",
        axis=axis,
        tag=tag,
        metric=graded.metric,
        judge=graded.judge,
        value=value,
        n=len(means),
        sd=_deviation(means) if spread else None,
        sd_over="items" if spread else None,
        repeats=max(graded.repeats[item.id] for item in items if item.id in graded.scores),
        kind="measured",
        printed_model=graded.run.settings.model,
        printed_value=repr(value),
        printed_unit="fraction",
        suspect=len(graded.answered) + len(graded.failed) < len(graded.items),
        note=_note(graded, items, len(means)),
    )


def _note(graded: JudgedRun, items: Sequence[Item], scored: int) -> str | None:
    """What is missing, in words; None if nothing is."""
    ids = {item.id for item in items}
    failed = len(ids & graded.failed)
    unread = len(ids & graded.answered) - scored
    unasked = len(ids) - len(ids & graded.answered) - failed
    cut = len(ids & graded.cut_off)
    notes = [f"answers cut off at their limit of tokens: {cut}"] if cut else []
    asked = "; ".join([*filter(None, [graded.particular]), *notes]) or None
    parts = [
        f"{count} {what}"
        for count, what in (
            (unasked, "not asked yet"),
            (failed, "gave no answer"),
            (unread, "with no score"),
        )
        if count
    ]
    if not parts:
        return asked
    low = sum(score for key, score in graded.scores.items() if key in ids) / len(ids)
    high = low + (len(ids) - scored) / len(ids)
    missing = (
        f"{scored} of {len(ids)} scored: {', '.join(parts)}; with all of them between "
        f"{100 * low:.1f} % and {100 * high:.1f} %"
    )
    return f"{asked}; {missing}" if asked else missing


def _axis(suite: str, axis: str, items: Sequence[Item]) -> SuiteAxis:
    """The axis with its measured number of tags an item (items without a tag do not count)."""
    counts = [sum(name == axis for name, _ in item.tags) for item in items]
    counts = [count for count in counts if count] or [1]
    mean = sum(counts) / len(counts)
    spread = math.sqrt(sum((count - mean) ** 2 for count in counts) / len(counts))
    return SuiteAxis(suite, axis, axis.replace("_", " ").capitalize(), None, mean, spread, None)


def unknown_model(name: str, origin: str, kind: ModelKind = "generative") -> Model:
    """A model of which only the name is known."""
    unknown = dict.fromkeys(
        (
            "maker", "family", "params_b", "params_basis", "active_params_b",
            "image_tower_params_m", "train_data", "train_data_m", "samples_seen_b", "gflops",
            "architecture", "patch_size", "learning_objective", "released", "status",
            "open_weights", "licence", "note",
        )
    )  # fmt: skip
    return Model(id=name, name=name, kind=kind, source=origin, **unknown)


def _deviation(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
