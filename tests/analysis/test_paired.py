"""Paired comparisons, against scipy, statsmodels and hand calculations."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from evalcore.analysis import paired
from evalcore.errors import BadInput

NAN = float("nan")


def frame(**columns):
    size = len(next(iter(columns.values())))
    return pd.DataFrame(columns, index=[f"q{place}" for place in range(size)], dtype=float)


def compared(scores, cluster=None, by=None, judge=None):
    found = paired.drawn(scores, cluster, np.random.default_rng(3), by, resamples=4000)
    labels = [paired.ALL, *(by or {})]
    return paired.differences(found, list(scores), str(scores.columns[0]), labels, judge)


@pytest.fixture
def answers(rng):
    hard = rng.normal(size=(300, 1))
    right = (hard + rng.normal(size=(300, 2)) + [0.3, 0.5] > 0).astype(float)
    return frame(a=right[:, 0], b=right[:, 1])


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemars_test_is_statsmodels(only_a, only_b):
    p = paired.mcnemar(only_a, only_b)

    if only_a + only_b == 0:
        assert np.isnan(p)
    else:
        expected = mcnemar([[5, only_a], [only_b, 5]], exact=True).pvalue
        assert p == pytest.approx(min(1, expected))


def test_wins_losses_both_and_neither_are_counted():
    scores = frame(a=[1, 1, 0, 0, NAN], b=[1, 0, 1, 0, 1])

    found = paired.outcomes(scores, "a", "b")

    assert found[:5] == (1, 1, 1, 1, 1)
    assert (found.better_a, found.better_b, found.p) == (1, 1, 1)


def test_a_graded_score_counts_as_right_from_a_half():
    found = paired.outcomes(frame(a=[0.9, 0.5, 0.4], b=[0.6, 0.4, 0.1]), "a", "b")

    assert found[:5] == (1, 1, 0, 1, 0)
    assert (found.better_a, found.better_b) == (3, 0)


def test_the_interval_of_a_difference_is_the_paired_t_interval(answers):
    row = compared(answers).iloc[0]
    apart = answers["b"] - answers["a"]
    low, high = stats.ttest_1samp(apart, 0).confidence_interval()

    assert row["difference"] == pytest.approx(apart.mean())
    assert (row["low"], row["high"]) == pytest.approx((low, high), abs=0.004)
    assert row["p"] == pytest.approx(stats.ttest_rel(answers["b"], answers["a"]).pvalue, rel=0.25)
    assert (row["n"], row["clusters"]) == (300, 300)


def test_pairing_narrows_and_clusters_widen(answers):
    twice = pd.concat([answers, answers], ignore_index=True)
    alone, clustered = (
        compared(twice, cluster).iloc[0]["se"] for cluster in (None, list(range(300)) * 2)
    )
    apart = np.hypot(*(stats.sem(answers[name]) for name in answers))

    assert compared(answers).iloc[0]["se"] < apart
    assert clustered == pytest.approx(alone * np.sqrt(2), rel=0.05)


def test_each_tag_has_its_own_difference(answers):
    tags = pd.DataFrame({"item": ["q0", "q1", "q1", "q9", "other"], "axis": "kind"})
    tags["tag"] = ["chart", "chart", "map", "map", "map"]
    by = paired.groups(tags, "kind", answers.index)

    table = compared(answers, None, by).set_index("group")

    assert {tag: places.tolist() for tag, places in by.items()} == {"chart": [0, 1], "map": [1, 9]}
    apart = answers["b"] - answers["a"]
    assert table.loc["chart", "difference"] == pytest.approx(apart.iloc[[0, 1]].mean())
    assert table["n"].tolist() == [300, 2, 2]


@pytest.mark.parametrize(
    "scores",
    [
        frame(a=[1.0], b=[0.0]),
        frame(a=[1, 0.5, 1], b=[1, 0.5, 1]),
        frame(a=[0.9, 0.6, 1], b=[0.6, 0.3, 0.7]),
        frame(a=[NAN, NAN], b=[1, 0]),
        frame(a=[], b=[]),
    ],
    ids=["one", "equal grades", "grades equally apart", "all unscored", "none"],
)
def test_where_nothing_can_be_said_the_difference_has_no_interval(scores):
    row = compared(scores).iloc[0]

    assert row[["se", "low", "high", "p"]].isna().all()


def test_right_or_wrong_scores_that_all_differ_alike_have_an_interval_by_source():
    apart, same = frame(a=[0] * 200, b=[1] * 200), frame(a=[1, 0] * 100, b=[1, 0] * 100)
    t = stats.t.ppf(0.975, 199)

    all_right, equal = compared(apart).iloc[0], compared(same).iloc[0]
    by_picture = compared(apart, np.repeat(np.arange(20), 10)).iloc[0]

    assert all_right[["low", "high"]].tolist() == pytest.approx([(200 - t**2) / (200 + t**2), 1])
    assert all_right["p"] < 0.001 and equal["p"] == 1
    share = t**2 / (200 + t**2)
    assert equal[["low", "high"]].tolist() == pytest.approx([-share, share])
    t = stats.t.ppf(0.975, 19)
    assert by_picture["low"] == pytest.approx((20 - t**2) / (20 + t**2))
    assert np.isnan(compared(apart, ["one"] * 200).iloc[0]["low"])


def test_no_interval_reaches_beyond_what_a_difference_can_be():
    row = compared(frame(a=[0, 1, 0], b=[1, 0, 1])).iloc[0]

    half = stats.t.ppf(0.975, 2) * stats.sem([1, -1, 1])
    assert row["difference"] - half < -1 and row["difference"] + half > 1
    assert row[["low", "high"]].tolist() == [-1, 1]


def test_one_entry_has_nobody_to_differ_from(answers):
    assert compared(answers[["a"]]).empty


def test_a_judges_spread_is_added_in_quadrature_and_stays_visible(answers):
    plain = compared(answers).iloc[0]

    noisy = compared(answers, judge=np.array([[0.03, 0.04]])).iloc[0]

    assert noisy["judge_se"] == pytest.approx(0.05)
    assert noisy["se"] == plain["se"]
    wider = (noisy["high"] - noisy["low"]) / (plain["high"] - plain["low"])
    assert wider == pytest.approx(np.hypot(plain["se"], 0.05) / plain["se"])


def test_the_judges_error_is_the_spread_of_its_totals():
    by_repeat = pd.DataFrame({1: [1, 0, 1, NAN], 2: [1, 1, 1, 1], 3: [0, 0, 1, 1]}, dtype=float)

    whole, part = paired.judge_error(by_repeat, [np.arange(4), np.array([0])])

    assert whole == pytest.approx(np.std([2 / 3, 1, 1 / 3], ddof=1) / np.sqrt(3))
    assert part == pytest.approx(np.std([1, 1, 0], ddof=1) / np.sqrt(3))
    assert np.isnan(paired.judge_error(by_repeat[[1]])).all()


def test_unscored_items_bound_the_mean_and_the_difference():
    scores = frame(a=[1, 0, NAN, NAN], b=[1, 0, 0, NAN])

    table = paired.unscored(scores)

    assert table.loc["a"].tolist() == [4, 2, 2, 0.5, 0.25, 0.75]
    # Least: a wrong and b right on what is open; (1 - 1) + (0 - 0) + (0 - 0) + (0 - 1).
    assert paired.difference_bounds(scores, "a", "b") == (-0.25, 0.5)
    assert paired.common(scores).index.tolist() == ["q0", "q1"]


def test_no_items_have_no_bounds():
    assert np.isnan(paired.difference_bounds(frame(a=[], b=[]), "a", "b")).all()
    assert paired.unscored(frame(a=[])).loc["a", ["mean", "worst", "best"]].isna().all()


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (-0.01, 0.01, "equivalent"),
        (0.005, 0.02, "equivalent"),
        (0.01, 0.03, "different"),
        (-0.09, -0.05, "different"),
        (-0.03, 0.01, "cannot tell"),
        (NAN, NAN, "cannot tell"),
    ],
)
def test_a_margin_tells_equivalent_from_different(low, high, words):
    assert paired.verdict(low, high, 0.02) == words


def test_a_reference_that_is_not_there_is_refused(answers):
    found = paired.drawn(answers, None, np.random.default_rng(1), resamples=10)
    with pytest.raises(BadInput, match="'c'"):
        paired.differences(found, ["a", "b"], "c")
