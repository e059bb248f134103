"""The records that flow through Sextant, in order of appearance.

Each is one row of a file that people or scripts write (``data/catalog``, ``precomputed/figures``)
and one row of a table of the store. ``None`` means unknown; it is never written as zero.
Shares and scores are fractions in [0, 1]; sizes carry their unit in the name.
"""

from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Literal

Relation = Literal["paper", "third party", "maker", "measured here", "documentation"]
ModelKind = Literal["generative", "contrastive"]
ScoreKind = Literal["published", "measured", "imported"]
ModeKind = Literal["plain", "thinking", "effort", "compression", "few-shot", "fine-tuned", "tools"]
TOTAL = "total"  # the tag under which the score over all questions stands; no item has it
SpreadOver = Literal["items", "judge repeats"]
Ending = Literal["finished", "cut off", "filtered"]
"""Why a model's answer ended: by itself, at its limit of tokens, by a filter."""


@dataclass(frozen=True)
class Source:
    """Where numbers come from: a paper, a board, a repository file."""

    id: str
    """Short name; for scores also the name of the figures file."""
    title: str
    url: str | None
    published: str | None
    """Year and month, as far as known: ``2024-09``."""
    relation: Relation
    """How close the source stands to the models that it reports on."""
    suite: str | None
    """The suite (block, one protocol) that its scores form, if it has scores."""
    licence: str | None
    note: str | None


@dataclass(frozen=True)
class Suite:
    """Scores taken under one protocol: inside a suite numbers compare, less so in a mixed one."""

    suite: str
    name: str
    source: str
    default_axis: str
    question: str
    """What the suite answers, in one sentence."""
    mixed: bool
    """Whether its maker collected it from several places, or does not state one protocol."""
    current: bool
    """Whether its models are of 2024 to 2026, so that one asks which can be had today."""
    note: str | None


@dataclass(frozen=True)
class SuiteAxis:
    """One way in which a suite sorts its items or benchmarks into tags."""

    suite: str
    axis: str
    title: str
    min_n_default: int | None
    """Tags with fewer items are left out by the source itself; None if it names no limit."""
    tags_per_item_mean: float | None
    """Mean number of tags of one item; 1 where tags are disjoint. Feeds the design effect."""
    tags_per_item_sd: float | None
    note: str | None


@dataclass(frozen=True)
class Metric:
    """What a number measures; the judge and its inputs are part of the metric's name."""

    id: str
    name: str
    unit: str
    low: float
    high: float
    higher_is_better: bool
    proportion: bool
    """True if it is a mean of 0/1 over items, so that an interval follows from value and n."""
    note: str | None


@dataclass(frozen=True)
class Model:
    """What a model is, apart from how it is run."""

    id: str
    name: str
    maker: str | None
    family: str | None
    kind: ModelKind
    params_b: float | None
    """Real total of parameters in billions; decides a size limit."""
    params_basis: str | None
    """How the total is known: counted, or nominal (read off the name)."""
    active_params_b: float | None
    image_tower_params_m: float | None
    """Parameters of the image tower alone, in millions; never comparable with the total."""
    train_data: str | None
    train_data_m: float | None
    """Image-text pairs of the training set, in millions."""
    samples_seen_b: float | None
    """Pairs seen in training counting repeats, in billions."""
    gflops: float | None
    """Per image-text pair, in billions of floating-point operations."""
    architecture: str | None
    patch_size: int | None
    learning_objective: str | None
    released: str | None
    status: str | None
    open_weights: bool | None
    licence: str | None
    source: str
    note: str | None


@dataclass(frozen=True)
class Deployment:
    """How a model is run here."""

    model: str
    adapter: str
    """A row of ``models.ADAPTERS``."""
    options: str
    """The adapter's options as JSON; a relative path starts at the project's folder."""
    note: str | None


@dataclass(frozen=True)
class Benchmark:
    """A set of questions with one way of scoring answers."""

    id: str
    name: str
    family: str | None
    """The benchmark of which this is an edition or split; what ``NeedBenchmark`` names."""
    task: str
    judge: str | None
    metric: str
    chance: float | None
    """What guessing scores under ``metric``; None where that is not one number."""
    n_items: int | None
    n_items_source: str | None
    n_classes: int | None
    type: str | None
    capability: str | None
    curated: bool | None
    object_centric: bool | None
    source: str
    note: str | None


