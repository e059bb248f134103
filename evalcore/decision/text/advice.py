"""Sentences that only current suites have: cost and terms, what one change buys, what to test."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from evalcore.decision import ties
from evalcore.decision.answer import Recommendation
from evalcore.decision.exclusions import near_best
from evalcore.decision.text.phrases import Names, about_money, counted, percent, points, some

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
