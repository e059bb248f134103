"""What answers without a score leave open, so that nobody leads by not answering.

An answer that failed, was refused, cut off or could not be read has no score and is never counted
as wrong. A model's score is the mean of what is known; with its unscored questions as wrong and as
right it has two bounds. They decide what may be said of a lead, not the order.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from evalcore.analysis import ranking
from evalcore.analysis.by_items import Items, Key, TagComposition

COLUMNS = ["unscored", "of", "known", "worst", "best"]
BOUNDS = ["unscored", "of", "worst", "best"]
COULD_TURN = "unscored answers could turn it"
"""The verdict on a difference that is clear or probable only on what has a score."""
ROUNDING = 1e-9
"""Differences below this are none."""


def gaps(
    items: Items | None, composition: TagComposition, share: Mapping[str, float] | pd.Series
) -> pd.DataFrame:
    """Give what is missing of each model's weighted mean over tags, and between what it could lie.

    Args:
        items: The questions behind scores; None where none are known.
        composition: How tags are made of groups of items; without one of the tags nothing is known.
        share: Share of each weighted tag.

    Returns:
        One row a model with items that was put a question of every group: unscored (questions put
        to it that have no score, each once), of (all of these questions), known (the mean over
        those that have one), worst and best (the mean with each of its unscored ones as 0, and as
        1).
    """
    parts = {str(tag): float(part) for tag, part in share.items()}
    if items is None or not parts or not set(parts) <= set(composition):
        return pd.DataFrame(columns=COLUMNS, dtype=float)
    weight: dict[Key, float] = {}
    for tag, part in parts.items():
        for key, inner in composition[tag].items():
            weight[key] = weight.get(key, 0.0) + part * inner
    means, everywhere = np.zeros((3, len(items.models))), np.ones(len(items.models), dtype=bool)
    inside = np.zeros(len(items.scores), dtype=bool)
    for key, part in weight.items():
        put, moments = items.put(key), items.moments(key)
        with np.errstate(invalid="ignore", divide="ignore"):
            worst = np.nan_to_num(moments.mean) * moments.n / put
            means += part * np.stack([moments.mean, worst, worst + (put - moments.n) / put])
        everywhere &= put > 0
        inside[items.places[key]] = True
    asked = items.put_to[inside]
    columns = (items.missing[inside].sum(axis=0), asked.sum(axis=0), *means)
    table = pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)), index=pd.Index(items.models))
    return table[everywhere]


def around(score: pd.Series, missing: pd.DataFrame) -> pd.DataFrame:
    """Give ``gaps`` for models with a score, its bounds around it: it may be corrected for chance.

    Args:
        score: By model.
        missing: As from ``gaps``.
    """
    own = missing.reindex(score.index).astype(float)
    away = score - own["known"]
    return own.assign(known=score, worst=own["worst"] + away, best=own["best"] + away)


def of_cells(cells: pd.DataFrame, items: Items | None, composition: TagComposition) -> pd.DataFrame:
    """Add to cells what unscored answers leave open.

    Args:
        cells: model, tag and value, as from ``profiles.cells``.
        items: The questions behind them.
        composition: How tags are made of groups of items.

    Returns:
        They with unscored, of, worst and best; NaN where single answers are not known.
    """
    table = cells.reindex(columns=[*cells.columns, *BOUNDS])
    for tag, rows in cells.groupby("tag", sort=False):
        score = rows.set_index("model")["value"].astype(float)
        bounds = around(score, gaps(items, composition, {str(tag): 1.0}))
        table.loc[rows.index, BOUNDS] = bounds[BOUNDS].to_numpy(float)
    return table


def of_board(board: pd.DataFrame, missing: pd.DataFrame) -> pd.DataFrame:
    """Add to a leaderboard what unscored answers leave open.

    Args:
        board: As from ``profiles.overall``.
        missing: As from ``gaps``, for the same weights.

    Returns:
        It with unscored, of, worst and best (NaN where single answers are not known); coverage
        counts unscored questions as not covered.
    """
    own = around(board.set_index("model")["score"], missing)
    answered = (1 - own["unscored"] / own["of"]).fillna(1.0)
    table = own[BOUNDS].reset_index(drop=True)
    return board.assign(coverage=board["coverage"] * answered.to_numpy()).join(table)


def of_winners(
    winners: pd.DataFrame, cells: pd.DataFrame, items: Items | None, composition: TagComposition
) -> pd.DataFrame:
    """Add to the winners of tags what their unscored answers leave open.

    Args:
        winners: As from ``profiles.winners``.
        cells: model, tag, value and low of all that take part.
        items: The questions behind them.
        composition: How tags are made of groups of items.

    Returns:
        It with unscored, of, worst and best of the winner, and turned: the models that lead instead
        if its unscored answers count as wrong, the best first.
    """
    known, rows = cells[cells["value"].notna()], []
    for tag, winner in zip(winners["tag"], winners["winner"], strict=True):
        own = known[known["tag"] == tag].rename(columns={"value": "score"}).set_index("model")
        own = own.loc[ranking.in_order(own["score"]).index]
        missing = around(own["score"], gaps(items, composition, {str(tag): 1.0}))
        rows.append((*missing.loc[winner, BOUNDS], tuple(turned(bounded(own, missing)))))
    return winners.join(pd.DataFrame(rows, columns=[*BOUNDS, "turned"], index=winners.index))


def of_differences(
    rows: pd.DataFrame, cells: pd.DataFrame, other: str, items: Items, composition: TagComposition
) -> pd.DataFrame:
    """Say of differences to one model which unscored answers could turn round.

    Args:
        rows: model, tag, value and verdict, as in ``reference.against``.
        cells: model, tag and value of all.
        other: The model that they are compared with.
        items: The questions.
        composition: How tags are made of groups of items.

    Returns:
        It with same: whether both have a score for exactly the same questions of the tag; and the
        verdict ``COULD_TURN`` where one was clear or probable and unscored answers could turn it.
    """
    same, verdict = np.zeros(len(rows), dtype=bool), rows["verdict"].to_numpy(object).copy()
    for tag in rows["tag"].unique():
        at = np.flatnonzero(rows["tag"] == tag)
        score = cells[cells["tag"] == tag].set_index("model")["value"]
        ends = around(score, gaps(items, composition, {str(tag): 1.0}))
        worst, best = ends["worst"].fillna(score), ends["best"].fillna(score)
        for place, model in zip(at, rows["model"].iloc[at], strict=True):
            same[place] = _same(items, composition.get(str(tag), {}), str(model), other)
            up = rows["value"].iloc[place] > 0
            least = worst[model] - best[other] if up else worst[other] - best[model]
            decided = str(verdict[place]).startswith(("clearly", "probably"))
            if decided and least < -ROUNDING:
                verdict[place] = COULD_TURN
    return rows.assign(same=same, verdict=verdict)


def _same(items: Items, groups: Mapping[Key, float], model: str, other: str) -> bool:
    """Whether two models have a score for exactly the same items of some groups."""
    if not groups or not {model, other} <= set(items.models):
        return False
    has = items.scores[[model, other]].notna().to_numpy()
    return all(
        bool((has[items.places[key], 0] == has[items.places[key], 1]).all()) for key in groups
    )


def bounded(scored: pd.DataFrame, missing: pd.DataFrame) -> pd.DataFrame:
    """Give the frame that ``turned`` and ``passed_over`` read.

    Args:
        scored: Index model, the best first: score and low (of its 95 % interval; NaN is unknown).
        missing: As from ``gaps``; a model without a row has no unscored answers.

    Returns:
        known, worst, low and unscored, by model in the same order.
    """
    own = missing.reindex(scored.index)
    return pd.DataFrame(
        {
            "known": own["known"].fillna(scored["score"]),
            "worst": own["worst"].fillna(scored["score"]),
            "low": scored["low"].astype(float).fillna(scored["score"]),
            "unscored": own["unscored"].fillna(0),
        }
    )


def turned(rows: pd.DataFrame) -> list[str]:
    """Give the models that are ahead of the first once its unscored answers count as wrong.

    Args:
        rows: As from ``bounded``.
    """
    if len(rows) < 2 or not rows["unscored"].iloc[0]:
        return []
    ahead = rows["known"].iloc[1:] > rows["worst"].iloc[0] + ROUNDING
    return [str(model) for model in ahead.index[ahead]]


def passed_over(rows: pd.DataFrame) -> list[str]:
    """Give the models that their silence alone keeps within reach of the lead.

    If all that such a model has no score for were wrong, it would fall clearly behind: below the
    interval of the model that is ahead whatever its own unscored answers are.

    Args:
        rows: As from ``bounded``.
    """
    if rows.empty:
        return []
    sure = int(np.argmax(rows["worst"].to_numpy(float)))
    floor = min(float(rows["low"].iloc[sure]), float(rows["worst"].iloc[sure]))
    silent = rows["unscored"].gt(0) & (rows["worst"] < floor - ROUNDING) & (rows["known"] >= floor)
    return [str(model) for model in silent.index[silent]]
