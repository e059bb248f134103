"""The sentences of a recommendation, in plain words, with one decimal at most and no markup."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from evalcore.analysis.weighted import Weighted
from evalcore.decision import ties
from evalcore.decision.answer import Recommendation
from evalcore.decision.facts import Finding
from evalcore.decision.limits import Split, in_words
from evalcore.decision.needs import LIMITS
from evalcore.decision.text import advice
from evalcore.decision.text.phrases import (
    OVERALL,
    Names,
    counted,
    listed,
    money,
    of_100,
    percent,
    percent_text,
    points,
    some,
)

SHOWN = sorted(LIMITS, key=lambda limit: limit.order)
MISSED = {limit.name: limit.missed for limit in SHOWN if limit.missed}
UNKNOWN = {limit.name: limit.unknown for limit in SHOWN if limit.unknown}


def names(models: pd.DataFrame) -> Names:
    """Return model id to the name to show, on one line."""
    pairs = zip(models["model"], models["name"], strict=True)
    return Names({str(model): " ".join(str(name).split()) for model, name in pairs})


def sentences(
    answer: Recommendation,
    split: Split,
    overall: pd.DataFrame,
    named: Mapping[str, str],
    shared: Weighted | None = None,
) -> tuple[str, ...]:
    """Return the answer as sentences in reading order.

    Args:
        answer: everything but its words.
        split: the models as the limits sorted them.
        overall: indexed by model: score, se (NaN unknown), of all models of the suite.
        named: model id to the name to show; an id without one is shown itself.
        shared: the models that are compared question by question.
    """
    show = Names(named)
    if answer.winner is None:
        head = _no_winner(answer, split, len(overall), show)
    else:
        head = [
            _use(answer, len(overall), show),
            advice.terms(answer),
            advice.within(answer, show),
            _beats(answer, overall, show, shared),
            advice.passed_over(answer, show),
            _firm(answer, show),
            _flip(answer, show),
            _give_up(answer, overall, show, shared),
            _if_known(answer, show),
        ]
    current = len(answer.market) > 0
    # Where answers are known, how many more would do is no guess.
    testable = current or (len(answer.tests) > 0 and answer.tests["seen"].notna().any())
    tail = [
        *([advice.changes(answer, show)] if current else []),
        *([advice.to_test(answer, show)] if testable else []),
        *([advice.gaps(answer, show)] if current else []),
        _not_considered(answer, split, len(overall)),
        _unknown(answer, split, show),
        advice.not_ranked(answer, show) if current else _gaps(answer, show),
    ]
    return tuple(sentence for sentence in [*head, *tail] if sentence)


def _row(answer: Recommendation, model: str) -> dict[str, Any]:
    """Return the model's row of the ranking."""
    rows = answer.ranking[answer.ranking["model"] == model]
    return {str(name): rows[name].iloc[0] for name in rows.columns}


def _use(answer: Recommendation, count: int, show: Names) -> str:
    row = _row(answer, str(answer.winner))
    admitted = len(answer.ranking) + len(answer.incomplete)
    wanted = in_words(answer.needs, show)
    meet = f"No limits are set: {len(answer.ranking)} of {count} models have the whole mix."
    if wanted:
        meet = f"{admitted} of {count} models meet your limits ({', '.join(wanted)})."
    return (
        f"Use {show[str(answer.winner)]}. {meet} On {_mix(answer)} it scores "
        f"{percent(row['score'])}{_interval(answer, row)}.{advice.of_winner(answer)}"
    )


def _mix(answer: Recommendation) -> str:
    if len(answer.mix) == 1:
        tag = answer.mix[0][0]
        return "the total that its source prints" if tag == OVERALL else tag
    return f"your mix of {len(answer.mix)} tags"


def _interval(answer: Recommendation, row: Mapping[str, Any]) -> str:
    if np.isnan(row["low"]):
        return " (no interval: the number of questions is not known for all of it)"
    overlap = len(answer.mix) > 1 and answer.design_effect > 1
    overlap &= row["model"] not in answer.by_item
    what = "tagged questions" if overlap else "questions"
    behind = "" if np.isnan(row["n"]) else f", from {row['n']:,.0f} {what}"
    return f" (95 %: {100 * row['low']:.1f}–{percent(row['high'])}{behind})"


