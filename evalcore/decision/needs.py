"""What a person asks for: a mix of tags, hard limits, and figures that only they know.

``LIMITS`` has one row a limit; the recommender's checks, its sentences, the form, the command line
and links follow from it. Another limit is a field of ``Needs`` and a row here.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from evalcore.cost.api import Question
from evalcore.cost.selfhost import BYTES
from evalcore.decision.facts import (
    WHERE,
    Control,
    Facts,
    Finding,
    Limit,
    Mix,
    asked,
    down,
    over,
    place,
    up,
    up_tenth,
    where,
)
from evalcore.decision.text.phrases import exact, money, percent, size
from evalcore.side_tables import LicenceClass

LICENCES: tuple[LicenceClass, ...] = ("permissive", "conditions", "non-commercial")
"""Classes of licences that a person can allow; an unknown one passes only when let."""

EVERY = "*"
"""In ``questions_per_hour``: every self-hosted model."""


ASSUMED = Question(width=1024, height=1024, prompt_tokens=100)
"""The question whose cost is given when nobody says how theirs looks; answers are as measured."""


@dataclass(frozen=True)
class Needs(Mix):
    """One question put to `recommend`; an unset limit is None, False or empty."""

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


YOURS = "What only you know"
LET_IN = "--include-unknown lets it in"


def _ruled_out(facts: Facts, needs: Needs) -> list[Finding]:
    if facts.model not in needs.ruled_out:
        return []
    return [Finding("ruled_out", "ruled out by you", "take it back in")]


def _weights(facts: Facts, needs: Needs) -> list[Finding]:
    wants_open = needs.open_weights or needs.self_hosted
    if not wants_open and (not needs.api_only or facts.api):
        return []
    if facts.open_weights is None:
        return [Finding("weights", f"whether its weights are open ({LET_IN})", None)]
    if wants_open and not facts.open_weights:
        return [Finding("weights", "closed weights", "allow closed weights")]
    if needs.api_only and facts.open_weights and facts.market:
        option = f"(--usd-per-1000 {facts.model}=VALUE if somebody does)"
        return [Finding("weights", f"whether anybody offers it through an API {option}", None)]
    if needs.api_only and facts.open_weights:
        return [Finding("weights", "open weights", "allow open weights")]
    return []


def _weights_in_words(needs: Needs, names: Mapping[str, str]) -> list[str]:
    # Offers are looked up where somebody states a question: there an API may serve open models.
    through = "through an API" if needs.workload else "closed weights, through an API"
    kinds = (
        (needs.open_weights, "open weights"),
        (needs.self_hosted, "on your own machine"),
        (needs.api_only, through),
    )
    return [text for wanted, text in kinds if wanted]


def _licence(facts: Facts, needs: Needs) -> list[Finding]:
    if not needs.licences and not needs.commercial_use:
        return []
    condition = facts.condition.rstrip(".")
    if needs.licences and facts.licence_class not in (*needs.licences, "unknown"):
        text = f"licence {facts.licence} ({facts.licence_class}: {condition})"
        return [Finding("licence", text, f"allow licences of the class {facts.licence_class}")]
    if needs.commercial_use and facts.commercial is False:
        return [Finding("licence", f"licence {facts.licence}: {condition}", "drop commercial use")]
    if facts.licence_class == "unknown" or (needs.commercial_use and facts.commercial is None):
        return [Finding("licence", f"what its licence allows ({LET_IN})", None)]
    return []


def _licence_in_words(needs: Needs, names: Mapping[str, str]) -> list[str]:
    classes = [f"licence {' or '.join(needs.licences)}"] if needs.licences else []
    return classes + ["commercial use"] * needs.commercial_use


def _available(facts: Facts, needs: Needs) -> list[Finding]:
    if not needs.available_today or facts.available:
        return []
    if facts.available is None:
        text = f"whether it can still be had: no source was found ({LET_IN})"
        return [Finding("available", text, None)]
    return [Finding("available", facts.status, "allow models that cannot be had today")]


def _size(facts: Facts, needs: Needs) -> list[Finding]:
    return over("size", "size", "B", facts.params_b, needs.max_params_b, f"size ({LET_IN})")


def _memory(facts: Facts, needs: Needs) -> list[Finding]:
    what, most = f"memory at {needs.precision}", needs.max_memory_gb
    return over("memory", what, "GB", facts.memory_gb, most, f"size ({LET_IN})")


def _cost(facts: Facts, needs: Needs) -> list[Finding]:
    unit, most = "USD per 1,000 questions", needs.max_usd_per_1000
    state = " ".join([f"{unit} (--usd-per-1000 {facts.model}=VALUE)", *facts.cost_missing])
    return over("cost", "cost", unit, facts.usd_per_1000, most, state)


def _time(facts: Facts, needs: Needs) -> list[Finding]:
    unit = "seconds an answer"
    state = f"{unit} (--seconds {facts.model}=VALUE)"
    return over("time", "time", unit, facts.seconds, needs.max_seconds, state)


def _card(facts: Facts, needs: Needs) -> list[Finding]:
    if not needs.gpu or facts.memory_gb <= facts.card_gb:
        return []
    if math.isnan(facts.memory_gb):
        return [Finding("gpu", f"size ({LET_IN})", None)]
    text = (
        f"memory at {needs.precision} {up(facts.memory_gb)} GB over the {facts.card_gb:g} GB of "
        "one card"
    )
    names = list(BYTES)
    fits = [
        (name, facts.memory_at.get(name, math.nan))
        for name in names[names.index(needs.precision) + 1 :]
        if facts.memory_at.get(name, math.nan) <= facts.card_gb
    ]
    change, tenth = (
        f"take a card of {form(facts.memory_gb)} GB"
        + "".join(f", or load it in {name} ({form(smaller)} GB)" for name, smaller in fits[:1])
        for form in (up, up_tenth)
    )
    return [Finding("gpu", text, change, tenth, facts.memory_gb / facts.card_gb - 1)]


def _score(facts: Facts, needs: Needs) -> list[Finding]:
    if needs.min_score is None or not facts.ceiling < needs.min_score:
        return []
    at_most = "at most " if math.isnan(facts.score) else ""
    text = f"{at_most}{down(facts.ceiling)} % overall, under {100 * needs.min_score:g} %"
    change = f"lower the overall minimum to {down(facts.ceiling)} %"
    return [Finding("score", text, change, step=1 - facts.ceiling / needs.min_score)]


def _tags(facts: Facts, needs: Needs) -> list[Finding]:
    result = []
    for tag, least in needs.min_tag_scores:
        value = facts.by_tag.get(tag, math.nan)
        if math.isnan(value):
            text = f"its score on {tag} (no result; {LET_IN})"
            result.append(Finding("tag", text, None))
        elif value < least:
            text = f"{down(value)} % on {tag}, under {100 * least:g} %"
            change = f"lower the minimum on {tag} to {down(value)} %"
            result.append(Finding("tag", text, change, step=1 - value / least))
    return result


LIMITS = (
    Limit(
        "ruled_out", 0,
        (Control("ruled_out", "rec_out", "many", "Leave out these models", (10, 0), 21, hint="None",
                 metavar="ID,ID", about="models you do not want"),),
        _ruled_out, lambda needs, names: [f"without {names[model]}" for model in needs.ruled_out],
        "ruled out by you",
    ),
    Limit(
        "weights", 1,
        (Control("open_weights", "rec_where", "choice", "Where it may run", (0, 0), 0,
                 "My own machine: today the same as open weights. An API: closed weights",
                 choices=WHERE, read=place, show=where,
                 flags={"open_weights": "whose weights can be had",
                        "self_hosted": "that run on machines of one's own",
                        "api_only": "behind an interface"}),),
        _weights, _weights_in_words, "closed weights", "open or closed weights",
    ),
    Limit(
        "licence", 2,
        (Control("licences", "rec_licence", "many", "Licence of the weights", (1, 1), 20,
                 "Conditions: users, territory or naming are limited; each is spelled out below.",
                 "Any", choices={name: name for name in LICENCES}, option="--licence",
                 about="of the weights; may be given again"),
         Control("commercial_use", "rec_commercial", "tick", "For commercial use", (3, 0), 7,
                 about="that may be used commercially")),
        _licence, _licence_in_words, "licence", "what the licence allows",
    ),
    Limit(
        "available", 3,
        (Control("available_today", "rec_retired", "tick", "Also models that cannot be had today",
                 (3, 1), 8, read=lambda retired: {"available_today": not retired},
                 show=lambda needs: needs.available_today is False,
                 option="--also-retired", about="also what cannot be had today"),),
        _available, lambda needs, names: ["available today"] * bool(needs.available_today),
        "cannot be had today", "whether it can still be had",
    ),
    Limit(
        "size", 4,
        (Control("max_params_b", "rec_size", "number", "Largest size, billion parameters", (0, 1),
                 11, "Real total, not the name.", metavar="B", about="real total, billions"),),
        _size,
        lambda needs, names: asked(
            needs.max_params_b, lambda: f"at most {size(needs.max_params_b)} parameters"),
        "over the size limit", "size",
    ),
    Limit(
        "memory", 5,
        (Control("max_memory_gb", "rec_memory", "number", "GPU memory, GB", (2, 0), 12,
                 "Estimate: weights at the precision and 20 % more.", metavar="GB",
                 about="estimated, at --precision"),
         Control("precision", "rec_precision", "choice", "Precision of the weights", (2, 1), 1,
                 "It decides what fits on a graphics card, too.",
                 choices={name: name for name in BYTES}, about="default: bf16")),
        _memory,
        lambda needs, names: asked(
            needs.max_memory_gb,
            lambda: f"at most {exact(needs.max_memory_gb, 'GB', 'MB')} at {needs.precision}"),
        "over the memory limit", "memory",
    ),
    Limit(
        "cost", 7,
        (Control("max_usd_per_1000", "rec_usd", "number", "Cost limit, USD per 1,000 questions",
                 (4, 0), 13, "A model whose cost nobody states is set aside, not taken for free.",
                 metavar="USD", about="per 1,000 questions"),
         Control("gpu_usd_per_hour", "rec_gpu", "number", "Own machine, USD per hour", (4, 1), 14,
                 "With the pace: the cost of each open model.", metavar="USD", group=YOURS),
         Control("questions_per_hour", "rec_pace", "number", "Questions per hour on it", (4, 2), 15,
                 "One number for every open model.", low=1.0, metavar="[ID=]N", group=YOURS,
                 read=lambda pace: {"questions_per_hour": () if pace is None else ((EVERY, pace),)},
                 show=lambda needs: dict(needs.questions_per_hour).get(EVERY)),
         Control("usd_per_1000", "rec_costs", "lines",
                 "Cost of single models, USD per 1,000 questions", (5, 0), 2, hint="0.3",
                 metavar="ID=USD", group=YOURS)),
        _cost,
        lambda needs, names: asked(
            needs.max_usd_per_1000, lambda: f"at most {money(needs.max_usd_per_1000)}"),
        "over the budget", "price",
    ),
    Limit(
        "time", 8,
        (Control("max_seconds", "rec_seconds", "number", "Time limit, seconds an answer", (6, 0),
                 16, "Stated by you, below.", metavar="S", about="per answer"),
         Control("seconds", "rec_times", "lines", "Seconds of single models", (7, 0), 3, hint="1.5",
                 metavar="ID=S", group=YOURS)),
        _time,
        lambda needs, names: asked(
            needs.max_seconds, lambda: f"at most {exact(needs.max_seconds, 's', 'ms')} an answer"),
        "over the time limit", "time an answer",
    ),
    Limit(
        "gpu", 6,
        (Control("gpu", "rec_card", "text", "One graphics card", (1, 2), 10,
                 "Its memory, or its name: the model must fit on it, with its cache.",
                 "for example 24 GB", metavar="CARD",
                 about="one such card holds it: a name, or '24 GB'"),),
        _card,
        lambda needs, names: asked(
            needs.gpu, lambda: f"one card: {' '.join(needs.gpu.split())}, at {needs.precision}"),
        "too large for the card", "size",
    ),
    Limit(
        "score", 9,
        (Control("min_score", "rec_score", "number", "Lowest overall score, %", (8, 0), 17,
                 "On your mix of tags.", scale=100, high=100.0, scored=True, metavar="[TAG=]%",
                 about="lowest score in per cent, overall or on a tag"),),
        _score,
        lambda needs, names: asked(
            needs.min_score, lambda: f"at least {percent(needs.min_score)} overall"),
        "under the overall minimum",
    ),
    Limit(
        "tag", 10,
        (Control("min_tag_scores", "rec_tags", "lines", "Lowest score on single tags, %", (9, 0), 4,
                 hint="60", scale=100, scored=True, option="--min-score"),),
        _tags,
        lambda needs, names: [
            f"at least {percent(least)} on {tag}" for tag, least in needs.min_tag_scores],
        "under a tag's minimum", "score on a tag with a minimum",
    ),
    Limit(
        "", 11,
        (Control("within", "rec_within", "number", "Cheapest within so many points of the best",
                 (1, 0), 18,
                 "For example 3: of the models at most 3 points below the best, the cheapest.",
                 scale=100, high=100.0, scored=True, option="--within-points", metavar="P",
                 about="the cheapest within P points of the best"),
         Control("include_unknown", "rec_unknown", "tick", "Let unknown values pass", (11, 0), 5,
                 about="let what is unknown pass a limit"),
         Control("include_suspect", "rec_suspect", "tick", "Use results marked as suspect", (12, 0),
                 6, scored=True, about="use results marked as suspect"),
         Control("include_modes", "rec_modes", "tick", "Also tools and few-shot", (3, 2), 9,
                 "Results with tools, or with examples in the prompt, take part beside the others.",
                 scored=True, about="also examples in the prompt, tools, tuning")),
    ),
)  # fmt: skip
"""In the order in which they are checked; the last row is what is no limit by itself."""
CONTROLS = sorted(
    (control for limit in LIMITS for control in limit.controls), key=lambda control: control.order
)
"""In the order of links."""
