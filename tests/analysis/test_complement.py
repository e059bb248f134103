"""Models against each other on items, against scipy, statsmodels and hand calculations."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from evalcore.analysis import complement

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
    clusters = len(set(image))
    # statsmodels also corrects by (n - 1)/(n - 1) for one parameter: nothing
    half = stats.t.ppf(0.975, clusters - 1) * one.bse.iloc[0]
    assert row["gain_high"] - row["gain"] == pytest.approx(half, rel=1e-6)


def test_two_copies_agree_beyond_difficulty(answers):
    answers["b"] = answers["a"]
    row = pair(answers)

    assert row[["r", "kappa", "beyond"]].tolist() == pytest.approx([1, 1, 1])
    assert np.isnan(row["low"])
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
    apart = np.array([0, 0, 1, 0, 0])
    assert row["gain_high"] - row["gain"] == pytest.approx(stats.t.ppf(0.975, 4) * stats.sem(apart))


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
