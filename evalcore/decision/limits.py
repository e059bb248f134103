"""Hard limits: which models meet them, which miss them by how much, and where nobody can tell."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import pandas as pd

from evalcore.decision.facts import Facts
from evalcore.decision.needs import BYTES, Needs
from evalcore.decision.text.phrases import limits_by_kind


@dataclass(frozen=True)
class Finding:
    """One limit that a model misses (``relaxation`` set) or that cannot be checked (None)."""

    limit: str
    """Which limit: ruled_out, weights, licence, available, size, memory, gpu, cost, time, score or
    tag."""
    text: str
    """The miss in words, or what to state so that the limit can be checked."""
    relaxation: str | None
    step: float = math.nan
    """How far the limit would have to move, as a share of it; NaN where it is no number."""


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
    findings: Mapping[str, tuple[Finding, ...]]
    """Every model to all that was found, misses and unknown values."""


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
        findings={name: tuple(all_found) for name, all_found in found.items()},
    )


def findings(facts: Facts, needs: Needs) -> list[Finding]:
    """Return everything in which the model misses a limit or cannot be checked against it."""
    checks: tuple[Callable[[Facts, Needs], list[Finding]], ...] = (
        _ruled_out,
        _weights,
        _licence,
        _available,
        _ceilings,
        _card,
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
    if not wants_open and (not needs.api_only or facts.api):
        return []
    if facts.open_weights is None:
        what = "whether its weights are open (--include-unknown lets it in)"
        return [Finding("weights", what, None)]
    if wants_open and not facts.open_weights:
        return [Finding("weights", "closed weights", "allow closed weights")]
    if needs.api_only and facts.open_weights and facts.market:
        option = f"(--usd-per-1000 {facts.model}=VALUE if somebody does)"
        return [Finding("weights", f"whether anybody offers it through an API {option}", None)]
    if needs.api_only and facts.open_weights:
        return [Finding("weights", "open weights", "allow open weights")]
    return []


def _licence(facts: Facts, needs: Needs) -> list[Finding]:
    if not needs.licences and not needs.commercial_use:
        return []
    if needs.licences and facts.licence_class not in (*needs.licences, "unknown"):
        text = f"licence {facts.licence} ({facts.licence_class}: {facts.condition.rstrip('.')})"
        return [Finding("licence", text, f"allow licences of the class {facts.licence_class}")]
    if needs.commercial_use and facts.commercial is False:
        text = f"licence {facts.licence}: {facts.condition.rstrip('.')}"
        return [Finding("licence", text, "drop commercial use")]
    if facts.licence_class == "unknown" or (needs.commercial_use and facts.commercial is None):
        return [Finding("licence", "what its licence allows (--include-unknown lets it in)", None)]
    return []


def _available(facts: Facts, needs: Needs) -> list[Finding]:
    if not needs.available_today or facts.available:
        return []
    if facts.available is None:
        what = "whether it can still be had: no source was found (--include-unknown lets it in)"
        return [Finding("available", what, None)]
    return [Finding("available", facts.status, "allow models that cannot be had today")]


def _card(facts: Facts, needs: Needs) -> list[Finding]:
    if not needs.gpu or facts.memory_gb <= facts.card_gb:
        return []
    if math.isnan(facts.memory_gb):
        return [Finding("gpu", "size (--include-unknown lets it in)", None)]
    text = (
        f"memory at {needs.precision} {_up(facts.memory_gb)} GB over the {facts.card_gb:g} GB of "
        "one card"
    )
    change = f"take a card of {_up(facts.memory_gb)} GB"
    names = list(BYTES)
    for precision in names[names.index(needs.precision) + 1 :]:
        smaller = facts.memory_at.get(precision, math.nan)
        if smaller <= facts.card_gb:
            change += f", or load it in {precision} ({_up(smaller)} GB)"
            break
    return [Finding("gpu", text, change, facts.memory_gb / facts.card_gb - 1)]


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
    if facts.cost_missing:
        price = " ".join([price, *facts.cost_missing])
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
    step = row.value / most - 1 if most else math.inf
    return Finding(row.limit, text, f"raise the {row.label} to {_up(row.value)} {row.unit}", step)


def _score(facts: Facts, needs: Needs) -> list[Finding]:
    if needs.min_score is None or not facts.ceiling < needs.min_score:
        return []
    at_most = "at most " if math.isnan(facts.score) else ""
    text = f"{at_most}{_down(facts.ceiling)} % overall, under {100 * needs.min_score:g} %"
    change = f"lower the overall minimum to {_down(facts.ceiling)} %"
    return [Finding("score", text, change, 1 - facts.ceiling / needs.min_score)]


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
            result.append(Finding("tag", text, change, 1 - value / least))
    return result


def _up(value: float) -> str:
    """Return the value rounded up to two decimals, so that a limit at it lets the model in."""
    digits = 2 if value >= 0.1 else 6
    return f"{math.ceil(value * 10**digits - 1e-6) / 10**digits:.{digits}f}".rstrip("0").rstrip(".")


def _down(fraction: float) -> str:
    """Return a fraction as per cent, rounded down to one decimal for the same reason."""
    return f"{math.floor(fraction * 1000 + 1e-6) / 10:g}"


LIMITS = (
    *("ruled_out", "weights", "licence", "available", "size", "memory", "gpu"),
    *("cost", "time", "score", "tag"),
)
"""Limits, as in `limits.Finding`, in the order in which they are shown."""


def counts(
    findings_of: Mapping[str, Sequence[Finding]], needs: Needs, models: pd.DataFrame
) -> pd.DataFrame:
    """Return, for each limit that the needs set, how many models it lets through by itself.

    Args:
        findings_of: model to everything in which it misses a limit or cannot be checked.
        needs: what is asked.
        models: model and name.

    Returns:
        One row a limit, in a fixed order: limit, words, remain (models that meet it, or whose value
        is unknown and let pass), missed, unknown (not let pass), of (all models).
    """
    show = dict(zip(models["model"].astype(str), models["name"].astype(str), strict=True))
    words = limits_by_kind(needs, show)
    rows = []
    for limit in LIMITS:
        wanted = ", ".join(text for kind, text in words if kind == limit)
        if not wanted:
            continue
        of_limit = [
            [finding for finding in row if finding.limit == limit] for row in findings_of.values()
        ]
        missed = sum(any(f.relaxation is not None for f in row) for row in of_limit)
        unknown = 0 if needs.include_unknown else sum(map(bool, of_limit)) - missed
        rows.append((limit, wanted, len(findings_of) - missed - unknown, missed, unknown))
    frame = pd.DataFrame(rows, columns=["limit", "words", "remain", "missed", "unknown"])
    return frame.assign(of=len(findings_of))


@dataclass(frozen=True)
class ModelFilter:
    """Which models to show; what is unknown passes only when asked."""

    weights: Literal["any", "open", "closed"] = "any"
    max_params_b: float | None = None
    include_unknown: bool = False


def split_models(models: pd.DataFrame, chosen: ModelFilter) -> tuple[list[str], pd.DataFrame]:
    """Split models by a filter.

    Returns:
        The ids that pass, and one row a hidden model: model, reason.
    """
    known = models[["open_weights", "params_b"]].to_dict("records")
    reasons = [_hidden_because(row, chosen) for row in known]
    hidden = [
        (model, why) for model, why in zip(models["model"], reasons, strict=True) if why is not None
    ]
    kept = [model for model, why in zip(models["model"], reasons, strict=True) if why is None]
    return kept, pd.DataFrame(hidden, columns=["model", "reason"])


def _hidden_because(row: Mapping[Hashable, Any], chosen: ModelFilter) -> str | None:
    if chosen.weights != "any":
        is_open = row["open_weights"]
        if pd.isna(is_open):
            if not chosen.include_unknown:
                return "not known whether its weights are open"
        elif bool(is_open) != (chosen.weights == "open"):
            return "closed weights" if chosen.weights == "open" else "open weights"
    if chosen.max_params_b is not None:
        size = row["params_b"]
        if pd.isna(size):
            return None if chosen.include_unknown else "size unknown"
        if size > chosen.max_params_b:
            return f"{size:.1f} B parameters"
    return None
