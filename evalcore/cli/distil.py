"""The command ``distil``: which few benchmarks tell what all of a suite tell."""

import argparse

import pandas as pd

from evalcore.analysis import distillation, representatives
from evalcore.cli.output import Format, text
from evalcore.errors import BadInput
from evalcore.store import build, queries
from evalcore.suites import small_sets, suite

SHOWN = (
    *("size", "benchmark", "honest_error", "honest_low", "honest_high", "honest_rank"),
    *("again", "error", "rank"),
)
OTHERS = ("name", "size", "printed", "error", "low", "high", "rank", "rank_low", "rank_high")


def run_distil(arguments: argparse.Namespace) -> str:
    """The small set of a suite with its errors, or how one of UniBench's sets does there."""
    path = build.ensure()
    data = suite.load(path, arguments.suite, include_modes=arguments.include_modes)
    printed = queries.table(path, "representatives")
    axis = arguments.axis or suite.axes(data)[0]
    found = small_sets.find(data, axis, arguments.hold_out, printed)
    if arguments.set is not None:
        return _named(found, arguments.set, printed, arguments.format)
    size = arguments.size or distillation.enough(found.path, small_sets.WORTH)
    if size is not None and size > len(found.path):
        raise BadInput(f"--size {size}: sets of 1 to {len(found.path)} are worked out here")
    shown = found.path if size is None else found.path.iloc[:size]
    if arguments.format != "table":
        return text(shown, arguments.format)
    parts = [_about(found), _set(found, size), text(shown[list(SHOWN)], "table").rstrip()]
    parts.append(f"Compared with\n{text(found.others[list(OTHERS)], 'table').rstrip()}")
    parts.append(f"Random sets, median and 5 to 95 %\n{text(found.random, 'table').rstrip()}")
    return "\n\n".join(parts) + "\n"


def _about(found: small_sets.Found) -> str:
    models, benchmarks = found.job.table.shape
    whole = f"{found.whole[0]} models and {found.whole[1]} benchmarks"
    return (
        f"{models} models with all of {benchmarks} benchmarks (the suite has {whole}); "
        f"{found.job.held.nunique()} units held out one at a time. An error is half that of the "
        f"mean over all benchmarks and half that of the {found.job.wanted.shape[1] - 1} group "
        "means, on models that took no part in the fit; 'honest': nor in the choice."
    )


def _set(found: small_sets.Found, size: int | None) -> str:
    if size is None:
        return f"No set of up to {len(found.path)} predicts within {_points(small_sets.WORTH)}."
    row = found.path.iloc[size - 1]
    return (
        f"Set of {size}: {', '.join(found.chosen(size))}. Honest error "
        f"{_points(row['honest_error'])} ({_ends(row['honest_low'], row['honest_high'])}), rank "
        f"correlation {row['honest_rank']:.3f}."
    )


def _named(found: small_sets.Found, name: str, printed: pd.DataFrame, form: Format) -> str:
    rows = representatives.printed(printed, name)
    measured = found.others[found.others["name"] == name]
    if form != "table":
        return text(rows, form)
    shown = rows[["printed_tag", "printed_benchmark", "printed_value", "benchmark"]]
    there = rows["benchmark"].isin(found.job.benchmarks).map({True: "yes", False: "no"})
    parts = [text(shown.assign(here=there), "table").rstrip()]
    if measured.empty:
        return parts[0] + "\n\nNone of its benchmarks is in this suite.\n"
    row = measured.iloc[0]
    parts.append(
        f"Here {row['size']} of its {len(rows)}: error {_points(row['error'])} "
        f"({_ends(row['low'], row['high'])}), rank correlation "
        f"{row['rank']:.3f} ({row['rank_low']:.3f} to {row['rank_high']:.3f}), n {row['n']} models."
    )
    return "\n\n".join(parts) + "\n"


def _ends(low: float, high: float) -> str:
    return "no interval" if pd.isna(low) else f"{100 * low:.2f} to {100 * high:.2f}"


def _points(error: float) -> str:
    return f"{100 * error:.2f} points"
