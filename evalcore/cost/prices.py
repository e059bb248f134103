"""What is known of models' prices and offers, and which of several prices counts."""

import dataclasses
import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pandas as pd

from evalcore.side_tables import (
    Availability,
    CacheShape,
    ImageRule,
    Licence,
    OutputTokens,
    Price,
    Thinking,
)

Record = TypeVar("Record")
Row = TypeVar("Row", Price, ImageRule, OutputTokens)
DISAGREE_DAYS = 92
"""Sources of one quarter that differ disagree; an older one was overtaken."""


@dataclass(frozen=True)
class PriceTables:
    """Everything that is known of what models cost; each part may be empty."""

    prices: Mapping[str, tuple[Price, ...]] = field(default_factory=dict)
    """Model → its prices."""
    rules: Mapping[str, tuple[ImageRule, ...]] = field(default_factory=dict)
    tokens: Mapping[str, tuple[OutputTokens, ...]] = field(default_factory=dict)
    thinking: Mapping[str, Thinking] = field(default_factory=dict)
    shapes: Mapping[str, CacheShape] = field(default_factory=dict)
    availability: Mapping[str, Availability] = field(default_factory=dict)
    licences: Mapping[str, Licence] = field(default_factory=dict)
    """Licence as printed → what it allows."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Mode → its kind: plain, thinking, effort, compression, few-shot, fine-tuned, tools."""


def price_tables(tables: Mapping[str, pd.DataFrame]) -> PriceTables:
    """The offers in the store's tables.

    Args:
        tables: Name → frame, of ``prices``, ``image_rules``, ``output_tokens``, ``thinking``,
            ``cache_shapes``, ``availability`` and ``licences`` (columns as in
            ``evalcore.side_tables``) and ``modes`` (mode, kind); a table left out is empty.
    """
    modes = tables.get("modes")
    kinds = {} if modes is None else dict(zip(modes["mode"], modes["kind"], strict=True))
    return PriceTables(
        prices=_grouped(rows(tables.get("prices"), Price)),
        rules=_grouped(rows(tables.get("image_rules"), ImageRule)),
        tokens=_grouped(rows(tables.get("output_tokens"), OutputTokens)),
        thinking={row.model: row for row in rows(tables.get("thinking"), Thinking)},
        shapes={row.model: row for row in rows(tables.get("cache_shapes"), CacheShape)},
        availability={row.model: row for row in rows(tables.get("availability"), Availability)},
        licences={row.licence: row for row in rows(tables.get("licences"), Licence)},
        kinds=kinds,
    )


def rows(frame: pd.DataFrame | None, record: type[Record]) -> list[Record]:
    """The rows of a frame as records; a cell without a value becomes None.

    Args:
        frame: One column a field of ``record`` (others are passed over); None is no row.
        record: A frozen dataclass of ``evalcore.side_tables``.
    """
    if frame is None or frame.empty:
        return []
    names = [column.name for column in dataclasses.fields(record)]  # type: ignore[arg-type]
    columns = [[_cell(value) for value in frame[name].tolist()] for name in names]
    return [record(*cells) for cells in zip(*columns, strict=True)]


def _grouped(rows: Iterable[Row]) -> dict[str, tuple[Row, ...]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.model, []).append(row)
    return {model: tuple(members) for model, members in groups.items()}


def _cell(value: Any) -> Any:
    return None if pd.isna(value) else value


@dataclass(frozen=True)
class Chosen:
    """The price that counts."""

    price: Price
    why: str
    disagreeing: tuple[Price, ...]
    """Prices of the same offer from other sources of the same quarter that differ."""


@dataclass(frozen=True)
class Coverage:
    """How much is known of the models' offers."""

    models: int
    priced: int
    with_image_rule: int
    """Models whose pictures can be counted in tokens."""
    with_output_tokens: int
    """Models with a measured answer length."""
    closed: int
    """Models that can only be had through an API."""
    closed_without_price: tuple[str, ...]
    """Their names."""
    closed_without_status: tuple[str, ...]
    """Names of closed models of which it is unknown whether they can still be had."""


def blend(price: Price) -> float:
    """Price in and out together: how third parties are compared where no question is given."""
    return price.usd_per_mtok_in + price.usd_per_mtok_out


def choose(
    rows: Sequence[Price], mode: str, weigh: Callable[[Price], float] = blend
) -> Chosen | None:
    """The price that counts: the maker's newest, else the lowest third party's newest.

    Prices that were withdrawn count only where there is no other.

    Args:
        rows: All prices of one model.
        mode: The mode asked about; a price for just this mode goes before one for every mode.
        weigh: What a price comes to, for finding the lowest.

    Returns:
        The price and why it; None if there is none.
    """
    own = [row for row in rows if row.mode == mode]
    pool = own or [row for row in rows if row.mode == ""]
    for deprecated in (False, True):
        live = [row for row in pool if row.deprecated == deprecated]
        makers = [row for row in live if row.by_maker]
        if makers:
            best = max(makers, key=lambda row: day(row.as_of))
            return Chosen(best, "the maker's newest price", _disagreeing(best, makers))
        if live:
            best = min(_newest_of_each(live), key=lambda row: (weigh(row), row.provider))
            same = [row for row in live if row.provider == best.provider]
            why = "the lowest third party's price; the maker's own is not known"
            return Chosen(best, why, _disagreeing(best, same))
    return None


def day(as_of: str) -> datetime.date:
    """The first day that a date can mean: 2026-10 is 2026-10-01.

    >>> day("2026-10"), day("2026")
    (datetime.date(2026, 10, 1), datetime.date(2026, 1, 1))
    """
    parts = [int(part) for part in as_of.split("-")]
    year, month, date = (*parts, 1, 1)[:3]
    return datetime.date(year, month, date)


def same_quarter(first: Price | ImageRule, other: Price | ImageRule) -> bool:
    """Whether two sources are so close in time that neither overtook the other."""
    return abs((day(first.as_of) - day(other.as_of)).days) <= DISAGREE_DAYS


def coverage(models: pd.DataFrame, offers: PriceTables) -> Coverage:
    """How many models have a price and the rest, and which closed ones lack it.

    Args:
        models: One row a model: model, name, open_weights (True, False or None).
        offers: What is known.
    """
    ids = set(models["model"])
    closed = models[[value is False or value == 0 for value in models["open_weights"]]]
    names = dict(zip(closed["model"], closed["name"], strict=True))
    complete = {m for m, rules in offers.rules.items() if any(row.rule for row in rules)}
    return Coverage(
        models=len(ids),
        priced=len(ids & set(offers.prices)),
        with_image_rule=len(ids & complete),
        with_output_tokens=len(ids & set(offers.tokens)),
        closed=len(names),
        closed_without_price=_names(names, set(offers.prices)),
        closed_without_status=_names(names, set(offers.availability)),
    )


def _names(names: dict[str, str], known: set[str]) -> tuple[str, ...]:
    return tuple(sorted(name for model, name in names.items() if model not in known))


def _newest_of_each(rows: Sequence[Price]) -> list[Price]:
    newest: dict[str, Price] = {}
    for row in rows:
        held = newest.get(row.provider)
        if held is None or day(row.as_of) > day(held.as_of):
            newest[row.provider] = row
    return list(newest.values())


def _disagreeing(best: Price, rows: Sequence[Price]) -> tuple[Price, ...]:
    mine = best.usd_per_mtok_in, best.usd_per_mtok_out
    return tuple(
        row
        for row in rows
        if (row.usd_per_mtok_in, row.usd_per_mtok_out) != mine and same_quarter(best, row)
    )
