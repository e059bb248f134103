"""Models on benchmarks: each picture and text embedded once, each result a run folder.

Evaluator().add_model("open_clip:ViT-B-32/laion2b_s34b_b79k").add_benchmark("mnist=data/mnist")
.evaluate()
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from evalcore.contrastive import counts, embed, models, prompts, record, relation, scoring, unibench
from evalcore.contrastive.cache import Cache
from evalcore.contrastive.datasets import loaders
from evalcore.contrastive.embed import Embedded
from evalcore.contrastive.encoder import Encoder
from evalcore.contrastive.pictures import Pictures
from evalcore.contrastive.prompts import Prompts
from evalcore.contrastive.record import BenchmarkResult
from evalcore.contrastive.scoring import Floats, Ints, Rows, Scored
from evalcore.contrastive.task import Task, check, check_words
from evalcore.errors import BadInput, EvalcoreError

Watch = Callable[[str, str, int, int], None]
"""Told model, benchmark, pictures done and of how many."""
SHOWN_FAILURES = 5


class Evaluator:
    """Gathers models and benchmarks, then runs each on each."""

    def __init__(
        self,
        *,
        device: str = "auto",
        precision: str = "fp32",
        batch: int = embed.BATCH,
        cache: Cache | None = None,
        watch: Watch = lambda model, benchmark, done, total: None,
    ) -> None:
        """Begin with nothing.

        Args:
            device: ``auto``, ``cpu``, ``cuda``, ``cuda:1``.
            precision: ``fp32``, or ``bf16`` and ``fp16`` through autocast.
            batch: Pictures that a model sees at a time.
            cache: Where arrays are kept; None: ``cache`` in the home folder. ``Cache(limit=0)``
                keeps nothing.
            watch: Told of the progress.
        """
        self.device, self.precision, self.batch = device, precision, batch
        self.cache, self.watch = cache, watch
        self._shown: tuple[Pictures, Embedded] | None = None
        self._models: list[Callable[[], Encoder]] = []
        self._tasks: list[Callable[[], list[tuple[Task, str]]]] = []

    def add_model(self, model: Any, name: str | None = None) -> "Evaluator":
        """Add a model.

        Args:
            model: What ``models.load`` takes, a loaded ``Encoder``, an object with
                ``get_image_embeddings`` and ``get_text_embeddings``, or what makes one when it is
                called (such as a ``functools.partial``).
            name: Its id; None: what the words or the object's class say.
        """
        self._models.append(lambda: self._encoder(model, name))
        return self

    def add_benchmark(self, benchmark: Any, path: str | None = None, **about: Any) -> "Evaluator":
        """Add a benchmark.

        Args:
            benchmark: ``NAME=PATH`` (see ``loaders.load``), a ``Task``, or a torch Dataset of
                (picture, label) or what makes one when it is called.
            path: Where the benchmark of that name lies.
            about: For a data set what ``loaders.dataset`` takes (name, classes, templates, type,
                capability, revision); else ``prompts`` (a file or a ``Prompts``, or several).
        """
        self._tasks.append(lambda: _tasks(benchmark, path, about))
        return self

    def evaluate(self) -> pd.DataFrame:
        """Run everything; one model is in memory at a time.

        Returns:
            One row a model, benchmark and prompt set: metric, value, n, chance, every metric by
            its name, clusters (pictures, where items share some), ties, unread, undecidable,
            cut, decoded, encoded, seconds, run.

        Raises:
            EvalcoreError: What went wrong, once everything else is done.
        """
        return pd.DataFrame([outcome.row() for outcome in self.outcomes()])

    def outcomes(self) -> list[BenchmarkResult]:
        """The same with all that is known of each."""
        if not self._models or not self._tasks:
            raise BadInput("nothing to evaluate: add a model and a benchmark first")
        cache, problems, results = self.cache or Cache(), [], []
        tasks = [pair for make in self._tasks for pair in make()]
        for make in self._models:
            self._shown = None
            try:
                encoder = make()
            except EvalcoreError as error:
                problems.append(error)
                continue
            for task, name in tasks:
                try:
                    results.append(self._one(encoder, task, name, cache))
                except EvalcoreError as error:
                    problems.append(error)
        if problems:
            done = f" ({len(results)} results are kept)" if results else ""
            raise type(problems[0])("; ".join(map(str, problems)) + done)
        return results

    def _encoder(self, model: Any, name: str | None) -> Encoder:
        if isinstance(model, str):
            encoder = models.load(model, device=self.device, precision=self.precision)
        elif isinstance(model, Encoder):
            encoder = model
        else:
            device = "cpu" if self.device == "auto" else self.device
            own = model if hasattr(model, "get_image_embeddings") else model()
            encoder = models.own(own, type(own).__name__.lower(), device, self.precision)
        return encoder if name is None else replace(encoder, name=name)

    def _one(self, encoder: Encoder, task: Task, name: str, cache: Cache) -> BenchmarkResult:
        began = time.perf_counter()
        texts = _texts(task)
        shown = self._images(encoder, task, cache)
        worded = embed.texts(encoder, texts, cache)
        cluster = task.cluster()
        clusters = None if cluster is None else len(np.unique(cluster))
        scored = score(encoder, task, shown.vectors, worded.vectors[:], cluster)
        undecidable = int(task.undecidable().sum())
        chosen = record.settings(encoder, task, name, clusters)
        outcome = BenchmarkResult(
            model=encoder.name,
            benchmark=task.id,
            metrics=_main_first(task, scored),
            run=chosen.id,
            prompts=name,
            ties=scored.ties,
            unread=scored.unscored - undecidable,
            undecidable=undecidable,
            cut=None if encoder.lengths is None else len(worded.failed),
            texts=len(texts),
            seconds=time.perf_counter() - began,
            decoded=shown.decoded,
            encoded=shown.encoded,
            failed=tuple(dict.fromkeys(shown.failed.values()))[:SHOWN_FAILURES],
            clusters=clusters,
        )
        if scored.unscored == len(task):
            raise EvalcoreError(
                f"{encoder.name} on {task.id}: not one of {len(task)} items has a score"
                + (f"; first: {outcome.failed[0]}" if outcome.failed else "")
            )
        record.write(encoder, task, scored, outcome, chosen, shown.failed)
        return outcome

    def _images(self, encoder: Encoder, task: Task, cache: Cache) -> Embedded:
        """The embeddings of a benchmark's pictures; those of the last one are at hand."""
        if self._shown is not None and self._shown[0] is task.pictures:
            return replace(self._shown[1], encoded=0, decoded=0)
        shown = embed.images_once(
            encoder,
            task.pictures,
            cache,
            batch=self.batch,
            watch=lambda done, total: self.watch(encoder.name, task.id, done, total),
        )
        self._shown = (task.pictures, shown)
        return shown


