"""A suite as a table of models by benchmarks, and the few of them that tell the rest."""

from dataclasses import dataclass

import pandas as pd

from evalcore.analysis import correlation, distillation, profiles
from evalcore.decision import need_axis
from evalcore.errors import BadInput
from evalcore.suites import suite

HOLDS = {
    "family": "a family",
    "siblings": "siblings (same family and training data)",
    "model": "one model",
}
"""Who is held out together → in words. Modes of one release are never parted."""
WORTH = 0.015
"""An error that is good enough unless another is asked for: as wide as the sampling error (95 %)
of one benchmark with some 4,000 questions and half of the answers right."""
MOST = 10
"""Sets of more benchmarks are not looked for."""
REFERENCE = "imagenet1k"
"""The benchmark that a set is compared with where a table has it."""
OURS, ALONE, AGAIN = "ours", "alone", "recomputed"


@dataclass(frozen=True, eq=False)
class SmallSet:
    """The small sets of a suite, and what they are compared with."""

    job: distillation.Task
    path: pd.DataFrame
    """Our sets by size, as from ``distillation.path``."""
    random: pd.DataFrame
    """As from ``distillation.random_sets``, for every size that occurs."""
    others: pd.DataFrame
    """One row a set that is not ours: name, kind (``ALONE``, a name of
    ``correlation.NAMED``, ``AGAIN``), benchmarks (in the table), missing (what the set has
    besides), printed (rows of the set), and ``distillation.SUMMARY``."""
    typical: pd.DataFrame
    """How far each benchmark stands for its group, as from ``correlation.typical``."""
    whole: tuple[int, int]
    """Models and benchmarks of the suite before the complete table was cut out of it."""

    def chosen(self, size: int) -> list[str]:
        """The benchmarks of our set of a size, in the order in which they came in."""
        return list(self.path["benchmark"].iloc[:size])


def table(data: suite.SuiteData) -> pd.DataFrame:
    """One row a model, one column a benchmark, fractions, the higher the better; NaN for a gap.

    Raises:
        BadInput: the suite has no scores by benchmark.
    """
    suite.check_scored(data)
    if "benchmark" not in set(data.axes["axis"]):
        raise BadInput(f"suite {data.suite!r} has no scores of single models by benchmark")
    return profiles.wide(suite.cells(data, "benchmark"))


def turned(data: suite.SuiteData) -> pd.DataFrame:
    """What is better the lower it is, turned round: 1 - value, so that it can be correlated.

    Of entries that take part; where several sources give a value, their median.

    Returns:
        As ``table``; without rows where a suite has none.
    """
    out = data.left_out
    if out.empty or "base" not in data.models:
        return pd.DataFrame()
    rows = out[out["why"].eq(suite.LOWER) & out["value"].notna()]
    ids = [suite.identity(*pair) for pair in zip(rows["model"], rows["mode"], strict=True)]
    rows = rows.assign(model=ids)
    rows = rows[rows["model"].isin(data.models["model"])]
    values = rows.groupby(["model", "benchmark"], as_index=False)["value"].median()
    table: pd.DataFrame = 1 - values.pivot(index="model", columns="benchmark", values="value")
    return table


def groups(data: suite.SuiteData, axis: str) -> pd.DataFrame:
    """Which benchmarks each type, capability or need is made of: benchmark, group."""
    if axis == need_axis.AXIS:
        rows = (
            data.composition[data.composition["used"].astype(bool)]
            if len(data.composition)
            else data.composition
        )
        pairs = rows.reindex(columns=["benchmark", "need"]).rename(columns={"need": "group"})
    else:
        pairs = data.benchmarks[["benchmark", axis]].rename(columns={axis: "group"})
    return pairs.dropna().drop_duplicates().reset_index(drop=True)


