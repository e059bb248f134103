"""Published tables that are not scores of single models."""

from pathlib import Path

import figure_names as names
from figure_io import Row, columns, percent, read

HUMAN_LABELS = "539"  # the answers of Gemini 1.5 Pro that the VQA360 authors labelled
NOT_IN_PAPER = "only in the authors' own published table; the paper leaves it out"
SAME_ACCURACY = (
    "the paper prints 1.30 % three times: probably a similarity compared as it stands with a yes"
    " or no; use tau"
)
AXES = ("type", "capability")

COLUMNS = {
    "judge_validation": columns(
        "source,metric,judge,with_reference,with_image,accuracy,kendall_tau,n,printed_accuracy,"
        "printed_kendall_tau,printed_in_paper,note"
    ),
    "group_summary": columns(
        "source,axis,tag,printed_tag,statistic,model_family,value,printed_value,printed_unit"
    ),
    "scale_ratio": columns("source,axis,tag,printed_tag,quantity,ratio,printed_value"),
    "representatives": columns(
        "source,axis,tag,printed_tag,benchmark,printed_benchmark,correlation,printed_value,note"
    ),
    "item_counts": columns("source,dataset,axis,tag,n_items"),
}


def judge_validation(folder: Path) -> list[Row]:
    """How well each metric agrees with people on VQA360 answers."""
    return [
        {
            "source": "vqa360",
            "metric": row["metric"],
            "judge": row["judge"],
            "with_reference": row["with_reference"],
            "with_image": row["with_image"],
            "accuracy": percent(row["accuracy_pct"]),
            "kendall_tau": percent(row["kendall_tau_pct"]),
            "n": HUMAN_LABELS,
            "printed_accuracy": row["accuracy_pct"],
            "printed_kendall_tau": row["kendall_tau_pct"],
            "printed_in_paper": row["printed_in_paper"],
            "note": _validation_note(row),
        }
        for row in read(folder / "vqa360_metric_validation.csv")
    ]


def _validation_note(row: Row) -> str:
    if row["printed_in_paper"] == "0":
        return NOT_IN_PAPER
    return SAME_ACCURACY if row["metric"].startswith("bertscore") else ""


def group_summary(folder: Path) -> list[Row]:
    """Mean, best and worst family per UniBench type and capability (Tables 1 and 4)."""
    statistics = (
        ("mean", "mean_pct", ""),
        ("best", "top_pct", "top_model"),
        ("worst", "worst_pct", "worst_model"),
    )
    return [
        _group(axis, row["group"])
        | {
            "statistic": statistic,
            "model_family": row.get(family, ""),
            "value": percent(row[column]),
            "printed_value": row[column],
            "printed_unit": "%",
        }
        for axis in AXES
        for row in read(folder / f"unibench_by_{axis}.csv")
        for statistic, column, family in statistics
    ]


def scale_ratio(folder: Path) -> list[Row]:
    """How much more data and parameters the best family had than the worst (Tables 1 and 4)."""
    quantities = (
        ("training data", "top_vs_worst_data_scale"),
        ("model size", "top_vs_worst_model_scale"),
    )
    return [
        _group(axis, row["group"])
        | {"quantity": quantity, "ratio": row[column], "printed_value": row[column]}
        for axis in AXES
        for row in read(folder / f"unibench_by_{axis}.csv")
        for quantity, column in quantities
    ]


def representatives(folder: Path, benchmarks: set[str]) -> list[Row]:
    """The benchmark that correlates best with its UniBench group (Tables 2 and 3).

    Raises:
        ValueError: A printed benchmark is neither ours nor in the tables of names.
    """
    return [
        _group(axis, row["group"])
        | _benchmark(row["benchmark"], benchmarks)
        | {"correlation": row["correlation"], "printed_value": row["correlation"]}
        for axis in AXES
        for row in read(folder / f"unibench_representatives_by_{axis}.csv")
    ]


def _group(axis: str, printed: str) -> Row:
    tag = names.TAG_OF_PRINTED.get(printed, printed)
    return {"source": "unibench", "axis": axis, "tag": tag, "printed_tag": printed}


def _benchmark(printed: str, known: set[str]) -> Row:
    if printed in names.AMBIGUOUS_BENCHMARK:
        return {"printed_benchmark": printed, "note": names.AMBIGUOUS_BENCHMARK[printed]}
    benchmark = names.BENCHMARK_OF_PRINTED.get(printed, printed)
    if benchmark not in known:
        raise ValueError(f"unibench_representatives: {printed!r} is no benchmark of ours")
    return {"printed_benchmark": printed, "benchmark": benchmark}


def item_counts(folder: Path) -> list[Row]:
    """Items that each source data set gives to VQA360."""
    return [
        {
            "source": "vqa360",
            "dataset": row["dataset"],
            "axis": "task_type",
            "tag": row["task_type"],
            "n_items": row["n_items"],
        }
        for row in read(folder / "vqa360_sources.csv")
    ]
