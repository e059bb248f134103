import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalcore.analysis import gains
from evalcore.errors import BadInput
from evalcore.suites import suite


@pytest.fixture
def scaled(rng):
    """Twenty models; the more data, the better on images, less so in counting."""
    scale = pd.Series(np.repeat([1.0, 10.0, 100.0, 1000.0], 5), [f"m{i}" for i in range(20)])
    skill = np.log10(scale) / 10 + rng.normal(0, 0.02, 20)
    cells = pd.concat(
        pd.DataFrame({"model": scale.index, "tag": tag, "value": 0.3 + share * skill + noise})
        for tag, share, noise in [
            ("imagenet", 1.0, 0.0),
            ("counting", 0.2, rng.normal(0, 0.02, 20)),
        ]
    )
    return cells, scale


@pytest.fixture(scope="module")
def openclip(store):
    return suite.load(store, "openclip")


def test_the_ends_hold_all_models_of_the_least_and_the_largest_value(scaled):
    least, most = gains.ends(scaled[1])

    assert least == [f"m{i}" for i in range(5)] and most == [f"m{i}" for i in range(15, 20)]


def test_ends_that_meet_are_no_ends():
    assert gains.ends(pd.Series(1.0, [f"m{i}" for i in range(30)])) == ([], [])
    assert gains.ends(pd.Series([1.0, 2.0, np.nan])) == ([], [])


def test_gain_and_relative_gain_equal_welchs_interval_of_scipy(scaled):
    cells, scale = scaled

    found = gains.gains(cells, scale, "imagenet").set_index("tag").loc["counting"]

    wide = cells.pivot(index="model", columns="tag", values="value")
    least, most = gains.ends(scale)
    for name, column in [("gain", wide["counting"]),
                         ("relative", wide["counting"] - wide["imagenet"])]:  # fmt: skip
        test = stats.ttest_ind(column[most], column[least], equal_var=False)
        low = "low" if name == "gain" else "relative_low"
        assert found[name] == pytest.approx(column[most].mean() - column[least].mean())
        assert found[low] == pytest.approx(test.confidence_interval().low)


def test_the_reference_gains_as_much_as_itself_and_has_no_interval_there(scaled):
    found = gains.gains(*scaled, "imagenet").set_index("tag").loc["imagenet"]

    assert found["relative"] == 0 and np.isnan(found["relative_low"])
    assert found["low"] < found["gain"] < found["high"]


def test_an_unknown_reference_is_said(scaled):
    with pytest.raises(BadInput, match="unknown tag 'texture'; known: counting, imagenet"):
        gains.gains(*scaled, "texture")


def test_on_the_open_table_reasoning_gains_less_than_imagenet_from_data(openclip):
    cells = suite.cells(openclip, "capability")
    scale = openclip.models.set_index("model")["train_data_m"]

    found = gains.gains(cells, scale, "imagenet").set_index("tag")

    behind = ["depth estimation", "spatial understanding", "counting"]
    assert (found.loc[behind, "relative_high"] < 0).all()
    assert found.loc["imagenet", "least_scaled"] == (scale <= 13).sum() == 9


def test_medians_equal_those_of_pandas_and_the_lowest_comes_first(openclip):
    found = gains.against_chance(openclip.scores, openclip.benchmarks)

    scores = openclip.scores
    by_hand = scores[scores["axis"] == "benchmark"].groupby("benchmark")["value"].median()
    assert found.set_index("benchmark")["median"].to_dict() == pytest.approx(by_hand.to_dict())
    assert found["median"].is_monotonic_increasing
    assert set(found["n"]) == {121}


def test_the_interval_of_a_median_is_that_of_the_order_statistics(openclip):
    row = gains.against_chance(openclip.scores, openclip.benchmarks).iloc[-1]

    scores = openclip.scores
    values = sorted(scores.loc[scores["benchmark"] == row["benchmark"], "value"])
    rank = int(stats.binom.ppf(0.025, 121, 0.5))
    assert (row["low"], row["high"]) == (values[rank - 1], values[121 - rank])


def test_few_models_have_a_median_without_interval(openclip):
    scores = openclip.scores
    few = scores[scores["model"].isin(sorted(scores["model"].unique())[:5])]

    found = gains.against_chance(few, openclip.benchmarks)

    assert found["low"].isna().all() and found["median"].notna().all()


def test_a_benchmark_without_a_known_chance_level_is_not_judged(openclip):
    found = gains.against_chance(openclip.scores, openclip.benchmarks).set_index("benchmark")

    assert np.isnan(found.loc["winogavil", "chance"])
    assert np.isnan(found.loc["winogavil", "above"]) and found.loc["winogavil", "judged"] == 0
    assert found.loc["pcam", "chance"] == 0.5
    assert found.loc["kitti_distance", "above"] < 0.5
    assert found.loc["pcam", "corrected"] == pytest.approx((found.loc["pcam", "median"] - 0.5) * 2)
