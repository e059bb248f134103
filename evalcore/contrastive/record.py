"""A scored benchmark → a run folder like every other, whole from its first moment.

Beside what each run has (``run.json``, items, answers, verdicts) there are ``scores.json`` with the
metrics, of which some are no means over items, and ``confidence.parquet``.
"""

import json
import math
import platform
import shutil
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow

from evalcore import home
from evalcore.analysis import intervals
from evalcore.contrastive.encoder import NO_VECTOR, Encoder
from evalcore.contrastive.scoring import Metric, Scored
from evalcore.contrastive.task import Task
from evalcore.engine import launch, provenance, runs, sealed
from evalcore.engine.folder import ABOUT, ITEMS
from evalcore.engine.lines import mark
from evalcore.engine.runs import Settings
from evalcore.errors import BadInput, EvalcoreError


@dataclass(frozen=True)
class BenchmarkResult:
    """What one model got on one benchmark."""

    model: str
    benchmark: str
    metrics: tuple[Metric, ...]
    """The benchmark's main metric first."""
    run: str
    """The run's id."""
    prompts: str
    """The name of the prompt set; empty for the benchmark's own."""
    ties: int
    unread: int
    """Pictures that could not be read; they are in no metric."""
    cut: int | None
    """Texts that are longer than the model's context and were cut; None if unknown."""
    texts: int
    seconds: float
    decoded: int
    """Pictures that were decoded and resized for it."""
    encoded: int
    """Pictures that the model was shown for it; the others were kept from before."""
    failed: tuple[str, ...] = ()
    """Why pictures could not be read, the first few."""
    undecidable: int = 0
    """Items with a wrong caption that equals the right one; they are in no metric."""
    clusters: int | None = None
    """Pictures that the items are about, where some share one; None: each item stands alone."""

    def row(self) -> dict[str, Any]:
        """The outcome as a row of a table; metrics by their names."""
        main = self.metrics[0]
        low, high = interval(main)
        row: dict[str, Any] = {
            "model": self.model,
            "benchmark": self.benchmark,
            "prompts": self.prompts,
            "metric": main.name,
            "value": main.value,
            "low": low,
            "high": high,
            "n": main.n,
            "chance": main.chance,
        }
        row |= {metric.name: metric.value for metric in self.metrics}
        counts = (
            "clusters",
            "ties",
            "unread",
            "undecidable",
            "cut",
            "decoded",
            "encoded",
            "seconds",
            "run",
        )
        return row | {name: getattr(self, name) for name in counts}


def interval(metric: Metric) -> tuple[float, float]:
    """The 95 % interval over pictures, by Wilson; NaN where none is known.

    Pictures whose ties earn a share vary less than right and wrong ones: there it is too wide.
    """
    if not metric.worth > 0:
        return math.nan, math.nan
    low, high = intervals.wilson(metric.value, metric.worth)
    return float(low), float(high)


ADAPTER = "contrastive"
"""What such a run's settings name as adapter."""
SCORES = "scores.json"
COUNTED = ("ties", "unread", "undecidable", "cut", "texts", "clusters", "seconds")
"""What stands there beside the metrics."""
UNREAD = "the picture cannot be read"
NO_EMBEDDING = "the model gives no embedding of the picture"
VERSION = "1"
"""Of the scoring; another one is another verdict."""


def settings(encoder: Encoder, task: Task, prompts: str, clusters: int | None = None) -> Settings:
    """What tells this run from others: the weights, the pictures' place, and what is said of them.

    A model or data set whose contents nothing names gives a new run each time.

    Args:
        encoder: The model.
        task: The benchmark.
        prompts: The name of the prompt set.
        clusters: How many pictures the items are about, where some share one.
    """
    unnamed = encoder.fingerprint is None or task.pictures.revision is None
    options: dict[str, Any] = {
        "fingerprint": encoder.fingerprint,
        "precision": encoder.precision,
        "transform": encoder.transform.key,
        "prompts": prompts,
        "templates": list(task.templates) if task.classes else [],
        "wording": task.wording(),
    }
    if clusters is not None:
        options["clusters"] = clusters
    if unnamed:
        options["time"] = time.time_ns()
    kind = str(task.source.get("loader", ADAPTER))
    rest = {name: value for name, value in task.source.items() if name != "loader"}
    return Settings(encoder.name, ADAPTER, task.id, kind, options, rest)


