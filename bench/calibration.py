"""Prints whether intervals hold what they promise: ``python -m bench.calibration``.

Worlds are drawn of which the truth is known in closed form: a question has a difficulty, questions
on one image share a part of it, and a model is right where its ability beats both and its own luck
(a probit model). An argument scales the number of worlds, such as 0.1 for a quick look.
"""

import sys
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from bench.table import show
from evalcore.analysis import (
    by_items,
    intervals,
    leaders,
    multiple,
    paired,
    resample,
    routing,
    weighted,
)
from evalcore.decision import ties

WORLDS = 2000
RESAMPLES = 1000
SHARED, MODEL_IMAGE, QUESTION, LUCK = 0.7, 0.5, 1.0, 0.8
"""Standard deviations: an image's difficulty, a model's trouble with it, a question's, luck's."""
TOTAL = float(np.sqrt(SHARED**2 + MODEL_IMAGE**2 + QUESTION**2 + LUCK**2))


@dataclass(frozen=True)
class Shape:
    """How many images, and the mean number of questions on each (1: every question alone)."""

    images: int
    questions: int = 1
    graded: bool = False

    def __str__(self) -> str:
        per = f"{self.images} images x {self.questions}" if self.questions > 1 else ""
        return (per or f"{self.images} questions") + (", graded" if self.graded else "")


SHAPES = (
    *(Shape(20), Shape(30), Shape(100), Shape(500)),
    *(Shape(20, 3), Shape(50, 3), Shape(200, 3), Shape(100, 2, graded=True)),
)


def ability(share: float) -> float:
    """The ability with which a model gets a share of questions right."""
    return float(ndtri(share)) * TOTAL


