"""What a run will take before it is started: tokens, money, time, and how sure its score will be.

Nothing is guessed. What earlier runs of the same model took is measured and named; without one,
words are counted by a rule of thumb that is said to be one, and the rest is unknown, with what
would make it known.
"""

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalcore.engine import budget, launch
from evalcore.engine.launch import Plan
from evalcore.engine.progress import state
from evalcore.engine.runs import Settings
from evalcore.estimate import amounts
from evalcore.estimate.amounts import (
    FIRST,
    THUMB,
    Amount,
    Earlier,
    Judging,
    duration,
    in_words,
    is_api,
    rounded,
    sure,
    total,
    unknown,
    words,
)
from evalcore.models import ADAPTERS, chat
from evalcore.models.prompt import parts
from evalcore.records import Item

NO_MODEL = frozenset({"answers", "chance", "most-frequent"})
"""Adapters behind which no model is asked."""
NOBODY = "no model is asked"
DONE = "every question is answered"


@dataclass(frozen=True)
class Forecast:
    """What one run will take from where it stands now."""

    run: str
    model: str
    benchmark: str
    state: str
    """``new``, or the state of the run with these settings."""
    questions: int
    open: int
    """Those without an answer yet; tokens, money and time are about these."""
    pictures: int
    tokens_in: Amount
    tokens_out: Amount
    seconds: Amount
    """Of the model alone, without loading it; judges work meanwhile."""
    usd: Amount
    judging: tuple[Judging, ...]
    half_width: float
    """Half the 95 % interval at a score of 70 % from all questions, a fraction."""
    max_usd: float | None = None
    """What the run may spend, on its model and its judges together; None: no cap."""
    spent_usd: float = 0.0
    """What it has spent already, which counts towards the cap."""

    @property
    def total_usd(self) -> Amount:
        """What is still to be paid, to the model and all judges."""
        return functools.reduce(Amount.plus, [judge.usd for judge in self.judging], self.usd)

    def row(self) -> dict[str, Any]:
        """The numbers with their sources, for programs; unknown is None."""
        row: dict[str, Any] = {
            "model": self.model,
            "benchmark": self.benchmark,
            "questions": self.questions,
            "open": self.open,
            "pictures": self.pictures,
        }
        for name in ("tokens_in", "tokens_out", "usd", "seconds"):
            amount: Amount = getattr(self, name)
            ends = {name: amount.value, f"{name}_low": amount.low, f"{name}_high": amount.high}
            row |= {**ends, f"{name}_source": amount.source}
        judges = self.judging
        row["judge_calls"] = sum(judge.calls for judge in judges)
        known = [cost.usd.value for cost in judges if cost.usd.value is not None]
        row["judge_usd"] = sum(known) if len(known) == len(judges) else None
        row["judge_usd_source"] = "; ".join(f"{cost.judge}: {cost.usd.source}" for cost in judges)
        whole = self.total_usd
        row |= {"total_usd": whole.value, "total_usd_high": whole.high}
        row |= {"spent_usd": self.spent_usd, "max_usd": self.max_usd}
        return row | {"half_width": self.half_width, "run": self.run, "state": self.state}

    def shown(self) -> dict[str, str]:
        """The same in words, for a table."""
        costs = [cost(judge.usd) for judge in self.judging]
        return {
            "model": self.model,
            "questions": f"{self.questions:,}",
            "pictures": f"{self.pictures:,}",
            "tokens in": _without_bound(self.tokens_in),
            "tokens out": in_words(self.tokens_out),
            "model cost": cost(self.usd),
            "judge calls": f"{sum(judge.calls for judge in self.judging):,}",
            "judge cost": ", ".join(dict.fromkeys(costs)),
            "time": _time(self.seconds),
            "within": f"{100 * self.half_width:.1f} points",
            "state": self.state,
        }

    def sentences(self) -> list[str]:
        """The forecast in words, each with its source."""
        sentences = [self._asked()]
        if self.open and self.tokens_in.value != 0:
            sentences += [
                f"Tokens in: {_without_bound(self.tokens_in)} ({self.tokens_in.source}).",
                f"Tokens out: {in_words(self.tokens_out)} ({self.tokens_out.source}).",
            ]
        sentences.append(f"Model: {_with_source(cost(self.usd), self.usd)}.")
        for judge in self.judging:
            calls = f"{judge.calls:,} calls, cost " if judge.calls else ""
            sentences.append(
                f"Judge {judge.judge}: {calls}{_with_source(cost(judge.usd), judge.usd)}."
            )
        sentences += [judge for judge in [self.under_the_cap()] if judge]
        sentences.append(f"Time: {_with_source(_time(self.seconds), self.seconds)}.")
        width = f"{100 * self.half_width:.1f} points"
        return [*sentences, f"A score of 70 % would be known within about {width} (95 %)."]

    def under_the_cap(self) -> str:
        """How far the cap will reach, for the model and its judges; empty if there is none."""
        cap = self.max_usd
        if cap is None:
            return ""
        spent = f", {rounded(self.spent_usd)} of them spent already" if self.spent_usd else ""
        sentence = f"Spend cap: {cap:g} USD for the model and its judges{spent}"
        left, whole = cap - self.spent_usd, self.total_usd
        sure_to = whole.high is not None and whole.high <= left
        if whole.value is None:
            unsure = "whether it is enough is not known, and the run stops before it"
            return f"{sentence}; {'it is enough' if sure_to else unsure}."
        sentence += f"; about {rounded(whole.value)} are expected"
        if whole.value <= left:
            return f"{sentence}, so it {'should' if sure_to else 'may'} be enough."
        share = max(0.0, left) / whole.value
        return f"{sentence}, so the run would stop when about {share:.0%} of that is spent."

    def _asked(self) -> str:
        done = self.questions - self.open
        already = f", {done:,} of them answered already" if done else ""
        shown = f" with {self.pictures:,} pictures" if self.pictures else ""
        return f"{self.questions:,} questions{shown}{already}."


