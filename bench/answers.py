"""How often the readers of letters and numbers are right, on answers whose meaning is known.

Answers of twelve forms are generated from a seed, each with what a person would take it for: the
right choice or number, a wrong one, or nothing that can be told. A reader may be right or give no
score; a wrong score is its only fault. Prints the counts of each form and what it got wrong.

    python -m bench.answers [--n 5000] [--seed 0]
"""

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from evalcore.judges import make
from evalcore.records import Item, Prediction

THINGS = [
    "a dog", "a cat", "a horse", "a bird", "red", "dark red", "blue", "a red bus", "two people",
    "a bus", "a train", "Paris", "London", "St. Louis", "New York", "a bridge", "a tree",
    "the left one", "the right one", "not visible", "12", "2", "25 %", "x^2", "a stop sign",
    "on the table", "under the table", "a man in a hat", "a man", "green apples", "apples",
    "vitamin A", "plan B", "a guitar", "photosynthesis",
]  # fmt: skip
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
WHY = [
    "the ears are too small for anything else",
    "it has four legs and a tail",
    "nothing else in the picture fits",
    "of its shape and its colour",
    "the shadow falls to the left",
    "the sign in the background says so",
]
LEAD = [
    "", "", "Sure! ", "Looking at the picture, I see several things. ", "Based on the image, ",
    "Let me think step by step. ", "I looked closely. ", "Thank you for the question. ",
]  # fmt: skip
NOUNS = ["cups", "dogs", "people", "windows", "apples", "red cars", "chairs"]


class Case(NamedTuple):
    """An answer, what it is judged by, and what a person would score it."""

    form: str
    rule: str
    text: str
    answers: tuple[str, ...]
    choices: tuple[str, ...]
    score: float | None
    """None: it cannot be told, so that any score is wrong."""


class Choices(NamedTuple):
    """A question with choices: which is right, which the answer means, and another."""

    texts: tuple[str, ...]
    right: int
    meant: int
    other: int

    def letter(self, place: int) -> str:
        """The letter of a choice."""
        return chr(ord("A") + place)


def _choices(rng: random.Random) -> Choices:
    texts = tuple(rng.sample(THINGS, rng.choice([2, 3, 4, 4, 4, 5])))
    right, meant = rng.randrange(len(texts)), rng.randrange(len(texts))
    other = rng.choice([place for place in range(len(texts)) if place != meant])
    return Choices(texts, right, meant, other)


def _by_choice(
    form: str, text: str, asked: Choices, rng: random.Random, known: bool = True
) -> Case:
    reference = asked.texts[asked.right]
    if rng.random() < 0.3:
        reference = asked.letter(asked.right)
    score = float(asked.meant == asked.right) if known else None
    return Case(form, "choice", text, (reference,), asked.texts, score)


def bare_letters(rng: random.Random) -> Case:
    """A letter and its marks alone."""
    asked = _choices(rng)
    one = asked.letter(asked.meant)
    text = rng.choice([
        "{}", "({})", "{}.", "{})", "[{}]", "**{}**", "Answer: {}", "Option {}", "**Answer:** {}",
        "The answer is {}.", "{}\n", "`{}`", '"{}"', "Final answer: ({})", "Answer\n{}",
        "The correct option is {}", "Choice {}.", "### Answer\n\n**{}**", "answer is {}", "({}).",
    ]).format(one)  # fmt: skip
    if rng.random() < 0.15 and text in (one, f"({one})", f"{one}.", f"{one})"):
        text = text.lower()
    return _by_choice("letter alone", text, asked, rng)


def explained_letters(rng: random.Random) -> Case:
    """A letter first, then reasons in which other choices and their letters occur."""
    asked = _choices(rng)
    one, other = asked.letter(asked.meant), asked.letter(asked.other)
    text = asked.texts[asked.other]
    why = rng.choice(WHY)
    return _by_choice("letter, then reasons", rng.choice([
        f"{one}\n\nExplanation: {why}, unlike {text}.",
        f"{one}\n\nIt looks a little like {text}.",
        f"{one} because {why}; {text} would look different.",
        f"{one}. {asked.texts[asked.meant]}. Option {other} ({text}) is wrong since {why}.",
        f"**{one}**\n\nReason: {text} is what one may think of first, but {why}.",
        f"The answer is {one}, because {why} and {text} has none.",
        f"The answer is {one}, although {text} looks much like it.",
        f"{one}) {asked.texts[asked.meant]}\n\nOption {other} cannot be right, {why}.",
        f"({one}) {asked.texts[asked.meant]} - {why}",
        f"{one} - {why}.",
        f"{one}, since {why}. ({other}) would need more light.",
        f"Option {one}: {asked.texts[asked.meant]}. One might take it for {text}, yet {why}.",
        f"{one}: it is not {text}.",
        f"Answer: {one}. {text} does not fit as {why}.",
        f"{one} is correct because {why}. {other} is incorrect because it shows {text}.",
    ]), asked, rng)  # fmt: skip


