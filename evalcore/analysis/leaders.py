"""Leaders, differences and leaderboards told question by question, where there are questions.

Models without items keep their approximate errors and take part as if they had answered other
questions, which is careful.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from evalcore.analysis import (
    by_items,
    estimates,
    intervals,
    multiple,
    profiles,
    ranking,
    resample,
    unscored,
)
from evalcore.analysis.by_items import FLAT, Items, Key, TagComposition
from evalcore.analysis.intervals import LEVEL, Bounds
from evalcore.analysis.resample import Draws, Floats

SEED = 20261130
"""Draws are the same at every look."""
DRAWS = 4000
MOST = 60
"""Models that are compared at once; among more, comparisons stay approximate."""
ALIKE = 0.8
"""Two models of which one has fewer of the other's number of questions are paired only in part."""
PAIRED, UNPAIRED, BOTH = "question by question", "approximate", "partly question by question"


class Board(NamedTuple):
    """A leaderboard, and the draws behind its ties."""

    table: pd.DataFrame
    """The columns of ``profiles.overall`` and ``unscored.of_board``, and how each model is
    compared: ``PAIRED`` or ``UNPAIRED``."""
    draws: Draws | None = None
    """Of the scored models, in the order of the table; None without items."""
    judged: tuple[str, ...] = ()
    """The models whose errors hold the spread over a judge's repeats as well."""

    def bounds(self, models: Sequence[str]) -> pd.DataFrame:
        """What unscored answers leave open of some models, the best first: ``unscored.bounded``."""
        rows = self.table[self.table["model"].isin(list(models)) & self.table["score"].notna()]
        rows = rows.set_index("model")
        return unscored.bounded(rows, rows.assign(known=rows["score"]))

    def tied(self, models: Sequence[str]) -> list[str]:
        """Which of some models, best first, cannot be told from the first of them; itself first."""
        rows = self.table[self.table["model"].isin(list(models)) & self.table["score"].notna()]
        score, se = rows.set_index("model")["score"], rows.set_index("model")["se"]
        if self.draws is None:
            return ranking.tied_best(score, se)
        names = list(self.table["model"])
        columns = [names.index(model) for model in score.index]
        table = multiple.standings(_only(self.draws, columns), list(score.index))
        known = se.reindex(table.index).notna() | (table["score"] == score.max())
        return [str(model) for model in table.index[table["tied"] & known]]


def compared(
    cells: pd.DataFrame, items: Items | None, composition: TagComposition, correction: str = "holm"
) -> pd.DataFrame:
    """Compare the leader of each tag with every other model.

    Two models with items are compared by their paired differences, clustered, with Student's t;
    others, and pairs whose differences do not vary, by their separate standard errors. The p-values
    are corrected over all comparisons of all tags together.

    Args:
        cells: As from ``profiles.cells``.
        items: The items behind some or all of them; None where there are none.
        composition: How tags are made of groups of items; a tag that is missing is not.
        correction: One of ``multiple.CORRECTIONS``.

    Returns:
        One row a tag and model but the leader, best first: tag, leader, model, difference (leader
        - model), se, p, p_adjusted, paired, alike (whether both have about as many items; else
        only what they share is paired). NaN is not known.
    """
    known = cells[cells["value"].notna()]
    parts = [
        _against_leader(str(tag), group, items, composition.get(str(tag)))
        for tag, group in known.groupby("tag", sort=False)
    ]
    columns = ["tag", "leader", "model", "difference", "se", "p", "paired", "alike"]
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
    return rows.assign(p_adjusted=multiple.adjusted(rows["p"].to_numpy(float), correction))


