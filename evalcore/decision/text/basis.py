"""What the intervals, ties and chances of an answer come from, in words."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from evalcore.analysis.by_items import Items, TagComposition
from evalcore.analysis.weighted import Weighted
from evalcore.cost.selfhost import OVERHEAD
from evalcore.decision.answer import Recommendation
from evalcore.decision.needs import ASSUMED, EVERY, Needs
from evalcore.decision.text import advice
from evalcore.decision.text.phrases import OVERALL, Names, counted, listed, percent, some

WHAT = "Intervals, ties and the chance of being the best come"
ALONE = "The interval comes"
PAIRED = "compared question by question (paired)"
POOLED = 4
"""With so many models ``multiple.standings`` draws scores together before it counts who leads."""


def sentence(
    answer: Recommendation, shared: Weighted | None, cells: pd.DataFrame, show: Names
) -> str:
    """Return what the ranking's errors come from: single questions, totals, or some of each.

    Args:
        answer: the ranking and which models are compared question by question.
        shared: these models.
        cells: model and kind of the usable results.
        show: model id to the name to show.
    """
    ranked = [str(model) for model in answer.ranking["model"]]
    ours, others = _parted(ranked, answer.by_item)
    if not ranked:
        return ""
    totals = "published totals" if _published(cells, others) else "totals"
    what = WHAT if len(ranked) > 1 else ALONE
    if not ours or shared is None:
        if answer.ranking["low"].isna().all():
            return f"There are {totals} only, without the number of questions: no intervals."
        return f"{what} from {totals}: approximate."
    number = f"{shared.n:,} question" + "s" * (shared.n != 1)
    paired = f", {PAIRED}" if len(ours) > 1 else ""
    if not others:
        return f"{what} from {number} answered by {_all(len(ours))}{paired}."
    who = [show[model] for model in ours]
    by = "all of them" if len(ours) > 1 else "it"
    rest = some([show[model] for model in others], 4)
    return (
        f"{what} for {some(who)} from {number} answered by {by}{paired}; for {rest} from {totals}: "
        "approximate."
    )


def elsewhere(
    answer: Recommendation,
    own: pd.Series,
    items: Items | None,
    composition: TagComposition,
    show: Names,
) -> str:
    """Return where the leaderboard, by each model's own questions, shows another score; else "".

    It goes on from `sentence`.

    Args:
        answer: the ranking and which models are compared question by question.
        own: the same mean by model, a fraction, over all questions that each has a score for.
        items: the questions.
        composition: how the tags are made of the items.
        show: model id to the name to show.
    """
    rows = answer.ranking[answer.ranking["model"].isin(answer.by_item)]
    there = {str(model): percent(float(own[model])) for model in rows["model"]}
    other = rows[rows["score"].map(percent) != rows["model"].map(there)]
    if items is None or other.empty:
        return ""
    keys = [key for tag, _ in answer.mix for key in composition[tag] if key in items.places]
    places = np.unique(np.concatenate([items.places[key] for key in keys]))
    number = items.scores.iloc[places].notna().sum()
    texts = [
        f"{show[row['model']]} {there[row['model']]} there (n {number[row['model']]:,}), "
        f"{percent(row['score'])} here (n {row['n']:,.0f})"
        for row in other.to_dict("records")
    ]
    return (
        " Overview's leaderboard scores each model on all its own questions, this ranking on those "
        f"that all have: {some(texts, 4)}."
    )


def more(
    answer: Recommendation, shared: Weighted | None, cells: pd.DataFrame, show: Names
) -> list[str]:
    """Return what else is to be said of it: how it was drawn, who was left out, what has no score.

    Args:
        answer: the ranking and which models are compared question by question.
        shared: these models.
        cells: model, tag and n of the usable results.
        show: model id to the name to show.
    """
    ours, others = _parted([str(model) for model in answer.ranking["model"]], answer.by_item)
    texts = []
    if shared is not None and ours:
        texts = [_drawn(answer, shared, len(ours)), *_chance(answer, len(ours) + len(others))]
        texts += [_judged(shared, ours, show)]
    elif answer.ranking["low"].notna().any():
        texts = [
            "These intervals take the score and the number of questions, with independent errors. "
            f"{_alike(cells, answer)}"
        ]
        if answer.ranking["p_best"].notna().any():
            texts.append(
                "The chance of being the best is the share of 10,000 simulated draws with a fixed "
                "seed."
            )
    if shared is not None:
        texts += _left(shared, others, show)
    texts.append(advice.sentence(answer, show))
    return [sentence for sentence in texts if sentence]


def _alike(cells: pd.DataFrame, answer: Recommendation) -> str:
    """What comparing answers would give; that all answered the same is said only if n agrees."""
    ours = cells["model"].isin(answer.ranking["model"])
    on_mix = cells[ours & cells["tag"].isin([tag for tag, _ in answer.mix])]
    numbers = on_mix.groupby("tag")["n"].nunique(dropna=False)
    if len(numbers) and numbers.eq(1).all():
        return (
            "All models answered the same number of questions on each tag; if they are the same "
            "ones, comparing answer by answer would narrow the differences."
        )
    return (
        "The models did not all answer the same number of questions, so these differences are also "
        "between questions."
    )


def _parted(ranked: Sequence[str], by_item: Sequence[str]) -> tuple[list[str], list[str]]:
    inside = set(by_item)
    ours = [model for model in ranked if model in inside]
    return ours, [model for model in ranked if model not in inside]


def _published(cells: pd.DataFrame, models: Sequence[str]) -> bool:
    return bool(cells.loc[cells["model"].isin(list(models)), "kind"].eq("published").any())


def _all(count: int) -> str:
    return {1: "it", 2: "both models"}.get(count, f"all {count} models")


def _drawn(answer: Recommendation, shared: Weighted, count: int) -> str:
    what = "The questions"
    if shared.clusters < shared.n:
        what = (
            f"The {shared.n:,} questions are about {shared.clusters:,} pictures or sources, which "
            "count as one piece of evidence each: these"
        )
    same = ", the same draws for all models" if count > 1 else ""
    tags = "; a question with several tags counts in each of them" * (len(answer.mix) > 1)
    return f"{what} are drawn anew {len(shared.score.draws):,} times with a fixed seed{same}{tags}."


def _chance(answer: Recommendation, count: int) -> list[str]:
    if count < 2 or answer.ranking["p_best"].isna().all():
        return []
    together = ""
    if count >= POOLED:
        together = ", once scores are drawn together as far as chance explains their spread"
    return [f"The chance of being the best is the share of draws that a model leads{together}."]


def _judged(shared: Weighted, ours: Sequence[str], show: Names) -> str:
    """Whose errors hold what a judge adds that was asked several times."""
    judged = [show[model] for model in ours if model in shared.judged]
    if not judged:
        return ""
    return (
        f"The answers of {some(judged)} were judged more than once: the spread over judge runs is "
        "in intervals, ties and chances as well, each model's by itself."
    )


def _left(shared: Weighted, others: Sequence[str], show: Names) -> list[str]:
    """Why models with single answers are not compared on them."""
    reasons: dict[str, list[str]] = {}
    for model in others:
        if model in shared.left:
            reasons.setdefault(shared.left[model], []).append(show[model])
    return [
        f"Not compared question by question: {some(who)} ({why})." for why, who in reasons.items()
    ]


def assumptions(
    answer: Recommendation,
    cells: pd.DataFrame,
    dropped: Sequence[str],
    suite_note: str,
    basis: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the assumptions of an answer.

    Args:
        answer: everything but its words.
        cells: as given to `recommend`, suspect results included.
        dropped: tags left out for having too few items.
        suite_note: a sentence of the suite's own, or "".
        basis: what there is to say of the answer's basis beside the sentence itself.
    """
    texts = [
        _mix(answer),
        _dropped(answer.needs, dropped),
        answer.basis,
        *basis,
        *_errors(answer),
        *_kinds(answer, cells),
        *_stated(answer.needs),
        *(_market(answer) if len(answer.market) else []),
        suite_note,
    ]
    return tuple(sentence for sentence in texts if sentence)