def of(
    planned: Plan,
    judges: Sequence[str] = (),
    repeats: int = 1,
    prompt_file: Path | None = None,
    judge_options: Mapping[str, Any] | None = None,
) -> Forecast:
    """What a planned run will take; nothing is asked, and nothing is written.

    Args:
        planned: From ``launch.plan``.
        judges: As ``launch.judges_of`` takes them.
        repeats: How often each judge scores each answer.
        prompt_file: Another table for MM-Vet grading.
        judge_options: More options for the models that judge, such as their prices.

    Raises:
        UnknownName: A judge asks a model that is not known.
    """
    settings = planned.settings
    run = launch.existing_run(settings)
    answered = run.predictions() if run else {}
    left = [item for item in planned.items if item.id not in answered]
    earlier = Earlier(settings)
    tokens_in, tokens_out = _tokens(settings, left, earlier)
    sample = earlier.sample("tokens_out")
    answers = sample.values if sample else ()
    held = budget.cap_usd(run) if run else None
    return Forecast(
        run=settings.id,
        model=settings.model,
        benchmark=settings.benchmark,
        state=state(run) if run else "new",
        questions=len(planned.items),
        open=len(left),
        pictures=0 if _blind(settings) else sum(len(item.images) for item in left),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        seconds=_seconds(settings, len(left), earlier),
        usd=amounts.money(settings.adapter, settings.options, tokens_in, tokens_out),
        judging=tuple(
            amounts.of(judge, planned.items, repeats, run, answers, prompt_file, judge_options)
            for judge in judges
        ),
        half_width=planned.half_width,
        max_usd=held if planned.max_usd is None else planned.max_usd,
        spent_usd=budget.spent_usd(run) if run else 0.0,
    )


