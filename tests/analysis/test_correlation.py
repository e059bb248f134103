import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalcore.analysis import correlation, ordering, profiles
from evalcore.errors import BadInput


@pytest.fixture
def table():
    """Forty models, six benchmarks with one common factor, with ties and gaps."""
    rng = np.random.default_rng(5)
    skill = rng.normal(size=(40, 1))
    values = skill * [1, 1, 0.5, 0.2, 0, -1] + rng.normal(size=(40, 6))
    frame = pd.DataFrame(values.round(1), columns=list("abcdef"))
    return frame.mask(rng.random(frame.shape) < 0.1)


def pair(pairs, a, b):
    return pairs[(pairs["a"] == a) & (pairs["b"] == b)].iloc[0]


@pytest.mark.parametrize("b", list("bcdef"))
@pytest.mark.parametrize(
    ("method", "independent"), [("spearman", stats.spearmanr), ("pearson", stats.pearsonr)]
)
def test_r_equals_scipy_over_the_rows_where_both_are_known(table, method, independent, b):
    both = table[["a", b]].dropna()

    found = pair(correlation.matrix(table, method), "a", b)

    assert found["r"] == pytest.approx(independent(both["a"], both[b])[0])
    assert found["n"] == len(both)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_pearson_interval_equals_scipy(table, level):
    both = table[["a", "c"]].dropna()

    found = pair(correlation.matrix(table, "pearson", level), "a", "c")

    expected = stats.pearsonr(both["a"], both["c"]).confidence_interval(level)
    assert (found["low"], found["high"]) == pytest.approx(tuple(expected))


def test_spearman_interval_by_hand():
    table = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6, 7], "y": [2, 1, 4, 3, 6, 5, 7]})

    found = pair(correlation.matrix(table, "spearman"), "x", "y")

    # r = 1 - 6*6/(7*48) = 25/28; half-width 1.959964 sqrt((1 + r^2/2)/4)
    half = 1.959964 * np.sqrt((1 + (25 / 28) ** 2 / 2) / 4)
    assert found["r"] == pytest.approx(25 / 28)
    assert found["low"] == pytest.approx(np.tanh(np.arctanh(25 / 28) - half), abs=1e-6)


def test_spearman_interval_covers_about_as_often_as_it_says():
    rng = np.random.default_rng(11)
    draws = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=(1000, 60))
    truth = 6 / np.pi * np.arcsin(0.3)  # Spearman's rho of a normal pair with r = 0.6

    covered = 0
    for draw in draws:
        found = pair(correlation.matrix(pd.DataFrame(draw, columns=["x", "y"])), "x", "y")
        covered += found["low"] <= truth <= found["high"]

    assert covered / 1000 == pytest.approx(0.95, abs=0.02)


def test_every_ordered_pair_and_the_diagonal_are_there(table):
    pairs = correlation.matrix(table)

    assert list(pairs.columns) == ["a", "b", "r", "low", "high", "n"]
    assert len(pairs) == 36
    assert pair(pairs, "a", "e")["r"] == pair(pairs, "e", "a")["r"]


def test_diagonal_is_one_without_an_interval(table):
    found = pair(correlation.matrix(table), "a", "a")

    assert found["r"] == 1
    assert np.isnan([found["low"], found["high"]]).all()


@pytest.mark.parametrize("method", ["spearman", "pearson"])
@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        ([0.1, 0.2, 0.3], [0.3, 0.1, 0.2], "three models"),
        ([0.1, 0.2, 0.3, 0.4, np.nan], [0.3, 0.1, 0.2, np.nan, 0.5], "three shared models"),
        ([0.1, 0.1, 0.1, 0.1, 0.1], [0.1, 0.2, 0.3, 0.4, 0.5], "all equal"),
        ([], [], "no model"),
    ],
)
def test_undefined_correlation_is_nan(method, x, y, why):
    found = pair(correlation.matrix(pd.DataFrame({"x": x, "y": y}), method), "x", "y")

    assert np.isnan([found["r"], found["low"], found["high"]]).all()


def test_perfect_agreement_has_no_interval_of_zero_width():
    found = pair(correlation.matrix(pd.DataFrame({"x": range(6), "y": range(6)})), "x", "y")

    assert found["r"] == 1
    assert np.isnan(found["low"])


def test_unknown_method_is_named():
    with pytest.raises(BadInput, match=r"unknown correlation 'kendall'; known: 'spearman', 'pe"):
        correlation.matrix(pd.DataFrame({"x": [1]}), "kendall")