def stated_letters(rng: random.Random) -> Case:
    """A sentence that names the letter, after other words."""
    asked = _choices(rng)
    one, other = asked.letter(asked.meant), asked.letter(asked.other)
    why, text = rng.choice(WHY), asked.texts[asked.other]
    return _by_choice("letter in a sentence", rng.choice(LEAD) + rng.choice([
        f"I would go with option {one}.",
        f"I choose ({one}).",
        f"So the correct answer is {one}.",
        f"Therefore, the best choice is {one}: {asked.texts[asked.meant]}.",
        f"Option {one} is the correct one, as {why}.",
        f"First I thought of {text}, but {why}. Hence {one}.",
        f"Option {other} shows {text}, which is not here. Option {one} is correct.",
        f"It must be {one}, because {why}.",
        f"{why.capitalize()}, so it's {one}.",
        f"My answer would be {other} if it were darker, but it is {one}.",
        f"Some people might say {other}. The right answer is {one}.",
        f"The option that fits best is ({one}) {asked.texts[asked.meant]}.",
        f"I'd pick {one} since {why}.",
        f"Comparing {other} and {one}: {why}. The answer is {one}.",
        f"The answer is clearly **{one}**.",
        f"Among the options, {one} is the best match.",
        f"Thus, the final answer is $\\boxed{{{one}}}$.",
        f"the answer to this question is option {one}, {asked.texts[asked.meant]}.",
    ]), asked, rng)  # fmt: skip


def taken_back_letters(rng: random.Random) -> Case:
    """First one letter, then another: the last counts."""
    asked = _choices(rng)
    one, other = asked.letter(asked.meant), asked.letter(asked.other)
    why, text = rng.choice(WHY), asked.texts[asked.meant]
    return _by_choice("letter taken back", rng.choice([
        f"{other}. Wait, {why}. The answer is {one}.",
        f"The answer is {other}. Actually, no: the answer is {one}.",
        f"{other}\n\nCorrection: {one}",
        f"Answer: {other}\nOn second thought, {why}.\nAnswer: {one}",
        f"I choose {other}... sorry, I meant {one}.",
        f"\\boxed{{{other}}} Hmm, {why}. \\boxed{{{one}}}",
        f"It is {other}. No, wait, it is {one}.",
        f"Answer: {other}\nWait, I made a mistake; it's {one}.",
        f"My first answer was {other}, but looking again I change it to {one}.",
        f"({other}) - no, ({one})",
        f"The answer is {other}. Scratch that. {one}.",
        f"Option {other} is correct. Hmm, actually option {one} is correct because {why}.",
        f"{other}, no, {text}.",
    ]), asked, rng)  # fmt: skip


def denied_letters(rng: random.Random) -> Case:
    """Choices are ruled out by letter or by text, and one is left."""
    asked = _choices(rng)
    one, other = asked.letter(asked.meant), asked.letter(asked.other)
    why, text, own = rng.choice(WHY), asked.texts[asked.other], asked.texts[asked.meant]
    return _by_choice("others denied", rng.choice([
        f"Not {other} but {one}.",
        f"The answer is not {other}. It is {one}.",
        f"It isn't {text}. It is {own}.",
        f"Option {other} is wrong because {why}. That leaves {one}.",
        f"{other} is incorrect; {one} is correct.",
        f"This is not {text}, it is {own}.",
        f"We can rule out {other}. The answer: {one}.",
        f"There is no sign of {text}. {own}",
        f"{one}, not {other}.",
        f"It cannot be {other} because {why}, so the answer must be {one}.",
        f"Neither the light nor the shadow speaks for {other}. {one} is right.",
        f"I can see that it is not dark. {own[0].upper()}{own[1:]}.",
        f"Rather than {text}, this shows {own}.",
    ]), asked, rng)  # fmt: skip


