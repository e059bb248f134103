"""Hard limits: which models meet them, which miss them by how much, and where nobody can tell."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from evalcore.needs import BYTES, EVERY, Needs

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
    """The overall score with 1 in every gap."""
    by_tag: Mapping[str, float]


@dataclass(frozen=True)
class Finding:
    """One limit that a model misses (``relaxation`` set) or that cannot be checked (None)."""

    limit: str
    """Which limit: ruled_out, weights, size, memory, cost, time, score or tag."""
    text: str
    """The miss in words, or what to state so that the limit can be checked."""
    relaxation: str | None


@dataclass(frozen=True)
class Split:
    """The models sorted by what the limits say of them."""

    admissible: tuple[str, ...]
    missed: Mapping[str, tuple[Finding, ...]]
    """Model to all known misses."""
    unknown: Mapping[str, tuple[Finding, ...]]
    """Model without a known miss to what cannot be checked."""
    unsure: frozenset[str]
    """Models with a known miss that also have an unknown value: one change does not let them in."""


def split(facts: list[Facts], needs: Needs) -> Split:
    """Sort the models: a known miss excludes, an unknown value sets aside unless it is let pass."""
    found = {one.model: findings(one, needs) for one in facts}
    missed = {
        model: tuple(finding for finding in all_found if finding.relaxation is not None)
        for model, all_found in found.items()
    }
    unknown = {
        model: tuple(finding for finding in all_found if finding.relaxation is None)
        for model, all_found in found.items()
        if not needs.include_unknown
    }
    return Split(
        admissible=tuple(name for name in found if not missed[name] and not unknown.get(name)),
        missed={name: misses for name, misses in missed.items() if misses},
        unknown={name: gaps for name, gaps in unknown.items() if gaps and not missed[name]},
        unsure=frozenset(name for name, gaps in unknown.items() if gaps and missed[name]),
    )


def findings(facts: Facts, needs: Needs) -> list[Finding]:
    """Return everything in which the model misses a limit or cannot be checked against it."""
    checks: tuple[Callable[[Facts, Needs], list[Finding]], ...] = (
        _ruled_out,
        _weights,
        _ceilings,
        _score,
        _tags,
    )
    return [finding for one in checks for finding in one(facts, needs)]


def _ruled_out(facts: Facts, needs: Needs) -> list[Finding]:
    if facts.model not in needs.ruled_out:
        return []
    return [Finding("ruled_out", "ruled out by you", "take it back in")]


def _weights(facts: Facts, needs: Needs) -> list[Finding]:
    wants_open = needs.open_weights or needs.self_hosted
    if not wants_open and not needs.api_only:
        return []
    if facts.open_weights is None:
        what = "whether its weights are open (--include-unknown lets it in)"
        return [Finding("weights", what, None)]
    if wants_open and not facts.open_weights:
        return [Finding("weights", "closed weights", "allow closed weights")]
    if needs.api_only and facts.open_weights:
        return [Finding("weights", "open weights", "allow open weights")]
    return []


class _Ceiling(NamedTuple):
    limit: str
    label: str
    unit: str
    value: float
    most: float | None
    to_state: str
    """What is unknown when the value is, and the option that helps."""


def _ceilings(facts: Facts, needs: Needs) -> list[Finding]:
    model, memory = facts.model, f"memory at {needs.precision}"
    let_in = "(--include-unknown lets it in)"
    price = f"USD per 1,000 questions (--usd-per-1000 {model}=VALUE)"
    time = f"seconds an answer (--seconds {model}=VALUE)"
    rows = (
        _Ceiling("size", "size", "B", facts.params_b, needs.max_params_b, f"size {let_in}"),
        _Ceiling("memory", memory, "GB", facts.memory_gb, needs.max_memory_gb, f"size {let_in}"),
        _Ceiling(
            "cost",
            "cost",
            "USD per 1,000 questions",
            facts.usd_per_1000,
            needs.max_usd_per_1000,
            price,
        ),
        _Ceiling("time", "time", "seconds an answer", facts.seconds, needs.max_seconds, time),
    )
    return [
        _too_high(row, row.most)
        for row in rows
        if row.most is not None and not row.value <= row.most
    ]


def _too_high(row: _Ceiling, most: float) -> Finding:
    if math.isnan(row.value):
        return Finding(row.limit, row.to_state, None)
    text = f"{row.label} {_up(row.value)} {row.unit} over {most:g} {row.unit}"
    return Finding(row.limit, text, f"raise the {row.label} to {_up(row.value)} {row.unit}")


def _score(facts: Facts, needs: Needs) -> list[Finding]:
    if needs.min_score is None or not facts.ceiling < needs.min_score:
        return []
    at_most = "at most " if math.isnan(facts.score) else ""
    text = f"{at_most}{_down(facts.ceiling)} % overall, under {100 * needs.min_score:g} %"
    return [Finding("score", text, f"lower the overall minimum to {_down(facts.ceiling)} %")]


def _tags(facts: Facts, needs: Needs) -> list[Finding]:
    result = []
    for tag, least in needs.min_tag_scores:
        value = facts.by_tag.get(tag, math.nan)
        if math.isnan(value):
            what = f"its score on {tag} (no result; --include-unknown lets it in)"
            result.append(Finding("tag", what, None))
        elif value < least:
            text = f"{_down(value)} % on {tag}, under {100 * least:g} %"
            change = f"lower the minimum on {tag} to {_down(value)} %"
            result.append(Finding("tag", text, change))
    return result


def _up(value: float) -> str:
    """Return the value rounded up to two decimals, so that a limit at it lets the model in."""
    digits = 2 if value >= 0.1 else 6
    return f"{math.ceil(value * 10**digits - 1e-6) / 10**digits:.{digits}f}".rstrip("0").rstrip(".")


def _down(fraction: float) -> str:
    """Return a fraction as per cent, rounded down to one decimal for the same reason."""
    return f"{math.floor(fraction * 1000 + 1e-6) / 10:g}"


def gather(
    models: pd.DataFrame, needs: Needs, overall: pd.DataFrame, table: pd.DataFrame
) -> list[Facts]:
    """Return the facts of every model of the table, in its order.

    Args:
        models: the models frame; a model that it lacks (an upload) is unknown in everything.
        needs: with the figures that the person states.
        overall: indexed by model: score, of the models with every weighted tag, and ceiling, of
            all of them.
        table: models x tags, NaN for a gap.
    """
    about = models.drop_duplicates("model").set_index("model").reindex(table.index)
    params = pd.to_numeric(about["params_b"]).to_numpy(float)
    weights = [None if pd.isna(value) else bool(value) for value in about["open_weights"]]
    scores = overall.reindex(table.index)
    seconds = dict(needs.seconds)
    return [
        Facts(
            model=model,
            open_weights=is_open,
            params_b=float(size),
            memory_gb=memory_gb(float(size), needs.precision),
            usd_per_1000=usd_per_1000(model, is_open, needs),
            seconds=seconds.get(model, math.nan),
            score=float(score),
            ceiling=float(ceiling),
            by_tag=dict(zip(map(str, table.columns), map(float, values), strict=True)),
        )
        for model, is_open, size, score, ceiling, values in zip(
            map(str, table.index),
            weights,
            params,
            scores["score"],
            scores["ceiling"],
            table.to_numpy(float),
            strict=True,
        )
    ]


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
