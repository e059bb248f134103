"""Records of the catalogue's side tables: prices, licences, and what sources print beside scores.

Each is one row of a file and one row of a table of the store; ``None`` means unknown.
"""

from dataclasses import dataclass
from typing import Literal

Status = Literal["available", "deprecated", "retired", "announced"]
LicenceClass = Literal["permissive", "conditions", "non-commercial", "unknown"]
Thinks = Literal["always", "on", "off", "unknown"]


@dataclass(frozen=True)
class Price:
    """What one provider asked for a model's tokens at one date."""

    model: str
    mode: str
    """The mode it holds for; empty: every mode that has no row of its own."""
    provider: str
    by_maker: bool
    """Whether the provider is the model's maker."""
    usd_per_mtok_in: float
    """US dollars per million tokens sent; pictures count as tokens."""
    usd_per_mtok_out: float
    """US dollars per million tokens written; thinking counts as written."""
    as_of: str
    """Day, month or year the source gives for it: ``2026-10-02``, ``2026-10``, ``2026``."""
    until: str | None
    """Last day on which it holds, where the source names one."""
    deprecated: bool
    """The offer was withdrawn or marked for it: the price is history."""
    printed_model: str
    """The model's name in the source."""
    source: str
    note: str | None


@dataclass(frozen=True)
class ImageRule:
    """How many tokens a picture is for a model, by one source."""

    model: str
    rule: str | None
    """A key of ``cost.image_tokens.RULES``; None: no complete rule is known, the note says why."""
    options: str
    """The rule's arguments as JSON."""
    as_of: str
    """Day or month the source gives for it; the newest counts, older ones that differ are shown."""
    source: str
    note: str | None


@dataclass(frozen=True)
class OutputTokens:
    """How many tokens a model wrote per answer in somebody's run."""

    model: str
    mode: str
    """Exactly this mode: a thinking mode never takes the plain one's."""
    mean: float
    most: float | None
    """The longest answer."""
    n: int | None
    """Answers behind the mean."""
    source: str
    note: str | None


@dataclass(frozen=True)
class Thinking:
    """Whether a model thinks before it answers when nobody asks it to."""

    model: str
    thinks: Thinks
    """always; on or off unless asked otherwise; unknown: it can, the default was not found."""
    source: str
    note: str | None


@dataclass(frozen=True)
class GpuPrice:
    """What an hour of one graphics card costs to rent, as one source gives it."""

    gpu: str
    memory_gb: float
    usd_per_hour_low: float
    usd_per_hour_high: float
    as_of: str
    """Day or month, or ``undated`` with the commit that was read."""
    source: str


@dataclass(frozen=True)
class CacheShape:
    """What decides the size of a model's key-value cache."""

    model: str
    layers: int
    """Layers that keep keys and values for every token."""
    kv_heads: int
    head_dim: int
    source: str
    note: str | None


@dataclass(frozen=True)
class Availability:
    """Whether a model can still be had from its maker."""

    model: str
    status: Status
    """As the source had it on the day it was checked."""
    on: str | None
    """When it ended or will end (deprecated, retired), or is due (announced)."""
    successor: str | None
    """What the source names as replacement, in its words."""
    source: str
    checked: str
    """The day of the source's state."""
    note: str | None


@dataclass(frozen=True)
class Licence:
    """What a licence allows, in a sentence."""

    licence: str
    """As printed with the models."""
    licence_class: LicenceClass
    commercial: bool | None
    """Whether commercial use is allowed, perhaps under the condition; None: unknown."""
    condition: str
    source: str


def status_on(row: Availability | None, day: str) -> Status | None:
    """What a model's status is on a day, given what was known when it was checked.

    Args:
        row: What is known, or None.
        day: The day asked about, ``2026-11-30``.

    >>> row = Availability("m", "deprecated", "2026-10-23", "n", "https://x", "2026-10-10", None)
    >>> status_on(row, "2026-10-22"), status_on(row, "2026-10-23"), status_on(None, "2026-10-23")
    ('deprecated', 'retired', None)
    """
    if row is None:
        return None
    if row.status == "deprecated" and row.on is not None and row.on <= day:
        return "retired"
    return row.status


def can_be_had(row: Availability | None, day: str) -> bool | None:
    """Whether a model can be used on a day; None: unknown.

    >>> can_be_had(Availability("m", "retired", None, None, "https://x", "2026-10-10", None), "9")
    False
    """
    status = status_on(row, day)
    return None if status is None else status in ("available", "deprecated")


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