def held(data: suite.SuiteData, how: str) -> pd.Series:
    """Who is held out with each model: ``how`` is one of ``HOLDS``.

    Where the suite has one family only, its architecture, else its maker, stands for it.
    """
    models = data.models.set_index("model")
    base = models["base"] if "base" in models else pd.Series(models.index, index=models.index)
    if how == "model":
        return base.astype(str)
    kinds = [models[name] for name in ("family", "architecture", "maker") if name in models]
    family = next((kind for kind in kinds if kind.nunique() > 1), base)
    family = family.fillna(base).astype(str)
    if how == "family":
        return family
    trained = models["train_data"] if "train_data" in models else pd.Series(None, models.index)
    unknown = trained.isna() if data.market is None else pd.Series(True, models.index)
    return (family + ", " + trained.astype(str)).mask(unknown, base.astype(str))


def task(data: suite.SuiteData, axis: str, how: str) -> distillation.Task:
    """The task of finding a small set for a suite, on the largest complete table in it.

    Raises:
        BadInput: too few models have the same benchmarks.
        UnknownName: no such axis, or no such way to hold out.
    """
    whole = table(data)
    known = [name for name in suite.axes(data) if name != "benchmark"]
    if axis not in known:
        raise suite.unknown(f"axis of suite {data.suite}", axis, known)
    if how not in HOLDS:
        raise suite.unknown("way to hold out", how, list(HOLDS))
    cut = distillation.complete(whole) if whole.isna().any(axis=None) else whole
    if cut.empty:
        raise BadInput(
            f"suite {data.suite!r} has no {distillation.LEAST_BENCHMARKS} benchmarks that the same "
            f"{distillation.LEAST_MODELS} models have: too few to find out which tell the rest"
        )
    return distillation.task(cut, groups(data, axis), held(data, how).reindex(cut.index))


def find(data: suite.SuiteData, axis: str, how: str, printed: pd.DataFrame) -> SmallSet:
    """Find the small sets of a suite and measure what they are compared with.

    Args:
        data: the suite.
        axis: "type", "capability" or "need": the groups whose means a set is to predict.
        how: who is held out together, one of ``HOLDS``.
        printed: the store's representatives (UniBench's Tables 2 and 3).

    Raises:
        As ``task``.
    """
    job = task(data, axis, how)
    path = distillation.path(job, min(MOST, len(job.benchmarks) - 1))
    typical = correlation.typical(job.table, groups(data, axis))
    single = _reference(data, job)
    rows = [_measured(job, f"{single} alone", ALONE, [single])]
    for name, stored in correlation.NAMED.items():
        own = correlation.printed(printed, name)
        wanted = [str(benchmark) for benchmark in own["benchmark"].dropna().unique()]
        if stored in set(data.axes["axis"]) and set(wanted) & set(job.benchmarks):
            rows.append(_measured(job, name, name, wanted, len(own)))
    again = list(dict.fromkeys(typical.loc[typical["chosen"], "benchmark"]))
    if again:
        rows.append(_measured(job, f"{AGAIN} by {axis}", AGAIN, again))
    others = pd.DataFrame(rows)
    sizes = sorted({*path["size"], *others["size"]})
    shape = table(data).shape
    return SmallSet(job, path, distillation.random_sets(job, sizes), others, typical, shape)


def _measured(
    job: distillation.Task, name: str, kind: str, wanted: list[str], printed: int | None = None
) -> dict[str, object]:
    there = [benchmark for benchmark in wanted if benchmark in job.benchmarks]
    missing = [benchmark for benchmark in wanted if benchmark not in job.benchmarks]
    row = {"name": name, "kind": kind, "benchmarks": there, "missing": missing}
    return {**row, "printed": printed or len(wanted), **distillation.measure(job, there)}


def _reference(data: suite.SuiteData, job: distillation.Task) -> str:
    """ImageNet, else the benchmark that most models anywhere have."""
    if REFERENCE in job.benchmarks:
        return REFERENCE
    about = data.benchmarks.set_index("benchmark")
    if "used_by" not in about:
        return job.benchmarks[0]
    return str(about["used_by"].reindex(job.benchmarks).fillna(0).idxmax())
