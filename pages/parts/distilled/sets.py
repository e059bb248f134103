"""What the Distilled page shows: our sets and UniBench's, as tables and in words."""

from collections.abc import Sequence

import pandas as pd

from evalcore.analysis import correlation, distillation
from evalcore.decision.text.phrases import counted, listed
from evalcore.suites import small_sets, suite
from pages.shared.heat_map import bounds, coefficient
from pages.shared.results import Store

PLURALS = {"type": "types", "capability": "capabilities", "need": "needs"}
PAPER_SAYS = (
    "UniBench distils its 53 benchmarks “into seven benchmarks most representative of each axis of "
    "progress (via correlations …)”, which “runs in 5 minutes on a single A100 GPU (for "
    "ViT-B/32)” (section 4, arXiv 2408.04810); its Table 2 prints eight rows."
)
UNIT = {"family": "a family", "siblings": "a group of siblings", "model": "a model"}


def small_sets_of(store: Store, data: suite.SuiteData, axis: str, how: str) -> small_sets.SmallSet:
    """The small sets of a stored suite, worked out once.

    Raises:
        BadInput: The suite is too small, or has too many gaps.
    """
    result: small_sets.SmallSet = store.once(_find, data.suite, axis, how)
    return result


def _find(store: Store, name: str, axis: str, how: str) -> small_sets.SmallSet:
    return small_sets.find(store.suite(name), axis, how, store.table("representatives"))


def names(data: suite.SuiteData) -> dict[str, str]:
    """Name on screen of every benchmark."""
    return dict(zip(data.benchmarks["benchmark"], data.benchmarks["name"].astype(str), strict=True))


def about(result: small_sets.SmallSet, data: suite.SuiteData, axis: str) -> str:
    """Say what the sets were found in, and what is predicted."""
    models, benchmarks = result.job.table.shape
    whole = f"{data.row['name']}: {counted(models)} with all of {benchmarks} benchmarks"
    if result.whole != (models, benchmarks):
        whole += f", the largest part without gaps of {result.whole[0]} and {result.whole[1]}"
    return (
        f"{whole}. Predicted are the mean over all {benchmarks} and the means of "
        f"{result.job.wanted.shape[1] - 1} {PLURALS[axis]}, of which the set's own benchmarks are "
        "a part. The sidebar's filters of models do not change the sets."
    )


def headline(
    result: small_sets.SmallSet, shown: dict[str, str], size: int | None, within: float, how: str
) -> str:
    """Say which benchmarks do, how far off they are, and what else would be."""
    if size is None:
        best = result.path["honest_error"].min()
        return (
            f"No set of up to {len(result.path)} benchmarks predicts within {_points(within)} "
            f"points; the best is off by {_points(best)}."
        )
    row = result.path.iloc[size - 1]
    alone = result.others.iloc[0]
    random = result.random.set_index("size").loc[size]
    name = shown[alone["benchmarks"][0]]
    return (
        f"{listed([shown[value] for value in result.chosen(size)])}: {size} of "
        f"{len(result.job.benchmarks)} benchmarks predict {UNIT[how]} that they were neither "
        f"chosen nor fitted on to {_points(row['honest_error'])} points "
        f"({_interval(row['honest_low'], row['honest_high'])}) and rank the models with "
        f"r {coefficient(row['honest_rank'])} "
        f"({bounds(row['honest_rank_low'], row['honest_rank_high'])}). "
        f"{name} alone: {_points(alone['error'])} points, r {coefficient(alone['rank'])}; random "
        f"sets of {size}: {_points(random['error'])} in the median, 90 % of them between "
        f"{_points(random['low'])} and {_points(random['high'])}. n {int(row['n'])} models in "
        f"{int(row['units'])} parts, one held out at a time."
    )


def list_table(result: small_sets.SmallSet, data: suite.SuiteData, axis: str) -> pd.DataFrame:
    """Our sets: one row a size, the benchmark that came in, the error with it."""
    shown = names(data)
    groups = small_sets.groups(data, axis)
    own = groups.groupby("benchmark")["group"].agg(", ".join)
    rows = result.path
    return pd.DataFrame(
        {
            "Size": rows["size"],
            "Comes in": rows["benchmark"].map(shown),
            axis.title(): rows["benchmark"].map(own),
            "Points off": _in_points(rows["honest_error"]),
            "Low": _in_points(rows["honest_low"]),
            "High": _in_points(rows["honest_high"]),
            "Off on the mean over all": _in_points(rows["honest_overall"]),
            f"Off on {PLURALS[axis]}": _in_points(rows["honest_groups"]),
            "Rank r": [coefficient(r) for r in rows["honest_rank"]],
            "Rank interval": [
                bounds(*ends)
                for ends in zip(rows["honest_rank_low"], rows["honest_rank_high"], strict=True)
            ],
            "Chosen again, %": (100 * rows["again"]).round(0),
            "Points off as chosen": _in_points(rows["error"]),
            "n models": rows["n"],
        }
    )


def label(row: dict[str, object], shown: dict[str, str]) -> str:
    """The name on screen of a set that is not ours."""
    there = row["benchmarks"]
    if row["kind"] == small_sets.ALONE:
        return f"{shown[there[0]]} alone"  # type: ignore[index]
    if row["kind"] in correlation.NAMED:
        return f"{row['name']}: {row['size']} of {row['printed']} printed"
    return f"the most typical of each group ({row['size']})"


