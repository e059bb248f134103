"""What answers without a score leave open of a recommendation, in words.

A refused, failed, cut off or unread answer has no score. It never counts as wrong in a score, and
never wins anything either: counts and bounds stand with the score, and a lead that they could turn
is said to be one.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from evalcore.analysis import unscored
from evalcore.decision.answer import Recommendation
from evalcore.decision.text.phrases import Names, percent, some

MOST_NAMED = 3
"""Models that are passed over and told of one by one; the basis names them all."""


def bounds(answer: Recommendation) -> pd.DataFrame:
    """Return what unscored questions leave open of each ranked model, the best first.

    Returns:
        Index model: unscored, of, known, worst, best; where single answers are not known nothing is
        taken to be missing, and all three are the score.
    """
    score = answer.ranking.set_index("model")["score"]
    table = answer.unscored.reindex(columns=["model", *unscored.COLUMNS]).set_index("model")
    rows = table.astype(float).reindex(score.index)
    rows["unscored"] = rows["unscored"].fillna(0)
    for name in ("known", "worst", "best"):
        rows[name] = rows[name].fillna(score)
    return rows


def by_model(answer: Recommendation) -> dict[str, dict[str, float]]:
    """Return ``bounds`` as figures by model, the best first."""
    rows = bounds(answer)
    figures = {str(name): rows[name].astype(float).tolist() for name in rows.columns}
    return {
        str(model): {name: column[place] for name, column in figures.items()}
        for place, model in enumerate(rows.index)
    }


def ranking(answer: Recommendation) -> pd.DataFrame:
    """Return the ranking, with unscored, of, worst and best where a ranked model lacks a score."""
    rows = bounds(answer)
    if not rows["unscored"].any():
        return answer.ranking
    table = rows[unscored.BOUNDS].reset_index(drop=True)
    return answer.ranking.reset_index(drop=True).join(table)


def answered(row: Mapping[str, float]) -> str:
    """Return how much of what it was asked a model has a score for: "14 of 60 questions".

    Args:
        row: unscored and of, as in ``bounds``.
    """
    return f"{row['of'] - row['unscored']:,.0f} of {row['of']:,.0f} questions"


def of_winner(answer: Recommendation) -> str:
    """Return how much of what it was asked the winner has a score for; "" where that is all."""
    own = by_model(answer)[str(answer.winner)]
    if not own["unscored"]:
        return ""
    return (
        f" It has a score for {answered(own)}: with the other {own['unscored']:,.0f} wrong "
        f"it scores {percent(own['worst'])}, with all of them right {percent(own['best'])}."
    )


def passed_over(answer: Recommendation, show: Names) -> str:
    """Return who is not chosen although it scores about as much, for want of answers; or ""."""
    rows, texts = by_model(answer), []
    goal = rows[answer.winner]["known"] if answer.winner else np.nan
    for model in answer.passed_over:
        own = rows[model]
        # Within some points of the best the winner may score less than what is sure of another.
        share = (goal - own["worst"]) / (own["best"] - own["worst"])
        only = f"; it would lead only with {100 * share:.0f} % of those right" * bool(share > 0)
        texts.append(
            f"{show[model]} is not chosen: it scores {percent(own['known'])} on the "
            f"{answered(own)} that have a score, and with the other {own['unscored']:,.0f} wrong "
            f"{percent(own['worst'])}{only}."
        )
    return " ".join(texts[:MOST_NAMED])


def turned(answer: Recommendation, leader: str, show: Names) -> str:
    """Return who leads with questions without a score counted, half a sentence; "" if nobody could.

    Args:
        answer: the ranking and what its unscored questions leave open.
        leader: the first model of those in play.
        show: model id to the name to show.
    """
    rows = bounds(answer)
    rows = rows[rows.index.isin(answer.in_play["model"])]
    own, others = rows.loc[leader], rows.drop(leader)
    if others.empty or not rows["unscored"].any() or others["best"].max() <= own["worst"]:
        return ""
    if own["unscored"] and others["worst"].max() > own["worst"]:
        first = show[str(others["worst"].idxmax())]
        return f"with its {own['unscored']:,.0f} unscored ones counted as wrong, {first} would lead"
    gaps = own["unscored"] + others["unscored"]
    could = others["best"].where(gaps > 0)
    if could.isna().all() or could.max() <= own["worst"]:
        return ""
    return f"counting those without a score, {show[str(could.idxmax())]} could lead"


def sentence(answer: Recommendation, show: Names) -> str:
    """Return what questions that a ranked model has no score for leave open; "" where none is."""
    rows = by_model(answer)
    gaps = {model: row for model, row in rows.items() if row["unscored"]}
    if not gaps:
        return ""
    parts = [
        f"{show[model]} {row['unscored']:,.0f} of {row['of']:,.0f} ({percent(row['worst'])} to "
        f"{percent(row['best'])})"
        for model, row in gaps.items()
    ]
    first, *others = rows.values()
    turns = any(row["best"] > first["worst"] for row in others)
    could = " Counted so, another could lead." if turns else ""
    return (
        "Some questions have no score (refused, failed, cut off or not read) and count neither as "
        f"wrong nor as right: {some(parts)}; in brackets the model's score with its own counted as "
        f"wrong and as right.{could}"
    )
