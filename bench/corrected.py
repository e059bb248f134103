"""Prints how corrected scores do in made-up worlds: ``python -m bench.corrected``.

In each world three models answer, a judge errs at rates that differ between them, and people label
some answers. Bias and coverage of 95 % intervals are over all worlds, one without an interval
counts as not covered; a bar of 93 to 97 % is met if the share lies there within three standard
errors of its own simulation. Where a share is 0 or 1, an interval that covers it either always or
too seldom cannot hit the bar: "more" is more than 97 % for some model and enough for all.
"""

import argparse

import numpy as np
import pandas as pd

from bench.clock import times
from bench.table import ms, show
from evalcore.analysis import corrected

MODELS = ((0.6, 0.95, 0.9), (0.65, 0.8, 0.9), (0.4, 0.9, 0.7))
"""Of each model: share of right answers, the judge's sensitivity and specificity."""
SAME = ((0.6, 0.9, 0.85), (0.65, 0.9, 0.85), (0.4, 0.9, 0.85))
ENDS = ((0.02, 0.9, 0.85), (0.97, 0.9, 0.85), (0.0, 0.9, 0.85))
WORLDS = {
    "labels at random": {},
    "40 labels a model": {"labels": 40},
    "labels even over verdicts": {"even": True},
    "4 answers a picture": {"shared": 4},
    "judge grades": {"graded": True},
    "judge grades, even": {"graded": True, "even": True},
    "4,000 answers": {"size": 4000},
    "near 1": {"models": ((0.9, 0.97, 0.9), (0.95, 0.95, 0.9), (0.8, 0.99, 0.9))},
    "one judge error for all": {"models": SAME},
    "one error, near 0 and 1": {"models": ENDS},
}
NAMES = {"raw": "raw", "ppi": "prediction-powered", "rogan_gladen": "Rogan-Gladen"}


def world(  # noqa: PLR0913  one switch of the simulation an argument
    rng: np.random.Generator,
    *,
    models: tuple[tuple[float, float, float], ...] = MODELS,
    size: int = 400,
    labels: int = 100,
    even: bool = False,
    graded: bool = False,
    shared: int = 1,
) -> pd.DataFrame:
    """Answers of some models to the same questions, judged, some of them labelled.

    Args:
        rng: Random numbers.
        models: As ``MODELS``.
        size: Answers of each model.
        labels: Labelled answers of each model.
        even: Half of the labels where the judge says yes, half where it says no.
        graded: The judge grades from 0 to 1 instead of saying yes or no.
        shared: Answers that share a picture, and half of their difficulty.
    """
    hard = np.repeat(rng.random(-(-size // shared)), shared)[:size]
    parts = []
    for number, (right, sensitivity, specificity) in enumerate(models):
        together = rng.random(size) < (0.5 if shared > 1 else 0)
        truth = np.where(together, hard, rng.random(size)) < right
        said = np.where(truth, sensitivity, 1 - specificity) > rng.random(size)
        noise = 0.15 * rng.standard_normal(size) + 0.1 * (truth - 0.5)
        score = np.clip(np.where(said, 0.7, 0.3) + noise, 0, 1) if graded else said.astype(float)
        yes = rng.permutation(np.flatnonzero(score >= 0.5))
        no = rng.permutation(np.flatnonzero(score < 0.5))
        drawn = rng.permutation(size)[:labels]
        if even:
            drawn = np.concatenate([yes[: labels // 2], no[: labels // 2]])
        human = np.full(size, np.nan)
        human[drawn] = truth[drawn]
        items = np.arange(size)
        columns = {"item": items, "cluster": items // shared, "score": score, "human": human}
        parts.append(pd.DataFrame(columns).assign(entry=f"m{number}"))
    return pd.concat(parts, ignore_index=True)


def measured(seed: int, count: int, **kind: object) -> list[tuple[str, ...]]:
    """Bias and coverage of one kind of world, a row a way of estimating."""
    rng = np.random.default_rng(seed)
    truth = [right for right, _, _ in kind.get("models", MODELS)]  # type: ignore[attr-defined]
    found = [
        corrected.correct(world(rng, **kind)).table.sort_values("entry")  # type: ignore[arg-type]
        for _ in range(count)
    ]
    rows = []
    for name in ("raw", "ppi", "rogan_gladen"):
        value, low, high = (
            np.array([table[name + end].to_numpy(float) for table in found])
            for end in ("", "_low", "_high")
        )
        covered = np.mean((low <= truth) & (high >= truth), axis=0)
        slack = 3 * np.sqrt(0.95 * 0.05 / count)
        enough = bool((covered >= 0.93 - slack).all())
        good = "yes" if (covered <= 0.97 + slack).all() else "more"
        bias = 100 * (np.nanmean(value, axis=0) - truth)
        rows.append(
            (
                NAMES[name],
                " ".join(f"{one:+5.1f}" for one in bias),
                " ".join(f"{100 * one:5.1f}" for one in covered),
                good if enough else "no",
                f"{100 * np.nanmean(high - low):.1f}",
            )
        )
    return rows


def main() -> None:
    """Print a table of the worlds, then how long a large one takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rows = [
        (name, *row)
        for name, kind in WORLDS.items()
        for row in measured(arguments.seed, arguments.worlds, **kind)
    ]
    header = ("world", "estimate", "bias, points", "coverage, %", "93 to 97 %", "width, points")
    show(f"{arguments.worlds:,} worlds of three models", header, rows)
    large = world(np.random.default_rng(1), models=MODELS[:2] * 5, size=5725, labels=200)
    took = times(lambda: corrected.correct(large), 3)
    row = ("10 models x 5,725 answers, 200 labels each", ms(took.median))
    show("how long it takes", ("scores corrected", "median"), [row])


if __name__ == "__main__":
    main()
