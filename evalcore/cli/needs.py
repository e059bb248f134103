"""The options of ``recommend`` and ``report`` → ``Needs``."""

import argparse
import dataclasses
import re
from collections.abc import Iterable, Sequence
from typing import Any

from evalcore.cli import once
from evalcore.cost.api import Question
from evalcore.decision import need_axis
from evalcore.decision.needs import ASSUMED, EVERY, Needs
from evalcore.decision.presets import CURRENT, PRESETS
from evalcore.errors import BadInput
from evalcore.suites import pooling

PLAIN = (
    "suite", "axis", "aggregate", "min_n", "open_weights", "self_hosted", "api_only",
    "max_params_b", "max_memory_gb", "precision", "max_usd_per_1000", "max_seconds",
    "include_unknown", "include_suspect", "include_modes", "gpu_usd_per_hour", "commercial_use",
    "gpu",
)  # fmt: skip
QUESTION = {
    "pictures": "images",
    "prompt_tokens": "prompt_tokens",
    "output_tokens": "tokens_out",
    "thinking_tokens": "thinking_tokens_out",
    "image_tokens": "image_tokens",
}
"""Option → the field of ``cost.api.Question`` that it states."""


def needs(arguments: argparse.Namespace, default_axes: dict[str, str]) -> Needs:
    """What the options ask for; a preset's own settings give way to options beside it.

    Args:
        arguments: As parsed.
        default_axes: Suite → the axis it is sorted by when none is asked for.

    Raises:
        BadInput: A pair is not NAME=NUMBER.
    """
    base = (PRESETS | CURRENT)[arguments.preset].needs if arguments.preset else Needs("vqa360", "")
    given: dict[str, Any] = {
        name: getattr(arguments, name) for name in PLAIN if getattr(arguments, name) is not None
    }
    given |= _pairs_given(arguments) | _current_given(arguments)
    if arguments.mix_blocks:
        given["suite"] = pooling.SUITE
    if arguments.need is not None:
        given |= {"axis": need_axis.AXIS, "weights": _needs_asked(arguments.need)}
        return Needs(**(vars(base) | {"suite": ""} | given))
    suite = given.get("suite", base.suite)
    if "axis" not in given and (suite != base.suite or not base.axis):
        given["axis"] = default_axes.get(suite, "")
    return Needs(**(vars(base) | given))


def _needs_asked(texts: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """Read NEED or NEED=WEIGHT, each from an option of its own or parted by commas."""
    parts = [part for text in texts for part in text.split(",") if part.strip()]
    return _once(
        (_pair(part if "=" in part else f"{part}=1", "--need") for part in parts), "--need"
    )


def _current_given(arguments: argparse.Namespace) -> dict[str, Any]:
    """What is asked of current models: licence, availability, workload, the cheapest near best."""
    given: dict[str, Any] = {}
    if arguments.licence is not None:
        given["licences"] = tuple(dict.fromkeys(arguments.licence))
    if arguments.also_retired:
        given["available_today"] = False
    if arguments.within_points is not None:
        given["within"] = arguments.within_points / 100
    question = {
        field: getattr(arguments, option)
        for option, field in QUESTION.items()
        if getattr(arguments, option) is not None
    }
    if arguments.picture is not None:
        question |= dict(zip(("width", "height"), _picture(arguments.picture), strict=True))
    if question:
        given["workload"] = Question(**(dataclasses.asdict(ASSUMED) | question))
    return given


def _picture(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"\s*(\d{1,6})\s*[xX×]\s*(\d{1,6})\s*", text)
    if found is None:
        raise BadInput(f"--picture: {text!r} should be WIDTHxHEIGHT in pixels, such as 1024x768")
    return int(found[1]), int(found[2])


def pairs(text: str, option: str) -> tuple[tuple[str, float], ...]:
    """Read ``NAME=NUMBER,NAME=NUMBER``.

    Raises:
        BadInput: A part is not of that form, or a name stands twice.

    >>> pairs("Chart Understanding=2,Document Understanding=1", "--weights")
    (('Chart Understanding', 2.0), ('Document Understanding', 1.0))
    """
    return _once((_pair(part, option) for part in text.split(",") if part.strip()), option)


def _once(found: Iterable[tuple[str, float]], option: str) -> tuple[tuple[str, float], ...]:
    known = tuple(found)
    once.check([name for name, _ in known], option)
    return known


def _pair(part: str, option: str) -> tuple[str, float]:
    name, equals, number = part.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        equals = ""
        value = 0.0
    if not equals or not name.strip():
        raise BadInput(f"{option}: {part.strip()!r} should be NAME=NUMBER, such as 'Sports=2'")
    return name.strip(), value


def _pairs_given(arguments: argparse.Namespace) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if arguments.weights is not None:
        given["weights"] = pairs(arguments.weights, "--weights")
    if arguments.ruled_out is not None:
        given["ruled_out"] = tuple(part.strip() for part in arguments.ruled_out.split(","))
    for name in ("usd_per_1000", "seconds"):
        if stated := getattr(arguments, name):
            option = "--" + name.replace("_", "-")
            given[name] = _once((pair for text in stated for pair in pairs(text, option)), option)
    for text in arguments.questions_per_hour or ():
        full = text if "=" in text else f"{EVERY}={text}"
        found = pairs(full, "--questions-per-hour")
        both = (*given.get("questions_per_hour", ()), *found)
        given["questions_per_hour"] = _once(both, "--questions-per-hour")
    for text in arguments.min_score or ():
        _add_min_score(given, text)
    return given


def _add_min_score(given: dict[str, Any], text: str) -> None:
    if "=" in text:
        found = tuple((tag, value / 100) for tag, value in pairs(text, "--min-score"))
        both = (*given.get("min_tag_scores", ()), *found)
        given["min_tag_scores"] = _once(both, "--min-score")
        _refuse_no_per_cent(text, [100 * value for _, value in found])
        return
    once.check(["overall"] * (1 + ("min_score" in given)), "--min-score")
    try:
        given["min_score"] = float(text) / 100
    except ValueError:
        raise BadInput(
            f"--min-score: {text!r} should be a number in per cent, or TAG=NUMBER"
        ) from None
    _refuse_no_per_cent(text, [100 * given["min_score"]])


def _refuse_no_per_cent(text: str, values: Sequence[float]) -> None:
    if not all(0 <= value <= 100 for value in values):
        raise BadInput(f"--min-score: {text!r} should be 0 to 100 per cent, such as 60")
