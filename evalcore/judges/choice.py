"""Multiple choice: which choice an answer names, by its letter or its text."""

import re
from typing import NamedTuple

from evalcore.judges.replies import yes_no
from evalcore.judges.text import clean, normalise
from evalcore.judges.verdicts import Outcome, references
from evalcore.records import Item

_LETTER_ALONE = re.compile(r"[(\[]?([A-Za-z])[)\].:]*")
_LETTER_FIRST = re.compile(r"(?:\(([A-Za-z])\)|([A-Za-z])[).:])\s+(.+)", re.DOTALL)
_LETTER_NAMED = re.compile(
    r"\b(?i:option|choice|answer)(?: is)?:? [(\[]?([A-Z])[)\]]?(?=[.,;:!]|\s*$)", re.MULTILINE
)
_DENIAL = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|(?:is|are|was|were|do|does|did|ca|wo)nt)\b"
    r"(?:\W+(?!but\b)\w+){0,3}\W*$"
)


class Pick(NamedTuple):
    """The choice that an answer names, or why it names none."""

    place: int | None
    extracted: str | None
    reason: str


def choice(item: Item, answer: str) -> Outcome:
    """Score 1 if the answer names the right choice, 0 if another; unclear gives no score.

    References are choices' texts or letters. In this order: all of the answer is a choice's text;
    all of it is a letter ("B", "(b)."); it begins with a letter and a mark ("B. a cat"), whose text
    must not be another choice; "option B" or "the answer is B" closes a sentence; where yes and no
    are the choices, one of them is its first word; elsewhere it mentions exactly one choice as
    whole words that it does not deny. An article ("A dog ...") is no letter. Nothing is ever chosen
    at random.
    """
    right = _right(item)
    if not right:
        return Outcome(None, None, "no reference is one of the choices")
    pick = picked(item.choices, answer)
    if pick.place is None:
        return Outcome(None, pick.extracted, pick.reason)
    return Outcome(float(pick.place in right), pick.extracted, pick.reason)


def picked(choices: tuple[str, ...], answer: str) -> Pick:
    """Return the place of the choice that an answer names, counted from 0.

    Example:
        >>> picked(("a dog", "a cat"), "The answer is (B).")
        Pick(place=1, extracted='B', reason='letter B')
    """
    texts = [normalise(text) for text in choices]
    same = [place for place, text in enumerate(texts) if text == normalise(answer)]
    if len(same) == 1:
        return Pick(same[0], answer, "text of a choice")
    for look in (_letter_alone, _letter_first, _letter_named, _yes_no):
        pick = look(texts, answer)
        if pick is not None:
            return pick
    return _mentioned(texts, answer)


def _right(item: Item) -> set[int]:
    """Return the places of the choices that a reference names by text, else by letter."""
    texts = [normalise(text) for text in item.choices]
    right = set()
    for reference in references(item):
        by_text = {place for place, text in enumerate(texts) if text == normalise(reference)}
        alone = _LETTER_ALONE.fullmatch(clean(reference).strip())
        by_letter = {_place(alone[1])} & set(range(len(texts))) if alone else set()
        right |= by_text or by_letter
    return right


def _place(letter: str) -> int:
    return ord(letter.upper()) - ord("A")


def _by_letter(texts: list[str], letter: str) -> Pick:
    if _place(letter) < len(texts):
        return Pick(_place(letter), letter, f"letter {letter.upper()}")
    return Pick(None, letter, f"letter {letter.upper()} is none of {len(texts)} choices")


def _letter_alone(texts: list[str], answer: str) -> Pick | None:
    found = _LETTER_ALONE.fullmatch(answer.strip())
    return _by_letter(texts, found[1]) if found else None


def _letter_first(texts: list[str], answer: str) -> Pick | None:
    found = _LETTER_FIRST.fullmatch(answer)
    if found is None:
        return None
    pick = _by_letter(texts, found[1] or found[2])
    others = {place for place, _ in _mentions(texts, found[3])} - {pick.place}
    letters = set(re.findall(r"\(([A-Z])\)", found[3])) - {(found[1] or found[2]).upper()}
    if pick.place is not None and (letters or (others and not _says(texts, pick.place, found[3]))):
        return Pick(None, answer, "the letter names one choice and the text another")
    return pick


def _says(texts: list[str], place: int, text: str) -> bool:
    return texts[place] in normalise(text)


def _letter_named(texts: list[str], answer: str) -> Pick | None:
    letters = set(_LETTER_NAMED.findall(answer))
    if len(letters) > 1:
        return Pick(None, answer, f"several letters: {', '.join(sorted(letters))}")
    return _by_letter(texts, letters.pop()) if letters else None


def _yes_no(texts: list[str], answer: str) -> Pick | None:
    if set(texts) != {"yes", "no"}:
        return None
    said = yes_no(answer)
    if said is None:
        return Pick(None, answer, "its first word is neither yes nor no")
    word = "yes" if said else "no"
    return Pick(texts.index(word), word, "first word of the answer")


def _mentioned(texts: list[str], answer: str) -> Pick:
    places = {place for place, denied in _mentions(texts, answer) if not denied}
    if len(places) == 1:
        place = places.pop()
        if texts.count(texts[place]) > 1:
            return Pick(None, answer, f"several choices read {texts[place]!r}")
        return Pick(place, texts[place], "the only choice that the answer mentions")
    named = ", ".join(repr(texts[place]) for place in sorted(places))
    return Pick(None, answer, f"several choices: {named}" if places else "no choice is named")


def _mentions(texts: list[str], answer: str) -> list[tuple[int, bool]]:
    """Return the choices that stand in an answer as whole words, longest first, and if denied."""
    rest, found = normalise(answer), []
    for place in sorted(range(len(texts)), key=lambda one: -len(texts[one])):
        if not texts[place]:
            continue
        pattern = re.compile(rf"(?<![\w.-]){re.escape(texts[place])}(?!\w|[.,]\d)")
        found += [(place, _denied(rest, match)) for match in pattern.finditer(rest)]
        # What a longer choice has taken is no mention of a shorter one: "dark red", "red".
        rest = pattern.sub(lambda taken: "\x00" * len(taken[0]), rest)
    return found


def _denied(text: str, match: re.Match[str]) -> bool:
    return _DENIAL.search(text[max(0, match.start() - 60) : match.start()]) is not None
