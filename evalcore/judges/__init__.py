"""Judges by name: rules, language models that are asked, and secondary similarity metrics."""

import difflib
from collections.abc import Callable
from functools import partial

from evalcore.errors import UnknownName
from evalcore.judges.anls import anls
from evalcore.judges.choice import choice
from evalcore.judges.choice import stands as choice_stands
from evalcore.judges.encoders import bertscore, embedding_similarity
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
from evalcore.records import Item, Judge

_RULES: dict[str, tuple[str, Callable[[Item, str], RuleResult]]] = {
    # name: (version, comparison); the version changes with any change of verdicts
    "exact": ("2", exact),
    "normalised": ("2", normalised),
    "vqa-accuracy": ("2", vqa_accuracy),
    "anls": ("2", anls),
    "relaxed-accuracy": ("2", relaxed),
    "relaxed-accuracy-exact-years": ("2", relaxed_but_years),
    "choice": ("2", choice),
    "number": ("2", last_number),
    "number-first": ("2", first_number),
    "similarity-rouge-l": ("2", rouge_l),
}
_VOTES = frozenset({"vqa-accuracy"})
_STANDS = {"choice": choice_stands, "number": number_stands, "number-first": number_stands}
"""Of the rules that look for an answer in a longer text: what a text that was cut off must hold."""


def _rule(name: str, setup: Setup) -> Judge:
    version, compare = _RULES[name]
    return Rule(name, version, compare, votes=name in _VOTES, stands=_STANDS.get(name))


def _goeval(form: str, setup: Setup) -> Judge:
    return goeval(form, setup.asked(form), setup.cache)


JUDGES: dict[str, Callable[[Setup], Judge]] = {
    **{name: partial(_rule, name) for name in _RULES},
    **{form: partial(_goeval, form) for form in FORMS},
    "mmvet": lambda setup: mmvet(setup.asked("mmvet"), setup.prompt_file, setup.cache),
    "similarity-embedding": lambda setup: embedding_similarity(setup.encoded()),
    "similarity-bertscore-precision": lambda setup: bertscore(
        setup.encoded(), "precision", setup.layer
    ),
    "similarity-bertscore-recall": lambda setup: bertscore(setup.encoded(), "recall", setup.layer),
    "similarity-bertscore-f1": lambda setup: bertscore(setup.encoded(), "f1", setup.layer),
}
"""Every judge's factory. Those called similarity are secondary metrics, not correctness."""

ASKED = frozenset(FORMS) | {"mmvet"}
"""The judges that ask a model, and so cost money or time."""


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
    return JUDGES[name](setup or Setup())