def _against_leader(
    tag: str, group: pd.DataFrame, items: Items | None, weights: Mapping[Key, float] | None
) -> pd.DataFrame:
    order = ranking.in_order(group.set_index("model")["value"])
    error = group.set_index("model")["se"].reindex(order.index).to_numpy(float)
    se, freedom = np.hypot(error, error[0]), np.full(len(order), np.inf)
    paired = np.zeros(len(order), dtype=bool)
    if items is not None and weights and order.index[0] in items.models:
        columns = pd.Index(items.models).get_indexer(order.index)
        own, number = by_items.paired_errors(items, weights, columns)
        paired = (columns >= 0) & ~np.isnan(own)
        se = np.where(paired & (own > 0), own, se)
        freedom = np.where(paired, number, freedom)
    ahead = order.iloc[0] - order.to_numpy(float)
    n = group.set_index("model")["n"].reindex(order.index).to_numpy(float)
    alike = np.minimum(n, n[0]) >= ALIKE * np.maximum(n, n[0])
    frame = {"tag": tag, "leader": order.index[0], "model": order.index, "difference": ahead}
    rows = pd.DataFrame({**frame, "se": se, "p": _p(ahead, se, freedom), "paired": paired})
    return rows.assign(alike=alike).iloc[1:]


def _p(apart: Floats, se: Floats, freedom: Floats) -> Floats:
    """Two-sided p-values; NaN without a standard error."""
    from scipy.special import ndtr, stdtr

    with np.errstate(invalid="ignore", divide="ignore"):
        away = -np.abs(apart / se)
        t = stdtr(np.where(np.isinf(freedom), 1, np.maximum(freedom, 1)), away)
    return np.asarray(2 * np.where(np.isinf(freedom), ndtr(away), t), dtype=float)


def against(
    cells: pd.DataFrame, other: str, items: Items | None, composition: TagComposition
) -> pd.DataFrame:
    """Give the difference of every model to another one, tag by tag, paired where items allow it.

    Args:
        cells: As from ``profiles.cells``.
        other: The model that all are compared with.
        items: The items behind the cells.
        composition: See ``compared``.

    Returns:
        As ``unscored.of_differences``, with paired: whether the two were compared question by
        question, with a clustered error and Student's t.

    Raises:
        BadInput: the other model has no cell.
    """
    result = estimates.against(cells, other).assign(paired=False, same=False)
    if items is None or other not in items.models:
        return result
    se, freedom = result["se"].to_numpy(float).copy(), np.full(len(result), np.inf)
    paired = np.zeros(len(result), dtype=bool)
    for tag, rows in result.groupby("tag", sort=False):
        if tag in composition:
            columns = pd.Index(items.models).get_indexer(pd.Index([other, *rows["model"]]))
            own, number = by_items.paired_errors(items, composition[str(tag)], columns)
            own, number, at = own[1:], number[1:], np.flatnonzero(result["tag"] == tag)
            paired[at] = (columns[1:] >= 0) & ~np.isnan(own)
            # Answers that never differ leave the error of the two separate scores.
            varies = paired[at] & (own > 0)
            se[at[varies]], freedom[at[varies]] = own[varies], number[varies]
    known = np.isfinite(freedom)
    reach = np.where(known, resample.t_quantile(np.where(known, freedom, 1)), intervals.z()) * se
    value = result["value"].to_numpy(float)
    ends = intervals.Bounds(np.clip(value - reach, -1, 1), np.clip(value + reach, -1, 1))
    verdict = estimates.verdicts(value, se, ends)
    result = result.assign(se=se, low=ends.low, high=ends.high, verdict=verdict, paired=paired)
    return unscored.of_differences(result, cells, other, items, composition)


