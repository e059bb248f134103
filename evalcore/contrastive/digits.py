"""The digit study of UniBench (sections 3.2 and 8): labels x prompts, from top-1 to top-5."""

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import pandas as pd

from evalcore import home
from evalcore.contrastive import prompts
from evalcore.contrastive.prompts import Prompts
from evalcore.contrastive.scoring import TOP
from evalcore.errors import BadInput

PREFIX = "digits: "
"""Begins the name of each prompt set, in runs and in the store."""
STUDY, DEMO = "digit-study", "demo-digits"
"""The store's suites of studies: those that were run here, and the one that ships."""
HANDWRITTEN, COUNTED = ("mnist", "svhn"), ("countbench", "clevr_count")
"""Benchmarks whose classes are the ten digits, and those whose classes are numbers of objects."""
NETWORK = 0.99
"""Accuracy on MNIST of a network with two layers, by section 3.2 of the paper, which cites Wan et
al. 2013 for it; neither was measured here."""
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@cache
def _told() -> Any:
    path = home.ROOT / "data" / "zeroshot" / "digits.json"
    return json.loads(path.read_text(encoding="utf-8"))


def sets(benchmark: str) -> list[Prompts]:
    """The prompt sets of a benchmark: word or digit labels with each kind of prompt.

    The paper prints prompts for pictures of digits; counts keep their own sentences.

    Raises:
        BadInput: The benchmark is about neither.
    """
    if benchmark in HANDWRITTEN:
        return [
            Prompts(tuple(labels), tuple(templates), f"{PREFIX}{label} x {name}")
            for label, labels in _told()["labels"].items()
            for name, templates in _told()["prompts"].items()
        ]
    if benchmark in COUNTED:
        own = prompts.known(benchmark)
        assert own.classes is not None
        words = tuple(NUMBERS[int(one)] for one in own.classes)
        return [
            Prompts(words, own.templates, f"{PREFIX}words x own"),
            Prompts(own.classes, own.templates, f"{PREFIX}digits x own"),
        ]
    known = ", ".join((*HANDWRITTEN, *COUNTED))
    raise BadInput(f"benchmark {benchmark!r} is not of digits or counts; the study is of {known}")


def table(found: pd.DataFrame) -> pd.DataFrame:
    """The study's rows.

    Args:
        found: As from ``Evaluator.evaluate``.

    Returns:
        model, benchmark, labels, prompts, top1 to top5 (NaN where there are no more classes), the
        chance of each, n, and low and high of top1.
    """
    parted = found["prompts"].str.removeprefix(PREFIX).str.partition(" x ")
    rows = found[["model", "benchmark"]].assign(labels=parted[0], prompts=parted[2])
    names = ["accuracy", *(f"accuracy-top{j}" for j in range(2, TOP + 1))]
    classes = 1 / found["chance"]
    for j, name in enumerate(names, 1):
        column = found[name] if name in found else pd.Series(float("nan"), found.index)
        rows[f"top{j}"], rows[f"chance{j}"] = column, (j / classes).where(column.notna())
    return rows.assign(n=found["n"], low=found["low"], high=found["high"])


def remarks(found: pd.DataFrame) -> Sequence[str]:
    """What must be said beside the table."""
    said = []
    for (model, benchmark), rows in found.groupby(["model", "benchmark"], sort=False):
        shown = int(rows["encoded"].sum())
        n = int(rows["n"].iloc[0])
        said.append(
            f"{model} saw {shown} pictures of {benchmark} ({n} in the set) for {len(rows)} prompt "
            f"sets, in {rows['seconds'].sum():.1f} s"
        )
    if "mnist" in set(found["benchmark"]):
        said.append(
            f"A network with two layers: {100 * NETWORK:.0f} % on MNIST (quoted by the UniBench "
            "paper, section 3.2, from Wan et al. 2013; not measured here)"
        )
    return said
