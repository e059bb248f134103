"""How much a run will take, as far as it is known, and what earlier runs measured of it."""

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from evalcore.analysis import intervals
from evalcore.decision.text.phrases import listed
from evalcore.engine import launch, runs
from evalcore.engine.resolve import asked_with
from evalcore.engine.runs import Run, Settings
from evalcore.judges import ASKED, prompts
from evalcore.judges.goeval import FORMS
from evalcore.judges.mmvet import OURS
from evalcore.judges.verdicts import references
from evalcore.models import ADAPTERS
from evalcore.models.chat import Chat
from evalcore.models.spending import Prices
from evalcore.records import Item, Prediction, Verdict

FEWEST = 5
"""Questions that a run must have measured to speak for another."""


@dataclass(frozen=True)
class Amount:
    """An expected total; each of the three numbers may be unknown."""

    value: float | None
    low: float | None
    """The lower end of the 95 % range, or what it is at least; None: unknown."""
    high: float | None
    """The upper end of the 95 % range, or what it is at most; None: unknown."""
    source: str
    """Where it comes from, or why it is unknown and what would make it known."""

    def times(self, factor: float) -> "Amount":
        """The same in another unit.

        >>> Amount(2.0, 1.0, None, "counted").times(60).low
        60.0
        """
        ends = [None if end is None else end * factor for end in (self.value, self.low, self.high)]
        return replace(self, value=ends[0], low=ends[1], high=ends[2])

    def plus(self, other: "Amount") -> "Amount":
        """The sum of two, unknown where one of them is; the range is the two ranges added."""
        ours, theirs = (self.value, self.low, self.high), (other.value, other.low, other.high)
        ends = [
            None if a is None or b is None else a + b for a, b in zip(ours, theirs, strict=True)
        ]
        return Amount(ends[0], ends[1], ends[2], self.source)


def sure(value: float, source: str) -> Amount:
    """An amount without any doubt."""
    return Amount(value, value, value, source)


def unknown(source: str) -> Amount:
    """An amount of which nothing is known, and why."""
    return Amount(None, None, None, source)


def total(sample: Sequence[float], n: int, source: str, *, alike: bool = True) -> Amount:
    """What n questions take in all, from what some took each.

    With k measured questions of mean m and standard deviation s the total is n m, and its 95 %
    range n m +- z s sqrt(n^2/k + n): the mean is uncertain, and the n questions vary too.

    Args:
        sample: What each measured question took; not empty.
        n: Questions to come.
        source: Where the sample comes from.
        alike: Whether the questions to come are of the same kind; otherwise there is no range.

    >>> total([1.0, 3.0], 10, "run x").value
    20.0
    """
    k, mean = len(sample), sum(sample) / len(sample)
    if not alike or k < 2:
        return Amount(n * mean, None, None, source)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in sample) / (k - 1))
    half = intervals.z() * deviation * math.sqrt(n * n / k + n)
    return Amount(n * mean, max(0.0, n * mean - half), n * mean + half, source)


def in_words(amount: Amount, unit: str = "") -> str:
    """An amount as a reader sees it, without its source.

    >>> in_words(Amount(None, None, 1.26, ""), "USD")
    'at most 1.26 USD'
    >>> in_words(Amount(1234.0, 1100.0, 1370.0, "")), in_words(unknown("not priced"))
    ('about 1,230 (1,100 to 1,370)', 'unknown')
    """
    value, low, high = amount.value, amount.low, amount.high
    after = f" {unit}" if unit else ""
    if value is not None:
        middle, ends = rounded(value), (rounded(low), rounded(high))
        if value == 0:
            return f"{middle}{after}"
        vague = low is None or high is None or ends[0] == ends[1]
        between = "" if vague else f" ({ends[0]} to {ends[1]})"
        return f"about {middle}{after}{between}"
    if low is not None and high is not None:
        return f"{rounded(low)} to {rounded(high)}{after}"
    if high is not None:
        return f"at most {rounded(high)}{after}"
    return "unknown" if low is None else f"at least {rounded(low)}{after}"


def rounded(value: float | None) -> str:
    """Three digits at most, whole from 100 on.

    >>> rounded(12345.6), rounded(1.2649), rounded(0.00021), rounded(0.0)
    ('12,300', '1.26', '0.00021', '0')
    """
    if value is None:
        return "unknown"
    if value == 0:
        return "0"
    places = 2 - math.floor(math.log10(abs(value)))
    shown = f"{round(value, places):,.{max(places, 0)}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def duration(seconds: float | None) -> str:
    """A time in the unit that a person would use.

    >>> duration(42.3), duration(600), duration(9000), duration(0.2), duration(None)
    ('42 s', '10 min', '2.5 h', 'less than 1 s', 'unknown')
    """
    if seconds is None:
        return "unknown"
    if seconds < 1:
        return "less than 1 s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


