"""Published ways of scoring, written anew from their descriptions, to hold the rule judges against.

Nothing of the product uses them. Sources: Antol et al. 2015 and visualqa.org/evaluation.html (VQA
accuracy); Biten et al. 2019 and the DocVQA evaluation (ANLS); Masry et al. 2022, section 5.1
(relaxed accuracy); Yue et al. 2024 (MMMU's reading of choices); Lu et al. 2024 (MathVista's
comparison of numbers); Yu et al. 2024 (MM-Vet v2's reading of a grade); the VQA360 repository
(GoEval's of a word).
"""

import re
from collections.abc import Sequence

_MARKS = ';/[]"{}()=+\\_-><@`,?!'
_DIGITS = dict(
    zip(
        ["none", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
         "ten"],
        ["0", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"],
        strict=True,
    )
)  # fmt: skip
_SHORT = {"dont": "don't", "isnt": "isn't", "cant": "can't", "doesnt": "doesn't", "its": "its"}


def vqa_accuracy(answer: str, references: Sequence[str]) -> float:
    """Mean over all but one of the references of min(1, matches / 3).

    The official program normalises only where the references are not all the same.
    """
    given = [reference.replace("\n", " ").replace("\t", " ").strip() for reference in references]
    said = answer.replace("\n", " ").replace("\t", " ").strip()
    if len(set(given)) > 1:
        given, said = [_vqa(reference) for reference in given], _vqa(said)
    scores = []
    for left_out in range(len(given)):
        others = given[:left_out] + given[left_out + 1 :]
        scores.append(min(1.0, others.count(said) / 3))
    return sum(scores) / len(scores)


def _vqa(text: str) -> str:
    out = text
    for mark in _MARKS:
        near_space = f"{mark} " in text or f" {mark}" in text
        grouped = re.search(r"\d,\d", text) is not None
        out = out.replace(mark, "" if near_space or grouped else " ")
    out = re.sub(r"\.(?!\d)", "", out).lower()
    words = [_DIGITS.get(word, word) for word in out.split()]
    words = [word for word in words if word not in ("a", "an", "the")]
    return " ".join(_SHORT.get(word, word) for word in words)


def anls(answer: str, references: Sequence[str]) -> float:
    """Best of 1 - distance / longer length, 0 below a half; case and spaces do not count."""
    said = " ".join(answer.strip().lower().split())
    best = 0.0
    for reference in references:
        given = " ".join(reference.strip().lower().split())
        longer = max(len(said), len(given))
        best = max(best, 1 - _distance(said, given) / longer if longer else 0.0)
    return best if best >= 0.5 else 0.0


def _distance(one: str, other: str) -> int:
    table = [[at + to if 0 in (at, to) else 0 for to in range(len(other) + 1)]
             for at in range(len(one) + 1)]  # fmt: skip
    for at in range(1, len(one) + 1):
        for to in range(1, len(other) + 1):
            table[at][to] = min(
                table[at - 1][to] + 1,
                table[at][to - 1] + 1,
                table[at - 1][to - 1] + (one[at - 1] != other[to - 1]),
            )
    return table[-1][-1]


def relaxed_accuracy(answer: str, references: Sequence[str]) -> float:
    """Numbers within 5 % of the first reference, other text the same but for its case."""
    said, given = _float(answer), _float(references[0])
    if said is not None and given:
        return float(abs(said - given) / abs(given) <= 0.05)
    return float(answer.lower() == references[0].lower())


def _float(text: str) -> float | None:
    try:
        return float(text.rstrip("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None


def mmmu_choice(answer: str, choices: Sequence[str]) -> str | None:
    """The letter that MMMU's evaluation takes an answer for; None where it draws one at random."""
    text = f" {answer.strip(chr(44)).strip('.').strip('!?;:').strip(chr(39))} "
    letters = [chr(ord("A") + place) for place in range(len(choices))]
    for shape in ("({})", "{} ", "{}."):
        found = [letter for letter in letters if shape.format(letter) in text]
        if found:
            last = "({})" if shape == "({})" else " {} "
            return max(found, key=lambda letter: text.rfind(last.format(letter)))
    if len(text.split()) <= 5:
        return None
    low = text.lower()
    texts = {letter: choice.lower() for letter, choice in zip(letters, choices, strict=True)}
    named = [letter for letter in letters if texts[letter] in low]
    return max(named, key=lambda letter: low.rfind(texts[letter])) if named else None


def exact(answer: str, references: Sequence[str]) -> float:
    """The same text but for outer spaces."""
    return float(answer.strip() in [reference.strip() for reference in references])


def mathvista_number(answer: str, references: Sequence[str], precision: int = 2) -> float:
    """An extracted number of MathVista: whole numbers cut, others rounded, compared as text."""

    def form(text: str) -> str:
        try:
            value = float(text)
        except (ValueError, OverflowError):
            return text
        whole = "." not in references[0]
        return str(int(value)) if whole else str(round(value, precision))

    return float(form(answer.strip()) == form(references[0].strip()))


def mmvet_grade(reply: str) -> float | None:
    """What stands before the first space, if it is a number from 0 to 1."""
    try:
        value = float(reply.split(" ")[0].strip())
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def goeval_word(reply: str) -> float:
    """1 if the letters "yes" stand anywhere in a reply, else 0."""
    return float("yes" in reply.lower())