def write(  # noqa: PLR0913  one argument for each thing that a run is made of
    encoder: Encoder,
    task: Task,
    scored: Scored,
    outcome: BenchmarkResult,
    chosen: Settings,
    failed: Mapping[int, str],
) -> None:
    """Make the run's folder aside and move it into place; one that is there already stays.

    Args:
        encoder: The model.
        task: The benchmark.
        scored: Every item of it.
        outcome: What came of it.
        chosen: As from ``settings``.
        failed: Picture → why it has no embedding.

    Raises:
        BadInput: It is there with other pictures or labels.
        EvalcoreError: The home folder cannot be written.
    """
    folder, revision = home.runs_folder() / chosen.id, task.revision()
    if _there(folder, revision):
        return
    ids = names(task)
    aside = folder.with_name(f".{folder.name}.{uuid.uuid4().hex[:8]}")
    try:
        (aside / "verdicts").mkdir(parents=True)
        about = {"settings": asdict(chosen), **_made(), "revision": revision, "items": len(task)}
        (aside / ABOUT).write_text(json.dumps(about, indent=1, default=str), encoding="utf-8")
        (aside / ITEMS).write_text(_items(task, ids), encoding="utf-8")
        (aside / SCORES).write_text(_scores(task, outcome), encoding="utf-8")
        for name, table in _tables(task, ids, scored, outcome, failed).items():
            sealed.put(table, aside / f"{name}.parquet")
        sealed.note_all(aside)
        provenance.tell(aside, "model", {"adapter": ADAPTER, **encoder.facts()})
        aside.rename(folder)
    except (OSError, EvalcoreError) as error:
        shutil.rmtree(aside, ignore_errors=True)
        if not _there(folder, revision):  # otherwise another process was first
            raise runs.no_folder(folder, error) from None


def _there(folder: Path, revision: str) -> bool:
    if not (folder / ABOUT).exists():
        return False
    held = str(runs.Run(folder).about["revision"])
    if held != revision:
        raise BadInput(
            f"{folder}: the benchmark has other pictures or labels now (revision {revision}, the "
            f"run has {held}); move that folder away to begin anew"
        )
    return True


@cache
def _code() -> dict[str, Any]:
    """What this process runs with, which takes a while to gather."""
    return {
        "code": provenance.code_version(),
        "packages": provenance.packages(),
        "python": platform.python_version(),
        "device": launch.device(),
    }


