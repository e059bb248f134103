"""VQA accuracy: how many of the people asked gave the same answer (Antol et al. 2015)."""

from evalcore.judges.text import vqa_normalise
from evalcore.judges.verdicts import RuleResult, references
from evalcore.records import Item

FULL_AGREEMENT = 3
"""An answer that this many of the others gave counts as entirely right."""


def vqa_accuracy(item: Item, answer: str) -> RuleResult:
    """Average min(1, matches / 3) over the subsets that leave out one reference answer.

    With ten references this is the official formula. With n < 4 references a subset has fewer than
    three answers; then matches are divided by n - 1, and a single reference is plain equality, so
    that full agreement scores 1 for every n.

    The official program leaves answers and references unnormalised where all references are the
    same ("Yes." against ten times "yes" scores 0 there); here both sides are always normalised.
    """
    words = vqa_normalise(answer)
    given = [vqa_normalise(reference) for reference in references(item)]
    matches = given.count(words)
    reason = f"{matches} of {len(given)} references agree"
    return RuleResult(leave_one_out(matches, len(given)), words, reason)


def leave_one_out(matches: int, n: int) -> float:
    """Return the mean over the n subsets of n - 1 references.

    Example:
        >>> leave_one_out(3, 10)
        0.9
    """
    if n == 1:
        return float(matches)
    enough = min(FULL_AGREEMENT, n - 1)
    one_of_them_out = matches * min(enough, matches - 1)
    another_out = (n - matches) * min(enough, matches)
    return (one_of_them_out + another_out) / (n * enough)
