"""Which choice an answer names by its letter: what it claims, takes back, denies or only mentions.

A claim says that a letter is the answer: the answer begins with it, or "the answer is B", "I
choose B", "B is correct", "it's B". The last claim counts, unless it is denied, hangs on an "if" or
a "might", or stands in a list. A mention ("option B shows a dog") counts only where nothing is
claimed and one letter alone is mentioned. What cannot be told is told as such, and never guessed.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evalcore import markup
from evalcore.records import letter

SENTENCE = 300
"""Characters before a letter in which its sentence is looked for."""
ALONE = re.compile(r"[(\[{\"']*([A-Za-z]{1,2})[)\]}\"'.:,]*")
"""An answer, or a reference, that is a letter and nothing else."""

# A bare A or I before a word in lower case is an article or a pronoun, but for these.
_AFTER = r"because|since|as|is|was|and|or|but|for|due|given|not|seems|would|must|has|correctly"
_UP = (
    r"(?:[(\[]\s*([A-Za-z]{1,2})\s*[)\]]"
    rf"|([AI])(?![\w'’&+#/-]|\.\w)(?!\s+(?!(?:{_AFTER})\b)[a-z])"
    r"|([B-HJ-Z]|[A-Z]{2})(?![\w'’&+#-]|\.\w))"
)
_NAMES = r"option|choice|letter|answer|alternative"
_ASIDE = (
    r"(?:(?:option|choice|letter|answer|clearly|definitely|therefore|thus|indeed|probably|obviously"
    r"|simply|most likely|likely|now|still|actually|the|:)\s*)*"
)
_STATED = re.compile(
    rf"(?i:\b(?:{_NAMES}|solution|conclusion|pick|response|antwort|lösung)\b[^.!?\n]{{0,40}}?"
    r"(?:\b(?:is|are|was|must be|should be|has to be|to|ist|lautet)\b|:|=|→|->)"
    rf"\s*{_ASIDE})[\"'*]{{0,3}}{_UP}"
)
_CHOSEN = re.compile(
    r"(?i:\b(?:choose|chose|pick|picked|select|selected|go(?:ing)? with|went with|settle on|opt for"
    r"|say|leaves|leaving|left with|mean|meant"
    r"|(?:change|switch)(?: (?:it|this|that|my answer))? to)\s+(?:for\s+)?"
    rf"{_ASIDE})"
    rf"[\"'*]{{0,3}}{_UP}"
)
_RIGHT = re.compile(
    rf"(?<![\w.'’-]){_UP}[\"'*]{{0,3}}\s+"
    r"(?i:(?:is|was|must be|has to be|should be|seems|remains)\s+"
    r"(?:clearly\s+|definitely\s+|indeed\s+|therefore\s+|thus\s+)*(?:the\s+)?(?:only\s+|most\s+)?"
    r"(?:correct|right|best|true|proper|appropriate|accurate|answer|one|it|my)\b)"
)
_IT_IS = re.compile(
    r"(?i:\b(?:it|that|this)(?:'s| is| must be| should be| has to be)"
    r"|\b(?:so|thus|therefore|hence|actually|correction|rather|but|make that|no|wait)\b[,:]?|=>|∴)"
    rf"\s*{_ASIDE}[\"'*]{{0,3}}{_UP}(?=\s*(?:[.,;:!)]|\n|$|because|since|as\b|–|—|-))"
)
_FIRST = re.compile(rf"\A[\"'*\s]{{0,9}}(?i:{_ASIDE})[\"'*]{{0,3}}{_UP}(?!\s*[?+&/<>=~])")
_LONE = re.compile(rf"[.!?:\n…]\s*[\"'*]{{0,3}}{_UP}[\"'*]{{0,3}}(?=\s*[.!]?\s*(?:\n|$))")
_FIRST_LOW = re.compile(r"\A[\"'*\s]{0,9}([a-z])[).:](?=\s|$)")
_MENTION = re.compile(
    rf"(?i:\b(?:option|choice|letter|alternative)s?\s+)[\"'*]{{0,3}}{_UP}|[(\[]([A-Z])[)\]]"
)
_BARE = re.compile(rf"(?<![\w.'’-]){_UP}")
_DENIAL = re.compile(
    r"(?i:\b(?:not|nicht|keine?|no(?!\s*,)|never|neither|nor|cannot|without|exclude[sd]?|eliminate[sd]?|reject(?:s|ed)?"
    r"|rul(?:e|es|ed|ing) out|discard(?:s|ed)?|instead of|rather than|unlike|other than|except)\b"
    r"|n't\b)(?:(?!\bbut\b)[^.!?;\n]){0,25}$"
)
_DENIED_AFTER = re.compile(
    r"[\"'*)\]]*\s+(?i:(?:is|are|was|were|seems|looks|can|could|does|do|must|would)"
    r"\s*(?:clearly\s+|definitely\s+|also\s+|therefore\s+)*"
    r"(?:not|n't|never|incorrect|wrong|false|out|ruled out|eliminated|excluded|unlikely)\b"
    r"|(?:isn't|aren't|wasn't|can't|cannot|doesn't|won't)\b)"
    # "A: incorrect", "A. a dog ❌": a list that goes through the choices.
    r"|[\"'*)\]]*\s*[:.)–—-]?\s*(?i:incorrect|wrong)\b|[^\n✅✓✔☑❌✗✘✖]{0,200}[❌✗✘✖]"
)
_UNSURE = re.compile(
    r"(?i:\b(?:if|unless|whether|suppose|supposing|assum\w+|might|may|could|would|some|many"
    r"|others?|people|someone|seem\w*|perhaps|maybe|tempt\w*)\b)"
)
_WOULD_SAY = re.compile(r"(?i:\bI(?:'d| would)\b)")
_MORE = rf"\s*(?:,|/|&|\+|\b(?:or|and|oder|und)\b|,\s*(?:or|and)\b)\s*(?:(?i:{_NAMES})\s+)?"
_LISTED = re.compile(rf"{_MORE}(?:{_UP}|([A-Z])(?![\w'’.]))(?!\s+(?i:is|was|are)\b)")
_LISTED_BEFORE = re.compile(rf"(?<![\w.'’-]){_UP}{_MORE}$")
_SEGMENT_END = re.compile(
    r"[.;!?\n,]|\b(?:because|since|although|though|but|as|for|while|given|which|where"
    r"|(?P<verb>is|was|are|not|does|do|did|would|can|cannot|could|might|may|has|have|looks?))\b"
)
_IT = re.compile(r"(?:it|this|that|there|the answer)(?:'s| is| are| was| shows)\s+", re.IGNORECASE)


class Claim(NamedTuple):
    """A letter at its place in an answer."""

    start: int
    end: int
    letter: str


class Read(NamedTuple):
    """What the letters of an answer say."""

    place: int | None
    """The choice, counted from 0; None: none, or it cannot be told."""
    letter: str
    why: str
    """Why it cannot be told; empty if it can or if there are no letters."""
    words: str = ""
    """The words right behind the letter, which may be the choice's text."""
    back: str = ""
    """What follows where the answer goes back on the letter."""
    claimed: bool = False
    denied: frozenset[int] = frozenset()
    """Choices whose letters are denied."""


