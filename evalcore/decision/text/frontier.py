"""Who is on the front over score, size and cost together, in words."""

from collections.abc import Mapping

import pandas as pd

from evalcore.decision.answer import Recommendation
from evalcore.decision.text.phrases import Names, listed, some

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
