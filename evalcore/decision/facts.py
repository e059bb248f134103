"""What limits are made of: what is known of a model, what is found in it, a row of the table."""

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Mix:
    """Which results are asked, and how they are weighed."""

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


@dataclass(frozen=True)
class Facts:
    """What is known of a model where a limit may ask; unknown is NaN (or None for open weights)."""

    model: str
    open_weights: bool | None
    params_b: float
    memory_gb: float
    usd_per_1000: float
    seconds: float
    score: float
    """Overall score, NaN when a weighted tag is missing."""
    ceiling: float
    """The overall score with the best possible result in every gap."""
    by_tag: Mapping[str, float]
    market: bool = False
    """Whether offers were looked up; if not, what follows is unknown."""
    api: bool = False
    """Whether it can be called: its maker's interface, or somebody's at a known price."""
    available: bool | None = None
    status: str = ""
    """Its availability in words."""
    licence: str = ""
    licence_class: str = "unknown"
    commercial: bool | None = None
    condition: str = ""
    card_gb: float = math.nan
    """Memory of the card that it has to run on."""
    memory_at: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """Precision → memory in GB."""
    cost_missing: tuple[str, ...] = ()
    """What is unknown of its cost and what to state, a sentence each."""
    about: Mapping[Any, Any] = dataclasses.field(default_factory=dict)
    """Its row of the models."""


@dataclass(frozen=True)
class Finding:
    """One limit that a model misses (``relaxation`` set) or that cannot be checked (None)."""

    limit: str
    """Which limit: the name of a row of ``needs.LIMITS``."""
    text: str
    """The miss in words, or what to state so that the limit can be checked."""
    relaxation: str | None
    change: str = ""
    """``relaxation`` with one decimal at most, up; the same where it is empty."""
    step: float = math.nan
    """How far the limit would have to move, as a share of it; NaN where it is no number."""


def up(value: float) -> str:
    """Return the value rounded up to two decimals, so that a limit at it lets the model in."""
    digits = 2 if value >= 0.1 else 6
    return f"{math.ceil(value * 10**digits - 1e-6) / 10**digits:.{digits}f}".rstrip("0").rstrip(".")


def down(fraction: float) -> str:
    """Return a fraction as per cent, rounded down to one decimal for the same reason."""
    return f"{math.floor(fraction * 1000 + 1e-6) / 10:g}"


def over(  # noqa: PLR0913  one ceiling
    limit: str, what: str, unit: str, value: float, most: float | None, state: str
) -> list[Finding]:
    """Return that a value is over its limit, or, where it is NaN, what to state; else nothing.

    Args:
        limit: the limit's name.
        what: the value in words.
        unit: of both.
        value: of the model.
        most: the limit, in the same unit; None: there is none.
        state: what is unknown when the value is, and the option that helps.
    """
    if most is None or value <= most:
        return []
    if math.isnan(value):
        return [Finding(limit, state, None)]
    text = f"{what} {up(value)} {unit} over {most:g} {unit}"
    change, tenth = (f"raise the {what} to {to} {unit}" for to in (up(value), up_tenth(value)))
    return [Finding(limit, text, change, tenth, value / most - 1 if most else math.inf)]


def up_tenth(value: float) -> str:
    """Return the value with one decimal at most, up: a limit there lets the model in as well.

    >>> up_tenth(24.72), up_tenth(24.0)
    ('24.8', '24')
    """
    number = up(value)
    if len(number.partition(".")[2]) < 2:
        return number
    return f"{math.ceil(float(number) * 10 - 1e-6) / 10:g}"


@dataclass(frozen=True)
class Control:
    """One field of the limits form, its key in links, and its option on the command line."""

    field: str
    """The field of ``Needs`` that it fills."""
    key: str
    """Of the widget, and of its value in links."""
    kind: Literal["number", "tick", "choice", "many", "text", "lines"]
    """lines: one "name = number" a line."""
    label: str
    place: tuple[int, int]
    """Row and column in the form, see ``pages/shared/limits_form.py``."""
    order: int
    """Among the parameters of a link."""
    help: str = ""
    hint: str = ""
    """What an empty field shows."""
    scale: float = 1
    """What a number is multiplied with to be shown: 100 for a fraction in per cent."""
    low: float = 0.0
    high: float | None = None
    choices: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Of a choice: value to its words."""
    scored: bool = False
    """Whether it concerns scores, so that runs are not asked for it."""
    read: Callable[[Any], Mapping[str, Any]] | None = None
    """From what stands in the field to fields of ``Needs``, where it is not ``field`` itself."""
    show: Callable[[Any], Any] | None = None
    """From the needs to what stands in the field, where it is not ``field`` itself."""
    option: str = ""
    """On the command line; by default that of the field's name."""
    flags: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Fields that are flags of their own on the command line, in place of one option, and what
    ``--help`` says of them."""
    metavar: str = ""
    """In brackets a name that may be left out: the option may be given again."""
    group: str = "Limits"
    about: str = ""
    """What ``--help`` says."""

    def __post_init__(self) -> None:
        """An option is called as its field unless it is said otherwise."""
        object.__setattr__(self, "option", self.option or f"--{self.field.replace('_', '-')}")

    def fields(self, value: Any) -> Mapping[str, Any]:
        """Return the fields of ``Needs`` for what stands in the form; none for an empty field."""
        if self.read is not None:
            return self.read(value)
        if value is None:
            return {}
        if self.kind == "text":
            value = value.strip()
        elif self.kind == "many":
            value = tuple(value)
        return {self.field: value / self.scale if self.scale != 1 else value}

    def shown(self, needs: Any) -> Any:
        """Return what stands in the form for the needs."""
        if self.show is not None:
            return self.show(needs)
        value = getattr(needs, self.field)
        if self.kind == "many":
            return list(value)
        if self.kind == "lines":
            return lines(tuple((name, number * self.scale) for name, number in value))
        return value if value is None or self.scale == 1 else value * self.scale


def lines(stated: tuple[tuple[str, float], ...]) -> str:
    """Return stated figures as the form takes them: one "name = number" a line."""
    return "\n".join(f"{name} = {value:g}" for name, value in stated)


@dataclass(frozen=True)
class Limit:
    """One limit: everything in which it differs from the others. ``Any`` is ``Needs``."""

    name: str
    order: int
    """Among the limits in words."""
    controls: tuple[Control, ...]
    check: Callable[[Facts, Any], list[Finding]] = lambda facts, needs: []
    words: Callable[[Any, Mapping[str, str]], list[str]] = lambda needs, names: []
    """What is asked, a few words each; none where nothing is."""
    missed: str = ""
    """Why models are not considered."""
    unknown: str = ""
    """What is unknown of those for whom nobody can tell."""


def asked(value: object, text: Callable[[], str]) -> list[str]:
    """Return a limit in words; nothing where it is not set."""
    return [] if value is None or value == "" else [text()]


WHERE = {"any": "Any", "open": "Open weights", "own": "My machine", "api": "API only"}
"""Where a model may run, with the words on screen."""


def where(needs: Any) -> str:
    """The key of ``WHERE`` that the needs ask for."""
    if needs.self_hosted:
        return "own"
    if needs.open_weights:
        return "open"
    return "api" if needs.api_only else "any"


def place(chosen: str) -> dict[str, object]:
    """The fields of the needs for a key of ``WHERE``."""
    return {
        "open_weights": chosen in ("open", "own"),
        "self_hosted": chosen == "own",
        "api_only": chosen == "api",
    }
