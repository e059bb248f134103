"""From what the sidebar and the limits form say to one question, and back. No Streamlit here.

What the form's text areas hold is hostile text: it is read line by line, and an error names the
line.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from evalcore.cost.api import Question
from evalcore.decision import link
from evalcore.decision.facts import WHERE
from evalcore.decision.needs import ASSUMED, CONTROLS, Needs
from evalcore.errors import BadInput
from evalcore.suites.suite import ModelFilter
from pages.shared.controls import ANY_SIZE

Form = Mapping[str, Any]
"""The limits form as filled in: key of a widget to what stands in it; None and "" are no limit."""
QUESTION = "question"
"""In the form: what a question is made of."""
FOR_LINES = {
    "min_tag_scores": "Fewest per cent on a tag",
    "usd_per_1000": "Cost of single models",
    "seconds": "Seconds of single models",
}
"""The field of ``Needs`` that lines fill → what messages call it."""


def needs(
    asked: Needs,
    chosen: ModelFilter,
    form: Form,
    names: Mapping[str, str],
    tags: Sequence[str],
) -> Needs:
    """Add the limits of the sidebar and of the form to the question.

    The stricter of two sizes counts. The sidebar's "open" and "closed" are limits like the form's.

    Args:
        asked: Suite, axis, weights, mean and fewest questions.
        chosen: The sidebar's model filter.
        form: The limits form.
        names: Model id to the name on screen.
        tags: The axis's tags.

    Raises:
        BadInput: A line of a text area cannot be read, or sidebar and form contradict each other.
    """
    _agree(chosen, form)
    models = {name: model for model, name in names.items()} | {model: model for model in names}
    given: dict[str, Any] = {}
    for control in CONTROLS:
        if control.key not in form:
            continue
        value = form[control.key]
        if control.kind == "lines":
            scored, label = control.scored, FOR_LINES.get(control.field, control.label)
            known = {tag: tag for tag in tags} if scored else models
            value = pairs(value, label, known, control.hint)
            given[control.field] = _shares(value) if scored else value
            continue
        given |= control.fields(value)
    if form.get(QUESTION) is not None:
        given["workload"] = form[QUESTION]
    sizes = [chosen.max_params_b, given.get("max_params_b")]
    given["max_params_b"] = min((size for size in sizes if size is not None), default=None)
    given["open_weights"] = given.get("open_weights", False) or chosen.weights == "open"
    given["api_only"] = given.get("api_only", False) or chosen.weights == "closed"
    given["include_unknown"] = given.get("include_unknown", False) or chosen.include_unknown
    return replace(asked, **given)


def _agree(chosen: ModelFilter, form: Form) -> None:
    where = form.get("rec_where", "any")
    if (chosen.weights, where) in {("open", "api"), ("closed", "open"), ("closed", "own")}:
        raise BadInput(
            f"the sidebar asks for {chosen.weights} weights and the form for "
            f"{WHERE[where].lower()!r}: no model can be both; set one of them to any"
        )


def _shares(least: tuple[tuple[str, float], ...]) -> tuple[tuple[str, float], ...]:
    for tag, value in least:
        if value > 100:
            raise BadInput(f"the lowest score on {tag!r} is {value:g} %; give 0 to 100")
    return tuple((tag, value / 100) for tag, value in least)


def pairs(
    text: str, label: str, known: Mapping[str, str], example: str
) -> tuple[tuple[str, float], ...]:
    """Read lines of "name = number".

    Args:
        text: What was typed; empty lines are skipped, letter case does not matter.
        label: The field's name, for messages.
        known: Name as it may be typed to the id it stands for.
        example: A number that would be right, for messages.

    Returns:
        (id, number) pairs in the order of the lines.

    Raises:
        BadInput: A line has no "=", an unknown name, no number of at least 0, or a name twice.
    """
    ids = {_folded(name): own for name, own in known.items()}
    shown = next(iter(known), "name")
    weights: dict[str, float] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{label}, line {number}: {line.strip()[:80]!r}"
        name, equals, value = line.rpartition("=")
        if not equals:
            raise BadInput(f"{where} has no '='; write for example {shown} = {example}")
        own = ids.get(_folded(name))
        if own is None:
            raise BadInput(f"{where} names {name.strip()[:80]!r}, {_nearest(name, known)}")
        if own in weights:
            raise BadInput(f"{where} is a second line for {own!r}; keep one")
        weights[own] = _number(value, where, example)
    return tuple(weights.items())


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _nearest(name: str, known: Mapping[str, str]) -> str:
    by_fold = {_folded(value): value for value in known}
    near = get_close_matches(_folded(name), list(by_fold), n=3, cutoff=0.5)
    if near:
        meant = " or ".join(by_fold[value] for value in near)
        return f"which is not known here; did you mean {meant}?"
    listed = sorted(known)
    more = " …" if len(listed) > 20 else ""
    return f"which is not known here; known: {', '.join(listed[:20])}{more}"


def _number(text: str, where: str, example: str) -> float:
    try:
        value = float(text.strip().strip("$%").replace("_", "x"))
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise BadInput(f"{where} has no number of at least 0 after '='; write {example}")
    return value


def filled(asked: Needs) -> dict[str, object]:
    """The values of the sidebar's and the form's widgets that ask a question (see ``needs``).

    Weights of tags are left out: a chosen tag's weight starts at 1.
    """
    return {
        "suite": asked.suite,
        "axis": asked.axis,
        "open": "any",
        "size": ANY_SIZE,
        "unknown": False,
        f"min_n_{asked.suite}": asked.min_n,
        "mean": asked.aggregate,
        f"tags_{asked.axis}": [tag for tag, _ in asked.weights],
        **{control.key: control.shown(asked) for control in CONTROLS},
        **link.workload_keys(asked.workload),
    }


def workload(stated: Mapping[str, float | None]) -> Question | None:
    """The question that the widgets describe; None while every one of them is empty.

    Args:
        stated: Key of ``WORKLOAD`` to a number.
    """
    parts = {
        field: stated[key] for key, field in link.WORKLOAD.items() if stated.get(key) is not None
    }
    if not parts:
        return None
    whole = {
        name: value if name.endswith("out") else int(value or 0) for name, value in parts.items()
    }
    return replace(ASSUMED, **whole)


def models_there(asked: Needs, name: str, models: set[str]) -> Needs:
    """The question put to one block: figures for models that it does not hold are left aside."""
    return replace(
        asked,
        suite=name,
        ruled_out=tuple(model for model in asked.ruled_out if model in models),
        usd_per_1000=tuple(pair for pair in asked.usd_per_1000 if pair[0] in models),
        seconds=tuple(pair for pair in asked.seconds if pair[0] in models),
    )


def same(first: Needs, other: Needs) -> bool:
    """Whether two needs ask the same question: the order of tags does not matter."""
    return _ordered(first) == _ordered(other)


def _ordered(asked: Needs) -> Needs:
    return replace(
        asked, weights=tuple(sorted(asked.weights)), ruled_out=tuple(sorted(asked.ruled_out))
    )


def on_screen(text: str) -> str:
    """What to state about a model, in the words of the form instead of the command line.

    >>> on_screen("size (--include-unknown lets it in)")
    'size (tick "Let unknown values pass" to let it in)'
    """
    text = text.replace(
        "--include-unknown lets it in", 'tick "Let unknown values pass" to let it in'
    )
    text = re.sub(
        r": add a row of prices\.csv with [^.]*\.",
        '; state its cost in "Cost of single models".',
        text,
    )
    text = re.sub(r"--usd-per-1000 \S+=VALUE", 'state it in "Cost of single models"', text)
    return re.sub(r"--seconds \S+=VALUE", 'state it in "Seconds of single models"', text)
