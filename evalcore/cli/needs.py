"""The options of ``recommend`` and ``report``, and the ``Needs`` that they state."""

import dataclasses
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from cyclopts import Parameter

from evalcore.analysis.ranking import MODES
from evalcore.cli.options import NUMBER, WEIGHTS, WHOLE, Printed, check_once, named, pairs
from evalcore.cost.api import Question
from evalcore.decision import need_axis
from evalcore.decision.needs import ASSUMED, BYTES, EVERY, LICENCES, Needs
from evalcore.decision.presets import CURRENT, PRESETS
from evalcore.errors import BadInput
from evalcore.suites import pooling

QUESTION = {
    "pictures": "images",
    "prompt_tokens": "prompt_tokens",
    "output_tokens": "tokens_out",
    "thinking_tokens": "thinking_tokens_out",
    "image_tokens": "image_tokens",
}
"""Option → the field of ``cost.api.Question`` that it states."""


@dataclass(frozen=True, kw_only=True)
class Asked(Printed):
    """What is asked for; an option that bears the name of a field of ``Needs`` sets it."""

    preset: Annotated[str | None, Parameter(choices=(*PRESETS, *CURRENT))] = None
    """start from one of these"""
    need: Annotated[list[str] | None, Parameter(metavar="NEED[=W]")] = None
    """of current models; see 'list needs'; may be given again"""
    suite: str | None = None
    """default: vqa360; with --need the block that fits best"""
    mix_blocks: bool = False
    """pool all blocks of current results"""
    axis: str | None = None
    """how questions are sorted; default: the suite's own"""
    weights: Annotated[str | None, named("--weights", WEIGHTS, "TAG=W,TAG=W")] = None
    aggregate: Annotated[str | None, Parameter(choices=MODES)] = None
    """default: macro"""
    min_n: Annotated[int | None, WHOLE] = None
    """leave out tags with fewer questions"""


LIMITS = Parameter(group="Limits")


@dataclass(frozen=True, kw_only=True)
class Limited(Asked):
    """What a model has to keep to."""

    open_weights: Annotated[bool, LIMITS] = False
    """whose weights can be had"""
    self_hosted: Annotated[bool, LIMITS] = False
    """that run on machines of one's own"""
    api_only: Annotated[bool, LIMITS] = False
    """behind an interface"""
    commercial_use: Annotated[bool, LIMITS] = False
    """that may be used commercially"""
    include_unknown: Annotated[bool, LIMITS] = False
    """let what is unknown pass a limit"""
    include_suspect: Annotated[bool, LIMITS] = False
    """use results marked as suspect"""
    include_modes: Annotated[bool, LIMITS] = False
    """also examples in the prompt, tools, tuning"""
    licence: Annotated[list[str] | None, LIMITS, Parameter(choices=LICENCES)] = None
    """of the weights; may be given again"""
    also_retired: Annotated[bool, LIMITS] = False
    """also what cannot be had today"""
    gpu: Annotated[str | None, LIMITS, Parameter(metavar="CARD")] = None
    """one such card holds it: a name, or '24 GB'"""
    max_params_b: Annotated[float | None, LIMITS, NUMBER, Parameter(metavar="B")] = None
    """real total, billions"""
    max_memory_gb: Annotated[float | None, LIMITS, NUMBER, Parameter(metavar="GB")] = None
    """estimated, at --precision"""
    precision: Annotated[str | None, LIMITS, Parameter(choices=tuple(BYTES))] = None
    """default: bf16"""
    max_usd_per_1000: Annotated[float | None, LIMITS, NUMBER, Parameter(metavar="USD")] = None
    """per 1,000 questions"""
    max_seconds: Annotated[float | None, LIMITS, NUMBER, Parameter(metavar="S")] = None
    """per answer"""
    min_score: Annotated[list[str] | None, LIMITS, Parameter(metavar="[TAG=]%")] = None
    """lowest score in per cent, overall or on a tag"""
    within_points: Annotated[float | None, LIMITS, NUMBER, Parameter(metavar="P")] = None
    """the cheapest within P points of the best"""
    ruled_out: Annotated[str | None, LIMITS, Parameter(metavar="ID,ID")] = None
    """models you do not want"""


STATED = Parameter(group="What only you know")
WORKLOAD = Parameter(group="What a question of yours is made of (for cost and memory)")


@dataclass(frozen=True, kw_only=True)
class Stated(Limited):
    """What only the person knows."""

    usd_per_1000: Annotated[list[str] | None, STATED, Parameter(metavar="ID=USD")] = None
    seconds: Annotated[list[str] | None, STATED, Parameter(metavar="ID=S")] = None
    gpu_usd_per_hour: Annotated[float | None, STATED, NUMBER, Parameter(metavar="USD")] = None
    questions_per_hour: Annotated[list[str] | None, STATED, Parameter(metavar="[ID=]N")] = None
    picture: Annotated[
        str | None,
        WORKLOAD,
        named("--picture", f"pixels; default: {ASSUMED.width}x{ASSUMED.height}", "WxH"),
    ] = None
    pictures: Annotated[int | None, WORKLOAD, WHOLE, Parameter(metavar="N")] = None
    """in a question; default: 1"""
    prompt_tokens: Annotated[
        float | None,
        WORKLOAD,
        NUMBER,
        named("--prompt-tokens", f"default: {ASSUMED.prompt_tokens:g}", "N"),
    ] = None
    output_tokens: Annotated[float | None, WORKLOAD, NUMBER, Parameter(metavar="N")] = None
    """of an answer, where none was measured"""
    thinking_tokens: Annotated[float | None, WORKLOAD, NUMBER, Parameter(metavar="N")] = None
    """of an answer with its thinking"""
    image_tokens: Annotated[float | None, WORKLOAD, NUMBER, Parameter(metavar="N")] = None
    """of a picture, where no rule is known"""


