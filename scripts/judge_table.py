"""Write the table of docs/judges.md: each rule judge held against the published way of scoring.

    python -m scripts.judge_table            # print the page
    python -m scripts.judge_table --write    # write docs/judges.md

Answers are generated from a seed in named forms. Every form in which a judge differs from the
published rule must have a reason in ``WHY``; a difference without one is an error.
"""

import argparse
import random
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from bench import answers, published
from evalcore.home import ROOT
from evalcore.judges import make
from evalcore.judges.replies import grade, yes_no
from evalcore.records import Item, Prediction

PAGE = ROOT / "docs" / "judges.md"
BEGIN, END = "<!-- begin: python -m scripts.judge_table --write -->", "<!-- end -->"
SEED, N = 0, 2_000
WORDS = [
    "red",
    "blue",
    "dark red",
    "two dogs",
    "a bus",
    "Paris",
    "New York",
    "stop sign",
    "no",
    "yes",
]


class Pair(NamedTuple):
    """One answer, scored twice."""

    form: str
    ours: float | None
    theirs: float | None


def _judged(
    rule: str, text: str, given: tuple[str, ...], choices: tuple[str, ...] = ()
) -> float | None:
    return make(rule).judge(Item("b", "1", "?", given, (), choices), Prediction("1", text)).score


def _word(rng: random.Random) -> tuple[str, str]:
    """A word or number as people write it, and the name of the way."""
    word = rng.choice(WORDS)
    form, text = rng.choice([
        ("as it is", word), ("capitals", word.capitalize()), ("a period", f"{word}."),
        ("an article", f"the {word}"), ("outer spaces", f" {word} "), ("a comma", f"{word}, yes"),
        ("a slip", word[:-1]), ("a sentence", f"It is {word}."), ("a number word", "two"),
        ("digits", str(rng.randint(0, 12))), ("a contraction", "dont know"), ("a line",
        f"{word}\n"),
        ("Markdown", f"**{word}**"), ("thoughts", f"<think>blue</think>{word}"),
        ("a box", f"\\boxed{{{word}}}"), ("a label", f"Answer: {word}"), ("full width", "ｒｅｄ"),
        ("a dash", word.replace(" ", "-")), ("nothing in common", "zebra crossing"),
    ])  # fmt: skip
    return form, text


def vqa(rng: random.Random) -> Pair:
    """A word against ten votes."""
    form, text = _word(rng)
    base = rng.choice(WORDS)
    count = rng.choice([10, 10, 10, 10, 6, 3])
    given = tuple(rng.choice([base, base, rng.choice(WORDS), base.capitalize()]) for _ in range(10))
    given = given if count < 10 or rng.random() < 0.7 else (base,) * 10
    if len(set(given)) == 1 and form != "as it is":
        form = f"{form}, all ten the same"
    return Pair(form, _judged("vqa-accuracy", text, given), published.vqa_accuracy(text, given))


def anls(rng: random.Random) -> Pair:
    """A word against one to three references."""
    form, text = _word(rng)
    given = tuple(rng.sample(WORDS, rng.choice([1, 1, 2, 3])))
    return Pair(form, _judged("anls", text, given), published.anls(text, given))


def exact(rng: random.Random) -> Pair:
    """A word against one reference."""
    form, text = _word(rng)
    given = (rng.choice(WORDS),)
    return Pair(form, _judged("exact", text, given), published.exact(text, given))


def _number(rng: random.Random) -> tuple[str, str, str]:
    value = rng.choice(
        [rng.randint(1, 60), rng.randint(1_000, 9_999), round(rng.uniform(1, 90), 2)]
    )
    said = (
        value if rng.random() < 0.4 else round(value * rng.choice([0.94, 0.96, 1.04, 1.06, 2]), 2)
    )
    form, text = rng.choice([
        ("as it is", f"{said}"), ("as it is", f"{said}"), ("thousands", f"{said:,}"),
        ("a currency", f"${said}"), ("per cent on one side", f"{said}%"), ("a unit", f"{said} kg"),
        ("a sentence", f"The value is {said}."), ("a period", f"{said}."), ("Markdown",
        f"**{said}**"),
        ("LaTeX", f"$\\boxed{{{said}}}$"), ("thoughts", f"<think>7</think>{said}"), ("words",
        "five"),
        ("outer spaces", f" {said} "), ("text", "Yes"), ("a tenth more", f"{said}0"),
    ])  # fmt: skip
    return form, text, "yes" if form == "text" else f"{value}"


