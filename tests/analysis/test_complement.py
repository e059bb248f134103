"""Models against each other on items, against scipy, statsmodels and hand calculations."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from evalcore.analysis import complement, intervals

NAN = float("nan")


def frame(**columns):
    return pd.DataFrame(columns, dtype=float)


@pytest.fixture
def answers(rng):
    hard = rng.normal(size=(500, 1))
    right = hard + rng.normal(size=(500, 4)) > 0
    return pd.DataFrame(right.astype(float), columns=list("abcd"))


def pair(scores, a="a", b="b", cluster=None):
    return complement.pairs(scores, cluster).set_index(["a", "b"]).loc[(a, b)]


def test_r_is_pearsons_and_phi_with_its_interval(answers):
    row = pair(answers)

    theirs = stats.pearsonr(answers["a"], answers["b"])
    assert row["r"] == pytest.approx(theirs.statistic)
    low, high = theirs.confidence_interval()
    assert (row["low"], row["high"]) == pytest.approx((low, high))
    (both, only_a), (only_b, neither) = pd.crosstab(answers["a"], answers["b"]).to_numpy()[
        ::-1, ::-1
    ]
    phi = (both * neither - only_a * only_b) / np.sqrt(
        (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    )
    assert row["r"] == pytest.approx(phi)


def test_kappa_is_statsmodels(answers):
    table = pd.crosstab(answers["a"], answers["b"])

    assert pair(answers)["kappa"] == pytest.approx(cohens_kappa(table)["kappa"])


def test_the_interval_of_kappa_has_statsmodels_error_and_counts_clusters(answers):
    theirs = cohens_kappa(pd.crosstab(answers["a"], answers["b"]))
    image = np.arange(500) // 2

    alone, in_pairs = pair(answers), pair(answers, cluster=image)

    value = theirs["kappa"]
    for row, n in ((alone, 500), (in_pairs, 250)):
        half = 1.959964 * theirs["std_kappa"] * np.sqrt(500 / (n - 1)) / (1 - value**2)
        ends = np.tanh(np.arctanh(value) + np.array([-half, half]))
        assert row[["kappa_low", "kappa_high"]].tolist() == pytest.approx(ends.tolist())


def test_the_interval_beyond_difficulty_is_fishers_with_one_less_for_each_of_the_others(answers):
    row = pair(answers)

    ends = np.tanh(np.arctanh(row["beyond"]) + np.array([-1, 1]) * 1.959964 / np.sqrt(500 - 2 - 3))
    assert row[["beyond_low", "beyond_high"]].tolist() == pytest.approx(ends.tolist())


def test_agreement_beyond_difficulty_is_a_partial_correlation(answers):
    # Residuals of a regression on a dummy for how many of the other two are right.
    dummies = pd.get_dummies(answers["c"] + answers["d"]).astype(float)
    a, b = (sm.OLS(answers[name], dummies).fit().resid for name in "ab")

    row = pair(answers)

    assert row["beyond"] == pytest.approx(stats.pearsonr(a, b).statistic)
    assert row["others"] == 2
    assert row["beyond"] < row["r"], "what all share is taken out"


def test_grades_are_compared_as_they_are_and_difficulty_counts_those_that_are_right(rng):
    hard = rng.normal(size=(400, 1))
    grades = np.clip(np.round(0.5 + 0.3 * (hard + rng.normal(size=(400, 4))), 1), 0, 1)
    scores, image = pd.DataFrame(grades, columns=list("abcd")), rng.integers(0, 150, 400)
    others = (scores["c"] >= 0.5).astype(int) + (scores["d"] >= 0.5)
    a, b = (scores[name] - scores[name].groupby(others).transform("mean") for name in "ab")

    row = pair(scores, cluster=image)

    assert row["beyond"] == pytest.approx(stats.pearsonr(a, b).statistic)
    assert row["either"] == pytest.approx(scores[["a", "b"]].max(axis=1).mean())
    single = max("ab", key=lambda name: scores[name].mean())
    more = scores[["a", "b"]].max(axis=1) - scores[single]
    one = sm.OLS(more, np.ones(400)).fit(cov_type="cluster", cov_kwds={"groups": image})
    # statsmodels also corrects by (n - 1)/(n - 1) for one parameter: nothing
    student = stats.t.ppf(0.975, len(set(image)) - 1)
    ends = intervals.of_error(more.mean(), one.bse.iloc[0], student)
    assert row[["gain_low", "gain_high"]].tolist() == pytest.approx([*map(float, ends)], rel=1e-6)


def test_two_copies_agree_beyond_difficulty(answers):
    answers["b"] = answers["a"]
    row = pair(answers)

    assert row[["r", "kappa", "beyond"]].tolist() == pytest.approx([1, 1, 1])
    assert row[["low", "kappa_low", "beyond_low"]].isna().all()
    assert row["gain"] == 0 and np.isnan(row["gain_low"])


def test_two_models_alone_have_no_measure_of_difficulty(answers):
    assert np.isnan(pair(answers[["a", "b"]])["beyond"])


def test_what_a_pair_gets_right_together_is_counted():
    scores = frame(a=[1, 1, 0, 0, 1], b=[1, 0, 1, 0, 0], c=[0, 0, 0, 0, 1])

    table = complement.pairs(scores)

    assert table[["a", "b"]].values.tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    row = table.iloc[0]
    assert row[["both", "either", "best_single"]].tolist() == pytest.approx([0.2, 0.8, 0.6])
    assert row["unrelated"] == pytest.approx(1 - 0.4 * 0.6)
    assert row["gain"] == pytest.approx(0.2)
    # Wilson's interval of 1 in 5, of fewer questions by Student's t; never below 0, as a gain is.
    fewer = stats.norm.ppf(0.975) / stats.t.ppf(0.975, 4)
    worth = 0.16 / stats.sem([0, 0, 1, 0, 0]) ** 2 * fewer**2
    low, high = proportion_confint(0.2 * worth, worth, method="wilson")
    assert row[["gain_low", "gain_high"]].tolist() == pytest.approx([low, high])
    assert row["gain_low"] > 0


def test_questions_of_one_image_count_once_for_the_interval(answers):
    twice = pd.concat([answers, answers], ignore_index=True)
    once, doubled = pair(answers), pair(twice, cluster=[*range(500), *range(500)])

    assert doubled[["r", "low", "high"]].tolist() == pytest.approx(
        once[["r", "low", "high"]].tolist()
    )
    assert doubled["gain_low"] == pytest.approx(once["gain_low"])


@pytest.mark.parametrize(
    "scores",
    [
        frame(a=[1.0], b=[0.0]),
        frame(a=[1] * 6, b=[1, 0, 1, 0, 1, 0]),
        frame(a=[NAN] * 5, b=[1] * 5),
    ],
    ids=["one item", "one never varies", "unscored"],
)
def test_what_does_not_vary_has_no_correlation(scores):
    row = pair(scores)

    assert row[["r", "low", "high", "beyond"]].isna().all()


def test_one_model_is_no_pair_and_always_right_has_no_kappa():
    assert complement.pairs(frame(a=[1, 0])).empty
    assert np.isnan(complement.kappa(np.array([True, True]), np.array([True, True])))