def _mix(answer: Recommendation) -> str:
    shares = [share for _, share in answer.mix]
    if len(shares) == 1 and answer.mix[0][0] == OVERALL:
        return (
            "The score is the total over all questions that the source prints; give weights to "
            "rank by tags."
        )
    if len(shares) == 1:
        return f"Only {answer.mix[0][0]} counts."
    if max(shares) - min(shares) < 1e-9:
        return f"The score is the plain mean of {len(shares)} tags: each counts equally."
    parts = listed([f"{tag} {percent(share)}" for tag, share in answer.mix])
    how = ", each weight times the tag's number of questions" * (answer.needs.aggregate == "micro")
    return f"The score is a weighted mean{how}: {parts}."


def _dropped(needs: Needs, dropped: Sequence[str]) -> str:
    if not dropped:
        return ""
    have = "has" if len(dropped) == 1 else "have"
    return (
        f"Left out of the mix: {listed(list(dropped))} {have} fewer than {needs.min_n} questions."
    )


def _errors(answer: Recommendation) -> list[str]:
    texts = []
    unknown = answer.ranking["rank_low"].isna()
    if unknown.any():
        texts.append(
            f"For {'all' if unknown.all() else 'some'} models the number of questions is not known "
            "for every part of the score: without it there is no interval, and ties and the "
            "chance of being the best cannot be judged."
        )
    totals = ~answer.ranking["model"].isin(answer.by_item)
    if len(answer.mix) > 1 and answer.design_effect != 1 and totals.any():
        texts.append(
            f"One question can carry several tags; variances are multiplied by "
            f"{answer.design_effect:.1f} (the design effect) for that."
        )
    return texts