@dataclass(frozen=True)
class Sample:
    """What each question took in one earlier run."""

    values: list[float]
    source: str
    """The run and its number of questions, in words."""
    alike: bool
    """Whether they are questions of the same benchmark."""


class Earlier:
    """The answers of earlier runs of a model under the same settings, the fittest run first."""

    def __init__(self, settings: Settings) -> None:
        """Find the runs: this very one, then those on the same benchmark, then the newest."""
        self._benchmark = settings.benchmark
        self._runs = sorted(
            (run for run in runs.own() if _model(run.settings) == _model(settings)),
            key=lambda run: (
                run.id == settings.id,
                run.settings.benchmark == settings.benchmark,
                str(run.about["created"]),
            ),
            reverse=True,
        )
        self._answers: dict[str, list[Prediction]] = {}

    def sample(
        self, field: Literal["tokens_in", "tokens_out", "seconds"], *, here: bool = False
    ) -> Sample | None:
        """What each question took in the fittest run that measured it; None if none did.

        Args:
            field: Of the answers.
            here: Only runs that were made on this machine.
        """
        for run in self._runs:
            if here and run.about["device"] != launch.device():
                continue
            if run.id not in self._answers:
                self._answers[run.id] = list(run.predictions().values())
            values = [getattr(answer, field) for answer in self._answers[run.id]]
            known = [float(value) for value in values if value is not None]
            if len(known) >= FEWEST:
                alike = run.settings.benchmark == self._benchmark
                on = "" if alike else f", other questions: {run.settings.benchmark}"
                return Sample(
                    known, f"measured on {len(known):,} questions of run {run.id}{on}", alike
                )
        return None


def verdicts(judge: Callable[[str], bool]) -> tuple[list[Verdict], str]:
    """The verdicts of the newest run on which a judge was asked, and where they come from.

    Args:
        judge: Whether a verdict's judge is the one that is meant.

    Returns:
        Those that were asked for and counted, not those that came from the cache; none if no run
        has enough of them.
    """
    for run in sorted(runs.own(), key=lambda run: str(run.about["created"]), reverse=True):
        asked = [
            verdict for verdict in of_judge(run, judge) if verdict.tokens_in and verdict.tokens_out
        ]
        if len(asked) >= FEWEST:
            return asked, f"measured on {len(asked):,} verdicts of run {run.id}"
    return [], ""


def of_judge(run: Run, judge: Callable[[str], bool]) -> Iterator[Verdict]:
    """A run's verdicts of one judge, all repeats."""
    for key in run.judges():
        verdicts = run.verdicts(key)
        first = next(iter(verdicts.values()), None)
        if first is not None and judge(first.judge):
            yield from verdicts.values()


def _model(settings: Settings) -> tuple[str, str, str]:
    """What makes a model's answers alike, whatever is asked."""
    options = {
        name: value for name, value in settings.options.items() if name not in runs.OPERATIONAL
    }
    return settings.model, settings.adapter, repr(sorted(options.items()))


BYTES_A_TOKEN = (2.0, 4.0, 6.0)
"""Least, usual and most bytes of text that a token holds; a rule of thumb, not a measurement."""
THUMB = "by the rule of thumb of 4 bytes a token, 2 to 6"
FIRST = "not measured yet; a run of 20 questions tells"
HERE = "no API cost: it runs on this machine"
RULE = "no API cost: a rule"


@dataclass(frozen=True)
class Judging:
    """What one judge will take."""

    judge: str
    """As it was named: ``goeval-ref-noimage=openai:gpt-4o-mini``."""
    calls: int
    """Verdicts that a model is still to be asked for, over all repeats; 0 for a rule."""
    tokens_in: Amount
    tokens_out: Amount
    usd: Amount


