"""Clustered errors and resamples, against statsmodels, scipy and hand calculations."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from evalcore.analysis import intervals, multiple, resample
from evalcore.errors import BadInput

NAN = float("nan")


def world(rng, clusters=40, columns=2):
    group = np.repeat(np.arange(clusters), rng.integers(1, 6, clusters))
    shared = rng.normal(size=(clusters, 1))[group]
    return (shared + rng.normal(size=(len(group), columns)) > 0).astype(float), group


def test_the_clustered_error_is_that_of_a_regression_on_a_constant(rng):
    score, group = world(rng)

    fit = sm.OLS(score[:, 0], np.ones(len(score))).fit(
        cov_type="cluster", cov_kwds={"groups": group}
    )

    assert resample.standard_error(score, group)[0] == pytest.approx(fit.bse[0])


def test_where_every_item_stands_alone_it_is_the_usual_one(rng):
    score = rng.normal(size=50)

    assert resample.standard_error(score) == pytest.approx(stats.sem(score))
    assert resample.standard_error(score, np.arange(50)[::-1]) == pytest.approx(stats.sem(score))


def test_copies_of_a_cluster_add_nothing():
    once = resample.standard_error([1, 0, 1, 1, 0])
    thrice = resample.standard_error(np.repeat([1, 0, 1, 1, 0], 3), np.repeat(list("abcde"), 3))

    assert thrice == pytest.approx(once)


@pytest.mark.parametrize(
    ("score", "cluster"),
    [
        ([], []),
        ([1.0], ["a"]),
        ([1, 0, 1], ["a"] * 3),
        ([1, 1, 1], list("abc")),
        ([NAN] * 2, [0, 1]),
    ],
    ids=["none", "one", "one cluster", "all equal", "all unscored"],
)
def test_what_says_nothing_about_the_error_has_none(score, cluster, rng):
    found = resample.bootstrap(np.reshape(score, (-1, 1)), cluster, rng, resamples=20)

    assert np.isnan(resample.standard_error(score, cluster))
    assert np.isnan(found.se).all()
    assert np.isnan(resample.interval(np.array(score) * 0.7, cluster)).all()


def test_unscored_items_are_left_out(rng):
    score, group = world(rng)
    holed = np.append(score[:, 0], [NAN, NAN])

    longer = resample.standard_error(holed, np.append(group, [0, 99]))

    assert longer == pytest.approx(resample.standard_error(score[:, 0], group))


@pytest.mark.parametrize(("right", "n"), [(0, 10), (70, 100), (10, 10)])
def test_wilson_of_items_that_stand_alone_is_statsmodels(right, n):
    low, high = resample.wilson([1] * right + [0] * (n - right))

    expected = proportion_confint(right, n, method="wilson")
    assert (low, high) == pytest.approx(expected, abs=1e-12)


def test_wilson_counts_fewer_items_where_they_share_a_source(rng):
    score, group = world(rng, columns=1)
    p, se = score.mean(), resample.standard_error(score, group)[0]
    t, z = stats.t.ppf(0.975, group.max()), stats.norm.ppf(0.975)
    worth = p * (1 - p) / se**2 * (z / t) ** 2

    low, high = resample.wilson(score, group)

    assert worth < len(score)
    expected = proportion_confint(p * worth, worth, method="wilson")
    assert (low[0], high[0]) == pytest.approx(expected)


def test_all_right_counts_a_cluster_as_one_item():
    low, _ = resample.wilson([1] * 30, np.repeat(np.arange(10), 3))
    t, z = stats.t.ppf(0.975, 9), stats.norm.ppf(0.975)
    worth = 10 * (z / t) ** 2

    assert low == pytest.approx(proportion_confint(worth, worth, method="wilson")[0])


def test_wilson_of_one_cluster_is_unknown_and_graded_scores_are_refused():
    assert np.isnan(resample.wilson([1, 0], ["a", "a"])).all()
    with pytest.raises(BadInput, match="graded"):
        resample.wilson([0.5, 1])


def test_the_spread_of_resamples_is_the_clustered_error(rng):
    score, group = world(rng, clusters=200)

    found = resample.bootstrap(score, group, rng, resamples=4000)

    assert found.draws[:, 0].std(axis=0) == pytest.approx(found.se[0], rel=0.06)
    assert found.mean[0] == pytest.approx(score.mean(axis=0))


def test_a_bootstrap_interval_is_scipys(rng):
    score = rng.exponential(size=(60, 1))
    found = resample.bootstrap(score, None, rng, resamples=6000)
    tail = stats.norm.cdf(-np.sqrt(60 / 59) * stats.t.ppf(0.975, 59))

    low, high = multiple.percentile(found.draws, found.clusters)
    theirs = stats.bootstrap(
        (score[:, 0],), np.mean, method="percentile", confidence_level=1 - 2 * tail, rng=rng
    ).confidence_interval

    assert (low[0, 0], high[0, 0]) == pytest.approx(theirs, abs=0.03)


def test_grades_have_students_interval_with_one_more_item_half_right(rng):
    score, group = rng.beta(2, 1, (80, 2)).round(2), rng.integers(0, 25, 80)
    score[:, 1] = score[:, 1] > 0.5
    low, high = resample.interval(score, group)

    fit = sm.OLS(score[:, 0], np.ones(80)).fit()
    error = fit.get_robustcov_results("cluster", groups=group).bse[0]
    mean, student = score[:, 0].mean(), stats.t.ppf(0.975, len(set(group)) - 1)
    centre = np.append(score[:, 0], 0.5).mean()
    spread = np.sqrt((80 * error) ** 2 + centre**2 / 2 + (1 - centre) ** 2 / 2) / 81
    assert low[0] == pytest.approx(centre - student * spread)
    assert high[0] == pytest.approx(centre + student * spread)
    right = resample.wilson(score[:, 1], group)
    assert (low[1], high[1]) == (right.low, right.high)
    wider = resample.interval(score, group, more=[0.05, 0.05])
    ends = intervals.of_grades(mean, np.hypot(error, 0.05), 80, student)
    assert (wider.low[0], wider.high[0]) == pytest.approx(list(ends))
    assert wider.high[1] == high[1]


@pytest.mark.parametrize(("clusters", "groups"), [(6, 1), (20, 3), (45, 5)])
def test_degrees_of_freedom_are_those_of_the_chi_squares_that_the_error_is_made_of(
    clusters, groups, rng
):
    count, weight = rng.integers(0, 4, (clusters, groups)), rng.random(groups)
    count[0] = 1
    # How the deviations follow from what each cluster adds to all of its items.
    share = count / count.sum(axis=0)
    present = (count > 0).sum(axis=0)
    weighty = share * weight * np.sqrt(present / (present - 1))
    moved = np.diag(weighty.sum(axis=1)) - weighty @ share.T
    parts = np.linalg.eigvalsh(moved @ moved.T)

    assert resample.freedom(count, weight) == pytest.approx(parts.sum() ** 2 / (parts**2).sum())


def test_degrees_of_freedom_are_welchs_where_groups_share_no_cluster():
    count = np.zeros((25, 2))
    count[:5, 0], count[5:, 1] = 1, 1
    parts = np.array([0.6**2 / 5, 0.4**2 / 20])  # with equal variances within

    expected = parts.sum() ** 2 / (parts**2 / [4, 19]).sum()
    assert resample.freedom(count, [0.6, 0.4]) == pytest.approx(expected)
    assert resample.freedom(np.ones((9, 1)), [0.3]) == pytest.approx(8)
    assert np.isnan(resample.freedom([[3]], [1]))


def test_one_set_of_weights_serves_all_models_and_groups(rng):
    score, group = world(rng)
    twins = np.column_stack([score[:, 0], score[:, 0], 1 - score[:, 0]])
    everything = np.arange(len(score))

    draws = resample.bootstrap(twins, group, rng, [everything, everything], resamples=50).draws

    assert np.array_equal(draws[:, 0, 0], draws[:, 1, 1])
    assert draws[:, 0, 0] + draws[:, 0, 2] == pytest.approx(1)


def test_groups_may_share_items_and_have_their_own_numbers(rng):
    score = np.array([[1.0], [0.0], [1.0], [1.0]])
    found = resample.bootstrap(score, None, rng, [np.array([0, 1]), np.array([1, 2, 3])])

    assert found.mean[:, 0].tolist() == pytest.approx([0.5, 2 / 3])
    assert found.n[:, 0].tolist() == [2, 3]
    assert np.isnan(found.draws).any(), "a resample may hold no item of a small group"


def test_strata_keep_their_number_of_clusters(rng):
    stratum = np.array([0, 1, 0, 1, 1])

    weights = np.hstack(list(resample.weight_blocks(stratum, rng, 300)))

    assert (weights[stratum == 0].sum(axis=0) == 2).all()
    assert (weights[stratum == 1].sum(axis=0) == 3).all()
    assert weights.mean(axis=1) == pytest.approx(1, abs=0.2)


def test_scores_that_differ_only_between_strata_do_not_vary(rng):
    score, stratum = np.repeat([[0.0], [1.0]], 10, axis=0), np.repeat(["easy", "hard"], 10)

    draws = resample.bootstrap(score, None, rng, strata=stratum, resamples=30).draws

    assert (draws == 0.5).all()


def test_very_many_clusters_are_drawn_from_their_normal_limit(rng, monkeypatch):
    score, group = world(rng, clusters=800, columns=3)
    score[:, 2] = score[:, 0]
    parts = [np.arange(len(score)), np.arange(60)]
    slow = resample.bootstrap(score, group, rng, parts, group % 2, resamples=4000)

    monkeypatch.setattr(resample, "MANY", 100)
    fast = resample.bootstrap(score, group, rng, parts, group % 2, resamples=4000)

    for place in range(2):
        expected = np.cov(slow.draws[:, place].T)
        assert np.cov(fast.draws[:, place].T) == pytest.approx(expected, rel=0.15)
    assert fast.draws[:, 0, 0] == pytest.approx(fast.draws[:, 0, 2], abs=1e-6)


def test_clusters_and_strata_that_do_not_fit_are_refused(rng):
    with pytest.raises(BadInput, match="2 items have 1 clusters"):
        resample.standard_error([1, 0], ["a"])
    with pytest.raises(BadInput, match="two strata"):
        resample.bootstrap([[1], [0]], ["a", "a"], rng, strata=["x", "y"])


@given(st.integers(1, 30), st.integers(1, 50))
def test_every_resample_draws_as_many_clusters_as_there_are(size, resamples):
    blocks = resample.weight_blocks(
        np.zeros(size, dtype=np.intp), np.random.default_rng(size), resamples
    )

    assert np.hstack(list(blocks)).sum(axis=0).tolist() == [size] * resamples


def test_students_t_is_scipys():
    assert resample.t_quantile([1, 5, 100]) == pytest.approx(stats.t.ppf(0.975, [1, 5, 100]))
    assert np.isnan(resample.t_quantile(0))
