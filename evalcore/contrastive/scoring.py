"""Scores of zero-shot classification, from embeddings alone.

A tie among k earns 1/k, is counted, and never counts as right; no shape is squeezed, so that one
picture, one class or a last block of one are nothing special; what is undefined is NaN.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evalcore.analysis import resample
from evalcore.errors import BadInput, EvalcoreError

Floats = NDArray[Any]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Rows(Protocol):
    """An (n, d) array, or what gives its rows piece by piece."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and their width."""
        ...

    def __len__(self) -> int:
        """How many rows there are."""
        ...

    def __getitem__(self, rows: Any, /) -> Floats:
        """Some rows, by a slice or by their numbers."""
        ...


TOP = 5
BLOCK = 2**23
"""Logits that are held at a time: 32 MiB of them, however many pictures and classes there are."""


@dataclass(frozen=True)
class Metric:
    """One number of one model on one benchmark."""

    name: str
    value: float
    """A fraction; NaN if it is undefined."""
    n: int
    """Pictures (or items) behind it."""
    chance: float
    """What guessing scores under this metric; NaN if that is not one number."""
    note: str = ""
    worth: float = math.nan
    """How many equally likely pictures it is worth for an interval; NaN if none is known."""


@dataclass(frozen=True)
class Scored:
    """Every item of a benchmark under one model."""

    metrics: tuple[Metric, ...]
    """The benchmark's main metric first."""
    guess: Ints
    """(n,) the first guess: a class, or a caption's place; -1 where there is none."""
    credit: Floats
    """(n,) in [0, 1], 1/k for a tie among k; NaN where the picture could not be read."""
    tied: Bools
    """(n,) whether another guess scores as much as the first."""
    confidence: Floats
    """(n,) the probability of the first guess."""
    entropy: Floats
    """(n,) of all probabilities, in nats."""
    extra: dict[str, Floats] = field(default_factory=dict)
    """More credits by item, such as ``image`` and ``group`` of Winoground."""

    @property
    def ties(self) -> int:
        """How many items have more than one first guess."""
        return int(self.tied.sum())

    @property
    def unscored(self) -> int:
        """How many items have no score."""
        return int(np.isnan(self.credit).sum())


@dataclass(frozen=True)
class Scale:
    """What a model makes of a cosine: ``factor * cosine + bias``."""

    factor: float = 100.0
    bias: float | None = None
    """Of models trained with a sigmoid, whose probabilities are one for each text."""

    def __post_init__(self) -> None:
        """Refuse what no logit can be made with.

        Raises:
            BadInput: The factor is no number above 0, or the bias is no number.
        """
        if not 0 < self.factor < math.inf or not math.isfinite(self.bias or 0.0):
            raise BadInput(
                f"the model's logit scale is {self.factor} and its bias {self.bias}; the scale "
                "should be a number above 0, the bias a number"
            )


