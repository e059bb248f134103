import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalcore.analysis import distillation
from evalcore.errors import BadInput

GROUPS = pd.DataFrame({"benchmark": list("abcdef"), "group": list("xxxyyz")})


@pytest.fixture
def table(rng):
    """Thirty models of six families on seven benchmarks; g is in no group."""
    skill = rng.normal(size=(30, 2))
    mixed = skill @ rng.normal(size=(2, 7)) + 0.4 * rng.normal(size=(30, 7))
    values = 0.5 + 0.1 * mixed
    return pd.DataFrame(values, [f"m{place}" for place in range(30)], list("abcdefg"))


@pytest.fixture
def families(table):
    return pd.Series([f"family {place % 6}" for place in range(30)], table.index)


@pytest.fixture
def job(table, families):
    return distillation.task(table, GROUPS, families)


def refitted(job, chosen):
    """The slow way: for each unit a least-squares fit with the penalty as rows of its own."""
    scaled = (job.table - job.table.mean()) / job.table.std(ddof=0)
    inputs = np.column_stack([np.ones(len(scaled)), scaled[chosen]])
    told = job.wanted.copy()
    shrink = np.column_stack([np.zeros(len(chosen)), np.eye(len(chosen))])
    for unit in job.held.unique():
        out = (job.held == unit).to_numpy()
        left = np.vstack([inputs[~out], np.sqrt(distillation.PENALTY) * shrink])
        right = np.vstack([job.wanted[~out], np.zeros((len(chosen), job.wanted.shape[1]))])
        told.loc[out] = inputs[out] @ np.linalg.lstsq(left, right, rcond=None)[0]
    return told


def by_hand(job, chosen):
    off = (refitted(job, list(chosen)) - job.wanted).abs().mean()
    return off["all benchmarks"] / 2 + off[["x", "y", "z"]].mean() / 2


def test_what_is_predicted_is_the_mean_over_all_and_over_each_group(job, table):
    assert list(job.wanted) == ["all benchmarks", "x", "y", "z"]
    assert job.wanted["all benchmarks"].to_numpy() == pytest.approx(table.mean(axis=1))
    assert job.wanted["x"].to_numpy() == pytest.approx(table[["a", "b", "c"]].mean(axis=1))


@pytest.mark.parametrize("chosen", [["a"], ["g", "b"], list("abcdef")])
def test_predictions_equal_a_new_fit_without_each_family(job, chosen):
    told = distillation.predict(job, chosen)

    pd.testing.assert_frame_equal(told, refitted(job, chosen))


def test_predictions_equal_a_new_fit_without_each_model(table):
    job = distillation.task(table, GROUPS)

    told = distillation.predict(job, ["c", "d"])

    assert job.held.nunique() == 30
    pd.testing.assert_frame_equal(told, refitted(job, ["c", "d"]))


def test_the_first_benchmark_is_the_best_of_all_and_the_next_the_best_beside_it(job):
    chosen = distillation.forward(job, 3)

    assert chosen[0] == min("abcdefg", key=lambda name: by_hand(job, [name]))
    left = [name for name in "abcdefg" if name != chosen[0]]
    assert chosen[1] == min(left, key=lambda name: by_hand(job, [chosen[0], name]))


def test_measure_says_error_and_rank_as_computed_by_hand(job):
    found = distillation.measure(job, ["a", "e"])

    told = refitted(job, ["a", "e"])
    rank = stats.spearmanr(told["all benchmarks"], job.wanted["all benchmarks"])[0]
    assert found["error"] == pytest.approx(by_hand(job, ["a", "e"]))
    assert found["rank"] == pytest.approx(rank)
    assert (found["size"], found["n"], found["units"]) == (2, 30, 6)
    assert found["low"] < found["error"] < found["high"]


def test_honest_predictions_of_a_family_come_from_a_choice_without_it(job, table, families):
    found = distillation.path(job, 2)

    told = job.wanted.copy()
    for family in families.unique():
        out = families == family
        rest = distillation.task(table[~out], GROUPS, families[~out])
        told.loc[out] = refitted(job, distillation.forward(rest, 2))[out]
    off = (told - job.wanted).abs().mean()
    expected = off["all benchmarks"] / 2 + off[["x", "y", "z"]].mean() / 2
    assert found["honest_error"].iloc[1] == pytest.approx(expected)


def test_with_many_units_the_choice_is_repeated_in_parts(table):
    job = distillation.task(table, GROUPS)

    found = distillation.path(job, 2)

    assert set((found["again"] * distillation.FOLDS).round(9) % 1) == {0}
    assert found["honest_error"].notna().all()


