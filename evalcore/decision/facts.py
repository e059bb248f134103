"""What is known of each model where a limit may ask."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from evalcore.decision.needs import BYTES, EVERY, Needs

OVERHEAD = 1.2
"""Memory over that of the weights: 20 % for activations and cache, an assumption."""


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
    memory_at: Mapping[str, float] = field(default_factory=dict)
    """Precision → memory in GB."""
    cost_missing: tuple[str, ...] = ()
    """What is unknown of its cost and what to state, a sentence each."""


MARKET = (
    *("api", "available", "status", "licence", "licence_class", "commercial", "condition"),
    "memory_at",
)
"""Fields of ``market.Fact`` that are fields here under the same name."""


def gather(  # noqa: PLR0913  the frames of one question
    models: pd.DataFrame,
    needs: Needs,
    overall: pd.DataFrame,
    table: pd.DataFrame,
    market: pd.DataFrame | None = None,
    card_gb: float = math.nan,
) -> list[Facts]:
    """Return the facts of every model of the table, in its order.

    Args:
        models: the models frame; a model that it lacks (an upload) is unknown in everything.
        needs: with the figures that the person states.
        overall: indexed by model: score, of the models with every weighted tag, and ceiling, of
            all of them.
        table: models x tags, NaN for a gap.
        market: what is known of offers, as from ``market.facts``; without it cost and memory
            follow from what is stated and from the size.
        card_gb: memory of the graphics card of ``needs.gpu``.
    """
    about = models.drop_duplicates("model").set_index("model").reindex(table.index)
    params = pd.to_numeric(about["params_b"]).to_numpy(float)
    weights = [None if pd.isna(value) else bool(value) for value in about["open_weights"]]
    scores = overall.reindex(table.index)
    seconds = dict(needs.seconds)
    offered = {} if market is None else market.to_dict("index")
    tags = [str(tag) for tag in table.columns]
    return [
        Facts(
            model=model,
            open_weights=is_open,
            params_b=float(size),
            seconds=seconds.get(model, math.nan),
            score=float(score),
            ceiling=float(ceiling),
            by_tag=dict(zip(tags, values, strict=True)),
            card_gb=card_gb,
            **_offer(model, is_open, float(size), needs, offered),
        )
        for model, is_open, size, score, ceiling, values in zip(
            map(str, table.index),
            weights,
            params,
            scores["score"],
            scores["ceiling"],
            table.to_numpy(float).tolist(),
            strict=True,
        )
    ]


def _offer(
    model: str, is_open: bool | None, size: float, needs: Needs, offered: Mapping[Any, Any]
) -> dict[str, Any]:
    """Cost, memory and what else the market says of a model."""
    own = offered.get(model)
    if own is None:
        return {
            "memory_gb": memory_gb(size, needs.precision),
            "usd_per_1000": usd_per_1000(model, is_open, needs),
            "market": bool(offered),
        }
    return {
        "memory_gb": own["memory_gb"],
        "usd_per_1000": own["usd_per_1000"],
        "cost_missing": own["usd_missing"],
        "market": True,
        **{name: own[name] for name in MARKET},
    }


def memory_gb(params_b: float, precision: str) -> float:
    """Return the estimated memory in GB: parameters x bytes at the precision x `OVERHEAD`.

    >>> round(memory_gb(8.0, "int4"), 1)
    4.8
    """
    return params_b * BYTES[precision] * OVERHEAD


def usd_per_1000(model: str, is_open: bool | None, needs: Needs) -> float:
    """Return dollars per 1,000 questions: as stated, else for an open model from the machine.

    The machine: dollars an hour / questions an hour x 1000. NaN when neither is stated.
    """
    stated = dict(needs.usd_per_1000)
    if model in stated:
        return float(stated[model])
    pace = dict(needs.questions_per_hour)
    per_hour = pace.get(model, pace.get(EVERY, math.nan))
    if not is_open or needs.gpu_usd_per_hour is None:
        return math.nan
    return 1000 * needs.gpu_usd_per_hour / per_hour
