"""What a person asks for: a mix of tags, hard limits, and figures that only they know."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from evalcore.analysis.ranking import MODES
from evalcore.cost.api import Question
from evalcore.errors import BadInput, UnknownName
from evalcore.offers import LicenceClass

BYTES = {"fp32": 4.0, "bf16": 2.0, "int8": 1.0, "int4": 0.5}
"""Bytes a parameter takes at each precision."""

LICENCES: tuple[LicenceClass, ...] = ("permissive", "conditions", "non-commercial")
"""Classes of licences that a person can allow; an unknown one passes only when let."""

EVERY = "*"
"""In ``questions_per_hour``: every self-hosted model."""


ASSUMED = Question(width=1024, height=1024, prompt_tokens=100)
"""The question whose cost is given when nobody says how theirs looks; answers are as measured."""


@dataclass(frozen=True)
class Needs:
    """One question put to `recommend`; an unset limit is None, False or empty."""

    suite: str
    """Source id: the block of results inside which models compare."""
    axis: str
    """How the suite's items are grouped: task_type, application_domain, benchmark …"""
    weights: tuple[tuple[str, float], ...] = ()
    """(tag, weight) pairs; a weight of 0 drops the tag; empty: all tags of the axis, equally."""
    aggregate: str = "macro"
    """macro: the weights as they are. micro: each times the tag's number of items."""
    min_n: int = 0
    """Tags with fewer items are dropped; a tag with an unknown number stays."""
    open_weights: bool = False
    """Only models whose weights are open."""
    self_hosted: bool = False
    """Only models that can run on own machines; today the same as open weights."""
    api_only: bool = False
    """Only models behind an interface: with closed weights; in a current suite also open ones
    that somebody offers for a known price."""
    max_params_b: float | None = None
    """Largest real total of parameters, in billions."""
    max_memory_gb: float | None = None
    """Largest estimated memory in GB at ``precision``."""
    precision: str = "bf16"
    """fp32, bf16, int8 or int4: how the weights would be loaded."""
    max_usd_per_1000: float | None = None
    """Largest cost in dollars per 1,000 questions."""
    max_seconds: float | None = None
    """Longest time an answer may take, in seconds."""
    min_score: float | None = None
    """Lowest overall score on the mix, a fraction."""
    min_tag_scores: tuple[tuple[str, float], ...] = ()
    """(tag, lowest score as a fraction) pairs."""
    include_unknown: bool = False
    """Let a value that is unknown pass a limit."""
    include_suspect: bool = False
    """Use results that are marked as suspect."""
    ruled_out: tuple[str, ...] = ()
    """Ids of models that the person does not want."""
    usd_per_1000: tuple[tuple[str, float], ...] = ()
    """(model, dollars per 1,000 questions) as stated by the person."""
    seconds: tuple[tuple[str, float], ...] = ()
    """(model, seconds an answer) as stated by the person."""
    gpu_usd_per_hour: float | None = None
    """What an hour of the own machine costs, in dollars."""
    questions_per_hour: tuple[tuple[str, float], ...] = ()
    """(model, questions an hour on that machine); the model "*" means every self-hosted one."""
    licences: tuple[LicenceClass, ...] = ()
    """Classes of the weights' licence that are allowed; empty: every one."""
    commercial_use: bool = False
    """Only models that may be used commercially, perhaps under conditions."""
    available_today: bool | None = None
    """Only models that can be had today; None: in current suites yes, in others no."""
    gpu: str = ""
    """The one graphics card it has to run on: a name of ``gpu_prices.csv`` or its memory, "24 GB".
    Asks for open weights, like ``self_hosted``."""
    workload: Question | None = None
    """What a question is made of: picture size, pictures, tokens; decides cost and memory. None:
    in current suites ``ASSUMED``, in others nothing."""
    within: float | None = None
    """A fraction, such as 0.03 for 3 points: choose the cheapest model whose score is at most so
    far below the best that meets the limits."""
    include_modes: bool = False
    """Let modes take part that do not compete unasked: examples in the prompt, tools."""

    def __post_init__(self) -> None:
        """An own machine needs the weights: one question, however it is put."""
        if self.gpu:
            object.__setattr__(self, "self_hosted", True)
        if self.self_hosted:
            object.__setattr__(self, "open_weights", True)


