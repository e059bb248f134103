"""Equal to any reference: to the letter, or after normalisation."""

from evalcore.judges.text import clean, normalise
from evalcore.judges.verdicts import RuleResult, references
from evalcore.records import Item


def exact(item: Item, answer: str) -> RuleResult:
    """Score 1 if the answer equals a reference; case and punctuation count.

    Outer spaces, Markdown and the way of writing a character (``text.clean``) do not count.
    """
    for reference in references(item):
        if answer == clean(reference).strip():
            return RuleResult(1.0, answer, f"equals reference {reference!r}")
    return RuleResult(0.0, answer, "equals no reference")


def normalised(item: Item, answer: str) -> RuleResult:
    """Score 1 if the answer equals a reference after ``text.normalise``."""
    text = normalise(answer)
    for reference in references(item):
        if text == normalise(reference):
            return RuleResult(1.0, text, f"equals reference {reference!r} when normalised")
    return RuleResult(0.0, text, "equals no reference when normalised")
