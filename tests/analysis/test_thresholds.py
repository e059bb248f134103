"""A threshold for graded metrics: every cut, the best, and what it is worth elsewhere."""

import numpy as np
import pytest

from evalcore.analysis import thresholds


def test_every_cut_is_counted_by_hand():
    found = thresholds.curve([0, 1, 1], [0.2, 0.5, 0.9], np.ones(3))

    assert found["threshold"].tolist() == [-np.inf, 0.35, 0.7, np.inf]
    assert found["accuracy"].tolist() == pytest.approx([2 / 3, 1, 2 / 3, 1 / 3])
    assert found["sensitivity"].tolist() == [1, 1, 0.5, 0]
    assert found["specificity"].tolist() == [0, 1, 1, 1]


def test_a_metric_without_meaning_does_no_better_where_it_was_not_tuned(rng):
    human, score = rng.integers(0, 2, 300), rng.random(300)

    found = thresholds.tuned(human, score, np.ones(300), range(300))

    assert found.inside > found.common
    assert found.outside.low < found.common < found.outside.high
    assert found.outside.value < found.inside


def test_answers_of_one_picture_are_never_on_both_sides(rng):
    human = np.repeat(rng.integers(0, 2, 50), 2).astype(float)
    score = np.repeat(rng.random(50), 2)

    found = thresholds.tuned(human, score, np.ones(100), np.repeat(range(50), 2))

    assert found.outside.value < found.inside
    assert found.outside.n == 100


def test_the_same_seed_gives_the_same_folds(rng):
    data = rng.integers(0, 2, 80), rng.random(80), np.ones(80), range(80)

    assert thresholds.tuned(*data) == thresholds.tuned(*data)


def test_without_labels_there_is_no_threshold():
    found = thresholds.tuned([], [], [], [])

    assert np.isnan(found.threshold) and np.isnan(found.outside.value)
    assert thresholds.curve([], [], []).empty


def test_people_who_never_say_no_have_no_specificity():
    assert thresholds.curve([1, 1], [0.1, 0.9], np.ones(2))["specificity"].isna().all()


def test_a_long_curve_stays_short(rng):
    score = rng.random(5000)

    found = thresholds.curve(score > 0.5, score, np.ones(5000))

    assert len(found) <= thresholds.MOST + 2
    assert found["accuracy"].max() > 0.99
