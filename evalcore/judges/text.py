"""How answers are made comparable before rules compare them.

Two normalisations: ``vqa_normalise`` follows the official VQA evaluation step by step (Antol et al.
2015, visualqa.org/evaluation.html); ``normalise`` is our own, for every script.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest

from evalcore import markup
from evalcore.judges import latex

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
SMALL_NUMBERS = {word: str(number) for number, word in enumerate([*ONES.split(), "twenty"])} | {
    "none": "0"
}
ARTICLES = frozenset({"a", "an", "the"})
VQA_DIGITS = {word: digit for word, digit in SMALL_NUMBERS.items() if int(digit) <= 10}
REMEMBERED = 1024
"""Texts whose form is kept: answers and references of visual questions are often the same word."""
VQA_MARKS = ';/[]"{}()=+\\_-><@`,?!'

_SUPERSCRIPTS = str.maketrans(
    {mark: f"^{digit}" for digit, mark in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")} | {"⁻": "^-"}
)
_PLAIN = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "−": "-", "‐": "-", "‑": "-", "⁄": "/"})
_GROUPED = re.compile(r"(?<=\d)[\u00a0\u2009\u202f'](?=\d{3}(?!\d))")
_EMPHASIS = re.compile(
    r"(?<![\w*_`])(\*{1,3}|_{1,3}|`{1,3})(?=\S)(.{1,2000}?)(?<=\S)\1(?![\w*_`])", re.DOTALL
)
_LINE_MARK = re.compile(r"^[ \t]*(?:#{1,6}|>|[-*+•])[ \t]+|^```\w*$", re.MULTILINE)
_OFFERED_TOO = re.compile(r"\s*[$.*]*\s*(?:,|/|;|\band\b|\bor\b|\bund\b|\boder\b)[\s$*]*")
NESTED = 8
"""So many marks inside one another are looked through."""


@lru_cache(maxsize=REMEMBERED)
def clean(text: str) -> str:
    """Return text with one way of writing each character, and without invisible ones.

    Unicode NFKC, after superscripts have become ``^2`` and ``1½`` has become ``1 ½``, which NFKC
    would read as another number; curly apostrophes and minus signs become the plain ones; digits
    of every script become 0 to 9; thin spaces inside numbers go.
    """
    text = text.translate(_SUPERSCRIPTS).replace("^-^", "^-").translate(_PLAIN)
    text = "\n".join(_GROUPED.sub("", text).replace("\t", " ").splitlines())
    text = re.sub(r"(?<=\d)(?=[¼-¾⅐-⅞])", " ", text)
    text = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    text = re.sub(r"\d", lambda match: str(unicodedata.decimal(match[0])), text)
    return "".join(char for char in text if char == "\n" or unicodedata.category(char)[0] != "C")


@lru_cache(maxsize=REMEMBERED)
def answer_of(text: str) -> str:
    """Return the part of a model's text that is its answer; empty if it only thought aloud.

    Thoughts and ends of turns go (``evalcore.markup``). What the last mark of an answer holds is
    the answer: a tag, a box, or the line behind "Answer:" or "The answer is" at a sentence's start;
    with what follows it, where that takes it back ("Wait, ..."). Without marks all of the text is.
    Markdown goes, and formulas become plain characters (``latex.plain``).

    Example:
        >>> answer_of("<think>5?</think>So it is \\\\boxed{7}, that is 3 plus 4.")
        '7'
    """
    spoken = _without_markdown(clean(markup.turn(text)))
    for _ in range(NESTED):
        inner = _marked(spoken)
        if inner == spoken:
            break
        spoken = inner
    return _without_markdown(latex.plain(spoken)).strip()


@lru_cache(maxsize=REMEMBERED)
def comparable(text: str) -> str:
    """Return a reference or a choice as an answer is read: both sides get the same treatment."""
    return answer_of(text) or clean(text).strip()


def concluded(text: str) -> bool:
    """Whether a text marks its answer and goes on, or closes the mark: the answer's end is known.

    Example:
        >>> concluded(r"\\boxed{42}"), concluded("The answer is 4"), concluded("2 dogs and 4")
        (True, False, False)
    """
    spoken = _without_markdown(clean(markup.turn(text)))
    spans = _spans(spoken)
    return bool(spans) and (max(spans)[1] < len(spoken) or spoken[-1] in "}>]")


def _spans(text: str) -> list[tuple[int, int, str]]:
    """The marks of an answer in a text: where each begins and ends, and what it holds."""
    return [*_tagged(text), *latex.boxed(text), *_labelled(text)]


def _marked(text: str) -> str:
    """Return what the last mark of an answer in a text holds; the text itself if there is none."""
    spans = _spans(text)
    if not spans:
        return text
    start, end, inner = max(spans)
    for before in sorted(spans, reverse=True)[1:]:
        # Two boxes side by side are one answer, which offers both.
        if before[1] <= start and _OFFERED_TOO.fullmatch(text[before[1] : start]):
            inner, start = f"{before[2]} {text[before[1] : start].strip()} {inner}", before[0]
    behind = markup.ANSWER_CLOSES.sub("", text[end:])
    return f"{inner}\n{behind}" if markup.TAKEN_BACK.search(behind) else inner


def _tagged(text: str) -> Iterator[tuple[int, int, str]]:
    for opened in markup.ANSWER_OPENS.finditer(text):
        closed = markup.ANSWER_CLOSES.search(text, opened.end())
        inner = text[opened.end() : closed.start() if closed else len(text)]
        yield opened.start(), closed.end() if closed else len(text), inner


def _labelled(text: str) -> Iterator[tuple[int, int, str]]:
    for label in markup.LABEL.finditer(text):
        end = text.find("\n", label.end())
        end = len(text) if end < 0 else end
        closed = markup.ANSWER_CLOSES.search(text, label.end(), end)
        end = closed.start() if closed else end
        if inner := text[label.end() : end].strip():
            yield label.start(), end, inner


def _without_markdown(text: str) -> str:
    plain = _LINE_MARK.sub("", text)
    for _ in range(2):  # One may stand inside another.
        plain = _EMPHASIS.sub(r"\2", plain)
    return plain


def normalise(text: str, articles: bool = False) -> str:
    """Return an answer's words for comparison, in any script; with its articles if so wished.

    Case, articles before a word, punctuation and apostrophes do not count;
    numbers from zero to twenty become digits. What changes a meaning stays: decimal points, signs,
    ``%``, currencies, ``+`` and ``#``.

    Example:
        >>> normalise("The Two-storey house.")
        '2 storey house'
        >>> normalise("1,250 %") == normalise("1250%")
        True
    """
    text = " ".join(clean(text).casefold().replace("'", "").split())
    text = re.sub(r"\b(?:\w\.){2,}", lambda match: match[0].replace(".", ""), text)
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    text = "".join(_mark(text, at) for at in range(len(text)))
    words = [
        SMALL_NUMBERS.get(word, word) for word in " ".join(text.split()).replace(" %", "%").split()
    ]
    if articles:
        return " ".join(words)
    # An article at the end is none: vitamin A.
    return " ".join(
        word for word, more in zip_longest(words, words[1:]) if more is None or word not in ARTICLES
    )


def _mark(text: str, at: int) -> str:
    """Return the character, or a space if it is punctuation that means nothing at its place."""
    char = text[at]
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if not unicodedata.category(char).startswith("P") and char != "`" or char in "%&":
        return char
    inside_number = char in ".,:/-" and before.isdigit() and after.isdigit()
    sign = char == "-" and not before.strip() and after.isdigit()
    return char if inside_number or sign or (char == "#" and before.isalpha()) else " "


def vqa_normalise(text: str) -> str:
    """Return an answer as the official VQA evaluation compares it.

    In its order: line breaks and tabs to spaces; each punctuation mark goes where it touches a
    space anywhere in the answer, or if the answer has a comma between digits, and becomes a space
    otherwise; periods go unless a digit follows; lower case; none and zero to ten to digits;
    articles go; apostrophes come back into contractions. Two things are ours: characters are first
    made uniform (``clean``), and an answer of nothing but articles stays as it is.

    Example:
        >>> vqa_normalise("The Two dogs, dont!")
        "2 dogs don't"
    """
    text = clean(text).replace("\n", " ").replace("\t", " ").strip()
    everywhere = re.search(r"\d,\d", text) is not None
    table = {
        ord(mark): "" if everywhere or f"{mark} " in text or f" {mark}" in text else " "
        for mark in VQA_MARKS
    }
    words = re.sub(r"\.(?!\d)", "", text.translate(table)).lower().split()
    words = [VQA_DIGITS.get(word, word) for word in words]
    kept = [word for word in words if word not in ARTICLES] or words
    return " ".join(CONTRACTIONS.get(word, word) for word in kept)


def _contractions() -> dict[str, str]:
    """Spell each contraction without one or more of its apostrophes, and say what it stands for."""
    wholes = [f"{verb}n't" for verb in _NOT.split()] + _SINGLE.split()
    for ending, starts in _ENDINGS.items():
        wholes += [f"{start}'{ending}" for start in starts.split()]
    wholes += [f"{whole}'ve" for whole in wholes if whole.endswith(("n't", "'d"))]
    table = {}
    for whole in wholes:
        parts = whole.split("'")
        for cut in range(1, len(parts)):
            broken = "'".join([*parts[: cut - 1], parts[cut - 1] + parts[cut], *parts[cut + 1 :]])
            table[broken] = whole
        table["".join(parts)] = whole
    return {broken: whole for broken, whole in table.items() if broken not in _WORDS}


_NOT = "ai are ca could did does do had has have is might must need sha should was were wo would"
_SINGLE = "i'm let's ma'am o'clock 'twas y'all"
_ENDINGS = {
    "ve": "i you we they could should would might must who what",
    "d": "i he she it we you they there that who what where how why somebody someone something",
    "ll": "i he she it we you they there that who what how somebody someone something y'all",
    "re": "you we they what why",
    "s": "he she it that there what when where who how why somebody someone something",
}
# Without their apostrophe these are words of their own.
_WORDS = frozenset({"id", "ill", "its", "shed", "shell", "hell", "wed", "well", "were"})
CONTRACTIONS = _contractions()