def _made() -> dict[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {"created": now, **_code(), "layout": sealed.LAYOUT}


def names(task: Task) -> list[str]:
    """The items' ids."""
    width = len(str(max(0, len(task) - 1)))
    return [f"{at:0{width}d}" for at in range(len(task))]


def _items(task: Task, ids: Sequence[str]) -> str:
    """The items as lines, each in the form of ``records.Item``."""
    benchmark, question = json.dumps(task.id), json.dumps(_question(task))
    return "".join(
        f'{{"answers": [{right}], "benchmark": {benchmark}, "choices": [{choices}], '
        f'"cluster": {cluster}, "id": "{name}", "images": [{images}], '
        f'"question": {question}, "tags": []}}\n'
        for name, cluster, images, (right, choices) in zip(
            ids, _clusters(task, ids), _images(task), _right(task), strict=True
        )
    )


def _clusters(task: Task, ids: Sequence[str]) -> Iterator[str]:
    """The cluster of each item, as JSON: named by the first item about the picture."""
    cluster = task.cluster()
    if cluster is None:
        yield from repeat("null", len(ids))
        return
    _, first, number, count = np.unique(
        cluster, return_index=True, return_inverse=True, return_counts=True
    )
    for own in number:
        yield f'"picture/{ids[first[own]]}"' if count[own] > 1 else "null"


def _question(task: Task) -> str:
    if task.pairs:
        return "<image><image> Which caption belongs to which picture?"
    if task.captions:
        return "Which caption is right?"
    return f"Which of {len(task.classes)} classes does the picture show?"


def _right(task: Task) -> Iterator[tuple[str, str]]:
    """Each item's right answers and its choices, as JSON without the brackets.

    Classes are not repeated as choices of each picture: there may be thousands.
    """
    if task.captions:
        for at, captions in enumerate(task.captions):
            options = [json.dumps(caption) for caption in captions]
            right = options if task.right is None else [options[int(task.right[at])]]
            yield ", ".join(right), ", ".join(options)
        return
    names_json = [json.dumps(name) for name in task.classes]
    for label in np.asarray(task.labels):
        names = (
            [names_json[place] for place in np.flatnonzero(label)]
            if task.several
            else [names_json[label]]
        )
        yield ", ".join(names), ""


def _images(task: Task) -> Iterator[str]:
    """Each item's picture files, as JSON without the brackets; empty where they have none."""
    pictures, each = task.pictures, 2 if task.pairs else 1
    if pictures.path(0) is None:
        yield from repeat("", len(task))
        return
    for begin in range(0, len(pictures), each):
        paths = [pictures.path(at) for at in range(begin, begin + each)]
        yield ", ".join(json.dumps(str(path)) for path in paths if path is not None)


def _tables(
    task: Task,
    names: Sequence[str],
    scored: Scored,
    outcome: BenchmarkResult,
    failed: Mapping[int, str],
) -> dict[str, pyarrow.Table]:
    """Answers, verdicts and confidences, in bulk."""
    ids, read = pyarrow.array(names), ~np.isnan(scored.credit)
    text = pyarrow.array(_guessed(task, scored), pyarrow.string(), mask=~read)
    nothing = pyarrow.nulls(len(task), pyarrow.string())
    number, whole = (
        pyarrow.nulls(len(task), kind) for kind in (pyarrow.float64(), pyarrow.int64())
    )
    why = pyarrow.array(_why(task, failed), pyarrow.string(), mask=read)
    answers = {
        "item": ids, "text": text, "error": why, "seconds": number, "tokens_in": whole,
        "tokens_out": whole, "usd": number,
    }  # fmt: skip
    judge = "top-1" if task.classes else outcome.metrics[0].name
    reasons = np.where(scored.tied, "a tie, which earns its share", "")
    verdicts = {
        "item": ids,
        "judge": pyarrow.array(np.full(len(task), judge)),
        "version": pyarrow.array(np.full(len(task), VERSION)),
        "repeat": pyarrow.array(np.zeros(len(task), np.int64)),
        "score": pyarrow.array(scored.credit, mask=~read),
        "extracted": text,
        "reason": pyarrow.array(reasons),
        "reply": nothing, "seconds": number, "tokens_in": whole, "tokens_out": whole, "usd": number,
        "answer": pyarrow.array(
            [None if value is None else mark(value) for value in text.to_pylist()]
        ),
    }  # fmt: skip
    sure = {"item": ids, "confidence": scored.confidence, "entropy": scored.entropy}
    sure |= {"tied": scored.tied, **scored.extra}
    return {
        "predictions": pyarrow.table(answers),
        f"verdicts/{runs.verdict_key(judge, VERSION, 0)}": pyarrow.table(verdicts),
        "confidence": pyarrow.table(sure),
    }


def _why(task: Task, failed: Mapping[int, str]) -> Any:
    """Why an item has no score, if it has none."""
    each = 2 if task.pairs else 1
    why = np.where(task.undecidable(), "a wrong caption equals the right one", "").astype(object)
    for at, reason in failed.items():
        why[at // each] = NO_EMBEDDING if reason.endswith(NO_VECTOR) else UNREAD
    return why


def _guessed(task: Task, scored: Scored) -> Any:
    """What the model says of each item, in words."""
    if task.classes:
        return np.array(task.classes, object)[scored.guess]
    return np.array(
        [options[guess] for options, guess in zip(task.captions, scored.guess, strict=True)], object
    )


def _scores(task: Task, outcome: BenchmarkResult) -> str:
    about: Mapping[str, Any] = {
        "metrics": [
            {
                k: None if isinstance(v, float) and np.isnan(v) else v
                for k, v in asdict(metric).items()
            }
            for metric in outcome.metrics
        ],
        "classes": len(task.classes) or None,
        "type": task.type,
        "capability": task.capability,
        **{name: getattr(outcome, name) for name in COUNTED},
        "failed": outcome.failed,
    }
    return json.dumps(about, indent=1)
