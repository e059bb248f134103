"""What a judge model's reply says: a whole word or an anchored number, or nothing."""

import re
import unicodedata

from evalcore.marks import without_thoughts

PARSER = "1"
"""Changes with the patterns here; it is part of the version of every judge that reads replies."""

_LEAD = r"\A[\s*_`#>\"'“”‘’(\[|]*"
_YES_NO = re.compile(_LEAD + r"(?:answer\s*:[\s*_`\"'‘“]*)?(yes|no)(?![\w-]|['’]\w)", re.IGNORECASE)
# "yes or no", "yes/no" and "no, yes" say nothing; "no doubt" and "no one" are other words.
_UNDECIDED = re.compile(
    r"\A(?:[^\w.!]*(?:(?:or|and|but)\b[^\w.!]*)?(?:yes|no)\b"
    r"|\s+(?:doubt|one|idea|question|problem|way|matter)\b)",
    re.IGNORECASE,
)
_GRADE = re.compile(
    _LEAD + r"(?:(?:the\s+)?(?:correctness|score|grade|answer)(?:\s+score)?"
    r"[\s*_`]*(?:is\b|:|=)?[\s*_`|]*)?([0-9]+(?:[.,][0-9]+)?|\.[0-9]+)"
    r"(?!\w|[.,][0-9]|\s*%|\s*[-–]\s*[0-9.]|\s+(?:or|to)\s+[0-9.])"
    r"(?:\s*(?:/|out of)\s*(?P<of>[0-9.]+))?",
    re.IGNORECASE,
)


def yes_no(reply: str) -> bool | None:
    """Return what the first whole word of a reply says, or None.

    Marks around the word and a leading "Answer:" do not count. A longer word ("yesterday"), a
    denial ("not yes"), another word ("correct"), a refusal and "yes or no" say nothing.

    Example:
        >>> yes_no("**Yes**, because the dog is brown."), yes_no("Not yes."), yes_no("eyes")
        (True, None, None)
    """
    text = unicodedata.normalize("NFKC", without_thoughts(reply))
    found = _YES_NO.match(text)
    if found is None or _UNDECIDED.match(text[found.end() :]):
        return None
    return found[1].lower() == "yes"


def grade(reply: str) -> float | None:
    """Return the number from 0 to 1 with which a reply begins, or None.

    Marks, table bars and a leading "Score:" do not count; any number of decimals does. A number
    outside the range, a per cent, a range ("0.4-0.6"), a share of anything but 1 ("1/10") and words
    give None; nothing is clipped.

    Example:
        >>> grade("**0.8** because"), grade("Score: .5"), grade("2"), grade("nan"), grade("1/10")
        (0.8, 0.5, None, None, None)
    """
    found = _GRADE.match(unicodedata.normalize("NFKC", without_thoughts(reply)))
    if found is None or (found["of"] and found["of"].rstrip(".") not in ("1", "1.0")):
        return None
    value = float(found[1].replace(",", "."))
    return value if value <= 1 else None