def winners(  # noqa: PLR0913  the items and what `profiles.winners` asks
    cells: pd.DataFrame,
    items: Items | None,
    composition: TagComposition,
    min_n: float = 0,
    correction: str = "holm",
    level: float = LEVEL,
) -> pd.DataFrame:
    """Name the leader of each tag and the models that it cannot be told from.

    Args:
        cells: As from ``profiles.cells``.
        items: The items behind them; without any the answer is that of ``profiles.winners``.
        composition: See ``compared``.
        min_n: Cells on fewer items are left out; unknown n is kept.
        correction: For the many comparisons of all tags.
        level: Level of the comparisons.

    Returns:
        The columns of ``profiles.winners`` and ``unscored.of_winners``, and how: ``PAIRED``,
        ``UNPAIRED`` or ``BOTH``.
    """
    known = profiles.winners(cells, min_n)
    result = unscored.of_winners(known, cells[profiles.enough(cells, min_n)], items, composition)
    if items is None or not set(items.models) & set(cells["model"]):
        return result.assign(how=UNPAIRED)
    kept = cells[profiles.enough(cells, min_n)]
    tests = compared(kept, items, composition, correction)
    rows = [_told(row, tests[tests["tag"] == row["tag"]], level) for row in _records(result)]
    return pd.DataFrame(rows, columns=[*result.columns, "how"])


