"""Scores corrected by labels: by hand, beside other estimators, and unbiased in made-up worlds."""

import numpy as np
import pandas as pd
import pytest

from bench.corrected import world
from evalcore.analysis import corrected

COLUMNS = ["entry", "item", "cluster", "score", "human"]


def answers(score, human, entry="m"):
    items = range(len(score))
    return pd.DataFrame(
        {"entry": entry, "item": items, "cluster": items, "score": score, "human": human}
    )


def only(rows):
    return corrected.correct(rows).table.iloc[0]


def test_labels_of_all_answers_give_what_people_say():
    human = [1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0]
    row = only(answers([1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0], human))

    assert row["ppi"] == pytest.approx(np.mean(human))
    half = (row["ppi_high"] - row["ppi_low"]) / 2
    assert half == pytest.approx(1.96 * np.std(human, ddof=1) / np.sqrt(8), rel=0.15)


def test_each_verdicts_labels_speak_for_its_answers(rng):
    """Stratified estimation by hand: share of yes x rightly yes + share of no x wrongly no."""
    score = np.repeat([1.0, 0.0], [300, 100])
    human = np.full(400, np.nan)
    human[:40] = np.repeat([1.0, 0.0], [30, 10])
    human[300:320] = np.repeat([1.0, 0.0], [5, 15])

    row = only(answers(score, human))

    assert row["raw"] == 0.75
    assert row["ppi"] == pytest.approx(0.75 * 0.75 + 0.25 * 0.25)
    by_label = 0.75**2 * 0.75 * 0.25 / 39 + 0.25**2 * 0.25 * 0.75 / 19
    by_item = 0.75 * 0.25 * (0.75 - 0.25) ** 2 / 400
    half = (row["ppi_high"] - row["ppi_low"]) / 2
    assert half == pytest.approx(1.96 * np.sqrt(by_label + by_item), rel=0.01)


def test_the_corrected_interval_is_wider_than_the_raw_one(rng):
    row = only(world(rng, models=((0.6, 0.9, 0.9),)))

    assert row["ppi_high"] - row["ppi_low"] > row["raw_high"] - row["raw_low"]


def test_a_judge_that_is_always_right_still_leaves_doubt(rng):
    rows = world(rng, models=((0.6, 1.0, 1.0),), labels=40)
    row = only(rows)

    assert row["ppi"] == row["raw"]
    assert row["ppi_high"] - row["ppi_low"] > row["raw_high"] - row["raw_low"]


def test_without_labels_nothing_is_corrected():
    row = only(answers([1.0, 0.0, 1.0], [np.nan] * 3))

    assert (row["raw"], row["labelled"]) == (pytest.approx(2 / 3), 0)
    assert row[["ppi", "ppi_low", "rogan_gladen", "rank_raw"]].isna().all()
    assert (
        row["why"] == "fewer than 2 labels where the judge says one of its verdicts" or row["why"]
    )


def test_nothing_at_all_is_an_empty_table():
    found = corrected.correct(
        pd.DataFrame(columns=COLUMNS).astype({"score": float, "human": float})
    )

    assert found.table.empty and found.pairs.empty


def test_unscored_answers_are_counted_and_left_out():
    row = only(answers([1.0, np.nan, 0.0, 1.0, 0.0], [1.0, 1.0, 0.0, 1.0, 0.0]))

    assert (row["n"], row["unscored"], row["labelled"]) == (4, 1, 4)


def test_a_turned_order_is_said_with_its_interval(rng):
    rows = world(rng, models=((0.7, 0.8, 0.95), (0.6, 0.98, 0.6)), labels=200)

    found = corrected.correct(rows)

    assert found.table["entry"].tolist() == ["m1", "m0"]
    assert found.table.set_index("entry")["rank_ppi"].to_dict() == {"m1": 2, "m0": 1}
    pair = found.pairs.iloc[0]
    assert pair["turns"] and pair["low"] < pair["corrected"] < pair["high"]


def test_the_same_answers_of_two_models_differ_by_nothing(rng):
    rows = world(rng, models=((0.6, 0.9, 0.8),))
    both = pd.concat([rows, rows.assign(entry="copy")])

    pair = corrected.correct(both).pairs.iloc[0]

    assert pair["corrected"] == 0
    assert not pair["turns"] and not pair["clear"]


def test_labels_drawn_by_another_judges_verdict_are_brought_back(rng):
    """Among answers this judge passes, mostly those were labelled that another one fails."""
    truth = (rng.random(4000) < 0.6).astype(float)
    score = np.where(rng.random(4000) < 0.9, truth, 1 - truth)
    other = np.where(rng.random(4000) < 0.9, truth, 1 - truth)
    drawn = rng.random(4000) < np.where(other == 1, 0.05, 0.4)
    rows = answers(score, np.where(drawn, truth, np.nan))

    blind, told = only(rows), only(rows.assign(stratum=other))

    assert abs(blind["ppi"] - truth.mean()) > 0.1
    assert told["ppi_low"] < truth.mean() < told["ppi_high"]


def test_the_order_of_answers_and_what_is_known_of_them_change_nothing(rng):
    rows = world(rng, even=True, shared=2).assign(stratum=lambda found: found["item"] % 3)
    known = rows.assign(
        drawn=corrected.drawn(rows), entry=rows["entry"].astype("category"), human=rows["human"]
    )

    plain = corrected.correct(rows).table.sort_values("entry", ignore_index=True)
    mixed = corrected.correct(rows.sample(frac=1, random_state=1)).table
    quick = corrected.correct(known).table.sort_values("entry", ignore_index=True)

    pd.testing.assert_frame_equal(plain, quick)
    pd.testing.assert_frame_equal(plain, mixed.sort_values("entry", ignore_index=True))


@pytest.mark.parametrize("kind", [{}, {"even": True}, {"graded": True}, {"shared": 4}])
def test_in_made_up_worlds_the_correction_is_unbiased_and_the_judge_is_not(kind):
    rng = np.random.default_rng(5)
    models = ((0.6, 0.95, 0.9), (0.65, 0.8, 0.9), (0.4, 0.9, 0.7))
    truth = [model[0] for model in models]
    found = [corrected.correct(world(rng, models=models, **kind)).table for _ in range(60)]

    by_entry = pd.concat(found).groupby("entry")
    bias = by_entry[["raw", "ppi"]].mean().sub(truth, axis=0)
    noise = by_entry["ppi"].std() / np.sqrt(60)
    assert (bias["ppi"].abs() < 3 * noise).all()
    assert bias["raw"].abs().max() > 0.08
