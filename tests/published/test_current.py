"""The current results: every collected value comes back as printed, and nothing collides."""

import re
from collections import Counter
from decimal import Decimal

import pytest

from tests.published.files import CATALOG, FIGURES, SHARED, needs_shared, read

CURRENT = FIGURES / "current"
KEY = ("model", "mode", "benchmark", "split", "metric", "judge")
UNIT = {"%": 100, "0-100": 100, "0-1000": 1000, "fraction": 1}
AGAIN = {"qwen3.5-cards-again": "qwen3.5-cards", "step3-vl-again": "step3-vl"}
# Sources in no suite → the report that prints their values.
OUTSIDE = AGAIN | {"internvl2.5-mmvet2": "internvl2.5", "openclip-2026-06": "open_clip"}


def catalogue(*names):
    return [row for name in names for row in read(CATALOG / f"{name}.csv")]


SOURCES = {row["id"]: row for row in catalogue("sources-current")}
SCORES = [
    row | {"source": path.stem, "suite": SOURCES[path.stem]["suite"]}
    for path in sorted(CURRENT.glob("*.csv"))
    for row in read(path)
]
MODES = {row["mode"]: row for row in catalogue("modes")}
BENCHMARKS = {row["id"]: row for row in catalogue("benchmarks", "benchmarks-current")}
MODELS = {row["id"]: row for row in catalogue("models", "models-current")}
USED = {row["model"] for row in SCORES}


def of(row, *columns):
    return tuple(row[column] for column in columns)


def repeated(keys):
    return [key for key, count in Counter(keys).items() if count > 1]


def family(benchmark):
    return BENCHMARKS[benchmark]["family"] or {"imagenet1k": "ImageNet-1k zero-shot"}[benchmark]


def kind(row):
    return MODES[row["mode"]]["kind"]


@needs_shared
def test_all_4231_values_come_back_as_printed_each_once():
    printed = Counter(
        of(row, "model", "value", "benchmark") for row in read(SHARED / "current_scores.csv")
    )
    shipped = Counter(
        (*of(row, "printed_model", "printed_value"), family(row["benchmark"])) for row in SCORES
    )

    assert shipped == printed
    assert shipped.total() == 4231


@needs_shared
def test_every_value_comes_back_under_the_report_that_prints_it():
    rules = sorted(catalogue("printed_sources"), key=lambda rule: not rule["note_contains"])

    def source(row):
        return next(
            rule["source"]
            for rule in rules
            if row["source"].startswith(rule["printed"])
            and rule["note_contains"] in row["protocol_note"]
        )

    def report(source):
        return OUTSIDE.get(source) or SOURCES[source]["suite"]

    printed = Counter(
        (report(source(row)), row["model"], row["value"])
        for row in read(SHARED / "current_scores.csv")
    )
    shipped = Counter(
        (report(row["source"]), row["printed_model"], row["printed_value"]) for row in SCORES
    )

    assert shipped == printed


def test_a_value_is_exactly_the_printed_number_in_its_unit():
    wrong = [
        row
        for row in SCORES
        if Decimal(row["value"]) * UNIT[row["printed_unit"]] != Decimal(row["printed_value"])
    ]

    assert wrong == []


def test_both_scales_of_ocrbench_become_the_same_fractions():
    rows = [row for row in SCORES if row["benchmark"] == "ocrbench"]

    assert Counter(row["printed_unit"] for row in rows) == {"0-1000": 148, "0-100": 120}
    assert all(Decimal("0.5") < Decimal(row["value"]) < 1 for row in rows)


def test_edit_distances_are_benchmarks_of_their_own_and_better_when_lower():
    metrics = {row["id"]: row for row in catalogue("metrics", "metrics-current")}
    found = {row["benchmark"] for row in SCORES if row["metric"] == "edit-distance"}

    assert metrics["edit-distance"]["higher_is_better"] == "0"
    assert found == {"omnidocbench-v1.5-text-edit", "omnidocbench-v1.5-average-edit"}


def test_no_two_values_of_one_source_share_a_key():
    assert len({of(row, "source", *KEY) for row in SCORES}) == 4231


def test_in_a_suite_a_model_in_a_mode_has_one_value_a_benchmark():
    rows = [row for row in SCORES if row["suite"]]

    assert repeated(of(row, "suite", "model", "mode", "tag") for row in rows) == []


def test_what_stands_in_another_suite_already_is_in_no_suite():
    outside = Counter(row["source"] for row in SCORES if not row["suite"])

    assert outside == {
        "openclip-2026-06": 25,
        "internvl2.5-mmvet2": 7,
        "qwen3.5-cards-again": 43,
        "step3-vl-again": 6,
    }


@pytest.mark.parametrize("source", AGAIN)
def test_a_value_printed_twice_is_the_same_value_both_times(source):
    first = {of(row, *KEY): row["value"] for row in SCORES if row["suite"] == AGAIN[source]}

    assert all(first[of(row, *KEY)] == row["value"] for row in SCORES if row["source"] == source)