def open_letters(rng: random.Random) -> Case:
    """Several are offered, none is offered, or there is no such letter: it cannot be told."""
    asked = _choices(rng)
    one, other = asked.letter(asked.meant), asked.letter(asked.other)
    beyond = asked.letter(len(asked.texts) + rng.randrange(3))
    text, own = asked.texts[asked.other], asked.texts[asked.meant]
    listed = "\n".join(f"{asked.letter(at)}. {words}" for at, words in enumerate(asked.texts))
    answer = rng.choice([
        f"{one} or {other}", f"Either {one} or {other}.", f"{one} and {other}", f"{one}, {other}",
        f"The answer is {one} or {other}.", f"{one}/{other}",
        f"Options {one} and {other} both fit.",
        f"{beyond}", f"The answer is {beyond}.", f"({beyond})", f"Option {beyond}",
        f"It could be {one}, but {other} is possible too.", f"{own} or {text}",
        f"Both ({one}) and ({other}).", "I cannot tell from the picture.", "None of them.",
        f"Not {one}.", listed, f"The options are:\n{listed}\nI am not sure.",
        f"If it is a trick, {one}; otherwise {other}.", f"Answer: {one}, {other}",
        "I think it is something else.", f"\\boxed{{{one}}} or \\boxed{{{other}}}",
    ])  # fmt: skip
    return _by_choice("not to be told", answer, asked, rng, known=False)


def choice_texts(rng: random.Random) -> Case:
    """The choice's words without a letter."""
    asked = _choices(rng)
    own = asked.texts[asked.meant]
    bare = own.removeprefix("a ").removeprefix("the ")
    return _by_choice("words of a choice", rng.choice([
        own, own.capitalize(), f"{own}.", f"**{own}**", f"It is {own}.", f"The answer is {own}.",
        f"The picture shows {own}.", f"Answer: {own}", f"I believe this is {own}.", own.upper(),
        f"The correct answer is: {own}", f'"{own}"', f"{bare}",
        f"A: {own}" if asked.meant == 0 else own,
        f"<answer>{own}</answer>", f"\\boxed{{\\text{{{own}}}}}", f"It's {own}!", f"{own}\n",
    ]), asked, rng)  # fmt: skip


class Wanted(NamedTuple):
    """A number asked for, the one that the answer means, and another."""

    right: float
    meant: float
    other: float


def _wanted(rng: random.Random, low: int = 0, high: int = 60) -> Wanted:
    right = rng.randint(low, high)
    meant = right if rng.random() < 0.5 else rng.choice([right + 1, right * 10 + 1, right + 7])
    other = rng.choice([one for one in range(low, high) if one not in (right, meant)])
    return Wanted(right, meant, other)


def _by_number(
    form: str, text: str, asked: Wanted, known: bool = True, reference: str | None = None
) -> Case:
    score = float(asked.meant == asked.right) if known else None
    written = reference if reference is not None else f"{asked.right:.12g}"
    return Case(form, "number", text, (written,), (), score)


def _grouped(value: int, mark: str) -> str:
    return f"{value:,}".replace(",", mark)


def written_numbers(rng: random.Random) -> Case:
    """One number in its ways of writing: marks, units, words, thousands, decimals."""
    if rng.random() < 0.5:
        value = rng.randint(1_000, 9_999_999)
        meant = value if rng.random() < 0.5 else value + rng.choice([1, 1000, -999])
        asked = Wanted(value, meant, 0)
        mark = rng.choice([",", " ", "'", "’", "\u202f", "\u00a0", "", "_space_"]).replace(
            "_space_", " "
        )
        said = _grouped(meant, mark)
        text = rng.choice(
            ["{}", "{} people", "About {}.", "${}", "The total is {}.", "{} m", "**{}**"]
        )
        plain = rng.choice([f"{value}", f"{value:,}"])
        return _by_number("number as written", text.format(said), asked, reference=plain)
    asked = _wanted(rng)
    said = f"{asked.meant:g}"
    if asked.meant < len(WORDS) and rng.random() < 0.4:
        said = WORDS[int(asked.meant)]
    if rng.random() < 0.2:
        tenth = rng.randint(1, 9)
        value, meant = asked.right + tenth / 10, asked.meant + tenth / 10
        asked = Wanted(value, meant, 0)
        said = f"{meant:.1f}" if rng.random() < 0.6 else f"{meant:.1f}".replace(".", ",")
    text = rng.choice([
        "{}", "{}.", "({})", "**{}**", "{} kg", "There are {}.", "= {}", "≈ {}", "{} of them",
        "{}!",
        "It is {} m high.", "{} %", "I count {} in the picture.", "Answer: {}", "approximately {}",
        "~{}",
    ])  # fmt: skip
    return _by_number("number as written", text.format(said), asked)