def test_an_honest_error_is_larger_in_the_long_run_than_that_of_the_set_as_chosen():
    rng = np.random.default_rng(3)
    gaps = []
    for _ in range(8):
        noise = pd.DataFrame(0.5 + 0.1 * rng.normal(size=(16, 8)), columns=list("abcdefgh"))
        found = distillation.path(distillation.task(noise, GROUPS), 3)
        gaps.append((found["honest_error"] - found["error"]).iloc[-1])
    assert np.mean(gaps) > 0


def test_a_copy_of_a_model_gives_the_answer_away_unless_both_are_held_out(rng):
    values = 0.5 + 0.1 * rng.normal(size=(12, 6))
    table = pd.DataFrame(np.repeat(values, 2, axis=0), columns=list("abcdef"))
    twins = pd.Series([f"twin {place // 2}" for place in range(24)], table.index)

    alone = distillation.measure(distillation.task(table, GROUPS), list("abcde"))
    together = distillation.measure(distillation.task(table, GROUPS, twins), list("abcde"))

    assert alone["error"] < together["error"]


def test_random_sets_are_the_same_every_time_and_lie_around_all_pairs(job):
    found = distillation.random_sets(job, [2, 4])

    pd.testing.assert_frame_equal(found, distillation.random_sets(job, [2, 4]))
    again = distillation.random_sets(job, [4])
    assert found.iloc[1].to_list() == again.iloc[0].to_list()
    every = [by_hand(job, pair) for pair in itertools.combinations("abcdefg", 2)]
    row = found.iloc[0]
    assert min(every) - 1e-9 <= row["low"] <= row["error"] <= row["high"] <= max(every) + 1e-9
    assert row["error"] == pytest.approx(np.median(every), rel=0.1)


def test_a_table_that_one_benchmark_determines_needs_that_one_only(rng):
    skill = rng.random(20)
    table = pd.DataFrame({name: skill for name in "abcde"})

    found = distillation.path(distillation.task(table, GROUPS[:5]), 2)

    assert distillation.enough(found, 0.03) == 1
    assert found["error"].iloc[0] < 0.02
    assert distillation.enough(found, 0.0) is None


def test_few_units_give_no_interval(table):
    halves = pd.Series(["one", "two"] * 15, table.index)

    found = distillation.measure(distillation.task(table, GROUPS, halves), ["a"])

    assert np.isnan(found["low"]) and np.isnan(found["high"])
    assert found["error"] > 0


def test_a_benchmark_that_does_not_vary_says_nothing_and_breaks_nothing(table):
    flat = table.assign(a=0.5)

    found = distillation.measure(distillation.task(flat, GROUPS), ["a"])

    assert np.isfinite(found["error"])


def test_without_groups_the_error_is_that_of_the_mean_over_all(table):
    found = distillation.measure(distillation.task(table, GROUPS[:0]), ["b"])

    assert found["error"] == found["overall"]
    assert np.isnan(found["groups"])


def test_the_complete_part_of_a_table_has_no_gap_and_most_values(table):
    holes = table.copy()
    holes.loc["m0":"m14", ["f", "g"]] = np.nan
    holes.loc["m29"] = np.nan

    cut = distillation.complete(holes)

    assert list(cut) == list("abcde")
    assert list(cut.index) == [f"m{place}" for place in range(29)]


def test_a_table_full_of_holes_has_no_complete_part(table):
    assert distillation.complete(table.mask(table.index.to_series().ge("m1"))).empty


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.mask(t > 0.6), "gaps"),
        (lambda t: t.iloc[:7], "a table of 7 models and 7 benchmarks is too small to distil"),
        (lambda t: t[["a", "b", "c"]], "a table of 30 models and 3 benchmarks is too small"),
    ],
)
def test_what_cannot_be_distilled_is_said(table, change, message):
    with pytest.raises(BadInput, match=message):
        distillation.task(change(table), GROUPS)


def test_one_family_leaves_nothing_to_learn_from(table):
    with pytest.raises(BadInput, match="all models are of 'ViT': nothing would be left"):
        distillation.task(table, GROUPS, pd.Series("ViT", table.index))


@pytest.mark.parametrize("chosen", [[], ["a", "nonsense"]])
def test_unknown_benchmarks_are_named(job, chosen):
    with pytest.raises(BadInput, match="in the table; known: a, b, c, d, e, f, g"):
        distillation.predict(job, chosen)
