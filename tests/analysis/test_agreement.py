"""A judge against people: figures beside statsmodels and scipy, and the cases that have none."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from evalcore.analysis import agreement, intervals
from evalcore.errors import BadInput


def labels(**said):
    """rater=(label, label, ...), one item each; None is no label."""
    rows = [
        ("r", str(item), rater, str(label))
        for rater, row in said.items()
        for item, label in enumerate(row)
        if label is not None
    ]
    return pd.DataFrame(rows, columns=["run", "item", "rater", "label"])


def pairs(human, score, **more):
    size = len(human)
    alone = {"cluster": [f"c{item}" for item in range(size)], "weight": 1.0, "model": "m"}
    about = {"metric": "j", "version": "1", "human": human, "score": score, **alone, **more}
    return pd.DataFrame(about, index=range(size))


@pytest.fixture
def noisy(rng):
    yes = rng.integers(0, 2, 200)
    return yes, np.where(rng.random(200) < 0.8, yes, 1 - yes)


def test_accuracy_of_independent_answers_has_the_wilson_interval(noisy):
    yes, said = noisy

    found = agreement.share(yes == said, np.ones(200), range(200))

    low, high = intervals.wilson((yes == said).mean(), 199)  # the variance divides by n - 1
    assert (found.value, found.n) == ((yes == said).mean(), 200)
    assert (found.low, found.high) == pytest.approx((float(low), float(high)), abs=1e-9)


def test_kappa_and_its_error_are_those_of_statsmodels(noisy):
    found = agreement.kappa(*noisy, np.ones(200), range(200))

    theirs = cohens_kappa(pd.crosstab(*noisy).to_numpy())
    assert found.value == pytest.approx(theirs.kappa)
    assert found.se == pytest.approx(np.sqrt(theirs.var_kappa * 200 / 199))
    assert found.low < found.value < found.high


@pytest.mark.parametrize("digits", [0, 1, 3])
def test_tau_is_scipys_for_labels_against_grades(noisy, rng, digits):
    yes, _ = noisy
    score = np.round(yes * 0.3 + rng.random(200), digits)

    found = agreement.tau_b(yes, score, np.ones(200), range(200))

    assert found.value == pytest.approx(stats.kendalltau(yes, score).statistic)


def test_taus_error_is_what_resampling_gives(noisy, rng):
    yes, _ = noisy
    score = np.round(yes * 0.3 + rng.random(200), 1)
    draws = [
        agreement.tau_b(yes[draw], score[draw], np.ones(200), range(200)).value
        for draw in rng.integers(0, 200, (500, 200))
    ]

    found = agreement.tau_b(yes, score, np.ones(200), range(200))

    assert found.se == pytest.approx(np.std(draws), rel=0.12)


def test_answers_that_share_a_picture_count_as_one(noisy):
    yes, said = (np.repeat(values, 3) for values in noisy)
    ones, shared = np.ones(600), np.repeat(range(200), 3)

    for figure in (agreement.kappa, agreement.tau_b):
        found = figure(yes, said, ones, shared)
        alone = figure(*noisy, np.ones(200), range(200))
        assert (found.value, found.se) == pytest.approx((alone.value, alone.se))


def test_a_weight_of_two_is_the_answer_twice(noisy):
    yes, said = noisy
    weight = np.where(yes, 2.0, 1.0)
    twice = np.repeat(np.arange(200), weight.astype(int))

    for figure in (agreement.kappa, agreement.tau_b):
        weighed = figure(yes, said, weight, range(200))
        repeated = figure(yes[twice], said[twice], np.ones(len(twice)), twice)
        assert (weighed.value, weighed.se) == pytest.approx((repeated.value, repeated.se))


@pytest.mark.parametrize(
    ("human", "score"),
    [([], []), ([1.0], [1.0]), ([1.0, 1.0], [1.0, 1.0]), ([0.0, 1.0], [1.0, 1.0])],
)
def test_what_is_not_defined_is_not_a_number(human, score):
    row = agreement.table(pairs(human, score)) if human else None
    found = agreement.tau_b(human, score, np.ones(len(human)), range(len(human)))

    assert np.isnan(found.value) and np.isnan(found.low)
    if row is not None:
        assert row["tau"].isna().all() and row["kappa_low"].isna().all()


def test_perfect_agreement_has_no_interval_of_width_zero():
    found = agreement.kappa([1, 0, 1, 0], [1, 0, 1, 0], np.ones(4), range(4))
    right = agreement.share([1, 1, 1, 1], np.ones(4), range(4))

    assert found.value == 1 and np.isnan(found.low)
    assert (right.low, right.high) == pytest.approx((0.51, 1), abs=0.01)


def test_the_table_counts_what_it_leaves_out():
    human = [1.0, 0.0, 1.0, np.nan, 1.0]
    rows = pairs(human, [1.0, 1.0, np.nan, 1.0, 0.0])

    row = agreement.table(rows).iloc[0]

    assert (row["n"], row["undecided"], row["unscored"]) == (3, 1, 1)
    cells = row[["both_yes", "only_judge", "only_people", "both_no"]]
    assert cells.tolist() == [1, 1, 1, 0]
    assert row["accuracy"] == pytest.approx(1 / 3)
    assert row["bias"] == pytest.approx(0)
    assert row["common"] == pytest.approx(2 / 3)


def test_a_judge_that_errs_on_one_model_shows_there():
    good = pairs([1.0, 0.0] * 20, [1.0, 0.0] * 20, model="good")
    bad = pairs([1.0, 0.0] * 20, [1.0, 1.0] * 20, model="bad")

    found = agreement.table(pd.concat([good, bad]), ["metric", "version", "model"])

    assert found.set_index("model")["accuracy"].to_dict() == {"good": 1.0, "bad": 0.5}
    assert found.set_index("model").loc["bad", ["bias", "specificity"]].tolist() == [0.5, 0]


def test_the_majority_counts_and_a_tie_is_undecided():
    said = labels(a=("yes", "yes", "no"), b=("yes", "no", "unsure"), c=("no", None, "no"))

    found = agreement.consensus(said).set_index("item")

    assert found["human"].tolist()[0::2] == [1, 0]
    assert np.isnan(found.loc["1", "human"])
    assert found["raters"].tolist() == [3, 2, 3]


def test_grades_are_averaged():
    found = agreement.consensus(labels(a=("0.5", "1"), b=("1", "1")))

    assert found["human"].tolist() == [0.75, 1]


def test_a_label_that_is_none_is_an_error():
    with pytest.raises(BadInput, match="label 'maybe' should be yes, no, unsure or a grade in 0"):
        agreement.grades(pd.Series(["yes", "maybe"]))


def test_labels_meet_the_verdicts_of_their_run():
    people = agreement.consensus(labels(a=("yes", "no")))
    entries = pd.DataFrame(
        {"run": ["r", "r", "s"], "model": "m", "metric": ["x", "y", "x"], "version": "1"},
        index=["r/x", "r/y", "s/x"],
    )
    scores = pd.DataFrame([[1.0, 0.0, 0.5]], index=["0"], columns=entries.index)

    found = agreement.joined(people, scores, entries, pd.Series({"0": "photo"}))

    assert found[["entry", "item", "score", "human", "cluster"]].to_numpy().tolist() == [
        ["r/x", "0", 1.0, 1.0, "photo"],
        ["r/y", "0", 0.0, 1.0, "photo"],
    ]
