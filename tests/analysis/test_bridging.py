"""An old judge bridged by a new one on the same answers."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalcore.analysis import bridging


def answers(**models):
    """model=(old scores, new scores)."""
    parts = [
        pd.DataFrame({"model": model, "item": range(len(old)), "old": old, "new": new})
        for model, (old, new) in models.items()
    ]
    rows = pd.concat(parts, ignore_index=True)
    return rows.assign(cluster=rows["item"])


def test_the_offset_of_one_model_is_the_paired_difference(rng):
    old, new = rng.random(80), rng.random(80)

    found = bridging.bridge(answers(m=(old, new))).models.iloc[0]

    theirs = stats.ttest_rel(new, old)
    assert found["offset"] == pytest.approx(np.mean(new - old))
    ends = theirs.confidence_interval()
    assert (found["offset_low"], found["offset_high"]) == pytest.approx(tuple(ends))


def test_another_models_offset_is_students_prediction_interval(rng):
    made = {f"m{count}": (rng.random(50), rng.random(50)) for count in range(4)}

    found = bridging.bridge(answers(**made))

    offsets = [np.mean(new - old) for old, new in made.values()]
    half = stats.t.ppf(0.975, 3) * np.std(offsets, ddof=1) * np.sqrt(1 + 1 / 4)
    assert found.offset.value == pytest.approx(np.mean(offsets))
    assert found.another == pytest.approx((np.mean(offsets) - half, np.mean(offsets) + half))


def test_a_turned_order_is_found_with_the_interval_of_the_change():
    found = bridging.bridge(answers(a=([1, 1, 1, 0], [1, 0, 0, 0]), b=([1, 0, 1, 0], [1, 0, 1, 1])))

    assert found.models["rank_old"].tolist() == [1, 2]
    assert found.models["rank_new"].tolist() == [2, 1]
    pair = found.pairs.iloc[0]
    assert (pair["old"], pair["new"], pair["turns"]) == (0.25, -0.5, True)
    # item by item (a minus b): 0, -1, -1, -1: the models share the items
    assert pair["change"] == -0.75
    moved = np.array([0, -1, -1, -1])
    half = 1.96 * moved.std(ddof=1) / 2
    assert pair["high"] - pair["change"] == pytest.approx(half, rel=1e-3)
    assert found.alike.value == 5 / 8


def test_answers_that_one_judge_left_out_do_not_count():
    found = bridging.bridge(answers(m=([1, np.nan, 0], [1, 1, np.nan])))

    assert found.models["n"].tolist() == [1]
    assert np.isnan(found.models["offset_low"].iloc[0])


def test_one_model_says_nothing_about_another():
    found = bridging.bridge(answers(m=([1, 0, 1], [1, 1, 1])))

    assert np.isnan(found.spread) and np.isnan(found.another).all()


def test_two_judges_that_say_the_same_leave_no_interval_of_width_zero():
    found = bridging.bridge(answers(a=([1, 0], [1, 0]), b=([1, 1], [1, 1])))

    assert found.offset.value == 0
    assert np.isnan(found.offset.low) and np.isnan(found.another).all()
    assert not found.pairs["turns"].any()


def test_without_common_answers_there_is_no_bridge():
    found = bridging.bridge(answers(m=([np.nan], [1.0])))

    assert found.models.empty and np.isnan(found.offset.value)