def relaxed(rng: random.Random) -> Pair:
    """A number of a chart."""
    form, text, given = _number(rng)
    both = _judged("relaxed-accuracy", text, (given,)), published.relaxed_accuracy(text, (given,))
    return Pair(form, *both)


def number(rng: random.Random) -> Pair:
    """A number asked for."""
    form, text, given = _number(rng)
    both = _judged("number", text, (given,)), published.mathvista_number(text, (given,))
    return Pair(form, *both)


LETTERS = answers.FORMS[:7]


def choice(rng: random.Random) -> Pair:
    """An answer to a question with choices."""
    case = rng.choice(LETTERS)(rng)
    letter = published.mmmu_choice(case.text, case.choices)
    right = {chr(ord("A") + at) for at, text in enumerate(case.choices) if text in case.answers}
    right |= set(case.answers)
    theirs = None if letter is None else float(letter in right)
    return Pair(case.form, answers.score(case), theirs)


def _reply(rng: random.Random, plain: str) -> tuple[str, str]:
    return rng.choice([
        ("alone", plain), ("alone", plain), ("a period", f"{plain}."), ("a reason",
        f"{plain} because it fits"),
        ("a space before", f" {plain}"), ("Markdown", f"**{plain}**"), ("a label",
        f"Score: {plain}"),
        ("thoughts", f"<think>yes? 1</think>{plain}"), ("a box", f"\\boxed{{{plain}}}"),
        ("JSON", f'{{"score": {plain!r}, "answer": {plain!r}}}'.replace("'", '"')),
        ("other words", "Correct"), ("a longer word", "yesterday, eyes"), ("denied", "not yes"),
        ("both", "yes or no"), ("a refusal", "I cannot say."), ("a wrong range",
        "8"), ("no number", "nan"),
    ])  # fmt: skip


def mmvet(rng: random.Random) -> Pair:
    """A reply that should be a grade."""
    form, reply = _reply(rng, rng.choice(["0", "0.0", "0.3", "0.5", "0.8", "1.0", "1"]))
    return Pair(form, grade(reply), published.mmvet_grade(reply))


def goeval(rng: random.Random) -> Pair:
    """A reply that should be yes or no."""
    form, reply = _reply(rng, rng.choice(["yes", "no", "Yes", "No"]))
    said = yes_no(reply)
    return Pair(form, None if said is None else float(said), published.goeval_word(reply))


DRESS = "marks are read through here and are part of the text there"
SAME_TEN = "where all ten references are the same, the official program normalises nothing"
SEPARATE = "a number here, text there"
NOT_READ = "no score here: it cannot be told which is meant; there a letter is taken or drawn"
REPLY = "read here; an unreadable reply there, which is asked for again and in the end graded 0"
_DRESSED = dict.fromkeys(["Markdown", "thoughts", "a box", "a label", "full width", "LaTeX"], DRESS)
_TEN = dict.fromkeys(
    ["a period", "an article", "capitals", "a comma", "a contraction", "a line", "a dash"], SAME_TEN
)
_NUMBERS = dict.fromkeys(["thousands", "a currency", "a unit", "a period", "words"], SEPARATE)
_PER_CENT = "a sign on one side only is read both ways here; 5% is 0.05 there"
_UNREAD = "no score here; 0 there, which counts as a no"


class Way(NamedTuple):
    """A judge, what it is held against, how its answers are made, and why the two differ."""

    judge: str
    against: str
    make: Callable[[random.Random], Pair]
    why: dict[str, str]
    """By form of answer; without the words behind a comma."""


