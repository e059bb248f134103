"""What is known of each model's price, memory, licence and availability, as one frame.

The facts are those of ``evalcore.cost``; this joins them to the models of a suite. Unknown is NaN,
None or an empty tuple, never zero.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import pandas as pd

from evalcore.cost import api, selfhost
from evalcore.cost.api import Cost, Question
from evalcore.cost.prices import PriceTables
from evalcore.cost.selfhost import BYTES, PRECISIONS, Pace
from evalcore.decision.needs import EVERY, Needs
from evalcore.errors import UnknownName
from evalcore.side_tables import GpuPrice, can_be_had, status_on

ANSWER_TOKENS = 1000
"""Length of an answer taken for the cache where neither a measured nor a stated one is known."""

NO_CACHE = (
    "The cache is not counted by itself: how many tokens a question has is not known, so it has to "
    "fit into that share."
)


@dataclass(frozen=True)
class Market:
    """Everything that is known of offers, and the day on which one asks."""

    tables: PriceTables = field(default_factory=PriceTables)
    rents: tuple[GpuPrice, ...] = ()
    """Rental prices of graphics cards."""
    day: str = "9999-12-31"
    """The day asked about, ``2026-11-30``: what ends by then has ended."""
    paces: Mapping[str, tuple[Pace, ...]] = field(default_factory=dict)
    """Model → how fast it answered in one's own runs."""


class Fact(NamedTuple):
    """What is known of one model in one mode: the columns of ``facts``."""

    model: str
    usd_per_1000: float
    usd_low: float
    """With the lowest of the sources that disagree; NaN where none do."""
    usd_high: float
    usd_basis: tuple[str, ...]
    """Every assumption behind the dollars, a sentence each."""
    usd_missing: tuple[str, ...]
    """What is unknown and what to state, a sentence each."""
    memory_gb: float
    """At the precision of the needs."""
    memory_basis: tuple[str, ...]
    memory_at: Mapping[str, float]
    """Precision → GB."""
    api: bool
    """Whether it can be called: its maker's interface, or somebody's at a known price."""
    available: bool | None
    status: str
    """What is known of its availability, a sentence without its dot; empty: nothing."""
    status_source: str
    """Where that stands, and when it was read."""
    licence: str
    """As printed; empty: unknown."""
    licence_class: str
    commercial: bool | None
    condition: str
    """What the licence allows, a sentence."""


def facts(models: pd.DataFrame, needs: Needs, market: Market) -> pd.DataFrame:
    """Give what is known of each model.

    Args:
        models: model, params_b, open_weights, licence and, in suites with modes, base and mode.
        needs: with precision, workload and the figures that the person states. Without a
            workload no API price becomes a cost.
        market: what is known of offers.

    Returns:
        One row a model, indexed by it: the fields of ``Fact``.
    """
    if "base" not in models:
        models = models.assign(base=models["model"], mode="")
    rows = models.drop_duplicates("model")
    columns = [rows[name].astype(object).to_list() for name in _Row._fields]
    results = [_fact(_Row(*values), needs, market) for values in zip(*columns, strict=True)]
    frame = pd.DataFrame(results, columns=Fact._fields).set_index("model", drop=False)
    # Whatever else the column holds, an unknown stays None.
    return frame.astype({"available": object, "commercial": object, "api": object})


def card_gb(gpu: str, rents: Sequence[GpuPrice]) -> float:
    """The memory of a graphics card given by its name, or stated as "24 GB".

    Raises:
        UnknownName: It is neither; the message lists the known cards.

    >>> card_gb("24 GB", ())
    24.0
    """
    words = gpu.strip().lower()
    known = {row.gpu.lower(): row.memory_gb for row in rents}
    if words in known:
        return known[words]
    number = words.removesuffix("gb").strip()
    try:
        size = float(number)
    except ValueError:
        size = math.nan
    if not (size > 0 and math.isfinite(size)):
        listed = ", ".join(sorted({row.gpu for row in rents}))
        raise UnknownName(
            f"gpu {gpu!r} is no known graphics card; give its memory, such as '24 GB', "
            f"or one of: {listed}"
        )
    return size


