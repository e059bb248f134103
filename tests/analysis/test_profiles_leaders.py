import numpy as np
import pandas as pd
import pytest

from evalcore.analysis import intervals, ordering, profiles

NAN = np.nan


def make_cells(rows, n=400.0):
    frame = pd.DataFrame(rows, columns=["model", "tag", "value"]).assign(n=n)
    frame["se"] = intervals.standard_error(frame["value"], frame["n"])
    low, high = intervals.wilson(frame["value"], frame["n"])
    return frame.assign(
        low=low, high=high, method="", n_benchmarks=1, kind="published", suspect=False
    )


TWO_TAGS = [
    *(("m", "x", 0.80), ("k", "x", 0.79), ("l", "x", 0.20)),
    *(("m", "y", 0.30), ("k", "y", 0.90)),
]


def test_winner_comes_with_those_it_cannot_be_told_from():
    found = profiles.winners(make_cells(TWO_TAGS)).set_index("tag")

    assert found["winner"].to_list() == ["m", "k"]
    assert found["tied"].to_list() == [("m", "k"), ("k",)]
    assert found["gap"].to_list() == pytest.approx([0.01, 0.6])
    assert found["runner_up"].to_list() == ["k", "m"]
    assert found["certain"].all()


def test_winner_without_standard_errors_is_alone_and_uncertain():
    found = profiles.winners(make_cells(TWO_TAGS, n=NAN))

    assert found["tied"].to_list() == [("m",), ("k",)]
    assert not found["certain"].any()


def test_single_model_has_no_runner_up():
    found = profiles.winners(make_cells([("m", "x", 0.5)])).iloc[0]

    assert found["runner_up"] is None
    assert np.isnan(found["gap"])


def test_small_tags_are_left_out_of_the_winners_but_unknown_n_is_kept():
    rows = make_cells(TWO_TAGS, n=[40.0, 40.0, 40.0, NAN, NAN])

    assert profiles.winners(rows, 50)["tag"].to_list() == ["y"]
    assert profiles.winners(rows, 1000).empty is False
    assert profiles.winners(rows.iloc[:0]).empty


def test_overall_is_the_weighted_mean_with_its_interval():
    board = profiles.overall(make_cells(TWO_TAGS), weights={"x": 3, "y": 1})

    # k: .75*.79 + .25*.90; se^2 = (.75^2*.79*.21 + .25^2*.9*.1)/400
    se = np.sqrt((0.75**2 * 0.79 * 0.21 + 0.25**2 * 0.09) / 400)
    first = board.iloc[0]
    assert first["model"] == "k"
    assert first["score"] == pytest.approx(0.8175)
    assert first["high"] == pytest.approx(0.8175 + 1.959964 * se)
    assert first["n"] == 800


def test_model_lacking_a_tag_stands_last_without_a_score():
    board = profiles.overall(make_cells(TWO_TAGS))

    last = board.iloc[-1]
    assert last["model"] == "l"
    assert last["coverage"] == 0.5
    assert last[["score", "low", "se", "rank_low", "p_best"]].isna().all()
    assert not last["tied_best"]
    assert board["coverage"].to_list()[:2] == [1, 1]


def test_overall_says_who_may_be_first():
    board = profiles.overall(make_cells(TWO_TAGS), weights={"x": 1}).set_index("model")

    assert board["tied_best"].to_dict() == {"m": True, "k": True, "l": False}
    assert board.loc["m", ["rank_low", "rank_high"]].to_list() == [1, 2]
    # P(m > k) = Phi(.01 / se of the difference)
    assert board.loc["m", "p_best"] == pytest.approx(0.637, abs=0.02)


def test_micro_weighs_tags_by_their_items():
    rows = make_cells(TWO_TAGS, n=[300.0, 300.0, 300.0, 100.0, 100.0])

    board = profiles.overall(rows, aggregate="micro").set_index("model")

    assert board.loc["m", "score"] == pytest.approx(0.75 * 0.8 + 0.25 * 0.3)


def test_overall_of_unknown_errors_has_scores_but_no_intervals():
    board = profiles.overall(make_cells(TWO_TAGS, n=NAN))

    assert board["score"].notna().sum() == 2
    assert board[["low", "high", "se", "n", "p_best"]].isna().all(axis=None)


def test_overall_of_chance_corrected_cells_reaches_below_zero():
    rows = make_cells([("m", "x", 0.0), ("k", "x", 0.5)]).assign(se=0.03, low=-0.06)

    board = profiles.overall(rows).set_index("model")

    assert board.loc["m", "low"] == pytest.approx(-1.959964 * 0.03)


def test_overall_of_no_cells_is_empty():
    board = profiles.overall(make_cells([]))

    assert board.empty
    assert "coverage" in board


def test_similar_tags_stand_next_to_each_other_in_any_input_order():
    rng = np.random.default_rng(4)
    skills = rng.random((12, 2))
    rows = [
        (f"m{i}", f"{'pq'[j % 2]}{j}", 0.9 * skills[i, j % 2] + 0.05 * rng.random())
        for i in range(12)
        for j in range(6)
    ]

    order = ordering.similarity_order(make_cells(rows))

    assert [tag[0] for tag in order] == list("pppqqq")
    assert ordering.similarity_order(make_cells(rows[::-1])) == order