ALL = (
    Way("exact", "equality of texts", exact, _DRESSED),
    Way("vqa-accuracy", "VQA accuracy (Antol et al. 2015)", vqa, {**_DRESSED, **_TEN}),
    Way("anls", "ANLS (Biten et al. 2019; DocVQA's program)", anls, _DRESSED),
    Way(
        "relaxed-accuracy",
        "relaxed accuracy (Masry et al. 2022)",
        relaxed,
        {**_DRESSED, **_NUMBERS, "per cent on one side": _PER_CENT},
    ),
    Way(
        "number",
        "MathVista's comparison of numbers (Lu et al. 2024)",
        number,
        {
            **_DRESSED,
            **_NUMBERS,
            "per cent on one side": "a sign on one side only does not count here",
            "a sentence": "its number is found here; there a model extracts it before",
            "text": "no score here where the reference is no number",
            "as it is": "where the reference is whole, the answer's decimals are cut there",
            "a tenth more": "where the reference is whole, the answer's decimals are cut there",
            "outer spaces": "where the reference is whole, the answer's decimals are cut there",
        },
    ),
    Way(
        "choice",
        "MMMU's reading of choices (Yue et al. 2024)",
        choice,
        {
            "letter alone": "a small letter, a quoted one and one in a label are read here",
            "letter, then reasons": "there the last letter counts that stands anywhere, denied or "
            "not",
            "letter in a sentence": 'there any letter before a space counts, "A" and "I" too',
            "letter taken back": NOT_READ,
            "others denied": "there a denied choice counts like any other",
            "not to be told": NOT_READ,
            "words of a choice": "there short words are drawn at random, and A is a letter",
        },
    ),
    Way(
        "mmvet",
        "MM-Vet v2's reading of a grade (Yu et al. 2024)",
        mmvet,
        dict.fromkeys(
            ["a space before", "a box", "Markdown", "a label", "thoughts", "a period", "JSON"],
            REPLY,
        ),
    ),
    Way(
        "goeval",
        "GoEval's reading of a word (VQA360 repository)",
        goeval,
        {
            "thoughts": "there a yes in the thoughts counts",
            "JSON": "a field of JSON is read here",
            "a label": "no score here (a score that is a word); there any yes counts",
            "denied": "no score here; there any yes counts",
            "both": "no score here; there any yes counts",
            "a longer word": 'no score here; there the letters inside "eyes" count',
            "a wrong range": _UNREAD,
            "other words": _UNREAD,
            "no number": _UNREAD,
            "a refusal": _UNREAD,
        },
    ),
)


class Row(NamedTuple):
    """One judge held against one published way."""

    same: int
    differ: Counter[str]
    """Another score, by form."""
    unread: Counter[str]
    """A score on one side only, by form."""


def row(way: Way, n: int = N) -> Row:
    """Count on ``n`` generated answers; the same numbers on every machine."""
    rng = random.Random(SEED)
    found, same = Row(0, Counter(), Counter()), 0
    for pair in (way.make(rng) for _ in range(n)):
        both = pair.ours is not None and pair.theirs is not None
        if pair.ours == pair.theirs or (both and abs(pair.ours - pair.theirs) < 1e-9):
            same += 1
        else:
            (found.differ if both else found.unread)[pair.form] += 1
    return found._replace(same=same)


def unexplained(way: Way, found: Row) -> set[str]:
    """Forms in which the two differ without a reason in the list."""
    return {form for form in {*found.differ, *found.unread} if _form(form) not in way.why}


def _form(form: str) -> str:
    return form.removesuffix(", all ten the same")


def _reasons(way: Way, found: Row) -> str:
    counts: dict[str, Counter[str]] = {}
    for form, count in (found.differ + found.unread).items():
        ten = form != _form(form) and _form(form) not in _DRESSED
        reason = SAME_TEN if ten else way.why[_form(form)]
        counts.setdefault(reason, Counter())[_form(form)] += count
    told = sorted(counts.items(), key=lambda one: (-one[1].total(), one[0]))
    return "; ".join(f"{sum(n.values())} {', '.join(sorted(n))}: {why}" for why, n in told)


def table() -> str:
    """The table as Markdown."""
    lines = [
        "| judge | held against | same | other score | a score on one side only |",
        "|---|---|---|---|---|",
    ]
    differences = []
    for way in ALL:
        found = row(way)
        counts = f"{found.same:,} of {N:,} | {found.differ.total()} | {found.unread.total()}"
        lines.append(f"| `{way.judge}` | {way.against} | {counts} |")
        differences.append(f"- `{way.judge}`: {_reasons(way, found) or 'none'}.")
    return "\n".join([*lines, "", "Every difference, with the forms of answer it occurs in:", ""]
                     + differences)  # fmt: skip


def page(old: str) -> str:
    """The page with its table as it is today."""
    before, rest = old.split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


def main() -> None:
    """Print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}")
    text = page(PAGE.read_text("utf-8"))
    if parser.parse_args().write:
        PAGE.write_text(text, "utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
