"""Scores corrected for the judge's errors, from human labels of some of the answers.

Two ways, side by side. Prediction-powered inference takes each model's own labels: the judge's mean
over all answers plus what people say more or less on the labelled ones (Angelopoulos et al. 2023,
Science 382:669; the share of the judge that is used as in PPI++, arXiv 2311.01453; inside strata as
in Fisch et al. 2024, arXiv 2406.04291). It assumes only that within a model and a verdict the
labelled answers are a random draw. Rogan and Gladen (1978, Am. J. Epidemiol. 107:71-76) take one
rate of each error for all models, which is little to ask of few labels and wrong where the judge
errs more on one model than on another.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalcore.analysis import agreement, intervals
from evalcore.analysis.agreement import YES, Estimate

NO_FIT = "the labels and the raw score do not fit together"
Floats = NDArray[np.float64]
LEAST = 2
"""Labels that a model needs of each verdict: with one its spread is not known."""
TABLE_COLUMNS = [
    *("entry", "n", "unscored", "labelled", "raw", "raw_low", "raw_high"),
    *("ppi", "ppi_low", "ppi_high", "used", "rogan_gladen", "rogan_gladen_low"),
    *("rogan_gladen_high", "rank_raw", "rank_ppi", "why", "why_rates"),
]
PAIR_COLUMNS = ["a", "b", "raw", "corrected", "low", "high", "turns", "clear"]


class ByRates(NamedTuple):
    """A share corrected by a judge's rates, and what is wrong with it."""

    estimate: Estimate
    why: str
    """Why there is none, or why it stands at 0 or 1; empty where nothing is wrong."""


def rogan_gladen(says: Estimate, sensitivity: Estimate, specificity: Estimate) -> ByRates:
    """The true share from the judge's share of yes: (p + spec - 1)/(sens + spec - 1).

    The interval inverts a test, so that nothing is divided by an uncertain number (as Fieller's): a
    true share t stays where p and what the rates make of it, t sens + (1 - t)(1 - spec), differ by
    no more than the arms of the three intervals on that side, in quadrature (Zou & Donner 2008,
    Stat. Med. 27:1693-1702). A p that the rates make of no share is first brought to the nearest
    one that they do make. That takes no share out of the interval, and leaves it its width at 0 and
    1. The standard error is the delta method's.

    Returns:
        Not defined where sens + spec - 1 is not clearly above 0, nor where p lies further from what
        the rates can make than luck brings it: the judge errs otherwise here than on the labels.

    Example:
        >>> says = Estimate(0.6, 0.5, 0.7, 0.05, 100)
        >>> rate = Estimate(0.9, 0.8, 0.96, 0.04, 60)
        >>> round(rogan_gladen(says, rate, rate).estimate.value, 3)
        0.625
    """
    nothing = Estimate(np.nan, np.nan, np.nan, np.nan, says.n)
    power = sensitivity.value + specificity.value - 1
    if np.isnan(power):
        return ByRates(nothing, "no labels of right answers, or none of wrong ones")
    if not power > np.hypot(
        sensitivity.value - sensitivity.low, specificity.value - specificity.low
    ):
        return ByRates(nothing, "the judge's yes is not clearly commoner where people say yes")
    value = (says.value + specificity.value - 1) / power
    near, why = float(np.clip(value, 0, 1)), ""
    if near != value:
        why = f"{NO_FIT}: by one error rate for all it would be {100 * value:.1f} %"
        if np.polyval(_test(says, value * power, sensitivity, specificity, value < 0), near) > 0:
            return ByRates(nothing, f"{why}, further out than luck brings it")
    errors = [_error(estimate) for estimate in (says, sensitivity, specificity)]
    se = float(np.hypot(np.hypot(errors[0], errors[1] * value), errors[2] * (1 - value)) / power)
    low, high = (
        _end(_test(says, near * power, sensitivity, specificity, above), near, above)
        for above in (False, True)
    )
    return ByRates(Estimate(near, low, high, se, says.n), why)


