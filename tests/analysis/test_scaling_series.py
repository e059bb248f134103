"""What size brings inside a series of releases, told apart from what it brings across all."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from evalcore.analysis import scaling_series
from evalcore.home import ROOT

NAN = np.nan
FIGURES = ROOT / "precomputed" / "figures"
CATALOG = ROOT / "data" / "catalog"


def world(*rows):
    """Models and cells on one tag from (name, size, value)."""
    frame = pd.DataFrame(rows, columns=["name", "params_b", "value"])
    frame["model"] = frame["name"].str.lower()
    return frame[["model", "name", "params_b"]], frame[["model", "value"]].assign(tag="t")


# Two series that each gain .1 a tenfold; the larger one is the worse one, so one line falls.
MODELS, CELLS = world(
    ("Old-1B", 1.0, 0.80), ("Old-10B", 10.0, 0.91), ("Old-100B", 100.0, 1.00),
    ("New-100B", 100.0, 0.10), ("New-1000B", 1000.0, 0.21), ("New-10000B", 10000.0, 0.30),
    ("Lone-10B", 10.0, 0.5), ("Pair-1B", 1.0, 0.5), ("Pair-5B", 5.0, 0.9), ("Closed", NAN, 0.9),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "series"),
    [
        ("Qwen3-VL-235B-A22B-Thinking", "Qwen3-VL-Thinking"),
        ("Qwen3-VL-8B-Instruct", "Qwen3-VL-Instruct"),
        ("Qwen3.5-0.8B [thinking]", "Qwen3.5 [thinking]"),
        ("Qwen3.5-27B", "Qwen3.5"),
        ("Gemma-4-E2B", "Gemma-4"),
        ("DeepSeek-VL2-Tiny", "DeepSeek-VL2"),
        ("DeepSeek-VL2", "DeepSeek-VL2"),
        ("MiniCPM-V-4.5", "MiniCPM-V-4.5"),
        ("GPT-4o (2024-08-06)", "GPT-4o (2024-08-06)"),
        ("8B", "8B"),
    ],
)
def test_a_series_is_a_name_without_its_size(name, series):
    assert scaling_series.names(pd.DataFrame({"name": [name]})).to_list() == [series]


def test_slope_within_and_across_equal_least_squares_of_statsmodels():
    series = scaling_series.names(MODELS)

    found = scaling_series.distinguishable(CELLS, MODELS, "params_b", series).set_index("part")

    six = MODELS.iloc[:6]
    log = np.log10(six["params_b"])
    dummies = pd.get_dummies(series.iloc[:6], dtype=float).assign(log=log)
    inside = sm.OLS(CELLS["value"].iloc[:6], dummies).fit()
    nine = MODELS.iloc[:9]
    line = sm.OLS(CELLS["value"].iloc[:9], sm.add_constant(np.log10(nine["params_b"]))).fit()
    for part, fit, name in (("within", inside, "log"), ("across", line, "params_b")):
        row = found.loc[part]
        assert row["slope"] == pytest.approx(fit.params[name])
        assert (row["low"], row["high"]) == pytest.approx(tuple(fit.conf_int().loc[name]))
    assert found.loc["within", "slope"] == pytest.approx(0.1)
    assert found.loc["across", "slope"] < 0


def test_models_of_unknown_size_and_short_series_are_counted_not_fitted():
    series = scaling_series.names(MODELS)

    found = scaling_series.distinguishable(CELLS, MODELS, "params_b", series).set_index("part")

    assert found["n_unknown"].to_list() == [1, 1]
    assert found["n_models"].to_list() == [6, 9]
    assert found["n_series"].to_list() == [2, 1]
    assert found.loc["across", "fold"] == 10000


def test_a_series_of_two_sizes_has_no_slope():
    found = scaling_series.within(CELLS, MODELS, "params_b", scaling_series.names(MODELS))

    found = found.set_index("series")
    assert set(found.index) == {"Old", "New", "Pair"}
    assert found.loc["Pair", ["slope", "low", "high"]].isna().all()
    assert (found.loc["Pair", "n_levels"], found.loc["Pair", "fold"]) == (2, 5)
    assert found.loc["Old", "slope"] == pytest.approx(0.1)


def test_no_model_of_known_size_gives_no_slope_and_no_series():
    models, cells = world(("Closed", NAN, 0.9), ("Other", NAN, 0.8))
    series = scaling_series.names(models)

    found = scaling_series.distinguishable(cells, models, "params_b", series)

    assert found[["slope", "low", "high", "fold"]].isna().all(axis=None)
    assert found["n_unknown"].to_list() == [2, 2]
    assert scaling_series.within(cells, models, "params_b", series).empty


def test_ovis2_on_mathvista_equals_least_squares_on_the_shipped_figures():
    scores = pd.read_csv(next((FIGURES / "current").glob("mmr-bench*.csv")))
    rows = scores[(scores["benchmark"] == "mathvista-testmini") & scores["mode"].isna()]
    facts = pd.read_csv(CATALOG / "models-current.csv").rename(columns={"id": "model"})
    cells = rows[["model", "value"]].assign(tag="t")
    models = facts[facts["model"].isin(cells["model"])].reset_index(drop=True)

    found = scaling_series.within(cells, models, "params_b", scaling_series.names(models))

    own = rows.merge(facts[facts["family"] == "Ovis2"][["model", "params_b"]], on="model")
    fit = sm.OLS(own["value"], sm.add_constant(np.log10(own["params_b"]))).fit()
    row = found.set_index("series").loc["Ovis2"]
    assert (len(own), row["n_models"]) == (6, 6)
    assert row["slope"] == pytest.approx(fit.params["params_b"])
    assert (row["low"], row["high"]) == pytest.approx(tuple(fit.conf_int().loc["params_b"]))
