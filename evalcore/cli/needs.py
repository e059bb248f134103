"""The options of ``recommend`` and ``report``, and the ``Needs`` that they state."""

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from evalcore.analysis.ranking import MODES
from evalcore.cli.options import NUMBER, WEIGHTS, WHOLE, Printed, check_once, named, pairs
from evalcore.cost.api import Question
from evalcore.decision import need_axis
from evalcore.decision.facts import Control
from evalcore.decision.needs import ASSUMED, EVERY, LIMITS, Needs
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


OPTIONS = {
    control.option.removeprefix("--").replace("-", "_"): control
    for limit in LIMITS
    for control in limit.controls
    if control.field != "min_tag_scores"  # --min-score sets both
}
"""Name of an option to the row of ``decision.needs`` that it comes from."""


def _fields() -> list[tuple[str, Any, Any]]:
    """The options of every limit: name, type and default."""
    fields: list[tuple[str, Any, Any]] = []
    for name, control in OPTIONS.items():
        group = Parameter(group=control.group)
        if control.flags:
            fields += [
                (flag, Annotated[bool, group, Parameter(help=about)], False)
                for flag, about in control.flags.items()
            ]
            continue
        asked = Parameter(help=control.about or None, metavar=control.metavar or None)
        fields.append((name, _type(control, group, asked), control.kind != "tick" and None))
    return fields


def _type(control: Control, *parameters: Parameter) -> Any:
    """What an option takes."""
    chosen = Parameter(choices=tuple(control.choices)) if control.choices else Parameter()
    if control.kind == "tick":
        return Annotated[bool, *parameters]
    if control.kind == "lines" or control.metavar.startswith("["):
        return Annotated[list[str] | None, *parameters]
    if control.kind == "number":
        return Annotated[float | None, *parameters, NUMBER]
    if control.kind == "many" and control.choices:
        return Annotated[list[str] | None, *parameters, chosen]
    return Annotated[str | None, *parameters, chosen]


if TYPE_CHECKING:
    Limited = Asked
else:
    Limited = dataclasses.make_dataclass(
        "Limited", _fields(), bases=(Asked,), frozen=True, kw_only=True
    )
    """What a model has to keep to."""


WORKLOAD = Parameter(group="What a question of yours is made of (for cost and memory)")


@dataclass(frozen=True, kw_only=True)
class Stated(Limited):
    """What only the person knows of a question."""

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
    given = _plain(options) | _limits(options) | _workload(options)
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
    """The suite and how it is weighed; an option not given says nothing."""
    names = ("suite", "axis", "aggregate", "min_n")
    given = {name: value for name in names if (value := getattr(options, name)) is not None}
    if options.weights is not None:
        given["weights"] = pairs(options.weights, "--weights")
    return given


def _limits(options: Stated) -> dict[str, Any]:
    """What the options of the limits say; one not given says nothing."""
    stated = vars(options)
    given: dict[str, Any] = {}
    for name, control in OPTIONS.items():
        given |= {flag: True for flag in control.flags if stated[flag]}
        value = stated.get(name)
        if not (control.flags or value is None or value is False or value == []):
            given |= _limit(name, control, value)
    return given


def _limit(name: str, control: Control, value: Any) -> Mapping[str, Any]:
    if name == "min_score":
        return _least_scores(value)
    if name == "questions_per_hour":
        rates = [rate if "=" in rate else f"{EVERY}={rate}" for rate in value]
        return {control.field: pairs(rates, control.option)}
    if control.kind == "lines":
        return {control.field: pairs(value, control.option)}
    if control.kind == "many":
        parts = value if control.choices else [part.strip() for part in value.split(",")]
        return {control.field: tuple(dict.fromkeys(parts) if control.choices else parts)}
    return {control.field: value} if control.kind == "text" else control.fields(value)


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