def of(  # noqa: PLR0913  what decides what a judge is asked
    spec: str,
    items: Sequence[Item],
    repeats: int,
    run: Run | None,
    answer_tokens: Sequence[float],
    prompt_file: Path | None = None,
    given: Mapping[str, Any] | None = None,
) -> Judging:
    """What one judge will take.

    Args:
        spec: As ``launch.judges_of`` takes it.
        items: All items of the run.
        repeats: How often each answer is scored.
        run: The run, if it exists; what it has been judged already is not asked again.
        answer_tokens: Tokens of answers that this model gave before; empty if unknown.
        prompt_file: Another table for MM-Vet grading.
        given: More options for the model that it asks, such as its prices.

    Raises:
        UnknownName: The model that it asks is not known.
    """
    judge, _, asked = spec.partition("=")
    if judge not in ASKED or not asked:
        nothing = sure(0.0, RULE)
        return Judging(spec, 0, nothing, nothing, nothing)
    deployment = launch.deployment_of(asked)
    options = {**asked_with(judge, deployment), **(given or {})}
    mine = functools.partial(_is_of, judge, str(options.get("model", asked)))
    calls = max(0, len(items) * repeats - (_judged(run, mine, repeats) if run else 0))
    sample, source = verdicts(mine)
    if sample:
        tokens_in = total([float(verdict.tokens_in or 0) for verdict in sample], calls, source)
        tokens_out = total([float(verdict.tokens_out or 0) for verdict in sample], calls, source)
    else:
        share = calls / len(items)
        tokens_in = _prompts(judge, items, answer_tokens, prompt_file).times(share)
        tokens_out = _longest(options, calls)
    usd = money(deployment.adapter, options, tokens_in, tokens_out)
    return Judging(spec, calls, tokens_in, tokens_out, usd)


def money(
    adapter: str, options: Mapping[str, Any], tokens_in: Amount, tokens_out: Amount
) -> Amount:
    """Dollars for these tokens: unknown where a price is, none where no API is called."""
    if not is_api(adapter):
        return sure(0.0, HERE)
    if tokens_in.high == tokens_out.high == 0:
        return sure(0.0, tokens_in.source)
    prices = Prices(options.get("usd_per_mtok_in"), options.get("usd_per_mtok_out"))
    if prices.usd_per_mtok_in is None or prices.usd_per_mtok_out is None:
        lacking = [name for name, price in vars(prices).items() if price is None]
        return unknown(f"no price is stated: {listed(lacking)}, dollars per million tokens")
    spent = tokens_in.times(prices.usd_per_mtok_in / 1e6).plus(
        tokens_out.times(prices.usd_per_mtok_out / 1e6)
    )
    sentence = (
        f"{prices.usd_per_mtok_in:g} USD a million tokens in, {prices.usd_per_mtok_out:g} out"
    )
    return replace(spent, source=f"at {sentence}")


def _longest(options: Mapping[str, Any], calls: int) -> Amount:
    longest = int(options.get("max_tokens") or Chat.max_tokens)
    bound = f"{longest:,} a verdict; how long verdicts are is {FIRST}"
    return Amount(None, None, float(longest * calls), bound)


def is_api(adapter: str) -> bool:
    """Whether an adapter calls a model behind an API."""
    return ADAPTERS[adapter].calls_api


def words(written: int) -> Amount:
    """Tokens of so many bytes of text."""
    most, usual, least = (written / size for size in BYTES_A_TOKEN)
    return Amount(usual, least, most, THUMB)


def _prompts(
    judge: str, items: Sequence[Item], answer_tokens: Sequence[float], prompt_file: Path | None
) -> Amount:
    """Tokens of one verdict on each item, by the words of its prompt."""
    with_image = judge in FORMS and FORMS[judge].with_image
    with_references = judge not in FORMS or FORMS[judge].with_references
    ours = OURS if judge == "mmvet" else prompts.FOLDER / f"{judge}.txt"
    prompt = len(prompts.read(prompt_file if prompt_file and judge == "mmvet" else ours).encode())
    written = sum(
        prompt
        + len(item.question.encode())
        + sum(len(text.encode()) for text in (references(item) if with_references else ()))
        for item in items
    )
    asked = words(written)
    if with_image:
        return Amount(None, asked.low, None, f"words {THUMB}; pictures are {FIRST}")
    if not answer_tokens:
        return Amount(None, asked.low, None, f"prompts {THUMB}; answers are {FIRST}")
    answers = sum(answer_tokens) / len(answer_tokens) * len(items)
    return asked.plus(sure(answers, THUMB))


def _judged(run: Run, mine: Callable[[str], bool], repeats: int) -> int:
    verdicts = of_judge(run, mine)
    return sum(verdict.score is not None and verdict.repeat < repeats for verdict in verdicts)


def _is_of(judge: str, model: str, name: str) -> bool:
    """Whether a verdict's judge is this one; MM-Vet's name tells its table too."""
    family, _, asked = name.partition(":")
    same = family.startswith("mmvet-") if judge == "mmvet" else family == judge
    return same and asked == model
