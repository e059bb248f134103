"""Every printed value of the re-tabulated figures stands in the shipped files, and nothing else."""

from collections import Counter

import pytest

from tests.published.files import CATALOG, FIGURES, SHARED, needs_shared, read

pytestmark = needs_shared


def cells(rows, *columns):
    """How often each combination of the columns occurs."""
    return Counter(tuple(row[column] for column in columns) for row in rows)


SCORES = [
    (
        ["vqa360_scores.csv"],
        ("model", "axis", "tag", "goeval_mini_pct", "n_items"),
        "vqa360.csv",
        ("printed_model", "axis", "tag", "printed_value", "n"),
    ),
    (
        ["openclip_zeroshot.csv"],
        ("model", "benchmark", "accuracy"),
        "openclip.csv",
        ("printed_model", "tag", "printed_value"),
    ),
    (
        ["clip_scaling_grid.csv"],
        ("checkpoint", "benchmark", "accuracy"),
        "clip-grid.csv",
        ("printed_model", "tag", "printed_value"),
    ),
    (
        ["mmvet2_capabilities.csv", "mmvet2_integrations.csv"],
        ("model", "score_pct"),
        "mmvet2.csv",
        ("printed_model", "printed_value"),
    ),
    (
        ["vqa360_metric_validation.csv"],
        ("metric", "with_reference", "with_image", "accuracy_pct", "kendall_tau_pct"),
        "tables/judge_validation.csv",
        ("metric", "with_reference", "with_image", "printed_accuracy", "printed_kendall_tau"),
    ),
    (
        ["unibench_representatives_by_type.csv", "unibench_representatives_by_capability.csv"],
        ("group", "benchmark", "correlation"),
        "tables/representatives.csv",
        ("printed_tag", "printed_benchmark", "printed_value"),
    ),
    (
        ["vqa360_sources.csv"],
        ("dataset", "task_type", "n_items"),
        "tables/item_counts.csv",
        ("dataset", "tag", "n_items"),
    ),
]


@pytest.mark.parametrize(("sources", "columns", "shipped", "shipped_columns"), SCORES)
def test_every_printed_value_is_shipped_once(sources, columns, shipped, shipped_columns):
    printed = [row for name in sources for row in read(SHARED / name)]

    assert cells(read(FIGURES / shipped), *shipped_columns) == cells(printed, *columns)


@pytest.mark.parametrize(
    ("file", "axis", "column"),
    [
        ("mmvet2_capabilities.csv", "capability", "capability"),
        ("mmvet2_integrations.csv", "integration", "integration"),
    ],
)
def test_mm_vet_values_keep_their_tag_and_spread(file, axis, column):
    rows = read(SHARED / file)
    printed = Counter(
        (row["model"], row[column], row["score_pct"], bool(row["std_over_5_runs"]))
        for row in rows
        if row[column] != "mm-vet-v1-total"
    )

    shipped = Counter(
        (row["printed_model"], row["tag"], row["printed_value"], bool(row["sd"]))
        for row in read(FIGURES / "mmvet2.csv")
        if row["axis"] == axis and row["benchmark"] == "mm-vet-v2"
    )

    assert shipped == printed


def test_first_edition_totals_are_a_benchmark_of_their_own():
    printed = [
        row
        for row in read(SHARED / "mmvet2_capabilities.csv")
        if row["capability"] == "mm-vet-v1-total"
    ]
    shipped = [r for r in read(FIGURES / "mmvet2.csv") if r["benchmark"] == "mm-vet-v1"]

    assert cells(shipped, "printed_model", "printed_value") == cells(printed, "model", "score_pct")


@pytest.mark.parametrize("axis", ["type", "capability"])
@pytest.mark.parametrize(
    ("table", "label", "column"),
    [
        ("group_summary", ("statistic", "mean"), "mean_pct"),
        ("group_summary", ("statistic", "best"), "top_pct"),
        ("group_summary", ("statistic", "worst"), "worst_pct"),
        ("scale_ratio", ("quantity", "training data"), "top_vs_worst_data_scale"),
        ("scale_ratio", ("quantity", "model size"), "top_vs_worst_model_scale"),
    ],
)
def test_group_tables_hold_each_printed_column(axis, table, label, column):
    name, wanted = label
    shipped = [
        row
        for row in read(FIGURES / "tables" / f"{table}.csv")
        if row["axis"] == axis and row[name] == wanted
    ]

    printed = read(SHARED / f"unibench_by_{axis}.csv")

    assert cells(shipped, "printed_tag", "printed_value") == cells(printed, "group", column)


@pytest.mark.parametrize(
    ("file", "source", "columns", "shipped_columns"),
    [
        (
            "unibench_models.csv",
            "unibench",
            ("model", "family", "train_data_m", "params_m", "learning_objective", "architecture"),
            (
                "name",
                "family",
                "train_data_m",
                "image_tower_params_m",
                "learning_objective",
                "architecture",
            ),
        ),
        (
            "openclip_models.csv",
            "openclip",
            ("model", "architecture", "gflops", "train_data_m", "samples_seen_b"),
            ("name", "architecture", "gflops", "train_data_m", "samples_seen_b"),
        ),
        (
            "vqa360_models.csv",
            "vqa360",
            ("model", "name", "params_b", "open_weights", "maker"),
            ("id", "name", "params_b", "open_weights", "maker"),
        ),
    ],
)
def test_model_facts_are_carried_over_as_printed(file, source, columns, shipped_columns):
    shipped = [row for row in read(CATALOG / "models.csv") if row["source"] == source]

    assert cells(shipped, *shipped_columns) == cells(read(SHARED / file), *columns)


def test_mm_vet_models_keep_their_sizes():
    shipped = {row["name"]: row for row in read(CATALOG / "models.csv")}

    for row in read(SHARED / "mmvet2_models.csv"):
        model = shipped[row["model"]]
        assert (model["params_b"], model["open_weights"]) == (row["params_b"], row["open_weights"])


def test_unibench_benchmarks_keep_their_printed_facts():
    columns = ("type", "capability", "curated", "object_centric", "n_classes")
    shipped = [row for row in read(CATALOG / "benchmarks.csv") if row["source"] == "unibench"]
    printed = read(SHARED / "unibench_benchmarks.csv")

    assert cells(shipped, "id", "task", *columns) == cells(
        printed, "benchmark", "measure", *columns
    )


def test_grid_models_keep_data_and_samples():
    columns = ("architecture", "train_data", "train_data_m", "samples_seen_b")
    printed = {
        (row["checkpoint"].removesuffix(".pt"), *(row[column] for column in columns))
        for row in read(SHARED / "clip_scaling_grid.csv")
    }
    shipped = {
        (row["name"].split("/")[1], *(row[column] for column in columns))
        for row in read(CATALOG / "models.csv")
        if row["source"] == "clip-grid"
    }

    assert shipped == printed