def _test(
    says: Estimate, away: float, sensitivity: Estimate, specificity: Estimate, above: bool
) -> tuple[float, float, float]:
    """A quadratic in a true share t that is above 0 where t does not fit.

    Args:
        says: The judge's share of yes.
        away: How far it, or what stands for it, lies from 1 - specificity.
        sensitivity: Of the judge.
        specificity: Of the judge.
        above: Whether t makes more of yes than that, which tells the arms that count.
    """
    power = sensitivity.value + specificity.value - 1
    if above:
        arms = says.high - says.value, sensitivity.value - sensitivity.low
        third = specificity.high - specificity.value
    else:
        arms = says.value - says.low, sensitivity.high - sensitivity.value
        third = specificity.value - specificity.low
    first, second = arms
    return (
        power**2 - second**2 - third**2,
        2 * (third**2 - away * power),
        away**2 - first**2 - third**2,
    )


def _end(test: tuple[float, float, float], near: float, above: bool) -> float:
    """Where the shares stop to fit, from ``near``, which does, to 0 or to 1."""
    end = float(above)
    if np.isnan(test).any():
        return float("nan")
    if np.polyval(test, end) <= 0:
        return end
    low, high = sorted((near, end))
    # The test changes its sign once between the two, so one root lies there.
    return float(min(np.roots(test).real, key=lambda root: max(low - root, root - high)))


def _error(estimate: Estimate) -> float:
    if 0 < estimate.value < 1:
        return estimate.se
    return (estimate.high - estimate.low) / (2 * intervals.z())


class Corrected(NamedTuple):
    """Corrected scores beside raw ones."""

    table: pd.DataFrame
    """One row a model's entry, the best raw score first: entry, n (answers with a score), unscored,
    labelled (of n), raw (the judge's mean), ppi and rogan_gladen (corrected; NaN where not
    defined), each with _low and _high (95 %); used (share of the judge's score that prediction-
    powered inference uses; a judge of yes or no is used whole), rank_raw and rank_ppi (1 is best,
    among entries with both), why (there is no ppi), why_rates (there is no rogan_gladen, or it
    stands at 0 or 1: ``ByRates``)."""
    pairs: pd.DataFrame
    """One row a pair of entries with both: a (the better raw one), b, raw and corrected (a minus
    b), low, high (95 %, of the corrected difference), turns (the order changes), clear (the
    interval leaves out 0)."""
    sensitivity: Estimate
    """Over all entries: the judge says yes where people do, brought to all answers."""
    specificity: Estimate
    """The judge says no where people do."""


def correct(answers: pd.DataFrame, threshold: float = YES) -> Corrected:
    """Correct the scores of one judge.

    Args:
        answers: one row an answer: entry, item, cluster, score (0..1; NaN unscored), human (0..1;
            NaN no label or undecided) and, if labels were drawn by more than the verdict,
            stratum (what else they were drawn by; equal for answers drawn alike) and drawn (as
            from ``drawn``, to save time).
        threshold: the score from which on the judge says yes.

    Returns:
        See ``Corrected``. Nothing is corrected without labels.

    Example:
        >>> rows = pd.DataFrame({"entry": "m", "item": range(8), "cluster": range(8),
        ...                      "score": [1.0] * 6 + [0.0] * 2,
        ...                      "human": [1, 1, 0, 0, np.nan, np.nan, 0, 0]})
        >>> found = correct(rows).table.iloc[0]
        >>> float(found["raw"]), float(found["ppi"])
        (0.75, 0.375)
    """
    rows = weighed(answers, threshold)
    labelled = rows[rows["weight"].notna()]
    yes = labelled["human"] >= YES
    judged_yes = labelled["score"] >= threshold
    rates = [
        agreement.share(hit[part], labelled.loc[part, "weight"], labelled.loc[part, "cluster"])
        for hit, part in ((judged_yes, yes), (~judged_yes, ~yes))
    ]
    place = agreement.numbers(rows["cluster"])
    columns = [rows[name].to_numpy() for name in ("score", "human", "cell")]
    influence: dict[str, Floats] = {}
    floors: dict[str, float] = {}
    table = []
    clusters = int(place.max(initial=-1)) + 1
    asked = answers["entry"].value_counts()
    for entry, at in _each(rows["entry"]):
        score, human, cell = (column[at] for column in columns)
        powered = _ppi(score, human, cell)
        sums = np.bincount(place[at], powered.influence, clusters)
        influence[entry] = sums.astype(float)
        floors[entry] = powered.floor
        row = _row(score, human, place[at], powered, rates, threshold)
        table.append({**row, "entry": entry, "unscored": int(asked[entry]) - len(score)})
    done = pd.DataFrame(table, columns=TABLE_COLUMNS).sort_values(
        "raw", ascending=False, kind="stable", ignore_index=True
    )
    ranked = done["ppi"].notna()
    for name, column in (("rank_raw", "raw"), ("rank_ppi", "ppi")):
        done[name] = done[column].where(ranked).rank(ascending=False, method="min")
    return Corrected(done, _pairs(done[ranked], influence, floors), *rates)