def _tokens(settings: Settings, left: Sequence[Item], earlier: Earlier) -> tuple[Amount, Amount]:
    if settings.adapter in NO_MODEL or not left:
        nothing = sure(0.0, NOBODY if left else DONE)
        return nothing, nothing
    came, out = earlier.sample("tokens_in"), earlier.sample("tokens_out")
    return (
        total(came.values, len(left), came.source, alike=came.alike)
        if came
        else _prompts(settings, left),
        total(out.values, len(left), out.source, alike=out.alike)
        if out
        else _longest(settings, len(left)),
    )


def _prompts(settings: Settings, left: Sequence[Item]) -> Amount:
    """Tokens of the prompts' words; what a picture takes only a measurement can tell."""
    instruction = str(_option(settings, "instruction") or "")
    prompted = [part for item in left for part in parts(item, instruction, blind=_blind(settings))]
    written = sum(len(part.encode()) for part in prompted if isinstance(part, str))
    pictures = sum(not isinstance(part, str) for part in prompted)
    asked = words(written)
    if not pictures:
        return asked
    why = f"words alone, {THUMB}; pictures are {FIRST}"
    if not is_api(settings.adapter):
        return Amount(None, asked.low, None, why)
    side = _option(settings, "image_size")
    a_picture = chat.TOKENS_TILE if side and side <= chat.TILE else chat.TOKENS_PICTURE
    most = written + chat.TOKENS_AROUND * len(left) + a_picture * pictures
    return Amount(None, asked.low, float(most), f"{why}; at most what a spend cap sets aside")


def _longest(settings: Settings, left: int) -> Amount:
    longest = _option(settings, "max_tokens") or _option(settings, "max_new_tokens")
    if longest is None:
        return unknown(FIRST)
    bound = f"{longest:,} an answer; how long answers are is {FIRST}"
    return Amount(None, None, float(longest * left), bound)


def _seconds(settings: Settings, left: int, earlier: Earlier) -> Amount:
    if settings.adapter in NO_MODEL or not left:
        return sure(0.0, NOBODY if left else DONE)
    sample = earlier.sample("seconds", here=True)
    if sample is None:
        return unknown(f"on this machine {FIRST}")
    amount = total(sample.values, left, sample.source, alike=sample.alike)
    if not is_api(settings.adapter):
        return replace(amount, source=f"{sample.source}; loading the model comes on top")
    at_once = min(left, int(_option(settings, "concurrency") or 1))
    return replace(amount.times(1 / at_once), source=f"{sample.source}, {at_once} calls at a time")


def _option(settings: Settings, name: str) -> Any:
    """An option as it was given, else as the adapter has it; None if it has no such option."""
    if name in settings.options:
        return settings.options[name]
    kind = ADAPTERS[settings.adapter]
    known = dataclasses.fields(kind) if isinstance(kind, type) else ()
    default = next((option.default for option in known if option.name == name), None)
    return None if default is dataclasses.MISSING else default


def _blind(settings: Settings) -> bool:
    return bool(settings.options.get("blind")) or settings.adapter in NO_MODEL


def cost(amount: Amount) -> str:
    """Money in words; where no API is called, it is no matter of a sum.

    >>> cost(sure(0.0, "no API cost: a rule")), cost(unknown("no price is stated"))
    ('no API cost', 'unknown')
    """
    return "no API cost" if amount.high == 0 else in_words(amount, "USD")


def _with_source(sentence: str, amount: Amount) -> str:
    return amount.source if amount.high == 0 else f"{sentence} ({amount.source})"


def _without_bound(amount: Amount) -> str:
    """What a spend cap would set aside says much about money and little about tokens."""
    return in_words(replace(amount, high=None) if amount.value is None else amount)


def _time(seconds: Amount) -> str:
    if seconds.value is None or seconds.high == 0:
        return "unknown" if seconds.value is None else duration(0)
    ends = duration(seconds.low), duration(seconds.high)
    vague = seconds.low is None or seconds.high is None or ends[0] == ends[1]
    return f"about {duration(seconds.value)}" + ("" if vague else f" ({ends[0]} to {ends[1]})")
