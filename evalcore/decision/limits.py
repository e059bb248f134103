"""Hard limits: which models meet them, which miss them by how much, and where nobody can tell."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

import pandas as pd

from evalcore.analysis.ranking import MODES
from evalcore.cost.api import Question
from evalcore.cost.selfhost import BYTES, with_overhead
from evalcore.decision.facts import Facts, Finding
from evalcore.decision.needs import CONTROLS, EVERY, LICENCES, LIMITS, Needs
from evalcore.decision.text.phrases import Names
from evalcore.errors import BadInput, UnknownName

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
    seconds, rows = dict(needs.seconds), {str(k): v for k, v in about.to_dict("index").items()}
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
            about=rows[model],
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
    """Return the estimated memory in GB: parameters x bytes at the precision, and a share more.

    >>> round(memory_gb(8.0, "int4"), 1)
    4.8
    """
    return with_overhead(params_b * BYTES[precision])


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
    results = {fact.model: findings(fact, needs) for fact in facts}
    missed = {
        model: tuple(finding for finding in all_found if finding.relaxation is not None)
        for model, all_found in results.items()
    }
    unknown = {
        model: tuple(finding for finding in all_found if finding.relaxation is None)
        for model, all_found in results.items()
        if not needs.include_unknown
    }
    return Split(
        admissible=tuple(name for name in results if not missed[name] and not unknown.get(name)),
        missed={name: misses for name, misses in missed.items() if misses},
        unknown={name: gaps for name, gaps in unknown.items() if gaps and not missed[name]},
        unsure=frozenset(name for name, gaps in unknown.items() if gaps and missed[name]),
        findings={name: tuple(all_found) for name, all_found in results.items()},
    )


def findings(facts: Facts, needs: Needs) -> list[Finding]:
    """Return everything in which the model misses a limit or cannot be checked against it."""
    return [finding for limit in LIMITS for finding in limit.check(facts, needs)]


def in_words(needs: Needs, named: Mapping[str, str]) -> list[str]:
    """Return the limits that the needs set, each in a few words."""
    rows = sorted(LIMITS, key=lambda limit: (limit.name == "ruled_out", limit.order))
    return [text for limit in rows for text in limit.words(needs, Names(named))]


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
    rows = []
    for limit in sorted(LIMITS, key=lambda limit: limit.order):
        wanted = ", ".join(limit.words(needs, Names(show)))
        if not wanted:
            continue
        of_limit = [
            [finding for finding in row if finding.limit == limit.name]
            for row in findings_of.values()
        ]
        missed = sum(any(f.relaxation is not None for f in row) for row in of_limit)
        unknown = 0 if needs.include_unknown else sum(map(bool, of_limit)) - missed
        rows.append((limit.name, wanted, len(findings_of) - missed - unknown, missed, unknown))
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


def check(needs: Needs, tags: Sequence[str], models: Sequence[str]) -> None:
    """Refuse needs that cannot be meant.

    Args:
        needs: what the person asks for.
        tags: the tags that have results.
        models: the known model ids.

    Raises:
        UnknownName: for a tag or model that is not known, naming the nearest.
        BadInput: for a weight, limit, price or option outside its range.
    """
    check_limits(needs)
    _check_tags(needs, tags)
    _check_models(needs, models)


def check_limits(needs: Needs) -> None:
    """Refuse weights, limits and options outside their range, whatever the suite holds.

    Raises:
        BadInput: naming what is wrong and what would be right.
    """
    _check_options(needs)
    for control in CONTROLS:
        if control.kind == "number" and control.read is None:
            check_number = _at_least if control.scale == 1 else _fraction
            check_number(control.field, getattr(needs, control.field))
    _at_least("min_n", needs.min_n)
    if needs.workload is not None:
        _check_workload(needs.workload)
    for tag, weight in needs.weights:
        _at_least(f"weight of {tag!r}", weight)
    if needs.weights and not any(weight > 0 for _, weight in needs.weights):
        raise BadInput("every weight is 0, so no tag is left; give at least one a weight above 0")


def _check_options(needs: Needs) -> None:
    if needs.aggregate not in MODES:
        raise BadInput(f"aggregate {needs.aggregate!r} is unknown; use one of {', '.join(MODES)}")
    if needs.precision not in BYTES:
        raise BadInput(f"precision {needs.precision!r} is unknown; use one of {', '.join(BYTES)}")
    for licence in needs.licences:
        if licence not in LICENCES:
            raise BadInput(f"licence {licence!r} is no class; use one of {', '.join(LICENCES)}")
    if needs.api_only and (needs.open_weights or needs.self_hosted):
        raise BadInput("api_only asks for closed weights: drop it, or open_weights and self_hosted")


def _check_workload(asked: Question) -> None:
    for name in ("width", "height"):
        _at_least(f"{name} of a picture", getattr(asked, name), 1.0)
    for name in ("prompt_tokens", "images", "tokens_out", "thinking_tokens_out", "image_tokens"):
        _at_least(name, getattr(asked, name))


def _check_tags(needs: Needs, tags: Sequence[str]) -> None:
    _pairs("weights", needs.weights, tags, "tag")
    _pairs("min_tag_scores", needs.min_tag_scores, tags, "tag")
    for tag, lowest in needs.min_tag_scores:
        _fraction(f"lowest score on {tag!r}", lowest)


def _check_models(needs: Needs, models: Sequence[str]) -> None:
    _known("ruled_out", needs.ruled_out, models, "model")
    _pairs("usd_per_1000", needs.usd_per_1000, models, "model")
    _pairs("seconds", needs.seconds, models, "model")
    _pairs("questions_per_hour", needs.questions_per_hour, [*models, EVERY], "model")
    for model, value in (*needs.usd_per_1000, *needs.seconds):
        _at_least(f"figure stated for {model!r}", value)
    for model, count in needs.questions_per_hour:
        if not (count > 0 and math.isfinite(count)):
            raise BadInput(f"questions_per_hour of {model!r} is {count!r}; give a number above 0")


def _pairs(
    option: str, pairs: Sequence[tuple[str, float]], known: Sequence[str], what: str
) -> None:
    names = [name for name, _ in pairs]
    _known(option, names, known, what)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BadInput(f"{option} names {twice!r} more than once; give one number each")


def _known(option: str, names: Iterable[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known:
            near = get_close_matches(str(name), known, n=3, cutoff=0.5)
            hint = f"the nearest are {near}" if near else f"known are {sorted(known)}"
            raise UnknownName(
                f"{option} names the {what} {name!r}, which is not known here; {hint}"
            )


def _at_least(what: str, value: float | None, lowest: float = 0.0) -> None:
    if value is not None and not (value >= lowest and math.isfinite(value)):
        raise BadInput(f"{what} is {value!r}; give a number of at least {lowest:g}")


def _fraction(what: str, value: float | None) -> None:
    if value is not None and not 0 <= value <= 1:
        raise BadInput(f"{what} is {value!r}; give a fraction from 0 to 1, such as 0.6 for 60 %")