WRAPS = [
    "${}$", "\\({}\\)", "$${}$$", "\\[{}\\]", "\\boxed{{{}}}", "$\\boxed{{{}}}$", "{}",
    "The answer is ${}$.", "Therefore, the answer is \\boxed{{{}}}.",
]  # fmt: skip
FRACTIONS = ["\\frac{{{}}}{{{}}}", "\\dfrac{{{}}}{{{}}}", "\\tfrac{{{}}}{{{}}}"]


def latex_numbers(rng: random.Random) -> Case:
    """One number as a formula writes it; what no one can read off must have no score."""
    asked = _wanted(rng, 1, 40)
    make_one = rng.choice([_latex_fraction, _latex_grouped, _latex_power, _latex_unit, _latex_open])
    said, asked, known = make_one(rng, asked)
    return _by_number("number in LaTeX", rng.choice(WRAPS).format(said), asked, known)


def _latex_fraction(rng: random.Random, asked: Wanted) -> tuple[str, Wanted, bool]:
    bottom = rng.choice([2, 4, 5, 8])
    whole = rng.choice(["", "", "3", "-"])
    said = whole + rng.choice(FRACTIONS).format(int(asked.meant), bottom)
    if whole == "3":
        said = whole + rng.choice(FRACTIONS).format(1, bottom)
        return said, Wanted(3 + 1 / bottom, 3 + 1 / bottom, 0), True
    sign = -1 if whole else 1
    return said, Wanted(sign * asked.right / bottom, sign * asked.meant / bottom, 0), True


def _latex_grouped(rng: random.Random, asked: Wanted) -> tuple[str, Wanted, bool]:
    value = rng.randint(1000, 9_999_999)
    meant = value if rng.random() < 0.5 else value + 1
    return _grouped(meant, rng.choice(["{,}", "\\,", "\\ ", ","])), Wanted(value, meant, 0), True


def _latex_power(rng: random.Random, asked: Wanted) -> tuple[str, Wanted, bool]:
    one = int(asked.meant)
    if rng.random() < 0.4:
        power = rng.choice([2, 3])
        return f"{one}^{{{power}}}", Wanted(asked.right**power, one**power, 0), True
    power, times = rng.randint(-4, 5), rng.choice(["\\times", "\\cdot"])
    scaled = Wanted(asked.right * 10.0**power, one * 10.0**power, 0)
    return f"{one} {times} 10^{{{power}}}", scaled, True


def _latex_unit(rng: random.Random, asked: Wanted) -> tuple[str, Wanted, bool]:
    one = int(asked.meant)
    said = rng.choice([
        f"{one}\\%", f"{one}^{{\\circ}}", f"{one}^\\circ", f"{one}\\,\\text{{cm}}", f"x = {one}",
        f"{one}~\\mathrm{{kg}}", f"\\text{{{one}}}", f"\\mathbf{{{one}}}", f"{one}.0",
        f"{rng.randint(1, 9)} + {rng.randint(1, 9)} = {one}", f"\\text{{about }} {one}",
    ])  # fmt: skip
    return said, asked, True


def _latex_open(rng: random.Random, asked: Wanted) -> tuple[str, Wanted, bool]:
    one = int(asked.meant)
    said = rng.choice([
        f"{one}\\sqrt{{2}}", f"{one}\\pi", f"\\frac{{a}}{{{one}}}", f"\\sqrt{{{one}}}",
        f"e^{{{one}}}", f"\\frac{{\\sqrt{{3}}}}{{{one}}}", f"{one}^{{n}}", f"\\pm {one}",
        f"2x + {one}",
        f"\\begin{{pmatrix}}1\\\\{one}\\end{{pmatrix}}", f"\\log_{{2}} {one}", f"x_{{{one}}}",
    ])  # fmt: skip
    return said, asked, False


