"""A number asked for, found in an answer of any length."""

import re
from functools import partial
from typing import Literal

from evalcore.judges.numbers import Number, near, numbers
from evalcore.judges.text import clean
from evalcore.judges.verdicts import Outcome, references
from evalcore.records import Item

Place = Literal["first", "last"]
SAME = 1e-6
"""Share by which equal numbers may differ after conversion between units."""

_DENIED = re.compile(r"(?:\bnot|n't|\bnever)(?: (?:a|an|the|just|only))? ?$", re.IGNORECASE)
_HEDGE = re.compile(r"\s*(?:-|–|/|,?\s*\bor\b|\bto\b)\s*")


def number(item: Item, answer: str, place: Place) -> Outcome:
    """Score 1 if one number of the answer equals a reference number, in any way of writing it.

    The policy: an answer marked as final ("Answer: 5") is read alone; of several numbers the last
    counts (models reason first and conclude last), or the first if ``place`` says so. A denied
    number ("not 5") does not count. Two numbers offered for choice ("4 or 5", "3-5") at that place
    and an answer without any number cannot be read: no score.
    """
    expected = [
        (text, found[0]) for text in references(item) if len(found := numbers(clean(text))) == 1
    ]
    if not expected:
        return Outcome(None, None, f"no reference is one number: {', '.join(references(item))}")
    found = [one for one in numbers(answer) if not _denied(answer, one)]
    if not found:
        return Outcome(None, None, "no number in the answer")
    if _hedged(answer, found, place):
        return Outcome(None, None, f"two numbers are offered for choice at the {place} place")
    said = found[-1] if place == "last" else found[0]
    for text, reference in expected:
        if near(reference, said, SAME):
            return Outcome(1.0, said.text.strip(), f"equals reference {text!r}")
    return Outcome(0.0, said.text.strip(), "equals no reference")


def _denied(answer: str, one: Number) -> bool:
    return _DENIED.search(answer[max(0, one.start - 20) : one.start]) is not None


def _hedged(answer: str, found: list[Number], place: Place) -> bool:
    if len(found) < 2:
        return False
    one, other = found[-2:] if place == "last" else found[:2]
    return _HEDGE.fullmatch(answer[one.end : other.start]) is not None


last_number = partial(number, place="last")
first_number = partial(number, place="first")