def score(
    encoder: Encoder, task: Task, images: Rows, texts: Floats, cluster: Ints | None = None
) -> Scored:
    """Score embeddings by the benchmark's kind.

    Args:
        encoder: Whose they are.
        task: The benchmark.
        images: (pictures, d).
        texts: (texts of ``_texts``, d).
        cluster: As from ``task.cluster``.

    Raises:
        EvalcoreError: They are not of one length, or a class has no direction.
    """
    if images.shape[1] != texts.shape[1]:
        raise BadInput(
            f"the model's picture embeddings have {images.shape[1]} numbers, those of texts "
            f"{texts.shape[1]}; both should have as many"
        )
    if (undecidable := task.undecidable()).any():
        # As of a picture that cannot be read: no score, rather than half of one for a tie.
        each = np.repeat(undecidable, [len(caption) for caption in task.captions])
        texts = np.where(each[:, None], np.float32(np.nan), texts)
    if task.pairs:
        pictures = np.asarray(images[:]).reshape(len(task), 2, -1)
        sentences = texts.reshape(len(task), 2, -1)
        # Not a matrix product: that may tell equal texts apart in the last digit.
        cosines = (pictures[:, :, None] * sentences[:, None]).sum(axis=3)
        return relation.pairs(cosines, encoder.scale, cluster)
    if task.captions:
        assert task.right is not None
        ends = np.cumsum([len(captions) for captions in task.captions])
        candidates = np.split(np.arange(ends[-1]), ends[:-1])
        held = list(candidates)
        return relation.captions(images, texts, held, task.right, encoder.scale, cluster)
    names = scoring.classifier(texts, len(task.classes))
    by: Callable[..., Scored] = scoring.several if task.several else scoring.classify
    return by(images, names, np.asarray(task.labels), encoder.scale, cluster=cluster)


def _texts(task: Task) -> list[str]:
    return (
        [caption for many in task.captions for caption in many] if task.captions else task.prompts()
    )


def _main_first(task: Task, scored: Scored) -> tuple[scoring.Metric, ...]:
    """The metrics, that of the benchmark first where it names another than the usual one."""
    return tuple(sorted(scored.metrics, key=lambda metric: metric.name != task.metric))


def _tasks(benchmark: Any, path: str | None, about: dict[str, Any]) -> list[tuple[Task, str]]:
    """A benchmark's tasks: one, or one for each prompt set that was asked for."""
    if isinstance(benchmark, Task):
        check(benchmark)
        return _worded(benchmark, benchmark.id, about)
    if not isinstance(benchmark, str):
        data = benchmark if hasattr(benchmark, "__getitem__") else benchmark()
        name = about.pop("name", type(data).__name__.lower())
        task = loaders.dataset(data, name, **about)
        counts.check(task)
        check_words(task)
        return [(task, "")]
    name, equals, place = benchmark.partition("=")
    if not (equals or path):
        raise BadInput(f"benchmark {benchmark!r} needs its data: {benchmark}=FOLDER")
    whole = loaders.load(name, place or str(path))
    counts.check(whole)
    return _worded(replace(whole, **_catalogued(name)), name, about)


def _worded(whole: Task, name: str, about: dict[str, Any]) -> list[tuple[Task, str]]:
    """A task once for each prompt set, with the set's name; as it is where none was asked for.

    Args:
        whole: The task.
        name: The benchmark whose words are meant, whatever name it runs under.
        about: ``prompts``.
    """
    asked = about.get("prompts") or ()
    sets = [asked] if isinstance(asked, str | Prompts) else list(asked)
    given = [prompts.given(words, name) if isinstance(words, str) else words for words in sets]
    if not given:
        check_words(whole)
        return [(whole, "")]
    tasks = [(whole.with_prompts(words.classes, words.templates), words.name) for words in given]
    for task, _ in tasks:
        check_words(task)
    return tasks


def _catalogued(name: str) -> dict[str, Any]:
    """What the catalogue knows of a benchmark: metric, type, capability."""
    row = unibench.catalogued().get(name)
    if row is None:
        return {}
    return {"metric": row.metric, "type": row.type, "capability": row.capability}