def _records(frame: pd.DataFrame) -> list[dict[str, object]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _told(row: dict[str, object], tests: pd.DataFrame, level: float) -> dict[str, object]:
    """A winner's row with the ties that the comparisons leave."""
    equal = tests["difference"] == 0
    unknown = tests["p_adjusted"].isna()
    tied = equal | (tests["p_adjusted"] >= 1 - level)
    whole = tests["paired"] & tests["alike"]
    how = PAIRED if whole.all() else BOTH if tests["paired"].any() else UNPAIRED
    certain = bool((~unknown | equal).all())
    tied_models = tuple(str(model) for model in tests.loc[tied, "model"])
    return {**row, "tied": (row["winner"], *tied_models), "certain": certain, "how": how}


def overall(  # noqa: PLR0913  the items and what `profiles.overall` asks
    cells: pd.DataFrame,
    items: Items | None,
    composition: TagComposition,
    *,
    aggregate: str = "macro",
    weights: Mapping[str, float] | None = None,
    design_effect: float = 1.0,
) -> Board:
    """Rank the models by their weighted mean over tags, by items where there are some.

    The error of a mean over tags is that of its items, each with all its tags, so questions that
    count in several tags need no design effect. Ties, ranks and chances are those of
    ``multiple.standings``: all models are compared at once and question by question; models
    without items take part with errors of their own. The spread over a judge's repeats is in all of
    it, each model's by itself (``by_items.judge_errors``).

    Args:
        cells: As from ``profiles.cells``.
        items: The items behind them.
        composition: See ``compared``.
        aggregate: As for ``profiles.overall``; so are weights and design_effect, which counts for
            models without items.

    Returns:
        The leaderboard, as ``profiles.overall`` gives it where no two ranked models have items.
    """
    board = profiles.overall(
        cells, aggregate=aggregate, weights=weights, design_effect=design_effect
    ).assign(how=UNPAIRED)
    wanted = dict.fromkeys(cells["tag"], 1.0) if weights is None else dict(weights)
    share = pd.Series(dtype=float) if cells.empty else ranking.shares(cells, wanted, aggregate)
    board = unscored.of_board(board, unscored.gaps(items, composition, share))
    scored = board.loc[board["score"].notna(), "model"]
    if items is None or not set(wanted) <= set(composition) or len(scored) > MOST:
        return Board(board)
    counted = {
        key: float(share[tag]) * part for tag in wanted for key, part in composition[tag].items()
    }
    inside = [model for model in items.models if model in set(scored)]
    if len(inside) < 2:
        return Board(board)
    if len(counted) == 1:
        own = cells[cells["tag"].isin(wanted) & cells["model"].isin(inside)].set_index("model")
        mine = board["model"].isin(inside)
        for name in ("low", "high"):
            board.loc[mine, name] = board.loc[mine, "model"].map(own[name])
    return _standing(board, items, counted, inside)


def _standing(
    board: pd.DataFrame, items: Items, counted: Mapping[Key, float], inside: list[str]
) -> Board:
    """A leaderboard with the errors, ties, ranks and chances that the items give."""
    by_model = board.set_index("model")
    scored = by_model[by_model["score"].notna()]
    summed = by_items.weighted(items, counted, inside)
    variance = (summed.away**2).sum(axis=0) + summed.alone
    judge = by_items.judge_errors(items.judged, counted, len(items.models))
    own = pd.DataFrame({"variance": variance, "clusters": summed.clusters}, index=inside)
    own = own.assign(judge=pd.Series(judge, items.models))
    # Where nothing is known of the sampling error, the judge's spread alone is none.
    own = own[(own["variance"] > FLAT) & (own["clusters"] > 1)]
    scored.loc[own.index, "se"] = np.sqrt(own["variance"] + own["judge"] ** 2)
    if len(counted) > 1:  # one group's interval is that of its cell
        mean, se = (scored.loc[own.index, name].to_numpy(float) for name in ("score", "se"))
        student = resample.t_quantile(summed.freedom)
        if abs(sum(counted.values()) - 1) < FLAT**0.5:
            whole = summed.whole[pd.Index(inside).get_indexer(own.index)]
            ends = intervals.of_sum(mean, se, summed.n, student, whole)
        else:  # corrected for chance
            floor = min(0.0, float(scored["low"].min()))
            ends = Bounds(
                np.maximum(mean - student * se, floor), np.minimum(mean + student * se, 1)
            )
        scored.loc[own.index, "low"], scored.loc[own.index, "high"] = ends
    scored.loc[inside, "how"] = PAIRED
    draws = _draws(scored, summed, inside, own["judge"])
    table = multiple.standings(draws, list(scored.index)).reindex(scored.index)
    known = scored["se"].notna()
    scored["tied_best"] = (table["tied"] & known) | scored["tied_best"].where(~known, False)
    for name in ("rank_low", "rank_high"):
        scored[name] = table[name].where(known)
    scored["p_best"] = table["p_best"]
    rest = by_model[by_model["score"].isna()]
    judged = tuple(str(model) for model in own.index[own["judge"] > 0])
    return Board(pd.concat([scored, rest]).reset_index()[board.columns], draws, judged)


def _only(draws: Draws, columns: list[int]) -> Draws:
    """The draws of some columns."""
    return Draws(
        mean=draws.mean[:, columns],
        se=draws.se[:, columns],
        n=draws.n[:, columns],
        clusters=draws.clusters[:, columns],
        draws=draws.draws[:, :, columns],
        freedom=draws.degrees[:, columns],
    )


def _draws(
    scored: pd.DataFrame, summed: by_items.Summed, inside: list[str], judge: pd.Series
) -> Draws:
    """Draws of all scores: together for models with items, each by itself for the others.

    They are normal with the covariance that resampling of clusters has in the limit, as in
    ``resample.bootstrap`` with very many clusters: the same for any number of questions, and quick.
    What repeated judging adds is drawn for each model by itself.
    """
    rng = np.random.default_rng(SEED)
    size, turn = np.linalg.eigh(summed.away.T @ summed.away)
    root = turn * np.sqrt(np.maximum(size, 0))
    mean, se = scored["score"].to_numpy(float), scored["se"].to_numpy(float)
    draws = mean + rng.standard_normal((DRAWS, len(scored))) * se
    places = scored.index.get_indexer(pd.Index(inside))
    alone = np.sqrt(summed.alone + judge.reindex(inside).fillna(0).to_numpy(float) ** 2)
    both = rng.standard_normal((2, DRAWS, len(inside)))
    # Whoever reads draws widens them for few clusters; these errors hold that already.
    narrow = np.sqrt(1 - 1 / np.maximum(summed.clusters, 2))
    draws[:, places] = mean[places] + (both[0] @ root.T + both[1] * alone) * narrow
    n = scored["n"].fillna(0).to_numpy(float)
    number = np.where(n > 1, n, 1e6)
    number[places] = summed.clusters
    freedom = number - 1
    freedom[places] = summed.freedom
    return Draws(
        mean=mean[None],
        se=se[None],
        n=n.astype(np.int64)[None],
        clusters=number.astype(np.int64)[None],
        draws=draws.astype(np.float32)[:, None],
        freedom=freedom[None],
    )
