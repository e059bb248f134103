"""Controlled slices: hand counts from the shipped table, medians against scipy."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import statsmodels.api as sm

from evalcore.analysis import scaling_slices
from evalcore.errors import BadInput
from evalcore.home import ROOT

NAN = np.nan
REASONING = ["clevr_count", "clevr_distance", "kitti_distance"]


@pytest.fixture(scope="module")
def table():
    """Accuracy, models by benchmarks, as shipped."""
    rows = pd.read_csv(ROOT / "precomputed" / "figures" / "openclip.csv")
    return rows.pivot(index="model", columns="benchmark", values="value")


@pytest.fixture(scope="module")
def models():
    facts = pd.read_csv(ROOT / "data" / "catalog" / "models.csv").rename(columns={"id": "model"})
    return facts[facts["source"] == "openclip"].reset_index(drop=True)


@pytest.fixture(scope="module")
def cells(table):
    """The mean of the reasoning benchmarks, and ImageNet, with standard errors of 0.01."""
    wide = pd.DataFrame({"reasoning": table[REASONING].mean(axis=1), "in": table["imagenet1k"]})
    long = wide.rename_axis("model").reset_index().melt("model", var_name="tag")
    return long.assign(se=0.01, n=100.0)


def test_data_slice_is_985_fold_and_reasoning_falls(table, models, cells):
    part = scaling_slices.SLICES["data"]

    found = scaling_slices.along(cells, models, part).set_index("tag")

    first, last = table.loc[part.models[0]], table.loc[part.models[-1]]
    by_hand = sum(last[name] - first[name] for name in REASONING) / 3
    assert found.loc["reasoning", "fold"] == pytest.approx(12800 / 13)
    assert found.loc["reasoning", "gain"] == pytest.approx(by_hand)
    assert round(by_hand * 100, 1) == -2.9
    assert found.loc["in", "gain"] == pytest.approx(last["imagenet1k"] - first["imagenet1k"])
    half = scipy.stats.norm.ppf(0.975) * np.sqrt(2) * 0.01
    assert found.loc["in", "high"] - found.loc["in", "gain"] == pytest.approx(half)


def test_slope_of_a_slice_equals_least_squares(models, cells):
    part = scaling_slices.SLICES["size"]

    found = scaling_slices.along(cells, models, part).set_index("tag").loc["reasoning"]

    own = cells[cells["tag"] == "reasoning"].set_index("model").loc[list(part.models), "value"]
    tower = models.set_index("model").loc[list(part.models), "image_tower_params_m"]
    fit = sm.OLS(own.to_numpy(), sm.add_constant(np.log10(tower.to_numpy(float)))).fit()
    assert (tower.iloc[0], tower.iloc[-1]) == (86, 1011)
    assert found["slope"] == pytest.approx(fit.params[1])
    assert (found["slope_low"], found["slope_high"]) == pytest.approx(tuple(fit.conf_int()[1]))


def test_every_checkpoint_of_a_slice_or_a_pair_stands_in_the_table(table):
    named = {name for part in scaling_slices.SLICES.values() for name in part.models}
    named |= {name for pair in scaling_slices.OBJECTIVES for name in pair}

    assert named <= set(table.index)


def test_what_the_page_says_of_the_objectives_stands_in_the_catalogue(models):
    sigmoid = models["learning_objective"] == "contrastive (sigmoid)"
    assert (sigmoid == (models["train_data"] == "WebLI")).all()

    facts = models.set_index("model")
    for tailored, bare in scaling_slices.OBJECTIVES:
        assert facts.loc[tailored, "learning_objective"] == "contrastive and captioning"
        assert facts.loc[bare, "learning_objective"] == "pure contrastive"
        assert facts.loc[[tailored, bare], "train_data"].eq("LAION-2B").all()
        assert facts.loc[[tailored, bare], "image_tower_params_m"].nunique() == 1
        assert facts.loc[tailored, "samples_seen_b"] == 13
    assert [facts.loc[bare, "samples_seen_b"] for _, bare in scaling_slices.OBJECTIVES] == [34, 32]


def test_unknown_scale_of_a_checkpoint_is_an_error(models, cells):
    part = scaling_slices.SLICES["data"]
    with pytest.raises(BadInput) as raised:
        scaling_slices.along(cells, models[models["model"] != part.models[1]], part)

    assert str(raised.value) == "no train_data_m is known of 'vit-b-32/datacomp_m_s128m_b4k'"


GAINS = pd.DataFrame(
    [("a", 0.10, 0.03), ("b", 0.30, 0.04), ("c", 0.02, 0.05)], columns=["tag", "gain", "se"]
)


def test_sides_by_hand():
    found = scaling_slices.sides(GAINS, ["c"]).set_index("part")

    # others: mean .2, se sqrt(.03^2 + .04^2)/2 = .025; difference: se sqrt(.05^2 + .025^2)
    assert found["gain"].to_list() == pytest.approx([0.02, 0.2, -0.18])
    half = scipy.stats.norm.ppf(0.975) * np.array([0.05, 0.025, np.hypot(0.05, 0.025)])
    assert (found["high"] - found["gain"]).to_list() == pytest.approx(list(half))


def test_one_unknown_error_leaves_the_mean_without_interval():
    found = scaling_slices.sides(GAINS.assign(se=[0.03, NAN, 0.05]), ["c"]).set_index("part")

    assert found.loc["others", "gain"] == pytest.approx(0.2)
    assert found.loc[["others", "difference"], ["low", "high"]].isna().all(axis=None)
    assert found.loc["given", ["low", "high"]].notna().all()


def test_a_side_without_tags_is_unknown():
    found = scaling_slices.sides(GAINS, []).set_index("part")

    assert found.loc[["given", "difference"], "gain"].isna().all()


def test_averaged_changes_equal_sides():
    rows = GAINS.rename(columns={"gain": "value"}).assign(kind="k")

    found = scaling_slices.averaged(rows, "kind").iloc[0]

    expected = scaling_slices.sides(GAINS, []).set_index("part").loc["others"]
    assert found[["value", "low", "high"]].to_list() == pytest.approx(
        expected[["gain", "low", "high"]].to_list()
    )


def test_pools_hold_the_architecture_and_the_samples(models):
    found = scaling_slices.pools(models)

    assert found.groupby("pool")["model"].size().to_dict() == {
        "small": 7, "medium": 7, "large": 7, "xlarge": 4,
    }  # fmt: skip
    joined = found.merge(models, on="model")
    assert (joined.groupby("pool")[["architecture", "samples_seen_b"]].nunique() == 1).all(
        axis=None
    )
    assert found.drop_duplicates("pool")["filter"].eq("none").all()


def test_filters_are_compared_with_the_unfiltered_pool(table, models, cells):
    pools = scaling_slices.pools(models)

    found = scaling_slices.filtered(cells, pools[pools["pool"] == "medium"])

    row = found[(found["filter"] == "text filter") & (found["tag"] == "in")].iloc[0]
    names = ["vit-b-32/commonpool_m_text_s128m_b4k", "vit-b-32/commonpool_m_s128m_b4k"]
    text, none = table.loc[names, "imagenet1k"]
    assert row["value"] == pytest.approx(text - none)
    assert len(found) == 6 * 2


def test_two_checkpoints_of_the_small_pool_are_printed_alike(table):
    # The page says so: "they count as one result".
    same = (
        table.loc["vit-b-32/datacomp_s_s13m_b4k"]
        == table.loc["vit-b-32/commonpool_s_image_s13m_b4k"]
    )

    assert same.all() and len(same) == 38


@pytest.mark.parametrize("n", [1, 5, 6, 7, 20, 47])
def test_interval_of_a_median_is_that_of_the_binomial(n):
    values = np.random.default_rng(n).normal(size=n)
    models = pd.DataFrame({"model": range(n), "train_data_m": 100.0})
    cells = pd.DataFrame({"model": range(n), "tag": "t", "value": values})

    found = scaling_slices.medians(cells, models, "train_data_m").iloc[0]

    assert (found["value"], found["n"]) == (pytest.approx(np.median(values)), n)
    k = int(scipy.stats.binom.ppf(0.025, n, 0.5))
    ordered = np.sort(values)
    if k == 0:
        assert np.isnan([found["low"], found["high"]]).all()
    else:
        # P(Binomial < k) <= .025 < P(Binomial < k + 1)
        k -= scipy.stats.binom.cdf(k - 1, n, 0.5) > 0.025
        assert (found["low"], found["high"]) == (ordered[k - 1], ordered[n - k])


def test_medians_are_taken_by_half_of_a_tenfold():
    models = pd.DataFrame({"model": list("abcd"), "train_data_m": [10.0, 30.0, 40.0, NAN]})
    cells = pd.DataFrame({"model": list("abcd"), "tag": "t", "value": [0.1, 0.3, 0.8, 0.9]})

    found = scaling_slices.medians(cells, models, "train_data_m")

    assert found["x"].to_list() == [20.0, 40.0]
    assert found["value"].to_list() == pytest.approx([0.2, 0.8])
    assert found["n"].to_list() == [2, 1]