def explained_numbers(rng: random.Random) -> Case:
    """A number among others: its parts, places, years, figures and reasons."""
    asked = _wanted(rng, 2, 40)
    one, other, noun = f"{asked.meant:g}", int(asked.other), rng.choice(NOUNS)
    left = rng.randint(1, int(asked.meant) - 1) if asked.meant > 1 else 1
    rest = int(asked.meant) - left
    return _by_number("number among others", rng.choice([
        f"{one}\n\nI see {left} on the left and {rest} on the right.",
        f"{one}. I see {left} on the left and {rest} on the right.",
        f"{one}, because there are {left} in front and {rest} behind.",
        f"There are {one} {noun}: {left} on the left and {rest} on the right.",
        f"{left} on the left and {rest} on the right make {one}.",
        f"I count {left} {noun} on the left and {rest} on the right, so there are {one} in total.",
        f"There are {one} {noun} ({left} of them are small).",
        f"There are {one} {noun} in image {rng.randint(1, 3)}.",
        f"In image {rng.randint(1, 3)} there are {one} {noun}.",
        f"It had {one} {noun} in {rng.randint(1950, 2025)}.",
        f"In {rng.randint(1950, 2025)}, {one} {noun} were counted.",
        f"The {rng.choice(['1st', '2nd', '3rd'])} row has {one} {noun}.",
        f"There are {one} {noun} in the {rng.choice(['1st', '2nd', '3rd'])} row.",
        f"{one} {noun}, more than the {other} one might expect.",
        f"{left} + {rest} = {one}",
        f"{one} = {left} + {rest}",
        f"The answer is {one}. There were {other} before.",
        f"Step 1: count the left: {left}. Step 2: count the right: {rest}. Total: {one}",
        f"Final answer: {one}\n\nNote that {other} {noun} are hidden.",
        f"There are {one} {noun}, of which {left} are red.",
        f"One of the {one} {noun} is red.",
        f"The total number of {noun} is {one}, since {left} plus {rest} is {one}.",
    ]), asked)  # fmt: skip


def unsettled_numbers(rng: random.Random) -> Case:
    """Numbers taken back or denied; and those of which nobody can tell which is meant."""
    asked = _wanted(rng, 2, 40)
    one, other, noun = f"{asked.meant:g}", f"{asked.other:g}", rng.choice(NOUNS)
    if rng.random() < 0.6:
        return _by_number("number taken back or denied", rng.choice([
            f"{other}. Wait, I missed some. {one}.", f"{other}\nActually, {one}.",
            f"Answer: {other}\nWait, that is wrong. Answer: {one}", f"Not {other} but {one}.",
            f"There are {other} {noun}. No, sorry, {one}.", f"It isn't {other}, it is {one}.",
            f"\\boxed{{{other}}} Let me recount. \\boxed{{{one}}}",
            f"There are not {other} {noun}; there are {one}.", f"{other}, no, {one}",
            f"I first counted {other}, but the correct count is {one}.",
            f"Final answer: {other}\nHmm, I was wrong: {one}",
        ]), asked)  # fmt: skip
    return _by_number("number taken back or denied", rng.choice([
        f"{one} or {other}", f"between {one} and {other}", f"{one}-{other}", f"{one} to {other}",
        f"It is not {one}.", f"{one} out of {other}", "I cannot count them.", "Several.",
        "Many of them.",
        f"\\boxed{{{one}}} or \\boxed{{{other}}}", f"either {one} or {other} {noun}",
        f"{one} – {other}",
        f"{one} of {other}", f"{one} + {other}", f"{one} times {other}", f"{one}±{other}",
    ]), asked, known=False)  # fmt: skip


def ambiguous_separators(rng: random.Random) -> Case:
    """1.234 for 1234 or 1,234 for 1.234: no score; and decimals of both kinds that are clear."""
    whole, part = rng.randint(1, 999), rng.randint(100, 999)
    grouped, decimal = f"{whole},{part}", f"{whole}.{part}"
    kind = rng.randrange(5)
    form = "comma or point"
    if kind == 0:
        return Case(form, "number", decimal, (f"{whole}{part}",), (), None)
    if kind == 1:
        return Case(form, "number", grouped, (decimal,), (), None)
    if kind == 2:
        return Case(form, "number", f"The price is {grouped}.", (f"{whole}{part}",), (), 1.0)
    if kind == 3:
        short = rng.randint(1, 99)
        return Case(form, "number", f"{whole},{short:02d} €", (f"{whole}.{short:02d}",), (), 1.0)
    return Case(form, "number", f"{whole}.{part},50", (f"{whole}{part}.5",), (), 1.0)


