"""The offers of many models, found by model: what the cost functions look things up in."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pandas as pd

from evalcore.offers import (
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


@dataclass(frozen=True)
class Offers:
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


def offers(tables: Mapping[str, pd.DataFrame]) -> Offers:
    """The offers in the store's tables.

    Args:
        tables: Name → frame, of ``prices``, ``image_rules``, ``output_tokens``, ``thinking``,
            ``cache_shapes``, ``availability`` and ``licences`` (columns as in ``evalcore.offers``)
            and ``modes`` (mode, kind); a table that is left out is empty.
    """
    modes = tables.get("modes")
    kinds = {} if modes is None else dict(zip(modes["mode"], modes["kind"], strict=True))
    return Offers(
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
        record: A frozen dataclass of ``evalcore.offers``.
    """
    if frame is None or frame.empty:
        return []
    names = [column.name for column in dataclasses.fields(record)]  # type: ignore[arg-type]
    columns = [[_cell(value) for value in frame[name].tolist()] for name in names]
    return [record(*cells) for cells in zip(*columns, strict=True)]


def _grouped(found: Iterable[Row]) -> dict[str, tuple[Row, ...]]:
    groups: dict[str, list[Row]] = {}
    for row in found:
        groups.setdefault(row.model, []).append(row)
    return {model: tuple(members) for model, members in groups.items()}


def _cell(value: Any) -> Any:
    return None if pd.isna(value) else value
