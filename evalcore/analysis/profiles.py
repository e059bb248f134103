"""What each model scores on each tag of an axis, who leads there, and the overall table."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from evalcore.analysis import estimates, intervals, ranking
from evalcore.errors import BadInput
from evalcore.records import TOTAL

COLUMNS = [
    *("model", "tag", "value", "n", "se", "low", "high"),
    *("method", "n_benchmarks", "kind", "suspect"),
]
KINDS = ("published", "measured", "imported", "uploaded")
"""Where a score came from, the best vetted first; a mean is of the last kind it contains."""


def cells(
    scores: pd.DataFrame,
    benchmarks: pd.DataFrame,
    axis: str,
    *,
    include_suspect: bool = False,
    correct_chance: bool = False,
) -> pd.DataFrame:
    """Give the score of each model on each tag of one axis, with an interval where n is known.

    An axis that is stored in the scores gives one cell a row (the tag "total" left out). The axes
    "type" and "capability" of a suite that stores only the axis "benchmark" are means over the
    benchmarks of each group, value = mean(x), se = sqrt(sum se^2)/k. A model that lacks one of the
    group's benchmarks gets no cell there: a mean over fewer benchmarks is not the same measure.
    Benchmarks without a group, and scores without a value, are left out.

    Args:
        scores: the scores of one suite; ``repeats`` (judge runs behind a value) may be among the
            columns, otherwise the spread over judge runs is not divided.
        benchmarks: one row a benchmark: benchmark, metric, chance, n_items, type, capability. Its
            size is the n of rows on the axis "benchmark" that carry none, if their metric is a
            share of items (for mean per-class recall an approximation).
        axis: a stored axis, or "type" or "capability".
        include_suspect: whether scores that may be misprinted take part.
        correct_chance: whether each benchmark becomes (x - c)/(1 - c) before any mean, c being its
            chance level. Benchmarks for which that cannot be done (see ``uncorrectable``) are left
            out for all models.

    Returns:
        One row a (model, tag): model, tag, value, n (items; NaN unknown), se, low, high (95 %, NaN
        unknown), method (how the interval came about, "" when none), n_benchmarks, kind, suspect.

    Raises:
        BadInput: more than one suite, an unknown axis, or two scores for the same place.
    """
    rows = estimated_rows(
        scores,
        benchmarks,
        axis,
        include_suspect=include_suspect,
        correct_chance=correct_chance,
    )
    if axis in estimates.DERIVED_AXES and axis not in set(scores["axis"]):
        groups = benchmarks.set_index("benchmark")[axis]
        rows = rows.assign(tag=rows["benchmark"].map(groups))
        return grouped(rows, rows.groupby("tag")["benchmark"].nunique())
    return rows[COLUMNS]


def estimated_rows(
    scores: pd.DataFrame,
    benchmarks: pd.DataFrame,
    axis: str,
    *,
    include_suspect: bool = False,
    correct_chance: bool = False,
) -> pd.DataFrame:
    """Give the stored rows behind an axis with their sampling errors.

    Args and errors as for ``cells``.

    Returns:
        Rows of ``scores`` with the columns of ``estimates.estimated``.
    """
    _require_one_suite(scores)
    rows = _usable(_rows_of_axis(scores, axis), include_suspect)
    _require_unique(rows)
    rows = estimates.estimated(estimates.with_items(rows, benchmarks))
    if correct_chance:
        rows = rows[~rows["benchmark"].isin(uncorrectable(rows, benchmarks))]
        rows = estimates.corrected(rows, benchmarks)
    return rows.reset_index(drop=True)


def uncorrectable(scores: pd.DataFrame, benchmarks: pd.DataFrame) -> list[str]:
    """List the benchmarks that cannot be corrected for chance.

    A benchmark is one when its chance level is unknown (or 1), or when one of its scores has
    another metric than the one its chance level holds for.

    Args:
        scores: rows with benchmark and metric.
        benchmarks: one row a benchmark: benchmark, metric, chance.

    Returns:
        The ids, sorted.
    """
    return sorted(set(scores.loc[estimates.chance_level(scores, benchmarks).isna(), "benchmark"]))


def totals(scores: pd.DataFrame, *, include_suspect: bool = False) -> pd.DataFrame:
    """Give the published overall scores of one suite (the tag "total").

    Totals of a benchmark that the suite has no tags of (an earlier edition, say) are left out. A
    total that is printed with several axes is one number: the row that knows its n is taken, then
    the one that knows its spread.

    Args:
        scores: the scores of one suite.
        include_suspect: whether scores that may be misprinted take part.

    Returns:
        One row a model, in the columns of ``cells``.

    Raises:
        BadInput: more than one suite.
    """
    _require_one_suite(scores)
    is_total = scores["tag"] == TOTAL
    tagged = set(scores.loc[~is_total, "benchmark"]) or set(scores["benchmark"])
    rows = _usable(scores[is_total & scores["benchmark"].isin(tagged)], include_suspect)
    known = pd.DataFrame({"no_n": rows["n"].isna(), "no_sd": rows["sd"].isna()})
    best = known.sort_values(["no_n", "no_sd"], kind="stable").index
    rows = rows.loc[best].drop_duplicates("model").sort_index()
    return estimates.estimated(rows).reset_index(drop=True)[COLUMNS]


def printed_totals(scores: pd.DataFrame, *, include_suspect: bool = False) -> pd.DataFrame:
    """Give the totals by which a source itself ranks: published, each with its n; else none.

    Args:
        scores: the scores of one suite.
        include_suspect: as for ``totals``.
    """
    known = scores["tag"].eq(TOTAL) & scores["kind"].eq("published") & scores["n"].notna()
    if not known.any():
        return pd.DataFrame(columns=COLUMNS)
    return totals(scores[known | scores["tag"].ne(TOTAL)], include_suspect=include_suspect)


def enough(cells: pd.DataFrame, min_n: float) -> pd.Series:
    """Say which cells rest on at least ``min_n`` items.

    A cell with an unknown n is kept: that nobody printed the number does not make it small. It
    has no interval, which the reader sees.

    Returns:
        A boolean column in the index of ``cells``.

    Example:
        >>> enough(pd.DataFrame({"n": [20, 300, np.nan]}), 50).to_list()
        [False, True, True]
    """
    return cells["n"].isna() | (cells["n"] >= min_n)


def winners(cells: pd.DataFrame, min_n: float = 0) -> pd.DataFrame:
    """Name the leading model of each tag and those that the data cannot tell from it.

    Args:
        cells: as from ``cells``.
        min_n: cells on fewer items are left out; unknown n is kept.

    Returns:
        One row a tag, in the order of the cells: tag, n (items behind the winner's value), winner,
        value, tied (the winner and all models tied with it, best first; equal values only, where a
        standard error is unknown), certain (whether every standard error is known), runner_up
        (None if alone), gap (value minus that of the runner-up, NaN if alone).
    """
    kept = cells[enough(cells, min_n) & cells["value"].notna()]
    rows = [_winner(str(tag), group) for tag, group in kept.groupby("tag", sort=False)]
    columns = ["tag", "n", "winner", "value", "tied", "certain", "runner_up", "gap"]
    return pd.DataFrame(rows, columns=columns)


def overall(
    cells: pd.DataFrame,
    *,
    aggregate: str = "macro",
    weights: Mapping[str, float] | None = None,
    design_effect: float = 1.0,
) -> pd.DataFrame:
    """Rank the models by their weighted mean over tags.

    Args:
        cells: as from ``cells``.
        aggregate: "macro" (the weights as given) or "micro" (times the items of each tag).
        weights: weight of each tag that counts, above 0; all tags alike when not given.
        design_effect: factor on the variance when items carry several tags.

    Returns:
        One row a model, best first: model, score, low, high (95 %), se, n, rank_low, rank_high,
        tied_best, p_best (from 10,000 draws with the fixed seed 0), coverage (share of the
        weighted tags it has). A model that lacks a tag has no score and stands at the end.

    Raises:
        BadInput: as ``ranking.aggregate``: bad weights, or micro with unknown n.
    """
    wanted = dict.fromkeys(cells["tag"], 1.0) if weights is None else dict(weights)
    if cells.empty:
        return _leaderboard(pd.DataFrame(columns=["score", "se", "n"], dtype=float), cells, wanted)
    scored = ranking.aggregate(cells, wanted, aggregate, design_effect)
    return _leaderboard(scored, cells, wanted)


def _require_one_suite(scores: pd.DataFrame) -> None:
    suites = sorted(set(scores["suite"]))
    if len(suites) > 1:
        raise BadInput(f"scores of the suites {suites!r} do not compare; give those of one suite")


def _usable(rows: pd.DataFrame, include_suspect: bool) -> pd.DataFrame:
    """Drop scores without a value and, unless wanted, suspect ones; number the rest afresh."""
    # eq(True): a row that says nothing (an uploaded one) is not suspect.
    suspect = rows["suspect"].eq(True)
    rows = rows.assign(suspect=suspect)[rows["value"].notna() & (include_suspect | ~suspect)]
    return rows.reset_index(drop=True)


def _rows_of_axis(scores: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Select the stored rows that an axis is made of."""
    stored = set(scores["axis"])
    if axis not in stored and axis in estimates.DERIVED_AXES and "benchmark" in stored:
        axis = "benchmark"
    if stored and axis not in stored:
        known = stored | set(estimates.DERIVED_AXES if "benchmark" in stored else ())
        raise BadInput(f"unknown axis {axis!r}; this suite has {', '.join(sorted(known))}")
    return scores[(scores["axis"] == axis) & (scores["tag"] != TOTAL)]


def _require_unique(rows: pd.DataFrame) -> None:
    """Refuse two scores of one model on one tag, saying in what they differ."""
    repeated = rows[rows.duplicated(["model", "tag"], keep=False)]
    if repeated.empty:
        return
    model, tag = repeated[["model", "tag"]].iloc[0]
    same = repeated[(repeated["model"] == model) & (repeated["tag"] == tag)]
    differing = [c for c in ("benchmark", "metric", "split", "mode", "judge") if _varies(same, c)]
    pairs = len(repeated.drop_duplicates(["model", "tag"]))
    raise BadInput(
        f"{model!r} has {len(same)} scores on {tag!r}, different in "
        f"{', '.join(differing) or 'nothing but value'} ({pairs} such places); "
        "choose one score for each place"
    )


def _varies(rows: pd.DataFrame, column: str) -> bool:
    return column in rows and rows[column].nunique(dropna=False) > 1


def grouped(rows: pd.DataFrame, whole: pd.Series) -> pd.DataFrame:
    """Average the benchmarks of each tag, for the models that have all of them.

    Args:
        rows: as from ``estimated_rows``, one a (model, tag, benchmark); without a tag: left out.
        whole: tag to the number of benchmarks that make it up.

    Returns:
        The columns of ``cells``; value = mean, se = sqrt(sum se^2)/k, n = sum (NaN where one is
        unknown).
    """
    rows = rows[rows["tag"].notna()]
    rows = rows.assign(variance=rows["se"] ** 2, kind=rows["kind"].map(KINDS.index))
    groups = rows.groupby(["model", "tag"], sort=False)
    table = groups.agg(
        value=("value", "mean"),
        n_benchmarks=("benchmark", "size"),
        kind=("kind", "max"),
        suspect=("suspect", "any"),
        floor=("floor", "mean"),
        method=("method", "first"),
    )
    table["n"] = groups["n"].sum(skipna=False)
    table["se"] = np.sqrt(groups["variance"].sum(skipna=False)) / table["n_benchmarks"]
    table = table.reset_index()
    table["kind"] = table["kind"].map(lambda place: KINDS[place])
    ends = intervals.normal(table["value"], table["se"], floor=table["floor"])
    rescaled = table["method"].str.endswith(estimates.RESCALED)
    by_item = rows["method"].str.startswith(estimates.BY_ANSWERS)
    judge = rows["method"].str.contains(estimates.AND_JUDGE, regex=False)
    same = [rows["model"], rows["tag"]]
    answers = by_item.groupby(same, sort=False).all().to_numpy(bool)
    judged = judge.groupby(same, sort=False).any().to_numpy(bool)
    by_answers = estimates.BY_ANSWERS + np.where(judged, estimates.AND_JUDGE, "").astype(object)
    by_answers = by_answers + estimates.QUESTIONS_ONLY
    method = np.where(answers, by_answers, estimates.BY_GROUP).astype(object)
    method[rescaled.to_numpy(bool)] += estimates.RESCALED
    method = np.where(table["se"].isna(), "", method)
    table = table.assign(low=ends.low, high=ends.high, method=method)
    table = table[table["n_benchmarks"] == table["tag"].map(whole)]
    return table.reset_index(drop=True)[COLUMNS]


def _winner(tag: str, group: pd.DataFrame) -> dict[str, object]:
    """Describe the lead on one tag."""
    by_model = group.set_index("model")
    order = ranking.in_order(by_model["value"])
    alone = len(order) == 1
    return {
        "tag": tag,
        "n": by_model.loc[order.index[0], "n"],
        "winner": order.index[0],
        "value": order.iloc[0],
        "tied": tuple(ranking.tied_best(by_model["value"], by_model["se"])),
        "certain": bool(by_model["se"].notna().all()),
        "runner_up": None if alone else order.index[1],
        "gap": np.nan if alone else order.iloc[0] - order.iloc[1],
    }


def _leaderboard(
    scored: pd.DataFrame, cells: pd.DataFrame, weights: Mapping[str, float]
) -> pd.DataFrame:
    """Add intervals, ranks and the models that lack a tag to the scored ones."""
    floor = min(0.0, cells["low"].min()) if cells["low"].notna().any() else 0.0
    ends = intervals.normal(scored["score"], scored["se"], floor=floor)
    ranks = ranking.rank_range(scored["score"], scored["se"])
    tied = ranking.tied_best(scored["score"], scored["se"])
    # A fixed seed: the same cells give the same chances on every page.
    chance = ranking.p_best(scored["score"], scored["se"], np.random.default_rng(0))
    board = scored.assign(low=ends.low, high=ends.high, p_best=chance).join(ranks)
    known = cells[cells["value"].notna() & cells["tag"].isin(list(weights))]
    coverage = known.groupby("model")["tag"].nunique() / max(len(weights), 1)
    board = board.reindex(pd.Index(sorted(set(cells["model"])), name="model"))
    board["tied_best"] = board.index.isin(tied)
    board["coverage"] = coverage.reindex(board.index).fillna(0.0)
    board = board.reset_index()
    board = board.sort_values(["score", "coverage", "model"], ascending=[False, False, True])
    columns = ["model", "score", "low", "high", "se", "n", "rank_low", "rank_high"]
    return board[[*columns, "tied_best", "p_best", "coverage"]].reset_index(drop=True)


def wide(frame: pd.DataFrame, rows: str = "model", columns: str = "tag") -> pd.DataFrame:
    """Lay the column ``value`` of scores or cells out as a table.

    Args:
        frame: one row a score, with ``value`` and the two columns named next.
        rows: the column whose entries become the rows of the table.
        columns: the column whose entries become its columns.

    Returns:
        One row an entry of ``rows``, one column an entry of ``columns``, both in sorted order;
        NaN where there is no score.

    Raises:
        BadInput: a place in the table has two scores.

    Example:
        >>> cells = pd.DataFrame({"model": ["a", "b"], "tag": ["t", "t"], "value": [0.5, 0.7]})
        >>> wide(cells)["t"].to_list()
        [0.5, 0.7]
    """
    twice = frame[frame.duplicated([rows, columns])]
    if len(twice):
        row, column = twice[rows].iloc[0], twice[columns].iloc[0]
        raise BadInput(
            f"{rows} {row!r} has more than one value for {columns} {column!r}; "
            "choose one mode, split and metric"
        )
    return frame.pivot(index=rows, columns=columns, values="value")
