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

    One that names no answer (of a version before 0.6) counts for the answer that is there, unless
    another verdict on the item names one: then answers came after it.

    Args:
        verdicts: Of one judge and repeat, one an item and answer.
        answers: By item.
    """
    found: dict[str, Verdict] = {}
    unnamed: dict[str, Verdict] = {}
    named = set()
    for one in verdicts:
        answer = answers.get(one.item)
        if answer is None or answer.text is None:
            continue
        if one.answer is None:
            unnamed[one.item] = one
            continue
        named.add(one.item)
        if one.answer == mark(answer.text):
            found[one.item] = one
    return found | {item: one for item, one in unnamed.items() if item not in named}
