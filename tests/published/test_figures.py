"""The shipped figures obey the rules that every reader of them relies on."""

import filecmp
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from evalcore.home import ROOT
from tests.published.files import CATALOG, FIGURES, SHARED, needs_shared, read

SOURCES = ["vqa360", "mmvet2", "openclip", "clip-grid"]
TABLES = ["judge_validation", "group_summary", "scale_ratio", "representatives", "item_counts"]
KEY = ("model", "mode", "benchmark", "split", "axis", "tag", "metric", "judge")


def scores(source):
    return read(FIGURES / f"{source}.csv")


def table(name):
    return read(FIGURES / "tables" / f"{name}.csv")


def ids(file, column="id"):
    return [row[column] for row in read(CATALOG / file)]


def repeated(values):
    return [value for value, count in Counter(values).items() if count > 1]


@pytest.mark.parametrize(
    ("source", "rows", "models"),
    [
        ("vqa360", 10 * (4 + 24 + 11), 10),
        ("mmvet2", 20 * (7 + 1 + 1) + 19 * (16 + 1), 20),
        ("openclip", 121 * 38, 121),
        ("clip-grid", 34 * 35, 34),
    ],
)
def test_each_source_has_all_its_scores(source, rows, models):
    assert len(scores(source)) == rows
    assert len({row["model"] for row in scores(source)}) == models


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("judge_validation", 12),
        ("group_summary", (8 + 19) * 3),
        ("scale_ratio", (8 + 19) * 2),
        ("representatives", 8 + 18),
        ("item_counts", 5),
    ],
)
def test_each_table_has_all_its_rows(name, rows):
    assert len(table(name)) == rows


@pytest.mark.parametrize("source", SOURCES)
def test_no_two_scores_share_a_key(source):
    assert repeated(tuple(row[column] for column in KEY) for row in scores(source)) == []


@pytest.mark.parametrize("source", SOURCES)
def test_value_is_exactly_the_printed_number_in_its_unit(source):
    unit = {"%": Decimal(100), "fraction": Decimal(1)}

    wrong = [
        row
        for row in scores(source)
        if Decimal(row["value"]) * unit[row["printed_unit"]] != Decimal(row["printed_value"])
    ]

    assert wrong == []


@pytest.mark.parametrize("source", SOURCES)
def test_every_score_is_a_fraction(source):
    assert all(0 <= Decimal(row["value"]) <= 1 for row in scores(source))


@pytest.mark.parametrize(
    ("name", "column", "printed"),
    [
        ("judge_validation", "accuracy", "printed_accuracy"),
        ("judge_validation", "kendall_tau", "printed_kendall_tau"),
        ("group_summary", "value", "printed_value"),
    ],
)
def test_per_cents_of_the_tables_are_exact_fractions(name, column, printed):
    assert all(Decimal(row[column]) * 100 == Decimal(row[printed]) for row in table(name))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    ("column", "file"),
    [("model", "models.csv"), ("benchmark", "benchmarks.csv"), ("metric", "metrics.csv")],
)
def test_every_name_in_a_score_has_a_catalogue_row(source, column, file):
    assert {row[column] for row in scores(source)} <= set(ids(file))


@pytest.mark.parametrize(
    "file", ["models.csv", "benchmarks.csv", "metrics.csv", "sources.csv", "architectures.csv"]
)
def test_catalogue_ids_are_unique(file):
    column = "architecture" if file == "architectures.csv" else "id"

    assert repeated(ids(file, column)) == []


@pytest.mark.parametrize("file", ["models.csv", "benchmarks.csv", "suites.csv", "errata.csv"])
def test_every_catalogue_row_names_a_known_source(file):
    assert {row["source"] for row in read(CATALOG / file)} <= set(ids("sources.csv"))


def test_every_figures_file_and_table_names_a_known_source():
    named = {path.stem for path in FIGURES.glob("*.csv")}
    named |= {row["source"] for name in TABLES for row in table(name)}

    assert named <= set(ids("sources.csv"))


@pytest.mark.parametrize("source", SOURCES)
def test_every_axis_of_a_score_is_described(source):
    described = {(row["suite"], row["axis"]) for row in read(CATALOG / "axes.csv")}

    assert {(source, row["axis"]) for row in scores(source)} <= described


def test_a_suite_starts_on_an_axis_that_it_has():
    described = {(row["suite"], row["axis"]) for row in read(CATALOG / "axes.csv")}

    for suite in read(CATALOG / "suites.csv"):
        assert (suite["suite"], suite["default_axis"]) in described


def test_149_vqa360_means_are_marked_as_hiding_unscored_items():
    marked = [row for row in scores("vqa360") if row["note"].startswith("not k/n")]

    assert len(marked) == 149


def test_a_spread_says_what_it_is_over_and_stands_at_totals_only():
    spread = [row for row in scores("mmvet2") if row["sd"]]

    assert len(spread) == 20 + 19
    assert {(r["tag"], r["sd_over"], r["repeats"], r["n"]) for r in spread} == {
        ("total", "judge repeats", "5", "517")
    }


def test_items_behind_mm_vet_tags_are_unknown():
    assert all(row["n"] == "" for row in scores("mmvet2") if not row["sd"])


