"""The answer to a question as a record, who was left out of it, and what would change that."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from evalcore.analysis import ranking
from evalcore.decision.facts import Finding
from evalcore.decision.limits import Split
from evalcore.decision.needs import Needs

UNSURE = "let unknown values pass"
"""What an excluded model needs besides, when another of its values is unknown."""
UNPRICED = "USD per 1,000 questions (it could be cheaper)"


@dataclass(frozen=True)
class Reference:
    """The best model on the same mix without any limits, and what the winner gives up to it."""

    model: str
    score: float
    """Its overall score, a fraction."""
    gap: float
    """Its score minus the winner's, a fraction; NaN without a winner."""
    by_tag: tuple[tuple[str, float], ...]
    """(tag, its score minus the winner's), the largest first; empty without a winner."""


@dataclass(frozen=True, eq=False)
class Recommendation:
    """What `recommend` found. Models are ids; scores and shares are fractions; unknown is NaN."""

    needs: Needs
    mix: tuple[tuple[str, float], ...]
    """(tag, its share in the overall score) as used; the shares sum to 1."""
    design_effect: float
    """The factor on variances for questions that carry several tags; 1 when none does."""
    winner: str | None
    """The model to use; None when no model with every weighted tag meets the limits."""
    tied_best: tuple[str, ...]
    """The models that the data cannot tell from the leader, the leader (highest score) first."""
    tie_break: str
    """What decided among the tied: "cost", "size" or "score"; empty when nothing was tied;
    "answers" where all others near the lead were passed over. Where the needs ask for the cheapest
    within some points: "within", or "unpriced" (no price known)."""
    ranking: pd.DataFrame
    """The admissible complete models, best first: model, score, low, high (95 % interval), p_best
    (chance of being the best of them), share_first and share_first_near (share of all weightings,
    and of those near the mix, under which it is first), rank_low, rank_high, n (questions; one
    with several tags counts in each, but only once for models compared question by question),
    params_b (billions), usd_per_1000, uploaded (bool)."""
    excluded: pd.DataFrame
    """One row a model that misses a limit: model, limit (all it misses), relaxation (the smallest
    changes that let it in)."""
    cannot_tell: pd.DataFrame
    """One row a model with an unknown value under a limit: model, what (to state), score (NaN when
    it lacks a weighted tag). Where the needs ask for the cheapest within some points, also the
    ranked models near enough whose cost is unknown: any of them could be cheaper."""
    incomplete: pd.DataFrame
    """One row an admissible model that lacks a weighted tag: model, missing (tuple of tags), low,
    high (its overall score with 0 and with 1 in every gap), lacks (tuple: what exactly it has no
    result on, the benchmarks of a need or the tags themselves)."""
    flips: pd.DataFrame
    """One row a tag, the smallest change first: tag, now, weight (shares), change, new_winner;
    about the leader by score. See `analysis.sensitivity.flips`."""
    regret: pd.DataFrame
    """Indexed by model, one column a tag and "max": distance to the best admissible model."""
    all_rounder: str | None
    """The model with the smallest largest regret, of those that are not passed over."""
    pareto: pd.DataFrame
    """One row a ranked model: model, status, by. See `analysis.ranking.pareto`."""
    reference: Reference | None
    """None when no model at all has every weighted tag."""
    assumptions: tuple[str, ...]
    """What the figures rest on, in sentences."""
    sentences: tuple[str, ...]
    """The answer in plain words, in reading order, without markup."""
    findings: Mapping[str, tuple[Finding, ...]] = field(default_factory=dict)
    """Model to everything in which it misses a limit or cannot be checked."""
    market: pd.DataFrame = field(default_factory=pd.DataFrame)
    """What is known of each model's cost, memory, licence and availability, indexed by model: the
    columns of ``market.Fact``. Empty where offers were not looked up."""
    relaxations: pd.DataFrame = field(default_factory=pd.DataFrame)
    """The models that one change of one limit lets in, the best score first: model, limit, change
    (in words), step (how far the limit moves, as a share of it; NaN where it is no number), score,
    gain (its score minus the leader's; NaN without one)."""
    tests: pd.DataFrame = field(default_factory=pd.DataFrame)
    """How many own questions would part the tied. See ``ties.pairs``."""
    gaps: pd.DataFrame = field(default_factory=pd.DataFrame)
    """Which missing result would place models that could be best. See ``ties.gaps``."""
    basis: str = ""
    """What intervals, ties and chances come from, one sentence; "" where nobody is ranked."""
    by_item: tuple[str, ...] = ()
    """The models that are compared question by question, whether they are ranked or not."""
    unscored: pd.DataFrame = field(default_factory=pd.DataFrame)
    """What questions without a score leave open, one row a model with single answers: model and
    the columns of ``analysis.unscored.gaps``."""
    passed_over: tuple[str, ...] = ()
    """Ranked models that were not chosen because only what they have no score for keeps them near
    the lead. See ``analysis.unscored.passed_over``."""

    @property
    def in_play(self) -> pd.DataFrame:
        """The ranking without the models that were passed over."""
        return self.ranking[~self.ranking["model"].isin(self.passed_over)]

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as dicts, lists, numbers and None, ready for `json.dumps`."""
        plain = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        worst = self.regret.max(axis=1)
        plain["regret"] = [
            {"model": model, "max": worst[model], "tags": self.regret.loc[model].to_dict()}
            for model in self.regret.index
        ]
        plain["mix"] = dict(self.mix)
        del plain["findings"]
        return {name: _plain(value) for name, value in plain.items()}


def _plain(value: Any) -> Any:
    """Return the value made of what JSON knows; NaN becomes None, a whole number loses its dot."""
    if isinstance(value, pd.DataFrame):
        return [_plain(row) for row in value.to_dict("records")]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(dataclasses.asdict(value))
    if isinstance(value, Mapping):
        return {
            str(name): _whole(item) if name in ("rank_low", "rank_high", "n") else _plain(item)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _whole(value: Any) -> int | None:
    return None if pd.isna(value) else int(value)


def choose(rows: pd.DataFrame, tied: list[str]) -> tuple[str | None, str]:
    """Return the winner of the tied and what decided: cost, size or score ("" without a tie).

    A tie-break looks only at the models for which it is known.
    """
    if len(tied) < 2:
        return (tied[0] if tied else None), ""
    left = rows[rows["model"].isin(tied)]
    for column, decided in (("usd_per_1000", "cost"), ("params_b", "size")):
        known = left[left[column].notna()]
        if known.empty:
            continue
        left = known[known[column] == known[column].min()]
        if len(left) == 1:
            return str(left["model"].iloc[0]), decided
    return str(left["model"].iloc[0]), "score"


def near_best(rows: pd.DataFrame, within: float) -> pd.DataFrame:
    """Return the rows of the ranking whose score is at most ``within`` below the first's."""
    if rows.empty:
        return rows
    near: pd.DataFrame = rows[rows["score"] >= rows["score"].iloc[0] - within - 1e-12]
    return near


