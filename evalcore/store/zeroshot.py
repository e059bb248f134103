"""Runs of contrastive models → rows of the store: one suite of benchmarks, one of the digit study.

Their metrics are no means over verdicts (mean recall per class, average precision), so they are
read from what the run itself wrote. A run with clip-benchmark's names and templates was asked as
open_clip's table was, and stands in that suite, beside what is published.
"""

import json
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evalcore import values
from evalcore.contrastive import digits, prompts, unibench
from evalcore.contrastive.record import ADAPTER, COUNTED, SCORES, interval
from evalcore.contrastive.scoring import Metric as Scored
from evalcore.engine import sealed
from evalcore.engine.damage import Problem
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError
from evalcore.records import Benchmark, Metric, Score, Source, Suite, SuiteAxis
from evalcore.store.judged_runs import JudgedRun, refused
from evalcore.store.measured import PREFIX, unknown_model

SUITE, STUDY, PUBLISHED = "zeroshot", digits.STUDY, "openclip"
AXES = {
    SUITE: (
        ("benchmark", "Benchmark"),
        ("type", "Type of benchmark"),
        ("capability", "Capability"),
    ),
    STUDY: tuple((f"top-{k}", f"Among the first {k}") for k in range(1, 6)),
}
ABOUT = {
    SUITE: (
        "Zero-shot runs",
        "How well do contrastive models that were run here recognise and relate without training?",
    ),
    STUDY: ("Digit study", "How do labels and prompts decide whether a model reads digits?"),
}
PROPORTIONS = ("accuracy", "hit@1", "winoground")
"""Metrics that begin so are means of right and wrong."""
LEAST_CLASSES = 2


@dataclass(frozen=True)
class ContrastiveRun:
    """One run, as far as it counts."""

    run: Run
    about: dict[str, Any]
    """What stands in ``scores.json``."""
    graded: JudgedRun
    catalogue: Benchmark | None = None
    """The catalogue's row of its benchmark."""
    other: bool = False
    """Whether it chose among classes where the catalogue's benchmark chooses among captions."""

    @property
    def prompts(self) -> str:
        """The name of its prompt set; empty for the benchmark's own."""
        return str(self.run.settings.options.get("prompts", ""))

    @property
    def suite(self) -> str:
        """Where it stands."""
        if self.prompts.startswith(digits.PREFIX):
            # As other demo runs, the study that ships has a suite of its own.
            return digits.DEMO if self.run.shipped else STUDY
        if self.prompts != prompts.CLIP_BENCHMARK or self.catalogue is None or self.other:
            return SUITE
        # Beside open_clip's numbers only in the metric that they are in.
        return PUBLISHED if self.metrics()[0].name == self.catalogue.metric else SUITE

    @property
    def source(self) -> str:
        """The id of the source that its scores come from."""
        return self.suite if self.run.shipped else f"{PREFIX}{self.suite}"

    def metrics(self) -> list[Scored]:
        """What it scored, the main metric first; unknown is NaN."""
        return list(self.about["metrics"])


def is_one(graded: JudgedRun) -> bool:
    """Whether a run is of a contrastive model."""
    return graded.run.settings.adapter == ADAPTER


def readable(judged: Sequence[JudgedRun]) -> tuple[list[JudgedRun], list[Problem]]:
    """The runs without those of contrastive models whose scores cannot be read, and these.

    Args:
        judged: As from ``graded.everything``.
    """
    kept, problems = [], []
    for graded in judged:
        try:
            if is_one(graded):
                _told(graded)
        except (EvalcoreError, values.Spoilt) as error:
            problems.append(refused(graded.run.id, EvalcoreError(f"{SCORES}: {error}")))
            continue
        kept.append(graded)
    return kept, problems


