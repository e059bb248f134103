"""Sentences that only current suites have: cost and terms, what one change buys, what to test."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from evalcore.analysis import unscored
from evalcore.decision import ties
from evalcore.decision.answer import Recommendation, near_best
from evalcore.decision.text.phrases import (
    Names,
    about_money,
    counted,
    listed,
    percent,
    points,
    some,
)

NO_CHANGE = ("available", "ruled_out")
"""Limits whose relaxing helps nobody: the model is gone, or was refused by name."""
MOST_QUESTIONS = 1_000_000


def _fact(answer: Recommendation, model: str) -> Mapping[str, Any]:
    return {str(name): value for name, value in answer.market.loc[model].items()}


def terms(answer: Recommendation) -> str:
    """What the winner costs, on which terms, and for how long it can be had."""
    if answer.winner is None or answer.winner not in answer.market.index:
        return ""
    fact, texts = _fact(answer, answer.winner), []
    cost = fact["usd_per_1000"]
    if not np.isnan(cost):
        span = ""
        if not np.isnan(fact["usd_low"]):
            low, high = about_money(fact["usd_low"]), about_money(fact["usd_high"])
            span = f" (sources disagree: {low} to {high})"
        texts.append(f"It costs {about_money(cost)}{span}.")
    if fact["licence_class"] not in ("permissive", "unknown"):
        texts.append(f"Its licence sets conditions: {fact['condition'].rstrip('.')}.")
    if fact["status"].startswith("deprecated"):
        texts.append(f"It is {fact['status']}.")
    return " ".join(texts)


def within(answer: Recommendation, show: Names) -> str:
    """Why the winner is the cheapest near the best, and whose price is missing there."""
    limit = answer.needs.within
    if limit is None or answer.winner is None:
        return ""
    near = near_best(answer.in_play, limit)
    first = answer.in_play.iloc[0]
    named, reach = show[str(answer.winner)], points(limit)
    unpriced = [show[model] for model in near.loc[near["usd_per_1000"].isna(), "model"]]
    if answer.tie_break == "unpriced":
        return (
            f"You asked for the cheapest within {reach} of the best: the cost of none of the "
            f"{counted(len(near))} there is known, so {named} is chosen as if cost did not count."
        )
    if len(near) == 1:
        return f"{named} is the best, and no other model comes within {reach} of it."
    row = near[near["model"] == answer.winner].iloc[0]
    against = ""
    if answer.winner != first["model"]:
        against = (
            f", {show[first['model']]}; it scores {points(first['score'] - row['score'])} less"
        )
        if not np.isnan(first["usd_per_1000"]):
            against += f" and the best costs {about_money(first['usd_per_1000'])}"
    texts = (
        f"It is the cheapest of the {len(near) - len(unpriced)} with a known cost among "
        f"{counted(len(near))} within {reach} of the best{against}."
    )
    if unpriced:
        whose = "its" if len(unpriced) == 1 else "their"
        texts += f" {some(unpriced)} could be cheaper: {whose} cost is unknown."
    return texts


def changes(answer: Recommendation, show: Names) -> str:
    """The smallest change of one limit of each kind that lets in a better model."""
    rows = answer.relaxations
    if rows.empty:
        return ""
    helpful = rows[~rows["limit"].isin(NO_CHANGE)]
    if len(answer.ranking):
        helpful = helpful[helpful["gain"] > 0]
    # The nearest, not the best: what is asked is how little has to change.
    nearest = helpful.sort_values(["step", "score"], ascending=[True, False], kind="stable")
    parts = []
    for row in nearest.drop_duplicates("limit").head(3).to_dict("records"):
        [finding] = [f for f in answer.findings[row["model"]] if f.relaxation is not None]
        change = finding.change or str(finding.relaxation)
        gain = "" if np.isnan(row["gain"]) else f", {points(row['gain'])} more"
        parts.append(
            f"{change[:1].upper()}{change[1:]} and {show[row['model']]} qualifies: "
            f"{percent(row['score'])}{gain}."
        )
    return " ".join(parts)


def to_test(answer: Recommendation, show: Names) -> str:
    """How many own questions would part the leader from those tied with it."""
    rows = answer.tests.dropna(subset=["paired"]) if len(answer.tests) else answer.tests
    if rows.empty:
        return ""
    leader, easy, hard = show[answer.tied_best[0]], rows.iloc[0], rows.iloc[-1]
    texts = (
        f"To be surer: about {_many(easy['paired'])} questions of your own, put to both, would "
        f"part {leader} from {show[easy['model']]} in four of five such tests, if the gap seen "
        f"({points(easy['gap'])}) is the true one and {_spread(easy['seen'])}; with other "
        f"questions for each, {_many(easy['unpaired'])}."
    )
    if len(rows) > 1:
        texts += f" For {show[hard['model']]}, the hardest to part, {_many(hard['paired'])}"
        alike = np.isnan(hard["seen"]) == np.isnan(easy["seen"])
        texts += "." if alike else f", if {_spread(hard['seen'])}."
    return texts


def _spread(seen: float) -> str:
    """What is taken for how far two models differ from question to question."""
    if np.isnan(seen):
        return f"what they get right correlates by {ties.CORRELATION:g} (assumed)"
    return f"they differ as on the {seen:,.0f} here"


def gaps(answer: Recommendation, show: Names) -> str:
    """Which missing result would place most of those that could still be best."""
    if answer.gaps.empty:
        return ""
    row = answer.gaps.iloc[0]
    who = [show[model] for model in row["completes"]]
    if not who:
        return ""
    return (
        f"A result on {row['what']} would place {some(who, 4)}, which "
        f"{'lacks' if len(who) == 1 else 'lack'} nothing else and could still be best."
    )


def not_ranked(answer: Recommendation, show: Names) -> str:
    """Who meets the limits but lacks a part of the mix; first those that could be best."""
    rows = answer.incomplete
    if rows.empty:
        return ""
    best = answer.ranking["score"].iloc[0] if len(answer.ranking) else -np.inf
    partly = rows[(rows["low"] > 0) & (rows["high"] > best)]
    partly = partly.sort_values(["low", "model"], ascending=[False, True], kind="stable")
    parts = [
        f"{show[row['model']]} (between {percent(row['low'])} and {percent(row['high'])}, for "
        f"want of {some(row['lacks'], 3)})"
        for row in partly.head(4).to_dict("records")
    ]
    texts = f"Not ranked, for want of a result on a part of the mix: {counted(len(rows))}"
    if not parts:
        return f"{texts}."
    return f"{texts}; with a part of it, and perhaps better than the best, are {some(parts, 4)}."


def _many(count: float) -> str:
    return "more than a million" if count > MOST_QUESTIONS else f"{count:,.0f}"


CRITERIA = {"params_b": "size", "usd_per_1000": "cost"}
"""Column of the ranking → what it is called in ``Recommendation.pareto``."""


AXES = {"usd_per_1000": "USD per 1,000 questions", "params_b": "Size, billion parameters"}
"""Column of the ranking → title of the axis that the score is drawn against."""


def drawable(rec: Recommendation) -> list[str]:
    """The columns of ``AXES`` that a figure can show: known of a ranked model, and above 0."""
    return [column for column in AXES if (rec.ranking[column] > 0).any()]


def across(rec: Recommendation) -> str:
    """The column to draw the score against unasked; "" where neither is known.

    It is the one that was asked about, else that which is known of more models.
    """
    there = drawable(rec)
    if len(there) < 2:
        return "".join(there)
    asked = rec.needs.max_usd_per_1000, rec.needs.within, rec.needs.usd_per_1000 or None
    counts = rec.ranking[list(AXES)].notna().sum()
    cost = any(limit is not None for limit in asked) or counts["usd_per_1000"] >= counts["params_b"]
    return "usd_per_1000" if cost else "params_b"


def criteria_known(rec: Recommendation) -> list[str]:
    """The columns of ``CRITERIA`` that are known of at least one ranked model."""
    return [column for column in CRITERIA if rec.ranking[column].notna().any()]


def sentences(rec: Recommendation, named: Mapping[str, str]) -> tuple[str, ...]:
    """Say who is on the front, who is dominated or possibly so, and who cannot be compared.

    Args:
        rec: the answer.
        named: model id to the name to show.

    Returns:
        Sentences in reading order; none where fewer than two models are ranked or neither size
        nor cost is known of any.
    """
    show, used = Names(named), criteria_known(rec)
    if len(rec.ranking) < 2 or not used:
        return ()
    status = rec.pareto.set_index("model")["status"]
    by = dict(zip(rec.pareto["model"], rec.pareto["by"], strict=True))
    front = [show[model] for model in status.index[status.eq("front")]]
    words = listed(["score", *(CRITERIA[column] for column in used)])
    absent = [word for column, word in CRITERIA.items() if column not in used]
    texts = [f"The {absent[0]} of none of them is known, so it does not count."] if absent else []
    if front:
        texts.insert(
            0,
            f"On the front over {words} together, where no other is at least as good for no more: "
            f"{some(front)}.",
        )
    clear = _beaten(status, by, show, "dominated")
    if clear:
        least = listed([_less(column) for column in used])
        texts.append(f"Dominated, by one that is {least} and clearly better: {some(clear)}.")
    perhaps = _beaten(status, by, show, "possibly dominated")
    if perhaps:
        texts.append(
            "Possibly dominated, for the interval of the difference covers 0 or is unknown: "
            f"{some(perhaps)}."
        )
    gaps = [
        f"{show[str(model)]} ({word.removeprefix('unknown ')})"
        for model, word in status[status.str.startswith("unknown")].items()
    ]
    if gaps:
        texts.append(
            f"Not compared, for something of them is unknown: {some(gaps)}. Whatever is unknown "
            "dominates nobody and is dominated by nobody."
        )
    return tuple(texts)


def _beaten(status: pd.Series, by: Mapping[str, str | None], show: Names, word: str) -> list[str]:
    models = [str(model) for model in status.index[status.eq(word)]]
    return [f"{show[model]} (by {show[str(by[model])]})" for model in models]


def _less(column: str) -> str:
    return "no larger" if column == "params_b" else "no dearer"


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