class _Row(NamedTuple):
    """A model as far as its offers go; unknown is NaN or None."""

    model: str
    base: str
    mode: str
    params_b: float | None
    open_weights: bool | None
    licence: str | None


def _fact(row: _Row, needs: Needs, market: Market) -> Fact:
    # Nothing is known of an uploaded model, not even a mode.
    model, base, mode = row.model, row.base, row.mode
    if pd.isna(mode):
        base, mode = model, ""
    is_open = None if row.open_weights is None or pd.isna(row.open_weights) else row.open_weights
    params = None if row.params_b is None or pd.isna(row.params_b) else float(row.params_b)
    own = _memory(market.tables, base, mode, params, needs)
    cost = _cost(model, base, mode, is_open, own, needs, market)
    available, status, told_by = _available(base, is_open, market)
    licence = "" if row.licence is None or pd.isna(row.licence) else row.licence
    terms = market.tables.licences.get(licence)
    return Fact(
        model=model,
        usd_per_1000=_number(cost.usd_per_1000),
        usd_low=_number(cost.low),
        usd_high=_number(cost.high),
        usd_basis=cost.basis,
        usd_missing=cost.missing,
        memory_gb=_number(own.gb),
        memory_basis=own.basis,
        memory_at=_at(params, own),
        api=is_open is False or model in dict(needs.usd_per_1000) or _offered(market.tables, base),
        available=available,
        status=status,
        status_source=told_by,
        licence=licence,
        licence_class="unknown" if terms is None else terms.licence_class,
        commercial=None if terms is None else terms.commercial,
        condition="" if terms is None else terms.condition,
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _offered(offers: PriceTables, base: str) -> bool:
    return any(not price.deprecated for price in offers.prices.get(base, ()))


def _cost(  # noqa: PLR0913  one row's facts
    model: str,
    base: str,
    mode: str,
    is_open: bool | None,
    memory: selfhost.Memory,
    needs: Needs,
    market: Market,
) -> Cost:
    """Dollars as stated, else on the stated machine (open weights), else through an API."""
    stated = dict(needs.usd_per_1000)
    if model in stated:
        texts = (f"{stated[model]:g} USD per 1,000 questions, as stated.",)
        return Cost(stated[model], None, None, texts)
    paced = dict(needs.questions_per_hour)
    per_hour = paced.get(model, paced.get(EVERY))
    known = market.paces.get(base, ()) if mode == "" else ()
    has_machine = bool(needs.gpu) or needs.gpu_usd_per_hour is not None
    measured = _measured(memory, known, needs, market)
    if is_open and has_machine and (needs.self_hosted or per_hour is not None or measured):
        return _on_machine(memory, per_hour, measured, known, needs, market)
    if needs.self_hosted:
        lack = "State what the machine costs an hour, and how many questions an hour it answers."
        return Cost(None, None, None, (), (lack,))
    if needs.workload is None:
        return Cost(None, None, None, (), ("State the pictures and tokens of a question.",))
    return _through_api(market.tables, base, mode, needs.workload)


def _through_api(offers: PriceTables, base: str, mode: str, question: Question) -> Cost:
    """Kept between questions, for the same few hundred models are asked about again and again."""
    cost = _priced(_Same(offers), base, mode, question)
    assert isinstance(cost, Cost)
    return cost


class _Same:
    """Offers compared by identity, so that a price can be kept beside them."""

    def __init__(self, offers: PriceTables) -> None:
        self.offers = offers

    def __hash__(self) -> int:
        return id(self.offers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.offers is self.offers


@lru_cache(maxsize=4096)
def _priced(kept: _Same, base: str, mode: str, question: Question) -> Cost:
    return api.per_1000(kept.offers, base, mode, question)


def _measured(
    memory: selfhost.Memory, known: Sequence[Pace], needs: Needs, market: Market
) -> Pace | None:
    """How fast the model was on the card that is named, and on as many of them as hold it."""
    if not (known and needs.gpu):
        return None
    cards = selfhost.cards_for(memory, card_gb(needs.gpu, market.rents))
    return selfhost.fitting(known, needs.gpu, PRECISIONS[needs.precision], cards) if cards else None


def _on_machine(  # noqa: PLR0913  what is known of one model's speed and cost
    memory: selfhost.Memory,
    stated: float | None,
    measured: Pace | None,
    known: Sequence[Pace],
    needs: Needs,
    market: Market,
) -> Cost:
    """A stated speed goes before a measured one; one of another device does not count."""
    per_hour, whence = stated, "as stated"
    if stated is None and measured is not None:
        per_hour, whence = measured.per_hour, measured.sentence()
    lack = selfhost.elsewhere(known) if per_hour is None else ""
    if needs.gpu_usd_per_hour is None:
        rents = [row for row in market.rents if row.gpu.lower() == needs.gpu.strip().lower()]
        cost = selfhost.per_1000(memory, rents, per_hour, whence)
        return replace(cost, missing=(*cost.missing, lack)) if lack else cost
    if per_hour is None:
        missing = ("State how many questions an hour it answers.", *([lack] if lack else []))
        return Cost(None, None, None, (), missing)
    hour = f"{needs.gpu_usd_per_hour:g} USD an hour"
    over = f"{per_hour:,g} questions an hour"
    texts = (
        f"{hour} over {over}, both as stated."
        if measured is None or stated is not None
        else f"{hour}, as stated, over {per_hour:,.0f} questions an hour ({whence})."
    )
    return Cost(1000 * needs.gpu_usd_per_hour / per_hour, None, None, (texts,))


def _at(params: float | None, own: selfhost.Memory) -> dict[str, float]:
    """Memory at each precision, the cache staying as it is."""
    if params is None:
        return {}
    cache = own.cache_gb or 0.0
    return {name: selfhost.with_overhead(params * size) + cache for name, size in BYTES.items()}


def _memory(
    offers: PriceTables, base: str, mode: str, params: float | None, needs: Needs
) -> selfhost.Memory:
    question, shape = needs.workload, offers.shapes.get(base)
    name = PRECISIONS[needs.precision]
    picture = None
    if question is not None and offers.kinds.get(mode) != "compression":
        picture = api.picture_tokens(offers, base, question.width, question.height)
    if question is None or picture is None:
        # Without a picture's tokens there is no cache to count; the share on top has to do.
        need = selfhost.memory(params, name, selfhost.Load(0, 0, 0))
        return replace(need, basis=(*need.basis[:-1], NO_CACHE) if need.basis else ())
    measured = [row.mean for row in offers.tokens.get(base, ()) if row.mode == mode]
    tokens = measured[0] if measured else question.tokens_out or ANSWER_TOKENS
    load = selfhost.Load(question.images * picture, question.prompt_tokens, tokens)
    return selfhost.memory(params, name, load, shape)


def _available(base: str, is_open: bool | None, market: Market) -> tuple[bool | None, str, str]:
    if is_open:
        return True, "its weights can be downloaded", ""
    row = market.tables.availability.get(base)
    status = status_on(row, market.day)
    if row is None or status is None:
        return None, "", ""
    when = f" on {row.on}" if row.on else ""
    words = {
        "available": "available",
        "deprecated": f"deprecated, ends{when}" if when else "deprecated",
        "retired": f"retired{when}",
        "announced": f"announced, due{when}" if when else "announced, not out yet",
    }[status]
    then = f"; the source names {row.successor} as successor" if row.successor else ""
    told_by = f"{row.source}, checked {row.checked}"
    return can_be_had(row, market.day), f"{words}{then}", told_by