def counting(judged: Sequence[JudgedRun]) -> list[ContrastiveRun]:
    """Of several runs of one model on one benchmark with one prompt set the newest.

    Args:
        judged: As from ``readable``, the oldest first.
    """
    best: dict[tuple[str, str, str, bool, str], ContrastiveRun] = {}
    ours = [graded for graded in judged if is_one(graded)]
    catalogued = unibench.catalogued() if ours else {}
    captioned = (
        {row.benchmark for row in unibench.data() if row.form == "captions"} if ours else set()
    )
    for our in ours:
        about, asked = _told(our), our.run.settings
        other = asked.benchmark in captioned and bool(about["classes"])
        scored = ContrastiveRun(our.run, about, our, catalogued.get(asked.benchmark), other)
        best[scored.suite, asked.model, asked.benchmark, other, scored.prompts] = scored
    return list(best.values())


def _told(graded: JudgedRun) -> dict[str, Any]:
    """What a run's ``scores.json`` tells.

    Raises:
        EvalcoreError: It is not there, or not what was written.
        Spoilt: It tells what no run can.
    """
    try:
        about = json.loads(sealed.checked(graded.run.folder, SCORES))
    except (ValueError, RecursionError) as error:
        raise EvalcoreError(f"it cannot be read ({error})") from None
    if not isinstance(about, dict) or not isinstance(about.get("metrics"), list):
        raise values.Spoilt("it tells no metrics")
    metrics = [_metric(row) for row in about["metrics"]]
    if not metrics:
        raise values.Spoilt("it tells no metrics")
    classes = about.get("classes")
    if classes is not None and (values.count(classes) or 0) < LEAST_CLASSES:
        raise values.Spoilt(f"it has {classes!r:.40} class, so that any answer is right")
    texts = {name: values.maybe_text(about.get(name)) for name in ("type", "capability")}
    counts = {name: values.count(about.get(name)) or 0 for name in COUNTED}
    return {**about, **texts, **counts, "metrics": metrics, "classes": classes}


def _metric(row: object) -> Scored:
    """A metric as it stands in ``scores.json``; unknown is NaN.

    Raises:
        Spoilt: It tells what no metric is.
    """
    if not isinstance(row, dict) or not row.keys() >= {"name", "value", "n", "chance"}:
        raise values.Spoilt(f"{row!r:.40} is no metric")
    n, worth = values.count(row["n"]), values.amount(row.get("worth"))
    value, chance = values.score(row["value"]), values.score(row["chance"])
    if n is None or not values.text(row["name"]):
        raise values.Spoilt(f"{row!r:.40} is no metric")
    if chance == 1:
        raise values.Spoilt(f"guessing earns all of {row['name']!r:.40}, so that it says nothing")
    return Scored(
        name=row["name"], value=_known(value), n=n, chance=_known(chance),
        note=values.text(row.get("note", "")), worth=_known(worth),
    )  # fmt: skip


def _known(value: float | None) -> float:
    return math.nan if value is None else value


def catalog_rows(results: Sequence[ContrastiveRun]) -> dict[str, list[Any]]:
    """Rows that the runs need beside the catalogue's: table → records."""
    rows: dict[str, dict[Any, Any]] = defaultdict(dict)
    for result in results:
        suite, source = result.suite, result.source
        month = str(result.run.about["created"])[:7]
        rows["source"][source] = Source(
            source, "Runs of contrastive models", None, month, "measured here", suite, None, None
        )
        if suite in ABOUT:
            name, question = ABOUT[suite]
            rows["suite"][suite] = Suite(
                suite, name, source, AXES[suite][0][0], question, False, False, None
            )
            for axis, title in AXES[suite]:
                rows["suite_axis"][suite, axis] = SuiteAxis(suite, axis, title, None, 1, 0, None)
        rows["model"][result.run.settings.model] = unknown_model(
            result.run.settings.model, source, kind="contrastive"
        )
        for (_, _, metric), benchmark in zip(_placed(result), _names(result), strict=True):
            whole = metric.name.startswith(PROPORTIONS)
            rows["metric"][metric.name] = Metric(
                metric.name, metric.name, "fraction", 0, 1, True, whole, None
            )
            rows["benchmark"][benchmark] = _benchmark(result, benchmark, metric)
        judged = result.graded.metric  # the items' own verdicts
        rows["metric"].setdefault(
            judged, Metric(judged, judged, "fraction", 0, 1, True, result.graded.whole, None)
        )
    return {table: list(records.values()) for table, records in rows.items()}