def read(answer: str, count: int, enumerated: frozenset[int] = frozenset()) -> Read:
    """Read the letters of an answer with so many choices.

    Args:
        answer: Without thoughts, marks and Markdown.
        count: How many choices were offered.
        enumerated: Choices that the answer repeats with letter and text, as a list; those letters
            claim nothing.
    """
    places = _places(count)
    claims = _claims(answer, places, enumerated)
    denied = frozenset(
        places[claim.letter]
        for claim in _all(_BARE, answer)
        if claim.letter in places and _denied(answer, claim)
    )
    if claims:
        return _last(answer, claims, places, denied)
    mentions = [
        claim
        for claim in _all(_MENTION, answer)
        if not _denied(answer, claim) and places.get(claim.letter, -1) not in enumerated
    ]
    named = sorted({mention.letter for mention in mentions})
    if len(named) > 1:
        return Read(None, "", f"several letters: {', '.join(named)}", denied=denied)
    if not named:
        return Read(None, "", "", denied=denied)
    if any(_listed(answer, claim) for claim in mentions):
        return Read(None, named[0], "several letters are offered", denied=denied)
    return _known(named[0], places, denied)


def begins(answer: str, count: int) -> bool:
    """Whether an answer with so many choices is a letter or begins with one."""
    alone = ALONE.fullmatch(answer.strip())
    return alone is not None or any(_first(answer, _places(count)))


