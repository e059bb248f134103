"""A number asked for, found in an answer of any length."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Literal

from evalcore import markup
from evalcore.judges.latex import left_over
from evalcore.judges.numbers import Number, near, numbers
from evalcore.judges.text import clean, concluded
from evalcore.judges.verdicts import RuleResult, references
from evalcore.records import Item

Place = Literal["first", "last"]
SAME = 1e-6
"""Share by which equal numbers may differ after conversion between units; whole ones may not."""

_DENIED = re.compile(r"(?:\bnot|n't|\bnever)(?: (?:a|an|the|just|only))? ?$", re.IGNORECASE)
_FIRST_THOUGHT = re.compile(
    r"\b(?:first|initially|originally|earlier)\b[^.;:!?\d]{0,25}"
    r"\b(?:thought|counted|said|guessed|assumed)\b[^.;:!?,\d]{0,20}$",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\s*(?:-|–|/|±|,?\s*\b(?:or|and|to|of|out of|and maybe|and perhaps)\b)"
    r"\s*(?:about|the|maybe)?\s*"
)
_OPERAND = re.compile(
    r"[\w)%°]\s*(?:[+*×·÷^√±/]|\s[-−–]\s)\s*$|\b(?:plus|minus|times|divided by|multiplied by)\s+$"
    r"|[√±^]\s*$",
    re.IGNORECASE,
)
_OPERATES = re.compile(
    r"\s*(?:[+*×·÷^√±/]\s*[\w(√\\]|[-−–]\s*[\d(√\\]|π|(?:plus|minus|times|divided by)\b)",
    re.IGNORECASE,
)
_EXPLAINS = re.compile(
    r"[:(]|\b(?:because|since|as there|for example|e\.g|i\.e|that is|including|include[sd]?|namely"
    r"|consist\w*|made up|of which|among|between|while|whereas|compared|than|from"
    r"|though|although|if|may|might|could|perhaps)\b",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\b(?:so|thus|therefore|hence|total|altogether|in all|sum|answer|makes?|gives?|equals?)\b"
    r"|\boverall\b|[=≈→]",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"[=≈→]|\b(?:is|are|was|were|be|there|has|have|leaves?|left|shows?|get|yields?)\b", re.I
)
_STATED_FIRST = re.compile(r"[\s.]*\n|,?\s+(?:because|since|as|due to)\b|[.;]\s+(?=\D*$)")


def number(item: Item, answer: str, place: Place) -> RuleResult:
    """Score 1 if one number of the answer equals a reference number, in any way of writing it.

    The policy: an answer marked as final ("Answer: 5", a box) is read alone; of several numbers the
    last counts (models reason first and conclude last), or the first if ``place`` says so. A number
    that is the whole first line, or that a reason follows ("5, because ..."), counts unless it is
    taken back. A denied number ("not 5") does not count.

    No score where it cannot be told: no number; two offered for choice ("4 or 5", "3-5", "4 of 5");
    a part of a sum or of a formula that could not be read; a last number that only explains another
    ("5: 3 dogs and 2 cats"); separators whose other reading is the reference (1,234 and 1.234).
    """
    expected = [
        (text, candidates[0])
        for text in references(item)
        if len(candidates := numbers(clean(text))) == 1
    ]
    expected = [(text, candidate) for text, candidate in expected if not left_over(text)]
    if not expected:
        return RuleResult(None, None, f"no reference is one number: {', '.join(references(item))}")
    candidates = [candidate for candidate in numbers(answer) if not _denied(answer, candidate)]
    if not candidates:
        return RuleResult(None, None, "no number in the answer")
    chosen = (_stated_first(answer, candidates) if place == "last" else None) or (
        candidates[-1] if place == "last" else candidates[0]
    )
    if unclear := _unclear(answer, candidates, chosen, place):
        return RuleResult(None, None, unclear)
    return _compared(expected, chosen)


def stands(item: Item, text: str) -> bool:
    """Whether a text that was cut off holds its number: one marked as final, with its end.

    What stands last in half a thought is no conclusion, and a 4 may have become 42.
    """
    return concluded(text)


def _same(reference: Number, given: Number) -> bool:
    whole = reference.value.is_integer() and given.value.is_integer()
    return near(reference, given, 0.0 if whole else SAME)


def _compared(expected: Sequence[tuple[str, Number]], given: Number) -> RuleResult:
    for text, reference in expected:
        if _same(reference, given):
            return RuleResult(1.0, given.text.strip(), f"equals reference {text!r}")
    for text, reference in expected:
        if any(
            _same(expected_reading, other)
            for expected_reading, other in _other_readings(reference, given)
        ):
            return RuleResult(
                None, given.text.strip(), f"may equal reference {text!r}, if , or . is"
            )
    return RuleResult(0.0, given.text.strip(), "equals no reference")


def _other_readings(reference: Number, given: Number) -> list[tuple[Number, Number]]:
    return [
        (reference, Number(given.other, given.unit, given.text, given.start, given.end))
        for given in [given]
        if given.other is not None
    ] + [
        (Number(reference.other, reference.unit, reference.text, 0, 0), given)
        for reference in [reference]
        if reference.other is not None
    ]


def _denied(answer: str, number_: Number) -> bool:
    before = answer[max(0, number_.start - 80) : number_.start]
    return (_DENIED.search(before) or _FIRST_THOUGHT.search(before)) is not None


def _stated_first(answer: str, candidates: Sequence[Number]) -> Number | None:
    """Return the number that an answer begins with and then explains, if it does."""
    first = candidates[0]
    if answer[: first.start].strip(" \n(~≈$") or len(candidates) == 1:
        return None
    behind = _STATED_FIRST.match(answer, first.end)
    if behind is None or markup.TAKEN_BACK.search(answer, behind.end()):
        return None
    return first


def _unclear(answer: str, candidates: Sequence[Number], chosen: Number, place: Place) -> str | None:
    """Say why a number may not be what the answer means; None if it is clear."""
    if _hedged(answer, candidates, chosen):
        return f"two numbers are offered for choice at the {place} place"
    if _in_sum(answer, chosen):
        return "the number is a part of a sum"
    if _unread(answer, chosen, place):
        return "the number stands in a formula that could not be read"
    others = [candidate for candidate in candidates if candidate.value != chosen.value]
    if place == "last" and others and _explains(answer, candidates, chosen):
        return "several numbers, and the last may only explain another"
    return None


def _hedged(answer: str, candidates: Sequence[Number], chosen: Number) -> bool:
    at = candidates.index(chosen)
    pairs = [(candidates[at - 1], chosen)] if at else []
    pairs += [(chosen, candidates[at + 1])] if at + 1 < len(candidates) else []
    return any(_offered(answer, first, other) for first, other in pairs)


def _offered(answer: str, first: Number, other: Number) -> bool:
    gap = answer[first.end : other.start].lower()
    between = re.search(r"\bbetween\b[^.]{0,15}$", answer[: first.start], re.IGNORECASE)
    return _HEDGE.fullmatch(gap) is not None or (between is not None and gap.strip() == "and")


def _in_sum(answer: str, chosen: Number) -> bool:
    before = answer[max(0, chosen.start - 20) : chosen.start]
    return bool(_OPERAND.search(before) or _OPERATES.match(answer, chosen.end))


def _unread(answer: str, chosen: Number, place: Place) -> bool:
    """Say whether markup that is left over touches the number, or stands where it may count."""
    run = re.search(r"(?:\\[A-Za-z]+(?:[_^]\S*)?\s+|[^\s=≈,;]*)$", answer[: chosen.start])
    ahead = re.match(r"[^\s=≈,;]*", answer[chosen.end :])
    around = (run[0] if run else "") + " " + (ahead[0] if ahead else "")
    rest = answer[chosen.end :] if place == "last" else answer[: chosen.start]
    return left_over(around) is not None or left_over(rest) is not None


def _explains(answer: str, candidates: Sequence[Number], chosen: Number) -> bool:
    """Say whether the last number may be a part or a reason of one before it."""
    if candidates[0] is chosen:
        # It was stated first: what follows explains it, unless it concludes anew.
        last = candidates[-1]
        between = answer[candidates[-2].end : last.start] if len(candidates) > 1 else ""
        return last.value != chosen.value and _CONCLUDES.search(between) is not None
    start = max(answer.rfind(mark, 0, chosen.start) for mark in (". ", "\n", "; ", "! "))
    before = [candidate.end for candidate in candidates if start < candidate.start < chosen.start]
    clause = answer[min(before, default=start) : chosen.start]
    explained = max((match.end() for match in _EXPLAINS.finditer(clause)), default=0)
    if _CONCLUDES.search(clause, explained):
        return False
    between = answer[before[-1] : chosen.start] if before else ""
    # "I see 2 zebras in front of 4 trees": nothing says that the last is what was asked.
    beside = bool(before) and not (_SAYS.search(between) or markup.TAKEN_BACK.search(between))
    return (
        beside
        or bool(before and explained)
        or _bare_first(answer, candidates)
        or _itemised(answer, candidates, chosen)
    )


def _itemised(answer: str, candidates: Sequence[Number], chosen: Number) -> bool:
    """Say whether the last number stands in a list under a line with another: "12 windows: ...".

    What concludes anew, in the list or after it, is no part of it.
    """
    line = answer.rfind("\n", 0, chosen.start) + 1
    colons = [at.start() for at in re.finditer(r":[^\S\n]*\n", answer[:line])]
    if not colons or _CONCLUDES.search(answer[line : chosen.start]):
        return False
    start = answer.rfind("\n", 0, colons[-1]) + 1
    return any(
        start <= candidate.start < colons[-1] and candidate.value != chosen.value
        for candidate in candidates
    )


def _bare_first(answer: str, candidates: Sequence[Number]) -> bool:
    """Say whether the answer begins with a number as a sentence of its own, and has others."""
    first = candidates[0]
    alone = not answer[: first.start].strip(" (~≈$")
    return alone and re.match(r"\s*[.;:!)]", answer[first.end :]) is not None


last_number = partial(number, place="last")
first_number = partial(number, place="first")