def drawn(
    rng: np.random.Generator, shape: Shape, truth: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Scores (questions x models) and the image of each question."""
    sizes = np.ones(shape.images, dtype=int)
    if shape.questions > 1:
        sizes = rng.integers(1, 2 * shape.questions, shape.images)
    image = np.repeat(np.arange(shape.images), sizes)
    n, k = len(image), len(truth)
    margin = ndtri(truth)[None, :] * TOTAL
    margin = margin + SHARED * rng.standard_normal(shape.images)[image, None]
    margin = margin + MODEL_IMAGE * rng.standard_normal((shape.images, k))[image]
    margin = margin + QUESTION * rng.standard_normal((n, 1))
    if shape.graded:
        # The share of tries that would be right: its mean is the same, its luck averaged out.
        return ndtr(margin / LUCK), image
    return (margin + LUCK * rng.standard_normal((n, k)) > 0).astype(float), image


def percent(hits: list[bool] | np.ndarray) -> str:
    """A share of worlds with its simulation error."""
    share = float(np.mean(hits)) if len(hits) else float("nan")
    error = np.sqrt(share * (1 - share) / len(hits)) if len(hits) else float("nan")
    return f"{100 * share:.1f} ± {100 * error:.1f}"


def coverage(rng: np.random.Generator, worlds: int) -> None:
    """Paired differences and single means."""
    rows = []
    for shape in SHAPES:
        for first, second in ((0.7, 0.7), (0.8, 0.6)):
            apart, alone, unknown, adding = [], [], 0, []
            for _ in range(worlds):
                # The shares vary a little: at one share the steps of few questions would show.
                truth = np.array([first, second]) + rng.uniform(-0.05, 0.05, 2)
                score, image = drawn(rng, shape, truth)
                frame = pd.DataFrame(score, columns=["a", "b"])
                found = paired.drawn(frame, image, rng, resamples=RESAMPLES)
                row = paired.differences(found, ["a", "b"], "b").iloc[0]
                unknown += bool(np.isnan(row["low"]))
                if not np.isnan(row["low"]):
                    apart.append(row["low"] <= truth[0] - truth[1] <= row["high"])
                low, high = (end[0] for end in resample.interval(score, image))
                alone.append(low <= truth[0] <= high)
                adding.append(np.hypot(*found.se[0]) / row["se"])
            rows.append(
                (
                    f"{shape}; about {first:.0%}, {second:.0%}",
                    percent(apart),
                    f"{100 * unknown / worlds:.1f}",
                    percent(alone),
                    f"{np.nanmean(adding):.2f} x",
                )
            )
    show(
        f"Share of 95 % intervals that hold the truth, % ({worlds} worlds a row; bar 93 to 97)",
        ("", "difference", "undefined", "one mean", "unpaired is wider"),
        rows,
    )


MIX = pd.Series({"t": 0.4, "u": 0.3, "v": 0.3})
CARRIES = (0.7, 0.4, 0.15)
"""The share of questions with each tag of the mix; a question may carry several."""
MIXES = (
    *(Shape(20, 2), Shape(40, 2), Shape(60, 2), Shape(250, 2)),
    *(Shape(20, 2, graded=True), Shape(60, 2, graded=True)),
)


def mixes(rng: np.random.Generator, worlds: int) -> None:
    """Weighted means over tags that share questions, as Recommend and the leaderboard have them."""
    rows = []
    made = {tag: {("b", "x", tag): 1.0} for tag in MIX.index}
    for shape in MIXES:
        for truths in ((0.75, 0.65, 0.55), (0.92, 0.9, 0.85)):
            held, ahead, tied, board = [], [], [], []
            for _ in range(worlds):
                truth = np.array(truths) + rng.uniform(-0.03, 0.03, 3)
                score, image = drawn(rng, shape, truth)
                has = rng.random((len(image), len(MIX))) < CARRIES
                has[~has.any(axis=1), 0] = True
                if (has.sum(axis=0) < 2).any():
                    continue
                places = {
                    ("b", "x", tag): np.flatnonzero(has[:, place])
                    for place, tag in enumerate(MIX.index)
                }
                items = by_items.Items(pd.DataFrame(score, columns=list("abc")), image, places)
                told = by_items.estimates(items, list(places))
                found = weighted.weigh(items, made, MIX, told)
                held += list((found.low <= truth) & (truth <= found.high))
                first = truth[0] - truth[1]
                error = ties.error(
                    pd.DataFrame({"se": found.score.se[0]}, ["a", "b", "c"]), found, "a", "b"
                )
                apart = found.score.mean[0, 0] - found.score.mean[0, 1]
                ahead.append(abs(apart - first) <= intervals.z() * error)
                table = multiple.standings(found.score, found.models)
                tied.append(bool(table.loc["abc"[int(truth.argmax())], "tied"]))
                cells = told.assign(kind="measured")
                ranks = leaders.overall(cells, items, made, weights=dict(MIX)).table.set_index(
                    "model"
                )
                low, high = (ranks[end].reindex(list("abc")).to_numpy() for end in ("low", "high"))
                board += list((low <= truth) & (truth <= high))
            rows.append(
                (
                    f"{shape}; about {truths[0]:.0%} to {truths[2]:.0%}",
                    percent(held),
                    percent(board),
                    percent(ahead),
                    percent(tied),
                )
            )
    show(
        f"Means over 3 tags, on 70, 40 and 15 % of the questions ({worlds} worlds a row)",
        ("", "Recommend, %", "leaderboard, %", "difference, %", "best among the tied, %"),
        rows,
    )


FIELDS = {
    "5 equal models": [0.7] * 5,
    "10 equal models": [0.7] * 10,
    "best by 1 point of 5": [0.71, 0.70, 0.70, 0.70, 0.70],
    "best by 5 points of 5": [0.75, 0.70, 0.70, 0.70, 0.70],
    "spread, 10 models": list(np.linspace(0.72, 0.4, 10)),
}


def best(rng: np.random.Generator, worlds: int) -> None:
    """Tied-best sets, rank ranges and the winner's curse."""
    rows = []
    for shape in (Shape(100), Shape(50, 3), Shape(500)):
        for name, truths in FIELDS.items():
            truth = np.array(truths)
            names = [str(place) for place in range(len(truth))]
            holds, size, ranks, raw, mended = [], [], [], [], []
            for _ in range(worlds):
                score, image = drawn(rng, shape, truth)
                found = resample.bootstrap(score, image, rng, resamples=RESAMPLES)
                table = multiple.standings(found, names)
                holds.append(bool(table.loc["0", "tied"]))
                size.append(int(table["tied"].sum()))
                least = 1 + int((truth > truth[0]).sum())
                ranks.append(
                    bool(
                        table.loc["0", "rank_low"] <= least + int((truth == truth[0]).sum()) - 1
                        and table.loc["0", "rank_high"] >= least
                    )
                )
                curse, winner = multiple.winners_curse(found), truth[int(table.index[0])]
                raw.append(curse.top - winner)
                mended.append(curse.corrected - winner)
            rows.append(
                (
                    f"{shape}; {name}",
                    percent(holds),
                    f"{np.mean(size):.1f}",
                    percent(ranks),
                    f"{100 * np.mean(raw):+.2f}",
                    f"{100 * np.mean(mended):+.2f}",
                )
            )
    show(
        f"The best model ({worlds} worlds a row; bar: the tied set holds it in 95 % or more)",
        ("", "in the set, %", "size", "rank held, %", "top too high, pts", "corrected"),
        rows,
    )


def chances(rng: np.random.Generator, worlds: int) -> None:
    """P(best): of all statements "in about x of 100 cases", how often it was the best."""
    edges = np.array([0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1.0001])
    rows = []
    for models, spread in ((2, 0.3), (5, 0.3), (5, 0.12), (10, 0.12)):
        said, true = [], []
        for _ in range(worlds):
            truth = ndtr(rng.normal(0.5, spread, models))
            score, image = drawn(rng, Shape(100, 3), truth)
            found = resample.bootstrap(score, image, rng, resamples=RESAMPLES)
            table = multiple.standings(found, [str(place) for place in range(models)])
            said += table["p_best"].tolist()
            true += [int(name) == truth.argmax() for name in table.index]
        shares, hits = np.array(said), np.array(true)
        for low, high in zip(edges[:-1], edges[1:], strict=True):
            inside = (shares >= low) & (shares < high)
            if inside.sum() >= 10:
                rows.append(
                    (
                        f"{models} models, spread {spread}: {100 * low:.0f} to "
                        f"{100 * min(high, 1):.0f} %",
                        int(inside.sum()),
                        f"{100 * shares[inside].mean():.1f}",
                        percent(hits[inside]),
                    )
                )
    show(
        f"P(best), 100 images x 3 ({worlds} worlds a block; spread of abilities in probits)",
        ("said", "cases", "mean said, %", "was the best, %"),
        rows,
    )


def routes(rng: np.random.Generator, worlds: int) -> None:
    """What a routing table promises, what is said of it, and what it truly gains."""
    rows = []
    kinds, models, each = 8, 4, 40
    kind = pd.Series(np.repeat([f"kind {place}" for place in range(kinds)], each))
    names = [f"model {place}" for place in range(models)]
    for title, spread in (("nobody is special", 0.0), ("a little", 0.05), ("specialists", 0.15)):
        seen, said, true, holds = [], [], [], []
        for _ in range(worlds):
            share = np.clip(rng.normal(0.6, spread, (kinds, models)), 0.05, 0.95)
            right = rng.random((kinds * each, models)) < np.repeat(share, each, axis=0)
            plan = routing.route(pd.DataFrame(right.astype(float), columns=names), kind, rng)
            sent = [names.index(entry) for entry in plan.table.sort_values("kind")["entry"]]
            one = share[:, names.index(plan.single)]
            true.append((share[np.arange(kinds), sent] - one).mean())
            seen.append(plan.score - plan.single_score)
            said.append(plan.gain)
            holds.append(plan.gain_low <= true[-1] <= plan.gain_high)
        told = [f"{100 * np.nanmean(gains):+.2f}" for gains in (seen, said, true)]
        rows.append((title, *told, percent(holds)))
    show(
        f"Routing by kind, 8 kinds x 40 questions, 4 models ({worlds} worlds a row), points gained",
        ("", "on its own questions", "cross-validated", "truly", "interval holds, %"),
        rows,
    )


def main() -> None:
    """Print the tables."""
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    worlds = max(20, int(WORLDS * scale))
    rng = np.random.default_rng(20261130)
    coverage(rng, worlds)
    mixes(rng, max(20, worlds // 4))
    best(rng, max(20, worlds // 2))
    chances(rng, max(20, worlds // 2))
    routes(rng, max(20, worlds // 4))


if __name__ == "__main__":
    main()