def test_wide_lays_scores_out_by_model_and_benchmark():
    scores = pd.DataFrame(
        {"model": ["m", "m", "k"], "benchmark": ["x", "y", "x"], "value": [0.1, 0.2, 0.3]}
    )

    table = profiles.wide(scores, "model", "benchmark")

    assert table.loc["m"].to_list() == [0.1, 0.2]
    assert np.isnan(table.loc["k", "y"])


def test_wide_refuses_two_values_for_one_place():
    scores = pd.DataFrame({"model": ["m", "m"], "tag": ["x", "x"], "value": [0.1, 0.2]})

    with pytest.raises(BadInput) as raised:
        profiles.wide(scores)

    assert str(raised.value) == (
        "model 'm' has more than one value for tag 'x'; choose one mode, split and metric"
    )


def test_clusters_stand_together_whatever_the_order_of_columns():
    rng = np.random.default_rng(3)
    two = rng.normal(size=(50, 2))
    values = two[:, [0, 1, 0, 1, 0, 1]] + 0.3 * rng.normal(size=(50, 6))
    table = pd.DataFrame(values, columns=["a0", "b0", "a1", "b1", "a2", "b2"])

    order = ordering.cluster_order(table)

    assert [name[0] for name in order] == list("aaabbb")
    assert ordering.cluster_order(table[table.columns[::-1]]) == order


def test_columns_without_correlation_go_last(table):
    order = ordering.cluster_order(table.assign(aa=0.5, few=[0.1, 0.2, 0.3] + [np.nan] * 37))

    assert order[-2:] == ["aa", "few"]
    assert sorted(order[:-2]) == list("abcdef")


@pytest.mark.parametrize("columns", [[], ["b"], ["b", "a"]])
def test_few_columns_are_ordered_by_name(table, columns):
    assert ordering.cluster_order(table[columns]) == sorted(columns)


def test_predicts_lists_the_worst_predicted_first(table):
    found = correlation.predicts(table, "a")

    assert found["benchmark"].iloc[0] == "f"
    assert found["r"].is_monotonic_increasing
    assert "a" not in set(found["benchmark"])


@pytest.mark.parametrize(
    ("r", "low", "verdict"),
    [
        (0.9, 0.8, "well"),
        (0.6, 0.4, "fairly"),
        (0.5, 0.3, "fairly"),
        (0.4, 0.2, "poorly"),
        (0.1, -0.1, "not or negatively"),
        (-0.5, -0.7, "not or negatively"),
        (0.6, -0.1, "cannot tell"),
        (1.0, np.nan, "cannot tell"),
        (np.nan, np.nan, "cannot tell"),
    ],
)
def test_verdicts_follow_the_thresholds(r, low, verdict):
    assert correlation._verdicts(pd.DataFrame({"r": [r], "low": [low]})) == [verdict]


def test_unknown_reference_lists_the_known_benchmarks(table):
    with pytest.raises(BadInput) as raised:
        correlation.predicts(table, "imagenet")

    assert str(raised.value) == (
        "unknown benchmark 'imagenet'; known: 'a', 'b', 'c', 'd', 'e', 'f'"
    )


def test_clusters_hold_only_pairs_that_are_alike_enough(table):
    found = ordering.clusters(table, least_r=0.3)

    pairs = correlation.matrix(table).set_index(["a", "b"])["r"]
    for members, lowest in zip(found["members"], found["r"], strict=True):
        inside = [pairs[a, b] for a in members for b in members if a != b]
        assert min(inside) == pytest.approx(lowest) and lowest >= 0.3
    assert len(found) and found["members"].map(len).is_monotonic_decreasing


def test_clusters_equal_a_search_by_hand():
    # a and b rank alike; c as well but for one swap (r = 1 - 6*2/(9*80)); d is the reverse.
    table = pd.DataFrame({"a": range(9), "b": range(9), "c": [1, 0, *range(2, 9)]})
    table["d"] = -table["a"]

    assert ordering.clusters(table)["members"].to_list() == [("a", "b", "c")]
    assert ordering.clusters(table, least_r=0.99)["members"].to_list() == [("a", "b")]
    assert ordering.clusters(table)["r"].to_list() == [pytest.approx(1 - 12 / 720)]


def test_a_few_shared_models_make_no_cluster():
    table = pd.DataFrame({"a": range(7), "b": range(7)}, dtype=float)

    assert ordering.clusters(table).empty
    assert len(ordering.clusters(table, least_n=7)) == 1
    assert ordering.clusters(table[["a"]]).empty
