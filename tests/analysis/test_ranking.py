"""Ranking under uncertainty, against closed forms and hand calculations."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from evalcore.analysis import ranking
from evalcore.errors import BadInput

NAN = float("nan")


def series(**values):
    return pd.Series(values, dtype=float)


def cell(model, tag, value, n=100.0, se=0.02):
    return {"model": model, "tag": tag, "value": value, "n": n, "se": se}


@pytest.mark.parametrize(("k", "comparisons"), [(2, 1), (3, 2), (10, 9)])
def test_the_critical_value_splits_the_error_over_the_comparisons(k, comparisons):
    assert ranking.critical(k) == pytest.approx(norm.ppf(1 - 0.05 / 2 / comparisons))


@pytest.mark.parametrize("k", [0, 1])
def test_without_a_rival_there_is_nothing_to_compare(k):
    assert ranking.critical(k) == 0


def test_a_model_within_the_interval_of_the_difference_is_tied():
    score = series(a=0.70, b=0.65, c=0.64)
    se = series(a=0.015, b=0.015, c=0.015)
    # critical(3) = 2.2414, times sqrt(2) * .015 = .0475
    assert ranking.tied_best(score, se) == ["a"]
    assert ranking.tied_best(score, se * 1.1) == ["a", "b"]
    assert ranking.tied_best(score, se * 2) == ["a", "b", "c"]


def test_equal_scores_are_tied_in_the_order_of_their_ids():
    score, se = series(b=0.5, a=0.5, c=0.1), series(b=NAN, a=NAN, c=NAN)
    assert ranking.tied_best(score, se) == ["a", "b"]


def test_an_unknown_error_makes_no_tie():
    assert ranking.tied_best(series(a=0.70, b=0.699), series(a=0.1, b=NAN)) == ["a"]
    assert ranking.tied_best(series(a=0.70, b=0.699), series(a=NAN, b=0.1)) == ["a"]


def test_nobody_and_one_model_are_no_trouble():
    assert ranking.tied_best(series(), series()) == []
    assert ranking.tied_best(series(a=0.4), series(a=0.1)) == ["a"]
    assert ranking.rank_range(series(), series()).empty
    assert ranking.rank_range(series(a=0.4), series(a=0.1)).loc["a"].tolist() == [1, 1]


def test_a_model_without_a_score_takes_no_part():
    assert ranking.tied_best(series(a=NAN, b=0.2), series(a=0.1, b=0.1)) == ["b"]


def test_rank_ranges_match_a_hand_calculation():
    score = series(a=0.80, b=0.78, c=0.60, d=0.40)
    se = series(a=0.02, b=0.02, c=0.02, d=0.02)
    # critical(4) = 2.394, times sqrt(2) * .02 = .0677: only a and b are not told apart.
    frame = ranking.rank_range(score, se)
    assert frame["rank_low"].tolist() == [1, 1, 3, 4]
    assert frame["rank_high"].tolist() == [2, 2, 3, 4]


def test_ranks_are_unknown_without_an_error_and_wide_for_the_others():
    frame = ranking.rank_range(series(a=0.9, b=0.5), series(a=NAN, b=0.01))
    assert frame.loc["a"].isna().all()
    assert frame.loc["b"].tolist() == [1, 2]


def test_the_chance_to_be_best_of_two_matches_the_normal_closed_form():
    score, se = series(a=0.70, b=0.68), series(a=0.02, b=0.03)
    chance = ranking.p_best(score, se, np.random.default_rng(1), draws=200_000)
    expected = norm.cdf(0.02 / np.hypot(0.02, 0.03))
    assert chance["a"] == pytest.approx(expected, abs=0.004)
    assert chance.sum() == pytest.approx(1)


def test_equal_models_without_error_share_the_chance():
    chance = ranking.p_best(series(a=0.5, b=0.5, c=0.1), series(a=0, b=0, c=0), rng())
    assert chance.tolist() == [0.5, 0.5, 0]


def test_one_unknown_error_leaves_every_chance_unknown():
    assert ranking.p_best(series(a=0.5, b=0.4), series(a=0.1, b=NAN), rng()).isna().all()


def rng():
    return np.random.default_rng(7)


def test_leaving_out_hopeless_models_changes_no_chance_noticeably():
    score = series(a=0.70, b=0.69, c=0.10)
    se = series(a=0.02, b=0.02, c=0.02)
    drawn = rng().standard_normal((50_000, 3)) * se.to_numpy() + score.to_numpy()
    brute = np.bincount(drawn.argmax(axis=1), minlength=3) / 50_000
    assert ranking.p_best(score, se, rng()).to_numpy() == pytest.approx(brute, abs=0.01)


def test_the_design_effect_is_the_mean_of_squares_over_the_mean():
    tags = np.array([1, 1, 2, 3, 5])
    expected = (tags**2).mean() / tags.mean()
    assert ranking.design_effect(tags.mean(), tags.std()) == pytest.approx(expected)
    assert ranking.design_effect(NAN, NAN) == 1.0


def test_macro_weighs_tags_and_micro_weighs_questions():
    cells = pd.DataFrame([cell("a", "t", 0.8, n=300), cell("a", "u", 0.4, n=100)])
    weights = {"t": 1, "u": 1}
    assert ranking.aggregate(cells, weights, "macro", 1)["score"]["a"] == pytest.approx(0.6)
    assert ranking.aggregate(cells, weights, "micro", 1)["score"]["a"] == pytest.approx(0.7)
    assert ranking.aggregate(cells, weights, "micro", 1)["n"]["a"] == 400


def test_the_error_of_a_mean_follows_the_weights_and_the_design_effect():
    cells = pd.DataFrame([cell("a", "t", 0.8, se=0.03), cell("a", "u", 0.4, se=0.01)])
    frame = ranking.aggregate(cells, {"t": 3, "u": 1}, "macro", 2.0)
    expected = np.sqrt(2.0 * (0.75**2 * 0.03**2 + 0.25**2 * 0.01**2))
    assert frame["se"]["a"] == pytest.approx(expected)


def test_overlap_does_not_matter_for_a_single_tag():
    cells = pd.DataFrame([cell("a", "t", 0.8, se=0.03)])
    assert ranking.aggregate(cells, {"t": 3}, "macro", 2.0)["se"]["a"] == pytest.approx(0.03)


def test_a_model_that_lacks_a_tag_is_absent():
    cells = pd.DataFrame(
        [cell("a", "t", 0.8), cell("a", "u", 0.4), cell("b", "t", 0.9), cell("c", "t", NAN)]
    )
    assert list(ranking.aggregate(cells, {"t": 1, "u": 1}, "macro", 1).index) == ["a"]


def test_an_unknown_n_leaves_the_score_and_hides_the_error():
    cells = pd.DataFrame([cell("a", "t", 0.8), cell("a", "u", 0.4, n=NAN, se=NAN)])
    row = ranking.aggregate(cells, {"t": 1, "u": 1}, "macro", 1).loc["a"]
    assert row["score"] == pytest.approx(0.6)
    assert np.isnan(row["se"]) and np.isnan(row["n"])


@pytest.mark.parametrize(
    ("weights", "mode", "message"),
    [
        ({}, "macro", "at least one tag"),
        ({"t": 0}, "macro", "number > 0"),
        ({"t": NAN}, "macro", "number > 0"),
        ({"t": 1}, "mean", "use one of macro, micro"),
        ({"u": 1}, "micro", "use macro"),
    ],
)
def test_weights_that_cannot_be_used_are_refused(weights, mode, message):
    cells = pd.DataFrame([cell("a", "t", 0.8), cell("a", "u", 0.4, n=NAN)])
    with pytest.raises(BadInput, match=message):
        ranking.aggregate(cells, weights, mode, 1)


def test_two_cells_for_one_model_and_tag_are_refused():
    cells = pd.DataFrame([cell("a", "t", 0.8), cell("a", "t", 0.4)])
    with pytest.raises(BadInput, match="two cells for 'a' on 't'"):
        ranking.aggregate(cells, {"t": 1}, "macro", 1)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.2))
def test_the_leader_is_always_tied_with_itself_and_can_be_first(values, error):
    score = pd.Series(values, index=[f"m{i}" for i in range(len(values))])
    se = pd.Series(error, index=score.index)
    tied = ranking.tied_best(score, se)
    assert score[tied[0]] == score.max()
    assert ranking.rank_range(score, se).loc[tied, "rank_low"].eq(1).all()