def normalised(vectors: Floats) -> Floats:
    """Vectors of length one, (n, d); NaN for one of zeros."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.asarray(vectors / lengths)


def classifier(texts: Floats, classes: int) -> Floats:
    """The mean of the texts of each class, of length one.

    Args:
        texts: (classes * templates, d) in the order of the classes, each of length one.
        classes: How many classes there are.

    Returns:
        (classes, d).
    """
    return normalised(texts.reshape(classes, -1, texts.shape[-1]).mean(axis=1))


def classify(  # noqa: PLR0913  one argument for each thing that is known of them
    images: Rows,
    names: Floats,
    labels: Ints,
    scale: Scale,
    same: Ints | None = None,
    cluster: Ints | None = None,
) -> Scored:
    """Score pictures that show one class each.

    Args:
        images: (n, d) of length one; may be a memory map; NaN where a picture could not be read.
        names: (k, d), one for each class, of length one.
        labels: (n,) the right class of each.
        scale: The model's.
        same: (classes,) the row of ``names`` of each class; None: equal rows are of one name.
        cluster: (n,) a number each, the same for parts of one picture; None: each stands alone.

    Raises:
        EvalcoreError: A class has no direction.
    """
    names, same = _distinct(names, same)
    k, collected = len(same), Collected(len(images))
    above, level = np.zeros(len(images), np.int64), np.ones(len(images), np.int64)
    for rows, logits in blocks(images, names, scale, same):
        collected.note(rows, logits, scale)
        right = logits[np.arange(len(logits)), labels[rows]][:, None]
        above[rows], level[rows] = (logits > right).sum(axis=1), (logits == right).sum(axis=1)
    credit = np.where(collected.unread, np.nan, top(1, above, level))
    metrics = [proportion("accuracy", credit, 1 / k, cluster)]
    for j in range(2, TOP + 1):
        if k > j:
            hits = np.where(collected.unread, np.nan, top(j, above, level))
            metrics.append(proportion(f"accuracy-top{j}", hits, j / k, cluster))
    metrics.append(per_class(credit, labels, k, cluster))
    return collected.scored(tuple(metrics), credit)


def proportion(name: str, credit: Floats, chance: float, cluster: Ints | None) -> Metric:
    """A mean of right and wrong; items of one cluster are worth less than as many alone."""
    counted = int((~np.isnan(credit)).sum())
    worth = counted if cluster is None else float(resample.worth(credit, cluster))
    return Metric(name, mean(credit), counted, chance, worth=worth)


def top(j: int, above: Ints, level: Ints) -> Floats:
    """The chance that the right one is among the first j, where equals are drawn by lot.

    Args:
        j: How many guesses are allowed.
        above: How many score more than the right one.
        level: How many score the same, itself included (0 where nothing is known).
    """
    return np.clip((j - above) / np.maximum(level, 1), 0.0, 1.0)


def per_class(credit: Floats, labels: Ints, classes: int, cluster: Ints | None = None) -> Metric:
    """The mean over classes of the mean over a class's pictures; one without pictures is left out.

    Pictures that could not be read do not count.
    """
    read = ~np.isnan(credit)
    n = np.bincount(labels[read], minlength=classes)
    hits = np.bincount(labels[read], weights=credit[read], minlength=classes)
    there = n > 0
    value = float((hits[there] / n[there]).mean()) if there.any() else math.nan
    empty = int((~there).sum())
    note = f"{empty} of {classes} classes have no picture" if empty else ""
    # As many as the variance of a mean over classes comes to, with a like recall in each.
    worth = float(there.sum() ** 2 / (1 / n[there]).sum()) if there.any() else math.nan
    if cluster is not None and there.any():
        own = (credit - hits[labels] / np.maximum(n[labels], 1)) / np.maximum(n[labels], 1)
        # What each picture moves the mean by, as a score of which the plain mean is this one.
        moved = value + own * read.sum() / there.sum()
        worth = min(worth, float(resample.worth(moved, cluster)))
    return Metric("mean-per-class-recall", value, int(read.sum()), 1 / classes, note, worth)


def several(  # noqa: PLR0913  one argument for each thing that is known of them
    images: Rows,
    names: Floats,
    labels: Bools,
    scale: Scale,
    same: Ints | None = None,
    cluster: Ints | None = None,
) -> Scored:
    """Score pictures that may show several classes each.

    Args:
        images: (n, d), as in ``classify``.
        names: (k, d).
        labels: (n, classes) whether a picture shows a class.
        scale: The model's.
        same: As in ``classify``.
        cluster: As in ``classify``.

    Returns:
        Mean average precision first, then whether the first guess is one of the classes shown.
    """
    names, same = _distinct(names, same)
    collected, logits = Collected(len(images)), np.empty(labels.shape, np.float32)
    credit = np.empty(len(images))
    for rows, block in blocks(images, names, scale, same):
        collected.note(rows, block, scale)
        logits[rows] = block
        first = block == block.max(axis=1, keepdims=True)
        credit[rows] = (first & labels[rows]).sum(axis=1) / np.maximum(first.sum(axis=1), 1)
    read = ~collected.unread
    credit = np.where(read, credit, np.nan)
    shown, counted = labels[read], int(read.sum())
    each = np.array(
        [precision(logits[read, column], shown[:, column]) for column in range(len(same))]
    )
    guessed = [by_chance(int(shown[:, column].sum()), counted) for column in range(len(same))]
    empty = int(np.isnan(each).sum())
    note = f"{empty} of {len(same)} classes have no picture" if empty else ""
    metrics = (
        Metric("mean-average-precision", mean(each), counted, mean(np.array(guessed)), note),
        proportion("hit@1", credit, mean(shown.mean(axis=1)), cluster),
    )
    return collected.scored(metrics, credit)


def precision(scores: Floats, right: Bools) -> float:
    """Average precision of one class: precision at each right picture, equals taken together.

    Returns:
        NaN for a class that no picture shows.
    """
    if not right.any():
        return math.nan
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    hits = np.cumsum(right[order])[ends]
    gained = np.diff(hits, prepend=0)
    return float((gained * hits / (ends + 1)).sum() / hits[-1])


def by_chance(right: int, n: int) -> float:
    """The average precision to expect from a random order of n pictures of which some are right.

    >>> round(by_chance(1, 2), 3), by_chance(3, 3)
    (0.75, 1.0)
    """
    if right == 0 or n == 0:
        return math.nan
    harmonic = float((1 / np.arange(1, n + 1)).sum()) / n
    return harmonic if n == 1 else (right - 1) / (n - 1) * (1 - harmonic) + harmonic


def blocks(images: Rows, names: Floats, scale: Scale, same: Ints) -> Iterator[tuple[slice, Floats]]:
    """The logits of some pictures at a time, so that memory stays bounded.

    Yields:
        Rows, and their (rows, classes) logits; classes that share a name have equal ones.
    """
    if not np.isfinite(names).all():
        raise EvalcoreError(
            "the model's embeddings of the texts of a class cancel each other out, or are not all "
            "numbers: that class has no direction"
        )
    step, plain = max(1, BLOCK // len(same)), np.array_equal(same, np.arange(len(names)))
    across = np.ascontiguousarray(names.T, dtype=np.float32)
    for begin in range(0, len(images), step):
        rows = slice(begin, min(begin + step, len(images)))
        logits = scaled(np.asarray(images[rows], np.float32) @ across, scale)
        yield rows, logits if plain else logits[:, same]


def _distinct(names: Floats, same: Ints | None) -> tuple[Floats, Ints]:
    """Each different row once, and the row of each class.

    A matrix product may tell equal rows apart in the last digit, which would break a tie.
    """
    if same is not None:
        return names, same
    once, places = np.unique(names, axis=0, return_inverse=True)
    return (once, places) if len(once) < len(names) else (names, np.arange(len(names)))


def scaled(cosines: Floats, scale: Scale) -> Floats:
    """What a model makes of cosines."""
    logits = cosines * np.float32(scale.factor)
    return logits if scale.bias is None else logits + np.float32(scale.bias)


def mean(values: Floats) -> float:
    """The mean of what is defined; NaN if nothing is."""
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else math.nan


class Collected:
    """What is told of every item, block by block."""

    def __init__(self, n: int) -> None:
        self.guess = np.full(n, -1, np.int64)
        self.tied, self.unread = np.zeros(n, bool), np.ones(n, bool)
        self.confidence, self.entropy = np.full(n, np.nan), np.full(n, np.nan)

    def note(self, rows: slice | Ints, logits: Floats, scale: Scale) -> None:
        """Take in the logits (rows, classes) of some items; those that are NaN stay unread."""
        most = logits.max(axis=1, keepdims=True)
        unread = np.isnan(most[:, 0])
        self.unread[rows] = unread
        self.guess[rows] = np.where(unread, -1, logits.argmax(axis=1))
        self.tied[rows] = (logits == most).sum(axis=1) > 1
        shifted = logits - most
        weights = np.exp(shifted)
        total = weights.sum(axis=1)
        self.entropy[rows] = np.log(total) - (weights * shifted).sum(axis=1) / total
        single = 1 / total if scale.bias is None else 1 / (1 + np.exp(-most[:, 0]))
        self.confidence[rows] = single

    def scored(
        self, metrics: tuple[Metric, ...], credit: Floats, extra: dict[str, Floats] | None = None
    ) -> Scored:
        """All of it together."""
        return Scored(
            metrics, self.guess, credit, self.tied, self.confidence, self.entropy, extra or {}
        )