def sets_table(
    result: small_sets.SmallSet, shown: dict[str, str], size: int | None
) -> pd.DataFrame:
    """Our set and the others, each with random sets of the same size."""
    random = result.random.set_index("size")
    rows = []
    if size is not None:
        own = result.path.iloc[size - 1]
        picked = {name: own[f"honest_{name}"] for name in distillation.SUMMARY[1:-2]}
        first = {"size": size, "benchmarks": result.chosen(size), "missing": [], "n": own["n"]}
        rows.append({"label": "ours", **first, **picked})
    others = result.others.to_dict("records")
    rows += [{**row, "label": label(row, shown)} for row in others]
    return pd.DataFrame([_set_row(row, random.loc[row["size"]], shown) for row in rows])


def _set_row(row: dict[str, object], random: pd.Series, shown: dict[str, str]) -> dict[str, object]:
    return {
        "Set": row["label"],
        "Size": row["size"],
        "Points off": round(100 * row["error"], 2),  # type: ignore[operator]
        "Low": round(100 * row["low"], 2),  # type: ignore[operator]
        "High": round(100 * row["high"], 2),  # type: ignore[operator]
        "Rank r": coefficient(row["rank"]),  # type: ignore[arg-type]
        "Rank interval": bounds(row["rank_low"], row["rank_high"]),  # type: ignore[arg-type]
        "Random sets of this size": round(100 * random["error"], 2),
        "Benchmarks": _names(row["benchmarks"], shown),  # type: ignore[arg-type]
        "Not in this table": _names(row["missing"], shown) or None,  # type: ignore[arg-type]
        "n models": row["n"],
    }


def target_table(result: small_sets.SmallSet, size: int, groups: pd.DataFrame) -> pd.DataFrame:
    """How far a set is off on each thing that it predicts; every model was held out once."""
    job = result.job
    predicted = distillation.predict(job, result.chosen(size))
    off = (predicted - job.wanted).abs()
    inside = groups[groups["benchmark"].isin(job.benchmarks)].drop_duplicates()
    members = inside.groupby("group")["benchmark"].size()
    own = inside[inside["benchmark"].isin(result.chosen(size))].groupby("group").size()
    members[distillation.OVERALL] = len(job.benchmarks)
    own[distillation.OVERALL] = size
    return pd.DataFrame(
        {
            "Predicted": off.columns,
            "Benchmarks in it": members.reindex(off.columns).to_numpy(),
            "In the set": own.reindex(off.columns).fillna(0).astype(int).to_numpy(),
            "Points off": _in_points(off.mean()).to_numpy(),
            "At most": _in_points(off.max()).to_numpy(),
            "Spread of the models": _in_points(job.wanted.std()).to_numpy(),
            "n models": len(off),
        }
    )


def printed_table(result: small_sets.SmallSet, rows: pd.DataFrame, shown: dict[str, str]) -> object:
    """UniBench's set as printed, beside what the same rule gives here."""
    table_rows = []
    for row in rows.to_dict("records"):
        here = result.typical[result.typical["group"] == row["tag"]]
        own = here[here["benchmark"] == row["benchmark"]]
        first = here.iloc[0] if len(here) else None
        table_rows.append(
            {
                "Group": row["printed_tag"],
                "Printed": row["printed_benchmark"],
                "r printed": row["printed_value"],
                "The same here": _r(own.iloc[0]) if len(own) else "not in this table",
                "Recomputed": None if first is None else shown[first["benchmark"]],
                "r recomputed": None if first is None else _r(first),
                "Agrees": None if first is None else _agrees(row, first, own),
                "Benchmarks here": len(here),
                "n models": None if first is None else first["n"],
            }
        )
    return pd.DataFrame(table_rows)


def printed_words(table: pd.DataFrame, measured: pd.DataFrame, name: str) -> str:
    """Say how many of the printed choices the open table can and does confirm."""
    agrees = table["Agrees"].value_counts()
    missing = int((table["The same here"] == "not in this table").sum())
    words = (
        f"{name}: {len(table)} rows as printed. {len(table) - missing} of their benchmarks are in "
        f"this table. Where the group has others too, the rule chooses the printed one here in "
        f"{agrees.get('yes', 0)} of {agrees.get('yes', 0) + agrees.get('no', 0)} groups."
    )
    if measured.empty:
        return words
    row = measured.iloc[0]
    return words + (
        f" What is there of it ({row['size']}) predicts with an error of {_points(row['error'])} "
        f"points ({_interval(row['low'], row['high'])}) and ranks with "
        f"r {coefficient(row['rank'])} ({bounds(row['rank_low'], row['rank_high'])}), "
        f"n {row['n']} models."
    )


def _agrees(row: dict[str, object], first: pd.Series, own: pd.DataFrame) -> str:
    if first["members"] == 1:
        return "no choice: one benchmark"
    if own.empty:
        return "printed one not here"
    return "yes" if first["benchmark"] == row["benchmark"] else "no"


def _r(row: pd.Series) -> str:
    if row["members"] == 1:
        return "alone in its group"
    return f"{coefficient(row['r'])} ({bounds(row['low'], row['high'])})"


def _names(benchmarks: Sequence[str], shown: dict[str, str]) -> str:
    return ", ".join(shown.get(benchmark, benchmark) for benchmark in benchmarks)


def _interval(low: float, high: float) -> str:
    return "no interval" if pd.isna(low) else f"95 %: {_points(low)} to {_points(high)}"


def _in_points(column: pd.Series) -> pd.Series:
    return (100 * column.astype(float)).round(2)


def _points(error: float) -> str:
    return f"{100 * error:.2f}"
