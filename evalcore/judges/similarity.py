"""ROUGE-L: the similarity of two texts as sequences of words.

A secondary metric beside a correctness judge, never instead of one: "two dogs" and "three dogs" are
nearly the same text. METEOR is left out: it needs WordNet, which no small, well-kept package brings
along for use without a network.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from evalcore.judges.text import clean
from evalcore.judges.verdicts import RuleResult, references
from evalcore.records import Item

# Scripts written without spaces count letter by letter.
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")


class Overlap(NamedTuple):
    """Shares of the answer and of the reference, and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def rouge_l(item: Item, answer: str) -> RuleResult:
    """Score the best F1 of the longest common subsequence of words (Lin 2004, ROUGE-L)."""
    best = max((overlap(tokens(answer), tokens(text)) for text in references(item)), key=_f1)
    return RuleResult(best.f1, answer, f"precision {best.precision:.3f}, recall {best.recall:.3f}")


def tokens(text: str) -> list[str]:
    """Return the words of a text without regard to case and punctuation."""
    return _TOKEN.findall(clean(text).casefold())


def overlap(words: Sequence[str], reference: Sequence[str]) -> Overlap:
    """Compare two sequences by their longest common subsequence.

    Example:
        >>> overlap("the cat sat".split(), "the cat sat down".split()).recall
        0.75
    """
    common = _common(words, reference)
    if not common:
        return Overlap(0.0, 0.0, 0.0)
    precision, recall = common / len(words), common / len(reference)
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))


def _common(words: Sequence[str], other: Sequence[str]) -> int:
    row = [0] * (len(other) + 1)
    for word in words:
        diagonal = 0
        for place, against in enumerate(other, start=1):
            longest = diagonal + 1 if word == against else max(row[place], row[place - 1])
            diagonal, row[place] = row[place], longest
    return row[-1]


def _f1(shared: Overlap) -> float:
    return shared.f1
