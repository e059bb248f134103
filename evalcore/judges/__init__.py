"""Judges by name: rules, language models that are asked, and secondary similarity metrics."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from evalcore.errors import UnknownName
from evalcore.judges.anls import anls
from evalcore.judges.choice import choice
from evalcore.judges.choice import stands as choice_stands
from evalcore.judges.encoders import PARTS, Part, bertscore, embedding_similarity
from evalcore.judges.exact import exact, normalised
from evalcore.judges.goeval import FORMS, goeval
from evalcore.judges.mmvet import mmvet
from evalcore.judges.number import first_number, last_number
from evalcore.judges.number import stands as number_stands
from evalcore.judges.relaxed_accuracy import relaxed, relaxed_but_years
from evalcore.judges.setup import Setup
from evalcore.judges.similarity import rouge_l
from evalcore.judges.verdicts import Rule, RuleResult
from evalcore.judges.vqa_accuracy import vqa_accuracy
from evalcore.participants import Judge
from evalcore.records import Item


@dataclass(frozen=True)
class Example:
    """A case that follows from the published rule: what is answered, and the score it gets."""

    references: tuple[str, ...]
    answer: str
    score: float
    choices: tuple[str, ...] = ()
    reply: str = ""
    """What the model says that is asked; empty for a rule."""


@dataclass(frozen=True)
class Row:
    """One judge: how it is made, where its way of scoring is published, and a case of it."""

    make: Callable[[Setup], Judge]
    source: str
    example: Example
    asks: bool = False
    """Whether it asks a model, and so costs money or time."""
    secondary: bool = False
    """Whether it measures likeness, which is not correctness."""


def _rule(
    name: str,
    version: str,
    compare: Callable[[Item, str], RuleResult],
    source: str,
    example: Example,
    **more: Any,
) -> dict[str, Row]:
    """The row of a rule; the version changes with any change of verdicts."""
    secondary = more.pop("secondary", False)
    rule = partial(Rule, name, version, compare, **more)
    return {name: Row(lambda _: rule(), source, example, secondary=secondary)}


def _goeval(form: str, setup: Setup) -> Judge:
    return goeval(form, setup.asked(form), setup.cache)


def _bertscore(part: Part, setup: Setup) -> Judge:
    return bertscore(setup.encoded(), part, setup.layer)


_SAME = Example(("red",), "red", 1.0)
_BERTSCORE = "Zhang et al. 2020, BERTScore"

JUDGES: dict[str, Row] = {
    **_rule("exact", "2", exact, "equality of texts", Example(("red",), "dark red", 0.0)),
    **_rule(
        "normalised", "2", normalised, "Antol et al. 2015: the official program's normalisation",
        Example(("red",), "The red.", 1.0),
    ),
    **_rule(
        "vqa-accuracy", "2", vqa_accuracy, "Antol et al. 2015, VQA: two of ten people agree",
        Example(("red",) * 2 + ("blue",) * 8, "red", 0.6), votes=True,
    ),
    **_rule(
        "anls", "2", anls, "Biten et al. 2019, ST-VQA: one letter of eight is wrong",
        Example(("calendar",), "calender", 0.875),
    ),
    **_rule(
        "relaxed-accuracy", "2", relaxed, "Masry et al. 2022, ChartQA: within 5 %",
        Example(("100",), "104", 1.0),
    ),
    **_rule(
        "relaxed-accuracy-exact-years", "2", relaxed_but_years,
        "Masry et al. 2022, ChartQA; a year has to be the same", Example(("2010",), "2012", 0.0),
    ),
    **_rule(
        "choice", "2", choice, "Yue et al. 2024, MMMU: the letter of a choice",
        Example(("blue",), "The answer is (B).", 1.0, ("red", "blue")), stands=choice_stands,
    ),
    **_rule(
        "number", "2", last_number, "Lu et al. 2024, MathVista: the last number counts",
        Example(("7",), "The value is 7.", 1.0), stands=number_stands,
    ),
    **_rule(
        "number-first", "2", first_number, "as number, but the first one counts",
        Example(("5",), "First 5, then 7.", 1.0), stands=number_stands,
    ),
    **_rule(
        "similarity-rouge-l", "2", rouge_l, "Lin 2004, ROUGE-L: 2 of 2 and 2 of 3 words",
        Example(("the cat sat",), "the cat", 0.8), secondary=True,
    ),
    **{
        form: Row(
            partial(_goeval, form), "the VQA360 paper, GoEval: yes or no",
            Example(("red",), "crimson", 1.0, reply="Yes"), asks=True,
        )
        for form in FORMS
    },
    "mmvet": Row(
        lambda setup: mmvet(setup.asked("mmvet"), setup.prompt_file, setup.cache),
        "Yu et al. 2024, MM-Vet v2: a grade from 0 to 1",
        Example(("red",), "crimson", 0.6, reply="0.6"), asks=True,
    ),
    "similarity-embedding": Row(
        lambda setup: embedding_similarity(setup.encoded()),
        "Reimers & Gurevych 2019, Sentence-BERT: the cosine of two texts", _SAME, secondary=True,
    ),
    **{
        f"similarity-bertscore-{part}": Row(
            partial(_bertscore, part), _BERTSCORE, _SAME, secondary=True
        )
        for part in PARTS
    },
}  # fmt: skip
"""Name to judge."""
ASKED = frozenset(name for name, row in JUDGES.items() if row.asks)


def make(name: str, setup: Setup | None = None) -> Judge:
    """Return the judge of that name.

    Raises:
        UnknownName: there is no such judge.
        BadInput: the setup lacks what it needs, or a prompt file is unusable.
        ModelUnavailable: its encoder or a package is missing.
    """
    if name not in JUDGES:
        nearest = difflib.get_close_matches(name, JUDGES, n=3, cutoff=0.4)
        meant = f"; did you mean {' or '.join(nearest)}" if nearest else ""
        known = ", ".join(sorted(JUDGES))
        raise UnknownName(f"no judge is called {name!r}{meant}; known judges: {known}")
    return JUDGES[name].make(setup or Setup())
