"""LaTeX as plain text: what an answer's formula says, in the characters that rules compare.

A small reader of commands and balanced groups, because rules need text (``1/2``, ``1,234``) and no
algebra. It never guesses: a command that it does not know, or a fraction or a power of anything but
plain numbers, stays as written, and ``numbers`` reads no number out of it.
"""

import re

from evalcore import markup

_SYMBOLS = {
    "times": "×", "cdot": "·", "ast": "*", "div": "÷", "pm": "±", "mp": "∓", "approx": "≈",
    "sim": "~", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠",
    "pi": "π", "infty": "∞", "degree": "°", "circ": "°", "percent": "%", "ldots": "...",
    "dots": "...", "cdots": "...", "to": "→", "rightarrow": "→", "lt": "<", "gt": ">",
    "textdollar": "$", "pounds": "£", "euro": "€", "quad": " ", "qquad": " ", "newline": "\n",
    "left": "", "right": "", "big": "", "Big": "", "bigl": "", "bigr": "", "displaystyle": "",
    "textstyle": "", "limits": "", "nolimits": "",
}  # fmt: skip
_WRAPS = frozenset(
    ["text", "textbf", "textit", "textrm", "texttt", "textsf", "textnormal", "mathrm", "mathbf",
     "mathit", "mathsf", "mathtt", "mathbb", "mathnormal", "operatorname", "mbox", "hbox",
     "boldsymbol", "bm", "underline", "emph", "rm", "bf"]
)  # fmt: skip
"""Commands that only say how their group looks."""
_FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac"})
_ESCAPED = "%$#&_{} "
_SPACES = ",;:! \n"
LONGEST = 500
"""Characters of a group in a formula; what is longer is no number."""
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
_COMMAND = re.compile(r"\\([A-Za-z]+)[ \t]*")
_HINT = re.compile(r"\\|\$|\{,\}|[\^_]\{")
_MATH = re.compile(
    r"\$\$(.+?)\$\$|(?<!\\)\$(?=[^\s$])((?:\\.|[^$\\])*?[^\s$\\])\$(?!\d)|\\\((.+?)\\\)|\\\[(.+?)\\\]",
    re.DOTALL,
)
_THOUSANDS = re.compile(r"(?<=\d)(?:\{,\}|\\,\s?|\\!|~|\\ )(?=\d{3}(?!\d))")
_GROUP = re.compile(r"(?<![\\\w}\]^_])\{([-\d.,/ ]+)\}")
_LEFT = re.compile(r"\\[A-Za-z]+|[{}]|\^(?![-+]?\d)|_(?=\{|\d)|√|�")


def plain(text: str) -> str:
    r"""Return a text with its formulas in plain characters.

    Dollar signs around a formula go, those of money stay: a formula touches both its dollars, and
    no digit follows it.

    Example:
        >>> plain(r"$\frac{1}{2}$ of $1{,}234$ is \(617\), at $90^{\circ}$ and 42\%")
        '1/2 of 1,234 is 617, at 90° and 42%'
        >>> plain(r"from $5 to $6"), plain(r"\sqrt{2}")
        ('from $5 to $6', '\\sqrt{2}')
    """
    if not _HINT.search(text):
        return text
    try:
        return _read(_MATH.sub(_formula, _GROUP.sub(r"\1", _THOUSANDS.sub(",", text))))
    except RecursionError:  # Groups in groups in groups: no formula that anyone meant.
        return text


def left_over(text: str) -> re.Match[str] | None:
    """Return the first markup of a formula that ``plain`` could not read, if any."""
    return _LEFT.search(text)


def group_end(text: str, start: int, longest: int = LONGEST) -> int | None:
    r"""Return the place after the brace that closes the one at ``start``; None if none does."""
    depth = 0
    for at in range(start, min(len(text), start + longest)):
        if text[at] in "{}" and text[at - 1 : at] != "\\":
            depth += 1 if text[at] == "{" else -1
            if not depth:
                return at + 1
    return None


def _formula(match: re.Match[str]) -> str:
    """Return what stands between a formula's marks; a tie is a space there."""
    return next(part for part in match.groups() if part).replace("~", " ")


def _read(text: str) -> str:
    out: list[str] = []
    at = 0
    while at < len(text):
        part, at = _next(text, at, out)
        out.append(part)
    return "".join(out)


def _next(text: str, at: int, before: list[str]) -> tuple[str, int]:
    """Read one command, script or character; return what it says and where the next begins."""
    char = text[at]
    if char == "\\":
        return _command(text, at, before)
    if char in "^_" and text[at + 1 : at + 2] in ("{", "\\"):
        return _script(text, at)
    return char, at + 1


def _command(text: str, at: int, before: list[str]) -> tuple[str, int]:
    match = _COMMAND.match(text, at)
    if match is None:
        char, after = text[at], text[at + 1 : at + 2]
        if after and after in _ESCAPED:
            return after, at + 2
        return (" ", at + 2) if after and after in _SPACES else (char + after, at + 2)
    name, end = match[1], match.end()
    if name in _SYMBOLS:
        return _SYMBOLS[name], end
    if name in _WRAPS:
        inner, end = _argument(text, end)
        return (_read(inner.replace("~", " ")), end) if inner is not None else ("", end)
    if name in _FRACTIONS and (fraction := _fraction(text, end, before)):
        return fraction
    return text[at : at + 1 + len(name)], at + 1 + len(name)


def _argument(text: str, at: int) -> tuple[str | None, int]:
    """Return a group's contents, or one character, and the place behind; None if there is none."""
    if text[at : at + 1] == "{":
        end = group_end(text, at)
        return (None, at) if end is None else (text[at + 1 : end - 1], end)
    return (text[at], at + 1) if text[at : at + 1].isalnum() else (None, at)


def _fraction(text: str, at: int, before: list[str]) -> tuple[str, int] | None:
    """Return a fraction of two plain numbers as ``1/2``; None if it is none."""
    top, at = _argument(text, at)
    bottom, end = _argument(text, at)
    parts = [_read(part).strip() for part in (top, bottom) if part is not None]
    if len(parts) < 2 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    # A mixed number: 3\frac{1}{2} is 3 1/2.
    space = " " if "".join(before[-1:]).isdigit() else ""
    return f"{space}{parts[0]}/{parts[1]}", end


def _script(text: str, at: int) -> tuple[str, int]:
    inner, end = (None, at + 1)
    if text[at + 1] == "{":
        inner, end = _argument(text, at + 1)
    elif match := _COMMAND.match(text, at + 1):
        inner, end = match[0].strip(), match.end()
    inside = None if inner is None else _read(inner).strip()
    if inside in ("°", "%"):
        return inside, end
    if inside is not None and text[at] == "^" and re.fullmatch(r"-?\d+|[A-Za-z]", inside):
        return f"^{inside}", end
    return text[at], at + 1


def boxed(text: str) -> list[tuple[int, int, str]]:
    r"""Return the boxes of a text (``\boxed{...}``): start, end and contents, the outer of two.

    Example:
        >>> boxed(r"so \boxed{\frac{1}{2}}.")
        [(3, 22, '\\frac{1}{2}')]
    """
    boxes, at = [], 0
    while box := markup.BOX.search(text, at):
        end = group_end(text, box.end(), len(text))
        if end is None:  # Cut off: what there is.
            boxes.append((box.start(), len(text), text[box.end() + 1 :]))
            break
        boxes.append((box.start(), end, text[box.end() + 1 : end - 1]))
        at = end
    return boxes