def _kinds(answer: Recommendation, cells: pd.DataFrame) -> list[str]:
    texts = []
    suspect = int(cells["suspect"].astype(bool).sum())
    if suspect and answer.needs.include_suspect:
        texts.append(f"{counted(suspect, 'result')} marked as suspect took part, as you asked.")
    elif suspect:
        texts.append(f"{counted(suspect, 'result')} marked as suspect did not take part.")
    uploaded = int(answer.ranking["uploaded"].sum())
    if uploaded:
        texts.append(f"{counted(uploaded)} of the ranking came from an upload.")
    return texts


def _stated(needs: Needs) -> list[str]:
    texts = []
    if needs.include_unknown:
        texts.append("Unknown values were let pass the limits, as you asked.")
    if needs.max_memory_gb is not None and needs.workload is None:
        texts.append(
            "Memory is an estimate: the weights at the precision plus "
            f"{100 * OVERHEAD:.0f} % for activations and cache."
        )
    if needs.max_params_b is not None:
        texts.append("Sizes are real totals of parameters, not the figure in a name.")
    if needs.usd_per_1000 or needs.seconds:
        texts.append("Prices and times are those that you stated.")
    if needs.gpu_usd_per_hour is not None and needs.questions_per_hour:
        every = " (the same pace for every one)" * (EVERY in dict(needs.questions_per_hour))
        texts.append(
            "The cost of running an open model is your price of a machine hour over your "
            f"questions an hour{every}."
        )
    return texts


def _market(answer: Recommendation) -> list[str]:
    """What cost, memory and availability rest on, where offers were looked up."""
    needs, texts = answer.needs, []
    if needs.workload == ASSUMED:
        texts.append(
            f"Nothing was said of your questions: each is taken to have one picture of "
            f"{ASSUMED.width} x {ASSUMED.height} pixels and {ASSUMED.prompt_tokens:g} tokens of "
            "text, and an answer as long as was measured for the same model and mode; where none "
            "was measured the cost is unknown."
        )
    priced = int(answer.market["usd_per_1000"].notna().sum())
    texts.append(
        f"A cost is known for {priced} of {counted(len(answer.market))}: prices, tokens of a "
        "picture and length of an answer each from a source. A mode that thinks is priced with "
        "its own answers."
    )
    if needs.max_memory_gb is not None or needs.gpu:
        texts.append(
            f"Memory is an estimate: the weights, {100 * OVERHEAD:.0f} % more for work "
            "space, and the cache of one question where the model's shape is known."
        )
    if needs.available_today:
        texts.append(
            "What can be had today is as the makers' pages had it when they were last read; open "
            "weights count as available."
        )
    return texts