def check(needs: Needs, tags: Sequence[str], models: Sequence[str]) -> None:
    """Refuse needs that cannot be meant.

    Args:
        needs: what the person asks for.
        tags: the tags that have results.
        models: the known model ids.

    Raises:
        UnknownName: for a tag or model that is not known, naming the nearest.
        BadInput: for a weight, limit, price or option outside its range.
    """
    check_limits(needs)
    _check_tags(needs, tags)
    _check_models(needs, models)


def check_limits(needs: Needs) -> None:
    """Refuse weights, limits and options outside their range, whatever the suite holds.

    Raises:
        BadInput: naming what is wrong and what would be right.
    """
    _check_options(needs)
    for option in ("max_params_b", "max_memory_gb", "max_usd_per_1000", "max_seconds", "min_n"):
        _at_least(option, getattr(needs, option), 0.0)
    _at_least("gpu_usd_per_hour", needs.gpu_usd_per_hour, 0.0)
    _fraction("min_score", needs.min_score)
    _fraction("within", needs.within)
    if needs.workload is not None:
        _check_workload(needs.workload)
    for tag, weight in needs.weights:
        _at_least(f"weight of {tag!r}", weight, 0.0)
    if needs.weights and not any(weight > 0 for _, weight in needs.weights):
        raise BadInput("every weight is 0, so no tag is left; give at least one a weight above 0")


def _check_options(needs: Needs) -> None:
    if needs.aggregate not in MODES:
        raise BadInput(f"aggregate {needs.aggregate!r} is unknown; use one of {', '.join(MODES)}")
    if needs.precision not in BYTES:
        raise BadInput(f"precision {needs.precision!r} is unknown; use one of {', '.join(BYTES)}")
    for licence in needs.licences:
        if licence not in LICENCES:
            raise BadInput(f"licence {licence!r} is no class; use one of {', '.join(LICENCES)}")
    if needs.api_only and (needs.open_weights or needs.self_hosted):
        raise BadInput("api_only asks for closed weights: drop it, or open_weights and self_hosted")


def _check_workload(asked: Question) -> None:
    for name in ("width", "height"):
        _at_least(f"{name} of a picture", getattr(asked, name), 1.0)
    for name in ("prompt_tokens", "images", "tokens_out", "thinking_tokens_out", "image_tokens"):
        _at_least(name, getattr(asked, name), 0.0)


def _check_tags(needs: Needs, tags: Sequence[str]) -> None:
    _pairs("weights", needs.weights, tags, "tag")
    _pairs("min_tag_scores", needs.min_tag_scores, tags, "tag")
    for tag, lowest in needs.min_tag_scores:
        _fraction(f"lowest score on {tag!r}", lowest)


def _check_models(needs: Needs, models: Sequence[str]) -> None:
    _known("ruled_out", needs.ruled_out, models, "model")
    _pairs("usd_per_1000", needs.usd_per_1000, models, "model")
    _pairs("seconds", needs.seconds, models, "model")
    _pairs("questions_per_hour", needs.questions_per_hour, [*models, EVERY], "model")
    for model, value in (*needs.usd_per_1000, *needs.seconds):
        _at_least(f"figure stated for {model!r}", value, 0.0)
    for model, count in needs.questions_per_hour:
        if not (count > 0 and math.isfinite(count)):
            raise BadInput(f"questions_per_hour of {model!r} is {count!r}; give a number above 0")


def _pairs(
    option: str, pairs: Sequence[tuple[str, float]], known: Sequence[str], what: str
) -> None:
    names = [name for name, _ in pairs]
    _known(option, names, known, what)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BadInput(f"{option} names {twice!r} more than once; give one number each")


def _known(option: str, names: Iterable[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known:
            near = get_close_matches(str(name), known, n=3, cutoff=0.5)
            hint = f"the nearest are {near}" if near else f"known are {sorted(known)}"
            raise UnknownName(
                f"{option} names the {what} {name!r}, which is not known here; {hint}"
            )


def _at_least(what: str, value: float | None, lowest: float) -> None:
    if value is not None and not (value >= lowest and math.isfinite(value)):
        raise BadInput(f"{what} is {value!r}; give a number of at least {lowest:g}")


def _fraction(what: str, value: float | None) -> None:
    if value is not None and not 0 <= value <= 1:
        raise BadInput(f"{what} is {value!r}; give a fraction from 0 to 1, such as 0.6 for 60 %")
