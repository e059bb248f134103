"""Text that others wrote, made harmless: what hides in it goes, and what poses as a field is told.

A reader, and a language model as well, takes letters by their look: a field's name may be written
with letters of another alphabet, with marks over them, or with characters between them that nobody
sees.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

_JOINERS = "\u200c\u200d"
_JOINED = (
    "ARABIC", "SYRIAC", "NKO", "MONGOLIAN", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI",
    "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "KHMER", "MYANMAR", "TIBETAN",
)  # fmt: skip
"""Scripts whose words need joiners."""
_VARIANTS = "\ufe0e\ufe0f"
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\u2800") | {
    chr(code) for codes in (range(0x180B, 0x1810), range(0xFE00, 0xFE0E), range(0xE0100, 0xE01F0))
    for code in codes
}  # fmt: skip
"""Letters, marks and selectors that have no look of their own."""
_COLONS = frozenset(":：∶ː˸꞉︓﹕։׃܃፡᛬⁚ꓽ")
_BARS = re.compile("[|｜￨│┃║∣❘ǀ¦⏐▏︱⎮⎪]")

# What looks like a Latin letter, as far as names of fields need it.
_LIKE = str.maketrans(
    {
        look: letter
        for letter, looks in {
            "a": "аαɑ", "c": "сϲ", "d": "ԁɗ", "e": "еεєҽ3", "f": "ƒẝ", "i": "іιıɩ1", "n": "ոпη",
            "o": "оοօσ0", "q": "ԛզ", "r": "гⲅ", "s": "ѕꜱ5", "t": "тτ", "u": "υսцμ", "w": "ԝωա",
        }.items()
        for look in looks
    }
)  # fmt: skip


def visible(text: str) -> str:
    """Return text without what has no look: controls, fillers, joiners that join nothing.

    Example:
        >>> visible("Refer\\u200dence"), visible("می\\u200cخواهم")
        ('Reference', 'می\\u200cخواهم')
    """
    return "".join(char for at, char in enumerate(text) if _seen(text, at, char))


def _seen(text: str, at: int, char: str) -> bool:
    if char in _JOINERS:
        return _joins(text[at - 1 : at]) and _joins(text[at + 1 : at + 2])
    if char in _VARIANTS:
        return unicodedata.category(text[at - 1 : at] or "a")[0] in "SNP"
    return char not in _UNSEEN and unicodedata.category(char)[0] != "C"


def _joins(char: str) -> bool:
    if not char:
        return False
    return (
        char in _VARIANTS
        or unicodedata.category(char) in ("So", "Sk")
        or unicodedata.name(char, "").startswith(_JOINED)
    )


def without_fields(text: str, names: Sequence[str]) -> str:
    """Return text in which no name of a field stands before a colon; the colon becomes a dash.

    Args:
        text: In one line.
        names: In lower case; a name may be written apart, together, or in letters that look alike.

    Example:
        >>> without_fields("red Refеrence-Answers： blue", ["reference answers"])
        'red Refеrence-Answers - blue'
    """
    looks = list(_looks(text))
    line = "".join(look for look, _ in looks)
    for match in reversed(list(_names(names).finditer(line))):
        start, end = looks[match.end(1) - 1][1] + 1, looks[match.end() - 1][1] + 1
        text = f"{text[:start]} -{text[end:]}"
    return text


def _looks(text: str) -> Iterator[tuple[str, int]]:
    """Yield what each character looks like, and its place; marks over letters look like nothing."""
    for at, char in enumerate(text):
        if char in _COLONS:
            yield ":", at
            continue
        for part in unicodedata.normalize("NFKD", char).casefold().translate(_LIKE):
            if part.isalnum():
                yield part, at
            elif unicodedata.category(part)[0] not in "MC":
                yield ":" if part in _COLONS else " ", at


def _names(names: Sequence[str]) -> re.Pattern[str]:
    spaced = "|".join(" {0,2}".join(name.replace(" ", "")) for name in names)
    return re.compile(rf"(?<![^\W_])({spaced}) {{0,3}}:")


def without_bars(text: str) -> str:
    """Return text in which no bar, nor what looks like one, can end a table's cell."""
    return _BARS.sub("&#124;", text)
