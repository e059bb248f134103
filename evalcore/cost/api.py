"""US dollars per 1,000 questions through an API, with every assumption in words."""

from dataclasses import dataclass

from evalcore.cost import image_tokens, prices
from evalcore.cost.image_tokens import NoSuchSize
from evalcore.cost.prices import PriceTables
from evalcore.side_tables import ImageRule, OutputTokens, Price

THINKING = ("thinking", "effort")
"""Kinds of modes that think."""
PLAINLY = "non-thinking"
"""The mode that does not."""
NOT_THE_API = {
    "few-shot": "examples in the prompt add pictures and text that a price per question leaves out",
    "fine-tuned": "a model trained on the task is not what the provider's price is for",
    "tools": "calls to tools add tokens and fees that are not known",
}


@dataclass(frozen=True)
class Question:
    """What is asked, as far as it decides the cost; a person states it."""

    width: int
    """Of one picture, pixels."""
    height: int
    prompt_tokens: float
    """Tokens of the text that is sent with the pictures."""
    images: int = 1
    """Pictures in a question."""
    tokens_out: float | None = None
    """Tokens of an answer without thinking; counts where no measured answer length is known."""
    thinking_tokens_out: float | None = None
    """Tokens of an answer with the thinking before it, for modes that think; as above."""
    image_tokens: float | None = None
    """Tokens of one picture; counts where no rule is known."""


@dataclass(frozen=True)
class Cost:
    """What 1,000 questions cost, or why that is unknown."""

    usd_per_1000: float | None
    """US dollars; None: unknown."""
    low: float | None
    """With the lowest of the sources that disagree; None where none disagree."""
    high: float | None
    basis: tuple[str, ...]
    """Every assumption, a sentence each."""
    missing: tuple[str, ...] = ()
    """What is unknown and what to state or add, a sentence each."""


@dataclass(frozen=True)
class _Part:
    """One ingredient: its values by the sources, the one that counts first."""

    values: tuple[float, ...] = ()
    basis: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def per_1000(offers: PriceTables, model: str, mode: str, question: Question) -> Cost:
    """What 1,000 questions cost with one model in one mode.

    pictures x tokens a picture + prompt tokens, times the price in, plus the answer's tokens times
    the price out. A mode that thinks is never priced with the answers of one that does not. Where
    sources of one quarter disagree on a price or on a picture's tokens, low and high span them.

    Args:
        offers: What is known of prices, pictures and answers.
        model: The model's id.
        mode: As in the scores; empty for the plain one.
        question: What is asked.

    Returns:
        The cost; ``usd_per_1000`` is None if anything is unknown, and ``missing`` says what.
    """
    kind = offers.kinds.get(mode, "plain")
    if kind in NOT_THE_API:
        reason = f"The cost of {model} in the mode {mode!r} is unknown: {NOT_THE_API[kind]}."
        return Cost(None, None, None, (), (reason,))
    picture = _picture(offers, model, mode, question)
    answer = _answer(offers, model, mode, question)
    sent = [question.images * tokens + question.prompt_tokens for tokens in picture.values]
    asked = (sent[0] if sent else 0.0, answer.values[0] if answer.values else 0.0)
    price, bought = _price(offers, model, mode, asked)
    basis = (*price.basis, _asked(question), *picture.basis, *answer.basis)
    missing = (*price.missing, *picture.missing, *answer.missing)
    if missing or not answer.values:
        return Cost(None, None, None, basis, missing)
    totals = [_usd(bill, tokens, answer.values[0]) for bill in bought for tokens in sent]
    spread = max(totals) > min(totals)
    return Cost(totals[0], min(totals) if spread else None, max(totals) if spread else None, basis)


def picture_tokens(offers: PriceTables, model: str, width: int, height: int) -> int | None:
    """Tokens of one picture for a model by its newest rule; None: unknown, or refused.

    Args:
        offers: What is known of pictures.
        model: The model's id.
        width: Pixels.
        height: Pixels.
    """
    part = _picture(offers, model, "", Question(width, height, 0))
    return int(part.values[0]) if part.values else None


def thinks(offers: PriceTables, model: str, mode: str) -> bool:
    """Whether a model thinks before it answers in a mode, as far as is known.

    A mode that names an effort or thinking does, the non-thinking one does not; any other does if
    a source says that the model thinks unless told otherwise, or if its name says so. A model that
    can think and whose default was not found counts as thinking: else it would look cheaper than
    it is.
    """
    if offers.kinds.get(mode) in THINKING:
        return True
    if mode == PLAINLY:
        return False
    row = offers.thinking.get(model)
    return row.thinks != "off" if row else "thinking" in model


def _usd(price: Price, tokens_in: float, tokens_out: float) -> float:
    """Dollars for 1,000 questions: prices are per million tokens."""
    return (tokens_in * price.usd_per_mtok_in + tokens_out * price.usd_per_mtok_out) / 1000