def scores(result: ContrastiveRun) -> list[Score]:
    """The run's scores."""
    return [
        _score(result, benchmark, axis, tag, metric)
        for (axis, tag, metric), benchmark in zip(_placed(result), _names(result), strict=True)
        if not math.isnan(metric.value)  # nothing could be scored
    ]


def _placed(result: ContrastiveRun) -> list[tuple[str, str, Scored]]:
    """(axis, tag, metric) of each score that the store holds."""
    metrics, name = result.metrics(), result.run.settings.benchmark
    if not result.prompts.startswith(digits.PREFIX):
        return [("benchmark", name, metrics[0])]
    tag = f"{name}: {result.prompts.removeprefix(digits.PREFIX)}"
    tops = [metric for metric in metrics if metric.name.startswith("accuracy")]
    return [(f"top-{k}", tag, metric) for k, metric in enumerate(tops, 1)]


def _names(result: ContrastiveRun) -> list[str]:
    """The benchmark of each score: another way of scoring is another benchmark."""
    name = result.run.settings.benchmark
    first = f"{name}-classes" if result.other else name
    return [first if k == 0 else f"{name}-top{k + 1}" for k in range(len(_placed(result)))]


def _score(result: ContrastiveRun, benchmark: str, axis: str, tag: str, metric: Scored) -> Score:
    known, proportion = not math.isnan(interval(metric)[0]), metric.name.startswith(PROPORTIONS)
    # What is no proportion, or of items that share pictures, gets its own spread; where none is
    # known, no n from which a wrong interval would follow.
    spread = (metric.value * (1 - metric.value) * metric.n / metric.worth) ** 0.5 if known else 0.0
    own = known and spread > 0 and (not proportion or metric.worth < metric.n)
    return Score(
        model=result.run.settings.model,
        mode="",
        benchmark=benchmark,
        split="",
        axis=axis,
        tag=tag,
        metric=metric.name,
        judge="",
        value=metric.value,
        n=metric.n if known else None,
        sd=spread if own else None,
        sd_over="items" if own else None,
        repeats=1,
        kind="measured",
        printed_model=result.run.settings.model,
        printed_value=repr(metric.value),
        printed_unit="fraction",
        suspect=False,
        note=_note(result, metric),
    )


def _note(result: ContrastiveRun, metric: Scored) -> str | None:
    """What must be said with a score; None if nothing must."""
    about = result.about
    notes = ["demo: a run that ships with Sextant"] if result.run.shipped else []
    notes += [metric.note] if metric.note else []
    notes += (
        [f"of classes; {result.run.settings.benchmark} itself is of captions"]
        if result.other
        else []
    )
    undecidable = about.get("undecidable", 0)  # runs from before it was counted have none
    there = metric.n + about["unread"] + undecidable
    whole = result.catalogue.n_items if result.catalogue else None
    if result.suite == PUBLISHED and whole not in (None, there):
        notes.append(f"{there:,} pictures, the test set has {whole:,}")
    if math.isnan(metric.worth):
        notes.append(f"of {metric.n} pictures; no interval is known")
    if about.get("clusters"):
        notes.append(f"the items are about {about['clusters']:,} pictures; its interval knows it")
    for count, what in (
        (about["unread"], "pictures could not be read and do not count"),
        (undecidable, "items have a wrong caption equal to the right one and do not count"),
        (about["ties"], "ties, each worth its share"),
        (about["cut"], f"of {about['texts']} texts were longer than the model's context and cut"),
    ):
        if count:
            notes.append(f"{count} {what}")
    return "; ".join(notes) or None


def _benchmark(result: ContrastiveRun, name: str, metric: Scored) -> Benchmark:
    about = result.about
    chance = None if math.isnan(metric.chance) else metric.chance
    return Benchmark(
        id=name,
        name=name,
        family=None,
        task="zero-shot" if about["classes"] else "relation",
        judge=None,
        metric=metric.name,
        chance=chance,
        n_items=metric.n or None,
        n_items_source="counted in a run",
        n_classes=about["classes"],
        type=about["type"],
        capability=about["capability"],
        curated=None,
        object_centric=None,
        source=result.source,
        note=None,
    )
