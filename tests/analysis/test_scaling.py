from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from evalcore.analysis import scaling
from evalcore.errors import BadInput

GRID = Path(__file__).resolve().parents[2] / "../shared/figures/clip_scaling_grid.csv"
NAN = np.nan


def dummies_fit(x, y, groups):
    """The same model with a column a group, fitted by statsmodels."""
    design = pd.get_dummies(pd.Series(groups), dtype=float).assign(log=np.log10(x))
    return sm.OLS(np.asarray(y), design).fit()


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("n_groups", [1, 2, 7])
def test_slope_and_interval_equal_least_squares_with_dummies(n_groups, level):
    rng = np.random.default_rng(n_groups)
    groups = rng.integers(0, n_groups, 40)
    x = 10 ** rng.uniform(0, 3, 40)
    y = 0.1 * np.log10(x) + groups + rng.normal(size=40)

    found = scaling.within_group_slope(x, y, groups, level)

    expected = dummies_fit(x, y, groups)
    assert found.slope == pytest.approx(expected.params["log"])
    assert found.se == pytest.approx(expected.bse["log"])
    assert (found.low, found.high) == pytest.approx(tuple(expected.conf_int(1 - level).loc["log"]))
    assert (found.n, found.n_groups, found.n_levels) == (40, len(set(groups)), 40)


@pytest.mark.parametrize(
    ("x", "y", "groups", "why"),
    [
        ([], [], [], "none"),
        ([5], [0.5], ["a"], "one"),
        ([5, 5, 9, 9], [0.5, 0.6, 0.7, 0.8], list("aabb"), "no spread within groups"),
        ([0.3, 0.3, 0.3], [0.5, 0.6, 0.7], list("aaa"), "all equal"),
        ([NAN, 10], [0.5, 0.6], list("aa"), "one known x"),
    ],
)
def test_no_spread_of_x_within_groups_gives_no_slope(x, y, groups, why):
    found = scaling.within_group_slope(x, y, groups)

    assert np.isnan([found.slope, found.se, found.low, found.high]).all()


@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        ([1, 10], [0.1, 0.3], "no degree of freedom"),
        ([1, 10, 100], [0.1, 0.3, 0.5], "an exact fit"),
    ],
)
def test_slope_without_visible_scatter_has_no_interval(x, y, why):
    found = scaling.within_group_slope(x, y, ["a"] * len(x))

    assert found.slope == pytest.approx(0.2)
    assert np.isnan([found.se, found.low, found.high]).all()


def test_points_with_unknown_x_y_or_group_are_left_out():
    found = scaling.within_group_slope(
        [1, 10, 100, NAN, 10, 10], [0.1, 0.2, 0.4, 0.5, NAN, 0.1], [*"aaaaa", None]
    )

    assert found.n == 3


def test_an_unknown_group_among_words_is_not_a_group_of_its_own():
    found = scaling.within_group_slope([1, 10, 5, 7], [0.1, 0.2, 0.9, 0.1], ["a", "a", NAN, NAN])

    assert (found.n, found.n_groups, found.slope) == (2, 1, pytest.approx(0.1))


def test_x_of_zero_is_refused():
    with pytest.raises(BadInput, match=r"^x 0.0 should be above 0 to have a logarithm$"):
        scaling.within_group_slope([0, 1], [0.1, 0.2], ["a", "a"])


MODELS = pd.DataFrame(
    [
        ("a1", "A", 10.0, 13.0),
        ("a2", "A", 100.0, 13.03),
        ("a3", "A", 1000.0, 12.8),
        ("b1", "B", 10.0, 13.0),
        ("b2", "B", 100.0, 13.0),
        ("c1", "C", 5000.0, 13.0),
        ("d1", "A", NAN, 13.0),
        ("e1", "A", 100.0, NAN),
    ],
    columns=["model", "architecture", "train_data_m", "samples_seen_b"],
).assign(kind="contrastive", family="f", source="s")


def make_cells(gains, models=MODELS):
    """Cells whose value is .1 + the gain of the tag x log10(data) + something for B."""
    data = models["train_data_m"].fillna(1.0)
    parts = []
    for tag, gain in gains.items():
        value = 0.1 + gain * np.log10(data) / 4 + 0.3 * (models["architecture"] == "B")
        parts.append(pd.DataFrame({"model": models["model"], "tag": tag, "value": value}))
    return pd.concat(parts).assign(n=NAN, low=NAN, high=NAN, kind="published", source="s")


HOLD = ("architecture", "samples_seen_b")


def test_slopes_compare_only_models_that_are_equal_in_the_held_columns():
    found = scaling.slopes(make_cells({"x": 0.4, "y": 0.0}), MODELS, "train_data_m", HOLD)

    assert found["tag"].to_list() == ["x", "y"]
    assert found["slope"].to_list() == pytest.approx([0.1, 0.0])
    row = found.iloc[0]
    assert (row["n_models"], row["n_groups"], row["n_levels"]) == (5, 2, 3)
    assert (row["x_min"], row["x_max"], row["fold"]) == (10, 1000, 100)


def test_models_with_unknown_x_or_held_column_are_counted():
    held = scaling.slopes(make_cells({"x": 0.4}), MODELS, "train_data_m", HOLD)
    free = scaling.slopes(make_cells({"x": 0.4}), MODELS, "train_data_m")

    assert held["n_unknown"].to_list() == [2]
    assert free["n_unknown"].to_list() == [1]
    assert free["n_models"].to_list() == [7]


