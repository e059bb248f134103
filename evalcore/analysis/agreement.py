"""How far a judge agrees with people, from labels of single answers.

Every figure is taken over the answers that have both a label and a score. Standard errors come from
influence values that are summed over the answers that share a picture or source (``cluster``)
before they are squared, so that such answers do not count as independent; with clusters of one
they are the usual asymptotic ones. Where labels were picked more often from some groups of answers
than from others, a ``weight`` for each answer brings them back to all answers.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from evalcore.analysis import intervals
from evalcore.errors import BadInput

Floats = NDArray[np.float64]

YES = 0.5
"""From here on a score or a grade counts as yes."""
NOTHING = 1e-9
"""An error below this is rounding."""
SPARSE = 4
"""Whole numbers that reach further than so many times their count are numbered by a table."""
WORDS = {"yes": 1.0, "no": 0.0, "unsure": np.nan}
KEY = ["run", "item"]
JUDGE = ["metric", "version"]


class Estimate(NamedTuple):
    """One figure with its interval; NaN where it is not defined."""

    value: float
    low: float
    high: float
    se: float
    n: int
    """Answers behind it."""


def grades(labels: pd.Series) -> pd.Series:
    """Labels as numbers: yes 1, no 0, unsure NaN, a grade as it is.

    Raises:
        BadInput: a label is neither.

    Example:
        >>> grades(pd.Series(["yes", "no", "unsure", "0.5"])).to_list()
        [1.0, 0.0, nan, 0.5]
    """
    words = labels.astype(str).str.strip().str.lower()
    values = words.map(WORDS)
    values = values.where(words.isin(WORDS), pd.to_numeric(words, errors="coerce"))
    wrong = ~words.isin(WORDS) & ~values.between(0, 1)
    if wrong.any():
        raise BadInput(
            f"label {str(labels[wrong].iloc[0])!r} should be yes, no, unsure or a grade in 0..1"
        )
    return values.astype(float)


def consensus(labels: pd.DataFrame) -> pd.DataFrame:
    """What the raters say of each answer together.

    Where all labels of the frame are yes, no or unsure the majority counts, and a tie is NaN; if
    any is a grade in between, an answer's mean counts.

    Args:
        labels: one row a rater and answer: run, item, rater, label (see ``grades``).

    Returns:
        One row an answer: run, item, human (0..1; NaN undecided), raters (who labelled it).

    Example:
        >>> said = pd.DataFrame({"run": "r", "item": ["1", "1", "2"], "rater": ["a", "b", "a"],
        ...                      "label": ["yes", "no", "yes"]})
        >>> consensus(said)["human"].to_list()
        [nan, 1.0]
    """
    rows = labels.assign(value=grades(labels["label"]))
    answers = rows.groupby(KEY, sort=False).agg(
        human=("value", "mean"), raters=("rater", "nunique")
    )
    if rows["value"].dropna().isin((0.0, 1.0)).all():
        mean = answers["human"]
        answers["human"] = (mean > YES).astype(float).where(mean.notna() & (mean != YES))
    return answers.reset_index()


def joined(
    people: pd.DataFrame, scores: pd.DataFrame, entries: pd.DataFrame, clusters: pd.Series
) -> pd.DataFrame:
    """Set what people say of each answer beside what each judge says of it.

    Args:
        people: as from ``consensus``.
        scores: items x entries, fractions; NaN is unscored.
        entries: index entry; run, model, metric, version.
        clusters: item → cluster.

    Returns:
        One row a labelled answer and judge: entry, run, model, metric, version, item, cluster,
        human, raters, score, weight (1). Labels of runs or items that are not there are left out.
    """
    named = entries[["run", "model", *JUDGE]].rename_axis("entry").reset_index()
    there = scores.index.get_indexer(pd.Index(people["item"])) >= 0
    rows = people[there].merge(named, on="run")
    places = (
        scores.index.get_indexer(pd.Index(rows["item"])),
        scores.columns.get_indexer(pd.Index(rows["entry"])),
    )
    score = scores.to_numpy(float)[places] if len(rows) else np.empty(0)
    return rows.assign(cluster=rows["item"].map(clusters), score=score, weight=1.0)


def table(pairs: pd.DataFrame, by: Sequence[str] = JUDGE, threshold: float = YES) -> pd.DataFrame:
    """Agreement of each judge and variant with people.

    Args:
        pairs: as from ``joined``.
        by: columns that make up a row; further ones, such as ``model``, split a judge.
        threshold: a judge's score from which on it says yes.

    Returns:
        One row a group, in order of appearance: the columns of ``by``; n (answers with both),
        undecided (labelled, but unsure or tied), unscored (labelled, but without a score), models;
        accuracy, kappa (Cohen), tau (Kendall's tau-b of score and label), sensitivity (judge says
        yes where people do), specificity (no where they do), bias (mean score minus mean label),
        each with _low and _high (95 %); common (accuracy of always saying what people say more
        often); both_yes, only_judge, only_people, both_no (answers, unweighted).
    """
    rows = [
        {**dict(zip(by, key, strict=True)), **_row(group, threshold)}
        for key, group in pairs.groupby(list(by), sort=False, dropna=False)
    ]
    return pd.DataFrame(rows)


def _row(group: pd.DataFrame, threshold: float) -> dict[str, float]:
    there, scored = group["human"].notna(), group["score"].notna()
    both = group[there & scored]
    human, score = both["human"].to_numpy(float), both["score"].to_numpy(float)
    weight, cluster = both["weight"].to_numpy(float), both["cluster"].to_numpy()
    yes, judged_yes = human >= YES, score >= threshold
    estimates = {
        "accuracy": share(yes == judged_yes, weight, cluster),
        "kappa": kappa(yes, judged_yes, weight, cluster),
        "tau": tau_b(human, score, weight, cluster),
        "sensitivity": share(judged_yes[yes], weight[yes], cluster[yes]),
        "specificity": share(~judged_yes[~yes], weight[~yes], cluster[~yes]),
        "bias": mean(score - human, weight, cluster),
    }
    row: dict[str, float] = {
        "n": len(both),
        "undecided": int((~there).sum()),
        "unscored": int((there & ~scored).sum()),
        "models": both["model"].nunique(),
    }
    for name, estimate in estimates.items():
        row |= {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    commoner = share(yes, weight, cluster).value
    row["common"] = float(np.fmax(commoner, 1 - commoner))
    names = ("both_yes", "only_judge", "only_people", "both_no")
    return row | dict(zip(names, confusion(yes, judged_yes), strict=True))


def confusion(yes: ArrayLike, judged_yes: ArrayLike) -> tuple[int, int, int, int]:
    """Count answers: both say yes, only the judge, only people, both say no.

    >>> confusion([True, True, False], [True, False, False])
    (1, 0, 1, 1)
    """
    people, judge = np.asarray(yes, dtype=bool), np.asarray(judged_yes, dtype=bool)
    counts = (people & judge, ~people & judge, people & ~judge, ~people & ~judge)
    first, second, third, fourth = (int(count.sum()) for count in counts)
    return first, second, third, fourth


def share(hits: ArrayLike, weight: ArrayLike, cluster: ArrayLike) -> Estimate:
    """A weighted share with the Wilson interval at the number of independent answers it is worth.

    That number is p(1-p)/se^2 with the clustered standard error; at 0 or 1 it is Kish's
    (sum w)^2 / sum w^2, at most the number of clusters.

    >>> share([1, 1, 1, 0], [1, 1, 1, 1], [1, 2, 3, 4]).value
    0.75
    """
    estimate = mean(hits, weight, cluster)
    w = np.asarray(weight, dtype=float)
    if not estimate.n:
        return estimate
    worth = min(w.sum() ** 2 / (w**2).sum(), groups_of(cluster))
    if 0 < estimate.value < 1:
        worth = (
            estimate.value * (1 - estimate.value) / estimate.se**2
            if estimate.se > NOTHING
            else np.nan
        )
    value = float(np.clip(estimate.value, 0, 1))
    low, high = intervals.wilson(value, worth)
    return Estimate(value, float(low), float(high), estimate.se, estimate.n)


def mean(values: ArrayLike, weight: ArrayLike, cluster: ArrayLike) -> Estimate:
    """A weighted mean of scores or of their differences; no interval where nothing varies.

    The interval is Student's at the number of clusters less one, cut off at -1 and 1.

    >>> round(mean([0.0, 1.0, 0.0, 1.0], [1] * 4, [1, 2, 3, 4]).se, 4)
    0.2887
    """
    x, w = np.asarray(values, dtype=float), np.asarray(weight, dtype=float)
    if not len(x):
        return Estimate(np.nan, np.nan, np.nan, np.nan, 0)
    centre = float((w * x).sum() / w.sum())
    se = clustered(w / w.sum() * (x - centre), cluster)
    groups = groups_of(cluster)
    t = stdtrit(groups - 1, 0.5 + intervals.LEVEL / 2) if groups > 1 else np.nan
    half = float(t * se) if se > NOTHING else np.nan
    ends = np.clip([centre - half, centre + half], -1, 1)
    return Estimate(centre, float(ends[0]), float(ends[1]), se, len(x))


def kappa(yes: ArrayLike, judged_yes: ArrayLike, weight: ArrayLike, cluster: ArrayLike) -> Estimate:
    """Cohen's kappa of two yes-or-no raters: (p_o - p_e)/(1 - p_e).

    Standard error by the delta method over the four cells (Fleiss, Cohen and Everitt 1969, Psychol.
    Bull. 72:323-327); interval on Fisher's scale. Not defined where both only ever say one thing.

    >>> round(kappa([1, 1, 0, 0], [1, 0, 0, 0], [1] * 4, range(4)).value, 3)
    0.5
    """
    a, b = np.asarray(yes, dtype=float), np.asarray(judged_yes, dtype=float)
    w = np.asarray(weight, dtype=float)
    if not len(a):
        return Estimate(np.nan, np.nan, np.nan, np.nan, 0)
    w = w / w.sum()
    agree = (a == b).astype(float)
    observed, p, q = float(w @ agree), float(w @ a), float(w @ b)
    left = 1 - (p * q + (1 - p) * (1 - q))
    if left <= 0:
        return Estimate(np.nan, np.nan, np.nan, np.nan, len(a))
    chance = (a - p) * (2 * q - 1) + (b - q) * (2 * p - 1)
    moves = (agree - observed) / left - (1 - observed) / left**2 * chance
    return on_fisher(1 - (1 - observed) / left, clustered(w * moves, cluster), len(a))


def tau_b(human: ArrayLike, score: ArrayLike, weight: ArrayLike, cluster: ArrayLike) -> Estimate:
    """Kendall's tau-b: (concordant - discordant) over the root of the pairs untied in each.

    Standard error by the delta method over the table of distinct values (Brown and Benedetti 1977,
    JASA 72:309-315); interval on Fisher's scale. Not defined where either never varies.

    >>> round(tau_b([0, 0, 1, 1], [0.1, 0.2, 0.15, 0.9], [1] * 4, range(4)).value, 3)
    0.408
    """
    rows, row = np.unique(np.asarray(human, dtype=float), return_inverse=True)
    columns, column = np.unique(np.asarray(score, dtype=float), return_inverse=True)
    w = np.asarray(weight, dtype=float)
    if len(rows) < 2 or len(columns) < 2:
        return Estimate(np.nan, np.nan, np.nan, np.nan, len(w))
    w = w / w.sum()
    cells: Floats = np.zeros((len(rows), len(columns)))
    np.add.at(cells, (row, column), w)
    ahead = _ahead(cells)
    by_row, by_column = cells.sum(axis=1), cells.sum(axis=0)
    surplus = float((cells * ahead).sum())
    untied_x, untied_y = 1 - float(by_row @ by_row), 1 - float(by_column @ by_column)
    root = np.sqrt(untied_x * untied_y)
    value = float(surplus / root)
    moved = 2 * (ahead[row, column] - surplus) / root
    x = -2 * (by_row[row] - by_row @ by_row) / untied_x
    y = -2 * (by_column[column] - by_column @ by_column) / untied_y
    return on_fisher(value, clustered(w * (moved - value / 2 * (x + y)), cluster), len(w))


def _ahead(cells: Floats) -> Floats:
    """For each cell: the share of answers concordant with it minus the discordant one."""
    total = np.zeros((cells.shape[0] + 1, cells.shape[1] + 1))
    total[1:, 1:] = cells.cumsum(axis=0).cumsum(axis=1)
    below, left = total[:-1, -1:], total[-1:, :-1]
    both = total[:-1, :-1]
    row, column = cells.sum(axis=1, keepdims=True), cells.sum(axis=0, keepdims=True)
    upto_row, upto_column = below + row, left + column
    less_more = below - total[:-1, 1:]
    more_less = left - total[1:, :-1]
    more_more = 1 - upto_row - upto_column + total[1:, 1:]
    ahead: Floats = both + more_more - less_more - more_less
    return ahead


def on_fisher(value: float, se: float, n: int) -> Estimate:
    """The interval tanh(atanh(r) +- z se/(1 - r^2)); none where r is 1 or -1 or nothing varies.

    >>> round(on_fisher(0.5, 0.05, 100).low, 3)
    0.396
    """
    if not (se > NOTHING and abs(value) < 1):
        return Estimate(value, np.nan, np.nan, se if se > NOTHING else np.nan, n)
    centre, half = np.arctanh(value), intervals.z() * se / (1 - value**2)
    return Estimate(value, float(np.tanh(centre - half)), float(np.tanh(centre + half)), se, n)


def clustered(influence: Floats, cluster: ArrayLike) -> float:
    """Standard error from influence values that add up to 0: root of G/(G-1) sum over clusters.

    Args:
        influence: what each answer adds to the figure's error.
        cluster: the group of each answer.

    Returns:
        The standard error; NaN with fewer than two clusters.

    Example:
        >>> round(clustered(np.array([0.25, -0.25]), ["a", "b"]), 4)
        0.5
    """
    code = numbers(cluster)
    sums = np.bincount(code, weights=influence) if len(code) else np.empty(0)
    groups = len(sums)
    if groups < 2:
        return float("nan")
    return float(np.sqrt(groups / (groups - 1) * (sums**2).sum()))


def numbers(values: ArrayLike | pd.Series) -> NDArray[np.intp]:
    """A number from 0 on for each distinct value, without gaps; categories and codes are fast.

    >>> numbers(["b", "a", "b"]).tolist(), numbers(np.array([5, 3, 5])).tolist()
    ([0, 1, 0], [1, 0, 1])
    """
    if isinstance(values, pd.Series) and isinstance(values.dtype, pd.CategoricalDtype):
        values = values.cat.codes
    array = np.asarray(values)
    if array.dtype == bool:
        array = array.astype(np.intp)
    if array.dtype.kind in "iu" and len(array):
        least, most = int(array.min()), int(array.max())
        if most - least <= SPARSE * len(array):
            code = array.astype(np.intp) - least
            there = np.bincount(code) > 0
            return code if there.all() else (np.cumsum(there) - 1)[code]
    return np.asarray(pd.factorize(array, use_na_sentinel=False)[0], dtype=np.intp)


def groups_of(cluster: ArrayLike) -> int:
    """How many distinct clusters there are."""
    return int(numbers(cluster).max(initial=-1)) + 1
