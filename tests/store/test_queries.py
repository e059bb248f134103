import dataclasses

import pandas as pd
import pytest

from evalcore import records, side_tables
from evalcore.errors import StoreUnreadable
from evalcore.store import queries

DEMO = 6 * 5 + 4 * 5 + 6 * 5
"""Scores of the demo runs: six and four runs by five tags, six prompt sets from top-1 to top-5."""
SUITES = {"vqa360": 390, "mmvet2": 503, "unibench": 0, "openclip": 4598, "clip-grid": 1190}
PUBLISHED = [
    "source", "benchmark", "axis", "tag", "model", "metric", "value", "n", "sd", "sd_over",
    "judge", "kind", "mode", "split", "printed_model", "printed_value", "printed_unit", "note",
]  # fmt: skip
ROWS = {
    "models": 513,
    "deployments": 49,
    "runs": 16,
    "run_problems": 0,
    "benchmarks": 143,
    "sizes": 45,
    "needs": 27,
    "modes": 25,
    "prices": 231,
    "image_rules": 125,
    "output_tokens": 37,
    "thinking": 77,
    "gpu_prices": 20,
    "cache_shapes": 6,
    "availability": 75,
    "licences": 24,
    "suites": 47,
    "axes": 99,
    "sources": 74,
    "errata": 37,
    "metrics": 27,
    "judges": 12,
    "judge_examples": 5,
    "groups": 81,
    "ratios": 54,
    "representatives": 26,
}
RECORDS = {
    "models": (records.Model, {"id": "model"}),
    "benchmarks": (records.Benchmark, {"id": "benchmark"}),
    "sizes": (records.BenchmarkSize, {}),
    "needs": (records.NeedBenchmark, {}),
    "modes": (records.Mode, {}),
    "prices": (side_tables.Price, {}),
    "image_rules": (side_tables.ImageRule, {}),
    "output_tokens": (side_tables.OutputTokens, {}),
    "thinking": (side_tables.Thinking, {}),
    "gpu_prices": (side_tables.GpuPrice, {}),
    "cache_shapes": (side_tables.CacheShape, {}),
    "availability": (side_tables.Availability, {}),
    "licences": (side_tables.Licence, {}),
    "deployments": (records.Deployment, {}),
    "sources": (records.Source, {"id": "source"}),
    "metrics": (records.Metric, {"id": "metric"}),
    "axes": (records.SuiteAxis, {}),
    "errata": (side_tables.Erratum, {}),
    "judges": (side_tables.JudgeValidation, {}),
    "judge_examples": (side_tables.JudgeExample, {}),
    "groups": (side_tables.GroupSummary, {}),
    "ratios": (side_tables.ScaleRatio, {}),
    "representatives": (side_tables.Representative, {}),
}
FILTERS = [
    ({"source": "unibench"}, 161, "27 of each of five tables' values and 26 representatives"),
    ({"suite": "vqa360"}, 414, "390 scores, 12 judges with two values each"),
    (
        {"benchmark": "mm-vet-v1", "source": "mmvet2"},
        20,
        "the older benchmark's total of twenty models",
    ),
    ({"axis": "task_type"}, 40, "ten models, four task types"),
    ({"model": "gpt-4o-mini", "suite": "vqa360"}, 39, "4 + 24 + 11 tags"),
    ({"model": "gpt-4o-mini", "axis": "task_type"}, 4, "filters narrow each other"),
    ({"source": "nowhere"}, 0, "nothing found is no error"),
    ({"model": "' OR 1=1 --"}, 0, "a filter is a value, never SQL"),
]


def names(record, renamed):
    return [renamed.get(field.name, field.name) for field in dataclasses.fields(record)]


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_has_its_scores_with_the_documented_columns(store, suite):
    scores = queries.scores(store, suite)

    assert len(scores) == SUITES[suite]
    assert set(scores) == {*names(records.Score, {}), "source", "suite"}


@pytest.mark.parametrize("table", RECORDS)
def test_a_table_has_the_columns_of_its_record(store, table):
    record, renamed = RECORDS[table]

    assert list(queries.table(store, table)) == names(record, renamed)


@pytest.mark.parametrize("table", queries.TABLES)
def test_a_table_has_all_its_rows(store, table):
    assert len(queries.table(store, table)) == ROWS[table]


def test_a_suite_knows_when_its_source_was_published(store):
    suites = queries.table(store, "suites").set_index("suite")

    assert suites.loc["vqa360", "published"] == "2024-09"


def test_a_table_that_does_not_exist_is_a_key_error(store):
    with pytest.raises(KeyError):
        queries.table(store, "weights")


@pytest.mark.parametrize(
    ("suite", "count"), [("vqa360", 10), ("mmvet2", 20), ("openclip", 121), (None, 513)]
)
def test_models_are_those_with_a_score_in_the_suite(store, suite, count):
    assert queries.models(store, suite)["model"].nunique() == count


@pytest.mark.parametrize(("filters", "count"), [(filters, count) for filters, count, _ in FILTERS])
def test_published_values_are_filtered(store, filters, count):
    assert len(queries.published(store, **filters)) == count


def test_published_values_have_the_documented_columns(store):
    assert list(queries.published(store, source="vqa360")) == PUBLISHED


def test_a_value_that_is_not_a_models_score_has_no_model(store):
    published = queries.published(store, source="unibench")

    assert published["model"].isna().all()
    assert published["value"].notna().all()


def test_an_unpublished_count_of_questions_is_nan(store):
    scores = queries.scores(store, "mmvet2")
    total = scores["tag"] == "total"

    assert scores.loc[~total, "n"].isna().all()
    assert set(scores.loc[total & scores["n"].notna(), "n"]) == {517.0}


@pytest.mark.parametrize(
    "column", ["params_b", "image_tower_params_m", "train_data_m", "samples_seen_b", "gflops"]
)
def test_an_unknown_size_is_nan_and_never_zero(store, column):
    sizes = queries.models(store)[column]

    assert sizes.isna().any()
    assert (sizes.dropna() > 0).all()


def test_whether_weights_are_open_is_true_false_or_none(store):
    known = queries.models(store)["open_weights"]

    assert known.dtype == object
    assert set(known) <= {True, False, None}


def test_a_missing_spread_is_missing_and_its_kind_too(store):
    scores = queries.scores(store, "vqa360")

    assert scores["sd"].isna().all()
    assert scores["sd_over"].isna().all()


def test_tags_say_how_many_models_and_questions_stand_behind_them(store):
    tags = queries.tags(store).set_index(["suite", "axis", "tag"])

    assert tuple(tags.loc[("vqa360", "task_type", "Chart Understanding")]) == (10, 1145)
    assert pd.isna(tags.loc[("openclip", "benchmark", "imagenet1k"), "n"])
    assert tags.loc[("openclip", "benchmark", "imagenet1k"), "models"] == 121


def test_all_suites_together_hold_what_stands_in_a_suite_and_nothing_else(store):
    scores = queries.scores(store, None)

    assert len(scores) == sum(SUITES.values()) + 4231 - 81 + DEMO
    assert scores["suite"].notna().all()
    assert queries.tags(store)["suite"].notna().all()


def test_known_ids_are_listed_for_messages(store):
    assert queries.ids(store, "suites")[: len(SUITES)] == list(SUITES)


def test_a_store_that_is_not_there_is_named_with_the_command_that_helps(tmp_path):
    with pytest.raises(StoreUnreadable, match="'python -m evalcore build' makes it anew"):
        queries.scores(tmp_path / "none.duckdb", "vqa360")