def test_only_the_four_shifted_rows_are_suspect_without_their_totals():
    suspect = [row for row in scores("mmvet2") if row["suspect"] == "1"]

    assert Counter(row["model"] for row in suspect) == {
        "openflamingo-9b": 16,
        "otter-9b": 16,
        "internvl2-40b": 16,
        "internvl2-llama3-76b": 16,
    }
    assert all(row["note"] and row["tag"] != "total" for row in suspect)


def test_only_gemini_1_5_pro_stands_in_two_suites():
    suites = [{row["model"] for row in scores(source)} for source in SOURCES]

    assert repeated(model for suite in suites for model in suite) == ["gemini-1.5-pro"]


def test_unibench_sizes_are_never_totals():
    rows = [row for row in read(CATALOG / "models.csv") if row["source"] == "unibench"]

    assert len(rows) == 60
    assert all(row["params_b"] == "" and row["image_tower_params_m"] for row in rows)


def test_unknown_facts_are_empty_and_never_zero():
    columns = ("params_b", "image_tower_params_m", "train_data_m", "samples_seen_b", "gflops")
    rows = read(CATALOG / "models.csv")

    assert all(Decimal(row[c]) > 0 for row in rows for c in columns if row[c])


@pytest.mark.parametrize(
    ("benchmark", "chance"),
    [
        ("cifar10", "0.1"),
        ("vg_attribution", "0.5"),
        ("sugarcrepe", "0.5"),
        ("coco_order", "0.2"),
        ("winoground", ""),
        ("dollar_street", ""),
        ("mscoco_retrieval", ""),
        ("vqa360", ""),
    ],
)
def test_chance_follows_from_the_metric(benchmark, chance):
    rows = {row["id"]: row["chance"] for row in read(CATALOG / "benchmarks.csv")}

    assert rows[benchmark] == chance


def test_unibench_has_seven_types_and_eighteen_capabilities():
    rows = [row for row in read(CATALOG / "benchmarks.csv") if row["source"] == "unibench"]

    assert len(rows) == 53
    assert len({row["type"] for row in rows}) == 7
    assert len({row["capability"] for row in rows}) == 18


def test_group_tags_are_the_benchmarks_types_and_capabilities():
    rows = [row for row in read(CATALOG / "benchmarks.csv") if row["source"] == "unibench"]
    known = {(axis, row[axis]) for row in rows for axis in ("type", "capability")}
    known |= {("type", "total"), ("capability", "total")}

    assert {(row["axis"], row["tag"]) for row in table("group_summary")} == known


def test_representatives_are_benchmarks_of_their_group_or_left_open():
    rows = {row["id"]: row for row in read(CATALOG / "benchmarks.csv")}

    for row in table("representatives"):
        if row["benchmark"]:
            assert rows[row["benchmark"]][row["axis"]] == row["tag"]
        else:
            assert row["note"].startswith("ambiguous")


def test_references_without_the_image_agree_best_with_people():
    best = max(table("judge_validation"), key=lambda row: Decimal(row["kendall_tau"]))

    assert (best["metric"], best["with_reference"], best["with_image"]) == ("goeval-mini", "1", "0")
    assert best["printed_in_paper"] == "0"


@needs_shared
def test_the_converter_reproduces_the_shipped_files_byte_for_byte(tmp_path):
    script = ROOT / "scripts" / "convert_figures.py"
    command = [sys.executable, str(script), "--from", str(SHARED), "--to", str(tmp_path)]

    subprocess.run(command, check=True)

    made = [path.relative_to(tmp_path) for path in tmp_path.rglob("*.csv")]
    same, different, missing = filecmp.cmpfiles(tmp_path, ROOT, made, shallow=False)
    assert (different, missing) == ([], [])
    typed = "judge_examples.csv"  # words of a paper's table; tests/pages/test_judges.py reads it
    shipped = {path.relative_to(ROOT) for path in FIGURES.rglob("*.csv") if path.name != typed}
    catalogue = ("models.csv", "models-current.csv", "benchmarks.csv", "needs.csv")
    assert set(map(Path, same)) >= shipped | {
        (CATALOG / name).relative_to(ROOT) for name in catalogue
    }


def test_what_table_4_says_of_closed_models_is_what_the_erratum_says():
    closed = {"gemini-1.5-flash": "Gemini 1.5 Flash", "gemini-1.5-pro": "Gemini 1.5 Pro",
              "gpt-4o-mini": "GPT-4o mini"}  # fmt: skip
    by_type = {}
    for row in scores("vqa360"):
        if row["axis"] == "task_type" and row["tag"] != "total":
            by_type.setdefault(row["tag"], {})[row["model"]] = Decimal(row["printed_value"])
    best_open = {
        kind: max(value for model, value in found.items() if model not in closed)
        for kind, found in by_type.items()
    }
    (row,) = [row for row in read(CATALOG / "errata.csv") if row["topic"].startswith("closed agai")]

    above = [
        name
        for model, name in closed.items()
        if all(by_type[kind][model] > best for kind, best in best_open.items())
    ]

    assert len(by_type) == 4
    assert above == ["Gemini 1.5 Pro"]
    assert "only Gemini 1.5 Pro is above every open one in all four task types" in row["table_says"]
    for kind, models in (
        ("Chart Understanding", closed | {"cogvlm2-llama3-19b": "", "internvl2-8b": ""}),
        ("Document Understanding", closed | {"cogvlm2-llama3-19b": "", "internvl2-8b": ""}),
    ):
        told = [f"{by_type[kind][model]}" for model in models if model != "gemini-1.5-pro"]
        assert all(figure in row["table_says"] for figure in told)
