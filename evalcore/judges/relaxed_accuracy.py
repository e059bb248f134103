"""Relaxed accuracy: numbers read off charts may be 5 % out (Masry et al. 2022, ChartQA)."""

from dataclasses import replace
from functools import partial

from evalcore.judges.numbers import Number, near, whole
from evalcore.judges.text import clean
from evalcore.judges.verdicts import RuleResult, references
from evalcore.records import Item

TOLERANCE = 0.05
YEARS = range(1000, 2101)


def relaxed_accuracy(item: Item, answer: str, exact_years: bool) -> RuleResult:
    """Score 1 if answer and reference are numbers within 5 % of the reference, or the same text.

    All of the answer must be the number, as in the original; a sentence is compared as text, with
    case, outer spaces and a last period left out of account. Known traps, and what is done:

    - Years: 1960 is within 5 % of 2010. The original counts that as right and so do published
      figures, hence this does; with ``exact_years`` whole numbers of four digits from 1000 to 2100
      without a unit must be equal, which is a metric of its own.
    - Per cent: the original turns 5 % into 0.05, so that "5%" misses the reference "5". Here a per
      cent sign on one side only is read both ways.
    - Separators, currencies, words: the original compares "1,234", "$5" and "five" as text. Here
      they are numbers; units that both sides have are converted, and different kinds never match.
    - A reference of 0 admits 0 alone.
    """
    given = whole(answer)
    for text in references(item):
        expected = whole(clean(text))
        if expected and given:
            if _year(expected) and _year(given) and exact_years:
                if given.value == expected.value:
                    return RuleResult(1.0, given.text, f"the year of reference {text!r}")
            elif any(near(expected, reading, TOLERANCE) for reading in _readings(given, expected)):
                return RuleResult(1.0, given.text, _closeness(expected, given, text))
        elif _folded(answer) == _folded(clean(text)):
            return RuleResult(1.0, answer, f"equals reference {text!r}")
    return RuleResult(0.0, given.text if given else answer, "neither near nor equal to a reference")


def _readings(given: Number, expected: Number) -> list[Number]:
    """Return the number, and what else it may mean if only one side has a per cent sign."""
    here, there = _percent(given), _percent(expected)
    if here == there or (given.unit and expected.unit):
        return [given]
    factor = 0.01 if here else 100.0
    return [given, replace(given, value=given.value * factor)]


def _percent(number: Number) -> bool:
    return number.unit is not None and number.unit.kind == "per cent"


def _year(number: Number) -> bool:
    return number.unit is None and len(number.text) == 4 and number.value in YEARS


def _closeness(expected: Number, given: Number, text: str) -> str:
    if _year(expected) and _year(given) and given.value != expected.value:
        return f"within 5 % of reference {text!r}, though both look like years"
    return f"within 5 % of reference {text!r}"


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .")


relaxed = partial(relaxed_accuracy, exact_years=False)
relaxed_but_years = partial(relaxed_accuracy, exact_years=True)
