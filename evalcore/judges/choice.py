"""Multiple choice: which choice an answer names, by its letter or its text."""

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from evalcore.judges import letters
from evalcore.judges.replies import yes_no
from evalcore.judges.text import REMEMBERED, answer_of, clean, comparable, concluded, normalise
from evalcore.judges.verdicts import RuleResult, references
from evalcore.records import MARK, Item, letter

_SENTENCE = re.compile(
    r"(?<=[.!?;:])\s+|\n+|,\s+(?=(?:it|this|that|they|these|there|but)\b)", re.IGNORECASE
)
_FRONTED = re.compile(r"\b((?:rather|instead|other) (?:than|of)|unlike)\b([^,.;\n]{1,40}),", re.I)
_END = "\x1f"
"""Between the sentences of an answer whose words are compared."""
_ARTICLES = rf"(?:(?:an?|the)[^\w{_END}]+)*"
_DENIAL = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|unlike|except|whether|if"
    r"|(?:instead|rather|other) (?:of|than)"
    r"|(?:is|are|was|were|do|does|did|ca|wo|has|have|had|would|could|should)nt)\b"
    rf"(?:[^\w{_END}]+{_ARTICLES}(?!but\b)\w+){{0,3}}[^\w{_END}]*{_ARTICLES}$"
)


class Pick(NamedTuple):
    """The choice that an answer names, or why it names none."""

    place: int | None
    extracted: str | None
    reason: str


class Mention(NamedTuple):
    """A choice whose text stands in an answer."""

    place: int
    denied: bool


def choice(item: Item, answer: str) -> RuleResult:
    """Score 1 if the answer names the right choice, 0 if another; unclear gives no score.

    References are choices' texts or letters. In this order: all of the answer is a choice's text;
    its letters (``letters.read``): the last that it claims, with whose text the words behind it may
    not disagree, or the only one that it mentions; where yes and no are the choices, one of them
    is its first word; elsewhere it mentions exactly one choice as whole words that it does not deny
    in the same sentence. Letters that cannot be told give no score and are never passed over for a
    weaker sign. Nothing is ever chosen at random.
    """
    right = _right(item)
    if not right:
        return RuleResult(
            None, None, "no reference is one of the choices, or it may be two of them"
        )
    pick = picked(item.choices, answer)
    if pick.place is None:
        return RuleResult(None, pick.extracted, pick.reason)
    return RuleResult(float(pick.place in right), pick.extracted, pick.reason)


def picked(choices: tuple[str, ...], answer: str) -> Pick:
    """Return the place of the choice that an answer names, counted from 0.

    Example:
        >>> picked(("a dog", "a cat"), "The answer is (B).")
        Pick(place=1, extracted='B', reason='letter B')
    """
    texts = _texts(choices)
    same = _same(choices, answer)
    alone = letters.ALONE.fullmatch(answer.strip())
    names = {letter(place) for place in range(len(texts))}
    if len(same) == 1 and not (alone and alone[1].upper() in names):
        return Pick(same.pop(), answer, "text of a choice")
    if alone and (len(alone[1]) == 1 or alone[1].isupper()):
        return _by_letter(texts, alone[1].upper())
    read = letters.read(answer, len(texts), _enumerated(texts, answer))
    if read.why:
        return Pick(None, answer, read.why)
    if read.place is not None:
        return _agreed(texts, answer, read)
    pick = _yes_no(texts, answer) or _mentioned(texts, answer)
    if pick.place in read.denied:
        return Pick(None, answer, f"names {pick.extracted!r} and denies its letter")
    return pick


def stands(item: Item, text: str) -> bool:
    """Whether a text that was cut off names its choice: it begins with a letter, or marks one."""
    return concluded(text) or letters.begins(answer_of(text), len(item.choices))


def _texts(choices: tuple[str, ...]) -> list[str]:
    """Return the choices' words; a choice that is a picture has none."""
    return ["" if MARK in text else normalise(comparable(text)) for text in choices]


def _same(choices: tuple[str, ...], answer: str) -> set[int]:
    """Return the choices that read as a text does: to the letter, else by the same words."""
    plain = clean(answer).strip()
    exact = {
        place
        for place, text in enumerate(choices)
        if MARK not in text and plain in (clean(text).strip(), comparable(text))
    }
    words = normalise(comparable(answer))
    return exact or {place for place, text in enumerate(_texts(choices)) if text and text == words}


