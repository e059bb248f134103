"""The store's tables as data: which record and file fill each, its key, references and ranges."""

import dataclasses
import math
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from evalcore import catalog, records, side_tables


class Table(NamedTuple):
    """A table of the store, the record that fills it and the file it is read from."""

    name: str
    record: type
    file: str
    key: tuple[str, ...]


CATALOG_TABLES = (
    Table("source", records.Source, "sources.csv", ("id",)),
    Table("suite", records.Suite, "suites.csv", ("suite",)),
    Table("suite_axis", records.SuiteAxis, "axes.csv", ("suite", "axis")),
    Table("erratum", side_tables.Erratum, "errata.csv", ("source", "topic")),
    Table("metric", records.Metric, "metrics.csv", ("id",)),
    Table("model", records.Model, "models.csv", ("id",)),
    Table("deployment", records.Deployment, "deployments.csv", ("model",)),
    Table("benchmark", records.Benchmark, "benchmarks.csv", ("id",)),
    Table("benchmark_size", records.BenchmarkSize, "benchmark_sizes.csv", ("benchmark", "split")),
    Table("need", records.NeedBenchmark, "needs.csv", ("need", "family")),
    Table("mode", records.Mode, "modes.csv", ("mode",)),
    Table(
        "price",
        side_tables.Price,
        "prices.csv",
        ("model", "mode", "provider", "printed_model", "as_of", "source"),
    ),
    Table("image_rule", side_tables.ImageRule, "image_rules.csv", ("model", "as_of", "source")),
    Table(
        "output_tokens", side_tables.OutputTokens, "output_tokens.csv", ("model", "mode", "source")
    ),
    Table("thinking", side_tables.Thinking, "thinking.csv", ("model",)),
    Table("gpu_price", side_tables.GpuPrice, "gpu_prices.csv", ("gpu", "as_of", "source")),
    Table("cache_shape", side_tables.CacheShape, "cache_shapes.csv", ("model",)),
    Table("availability", side_tables.Availability, "availability.csv", ("model",)),
    Table("licence", side_tables.Licence, "licences.csv", ("licence",)),
)
FIGURE_TABLES = (
    Table(
        "judge_validation",
        side_tables.JudgeValidation,
        "judge_validation.csv",
        ("source", "metric", "judge", "with_reference", "with_image"),
    ),
    Table("judge_example", side_tables.JudgeExample, "judge_examples.csv", ("source", "place")),
    Table(
        "group_summary",
        side_tables.GroupSummary,
        "group_summary.csv",
        ("source", "axis", "tag", "statistic"),
    ),
    Table(
        "scale_ratio",
        side_tables.ScaleRatio,
        "scale_ratio.csv",
        ("source", "axis", "tag", "quantity"),
    ),
    Table(
        "representative",
        side_tables.Representative,
        "representatives.csv",
        ("source", "axis", "printed_tag"),
    ),
)
SCORE_KEY = ("model", "mode", "benchmark", "split", "axis", "tag", "metric", "judge")
# What a row names must be a row of another table: table → (field, table that holds it).
REFERENCES: dict[str, tuple[tuple[str, str], ...]] = {
    "suite": (("source", "source"),),
    "suite_axis": (("suite", "suite"),),
    "erratum": (("source", "source"),),
    "model": (("source", "source"),),
    "deployment": (("model", "model"),),
    "benchmark": (("source", "source"), ("metric", "metric")),
    "benchmark_size": (("benchmark", "benchmark"),),
    "price": (("model", "model"), ("mode", "mode")),
    "image_rule": (("model", "model"),),
    "output_tokens": (("model", "model"), ("mode", "mode")),
    "thinking": (("model", "model"),),
    "cache_shape": (("model", "model"),),
    "availability": (("model", "model"),),
    "judge_validation": (("source", "source"),),
    "judge_example": (("source", "source"), ("model", "model")),
    "group_summary": (("source", "source"),),
    "scale_ratio": (("source", "source"),),
    "representative": (("source", "source"), ("benchmark", "benchmark")),
    "score": (
        ("model", "model"), ("mode", "mode"), ("benchmark", "benchmark"), ("metric", "metric"),
    ),
}  # fmt: skip

RANGES: dict[str, tuple[tuple[str, float, float], ...]] = {
    "score": (("value", 0, 1), ("n", 1, math.inf), ("sd", 0, 1), ("repeats", 1, math.inf)),
    "model": tuple(
        (field, catalog.TINY, math.inf)
        for field in (
            "params_b", "active_params_b", "image_tower_params_m", "train_data_m",
            "samples_seen_b", "gflops", "patch_size",
        )
    ),
    "benchmark": (
        ("chance", 0, 1 - catalog.TINY), ("n_items", 1, math.inf), ("n_classes", 2, math.inf),
    ),
    "benchmark_size": (("n_items", 1, math.inf),),
    # A price of 0 is a free tier or a gap in the source, never what a question costs.
    "price": (
        ("usd_per_mtok_in", catalog.TINY, math.inf), ("usd_per_mtok_out", catalog.TINY, math.inf),
    ),
    "output_tokens": (("mean", catalog.TINY, math.inf), ("n", 1, math.inf)),
    "gpu_price": tuple(
        (field, catalog.TINY, math.inf)
        for field in ("memory_gb", "usd_per_hour_low", "usd_per_hour_high")
    ),
    "cache_shape": tuple(
        (field, 1, math.inf) for field in ("layers", "kv_heads", "head_dim")
    ),
    "judge_validation": (("accuracy", 0, 1), ("kendall_tau", -1, 1), ("n", 1, math.inf)),
    "group_summary": (("value", 0, 1),),
    "representative": (("correlation", -1, 1),),
}  # fmt: skip
"""Table → (field, lowest, highest)."""


def frame(rows: Sequence[object], record: type) -> pd.DataFrame:
    """Records as rows with a column a field, values as they are."""
    names = [field.name for field in dataclasses.fields(record)]
    columns = {name: [getattr(row, name) for row in rows] for name in names}
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
