"""Which few benchmarks tell what all of them tell: sets that predict the ranking and the groups.

A set predicts by ridge regression. Its error is always taken on models that took no part in the
fit; who is held out together matters, because checkpoints of one family resemble each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalcore.analysis import correlation, intervals
from evalcore.errors import BadInput

OVERALL = "all benchmarks"
"""The target that ranks the models: the mean over all benchmarks of the table."""
PENALTY = 1.0
"""The ridge's penalty on standardised benchmarks: it weighs like one model more in each."""
DRAWS = 200
"""Random sets of each size."""
FOLDS = 20
"""How often the choice is repeated at most; with more units several are left out together."""
RESAMPLES = 1000
"""Of held-out units, for the interval of an error."""
SEED = 20240809
LEAST_UNITS = 5
"""With fewer held-out units the error has no interval: resampling so few says nothing."""
LEAST_MODELS = 8
LEAST_BENCHMARKS = 4
"""A smaller table has nothing to distil: a set would be most of it."""
SUMMARY = [
    *("size", "error", "low", "high", "overall", "groups", "rank", "rank_low", "rank_high"),
    *("n", "units"),
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Task:
    """A complete table, what is to be predicted from few of its columns, and who is held out."""

    table: pd.DataFrame
    """One row a model, one column a benchmark, fractions, the higher the better, no gaps."""
    wanted: pd.DataFrame
    """One row a model: ``OVERALL``, then the mean of each group of benchmarks."""
    held: pd.Series
    """Model to the unit that is held out with it: its own id, its siblings, its family."""

    @property
    def benchmarks(self) -> list[str]:
        """The columns to choose from."""
        return list(self.table.columns)


def complete(table: pd.DataFrame) -> pd.DataFrame:
    """Cut the largest complete table out of one with gaps.

    Benchmarks are taken from the one that most models have to the one that fewest have, and the
    models that have all of them stay; of these tables the one with most values is given.

    Args:
        table: one row a model, one column a benchmark, NaN where there is no score.

    Returns:
        A table without gaps, of at least ``LEAST_MODELS`` and ``LEAST_BENCHMARKS``; empty where
        there is none. Models and benchmarks in their order.

    Example:
        >>> complete(pd.DataFrame({"a": [0.1] * 9, "b": [0.2] * 9})).empty
        True
    """
    known = table.notna()
    counts = known.sum()
    order = sorted(table.columns, key=lambda name: (-int(counts[name]), str(name)))
    best = table.iloc[:0, :0]
    for many in range(LEAST_BENCHMARKS, len(order) + 1):
        rows = known[order[:many]].all(axis=1)
        if rows.sum() >= LEAST_MODELS and rows.sum() * many > best.size:
            best = table.loc[rows, [name for name in table.columns if name in order[:many]]]
    return best


def task(table: pd.DataFrame, groups: pd.DataFrame, held: pd.Series | None = None) -> Task:
    """Put a task together.

    Args:
        table: as ``Task.table``.
        groups: one row a (benchmark, group): benchmark, group. A benchmark may be in several or
            none; those that are not in the table are passed over.
        held: model to unit, as ``Task.held``; each model its own when not given.

    Raises:
        BadInput: gaps, too small a table, or one unit that holds all models.
    """
    if table.isna().any(axis=None):
        raise BadInput("the table has gaps; cut the complete part out of it first")
    if len(table) < LEAST_MODELS or len(table.columns) < LEAST_BENCHMARKS:
        raise BadInput(
            f"a table of {len(table)} models and {len(table.columns)} benchmarks is too small to "
            f"distil: at least {LEAST_MODELS} and {LEAST_BENCHMARKS} that have all values"
        )
    units = pd.Series(table.index, index=table.index) if held is None else held
    units = units.reindex(table.index)
    units = units.fillna(pd.Series(table.index, index=table.index)).astype(str)
    if units.nunique() < 2:
        raise BadInput(f"all models are of {units.iloc[0]!r}: nothing would be left to learn from")
    means = {OVERALL: table.mean(axis=1)}
    rows = groups[groups["benchmark"].isin(table.columns)].drop_duplicates()
    for name, part in rows.groupby("group"):
        means[str(name)] = table[list(part["benchmark"])].mean(axis=1)
    return Task(table, pd.DataFrame(means), units)


def predict(job: Task, chosen: Sequence[str]) -> pd.DataFrame:
    """Predict every target of every model from a set, by a fit that never saw its unit.

    Ridge regression with an unpenalised intercept on the chosen benchmarks, each divided by its
    standard deviation over all models; penalty ``PENALTY``. The fit without a unit follows from
    the sums of squares of all models less those of the unit.

    Args:
        job: the task.
        chosen: benchmarks of its table.

    Returns:
        As ``job.wanted``: one row a model, fractions.

    Raises:
        BadInput: no benchmark, or one that is no column of the table.
    """
    return _frame(job, _Sums(job).held_out(np.array([_places(job, chosen)]))[0])


def forward(job: Task, most: int) -> list[str]:
    """Choose benchmarks one by one, each time the one that leaves the least held-out error.

    The error is as in ``measure``. The first k of the list are the set of size k. Of equal ones
    the earlier column is taken.

    Raises:
        BadInput: ``most`` is below 1.
    """
    if most < 1:
        raise BadInput(f"size {most!r} of a set should be 1 or more")
    return [job.benchmarks[place] for place in _forward(_Sums(job), most)]


def measure(job: Task, chosen: Sequence[str]) -> dict[str, float]:
    """Give the held-out error of one set.

    error = half the mean absolute error of ``OVERALL`` and half that of the groups, each group
    counting the same (all of it ``OVERALL`` where there are no groups). Its 95 % interval resamples
    the held-out units (percentile bootstrap, ``RESAMPLES``, fixed seed; NaN for fewer than
    ``LEAST_UNITS``): it covers which models there happen to be, not the choice of benchmarks. rank
    is Spearman's correlation of the predicted with the true ``OVERALL`` (interval as in
    ``correlation.matrix``).

    Returns:
        ``SUMMARY``: size, error, low, high, overall, groups (fractions; times 100 they are
        points), rank, rank_low, rank_high, n (models), units (held out one at a time).
    """
    return judged(job, predict(job, chosen), len(set(chosen)))


def judged(job: Task, predicted: pd.DataFrame, size: int) -> dict[str, float]:
    """Give the error of predictions that were made elsewhere; as ``measure``."""
    off = (predicted[job.wanted.columns] - job.wanted).abs()
    each = _weighed(off.to_numpy())
    low, high = _resampled(each, pd.factorize(job.held)[0])
    pair = pd.DataFrame({"told": predicted[OVERALL], "true": job.wanted[OVERALL]})
    ranks = correlation.matrix(pair).iloc[1]
    row = {"size": size, "error": each.mean(), "low": low, "high": high}
    row |= {"overall": off[OVERALL].mean(), "groups": off.drop(columns=OVERALL).mean().mean()}
    row |= {"rank": ranks["r"], "rank_low": ranks["low"], "rank_high": ranks["high"]}
    plain = {name: float(value) for name, value in row.items()}
    return plain | {"size": size, "n": len(job.table), "units": job.held.nunique()}


def path(job: Task, most: int) -> pd.DataFrame:
    """Give our sets of size 1 to ``most`` with two errors: as chosen, and chosen anew.

    A set that was chosen for its held-out error looks better than it is. So the whole choice is
    repeated without each unit (in at most ``FOLDS`` parts), and that unit predicted by what was
    chosen without it: columns that begin with "honest_". They say what a new model can expect.

    Returns:
        One row a size: ``SUMMARY``, benchmark (the one that came in), honest_error, honest_low,
        honest_high, honest_overall, honest_groups, honest_rank, honest_rank_low,
        honest_rank_high, again (in what share of the repeated choices the benchmark came in by
        then).
    """
    names = forward(job, most)
    predicted, chosen = _anew(job, len(names))
    rows = []
    for size, name in enumerate(names, 1):
        honest = judged(job, predicted[size - 1], size)
        again = float(np.mean([name in picks[:size] for picks in chosen]))
        row = measure(job, names[:size]) | {"benchmark": name, "again": again}
        rows.append(row | {f"honest_{key}": honest[key] for key in SUMMARY[1:-2]})
    return pd.DataFrame(rows)


def random_sets(
    job: Task, sizes: Sequence[int], draws: int = DRAWS, seed: int = SEED
) -> pd.DataFrame:
    """Give the held-out errors of random sets, ``draws`` of each size.

    Returns:
        One row a size: size, error, low, high (median, 5 % and 95 % of the sets), rank (median),
        draws. With fewer different sets than ``draws`` some come twice.
    """
    sums, rows = _Sums(job), []
    truth = job.wanted[OVERALL].rank().to_numpy()
    for size in sizes:
        # A generator for each size: a size gives the same sets whatever else is asked for.
        rng = np.random.default_rng([seed, size])
        order = rng.random((draws, len(job.benchmarks))).argsort(axis=1)
        predicted = sums.held_out(order[:, :size])
        errors = sums.errors(predicted)
        ranks = [
            np.corrcoef(pd.Series(values).rank(), truth)[0, 1] for values in predicted[:, :, 0]
        ]
        low, middle, high = np.quantile(errors, [0.05, 0.5, 0.95])
        rows.append((size, middle, low, high, float(np.median(ranks)), draws))
    return pd.DataFrame(rows, columns=["size", "error", "low", "high", "rank", "draws"])


def enough(rows: pd.DataFrame, within: float) -> int | None:
    """Give the smallest size whose honest error is at most ``within``; None if none is.

    Args:
        rows: as from ``path``.
        within: an error, as a fraction.
    """
    good = rows.loc[rows["honest_error"] <= within, "size"]
    return int(good.min()) if len(good) else None


class _Sums:
    """Sums of squares and products of all models without each unit, for many sets at once."""

    def __init__(self, job: Task) -> None:
        values = job.table.to_numpy(float)
        spread = values.std(axis=0)
        scaled = (values - values.mean(axis=0)) / np.where(spread > 0, spread, 1)
        self.inputs: Floats = np.column_stack([np.ones(len(values)), scaled])
        self.wanted: Floats = job.wanted.to_numpy(float)
        self.unit, units = pd.factorize(job.held)
        inside = (self.unit == np.arange(len(units))[:, None]).astype(float)
        squares = np.einsum("gm,mi,mj->gij", inside, self.inputs, self.inputs, optimize=True)
        products = np.einsum("gm,mi,mt->git", inside, self.inputs, self.wanted, optimize=True)
        self.squares: Floats = squares.sum(axis=0) - squares
        self.products: Floats = products.sum(axis=0) - products

    def held_out(self, sets: Ints) -> Floats:
        """Predictions (sets, models, targets) of sets (sets, size) of columns counted from 0."""
        columns = np.column_stack([np.zeros(len(sets), dtype=int), sets + 1])
        left = self.squares[:, columns[:, :, None], columns[:, None, :]]
        penalty = PENALTY * np.eye(columns.shape[1])
        penalty[0, 0] = 0
        weights = np.linalg.solve(left + penalty, self.products[:, columns])
        taken = self.inputs[:, columns].transpose(1, 0, 2)
        predicted: Floats = np.einsum("cmk,mckt->cmt", taken, weights[self.unit], optimize=True)
        return predicted

    def errors(self, predicted: Floats) -> Floats:
        """The error of ``measure`` for each set."""
        each: Floats = _weighed(np.abs(predicted - self.wanted)).mean(axis=1)
        return each


def _weighed(off: Floats) -> Floats:
    """Half the first target's absolute errors and half the mean of the others'."""
    first: Floats = off[..., 0]
    return first if off.shape[-1] == 1 else (first + off[..., 1:].mean(axis=-1)) / 2


def _forward(sums: _Sums, most: int) -> list[int]:
    chosen: list[int] = []
    left = list(range(sums.inputs.shape[1] - 1))
    while left and len(chosen) < most:
        sets = np.array([[*chosen, place] for place in left])
        best = left[int(sums.errors(sums.held_out(sets)).argmin())]
        chosen.append(best)
        left.remove(best)
    return chosen


def _anew(job: Task, most: int) -> tuple[list[pd.DataFrame], list[list[str]]]:
    """Predict each unit by sets chosen without it: a frame a size, and what was chosen each time.

    The fit leaves out the unit, the choice all units that fall into its fold.
    """
    predicted = [pd.DataFrame(np.nan, job.table.index, job.wanted.columns) for _ in range(most)]
    unit, units = pd.factorize(job.held)
    many = min(FOLDS, len(units))
    fold = (np.random.default_rng(SEED).permutation(len(units)) % many)[unit]
    sums, choices = _Sums(job), []
    for place in range(many):
        out = fold == place
        table, held = job.table[~out], job.held[~out]
        if held.nunique() < 2:
            held = pd.Series(table.index, table.index)
        picks = _forward(_Sums(Task(table, job.wanted[~out], held)), most)
        choices.append([job.benchmarks[pick] for pick in picks])
        for size in range(1, most + 1):
            predicted[size - 1].loc[out] = sums.held_out(np.array([picks[:size]]))[0][out]
    return predicted, choices


def _resampled(each: Floats, unit: NDArray[np.intp]) -> tuple[float, float]:
    """A percentile interval of the mean; units are drawn, a model comes with its unit."""
    many = int(unit.max()) + 1
    if many < LEAST_UNITS:
        return np.nan, np.nan
    sums = np.bincount(unit, each, many)
    sizes = np.bincount(unit, minlength=many)
    drawn = np.random.default_rng(SEED).integers(0, many, (RESAMPLES, many))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    tail = (1 - intervals.LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def _places(job: Task, chosen: Sequence[str]) -> list[int]:
    names = job.benchmarks
    unknown = [name for name in chosen if name not in names]
    if unknown or not chosen:
        raise BadInput(f"no benchmark {unknown!r} in the table; known: {', '.join(names)}")
    return [names.index(name) for name in dict.fromkeys(chosen)]


def _frame(job: Task, predicted: Floats) -> pd.DataFrame:
    return pd.DataFrame(predicted, job.wanted.index, job.wanted.columns)