def _right(item: Item) -> set[int]:
    """Return the places of the choices that a reference names by text, else by letter.

    A letter that is the text of another choice names neither.
    """
    right = set()
    names = {letter(place): place for place in range(len(item.choices))}
    for reference in references(item):
        alone = letters.ALONE.fullmatch(clean(reference).strip())
        by_letter = {names[alone[1].upper()]} if alone and alone[1].upper() in names else set()
        same = _same(item.choices, reference)
        right |= (same or by_letter) if not (same and by_letter) or same == by_letter else set()
    return right


def _by_letter(texts: list[str], name: str) -> Pick:
    names = {letter(place): place for place in range(len(texts))}
    if name not in names:
        return Pick(None, name, f"letter {name} is none of {len(texts)} choices")
    others = [place for place, text in enumerate(texts) if text == name.lower()]
    if others and others != [names[name]]:
        return Pick(None, name, f"{name} is a letter, and the text of another choice")
    return Pick(names[name], name, f"letter {name}")


def _agreed(texts: list[str], answer: str, read: letters.Read) -> Pick:
    """Return the letter's choice, unless the words behind it name another."""
    pick = _by_letter(texts, read.letter)
    words = read.words if read.claimed else answer
    named = {place for place, denied in _mentions(texts, words) if not denied}
    back = {place for place, denied in _mentions(texts, read.back) if not denied}
    if pick.place is not None and back - {pick.place}:
        return Pick(None, answer, f"letter {read.letter} is taken back")
    own = pick.place is not None and _says(texts[pick.place], words)
    if pick.place is not None and named - {pick.place} and not own:
        return Pick(None, answer, "the letter names one choice and the text another")
    return pick


def _says(text: str, words: str) -> bool:
    return bool(text) and text in normalise(words)


def _enumerated(texts: list[str], answer: str) -> frozenset[int]:
    """Return the choices that an answer repeats with letter and text, if it repeats several."""
    named = set()
    for place, text in enumerate(texts):
        for label in re.finditer(rf"(?<![\w.'-])\(?{letter(place)}[).:]\s*", answer):
            behind = answer[label.end() : label.end() + 3 * len(text) + 20]
            if text and _pattern(text).match(normalise(behind, articles=True)):
                named.add(place)
    return frozenset(named) if len(named) > 1 else frozenset()


def _yes_no(texts: list[str], answer: str) -> Pick | None:
    if set(texts) != {"yes", "no"}:
        return None
    spoken = yes_no(answer)
    if spoken is None:
        return Pick(None, answer, "its first word is neither yes nor no")
    word = "yes" if spoken else "no"
    return Pick(texts.index(word), word, "first word of the answer")


def _mentioned(texts: list[str], answer: str) -> Pick:
    places = {place for place, denied in _mentions(texts, answer) if not denied}
    if len(places) == 1:
        place = places.pop()
        if Counter(texts)[texts[place]] > 1:
            return Pick(None, answer, f"several choices read {texts[place]!r}")
        return Pick(place, texts[place], "the only choice that the answer mentions")
    named = ", ".join(repr(texts[place]) for place in sorted(places))
    return Pick(None, answer, f"several choices: {named}" if places else "no choice is named")


def _mentions(texts: list[str], answer: str) -> list[Mention]:
    """Return the choices that stand in an answer as whole words, longest first, and if denied."""
    parts = _SENTENCE.split(_FRONTED.sub(r"\1\2;", answer))
    sentences = (normalise(part, articles=True) for part in parts)
    rest, mentions = f" {_END} ".join(sentences), []
    for place in sorted(range(len(texts)), key=lambda at_choice: -len(texts[at_choice])):
        if not texts[place]:
            continue
        pattern = _pattern(texts[place])
        mentions += [Mention(place, _denied(rest, match)) for match in pattern.finditer(rest)]
        # What a longer choice has taken is no mention of a shorter one: "dark red", "red".
        rest = pattern.sub(lambda taken: "\x00" * len(taken[0]), rest)
    return mentions


@lru_cache(maxsize=REMEMBERED)
def _pattern(text: str) -> re.Pattern[str]:
    """Match a choice's words in an answer, whatever articles and ends of sentences lie between."""
    words = re.escape(text).replace(r"\ ", rf" (?:(?:{_END}|an?|the) ){{0,3}}")
    return re.compile(rf"(?<![\w.-])(?:(?:an?|the) ){{0,2}}{words}(?!\w|[.,]\d)")


def _denied(text: str, match: re.Match[str]) -> bool:
    return _DENIAL.search(text[max(0, match.start() - 60) : match.start()]) is not None
