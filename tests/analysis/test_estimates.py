"""What number of questions stands behind a score, and how wide that makes its interval."""

import numpy as np
import pandas as pd
import pytest

from evalcore.analysis import estimates, intervals

BENCHMARKS = pd.DataFrame(
    {
        "benchmark": ["plain", "macro", "bare"],
        "n_items": [400.0, 400.0, 400.0],
        "parts": [None, "300;100", None],
    }
)


def rows(benchmark, metric, value=0.6, n=np.nan, **others):
    row = {
        "axis": "benchmark", "benchmark": benchmark, "metric": metric, "value": value, "n": n,
        "sd": np.nan, "sd_over": None, "suspect": False, **others,
    }  # fmt: skip
    return pd.DataFrame([row])


def made(*arguments, **options):
    found = estimates.with_items(rows(*arguments, **options), BENCHMARKS)
    return estimates.estimated(found).iloc[0]


def test_a_graded_mean_over_questions_takes_the_size_of_its_benchmark():
    assert made("plain", "anls")["n"] == 400


def test_a_mean_over_parts_of_unknown_size_has_no_interval():
    row = made("bare", "ocrbench-v2-score")

    assert np.isnan(row["n"]) and np.isnan(row["se"])


def test_a_mean_over_parts_is_worth_fewer_questions_than_it_has():
    row = made("macro", "ocrbench-v2-score")

    assert row["n"] == 400
    # Var = p(1-p) (1/300 + 1/100) / 2^2
    assert row["se"] == pytest.approx(np.sqrt(0.6 * 0.4 * (1 / 300 + 1 / 100) / 4))
    assert (row["low"], row["high"]) == tuple(map(float, intervals.wilson(0.6, 300.0)))


def test_the_variance_of_a_mean_over_parts_is_found_by_drawing_as_well(rng):
    drawn = [rng.binomial(size, 0.6, 20_000) / size for size in (300, 100)]
    spread = np.mean(drawn, axis=0).std()

    assert made("macro", "ocrbench-v2-score")["se"] == pytest.approx(spread, rel=0.03)


def test_a_published_number_of_questions_goes_before_the_benchmarks_size():
    assert made("macro", "accuracy", n=50.0)["se"] == pytest.approx(np.sqrt(0.24 / 50))
