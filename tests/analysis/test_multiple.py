"""Many comparisons at once, against statsmodels, multivariate normal theory and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from evalcore.analysis import multiple, resample
from evalcore.errors import BadInput

NAN = float("nan")


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusted_p_values_are_those_of_statsmodels(p):
    assert multiple.holm(p) == pytest.approx(multipletests(p, method="holm")[1])
    assert multiple.benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1])


def test_an_unknown_p_value_takes_no_part():
    assert multiple.holm([0.02, NAN, 0.03]).tolist() == pytest.approx(
        [0.04, NAN, 0.04], nan_ok=True
    )
    assert np.isnan(multiple.benjamini_hochberg([NAN, NAN])).all()
    assert multiple.holm([]).size == 0


def test_a_correction_is_chosen_by_name():
    assert multiple.adjusted([0.01, 0.04], "none").tolist() == [0.01, 0.04]
    assert multiple.adjusted([0.01, 0.04], "holm").tolist() == [0.02, 0.04]
    with pytest.raises(BadInput, match="bonferroni"):
        multiple.adjusted([0.1], "bonferroni")
    with pytest.raises(BadInput, match="between 0 and 1"):
        multiple.holm([1.5])


def test_max_t_of_independent_comparisons_is_that_of_independent_normals(rng):
    draws = rng.standard_normal((40_000, 5)).astype(np.float32)

    found = multiple.max_t(draws, np.zeros(5), np.ones(5), freedom=100_000)

    assert found == pytest.approx(stats.norm.ppf(0.5 + 0.95 ** (1 / 5) / 2), rel=0.02)


def test_max_t_of_one_comparison_twice_is_that_of_one(rng):
    draws = np.repeat(rng.standard_normal((40_000, 1)), 2, axis=1).astype(np.float32)

    assert multiple.max_t(draws, np.zeros(2), np.ones(2), 100_000) == pytest.approx(1.96, rel=0.02)


def test_without_a_standard_error_there_is_no_max_t():
    draws = np.zeros((10, 2), dtype=np.float32)
    assert np.isnan(multiple.max_t(draws, np.zeros(2), np.full(2, NAN), 10))


def found(score, cluster=None, seed=5):
    return resample.bootstrap(score, cluster, np.random.default_rng(seed), resamples=1000)


def standings(score, cluster=None):
    names = [f"m{place}" for place in range(np.shape(score)[1])]
    return multiple.standings(found(score, cluster), names)


@pytest.fixture
def answers(rng):
    """Three models on 400 items: two alike, one clearly worse."""
    hard = rng.normal(size=(400, 1))
    return (hard + rng.normal(size=(400, 3)) + [0.7, 0.65, -0.6] > 0).astype(float)


def test_alike_models_are_tied_and_a_worse_one_is_not(answers):
    table = standings(answers)

    assert set(table.index[table["tied"]]) == {"m0", "m1"}
    assert table.loc["m2", "behind_low"] > 0
    assert table[["rank_low", "rank_high"]].values.tolist() == [[1, 2], [1, 2], [3, 3]]
    assert table["p_best"].sum() == pytest.approx(1)
    assert table.loc["m2", "p_best"] == 0


def test_the_difference_to_the_leader_is_paired(answers):
    table = standings(answers)
    leader, second = table.index[:2]
    apart = answers[:, int(leader[1])] - answers[:, int(second[1])]
    half = (table.loc[second, "behind_high"] - table.loc[second, "behind_low"]) / 2

    assert table.loc[second, "behind"] == pytest.approx(apart.mean())
    assert 1.96 * stats.sem(apart) < half < 2.6 * stats.sem(apart)


def test_of_many_close_models_the_highest_is_not_called_the_best(rng):
    score = (rng.random((200, 12)) < 0.6).astype(float)

    table = standings(score)
    plain = (found(score).draws[:, 0].argmax(axis=1) == int(table.index[0][1:])).mean()

    assert table["p_best"].iloc[0] < plain
    assert table["p_best"].sum() == pytest.approx(1)


def test_equal_answers_are_tied_and_share_the_first_place(rng):
    one = (rng.random((60, 1)) < 0.5).astype(float)

    table = standings(np.hstack([one, one]))

    assert table["tied"].all()
    assert table["p_best"].tolist() == [0.5, 0.5]
    assert table["behind"].tolist() == [0, 0]
    assert np.isnan(table["behind_low"].iloc[0]) and table["behind_low"].iloc[1] < 0
    assert table[["rank_low", "rank_high"]].values.tolist() == [[1, 2], [1, 2]]


def test_all_right_against_all_wrong_is_clearly_the_best():
    score = np.column_stack([np.ones(200), np.zeros(200), np.zeros(200)])

    table = standings(score)

    assert table["tied"].tolist() == [True, False, False]
    # Two comparisons that resampling knows nothing of: each at 97.5 %.
    t = stats.t.ppf(1 - 0.05 / 4, 199)
    assert table["behind_low"].tolist()[1:] == pytest.approx([(200 - t**2) / (200 + t**2)] * 2)
    assert (table["behind_high"].iloc[1:] == 1).all()
    assert table[["rank_low", "rank_high"]].values.tolist() == [[1, 1], [2, 3], [2, 3]]
    graded = standings(np.column_stack([np.full(200, 0.9), np.full(200, 0.3)]))
    assert graded["tied"].all() and graded["behind_low"].isna().all()


def test_simultaneous_intervals_stay_on_the_scale():
    table = standings(np.array([[1.0, 0, 0], [1, 0, 1], [0, 1, 0]]))

    assert table[["behind_low", "behind_high"]].iloc[1:].abs().max(axis=None) <= 1


@pytest.mark.parametrize("score", [[[1.0, 0.0]], np.full((4, 2), NAN)], ids=["one", "unscored"])
def test_too_little_to_compare_says_nothing(score):
    table = standings(score)

    assert table[["low", "high", "behind_low", "p_best", "rank_low"]].isna().all(axis=None)
    assert table["tied"].all()


def test_an_unscored_model_takes_no_part(answers):
    answers[:, 1] = NAN

    assert sorted(standings(answers).index) == ["m0", "m2"]


def test_one_model_is_tied_with_itself(answers):
    table = standings(answers[:, :1])

    assert table["tied"].tolist() == [True] and table["rank_high"].tolist() == [1]
    assert table["p_best"].isna().all()


def test_the_highest_of_equal_models_is_too_high_by_the_largest_of_normals(rng):
    # The mean of the largest of 4 standard normals is 1.0294 (Harter 1961).
    score = np.zeros((4000, 4))
    for column in range(4):
        score[rng.permutation(4000)[:2000], column] = 1

    curse = multiple.winners_curse(found(score))

    assert curse.bias == pytest.approx(1.0294 * found(score).se[0].mean(), rel=0.1)
    assert curse.corrected == pytest.approx(curse.top - curse.bias)


def test_one_model_or_none_has_no_winners_curse(answers):
    assert np.isnan(multiple.winners_curse(found(answers[:, :1])).bias)
    assert np.isnan(multiple.winners_curse(found(np.full((3, 2), NAN))).top)
