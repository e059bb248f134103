"""Runs → rows of the store: scores by tag with their n, and what they refer to.

A run that repeats a published protocol stands in that suite, as a source of its own kind (measured
here). Others stand in a suite named after their benchmark, with ``-runs`` behind it if a published
suite has that name. Of several runs of one model in one suite, by one judge, the one with the most
scored answers counts, then the newest: a try of 50 questions takes no full run's place.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evalcore import catalog, home
from evalcore.engine import runs
from evalcore.engine.progress import open_still
from evalcore.engine.runs import Run
from evalcore.records import (
    Benchmark,
    Item,
    Metric,
    Model,
    Score,
    Source,
    Suite,
    SuiteAxis,
    Verdict,
)
from evalcore.store import protocols

TOTAL = "total"
PREFIX = "runs/"


@dataclass(frozen=True)
class Graded:
    """A run with one judge's verdicts, all repeats."""

    run: Run
    items: list[Item]
    answered: set[str]
    failed: set[str]
    suite: str
    metric: str
    judge: str
    """The model that judged; empty for a rule."""
    version: str
    """Of the judge."""
    particular: str | None
    """What must be said with every score: a sample, what the machine lacked."""
    scores: dict[str, list[float]]
    """Item → its scores, one a repeat."""
    seconds: float | None
    usd: float | None


def countable() -> list[Run]:
    """The runs with verdicts that nobody works on or is about to: one under way counts later."""
    return [run for run in runs.every() if run.judges() and not open_still(run)]


def gather() -> list[Graded]:
    """Every ended run with verdicts; of several alike the largest, and of these the newest."""
    published = _published()
    best: dict[tuple[str, str, str], Graded] = {}
    for run in sorted(countable(), key=lambda run: str(run.about["created"])):
        for graded in _graded(run, published):
            key = (run.settings.model, graded.suite, graded.metric)
            if key not in best or len(graded.scores) >= len(best[key].scores):
                best[key] = graded
    return list(best.values())


def source(graded: Graded) -> str:
    """The id of the source that a run's scores come from."""
    return f"{PREFIX}{graded.suite}"


def _published() -> frozenset[str]:
    """The suites of the catalogue."""
    folders = home.catalog_folders()
    paths = [path for folder in folders for path in catalog.files(folder, "suites.csv")]
    return frozenset(row.suite for path in paths for row in catalog.read(path, Suite))


def catalog_rows(found: Sequence[Graded]) -> dict[str, list[Any]]:
    """Rows that the runs need beside the catalogue's: table → records."""
    rows: dict[str, dict[Any, Any]] = defaultdict(dict)
    for graded in found:
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
        whole = all(score in (0.0, 1.0) for each in graded.scores.values() for score in each)
        rows["metric"][graded.metric] = Metric(
            graded.metric, graded.metric, "fraction", 0, 1, True, whole, None
        )
        rows["model"][settings.model] = _model(settings.model, name)
        rows["benchmark"][benchmark] = Benchmark(
            benchmark, benchmark, None, "open question", graded.judge or None, graded.metric, None,
            None, None, None, None, None, None, None, name, None,
        )  # fmt: skip
    return {table: list(records.values()) for table, records in rows.items()}


def scores(graded: Graded) -> list[Score]:
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
    made = [_score(graded, axis, tag, items) for (axis, tag), items in groups.items()]
    return [score for score in made if score is not None]


def run_row(graded: Graded) -> dict[str, Any]:
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


def _graded(run: Run, published: frozenset[str]) -> list[Graded]:
    items, predictions = run.items(), run.predictions().values()
    answered = {one.item for one in predictions if one.text is not None}
    particular = _particular(run, len(items))
    return [
        Graded(
            run=run,
            items=items,
            answered=answered,
            failed={one.item for one in predictions} - answered,
            **_place(run, judge, published),
            version=version,
            particular=particular,
            scores=_by_item(verdict for verdict in verdicts if verdict.item in answered),
            seconds=_sum(one.seconds for one in predictions),
            usd=_sum([*(one.usd for one in predictions), *(one.usd for one in verdicts)]),
        )
        for (judge, version), verdicts in _verdicts(run).items()
    ]


