"""Who was left out, and what would change it: the parts of a `Recommendation` but its ranking."""

from collections.abc import Sequence

import pandas as pd

from evalcore.analysis import ranking
from evalcore.decision.answer import Reference
from evalcore.decision.limits import Split
from evalcore.decision.needs import Needs

UNSURE = "let unknown values pass"
"""What an excluded model needs besides, when another of its values is unknown."""
UNPRICED = "USD per 1,000 questions (it could be cheaper)"


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