def test_copied_values_are_those_of_the_suites_they_stand_in():
    clip = {
        row["model"]: Decimal(row["value"])
        for row in read(CURRENT.parent / "openclip.csv")
        if row["benchmark"] == "imagenet1k"
    }
    totals = {
        row["printed_value"] for row in read(CURRENT.parent / "mmvet2.csv") if row["tag"] == "total"
    }

    for row in SCORES:
        if row["source"] == "openclip-2026-06":
            assert abs(clip[row["model"]] - Decimal(row["value"])) <= Decimal("0.0001")
        if row["source"] == "internvl2.5-mmvet2":
            assert row["printed_value"] in totals


def test_fine_tuned_few_shot_and_tool_using_rows_are_marked_and_out_by_default():
    counts = Counter(kind(row) for row in SCORES)

    assert (counts["fine-tuned"], counts["few-shot"], counts["tools"]) == (49, 10, 6)
    for mode in MODES.values():
        assert mode["by_default"] == str(
            int(mode["kind"] not in ("fine-tuned", "few-shot", "tools"))
        )


def test_every_mode_that_is_listed_is_used_and_every_used_one_is_listed():
    assert {row["mode"] for row in SCORES} == set(MODES)


def test_only_low_confidence_and_answer_format_make_a_value_suspect():
    suspect = Counter(of(row, "source", "benchmark") for row in SCORES if row["suspect"] == "1")

    assert suspect == {
        ("artificial-analysis-notes", "mmmu-pro-aa"): 9,
        ("qwen3-vl-report", "chartqa-test"): 10,
    }
    assert all(row["note"] for row in SCORES if row["suspect"] == "1")


def test_every_row_of_the_tables_of_names_is_used():
    shipped = {of(row, "benchmark", "split", "metric", "judge") for row in SCORES}
    joined = {of(row, "benchmark", "split", "metric", "judge") for row in catalogue("splits")}

    assert joined == shipped
    assert {row["source"] for row in catalogue("printed_sources")} <= {
        row["source"] for row in SCORES
    }
    assert set(SOURCES) - {row["source"] for row in SCORES} == {"current-collection"}


def test_a_benchmark_has_one_split_and_one_metric_but_where_a_mode_sets_another_judge():
    splits = {of(row, "benchmark", "split") for row in SCORES}
    metrics = {of(row, "benchmark", "metric") for row in SCORES if kind(row) != "few-shot"}

    assert repeated(benchmark for benchmark, _ in splits) == []
    assert repeated(benchmark for benchmark, _ in metrics) == []
    assert all(BENCHMARKS[benchmark]["metric"] == metric for benchmark, metric in metrics)


def test_every_need_names_families_that_have_results():
    families = {BENCHMARKS[row["benchmark"]]["family"] for row in SCORES if row["suite"]}

    assert {row["family"] for row in catalogue("needs")} == families


def test_every_current_suite_has_scores_a_main_source_and_both_axes():
    axes = {of(row, "suite", "axis") for row in catalogue("axes-current")}

    for suite in catalogue("suites-current"):
        sources = {row["source"] for row in SCORES if row["suite"] == suite["suite"]}
        assert suite["source"] in sources
        assert {(suite["suite"], "need"), (suite["suite"], "benchmark")} <= axes
        assert suite["current"] == "1"


def test_there_are_301_models_each_with_a_maker_and_an_open_or_closed_flag():
    assert len(USED) == 301
    assert all(MODELS[model]["open_weights"] in ("0", "1") for model in USED)
    assert all(row["maker"] and row["family"] for row in catalogue("models-current"))


def test_a_name_joins_an_older_model_only_through_an_alias():
    alias = {row["model"] for row in catalogue("aliases") if row["source"] == "current-scores"}

    assert alias == {model for model in USED if MODELS[model]["source"] != "current-collection"}


def test_a_total_that_the_name_says_too_is_not_called_counted():
    basis = {row["id"]: row["params_basis"] for row in catalogue("models-current")}

    assert basis["internvl3-8b"] == "nominal"
    assert basis["qwen3-vl-8b-instruct"] == "counted"
    assert basis["gpt-5"] == ""


def test_release_is_a_year_or_a_year_and_month():
    released = [MODELS[model]["released"] for model in USED if MODELS[model]["released"]]

    assert all(re.fullmatch(r"20\d\d(-(0[1-9]|1[0-2]))?", month) for month in released)


def test_a_size_has_a_source_and_belongs_to_the_split_of_its_benchmark():
    splits = {of(row, "benchmark", "split") for row in SCORES}
    sizes = catalogue("benchmark_sizes")

    assert {of(row, "benchmark", "split") for row in sizes} <= splits
    assert all(row["source"] and int(row["n_items"]) > 100 for row in sizes)


@pytest.mark.parametrize(
    ("fact", "known"), [("params_b", 211), ("licence", 254), ("released", 274)]
)
def test_what_is_known_of_the_models_does_not_shrink(fact, known):
    assert sum(bool(MODELS[model][fact]) for model in USED) >= known


def test_sizes_known_of_the_benchmarks_do_not_shrink():
    sized = {row["benchmark"] for row in catalogue("benchmark_sizes")}
    sized |= {name for name, row in BENCHMARKS.items() if row["n_items"]}

    assert len(sized & {row["benchmark"] for row in SCORES}) >= 47
    assert sum(row["benchmark"] in sized for row in SCORES) >= 3570
