"""Other weights, regret and the Pareto front, against geometry and brute force."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.analysis import ranking, sensitivity
from evalcore.errors import BadInput

NAN = float("nan")
PAIR = pd.DataFrame({"t": [0.9, 0.5], "u": [0.6, 0.8]}, index=["a", "b"])


def test_the_share_over_two_tags_is_the_length_of_the_winning_stretch():
    # a leads while .9 x + .6 (1 - x) > .5 x + .8 (1 - x), that is x > 1/3.
    share = sensitivity.share_first(PAIR, draws=100_000)
    assert share["a"] == pytest.approx(2 / 3, abs=0.006)
    assert share.sum() == pytest.approx(1)


def test_the_share_over_three_tags_is_the_area_of_the_winning_triangle():
    # Each model is best on one tag by the same margin: one third each, by symmetry.
    table = pd.DataFrame(np.eye(3), index=list("abc"), columns=list("tuv"))
    assert sensitivity.share_first(table, draws=50_000).to_numpy() == pytest.approx(1 / 3, abs=0.01)


def test_weightings_near_a_centre_favour_whoever_wins_there():
    near = sensitivity.share_first(PAIR, pd.Series({"t": 0.5, "u": 0.5}))
    assert near["a"] > 0.95
    assert sensitivity.share_first(PAIR, pd.Series({"t": 1, "u": 9}))["b"] > 0.95


def test_equal_models_share_and_the_same_question_gives_the_same_share():
    table = pd.DataFrame({"t": [0.5, 0.5], "u": [0.5, 0.5]}, index=["a", "b"])
    assert sensitivity.share_first(table).tolist() == [0.5, 0.5]
    assert sensitivity.share_first(PAIR).equals(sensitivity.share_first(PAIR))


def test_a_gap_in_the_table_is_refused():
    with pytest.raises(BadInput, match=r"gaps for \['b'\]"):
        sensitivity.share_first(pd.DataFrame({"t": [0.5, NAN]}, index=["a", "b"]))


def test_a_centre_without_a_tag_is_refused():
    with pytest.raises(BadInput, match="needs > 0"):
        sensitivity.share_first(PAIR, pd.Series({"t": 1.0}))


def test_the_flip_of_two_models_is_where_their_lines_cross():
    frame = sensitivity.flips(PAIR, pd.Series({"t": 0.5, "u": 0.5})).set_index("tag")
    assert frame["weight"]["t"] == pytest.approx(1 / 3)
    assert frame["weight"]["u"] == pytest.approx(2 / 3)
    assert frame["new_winner"].tolist() == ["b", "b"]


def test_a_model_that_leads_everywhere_is_never_flipped():
    table = pd.DataFrame({"t": [0.9, 0.5], "u": [0.9, 0.8]}, index=["a", "b"])
    frame = sensitivity.flips(table, pd.Series({"t": 1.0, "u": 1.0}))
    assert frame["weight"].isna().all()
    assert frame["new_winner"].tolist() == [None, None]


@pytest.mark.parametrize("rows", [0, 1])
def test_without_a_rival_or_another_tag_nothing_flips(rows):
    one = sensitivity.flips(PAIR.iloc[:rows], pd.Series({"t": 1.0, "u": 1.0}))
    assert one["new_winner"].tolist() == [None, None]
    assert sensitivity.flips(PAIR[["t"]], pd.Series({"t": 1.0}))["weight"].isna().all()


def brute_flip(table, share, column):
    """Return the nearest share of the column, on a fine grid, at which somebody else leads."""
    others = share.copy()
    others[column] = 0
    grid = np.linspace(0, 1, 4001)
    mixes = np.outer(1 - grid, others / others.sum())
    mixes[:, column] = grid
    scores = mixes @ table.to_numpy().T
    leader = int(np.argmax(table.to_numpy() @ share))
    other = np.delete(scores, leader, axis=1).max(axis=1) > scores[:, leader] + 1e-12
    return np.abs(grid[other] - share[column]).min() if other.any() else NAN


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_flips_agree_with_brute_force(seed):
    rng = np.random.default_rng(seed)
    models, tags = int(rng.integers(2, 6)), int(rng.integers(2, 5))
    table = pd.DataFrame(
        rng.random((models, tags)),
        index=[f"m{i}" for i in range(models)],
        columns=[f"t{i}" for i in range(tags)],
    )
    weights = pd.Series(rng.random(tags) + 0.1, index=table.columns)
    share = (weights / weights.sum()).to_numpy()
    found = sensitivity.flips(table, weights).set_index("tag")["change"]
    brute = [brute_flip(table, share, column) for column in range(tags)]
    assert found[table.columns].to_numpy() == pytest.approx(brute, abs=3e-4, nan_ok=True)


def test_regret_is_the_distance_to_the_best_of_each_tag():
    frame = sensitivity.regret(PAIR)
    assert frame.loc["a"].tolist() == pytest.approx([0, 0.2])
    assert frame.loc["b"].tolist() == pytest.approx([0.4, 0])


def test_a_tag_may_be_called_as_a_function_is():
    table = pd.DataFrame({"max": [1.0, 0.0, 0.7], "u": [0.0, 1.0, 0.7]}, index=list("abc"))
    assert list(sensitivity.regret(table)) == ["max", "u"]
    assert sensitivity.all_rounder(table) == "c"


def test_the_all_rounder_has_the_smallest_largest_regret():
    table = pd.DataFrame({"t": [1.0, 0.0, 0.7], "u": [0.0, 1.0, 0.7]}, index=list("abc"))
    assert sensitivity.all_rounder(table) == "c"
    assert sensitivity.all_rounder(table.iloc[:0]) is None


def trade(**models):
    frame = pd.DataFrame.from_dict(models, orient="index", columns=["score", "se", "size", "cost"])
    return ranking.pareto(frame.astype(float))


def test_a_clearly_better_smaller_model_dominates():
    result = trade(a=(0.8, 0.01, 2, NAN), b=(0.5, 0.01, 7, NAN))
    assert result.loc["a"].tolist() == ["front", None]
    assert result.loc["b"].tolist() == ["dominated", "a"]


@pytest.mark.parametrize("error", [0.2, NAN])
def test_a_difference_within_the_error_only_possibly_dominates(error):
    result = trade(a=(0.8, error, 2, NAN), b=(0.7, 0.01, 7, NAN))
    assert result.loc["b"].tolist() == ["possibly dominated", "a"]


def test_smaller_or_cheaper_keeps_a_weaker_model_on_the_front():
    result = trade(a=(0.8, 0.01, 20, 1.0), b=(0.5, 0.01, 2, 2.0), c=(0.4, 0.01, 30, 0.5))
    assert result["status"].tolist() == ["front", "front", "front"]


def test_an_unknown_size_neither_dominates_nor_is_dominated():
    result = trade(a=(0.9, 0.01, NAN, NAN), b=(0.5, 0.01, 2, NAN), c=(0.1, 0.01, NAN, NAN))
    assert result["status"].tolist() == ["unknown size", "front", "unknown size"]


def test_without_any_size_or_cost_nothing_is_traded():
    assert trade(a=(0.9, 0.01, NAN, NAN))["status"].tolist() == ["unknown size and cost"]
    assert trade().empty


def test_two_equal_models_do_not_dominate_each_other():
    result = trade(a=(0.5, 0.01, 2, 1), b=(0.5, 0.01, 2, 1))
    assert result["status"].tolist() == ["front", "front"]


def dominance(frame, level=0.95):
    """The definition, pair by pair."""
    z = 1.959963984540054
    used = [name for name in ("size", "cost") if frame[name].notna().any()] or ["size", "cost"]
    rows = {}
    for model, own in frame.iterrows():
        if own[used].isna().any():
            rows[model] = ("unknown", None)
            continue
        better = [
            (-other["score"], name, other)
            for name, other in frame.iterrows()
            if not other[used].isna().any()
            and other["score"] >= own["score"]
            and (other[used] <= own[used]).all()
            and (other["score"] > own["score"] or (other[used] < own[used]).any())
        ]
        clear = [
            row
            for row in better
            if row[2]["score"] - own["score"] > z * np.hypot(row[2]["se"], own["se"])
        ]
        word = "dominated" if clear else "possibly dominated" if better else "front"
        best = min(clear or better, default=(0, None), key=lambda row: row[:2])
        rows[model] = (word, best[1])
    return rows


@pytest.mark.parametrize("block", [3, 512])
@pytest.mark.parametrize("seed", range(6))
def test_the_front_agrees_with_its_definition_pair_by_pair(monkeypatch, seed, block):
    monkeypatch.setattr(ranking, "BLOCK", block)
    draw = np.random.default_rng(seed)
    count = 40
    frame = pd.DataFrame(
        {
            # Few different values, so that there are ties in everything.
            "score": draw.integers(0, 8, count) / 10,
            "se": draw.choice([0.02, 0.1, NAN], count),
            "size": draw.choice([1.0, 2.0, 4.0, NAN], count),
            "cost": draw.choice([1.0, 3.0], count) if seed % 2 else NAN,
        },
        index=[f"m{name:02d}" for name in draw.permutation(count)],
    )

    found = ranking.pareto(frame)
    words = found["status"].str.replace(r"unknown .*", "unknown", regex=True)

    assert dict(zip(found.index, zip(words, found["by"], strict=True), strict=True)) == dominance(
        frame
    )


def test_leaving_out_the_beaten_moves_no_share(monkeypatch):
    draw = np.random.default_rng(5)
    table = pd.DataFrame(draw.random((60, 3)), columns=list("tuv"))
    all_in = sensitivity.share_first(table)
    monkeypatch.setattr(sensitivity, "TRIES", 0)

    assert sensitivity.share_first(table).equals(all_in)
