"""How far people agree among themselves, and judges with their own repeats."""

from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalcore.analysis import agreement, intervals
from evalcore.analysis.agreement import KEY, Estimate

Floats = NDArray[np.float64]

PAIR_COLUMNS = ["a", "b", "n", "accuracy", "accuracy_low", "accuracy_high", "kappa", "kappa_low"]
PAIR_COLUMNS += ["kappa_high"]


def pairs(labels: pd.DataFrame, clusters: pd.Series | None = None) -> pd.DataFrame:
    """Agreement of every two raters over the answers that both gave a yes or no.

    Args:
        labels: run, item, rater, label; the latest of each rater only.
        clusters: item → cluster; without it each item stands alone.

    Returns:
        One row a pair of raters: a, b, n, and accuracy (share on which they agree) and kappa
        (Cohen), each with _low and _high.
    """
    rows = labels.assign(value=agreement.grades(labels["label"])).dropna(subset="value")
    wide = rows.pivot(index=KEY, columns="rater", values="value")
    result = []
    for a, b in combinations(wide.columns, 2):
        both = wide[[a, b]].dropna() >= agreement.YES
        items = both.index.get_level_values("item")
        groups = items if clusters is None else clusters.reindex(items).to_numpy()
        first, other, weight = both[a].to_numpy(), both[b].to_numpy(), np.ones(len(both))
        same = agreement.share(first == other, weight, groups)
        kappa = agreement.kappa(first, other, weight, groups)
        result.append((a, b, len(both), same.value, same.low, same.high, *kappa[:3]))
    return pd.DataFrame(result, columns=PAIR_COLUMNS)


def alpha(labels: pd.DataFrame) -> Estimate:
    """Krippendorff's alpha with squared differences, for any number of raters and gaps.

    alpha = 1 - observed/expected disagreement over pairs of labels (Krippendorff 2011, "Computing
    Krippendorff's alpha-reliability"). For yes and no it equals the nominal alpha. The interval
    comes from the jackknife over answers.

    Args:
        labels: run, item, rater, label; unsure is a gap.

    Returns:
        alpha; n is the number of answers with two labels or more. Not defined where nobody labelled
        what another did, or all labels are alike.

    Example:
        >>> said = pd.DataFrame({"run": "r", "item": list("1122"), "rater": list("abab"),
        ...                      "label": ["yes", "yes", "no", "no"]})
        >>> alpha(said).value
        1.0
    """
    rows = labels.assign(value=agreement.grades(labels["label"])).dropna(subset="value")
    groups = rows.groupby(KEY)["value"]
    about = pd.DataFrame({"m": groups.size(), "mean": groups.mean(), "within": groups.var(ddof=1)})
    about = about[about["m"] > 1]
    m, mean = about["m"].to_numpy(float), about["mean"].to_numpy(float)
    within = about["within"].to_numpy(float)
    # Sums over labels that can be paired: count, value, square; and of disagreement inside answers.
    sums = np.stack([m, m * mean, (m - 1) * within + m * mean**2, m * within])
    total = sums.sum(axis=1)
    value = float(_alpha(total[:, None])[0])
    without = _alpha(total[:, None] - sums)
    n = len(about)
    known = n > 2 and bool(np.isfinite(without).all())
    se = float(np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())) if known else np.nan
    return agreement.on_fisher(value, se, n)


def _alpha(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Alpha from its four sums: 1 - mean variance inside answers / variance over all labels."""
    n, value, square, inside = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = (square - value**2 / n) / (n - 1)
        alpha: NDArray[np.float64] = np.where(spread > 1e-12, 1 - inside / n / spread, np.nan)
    return alpha


def repeats(verdicts: pd.DataFrame) -> pd.DataFrame:
    """How far a judge repeats itself, how often it cannot be read, and what it costs.

    Args:
        verdicts: metric, version, run, item, repeat, score (NaN unreadable), usd (NaN unknown).

    Returns:
        One row a judge and version: metric, version, verdicts; unparsed (share without a score)
        with _low and _high; repeated (answers with two scores or more), differ (share of them on
        which repeats differ) with _low and _high, sd (mean standard deviation over an answer's
        repeats), sd_total (standard deviation over repeats of the mean score of a run, root mean
        square over runs; NaN with one repeat); usd_per_1000 (verdicts), priced (verdicts with
        a known price).
    """
    groups = verdicts.groupby(agreement.JUDGE, sort=False, observed=True)
    rows = [
        {"metric": metric, "version": version, **_repeats(group)}
        for (metric, version), group in groups
    ]
    return pd.DataFrame(rows)


def _repeats(group: pd.DataFrame) -> dict[str, float]:
    unread, n = int(group["score"].isna().sum()), len(group)
    score, repeat = group["score"].to_numpy(float), agreement.numbers(group["repeat"])
    spread, total = np.empty(0), np.nan
    if repeat.any():  # somebody was asked again
        run, item = agreement.numbers(group["run"]), agreement.numbers(group["item"])
        there = ~np.isnan(score)
        spread = _spread(run[there] * (item.max() + 1) + item[there], score[there])
        total = _total_spread(run, item, repeat, score)
    differ = float((spread > 0).mean()) if len(spread) else np.nan
    unparsed = intervals.wilson(unread / n, n)
    ends = intervals.wilson(differ, len(spread))
    priced = group["usd"].dropna()
    return {
        "verdicts": n,
        "unparsed": unread / n,
        "unparsed_low": float(unparsed.low),
        "unparsed_high": float(unparsed.high),
        "repeated": len(spread),
        "differ": differ,
        "differ_low": float(ends.low),
        "differ_high": float(ends.high),
        "sd": float(spread.mean()) if len(spread) else np.nan,
        "sd_total": total,
        "usd_per_1000": float(1000 * priced.mean()) if len(priced) else np.nan,
        "priced": len(priced),
    }


def _spread(answer: NDArray[np.intp], score: Floats) -> Floats:
    """The standard deviation over each answer's scores, where it has two or more."""
    code = agreement.numbers(answer)
    count = np.bincount(code)
    several = count > 1
    if not several.any():
        return np.empty(0)
    code, score = agreement.numbers(code[several[code]]), score[several[code]]
    first, count = np.empty(int(several.sum())), count[several]
    first[code] = score
    away = score - first[code]  # from one of them, so that equal scores have a spread of 0
    total, squares = np.bincount(code, away), np.bincount(code, away**2)
    return np.sqrt(np.maximum(squares - total**2 / count, 0) / (count - 1))


def _total_spread(
    run: NDArray[np.intp], item: NDArray[np.intp], repeat: NDArray[np.intp], score: Floats
) -> float:
    """Over the items that every repeat of a run scored, so that repeats compare."""
    variances = []
    for place in range(int(run.max()) + 1):
        at = np.flatnonzero(run == place)
        rows, columns = agreement.numbers(item[at]), agreement.numbers(repeat[at])
        grid = np.full((rows.max() + 1, columns.max() + 1), np.nan)
        grid[rows, columns] = score[at]
        grid = grid[~np.isnan(grid).any(axis=1)]
        if len(grid) and grid.shape[1] > 1:
            variances.append(float(grid.mean(axis=0).var(ddof=1)))
    return float(np.sqrt(np.mean(variances))) if variances else float("nan")
