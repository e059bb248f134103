"""How many questions part two models, and which missing result would place most."""

import math

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.proportion import samplesize_proportions_2indep_onetail

from evalcore.decision import ties

SCORE = pd.Series({"a": 0.80, "b": 0.78, "c": 0.74, "d": 0.80})


def test_the_number_for_different_questions_is_the_one_of_statsmodels():
    # statsmodels takes the pooled variance under equality in one place, which moves the number by
    # less than a per cent here.
    expected = samplesize_proportions_2indep_onetail(0.03, 0.67, 0.8, alpha=0.05)

    assert ties.questions(0.70, 0.67, 0.0) == pytest.approx(expected, rel=0.01)


def test_the_same_questions_for_both_take_fewer():
    assert ties.questions(0.7, 0.67, 0.5) == pytest.approx(
        ties.questions(0.7, 0.67, 0.0) / 2, rel=0.01
    )


@pytest.mark.parametrize("scores", [(0.7, 0.7), (math.nan, 0.5)])
def test_no_number_parts_equal_or_unknown_scores(scores):
    assert math.isnan(ties.questions(*scores, 0.5))


def test_so_many_questions_do_part_them_in_four_of_five_draws(rng):
    count = int(ties.questions(0.7, 0.64, 0.0))
    drawn = rng.binomial(count, [0.7, 0.64], size=(4000, 2)) / count
    error = np.sqrt((drawn * (1 - drawn) / count).sum(axis=1))
    parted = np.abs(drawn[:, 0] - drawn[:, 1]) > 1.96 * error

    assert parted.mean() == pytest.approx(0.8, abs=0.03)


def test_the_tied_are_listed_from_the_easiest_to_part():
    rows = ties.pairs(SCORE, ["a", "b", "c"])

    assert rows["model"].tolist() == ["c", "b"]
    assert rows["paired"].is_monotonic_increasing
    assert (rows["paired"] <= rows["unpaired"]).all()


def test_equal_scores_have_no_number():
    assert ties.pairs(SCORE, ["a", "d"])["paired"].isna().all()


def test_nobody_tied_means_nothing_to_part():
    assert ties.pairs(SCORE, ["a"]).empty


GAPS = pd.DataFrame(
    {
        "model": ["p", "q", "r", "low"],
        "lacks": [("Doc",), ("Doc",), ("Doc", "Info"), ("Info",)],
        "high": [0.9, 0.85, 0.95, 0.5],
    }
)


def test_the_result_that_places_most_models_comes_first():
    rows = ties.gaps(GAPS, 0.8)

    assert rows["what"].tolist() == ["Doc", "Info"]
    assert rows["completes"].tolist() == [("p", "q"), ()]
    assert rows["lacking"].tolist() == [("p", "q", "r"), ("r",)]


def test_a_model_that_cannot_become_the_best_is_no_reason_to_test():
    assert "low" not in {model for who in ties.gaps(GAPS, 0.8)["lacking"] for model in who}


def test_without_a_leader_every_gap_counts():
    assert ties.gaps(GAPS, float("nan"))["lacking"].map(len).tolist() == [3, 2]


def test_where_answers_are_known_the_spread_seen_takes_the_place_of_the_assumed_one(rng):
    right = rng.random((400, 1)) < (0.80, 0.72)
    apart = right[:, 0].astype(float) - right[:, 1]
    se = apart.std(ddof=1) / 20
    seen = {"b": ties.Seen(se, 0.03, 400)}

    rows = ties.pairs(SCORE, ["a", "b", "c"], seen).set_index("model")

    # n = (1.959964 + 0.841621)^2 x variance of a question / 0.02^2.
    assert rows["paired"]["b"] == np.ceil(7.848879 * apart.var(ddof=1) / 0.02**2)
    assert rows["unpaired"]["b"] == np.ceil(400 * 7.848879 * 0.03**2 / 0.02**2)
    assert rows["paired"]["c"] == ties.questions(0.80, 0.74, ties.CORRELATION)
    assert rows["seen"].fillna(0).to_dict() == {"b": 400, "c": 0}
    assert rows["paired"].is_monotonic_increasing
