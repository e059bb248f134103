"""People among themselves and judges with themselves, beside printed examples."""

import numpy as np
import pandas as pd
import pytest

from evalcore.analysis import raters
from tests.analysis.test_agreement import labels

# Krippendorff (2011), "Computing Krippendorff's alpha-reliability": four observers, twelve units.
FOUR = {
    "a": "1 2 3 3 2 1 4 1 2 . . .",
    "b": "1 2 3 3 2 2 4 1 2 5 . 3",
    "c": ". 3 3 3 2 3 4 2 2 5 1 .",
    "d": "1 2 3 3 2 4 4 1 2 5 1 .",
}
TWO = {"a": "0 1 0 0 0 0 0 0 1 0", "b": "1 1 1 0 0 1 0 0 0 0"}


def values(row, low, high):
    return [None if cell == "." else (int(cell) - low) / (high - low) for cell in row.split()]


def test_alpha_of_grades_is_krippendorffs():
    found = raters.alpha(labels(**{rater: values(row, 1, 5) for rater, row in FOUR.items()}))

    assert found.value == pytest.approx(0.849, abs=0.0005)
    assert found.n == 11
    assert found.low < found.value < found.high


def test_alpha_of_yes_and_no_is_krippendorffs():
    found = raters.alpha(labels(**{rater: values(row, 0, 1) for rater, row in TWO.items()}))

    assert found.value == pytest.approx(0.095, abs=0.0005)


@pytest.mark.parametrize("said", [("yes", "yes", "yes"), ("unsure",) * 3, (None, None, None)])
def test_alpha_is_not_defined_where_labels_do_not_vary_or_meet(said):
    found = raters.alpha(labels(a=("yes", "yes", "yes"), b=said))

    assert np.isnan(found.value) and np.isnan(found.low)


def test_two_raters_agree_by_hand():
    row = raters.pairs(labels(a=("yes", "yes", "no", "no"), b=("yes", "no", "no", "unsure")))

    assert row[["a", "b", "n"]].to_numpy().tolist() == [["a", "b", 3]]
    assert row["accuracy"].iloc[0] == pytest.approx(2 / 3)
    # chance: 2/3 x 1/3 both yes + 1/3 x 2/3 both no = 4/9
    assert row["kappa"].iloc[0] == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))


def test_one_rater_has_nobody_to_agree_with():
    assert raters.pairs(labels(a=("yes", "no"))).empty


def verdicts(scores, usd=np.nan):
    """repeat → scores of the items of one run."""
    rows = [
        (f"{item}", repeat, score) for repeat, s in scores.items() for item, score in enumerate(s)
    ]
    frame = pd.DataFrame(rows, columns=["item", "repeat", "score"])
    return frame.assign(metric="j", version="1", run="r", usd=usd)


def test_repeats_are_told_apart_from_the_questions():
    row = raters.repeats(verdicts({0: [1.0, 0.0, 0.5], 1: [1.0, 1.0, np.nan]})).iloc[0]

    assert (row["verdicts"], row["repeated"]) == (6, 2)
    assert row["unparsed"] == pytest.approx(1 / 6)
    assert row["differ"] == pytest.approx(1 / 2)
    assert row["sd"] == pytest.approx(np.std([0, 1], ddof=1) / 2)
    # means 0.5 and 1 over the two questions that both repeats scored
    assert row["sd_total"] == pytest.approx(np.std([0.5, 1], ddof=1))


def test_spreads_are_pandas_for_many_runs_items_and_gaps(rng):
    rows = pd.DataFrame(
        {
            "run": rng.choice(["r", "s"], 900),
            "item": rng.integers(0, 120, 900).astype(str),
            "repeat": rng.integers(0, 3, 900),
            "score": rng.choice([0.0, 0.1, 0.3, 1.0, np.nan], 900),
        }
    ).drop_duplicates(["run", "item", "repeat"])

    row = raters.repeats(rows.assign(metric="j", version="1", usd=np.nan)).iloc[0]

    by_answer = rows.dropna().groupby(["run", "item"])["score"]
    spread = by_answer.std()[by_answer.size() > 1]
    assert row["repeated"] == len(spread)
    assert row["sd"] == pytest.approx(spread.mean())
    assert row["differ"] == pytest.approx((by_answer.nunique() > 1).sum() / len(spread))
    totals = [
        own.pivot(index="item", columns="repeat", values="score").dropna().mean().var()
        for _, own in rows.groupby("run")
    ]
    assert row["sd_total"] == pytest.approx(np.sqrt(np.mean(totals)))


def test_a_judge_that_never_repeats_has_no_spread_and_an_unknown_price_no_cost():
    row = raters.repeats(verdicts({0: [1.0, 0.0]})).iloc[0]

    assert np.isnan(row["differ"]) and np.isnan(row["sd"]) and np.isnan(row["sd_total"])
    assert np.isnan(row["usd_per_1000"]) and row["priced"] == 0
    assert row["unparsed"] == 0 and row["unparsed_high"] > 0.5


def test_cost_is_per_thousand_verdicts():
    assert raters.repeats(verdicts({0: [1.0] * 4}, usd=0.002)).iloc[0]["usd_per_1000"] == 2
