"""What answers without a score leave open, against counting by hand and against every filling."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.analysis import unscored
from evalcore.analysis.by_items import Items

NAN = np.nan


def items(scores, places, asked=None):
    frame = pd.DataFrame(scores)
    where = {("b", "x", tag): np.asarray(rows) for tag, rows in places.items()}
    return Items(frame, np.arange(len(frame)), where, asked=asked)


def made(*tags):
    return {tag: {("b", "x", tag): 1.0} for tag in tags}


def rows(score, worst, low=None, unanswered=0):
    names = [chr(ord("a") + place) for place in range(len(score))]
    scored = pd.DataFrame({"score": score, "low": low if low else score}, index=names)
    missing = pd.DataFrame(
        {"unscored": unanswered, "of": 60, "known": score, "worst": worst, "best": 1.0}, names
    )
    return unscored.bounded(scored, missing)


def test_what_is_missing_is_counted_and_bounded_by_wrong_and_right():
    scores = {"a": [1, 1, 0, NAN, 1, 1], "b": [1, 0, 0, 1, 1, NAN]}
    asked = pd.DataFrame({"a": [True] * 6, "b": [True] * 5 + [False]})
    world = items(scores, {"t": [0, 1, 2], "u": [3, 4, 5]}, asked)

    found = unscored.gaps(world, made("t", "u"), {"t": 0.5, "u": 0.5})

    # The last question was not put to b: nothing of it is missing there.
    assert found.loc["a"].tolist() == pytest.approx(
        [1, 6, (2 / 3 + 1) / 2, (2 / 3 + 2 / 3) / 2, (2 / 3 + 1) / 2]
    )
    assert found.loc["b"].tolist() == pytest.approx([0, 5, *[(1 / 3 + 1) / 2] * 3])


def test_a_question_with_two_tags_is_missing_once():
    world = items({"a": [1, NAN, 0]}, {"t": [0, 1], "u": [1, 2]})

    found = unscored.gaps(world, made("t", "u"), {"t": 0.5, "u": 0.5})

    assert found.loc["a", ["unscored", "of"]].tolist() == [1, 3]


@given(
    st.lists(st.sampled_from([0.0, 1.0, 0.5, NAN]), min_size=2, max_size=7),
    st.floats(0.1, 0.9),
)
@settings(deadline=None, max_examples=60)
def test_no_filling_in_leaves_the_bounds_and_two_reach_them(scores, share):
    half = len(scores) // 2
    places = {"t": range(half), "u": range(half, len(scores))}
    world = items({"a": scores}, places)
    found = unscored.gaps(world, made("t", "u"), {"t": share, "u": 1 - share}).loc["a"]
    open_places = [place for place, score in enumerate(scores) if np.isnan(score)]

    totals = []
    for filling in itertools.product((0.0, 1.0), repeat=len(open_places)):
        told = np.array(scores)
        told[open_places] = filling
        totals.append(share * told[:half].mean() + (1 - share) * told[half:].mean())

    assert (min(totals), max(totals)) == pytest.approx((found["worst"], found["best"]))
    assert found["unscored"] == len(open_places)


def test_where_single_answers_are_not_known_nothing_is_said():
    assert unscored.gaps(None, made("t"), {"t": 1.0}).empty
    assert unscored.gaps(items({"a": [1.0]}, {"t": [0]}), made("t"), {"u": 1.0}).empty


def test_a_leader_whose_silence_hides_more_than_its_lead_is_turned():
    assert unscored.turned(rows([1.0, 0.9], [0.23, 0.9], unanswered=[46, 0])) == ["b"]
    assert unscored.turned(rows([1.0, 0.9], [0.95, 0.9], unanswered=[3, 0])) == []
    # What the others did not answer turns nothing.
    assert unscored.turned(rows([1.0, 0.9], [1.0, 0.2], unanswered=[0, 46])) == []


def test_whoever_would_fall_clearly_behind_is_passed_over():
    assert unscored.passed_over(
        rows([1.0, 1.0, 0.9], [0.23, 0.33, 0.9], [0.7, 0.7, 0.8], [46, 40, 0])
    ) == ["a", "b"]
    # One missing answer keeps it inside the other's interval.
    assert unscored.passed_over(rows([0.92, 0.9], [0.9, 0.9], [0.8, 0.8], [1, 0])) == []
    # It is no rival for the lead anyway.
    assert unscored.passed_over(rows([0.9, 0.5], [0.9, 0.1], [0.8, 0.4], [0, 40])) == []
    # Of two silent ones the one with more that is sure stays.
    assert unscored.passed_over(rows([1.0, 1.0], [0.2, 0.6], [0.7, 0.7], [46, 20])) == ["a"]


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 50), st.floats(0, 0.2)), min_size=1, max_size=6
    )
)
@settings(deadline=None, max_examples=100)
def test_somebody_is_always_left_and_nobody_who_answered_everything_is_passed_over(models):
    models = sorted(models, reverse=True)
    score = [known for known, _, _ in models]
    missing = [count for _, count, _ in models]
    worst = [known * (60 - count) / 60 for known, count, _ in models]
    low = [max(0.0, known - reach) for known, _, reach in models]

    found = unscored.passed_over(rows(score, worst, low, missing))

    assert len(found) < len(models)
    assert all(missing[ord(name) - ord("a")] for name in found)