def needs(options: Stated, default_axes: dict[str, str]) -> Needs:
    """What the options ask for; a preset's own settings give way to options beside it.

    Args:
        options: As given.
        default_axes: Suite → the axis it is sorted by when none is asked for.

    Raises:
        BadInput: A pair is not NAME=NUMBER.
    """
    base = (PRESETS | CURRENT)[options.preset].needs if options.preset else Needs("vqa360", "")
    given = _plain(options) | _read(options) | _workload(options)
    if options.mix_blocks:
        given["suite"] = pooling.SUITE
    if options.need is not None:
        parts = [part for need in options.need for part in need.split(",") if part.strip()]
        weights = pairs([part if "=" in part else f"{part}=1" for part in parts], "--need")
        given |= {"axis": need_axis.AXIS, "weights": weights}
        return Needs(**(vars(base) | {"suite": ""} | given))
    name = given.get("suite", base.suite)
    if "axis" not in given and (name != base.suite or not base.axis):
        given["axis"] = default_axes.get(name, "")
    return Needs(**(vars(base) | given))


def _plain(options: Stated) -> dict[str, Any]:
    """The options that are fields of ``Needs`` as they are; a flag not given says nothing."""
    fields = {field.name for field in dataclasses.fields(Needs)}
    return {
        name: value
        for name, value in vars(options).items()
        if name in fields and value is not None and value is not False
        if not isinstance(value, list)
    }


def _read(options: Stated) -> dict[str, Any]:
    """The options that are written otherwise than a field of ``Needs``."""
    given: dict[str, Any] = {}
    if options.weights is not None:
        given["weights"] = pairs(options.weights, "--weights")
    if options.ruled_out is not None:
        given["ruled_out"] = tuple(part.strip() for part in options.ruled_out.split(","))
    for name in ("usd_per_1000", "seconds"):
        if stated := getattr(options, name):
            given[name] = pairs(stated, f"--{name.replace('_', '-')}")
    if options.questions_per_hour:
        rates = [rate if "=" in rate else f"{EVERY}={rate}" for rate in options.questions_per_hour]
        given["questions_per_hour"] = pairs(rates, "--questions-per-hour")
    return given | _least_scores(options.min_score or ()) | _of_current(options)


def _of_current(options: Stated) -> dict[str, Any]:
    """What is asked of current models: licence, availability, the cheapest near the best."""
    given: dict[str, Any] = {}
    if options.licence is not None:
        given["licences"] = tuple(dict.fromkeys(options.licence))
    if options.also_retired:
        given["available_today"] = False
    if options.within_points is not None:
        given["within"] = options.within_points / 100
    return given


def _least_scores(texts: Iterable[str]) -> dict[str, Any]:
    """``--min-score``: per cent overall, or TAG=PER CENT."""
    given: dict[str, Any] = {}
    tags: list[tuple[str, float]] = []
    for score in texts:
        if "=" in score:
            given_here = pairs(score, "--min-score")
            tags += [(tag, value / 100) for tag, value in given_here]
            check_once([tag for tag, _ in tags], "--min-score")
            given["min_tag_scores"] = tuple(tags)
            _check_per_cent(score, [value for _, value in given_here])
            continue
        check_once(["overall"] * (1 + ("min_score" in given)), "--min-score")
        try:
            value = float(score)
        except ValueError:
            raise BadInput(
                f"--min-score: {score!r} should be a number in per cent, or TAG=NUMBER"
            ) from None
        given["min_score"] = value / 100
        _check_per_cent(score, [value])
    return given


def _check_per_cent(score: str, values: Sequence[float]) -> None:
    if not all(0 <= value <= 100 for value in values):
        raise BadInput(f"--min-score: {score!r} should be 0 to 100 per cent, such as 60")


def _workload(options: Stated) -> dict[str, Any]:
    question = {
        field: getattr(options, option)
        for option, field in QUESTION.items()
        if getattr(options, option) is not None
    }
    if options.picture is not None:
        size = re.fullmatch(r"\s*(\d{1,6})\s*[xX×]\s*(\d{1,6})\s*", options.picture)
        if size is None:
            raise BadInput(
                f"--picture: {options.picture!r} should be WIDTHxHEIGHT in pixels, such as 1024x768"
            )
        question |= {"width": int(size[1]), "height": int(size[2])}
    if not question:
        return {}
    return {"workload": Question(**(dataclasses.asdict(ASSUMED) | question))}
