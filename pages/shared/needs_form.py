"""From what the sidebar and the limits form say to one question, and back. No Streamlit here.

What the form's text areas hold is hostile text: it is read line by line, and an error names the
line.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Literal, cast

from evalcore.cost.api import Question
from evalcore.decision import link
from evalcore.decision.link import WHERE, lines
from evalcore.decision.needs import ASSUMED, EVERY, Needs
from evalcore.errors import BadInput
from evalcore.offers import LicenceClass
from evalcore.suites.suite import ModelFilter
from pages.shared.controls import ANY_SIZE

Where = Literal["any", "open", "own", "api"]

WORKLOAD = {
    "rec_width": "width",
    "rec_height": "height",
    "rec_pictures": "images",
    "rec_prompt": "prompt_tokens",
    "rec_answer": "tokens_out",
    "rec_thinking": "thinking_tokens_out",
    "rec_image_tokens": "image_tokens",
}
"""Key of a widget to the part of a question that it states."""


@dataclass(frozen=True)
class Form:
    """The limits form as filled in; None and empty text are no limit."""

    where: Where = "any"
    size_b: float | None = None
    memory_gb: float | None = None
    precision: str = "bf16"
    usd: float | None = None
    """Dollars per 1,000 questions."""
    gpu_usd: float | None = None
    """Dollars for an hour of the own machine."""
    pace: float | None = None
    """Questions an hour on it, whichever model runs."""
    costs: str = ""
    """Lines of model = dollars per 1,000 questions."""
    seconds: float | None = None
    times: str = ""
    """Lines of model = seconds an answer."""
    score: float | None = None
    """Per cent."""
    tags: str = ""
    """Lines of tag = per cent."""
    unknown: bool = False
    suspect: bool = False
    out: tuple[str, ...] = ()
    """Ids of models that are not wanted."""
    licences: tuple[str, ...] = ()
    commercial: bool = False
    retired: bool | None = None
    """Let models pass that cannot be had today; None where the suite is of no current models."""
    modes: bool = False
    card: str = ""
    """The one graphics card: a name, or its memory as in "24 GB"."""
    within: float | None = None
    """Points: the cheapest so far below the best."""
    workload: Question | None = None


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
    least = pairs(form.tags, "Fewest per cent on a tag", {tag: tag for tag in tags}, "60")
    sizes = [size for size in (chosen.max_params_b, form.size_b) if size is not None]
    return replace(
        asked,
        open_weights=form.where in ("open", "own") or chosen.weights == "open",
        self_hosted=form.where == "own",
        api_only=form.where == "api" or chosen.weights == "closed",
        max_params_b=min(sizes, default=None),
        max_memory_gb=form.memory_gb,
        precision=form.precision,
        max_usd_per_1000=form.usd,
        gpu_usd_per_hour=form.gpu_usd,
        questions_per_hour=() if form.pace is None else ((EVERY, form.pace),),
        usd_per_1000=pairs(form.costs, "Cost of single models", models, "0.3"),
        max_seconds=form.seconds,
        seconds=pairs(form.times, "Seconds of single models", models, "1.5"),
        min_score=None if form.score is None else form.score / 100,
        min_tag_scores=_shares(least),
        include_unknown=form.unknown or chosen.include_unknown,
        include_suspect=form.suspect,
        ruled_out=form.out,
        licences=cast(tuple[LicenceClass, ...], form.licences),
        commercial_use=form.commercial,
        available_today=None if form.retired is None else not form.retired,
        include_modes=form.modes,
        gpu=form.card.strip(),
        within=None if form.within is None else form.within / 100,
        workload=form.workload,
    )


def _agree(chosen: ModelFilter, form: Form) -> None:
    clash = (chosen.weights, form.where)
    if clash in {("open", "api"), ("closed", "open"), ("closed", "own")}:
        raise BadInput(
            f"the sidebar asks for {chosen.weights} weights and the form for "
            f"{WHERE[form.where].lower()!r}: no model can be both; set one of them to any"
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
    found: dict[str, float] = {}
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
        if own in found:
            raise BadInput(f"{where} is a second line for {own!r}; keep one")
        found[own] = _number(value, where, example)
    return tuple(found.items())


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _nearest(name: str, known: Mapping[str, str]) -> str:
    by_fold = {_folded(one): one for one in known}
    near = get_close_matches(_folded(name), list(by_fold), n=3, cutoff=0.5)
    if near:
        return f"which is not known here; did you mean {' or '.join(by_fold[one] for one in near)}?"
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
        "rec_where": link.where(asked),
        "rec_size": asked.max_params_b,
        "rec_memory": asked.max_memory_gb,
        "rec_precision": asked.precision,
        "rec_usd": asked.max_usd_per_1000,
        "rec_gpu": asked.gpu_usd_per_hour,
        "rec_pace": dict(asked.questions_per_hour).get(EVERY),
        "rec_costs": lines(asked.usd_per_1000),
        "rec_seconds": asked.max_seconds,
        "rec_times": lines(asked.seconds),
        "rec_score": None if asked.min_score is None else 100 * asked.min_score,
        "rec_tags": lines(tuple((tag, 100 * least) for tag, least in asked.min_tag_scores)),
        "rec_unknown": asked.include_unknown,
        "rec_suspect": asked.include_suspect,
        "rec_out": list(asked.ruled_out),
        "rec_licence": list(asked.licences),
        "rec_commercial": asked.commercial_use,
        "rec_retired": asked.available_today is False,
        "rec_modes": asked.include_modes,
        "rec_card": asked.gpu,
        "rec_within": None if asked.within is None else 100 * asked.within,
        **workload_keys(asked.workload),
    }


def workload_keys(asked: Question | None) -> dict[str, float | None]:
    """The values of the widgets that say what a question is made of; None: as assumed."""
    stated = {} if asked is None or asked == ASSUMED else vars(asked)
    return {key: stated.get(field) for key, field in WORKLOAD.items()}


def workload(stated: Mapping[str, float | None]) -> Question | None:
    """The question that the widgets describe; None while every one of them is empty.

    Args:
        stated: Key of ``WORKLOAD`` to a number.
    """
    told = {field: stated[key] for key, field in WORKLOAD.items() if stated.get(key) is not None}
    if not told:
        return None
    whole = {
        name: value if name.endswith("out") else int(value or 0) for name, value in told.items()
    }
    return replace(ASSUMED, **whole)


def known_only(asked: Needs, name: str, models: set[str]) -> Needs:
    """The question put to one block: figures for models that it does not hold are left aside."""
    return replace(
        asked,
        suite=name,
        ruled_out=tuple(model for model in asked.ruled_out if model in models),
        usd_per_1000=tuple(pair for pair in asked.usd_per_1000 if pair[0] in models),
        seconds=tuple(pair for pair in asked.seconds if pair[0] in models),
    )


def same(one: Needs, other: Needs) -> bool:
    """Whether two needs ask the same question: the order of tags does not matter."""
    return _ordered(one) == _ordered(other)


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
