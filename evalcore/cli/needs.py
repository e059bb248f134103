"""The options of ``recommend`` and ``report`` → ``Needs``."""

import argparse
from collections.abc import Sequence
from typing import Any

from evalcore.errors import BadInput
from evalcore.needs import EVERY, Needs
from evalcore.presets import PRESETS

PLAIN = (
    "suite", "axis", "aggregate", "min_n", "open_weights", "self_hosted", "api_only",
    "max_params_b", "max_memory_gb", "precision", "max_usd_per_1000", "max_seconds",
    "include_unknown", "include_suspect", "gpu_usd_per_hour",
)  # fmt: skip


def needs(arguments: argparse.Namespace, default_axes: dict[str, str]) -> Needs:
    """What the options ask for; a preset's own settings give way to options beside it.

    Args:
        arguments: As parsed.
        default_axes: Suite → the axis it is sorted by when none is asked for.

    Raises:
        BadInput: A pair is not NAME=NUMBER.
    """
    base = PRESETS[arguments.preset].needs if arguments.preset else Needs("vqa360", "")
    given: dict[str, Any] = {
        name: getattr(arguments, name) for name in PLAIN if getattr(arguments, name) is not None
    }
    given |= _pairs_given(arguments)
    suite = given.get("suite", base.suite)
    if "axis" not in given and (suite != base.suite or not base.axis):
        given["axis"] = default_axes.get(suite, "")
    return Needs(**(vars(base) | given))


def pairs(text: str, option: str) -> tuple[tuple[str, float], ...]:
    """Read ``NAME=NUMBER,NAME=NUMBER``.

    Raises:
        BadInput: A part is not of that form.

    >>> pairs("Chart Understanding=2,Document Understanding=1", "--weights")
    (('Chart Understanding', 2.0), ('Document Understanding', 1.0))
    """
    return tuple(_pair(part, option) for part in text.split(",") if part.strip())


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
            given[name] = tuple(pair for text in stated for pair in pairs(text, option))
    for text in arguments.questions_per_hour or ():
        full = text if "=" in text else f"{EVERY}={text}"
        found = pairs(full, "--questions-per-hour")
        given["questions_per_hour"] = (*given.get("questions_per_hour", ()), *found)
    for text in arguments.min_score or ():
        _add_min_score(given, text)
    return given


def _add_min_score(given: dict[str, Any], text: str) -> None:
    if "=" in text:
        found = tuple((tag, value / 100) for tag, value in pairs(text, "--min-score"))
        given["min_tag_scores"] = (*given.get("min_tag_scores", ()), *found)
        _refuse_no_per_cent(text, [100 * value for _, value in found])
        return
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