def _each(entries: pd.Series) -> Iterator[tuple[str, slice | NDArray[np.intp]]]:
    """Each entry and its places, in order of appearance; a slice where they stand together."""
    code, names = pd.factorize(entries)
    ends = np.flatnonzero(np.diff(code)) + 1
    if len(ends) + 1 == len(names):  # as they come from the store, which saves copies
        for name, start, end in zip(names, [0, *ends], [*ends, len(code)], strict=True):
            yield str(name), slice(start, end)
        return
    order = np.argsort(code, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(code))[:-1]) if len(names) else []
    yield from ((str(name), part) for name, part in zip(names, parts, strict=True))


def weighed(answers: pd.DataFrame, threshold: float = YES) -> pd.DataFrame:
    """The answers with a score, with their cell and the weight of each labelled one.

    A cell is what one model's answers have in common by which labels may have been drawn: the
    verdict, and ``stratum`` where each stratum of that verdict has two labels or more. The weight
    is the number of answers in the cell by the number of labels in it.

    Returns:
        The rows with a score (a new index), cell and weight (NaN for unlabelled answers).
    """
    scored = answers["score"].notna()
    rows = (answers if scored.all() else answers[scored]).reset_index(drop=True)
    there = np.flatnonzero(rows["human"].notna().to_numpy())
    fine = rows["drawn"].to_numpy() if "drawn" in rows else drawn(rows, threshold)
    size = np.bincount(fine)
    # Few cells, many answers: what follows is told for each cell, by one of its answers.
    single = np.zeros(len(size), dtype=np.intp)
    single[fine] = np.arange(len(fine))
    verdict = _codes(rows["entry"].iloc[single], rows["score"].iloc[single] >= threshold)
    labels = np.bincount(fine[there], minlength=len(size))
    short = np.bincount(verdict, weights=labels < LEAST) > 0
    merged = _codes(verdict, np.where(short[verdict], -1, np.arange(len(size))))
    number = np.bincount(merged, weights=labels)[merged]
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.bincount(merged, weights=size)[merged] / number
    weight = np.full(len(rows), np.nan)
    weight[there] = each[fine[there]]
    return rows.assign(cell=merged[fine], weight=weight)


def drawn(answers: pd.DataFrame, threshold: float = YES) -> NDArray[np.intp]:
    """A number for each combination of entry, verdict and stratum: by what labels may be drawn.

    It does not hang on the labels, so it may be kept for them, in a column ``drawn``.
    """
    columns = [answers["entry"], answers["score"] >= threshold]
    return _codes(*columns, *([answers["stratum"]] if "stratum" in answers else []))


def _codes(*columns: pd.Series | NDArray[Any]) -> NDArray[np.intp]:
    """One number for each combination of values, from 0 on without gaps."""
    code: NDArray[np.intp] = np.zeros(len(columns[0]), dtype=np.intp)
    for column in columns:
        values = agreement.numbers(column)
        code = agreement.numbers(code * (values.max(initial=0) + 1) + values)
    return code


def _labels(code: NDArray[np.intp], there: NDArray[np.bool_]) -> Floats:
    """How many of each code are there."""
    return np.bincount(code[there], minlength=int(code.max(initial=-1)) + 1).astype(float)


class _Powered(NamedTuple):
    value: float
    influence: Floats
    """What each answer adds to the error."""
    floor: float
    """Variance that is added where all labels of a cell say the same."""
    used: float
    why: str