def _beats(
    answer: Recommendation, overall: pd.DataFrame, show: Names, shared: Weighted | None
) -> str:
    if len(answer.ranking) < 2:
        return "No other model with results on the whole mix meets the limits."
    tied = [model for model in answer.tied_best if model not in answer.passed_over]
    if len(tied) > 1:
        return _tied(answer, tied, show)
    rows = answer.in_play
    if len(rows) < 2:
        return ""
    first, second = rows["model"].iloc[0], rows["model"].iloc[1]
    gap = overall["score"][first] - overall["score"][second]
    p_best = np.nan if answer.passed_over else float(rows["p_best"].iloc[0])
    error = ties.error(overall, shared, first, second)
    # Where the cheapest was asked for, the winner need not be the best.
    who = "It" if first == answer.winner else f"{show[first]}, the best by score,"
    if np.isnan(error):
        return (
            f"{who} is {points(gap)} ahead of the next, {show[second]}; whether they are tied "
            "cannot be judged, for the error of their scores is unknown."
        )
    ending = ""
    if not np.isnan(p_best):
        count = len(answer.ranking)
        ending = f"; chance that it is really the best of the {count}: {percent_text(p_best)}"
    word, there = _firmness(gap, error), ""
    if turned := advice.turned(answer, str(first), show):
        shared_by = {first, second} <= set(answer.by_item)
        where = "the questions that all have a score for" if shared_by else "what has a score"
        there = f" on {where}; {turned}"
        word = word.removeprefix("clearly ")
    return f"{who} beats the next, {show[second]}, by {points(gap)} ({word}{there}){ending}."


def _firmness(gap: float, error: float) -> str:
    """Return the fixed word for a difference and its standard error."""
    if gap > ndtri(0.975) * error:
        return "clearly better"
    return "probably better" if error and ndtr(gap / error) >= 0.8 else "tied"


def _tied(answer: Recommendation, models: Sequence[str], show: Names) -> str:
    who = [show[model] for model in models]
    tied = some(who) if len(answer.market) else listed(who)
    if answer.needs.within is not None:
        return f"{tied} are tied for the best: the data cannot tell them apart."
    winner = show[str(answer.winner)]
    return f"{tied} are tied: the data cannot tell them apart. Of these {winner} {_reason(answer)}."


def _reason(answer: Recommendation) -> str:
    """Return why the winner was chosen among the tied."""
    if answer.tie_break not in ("cost", "size"):
        return "has the highest score"
    row = _row(answer, str(answer.winner))
    column, what = ("usd_per_1000", "price") if answer.tie_break == "cost" else ("params_b", "size")
    tied = answer.in_play["model"].isin(answer.tied_best)
    known = int(answer.in_play.loc[tied, column].notna().sum())
    if known == 1:
        return f"is the only one whose {what} is known"
    figure = "costs least" if len(answer.market) else f"costs least ({money(row[column])})"
    if answer.tie_break == "size":
        figure = f"is the smallest ({row[column]:.1f} B parameters)"
    return figure if known == tied.sum() else f"{figure} of the {known} whose {what} is known"


def _firm(answer: Recommendation, show: Names) -> str:
    if len(answer.mix) < 2 or len(answer.ranking) < 2:
        return ""
    row = _row(answer, str(answer.winner))
    return (
        f"How firm is this? By score {show[str(answer.winner)]} is first in "
        f"{of_100(row['share_first_near'])} weightings near yours, and in "
        f"{of_100(row['share_first'])} among all possible ones."
    )


def _flip(answer: Recommendation, show: Names) -> str:
    if len(answer.mix) < 2 or len(answer.ranking) < 2:
        return ""
    row = answer.flips.iloc[0]
    if row["new_winner"] is None:
        return "No change of a single weight puts another model first."
    side = "more" if row["weight"] > row["now"] else "less"
    leader = answer.tied_best[0]
    ahead = "" if leader == answer.winner else f"{show[leader]} is ahead; "
    return (
        f"By score {ahead}{show[str(row['new_winner'])]} becomes first only if one weight "
        f"moves enough: the nearest is {row['tag']} at {side} than {percent(row['weight'])} "
        f"of your use (now {percent(row['now'])})."
    )