def dressed(rng: random.Random) -> Case:
    """Any of the clear answers inside the marks of today's models; thoughts without end."""
    make_one = rng.choice(
        [bare_letters, stated_letters, written_numbers, choice_texts, latex_numbers]
    )
    case = make_one(rng)
    decoy = rng.choice(
        ["Maybe A, or 17?", "The answer is C. No, 99.", "I see 3 and 4.", "\\boxed{5}?"]
    )
    text = rng.choice([
        f"<think>{decoy}</think>\n\n{case.text}", f"{decoy}</think>{case.text}",
        f"<think>{decoy}</think><answer>{case.text}</answer>", f"<answer>{case.text}</answer>",
        f"<|begin_of_box|>{case.text}<|end_of_box|>", f"{case.text}<|im_end|>", f"{case.text}</s>",
        f"[THINK]{decoy}[/THINK]{case.text}", f"◁think▷{decoy}◁/think▷{case.text}",
        f"<|channel|>analysis<|message|>{decoy}<|end|><|start|>assistant<|channel|>final<|message|>{case.text}",
        f"<thinking>{decoy}</thinking>\n{case.text}<|endoftext|>",
        f"<reasoning>{decoy}</reasoning>{case.text}",
        f"{case.text}<end_of_turn>\n<start_of_turn>user\n{decoy}",
        f"<|im_start|>assistant\n{case.text}",
        f"<SUMMARY>{decoy}</SUMMARY><CONCLUSION>{case.text}</CONCLUSION>", f"{case.text}<eos>",
        f"<|START_THINKING|>{decoy}<|END_THINKING|><|START_RESPONSE|>{case.text}<|END_RESPONSE|>",
        f"<think>{decoy} {case.text}", f"[THINK]{decoy}", f"◁think▷{case.text}",
        f"Sure! <think>{case.text}",
    ])  # fmt: skip
    cut = (
        text.startswith(("<think>", "[THINK]", "◁think▷", "Sure! <think>")) and "/" not in text[:12]
    )
    closed = any(mark in text for mark in ("</think>", "[/THINK]", "◁/think▷"))
    return case._replace(form="dressed", text=text, score=case.score if closed or not cut else None)


def more_letters(rng: random.Random) -> Case:
    """Further sentences with a letter, written after the readers and first tried on them unseen."""
    asked = _choices(rng)
    one, other = asked.letter(asked.meant), asked.letter(asked.other)
    own, text = asked.texts[asked.meant], asked.texts[asked.other]
    said, known = rng.choice([
        (f"I believe the answer is option {one}.", True), (f"My final choice: {one}", True),
        (f"The most suitable option would be {one}.", True), (f"Answer is ({one}) {own}", True),
        (f"Option ({one}) best describes the image.", True), (f"{one} seems right to me.", True),
        (f"Looking at each: {other} does not match, {one} matches. So {one}.", True),
        (f"Selected answer: {one}.", True), (f"ANSWER: {one}", True), (f"Ans: {one}", True),
        (f"{one}\n{own}", True), (f"({one})\n\n{own} is visible.", True),
        (f"The image shows {own}. Therefore the correct choice is {one}.", True),
        (f"The image shows {own}, which corresponds to option {one}.", True),
        (f"While {text} is plausible, {own} is the better answer ({one}).", True),
        (f"I was going to say {other}, but it's actually {one}.", True),
        (f"{other}? No. {one}? Yes.", True), (f"Choice: {one}) {own}", True),
        (f"It's either {one} or {other}; I lean towards {one}.", True),
        (f"Definitely not {other}. I'd go for {one}.", True), (f"{own} ({one})", True),
        (f"**Answer:** ({one})\n\n**Explanation:** {text} has no such shape.", True),
        (f"The correct answer is:\n\n{one}. {own}", True), (f'{{"answer": "{one}"}}', True),
        (f"The answer should be {one}", True), (f"{own}, i.e. option {one}", True),
        (f"A person might pick {other}. I pick {one}.", True), (f"Final Answer\n{one}", True),
        (f"Right answer -> {one}", True), (f"{one} > {other}", False),
        (f"Hard to say between {one} and {other}.", False), (f"Possibly {one}.", False),
        (f"The picture does not show {own}.", False), (f"Could be {text} or {own}.", False),
        (f"I'd eliminate {one}.", False),
    ])  # fmt: skip
    return _by_choice("letter in a sentence", said, asked, rng, known)


