"""Which verdicts count: those on the answers that are there now."""

import hashlib
from collections.abc import Iterable, Mapping

from evalcore.records import Prediction, Verdict

GONE = ""
"""What a verdict names as its answer that was lost; no answer has this mark."""


def mark(text: str) -> str:
    """What tells one answer from another, as verdicts note it.

    >>> mark("red") == mark("red "), len(mark("red"))
    (False, 16)
    """
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def counting(verdicts: Iterable[Verdict], answers: Mapping[str, Prediction]) -> dict[str, Verdict]:
    """The verdicts that count, by item; a verdict on an answer that is gone or another does not.

    That there is nothing to score may be said of an item that was asked in vain. A verdict that
    names no answer (of a version before 0.6) counts for the answer that is there, unless another
    one on the item names its own: then answers came after it.

    Args:
        verdicts: Of one judge and repeat, one an item and answer.
        answers: By item.
    """
    found: dict[str, Verdict] = {}
    unnamed: dict[str, Verdict] = {}
    named = set()
    for one in verdicts:
        if one.item not in answers:
            continue
        text = answers[one.item].text
        if one.answer is not None:
            named.add(one.item)
            if text is not None and one.answer == mark(text):
                found[one.item] = one
        elif text is not None or one.score is None:
            unnamed[one.item] = one
    return found | {item: one for item, one in unnamed.items() if item not in named}