def _give_up(
    answer: Recommendation, overall: pd.DataFrame, show: Names, shared: Weighted | None
) -> str:
    best = answer.reference
    if best is None or not in_words(answer.needs, show):
        return ""
    if best.model == answer.winner:
        return "What do you give up? Nothing: it is also the best on this mix without limits."
    error = ties.error(overall, shared, best.model, str(answer.winner))
    tied = " (tied)" if _firmness(best.gap, error) == "tied" and error == error else ""
    most = [f"{points(gap)} on {tag}" for tag, gap in best.by_tag if gap > 0][:3]
    by_tag = f"; most on single tags: {listed(most)}" if len(answer.mix) > 1 and most else ""
    return (
        f"What do you give up? {points(best.gap)} against {show[best.model]}{tied}, the best "
        f"without limits{by_tag}."
    )


def _no_winner(answer: Recommendation, split: Split, count: int, show: Names) -> list[str]:
    wanted = ", ".join(in_words(answer.needs, show))
    if len(answer.incomplete):
        head = "No model that meets your limits has a result on every weighted tag."
    else:
        head = f"No model of {count} is known to meet your limits ({wanted})."
    return [head, _relaxing(answer, split, show), _if_known(answer, show)]


def _missed(answer: Recommendation) -> dict[str, str]:
    return {**MISSED, "weights": "open weights"} if answer.needs.api_only else MISSED


def _relaxing(answer: Recommendation, split: Split, show: Names) -> str:
    single: dict[str, list[tuple[str, Finding]]] = {}
    for model, misses in split.missed.items():
        if len(misses) == 1 and model not in split.unsure:
            single.setdefault(misses[0].limit, []).append((model, misses[0]))
    if not single:
        return ""
    limit, let_in = max(single.items(), key=lambda item: len(item[1]))
    who = [show[model] for model, _ in let_in]
    return (
        f"Relaxing one limit would help most here: {counted(len(who))} "
        f"{'misses' if len(who) == 1 else 'miss'} nothing else than this one "
        f"({_missed(answer)[limit]}): {some(who)}."
    )


def _if_known(answer: Recommendation, show: Names) -> str:
    best = answer.cannot_tell.dropna(subset=["score"])
    if best.empty:
        return ""
    row = best.sort_values(["score", "model"], ascending=[False, True]).iloc[0]
    if len(answer.ranking) and row["score"] <= answer.ranking["score"].iloc[0]:
        return ""
    return (
        f"If its unknown values meet the limits, {show[row['model']]} "
        f"has the highest score: {percent(row['score'])}."
    )


def _not_considered(answer: Recommendation, split: Split, count: int) -> str:
    if not split.missed:
        return ""
    missed = _missed(answer)
    counts = Counter(
        limit for misses in split.missed.values() for limit in {miss.limit for miss in misses}
    )
    parts = [f"{text}: {counts[limit]}" for limit, text in missed.items() if counts[limit]]
    return f"Not considered: {len(split.missed)} of {count} models ({', '.join(parts)})."


def _unknown(answer: Recommendation, split: Split, show: Names) -> str:
    if not split.unknown:
        return ""
    api = answer.needs.api_only and len(answer.market)
    about = {**UNKNOWN, "weights": "whether an API offers it"} if api else UNKNOWN
    head = f"Cannot tell for {counted(len(split.unknown))}"
    kinds = {
        text: [
            show[model]
            for model, gaps in split.unknown.items()
            if any(about.get(gap.limit) == text for gap in gaps)
        ]
        for text in dict.fromkeys(about.values())
    }
    kinds = {text: who for text, who in kinds.items() if who}
    if len(kinds) == 1:
        [(text, who)] = kinds.items()
        return f"{head}: {text} is unknown ({some(who)})."
    # Each unknown with those whom it concerns: an API offers every closed model.
    parts = [f"{text} ({len(who)}: {some(who, 6)})" for text, who in kinds.items()]
    return f"{head}, for something is unknown: {'; '.join(parts)}."


def _gaps(answer: Recommendation, show: Names) -> str:
    if answer.incomplete.empty:
        return ""
    parts = [
        f"{show[row['model']]} (no result on {some(row['missing'])}; its overall lies between "
        f"{percent(row['low'])} and {percent(row['high'])})"
        for row in answer.incomplete.to_dict("records")
    ]
    return f"Not ranked, for want of a result on a weighted tag: {some(parts)}."
