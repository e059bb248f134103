"""What a recommendation rests on, one plain sentence each."""

from collections.abc import Sequence

import pandas as pd

from evalcore.decision.answer import Recommendation
from evalcore.decision.facts import OVERHEAD
from evalcore.decision.needs import ASSUMED, EVERY, Needs
from evalcore.decision.phrases import OVERALL, counted, listed, percent


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
    said = [
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
    return tuple(sentence for sentence in said if sentence)


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
    said = []
    unknown = answer.ranking["rank_low"].isna()
    if unknown.any():
        said.append(
            f"For {'all' if unknown.all() else 'some'} models the number of questions is not known "
            "for every part of the score: without it there is no interval, and ties and the "
            "chance of being the best cannot be judged."
        )
    totals = ~answer.ranking["model"].isin(answer.by_item)
    if len(answer.mix) > 1 and answer.design_effect != 1 and totals.any():
        said.append(
            f"One question can carry several tags; variances are multiplied by "
            f"{answer.design_effect:.1f} (the design effect) for that."
        )
    return said


def _kinds(answer: Recommendation, cells: pd.DataFrame) -> list[str]:
    said = []
    suspect = int(cells["suspect"].astype(bool).sum())
    if suspect and answer.needs.include_suspect:
        said.append(f"{counted(suspect, 'result')} marked as suspect took part, as you asked.")
    elif suspect:
        said.append(f"{counted(suspect, 'result')} marked as suspect did not take part.")
    uploaded = int(answer.ranking["uploaded"].sum())
    if uploaded:
        said.append(f"{counted(uploaded)} of the ranking came from an upload.")
    return said


def _stated(needs: Needs) -> list[str]:
    said = []
    if needs.include_unknown:
        said.append("Unknown values were let pass the limits, as you asked.")
    if needs.max_memory_gb is not None and needs.workload is None:
        said.append(
            "Memory is an estimate: the weights at the precision plus "
            f"{100 * (OVERHEAD - 1):.0f} % for activations and cache."
        )
    if needs.max_params_b is not None:
        said.append("Sizes are real totals of parameters, not the figure in a name.")
    if needs.usd_per_1000 or needs.seconds:
        said.append("Prices and times are those that you stated.")
    if needs.gpu_usd_per_hour is not None and needs.questions_per_hour:
        every = " (the same pace for every one)" * (EVERY in dict(needs.questions_per_hour))
        said.append(
            "The cost of running an open model is your price of a machine hour over your "
            f"questions an hour{every}."
        )
    return said


def _market(answer: Recommendation) -> list[str]:
    """What cost, memory and availability rest on, where offers were looked up."""
    needs, said = answer.needs, []
    if needs.workload == ASSUMED:
        said.append(
            f"Nothing was said of your questions: each is taken to have one picture of "
            f"{ASSUMED.width} x {ASSUMED.height} pixels and {ASSUMED.prompt_tokens:g} tokens of "
            "text, and an answer as long as was measured for the same model and mode; where none "
            "was measured the cost is unknown."
        )
    priced = int(answer.market["usd_per_1000"].notna().sum())
    said.append(
        f"A cost is known for {priced} of {counted(len(answer.market))}: prices, tokens of a "
        "picture and length of an answer each from a source. A mode that thinks is priced with "
        "its own answers."
    )
    if needs.max_memory_gb is not None or needs.gpu:
        said.append(
            f"Memory is an estimate: the weights, {100 * (OVERHEAD - 1):.0f} % more for work "
            "space, and the cache of one question where the model's shape is known."
        )
    if needs.available_today:
        said.append(
            "What can be had today is as the makers' pages had it when they were last read; open "
            "weights count as available."
        )
    return said
