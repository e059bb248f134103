"""What judging will take: calls, tokens and money; a rule asks nobody."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evalcore.decision.text.phrases import listed
from evalcore.engine import launch
from evalcore.engine.resolve_judges import asked_with
from evalcore.engine.runs import Run
from evalcore.estimate import amounts
from evalcore.estimate.amounts import Amount, sure, total, unknown
from evalcore.judges import ASKED, prompts
from evalcore.judges.goeval import FORMS
from evalcore.judges.mmvet import OURS
from evalcore.judges.verdicts import references
from evalcore.models import ADAPTERS
from evalcore.models.chat import Chat
from evalcore.models.spending import Prices
from evalcore.records import Item

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
    sample, source = amounts.verdicts(mine)
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
    kind = ADAPTERS[adapter]
    return isinstance(kind, type) and issubclass(kind, Chat)


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
    verdicts = amounts.of_judge(run, mine)
    return sum(verdict.score is not None and verdict.repeat < repeats for verdict in verdicts)


def _is_of(judge: str, model: str, name: str) -> bool:
    """Whether a verdict's judge is this one; MM-Vet's name tells its table too."""
    family, _, asked = name.partition(":")
    same = family.startswith("mmvet-") if judge == "mmvet" else family == judge
    return same and asked == model
