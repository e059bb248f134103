"""Numbers in answers: digits of any script, words, fractions, signs, separators and units."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from evalcore.judges.text import ONES
from evalcore.judges.units import Unit, unit

_DECADES = "twenty thirty forty fifty sixty seventy eighty ninety"
_ONES = {word: float(number) for number, word in enumerate(ONES.split())} | {"none": 0.0}
_TENS = {word: 10.0 * tens for tens, word in enumerate(_DECADES.split(), start=2)}
_GROUPS = {"hundred": 1e2, "dozen": 12.0}
_LARGE = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_GLUED = {"k": 1e3, "K": 1e3, "M": 1e6, "bn": 1e9}
"""Factors that stand right behind a number; 5 m are metres, and 300 K may be kelvin."""

_SPACED = r"[1-9]\d{0,2}(?: \d{3})+(?![\d ]*\d{4})"  # 1 234 567
_DIGITS = (
    rf"{_SPACED}(?:[.,]\d+)?|"
    r"[1-9]\d{0,2}(?:\.\d{3})+,\d+|[1-9]\d{0,2}(?:\.\d{3}){2,}"  # 1.234,5 and 1.234.567
    r"|[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}(?:\.\d+)?"  # 1,234.5 and 12,34,567
    r"|\d+,\d+|\d+(?:\.\d+)?|\.\d+"  # 12,5 and 12.5 and .5
)
_FRACTION = r"(?:(?P<whole>\d+) )?(?P<top>\d+) ?/ ?(?P<bottom>[1-9]\d*)"
# No part of a time, a date, a version or a name (A4).
_NUMERAL = re.compile(
    rf"(?<![\w.:/^])(?:{_FRACTION}|(?P<digits>{_DIGITS}))(?!\d|[.,:]\d| ?/ ?\d)"
    r"(?:(?P<power>e[+-]?\d+)(?!\w)|\^(?P<to>-?\d+)| ?[x×*·] ?10\^?(?P<ten>-?\d+))?",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"(?:(?<![\w)])([-–]))?([$€£¥]) ?([-–])?$|(?<![\w)$€£¥])([-–])$")
_FACTOR = re.compile(rf" ?({'|'.join([*_GROUPS, *_LARGE])})\b|({'|'.join(_GLUED)})(?!\w)")
_AFTER = re.compile(r"(?:st|nd|rd|th)\b|[ -]?(%|°?[A-Za-z]+)(?![\w^])")
_WORD = "|".join([*_ONES, *_TENS, *_GROUPS, *_LARGE])
_WORDS = re.compile(
    rf"(?<![\w-])(?:a (?=hundred|thousand|million|billion|dozen))?(?:{_WORD})"
    rf"(?:(?: and |[ -])(?:{_WORD}))*(?P<point> point(?: (?:{'|'.join(_ONES)}))+)?(?!\w)",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(r"\bnegative $", re.IGNORECASE)
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b"
)
_IN_DATE = re.compile(rf"\b{_MONTH}\.?(?: \d{{1,2}}(?:st|nd|rd|th)?,?)? $")
_BEFORE_MONTH = re.compile(rf"(?:st|nd|rd|th)?(?: of)? {_MONTH}")
_SURE = re.compile(r"\b(?:confidence|certainty)\b[^.\d\n]{0,20}$", re.IGNORECASE)
_IS_SURE = re.compile(r"\s?(?:%|percent)?\s(?:sure|certain|confident|confidence)\b", re.IGNORECASE)
_JOINS = re.compile(r",? (?:and )?")
_NAMED = re.compile(
    r"(?:\b(?:figure|fig|table|image|picture|photo|panel|page|step|question|item|row|column|line"
    r"|chapter|section|option|choice|number|no|nr)\.? ?|#)$",
    re.IGNORECASE,
)
_IN_YEAR = re.compile(r"\b(?:in|since|until|by|during|from|of|year) $", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_NO_SUCH = re.compile(r"\bthere (?:are|is|were|was) no\b", re.IGNORECASE)


@dataclass(frozen=True)
class Number:
    """A number as it stands in a text."""

    value: float
    unit: Unit | None
    text: str
    start: int
    end: int
    weak: bool = False
    """It may be no count at all: "one" as a pronoun, "no" or "none", "the 3rd", "in 2019"."""
    other: float | None = None
    """What else its separators may mean: 1,234 is 1.234 in German, 1.234 there 1234."""


def numbers(text: str) -> list[Number]:
    """Return the numbers of a text that ``text.clean`` has prepared, in their order.

    Separators: ``1,234.5``, ``1.234,5`` and ``12,34,567`` are grouped, ``12,5`` has a decimal
    comma. Times, dates, versions and digits inside names are no numbers, nor is what stands in a
    formula that could not be read. What may be no count ("one", "none", "there are no", ordinals,
    years with a preposition, "figure 2") only counts where nothing else does.

    Example:
        >>> [found.value for found in numbers("-3 of 1,250 kg, a hundred and twenty-one or 1/2")]
        [-3.0, 1250.0, 121.0, 0.5]
    """
    readings = list(_in_digits(text))
    readings += [
        word for word in _in_words(text) if not any(_overlap(word, reading) for reading in readings)
    ]
    readings = _joined(text, sorted(readings, key=lambda reading: reading.start))
    return [reading for reading in readings if not reading.weak] or readings


def _joined(text: str, readings: list[Number]) -> list[Number]:
    """Make one of what two units of a kind say together: "1 hour 30 minutes", "5 ft 6 inches"."""
    joined: list[Number] = []
    for reading in readings:
        last = joined[-1] if joined else None
        if last and _is_joined(text, last, reading):
            assert last.unit and reading.unit
            smaller = last.value * last.unit.size / reading.unit.size + reading.value
            value = smaller * reading.unit.size / last.unit.size
            words = text[last.start : reading.end]
            # Asked in minutes, "1 hour 30 minutes" is 90.
            joined[-1] = Number(
                value, last.unit, words, last.start, reading.end, last.weak, smaller
            )
        else:
            joined.append(reading)
    return joined


def _is_joined(text: str, reading: Number, other: Number) -> bool:
    between = _JOINS.fullmatch(text, reading.end, other.start)
    if not (between and reading.unit and other.unit and reading.unit.kind == other.unit.kind):
        return False
    # "2 hours and 5 minutes" is one time; the sides "1 m and 30 cm" are two.
    timed = reading.unit.kind == "time" or "and" not in between[0]
    return timed and reading.unit.size > other.unit.size and reading.value.is_integer()


def whole(text: str) -> Number | None:
    """Return the number that is all of a text but for marks around it, or None."""
    readings = numbers(text)
    if len(readings) != 1:
        return None
    rest = text[: readings[0].start] + text[readings[0].end :]
    return readings[0] if not rest.strip(" \n.,;:!?()[]\"'=~≈+°") else None


def near(reference: Number, given: Number, tolerance: float) -> bool:
    """Say whether two numbers differ by at most a share of the reference.

    Units that both have are converted if they measure the same and never equal otherwise; a unit
    that only one of them has does not count.
    """
    expected, value = reference.value, given.value
    if reference.unit and given.unit:
        if reference.unit.kind != given.unit.kind:
            return False
        expected, value = expected * reference.unit.size, value * given.unit.size
    # The last bit of a float must not decide at the edge of the tolerance.
    return abs(value - expected) <= (tolerance + 1e-12) * abs(expected)


def _in_digits(text: str) -> Iterator[Number]:
    for match in _NUMERAL.finditer(text):
        value, end = _scaled(_numeral(match), text, match.end())
        behind, stop = _unit_behind(text, end)
        if stop == end and text[end : end + 1].isalpha():
            continue
        near_before = max(0, match.start() - 5)
        before = _BEFORE.search(text[near_before : match.start()])
        start = near_before + before.start() if before else match.start()
        negative = _NEGATIVE.search(text[max(0, start - 12) : start])
        if negative or (before and (before[1] or before[3] or before[4])):
            value = -value
        money = unit(before[2]) if before and before[2] else None
        weak = _only_names(text, match, stop)
        other = _otherwise(match)
        yield Number(value, money or behind, text[start:stop], start, stop, weak, other)


def _only_names(text: str, match: re.Match[str], stop: int) -> bool:
    """Say whether a number names a thing or a year and counts nothing."""
    before = text[max(0, match.start() - 12) : match.start()]
    ordinal = stop > match.end() and text[match.end() : stop] in ("st", "nd", "rd", "th")
    year = _YEAR.fullmatch(match[0]) and stop == match.end() and _IN_YEAR.search(before)
    date = _IN_DATE.search(text[max(0, match.start() - 20) : match.start()])
    date = date or _BEFORE_MONTH.match(text, match.end())
    named = ordinal or year or date or _NAMED.search(before)
    return bool(named) or _is_certainty(text, match.start(), match.end())


def _is_certainty(text: str, start: int, end: int) -> bool:
    """Say whether a number tells how sure the answer is: "confidence: 90%", "95% sure"."""
    return bool(_SURE.search(text[max(0, start - 40) : start]) or _IS_SURE.match(text, end))


def _otherwise(match: re.Match[str]) -> float | None:
    """Return what a number is if its separator is of the other kind; None if that is no question.

    ``1,234`` is grouped here and ``1.234`` is not; elsewhere it is the other way round. In
    ``1 234`` the last three digits may be a number of their own.
    """
    digits = match["digits"] or ""
    if re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", digits):
        return float(digits.replace(",", ".") if "," in digits else digits.replace(".", ""))
    return float(digits[-3:]) if re.fullmatch(r"\d+ \d{3}", digits) else None


def _unit_behind(text: str, end: int) -> tuple[Unit | None, int]:
    """Return the unit after a number, and where it or the ending of an ordinal ends."""
    after = _AFTER.match(text, end)
    if after is None:
        return None, end
    if after[1] is None:
        return None, after.end()
    measure = unit(after[1])
    return measure, after.end() if measure else end


def _numeral(match: re.Match[str]) -> float:
    if match["digits"] is None:
        value = float(match["whole"] or 0) + float(match["top"]) / float(match["bottom"])
    else:
        value = _decimal(match["digits"])
    if match["to"]:
        return _power(value, int(match["to"]))
    if match["power"]:
        return value * _power(10.0, int(match["power"][1:]))
    return value * _power(10.0, int(match["ten"] or 0))


def _power(base: float, exponent: int) -> float:
    try:
        return math.pow(base, exponent)
    except (OverflowError, ValueError):  # Too large, or zero to a negative power.
        return math.inf


def _decimal(digits: str) -> float:
    """Read digits whose separators are told apart by what follows them."""
    digits = digits.replace(" ", "")
    if re.fullmatch(r"[1-9]\d{0,2}(?:\.\d{3})+,\d+|[1-9]\d{0,2}(?:\.\d{3}){2,}", digits):
        return float(digits.replace(".", "").replace(",", "."))
    if re.fullmatch(r"[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}(?:\.\d+)?", digits):
        return float(digits.replace(",", ""))
    return float(digits.replace(",", "."))


def _scaled(value: float, text: str, end: int) -> tuple[float, int]:
    """Multiply by the words of size behind a number: 2 million, 5k."""
    while factor := _FACTOR.match(text, end):
        value *= (_GROUPS | _LARGE | _GLUED)[factor[1] or factor[2]]
        end = factor.end()
    return value, end


def _in_words(text: str) -> Iterator[Number]:
    for match in _WORDS.finditer(text):
        value = _spelled(match[0])
        if value is None:
            continue
        behind, end = _unit_behind(text, match.end())
        if _NEGATIVE.search(text[max(0, match.start() - 12) : match.start()]):
            value = -value
        weak = match[0].lower() in ("one", "none") or _is_certainty(text, match.start(), end)
        yield Number(value, behind, text[match.start() : end], match.start(), end, weak)
    for match in _NO_SUCH.finditer(text):
        yield Number(0.0, None, match[0], match.start(), match.end(), weak=True)


def _spelled(text: str) -> float | None:
    """Read number words; None if they make no one number ("two three", "twenty twenty")."""
    before, _, after = text.lower().partition(" point ")
    total, group, last = 0.0, 0.0, 1000.0
    for word in re.split(r"[ -]", before):
        small = _ONES.get(word, _TENS.get(word))
        if small is not None:
            if last <= small:
                return None
            group, last = group + small, 10.0 if word in _TENS else 0.0
        elif word in _GROUPS:
            group, last = (group or 1.0) * _GROUPS[word], 100.0
        elif word in _LARGE:
            total, group, last = total + (group or 1.0) * _LARGE[word], 0.0, 1000.0
    digits = "".join(str(int(_ONES[word])) for word in after.split())
    return total + group + (float(f"0.{digits}") if digits else 0.0)


def _overlap(reading: Number, other: Number) -> bool:
    return reading.start < other.end and other.start < reading.end