def cheapest(rows: pd.DataFrame, within: float) -> str | None:
    """Return the cheapest model near the best; None when the cost of none of them is known.

    Of equally cheap ones the better. A model without a known cost is not chosen: it is not free.
    """
    priced = near_best(rows, within).dropna(subset=["usd_per_1000"])
    if priced.empty:
        return None
    return str(priced.sort_values("usd_per_1000", kind="stable")["model"].iloc[0])


def excluded(sorted_out: Split) -> pd.DataFrame:
    """Return `Recommendation.excluded`."""
    rows = [
        (
            model,
            "; ".join(miss.text for miss in misses),
            " and ".join(
                [str(miss.relaxation) for miss in misses]
                + ([UNSURE] if model in sorted_out.unsure else [])
            ),
        )
        for model, misses in sorted_out.missed.items()
    ]
    return pd.DataFrame(rows, columns=["model", "limit", "relaxation"])


def cannot_tell(
    sorted_out: Split, overall: pd.DataFrame, rows: pd.DataFrame, needs: Needs, market: pd.DataFrame
) -> pd.DataFrame:
    """Return `Recommendation.cannot_tell`."""
    score = overall["score"].to_dict()
    names = [
        (model, "; ".join(gap.text for gap in gaps), score[model])
        for model, gaps in sorted_out.unknown.items()
    ]
    if needs.within is not None:
        near = near_best(rows, needs.within)
        for model in near.loc[near["usd_per_1000"].isna(), "model"]:
            missing = market["usd_missing"].get(model, ()) if len(market) else ()
            names.append((model, " ".join([UNPRICED, *missing]), score[model]))
    return pd.DataFrame(names, columns=["model", "what", "score"])