def _verdicts(run: Run) -> dict[tuple[str, str], list[Verdict]]:
    """The verdicts of each judge in one version: that with the most scores, then the newest.

    Another prompt, model setting or rule is another version, and is not averaged with it.
    """
    found: dict[tuple[str, str], list[Verdict]] = defaultdict(list)
    for key in run.judges():
        for verdict in run.verdicts(key).values():
            found[verdict.judge, verdict.version].append(verdict)
    told = [(fact.about["judge"], fact.about["version"]) for fact in run.facts("judge")]

    def weight(made: tuple[str, str]) -> tuple[int, int]:
        scored = {one.item for one in found[made] if one.score is not None}
        return len(scored), max((at for at, one in enumerate(told) if one == made), default=-1)

    best: dict[str, tuple[str, str]] = {}
    for made in sorted(found, key=weight):
        best[made[0]] = made
    return {made: found[made] for made in best.values()}


def _place(run: Run, judge: str, published: frozenset[str]) -> dict[str, str]:
    """Suite, metric and judge of what one judge of a run said."""
    protocol = protocols.repeated(run, judge)
    if protocol:
        return {
            "suite": protocol.suite,
            "metric": protocol.metric,
            "judge": protocol.judge_in_store,
        }
    name = run.settings.benchmark
    suite = f"{name}-runs" if name in published else name
    return {"suite": suite, "metric": judge, "judge": judge.partition(":")[2]}


def _by_item(verdicts: Iterable[Verdict]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.score is not None:
            found[verdict.item].append(verdict.score)
    return dict(found)


def _score(graded: Graded, axis: str, tag: str, items: Sequence[Item]) -> Score | None:
    """The mean over the items that have a score; None where no item has one."""
    means = [
        sum(graded.scores[item.id]) / len(graded.scores[item.id])
        for item in items
        if item.id in graded.scores
    ]
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
        repeats=max(len(graded.scores[item.id]) for item in items if item.id in graded.scores),
        kind="measured",
        printed_model=graded.run.settings.model,
        printed_value=repr(value),
        printed_unit="fraction",
        suspect=len(graded.answered) + len(graded.failed) < len(graded.items),
        note=_note(graded, items, len(means)),
    )


def _note(graded: Graded, items: Sequence[Item], scored: int) -> str | None:
    """What is missing, in words; None if nothing is."""
    ids = {item.id for item in items}
    failed = len(ids & graded.failed)
    unread = len(ids & graded.answered) - scored
    unasked = len(ids) - len(ids & graded.answered) - failed
    asked = graded.particular
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
    low = sum(sum(s) / len(s) for key, s in graded.scores.items() if key in ids) / len(ids)
    high = low + (len(ids) - scored) / len(ids)
    missing = (
        f"{scored} of {len(ids)} scored: {', '.join(parts)}; with all of them between "
        f"{100 * low:.1f} % and {100 * high:.1f} %"
    )
    return f"{asked}; {missing}" if asked else missing


def _particular(run: Run, number: int) -> str | None:
    """What is particular about a run's questions or answers; None if nothing is."""
    settings, told = run.settings, []
    if settings.limit is not None:
        told.append(f"a sample of {number} questions (seed {settings.seed})")
    if settings.adapter == "answers":
        told.append("answers made elsewhere, from a file")
    if left_out := run.fact("left out"):
        told.append(left_out)
    return "; ".join(told) or None


def _axis(suite: str, axis: str, items: Sequence[Item]) -> SuiteAxis:
    """The axis with its measured number of tags an item (items without a tag do not count)."""
    counts = [sum(one == axis for one, _ in item.tags) for item in items]
    counts = [count for count in counts if count] or [1]
    mean = sum(counts) / len(counts)
    spread = math.sqrt(sum((count - mean) ** 2 for count in counts) / len(counts))
    return SuiteAxis(suite, axis, axis.replace("_", " ").capitalize(), None, mean, spread, None)


def _model(name: str, origin: str) -> Model:
    unknown = dict.fromkeys(
        (
            "maker", "family", "params_b", "params_basis", "active_params_b",
            "image_tower_params_m", "train_data", "train_data_m", "samples_seen_b", "gflops",
            "architecture", "patch_size", "learning_objective", "released", "status",
            "open_weights", "licence", "note",
        )
    )  # fmt: skip
    return Model(id=name, name=name, kind="generative", source=origin, **unknown)


def _deviation(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