def test_model_without_a_row_counts_as_unknown():
    found = scaling.slopes(make_cells({"x": 0.4}), MODELS.iloc[:3], "train_data_m")

    assert (found.loc[0, "n_models"], found.loc[0, "n_unknown"]) == (3, 5)


def test_slopes_equal_least_squares_with_dummies_over_the_informative_groups():
    cells = make_cells({"x": 0.4})
    cells["value"] += np.random.default_rng(8).normal(0, 0.05, len(cells))

    found = scaling.slopes(cells, MODELS, "train_data_m", HOLD).iloc[0]

    used = MODELS.iloc[:5]
    fit = dummies_fit(used["train_data_m"], cells["value"].iloc[:5], used["architecture"])
    assert found["slope"] == pytest.approx(fit.params["log"])
    assert (found["low"], found["high"]) == pytest.approx(tuple(fit.conf_int().loc["log"]))


def test_no_group_in_which_x_varies_gives_an_empty_slope():
    found = scaling.slopes(make_cells({"x": 0.4}), MODELS, "train_data_m", ("model",)).iloc[0]

    assert found["n_models"] == 0
    assert found[["slope", "low", "high", "x_min", "fold"]].isna().all()


def test_no_cells_give_no_slopes():
    found = scaling.slopes(make_cells({"x": 0.4}).iloc[:0], MODELS, "train_data_m", HOLD)

    assert found.empty
    assert "fold" in found


@pytest.mark.parametrize(
    ("x", "hold", "message"),
    [
        ("price", (), "unknown scale 'price'; known: train_data_m, samples_seen_b, gflops, image_"),
        ("train_data_m", ("colour",), "cannot hold 'colour' while 'train_data_m' varies; known: "),
        ("train_data_m", ("train_data_m",), "cannot hold 'train_data_m' while 'train_data_m' var"),
    ],
)
def test_unusable_columns_are_named(x, hold, message):
    with pytest.raises(BadInput) as raised:
        scaling.slopes(make_cells({"x": 0.4}), MODELS, x, hold)

    assert str(raised.value).startswith(message)


def test_points_carry_what_a_chart_colours_by():
    found = scaling.points(make_cells({"x": 0.4}), MODELS, "train_data_m")

    assert "d1" not in set(found["model"])
    assert found.loc[0, "x"] == 10
    assert list(found.columns)[:7] == ["model", "tag", "x", "value", "low", "high", "kind"]
    assert {"architecture", "family", "samples_seen_b", "model_kind"} <= set(found.columns)
    assert set(found["kind"]) == {"published"}


SLOPES = pd.DataFrame(
    [("a", 0.10, 0.06, 0.14), ("b", 0.08, 0.06, 0.10), ("c", 0.02, -0.02, 0.06)],
    columns=["tag", "slope", "low", "high"],
)


def test_contrast_by_hand():
    found = scaling.contrast(SLOPES, ["a", "b"]).set_index("part")

    # half-widths: mean(.04, .02) = .03 and .04; their difference sqrt(.03^2 + .04^2) = .05
    assert found["slope"].to_list() == pytest.approx([0.09, 0.02, 0.07])
    assert found["low"].to_list() == pytest.approx([0.06, -0.02, 0.02])
    assert found["n_tags"].to_list() == [2, 1, 3]


@pytest.mark.parametrize(("tags", "unknown"), [((), "given"), (("a", "b", "c"), "others")])
def test_contrast_with_an_empty_side_is_unknown(tags, unknown):
    found = scaling.contrast(SLOPES, tags).set_index("part")

    assert found.loc[[unknown, "difference"], ["slope", "low", "high"]].isna().all(axis=None)


def test_contrast_names_tags_without_a_slope():
    with pytest.raises(BadInput) as raised:
        scaling.contrast(SLOPES, ["a", "z"])

    assert str(raised.value) == "no slope for the tags ['z']; known: ['a', 'b', 'c']"


@pytest.mark.parametrize(
    ("seen", "nominal"),
    [
        *((s, 3) for s in (2.44, 2.56, 3)),
        *((s, 13) for s in (12.21, 12.8, 13.0, 13.03, 13.22)),
        *((s, 34) for s in (32, 34.22, 34.73, 39.34)),
        *((s, s) for s in (0.0128, 1.28, 6.4, 20, 50)),
        (NAN, NAN),
    ],
)
def test_samples_seen_take_their_planned_length(seen, nominal):
    found = scaling.nominal_samples(pd.Series([seen], index=["m"]))

    assert found["m"] == pytest.approx(nominal, nan_ok=True)


@pytest.mark.skipif(not GRID.exists(), reason="the re-tabulated figures are not beside the code")
def test_more_data_lifts_imagenet_but_hardly_reasoning_on_the_controlled_grid():
    # UniBench, section 3.1: scaling hardly helps reasoning.
    grid = pd.read_csv(GRID).rename(columns={"benchmark": "tag", "accuracy": "value"})
    grid["model"] = grid["architecture"] + "/" + grid["checkpoint"]
    grid = grid[grid["train_data"].str.startswith("LAION")]
    models = grid.drop_duplicates("model").drop(columns=["tag", "value"])

    found = scaling.slopes(grid[["model", "tag", "value"]], models, "train_data_m", HOLD)

    found = found.set_index("tag")
    assert found.loc["imagenet1k", "low"] > 0.02
    assert found.loc["clevr_distance", "low"] < 0 < found.loc["clevr_distance", "high"]
    assert found.loc["smallnorb_azimuth", "high"] < 0.01