def incomplete(
    sorted_out: Split, on_mix: pd.DataFrame, overall: pd.DataFrame, bounds: pd.DataFrame | None
) -> pd.DataFrame:
    """Return `Recommendation.incomplete`.

    Args:
        sorted_out: the models as the limits sorted them.
        on_mix: models x weighted tags.
        overall: indexed by model: score, floor, ceiling.
        bounds: model, tag, lacks of the tags of which a model has a part; see ``need_axis.bounds``.
    """
    admissible = overall.loc[list(sorted_out.admissible)]
    lacking = admissible.index[admissible["score"].isna()]
    gaps = on_mix.loc[lacking].isna().to_numpy()
    tags = [str(tag) for tag in on_mix.columns]
    parts = {}
    if bounds is not None:
        keys = zip(bounds["model"], bounds["tag"], strict=True)
        parts = dict(zip(keys, bounds["lacks"], strict=True))
    rows = []
    ends = overall.loc[lacking, ["floor", "ceiling"]].to_numpy(float)
    for model, gap_row, (low, high) in zip(lacking, gaps, ends, strict=True):
        missing = tuple(tag for tag, gap in zip(tags, gap_row, strict=True) if gap)
        lacks = tuple(name for tag in missing for name in parts.get((model, tag), (tag,)))
        rows.append((model, missing, low, high, lacks))
    return pd.DataFrame(rows, columns=["model", "missing", "low", "high", "lacks"])


def relaxations(sorted_out: Split, overall: pd.DataFrame, best: float) -> pd.DataFrame:
    """Return `Recommendation.relaxations`; ``best`` is the leader's score, NaN without one."""
    score = overall["score"].to_dict()
    rows = [
        (
            *(model, misses[0].limit, misses[0].relaxation, misses[0].step),
            *(score[model], score[model] - best),
        )
        for model, misses in sorted_out.missed.items()
        if len(misses) == 1 and model not in sorted_out.unsure and score[model] == score[model]
    ]
    frame = pd.DataFrame(rows, columns=["model", "limit", "change", "step", "score", "gain"])
    return frame.sort_values(
        ["score", "model"], ascending=[False, True], kind="stable", ignore_index=True
    )


def reference(
    on_mix: pd.DataFrame, overall: pd.DataFrame, winner: str | None, silent: Sequence[str] = ()
) -> Reference | None:
    """Return the best model without limits and its distance to the winner.

    Args:
        on_mix: models x weighted tags.
        overall: indexed by model: score.
        winner: the model to use; None: nobody is.
        silent: models that are passed over for want of answers.
    """
    best = ranking.in_order(overall["score"].drop(list(silent)))
    if best.empty:
        return None
    model, score = str(best.index[0]), float(best.iloc[0])
    if winner is None:
        return Reference(model, score, float("nan"), ())
    behind = pd.Series(on_mix.loc[model] - on_mix.loc[winner], dtype=float)
    behind = behind.sort_values(ascending=False, kind="stable")
    by_tag = tuple((str(tag), float(points)) for tag, points in behind.items())
    return Reference(model, score, score - float(overall["score"][winner]), by_tag)


def trade(rows: pd.DataFrame, error: pd.Series) -> pd.DataFrame:
    """Return the ranking as `sensitivity.pareto` takes it: score, se, size, cost by model."""
    frame = rows.set_index("model").rename(columns={"params_b": "size", "usd_per_1000": "cost"})
    return frame.assign(se=error.reindex(frame.index).astype(float))