@dataclass(frozen=True)
class BenchmarkSize:
    """How many items a benchmark's split has, looked up where the scores do not print it."""

    benchmark: str
    split: str
    n_items: int
    parts: str | None
    """Items of each part, such as ``1200;500``, where the score is the plain mean over parts; None:
    it is a mean over items, or the parts are not known."""
    source: str
    """Where that count stands."""
    note: str | None


@dataclass(frozen=True)
class NeedBenchmark:
    """A benchmark that speaks for something a person needs a model to do."""

    need: str
    family: str
    """``Benchmark.family``: every edition and split of it counts."""
    why: str


@dataclass(frozen=True)
class Mode:
    """A way of running a model: one release, other costs and other scores."""

    mode: str
    """As in ``Score.mode``; empty for a row that names none."""
    kind: ModeKind
    by_default: bool
    """Whether it competes unasked; not with examples, tools or training on the task."""
    note: str | None


@dataclass(frozen=True)
class Score:
    """One published or measured value of one model.

    Key: model, mode, benchmark, split, axis, tag, metric, judge and the source (the file's name).
    """

    model: str
    mode: str
    benchmark: str
    split: str
    axis: str
    tag: str
    metric: str
    judge: str
    value: float
    n: int | None
    """Items behind the value."""
    sd: float | None
    sd_over: SpreadOver | None
    """What the spread is over; a spread over judge repeats is not a sampling error."""
    repeats: int | None
    kind: ScoreKind
    printed_model: str
    printed_value: str
    """The value as the source prints it, before any conversion."""
    printed_unit: str
    suspect: bool
    """Kept as printed but out of rankings: the note says why."""
    note: str | None


@dataclass(frozen=True)
class Item:
    """One question of a benchmark."""

    benchmark: str
    id: str
    """Unique inside the benchmark."""
    question: str
    """The question as asked; ``<image>`` marks the place of a picture when places matter."""
    answers: tuple[str, ...]
    """Reference answers; empty if there are none."""
    images: tuple[Path, ...] = ()
    """Picture files in the order of their places."""
    choices: tuple[str, ...] = ()
    """Answers to choose from, in order; empty for an open question."""
    tags: tuple[tuple[str, str], ...] = ()
    """(axis, tag) pairs."""
    cluster: str | None = None
    """Items that share a picture or a source share this name; None: it stands alone."""


@dataclass(frozen=True)
class Prediction:
    """What a model answered to one item."""

    item: str
    text: str | None
    """The answer, whitespace kept; None if there is none."""
    error: str | None = None
    """Why there is no usable answer (refusal, empty, cut off by a limit, failed request ...)."""
    seconds: float | None = None
    """Time the model took for this item; a batch's time is shared out."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    usd: float | None = None
    """What the call cost, if a price is known."""
    ended: Ending | None = None
    """Why the answer ended; None if that is not known."""


@dataclass(frozen=True)
class Verdict:
    """What a judge said of one answer."""

    item: str
    judge: str
    version: str
    """Changes whenever the judge could say something else: prompt, rules, model, settings."""
    repeat: int
    """0 for the first time, 1 for the second ..."""
    score: float | None
    """In [0, 1]; None if the answer or the judge's reply could not be read."""
    extracted: str | None = None
    """The part of the answer that was compared."""
    reason: str = ""
    """Why this score, or why there is none."""
    reply: str | None = None
    """The judge model's own words; None for a rule."""
    seconds: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    usd: float | None = None
    ended: Ending | None = None
    """Why the judge model's reply ended; None for a rule, or if that is not known."""
    answer: str | None = None
    """Which answer was judged, as the engine notes (``lines.mark``); None: before version 0.6."""


@dataclass(frozen=True)
class Reply:
    """What a language model said when asked."""

    text: str | None
    """None if it said nothing readable; then ``error`` says why."""
    error: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    seconds: float | None = None
    usd: float | None = None
    ended: Ending | None = None


MARK = "<image>"
"""Stands where a picture belongs, in a question or as a choice."""


def letter(place: int) -> str:
    """Return the letter of a choice, counted from 0: A to Z, then AA, AB ...

    Example:
        >>> letter(1), letter(25), letter(26), letter(702)
        ('B', 'Z', 'AA', 'AAA')
    """
    before, here = divmod(place, len(ascii_uppercase))
    return (letter(before - 1) if before else "") + ascii_uppercase[here]


def question(item: Item) -> str:
    """Return the question, and below it each choice with its letter."""
    lines = [f"{letter(place)}. {choice}" for place, choice in enumerate(item.choices)]
    return "\n".join([item.question, *lines])


def places(item: Item) -> int:
    """Return how many places for pictures the question and its choices mark."""
    return question(item).count(MARK)
