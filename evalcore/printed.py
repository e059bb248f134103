"""Records of what sources print beside the scores of single models, and of their slips."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Erratum:
    """A place where a source disagrees with itself, and which of the two is used."""

    source: str
    topic: str
    text_says: str
    table_says: str
    we_use: str


@dataclass(frozen=True)
class JudgeValidation:
    """How well a metric agrees with people (not a model's score)."""

    source: str
    metric: str
    judge: str
    with_reference: bool
    with_image: bool
    accuracy: float
    kendall_tau: float
    n: int | None
    """Human labels behind it."""
    printed_accuracy: str
    printed_kendall_tau: str
    printed_in_paper: bool
    """False if it stands only in the authors' own published table."""
    note: str | None


@dataclass(frozen=True)
class JudgeExample:
    """An answer that people and a judge both labelled, as a source prints it."""

    source: str
    place: str
    """Where in the source."""
    question: str
    printed_references: str
    model: str
    """Whose answer it is."""
    answer: str
    human: bool
    """Whether people call it right."""
    metric: str
    judge: str
    judged: bool
    """Whether the judge does."""


@dataclass(frozen=True)
class GroupSummary:
    """Mean, best or worst of a group of benchmarks over a source's models."""

    source: str
    axis: str
    tag: str
    printed_tag: str
    statistic: Literal["mean", "best", "worst"]
    model_family: str
    """The family that the source names as best or worst; empty for a mean."""
    value: float
    printed_value: str
    printed_unit: str


@dataclass(frozen=True)
class ScaleRatio:
    """How many times larger the best model's scale is than the worst model's."""

    source: str
    axis: str
    tag: str
    printed_tag: str
    quantity: Literal["training data", "model size"]
    ratio: float
    printed_value: str


@dataclass(frozen=True)
class Representative:
    """The benchmark that a source names as standing for its group."""

    source: str
    axis: str
    tag: str
    printed_tag: str
    benchmark: str | None
    printed_benchmark: str
    correlation: float
    printed_value: str
    note: str | None