def _price(
    offers: PriceTables, model: str, mode: str, asked: tuple[float, float]
) -> tuple[_Part, tuple[Price, ...]]:
    chosen = prices.choose(
        offers.prices.get(model, ()), mode, lambda row: _usd(row, *asked) or prices.blend(row)
    )
    if chosen is None:
        lack = (
            f"No price of {model} is known: add a row of prices.csv with US dollars per million "
            "tokens in and out, its date and its source."
        )
        return _Part(missing=(lack,)), ()
    price = chosen.price
    sentences = [f"{_priced(price)}: {chosen.why}."]
    sentences += [f"Another source disagrees: {_priced(other)}." for other in chosen.disagreeing]
    if price.deprecated:
        sentences.append(
            "This offer was withdrawn: the price is history, the model cannot be bought."
        )
    if price.until:
        sentences.append(f"The price holds until {price.until}.")
    sentences += _ended(offers, model)
    return _Part(basis=tuple(sentences)), (price, *chosen.disagreeing)


def _ended(offers: PriceTables, model: str) -> list[str]:
    row = offers.availability.get(model)
    if row is None or row.status not in ("deprecated", "retired"):
        return []
    when = f" on {row.on}" if row.on else ""
    word = "ended" if row.status == "retired" else "announced to end"
    return [f"The maker {word} this model{when} (as of {row.checked}, {row.source})."]


def _priced(price: Price) -> str:
    return (
        f"{price.usd_per_mtok_in:g} USD per million tokens in and {price.usd_per_mtok_out:g} out "
        f"from {price.provider}, as of {price.as_of} ({price.source})"
    )


def _asked(question: Question) -> str:
    pictures = "one picture" if question.images == 1 else f"{question.images} pictures"
    return (
        f"A question has {pictures} of {question.width} x {question.height} pixels and "
        f"{question.prompt_tokens:g} tokens of text, as stated; no cache and no batch discount."
    )


def _picture(offers: PriceTables, model: str, mode: str, question: Question) -> _Part:
    """Tokens of one picture by each rule, the newest first."""
    if question.images == 0:
        return _Part((0.0,))
    known = sorted(offers.rules.get(model, ()), key=lambda row: prices.day(row.as_of))[::-1]
    rules = [row for row in known if row.rule is not None]
    if offers.kinds.get(mode) == "compression":
        return _stated(question, f"the mode {mode!r} of {model} counts pictures in its own way")
    if not rules:
        return _stated(question, _why_no_rule(model, known))
    try:
        counts = [(row, _count(row, question)) for row in rules]
    except NoSuchSize as error:
        return _Part(missing=(f"{error}.",))
    newest, first = counts[0]
    others = [(row, count) for row, count in counts if count != first]
    disagreeing = [(row, count) for row, count in others if prices.same_quarter(newest, row)]
    basis = [_counted("A picture is", newest, first)]
    for row, count in others:
        differs = prices.same_quarter(newest, row)
        start = "Another source disagrees: it is" if differs else "An older source had"
        basis.append(_counted(start, row, count))
    values = (float(first), *(float(count) for _, count in disagreeing))
    return _Part(values, tuple(basis))


def _count(row: ImageRule, question: Question) -> int:
    return image_tokens.tokens(row.rule or "", row.options, question.width, question.height)


def _counted(start: str, row: ImageRule, count: int) -> str:
    note = f"; {row.note}" if row.note else ""
    sentence = f"{count:,} tokens by the rule {row.rule} {row.options}, as of {row.as_of}"
    return f"{start} {sentence} ({row.source}{note})."


def _why_no_rule(model: str, known: list[ImageRule]) -> str:
    if known and known[0].note:
        return f"no complete rule for {model} is known ({known[0].note}; {known[0].source})"
    return f"no rule for {model} is known"


def _stated(question: Question, reason: str) -> _Part:
    if question.image_tokens is not None:
        sentence = f"A picture is {question.image_tokens:g} tokens, as stated: {reason}."
        return _Part((question.image_tokens,), (sentence,))
    lack = f"How many tokens a picture is: {reason}; state the tokens of a picture."
    return _Part(missing=(lack,))


def _answer(offers: PriceTables, model: str, mode: str, question: Question) -> _Part:
    """Tokens of an answer: measured in exactly this mode, else stated for modes of its sort."""
    measured = [row for row in offers.tokens.get(model, ()) if row.mode == mode]
    if measured:
        return _Part((measured[0].mean,), (_measured(measured[0]),))
    thinking = thinks(offers, model, mode)
    stated = question.thinking_tokens_out if thinking else question.tokens_out
    sort = "with the thinking before it" if thinking else "without thinking"
    if stated is not None:
        sentence = (
            f"An answer {sort} is {stated:g} tokens, as stated; none was measured for this mode."
        )
        return _Part((stated,), (sentence,))
    name = f"{model} ({mode})" if mode else model
    lack = f"No answer length of {name} was measured: state the tokens of an answer {sort}."
    return _Part(missing=(lack,))


def _measured(row: OutputTokens) -> str:
    over = f" over {row.n:,} answers" if row.n else ""
    most = f", at most {row.most:,.0f}" if row.most is not None else ""
    note = f"; {row.note}" if row.note else ""
    return f"An answer is {row.mean:,.1f} tokens on average{over}{most} ({row.source}{note})."