def _ppi(score: Floats, human: Floats, cell: NDArray[np.intp]) -> _Powered:
    """Prediction-powered inference for one entry; stratified by cell."""
    cell = _codes(cell)
    there, size = ~np.isnan(human), len(score)
    count = np.bincount(cell)
    labels = _labels(cell, there)
    if (labels < LEAST).any():
        return _Powered(np.nan, np.full(size, np.nan), np.nan, np.nan, _why(score, labels[cell]))
    share = count / size
    used = _used(score[there], human[there], cell[there], share**2 / labels - share / size)
    rest = np.bincount(cell[there], weights=(human - used * score)[there]) / labels
    guess = used * score + rest[cell]
    value = float(guess.mean())
    error = np.where(there, human - guess, 0.0)
    spread = np.bincount(cell, weights=error**2)
    small = np.sqrt(labels / (labels - 1))
    influence = (guess - value) / size + (share * small / labels)[cell] * error
    # As the Wilson interval has it at 0 and 1; see `intervals.standard_error`.
    least = intervals.standard_error(np.zeros(len(labels)), labels)
    floor = float(((share * least) ** 2)[spread < 1e-12].sum())
    return _Powered(value, influence, floor, used, "")


def _why(score: Floats, labels: Floats) -> str:
    """Which labels are missing, given how many each answer's cell has."""
    if not labels.any():
        return "no labels"
    short = score[labels < LEAST] >= YES
    where = "yes" if short.all() else "no" if not short.any() else "yes and where it says no"
    return f"fewer than {LEAST} labels where the judge says {where}"


def _used(score: Floats, human: Floats, cell: NDArray[np.intp], weight: Floats) -> float:
    """The share of the judge's score that gives the least variance: a slope inside the cells."""
    labels = np.bincount(cell)
    x = score - (np.bincount(cell, weights=score) / labels)[cell]
    y = human - (np.bincount(cell, weights=human) / labels)[cell]
    each = (weight / (labels - 1))[cell]
    below = float((each * x * x).sum())
    return float(np.clip((each * x * y).sum() / below, 0, 1)) if below > 1e-12 else 1.0


def _row(  # noqa: PLR0913  one assumption an argument
    score: Floats,
    human: Floats,
    cluster: NDArray[np.intp],
    powered: _Powered,
    rates: list[Estimate],
    threshold: float,
) -> dict[str, float | str]:
    ones = np.ones(len(score))
    raw = agreement.share(score, ones, cluster)
    # A judge of yes or no says what it scores.
    whole = bool(((score == 0) | (score == 1)).all()) and 0 < threshold <= 1
    says = raw if whole else agreement.share(score >= threshold, ones, cluster)
    by_rates = rogan_gladen(says, *rates)
    squared = agreement.clustered(powered.influence, cluster) ** 2 + powered.floor
    low, high = intervals.normal(powered.value, np.sqrt(squared))
    return {
        "n": len(score),
        "labelled": int((~np.isnan(human)).sum()),
        **_ends("raw", raw),
        "ppi": powered.value,
        "ppi_low": float(low),
        "ppi_high": float(high),
        "used": powered.used,
        **_ends("rogan_gladen", by_rates.estimate),
        "why": powered.why,
        "why_rates": by_rates.why,
    }


def _ends(name: str, estimate: Estimate) -> dict[str, float | str]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _pairs(
    ranked: pd.DataFrame, influence: dict[str, Floats], floors: dict[str, float]
) -> pd.DataFrame:
    """Differences of corrected scores, item by item, so that what models share cancels."""
    rows = []
    values = {str(row[0]): row[1:] for row in ranked[["entry", "raw", "ppi"]].to_numpy().tolist()}
    if len(values) < 2:
        return pd.DataFrame(columns=PAIR_COLUMNS)
    sums = np.stack([influence[entry] for entry in values])
    groups = int((sums != 0).any(axis=0).sum())
    shared = sums @ sums.T * (groups / (groups - 1) if groups > 1 else np.nan)
    for (i, a), (j, b) in combinations(enumerate(values), 2):
        raw, new = (first - second for first, second in zip(values[a], values[b], strict=True))
        squared = max(shared[i, i] + shared[j, j] - 2 * shared[i, j], 0)
        low, high = intervals.normal(new, np.sqrt(squared + floors[a] + floors[b]), floor=-1.0)
        clear = bool(low > 0 or high < 0)
        rows.append((a, b, raw, new, float(low), float(high), raw * new < 0, clear))
    return pd.DataFrame(rows, columns=PAIR_COLUMNS)