def _places(count: int) -> dict[str, int]:
    return {letter(place): place for place in range(count)}


def _claims(answer: str, places: dict[str, int], enumerated: frozenset[int]) -> list[Claim]:
    first = [] if enumerated else list(_first(answer, places))
    claims = [*first]
    for pattern in (_STATED, _CHOSEN, _RIGHT, _IT_IS, _LONE):
        claims += [
            claim
            for claim in _all(pattern, answer)
            if not _denied(answer, claim) and not _unsure(answer, claim)
        ]
    listed = {_begins_line(answer, name) for name, place in places.items() if place in enumerated}
    # Of claims at one place the longest pattern says no more than the others.
    return sorted(
        {claim for claim in claims if claim.start not in listed}, key=lambda claim: claim.end
    )


def _begins_line(answer: str, name: str) -> int:
    """Return where the first line that begins with a letter has it, as a list of choices does."""
    match = re.search(rf"^[ \"'*(\[]*({name})[).:\]]", answer, re.MULTILINE)
    return match.start(1) if match else -1


def _first(answer: str, places: dict[str, int]) -> Iterator[Claim]:
    match = _FIRST.match(answer) or _FIRST_LOW.match(answer)
    if match is None:
        return
    claim = _claim(match)
    # Two capitals may be any word: "TV", "US".
    if (len(claim.letter) == 1 or claim.letter in places) and not _denied(answer, claim):
        yield claim


def _last(
    answer: str, claims: Sequence[Claim], places: dict[str, int], denied: frozenset[int]
) -> Read:
    claim = claims[-1]
    if _listed(answer, claim):
        return Read(None, claim.letter, "several letters are offered", denied=denied)
    behind = answer[claim.end :]
    back = markup.TAKEN_BACK.search(behind)
    if back:
        others = {
            later.letter
            for later in _all(_BARE, behind[back.start() :])
            if later.letter in places and later.letter != claim.letter
        }
        if others:
            return Read(None, claim.letter, f"letter {claim.letter} is taken back", denied=denied)
    known = _known(claim.letter, places, denied)
    return known._replace(
        words=_said(claim.letter, behind), claimed=True, back=behind[back.end() :] if back else ""
    )


def _known(name: str, places: dict[str, int], denied: frozenset[int]) -> Read:
    if name not in places:
        why = f"letter {name} is none of {len(places)} choices"
        return Read(None, name, why, denied=denied)
    return Read(places[name], name, "", denied=denied)


def _listed(answer: str, claim: Claim) -> bool:
    """Say whether other letters stand beside this one as a list: "A or B"."""
    other = _LISTED.match(answer, claim.end) or _LISTED_BEFORE.search(
        answer[max(0, claim.start - 40) : claim.start]
    )
    return other is not None and _claim(other).letter != claim.letter


def _said(name: str, behind: str) -> str:
    """Return the words right behind a letter up to the first sign of an explanation."""
    if name == "A" and behind.startswith(":"):  # "A: it is a cat" may mean "Answer: ...".
        return re.split(r"[.!?\n]", behind[1:].lstrip())[0]
    rest = _IT.sub("", behind.lstrip(" )]}\"'.:,;*–—-="), count=1)
    end = _SEGMENT_END.search(rest)
    if end is None:
        return rest
    return "" if end["verb"] else rest[: end.start()]


def _all(pattern: re.Pattern[str], answer: str) -> Iterator[Claim]:
    for match in pattern.finditer(answer):
        yield _claim(match)


def _claim(match: re.Match[str]) -> Claim:
    group = next(at for at in range(1, len(match.groups()) + 1) if match[at])
    return Claim(match.start(group), match.end(group), match[group].upper())


def _denied(answer: str, claim: Claim) -> bool:
    before = answer[max(0, claim.start - 60) : claim.start]
    return bool(_DENIAL.search(before) or _DENIED_AFTER.match(answer, claim.end))


def _unsure(answer: str, claim: Claim) -> bool:
    near = answer[max(0, claim.start - SENTENCE) : claim.start]
    before = re.split(r"[.!?;\n]|,\s+(?:but|so)\b", near)[-1]
    return _UNSURE.search(_WOULD_SAY.sub("", before)) is not None