def more_numbers(rng: random.Random) -> Case:
    """Further sentences with a number, written after the readers and first tried on them unseen."""
    asked = _wanted(rng, 2, 40)
    one, other, noun = f"{asked.meant:g}", f"{asked.other:g}", rng.choice(NOUNS)
    said, known = rng.choice([
        (f"I can see {one} {noun}.", True), (f"Total = {one}", True), (f"[{one}]", True),
        (f"{one} {noun} are visible, not {other}.", True), (f"It's {one}, not {other}.", True),
        (f"Counting: 1, 2, 3, ... {one}.", True), (f"Result: **{one}** {noun}", True),
        (f"There appear to be {one} {noun} in the photo, though {other} may be hidden.", True),
        (f"The value for 2019 is {one}.", True), (f"x = {one}", True), (f"ANSWER: {one}", True),
        (f"In 2019 the value was {one}, up from {other} in 2018.", True),
        (f"So the answer is\n\n$${one}$$", True), (f"Between {one} and {other}.", False),
        (f"at least {one}", True), (f"{other} minus {one}", False), (f"Roughly {one}.", True),
        (f'{{"answer": {one}}}', True), (f"Number of {noun}: {one}", True),
        (f"Each row has {other} {noun}, so overall {one}.", True),
        (f"{one} ({other} if hidden ones count)", True), (f"I would estimate {one} {noun}.", True),
        (f"Initially {other}; after removing some, {one} remain.", True),
    ])  # fmt: skip
    return _by_number("number among others", said, asked, known)


FORMS: tuple[Callable[[random.Random], Case], ...] = (
    bare_letters, explained_letters, stated_letters, taken_back_letters, denied_letters,
    open_letters, choice_texts, written_numbers, latex_numbers, explained_numbers,
    unsettled_numbers, dressed,
)  # fmt: skip
"""The twelve forms, in turn."""
MORE = {
    stated_letters: more_letters,
    explained_numbers: more_numbers,
    written_numbers: ambiguous_separators,
}
"""What takes the place of a form four times in ten."""


def cases(n: int, seed: int) -> Iterator[Case]:
    """Generate answers, the forms in turn."""
    rng = random.Random(seed)
    for at in range(n):
        form = FORMS[at % len(FORMS)]
        yield (MORE[form] if form in MORE and rng.random() < 0.4 else form)(rng)


def score(case: Case) -> float | None:
    """What the rule says."""
    item = Item("b", "1", "?", case.answers, (), case.choices)
    return make(case.rule).judge(item, Prediction("1", case.text)).score


def main() -> None:
    """Print counts by form, and what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=20, help="wrong answers to print")
    parser.add_argument("--unread", action="store_true", help="print those without a score instead")
    args = parser.parse_args()
    counts: dict[str, Counter[str]] = {}
    shown: list[str] = []
    for case in cases(args.n, args.seed):
        said = score(case)
        kind = "right" if said == case.score else "no score" if said is None else "wrong"
        counts.setdefault(case.form, Counter())[kind] += 1
        if kind == ("no score" if args.unread else "wrong"):
            about = f"{case.text!r} {case.answers} {case.choices}"
            shown.append(f"  {case.form}: {about} {said}, not {case.score}")
    total = sum(counts.values(), Counter())
    print(f"{'form':30} {'right':>6} {'none':>6} {'wrong':>6}")
    for form, row in [*counts.items(), ("all", total)]:
        print(f"{form:30} {row['right']:6} {row['no score']:6} {row['wrong']:6}")
    print(f"right or no score: {1 - total['wrong'] / args.n:.2%} of {args.n:,} (seed {args.seed})")
    print(*shown[: args.show], sep="\n")


if __name__ == "__main__":
    main()
