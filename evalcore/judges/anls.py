"""ANLS: average normalised Levenshtein similarity, for text read off documents."""

from rapidfuzz.distance import Levenshtein

from evalcore.judges.text import clean
from evalcore.judges.verdicts import RuleResult, references
from evalcore.records import Item

THRESHOLD = 0.5
"""Below this similarity an answer is taken for another text, not for a slip in reading."""


def anls(item: Item, answer: str) -> RuleResult:
    """Score the best similarity to any reference, 0 below the threshold (Biten et al. 2019).

    Similarity is 1 - distance / length of the longer text, without regard to case and runs of
    spaces. At exactly 0.5 the paper's formula gives 0 and the DocVQA evaluation program, which
    made the published figures, gives 0.5; we follow the program.
    """
    folded = _folded(answer)
    best, nearest = max((similarity(folded, _folded(text)), text) for text in references(item))
    if best < THRESHOLD:
        return RuleResult(0.0, folded, f"similarity to every reference is below {THRESHOLD}")
    return RuleResult(best, folded, f"nearest reference {nearest!r}")


def similarity(text: str, other: str) -> float:
    """Return the normalised Levenshtein similarity; 0 where it cannot reach the threshold.

    Example:
        >>> similarity("kitten", "sitting")
        0.5714285714285714
    """
    longer = max(len(text), len(other))
    if not longer:
        return 1.0
    # The difference in length bounds the distance from below and spares work on long answers.
    if abs(len(text) - len(other)) > (1 - THRESHOLD) * longer:
        return 0.0
    return 1 - Levenshtein.distance(text, other) / longer


def _folded(text: str) -> str:
    return " ".join(clean(text).casefold().split())
