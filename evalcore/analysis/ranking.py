"""Who is best, how sure the data are of it, and who gives less for more.

Every function takes ``score`` and ``se``, two pandas Series indexed by model: the score as a
fraction and its standard error (NaN: unknown). Published tables give totals only, so scores are
treated as independent normal estimates and the standard error of a difference is
``sqrt(se_a**2 + se_b**2)``. All models answered the same items; with the answers at hand, paired
differences would be narrower (Miller 2024, arXiv 2411.00640), so ties found here are on the
careful side.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.special import ndtri

from evalcore.errors import BadInput

MODES = ("macro", "micro")
CRITERIA = ("size", "cost")
"""What a score is traded against."""
BLOCK = 512
"""Models compared at a time, so that thousands of them need no matrix of all pairs."""
MOST_DRAWN = 5_000_000
"""Random numbers held at a time."""


def critical(k: int, level: float = 0.95) -> float:
    """Return the two-sided normal quantile for k - 1 comparisons at once (Bonferroni).

    With k models each is compared with k - 1 others; the error 1 - level is split evenly over
    them, so that all intervals hold together with at least that level. See Hsu (1984), "Constrained
    simultaneous confidence intervals for multiple comparisons with the best".

    >>> round(critical(2), 2)
    1.96
    """
    if k <= 1:
        return 0.0
    return float(ndtri(1 - (1 - level) / (2 * (k - 1))))


def tied_best(score: pd.Series, se: pd.Series, level: float = 0.95) -> list[str]:
    """Return the models that the data cannot tell from the leader, the leader first.

    A model is tied when ``|difference| <= critical(k) * se of the difference``, with k the number
    of scored models (multiple comparisons with the best, Hsu 1984). With an unknown standard error
    of the leader or of the model no tie can be judged: it counts as tied only if the scores are
    equal. Models without a score take no part.

    >>> tied_best(pd.Series({"a": 0.7, "b": 0.69, "c": 0.4}), pd.Series([0.02] * 3, list("abc")))
    ['a', 'b']
    """
    known = in_order(score)
    if known.empty:
        return []
    error = se.reindex(known.index).to_numpy(float)
    gap = known.iloc[0] - known.to_numpy(float)
    reach = critical(len(known), level) * np.hypot(error, error[0])
    tied = (gap == 0) | (gap <= np.nan_to_num(reach, nan=0.0))
    return [str(model) for model in known.index[tied]]


def in_order(score: pd.Series) -> pd.Series:
    """Return the known scores from high to low; equal ones in the order of their ids."""
    return score.dropna().sort_index().sort_values(ascending=False, kind="stable")


def rank_range(score: pd.Series, se: pd.Series, level: float = 0.95) -> pd.DataFrame:
    """Return, indexed by model, the best (rank_low) and worst (rank_high) rank the data allow.

    rank_low = 1 + the number of models clearly better, rank_high = k - the number clearly worse;
    "clearly": beyond ``critical(k)`` standard errors of the difference (the marginal confidence set
    of one rank in Mogstad, Romano, Shaikh & Wilhelm 2024). A model without a score or a standard
    error has NaN ranks; for the others it may stand above or below, so their range stays wide.

    >>> frame = rank_range(pd.Series({"a": 0.7, "b": 0.4}), pd.Series({"a": 0.02, "b": 0.02}))
    >>> frame.loc["a"].tolist(), frame.loc["b"].tolist()
    ([1.0, 1.0], [2.0, 2.0])
    """
    value = score.to_numpy(float)
    error = se.reindex(score.index).to_numpy(float)
    k = len(value)
    z = critical(k, level)
    low, high = np.ones(k), np.full(k, float(k))
    for start in range(0, k, BLOCK):
        rows = slice(start, start + BLOCK)
        ahead = value[None, :] - value[rows, None]
        reach = z * np.hypot(error[None, :], error[rows, None])
        # A comparison with NaN is False on both sides: not told apart.
        low[rows] += ((ahead > reach) & (ahead > 0)).sum(axis=1)
        high[rows] -= ((-ahead > reach) & (ahead < 0)).sum(axis=1)
    unknown = np.isnan(value) | np.isnan(error)
    low[unknown] = high[unknown] = np.nan
    return pd.DataFrame({"rank_low": low, "rank_high": high}, index=score.index)


def p_best(
    score: pd.Series, se: pd.Series, rng: np.random.Generator, draws: int = 10_000
) -> pd.Series:
    """Return for each model the chance that it is truly the best of the models given.

    Monte Carlo: in every draw each score moves by an independent normal error, the highest one
    gets the draw, equal ones share it. NaN for all when any score or standard error is unknown,
    since then nobody's chance is known. Two equal models get one half each: this is no rule for
    choosing by itself.
    """
    value = score.to_numpy(float)
    error = se.reindex(score.index).to_numpy(float)
    if not len(value) or np.isnan(value).any() or np.isnan(error).any():
        return pd.Series(np.nan, index=score.index, dtype=float)
    # Models out by 9 standard errors cannot win a draw; leaving them out saves most of the time.
    in_reach = np.flatnonzero(value + 9 * error >= (value - 9 * error).max())
    share, done = np.zeros(len(value)), 0
    while done < draws:
        some = min(draws - done, max(1, MOST_DRAWN // len(in_reach)))
        drawn = rng.standard_normal((some, len(in_reach)))
        share[in_reach] += some * first_share(value[in_reach] + drawn * error[in_reach])
        done += some
    return pd.Series(share / draws, index=score.index)


def first_share(drawn: np.ndarray) -> np.ndarray:
    """Return for each column the share of rows in which it is highest; equal ones share a row.

    >>> first_share(np.array([[1.0, 0.0], [1.0, 1.0]])).tolist()
    [0.75, 0.25]
    """
    first = drawn == drawn.max(axis=1, keepdims=True)
    count = first.sum(axis=1)
    share: np.ndarray = (1.0 / count) @ first / len(drawn)
    return share


def design_effect(mean: float, sd: float) -> float:
    """Return ``E[t^2] / E[t]`` for items that carry t tags each: ``(mean^2 + sd^2) / mean``.

    A mean over tags counts an item once for each of its tags; this is the factor by which its
    variance exceeds that of as many separate items (Kish 1965, unequal weighting). Unknown
    figures (NaN) give 1.0: the caller says that overlap was not accounted for.

    >>> design_effect(2.0, 1.0)
    2.5
    """
    effect = (mean**2 + sd**2) / mean
    return 1.0 if np.isnan(effect) else float(effect)


def shares(cells: pd.DataFrame, weights: Mapping[str, float], mode: str = "macro") -> pd.Series:
    """Return the share of each weighted tag in the overall score, summing to 1.

    macro: the weights, normalised. micro: each weight times the tag's number of items (the
    largest n of its cells; models of one suite answer the same items), normalised.

    Raises:
        BadInput: on an unknown mode, a weight that is not above 0, or micro with an unknown n.
    """
    if mode not in MODES:
        raise BadInput(f"aggregate {mode!r} is unknown; use one of {', '.join(MODES)}")
    weight = pd.Series(dict(weights), dtype=float)
    if weight.empty or not (weight > 0).all() or np.isinf(weight).any():
        raise BadInput(f"weights {dict(weights)!r}: give at least one tag, each with a number > 0")
    if mode == "micro":
        items = cells.groupby("tag")["n"].max().reindex(weight.index)
        if items.isna().any():
            unknown = sorted(str(tag) for tag in items[items.isna()].index)
            raise BadInput(f"micro needs the number of items, unknown for {unknown}; use macro")
        weight = weight * items
    return weight / weight.sum()


def aggregate(
    cells: pd.DataFrame, weights: Mapping[str, float], mode: str, design_effect: float
) -> pd.DataFrame:
    """Return the overall score of each model that has every weighted tag, indexed by model.

    score = sum of share x value; se = sqrt(design_effect x sum of share^2 x se^2), where the
    design effect (tags of one axis may share items) counts only with more than one tag; n = sum of
    the tags' n, an item with several tags counted in each. se and n are NaN when unknown for any
    weighted tag. A model that lacks a weighted tag is absent: a gap is neither 0 nor skipped.

    Raises:
        BadInput: as in `shares`, or if a model has two cells for one tag.
    """
    share = shares(cells, weights, mode)
    used = cells[cells["tag"].isin(share.index) & cells["value"].notna()]
    if used.duplicated(["model", "tag"]).any():
        twice = used[used.duplicated(["model", "tag"])].iloc[0]
        raise BadInput(f"two cells for {twice['model']!r} on {twice['tag']!r}; give one a tag")
    models, names = pd.factorize(used["model"], sort=True)
    grid = np.full((3, len(names), len(share)), np.nan)
    tags = share.index.get_indexer(pd.Index(used["tag"]))
    grid[:, models, tags] = used[["value", "se", "n"]].to_numpy(float).T
    value, error, n = grid
    effect = design_effect if len(share) > 1 else 1.0
    weight = share.to_numpy()
    frame = pd.DataFrame(
        {
            "score": value @ weight,
            "se": np.sqrt(effect * (error**2 @ weight**2)),
            "n": n.sum(axis=1),
        },
        index=pd.Index(names, name="model"),
    )
    complete: pd.DataFrame = frame.loc[~np.isnan(value).any(axis=1)]
    return complete


def pareto(
    frame: pd.DataFrame, level: float = 0.95, errors: np.ndarray | None = None
) -> pd.DataFrame:
    """Return for each model whether another one is at least as small and cheap, and better.

    Args:
        frame: indexed by model: score, se, size, cost (NaN: unknown).
        level: of the interval of a difference, ``z * sqrt(se_a**2 + se_b**2)``.
        errors: standard errors of the differences, models x models as in the frame, where they
            are known better than from se.

    Returns:
        Indexed by model: status and by (the best-scoring model that dominates it, else None).
        "front": no other model is at least as good in score, size and cost, and better in one.
        "dominated": one is, and the interval of the difference in score excludes 0. "possibly
        dominated": one is, but that interval covers 0 or is unknown. A criterion that is unknown
        for every model is left out. A model for which one of the others is unknown can neither
        dominate nor be dominated and reads "unknown size", "unknown cost" or both.
    """
    used = [name for name in CRITERIA if frame[name].notna().any()] or list(CRITERIA)
    missing = frame[used].isna()
    score = frame["score"].to_numpy(float)
    unknown = missing.any(axis=1).to_numpy() | np.isnan(score)
    names = np.array([str(model) for model in frame.index], dtype=object)
    # Best first, equal ones by name: the first that dominates a row is the one to name.
    known = np.flatnonzero(~unknown)
    known = known[np.lexsort((names[known].astype(str), -score[known]))]
    alone, criteria = frame["se"].to_numpy(float)[known], frame[used].to_numpy(float)[known]
    apart = None if errors is None else errors[np.ix_(known, known)]
    clear, better = _dominators(score[known], alone, criteria, level, apart)
    status = np.full(len(frame), "front", dtype=object)
    by = np.full(len(frame), None, dtype=object)
    for rivals, word in ((better, "possibly dominated"), (clear, "dominated")):
        hit = rivals >= 0
        status[known[hit]] = word
        by[known[hit]] = names[known[rivals[hit]]]
    status[unknown] = [_unknown(missing.iloc[row]) for row in np.flatnonzero(unknown)]
    return pd.DataFrame({"status": status, "by": pd.Series(by, frame.index, object)}, frame.index)


def _dominators(
    score: np.ndarray,
    error: np.ndarray,
    criteria: np.ndarray,
    level: float,
    apart: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each row the first row that clearly dominates it and the first that does at all.

    The rows are in order of score, so only earlier and equal ones can; -1 where none does.
    """
    z = ndtri(0.5 + level / 2)
    clear, better = np.full(len(score), -1), np.full(len(score), -1)
    for start in range(0, len(score), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(score)))
        last = int(np.searchsorted(-score, -score[rows[-1]], side="right"))
        for first in range(0, last, BLOCK):
            rivals = np.arange(first, min(first + BLOCK, last))
            ahead = score[rivals][None, :] - score[rows][:, None]
            less = criteria[rivals][None, :, :] - criteria[rows][:, None, :]
            dominates = (ahead >= 0) & (less <= 0).all(axis=2)
            dominates &= (ahead > 0) | (less < 0).any(axis=2)
            if apart is None:
                reach = np.hypot(error[rivals][None, :], error[rows][:, None])
            else:
                reach = apart[np.ix_(rows, rivals)]
            sure = dominates & (ahead > z * reach)
            _note_first(clear, rows, sure, first)
            _note_first(better, rows, dominates, first)
            # Whoever is clearly dominated is done: the first rival found is the best one.
            rows = rows[clear[rows] < 0]
            if not len(rows):
                break
    return clear, better


def _note_first(places: np.ndarray, rows: np.ndarray, hits: np.ndarray, first: int) -> None:
    """Write the place of each row's first hit, where none was found before."""
    new = hits.any(axis=1) & (places[rows] < 0)
    places[rows[new]] = first + hits[new].argmax(axis=1)


def _unknown(missing: pd.Series) -> str:
    return "unknown " + (" and ".join(str(name) for name in missing.index[missing]) or "score")
