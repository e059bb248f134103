"""Routing tables, by hand-made cases."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalcore.analysis import routing
from evalcore.errors import BadInput

HALF = 50
KIND = pd.Series(["chart"] * HALF + ["map"] * HALF, index=range(2 * HALF))


def world(**shares):
    """Each entry's share right on charts and on maps, spread evenly."""
    columns = {
        name: [float(place < 10 * share) for share in pair for place in list(range(10)) * 5]
        for name, pair in shares.items()
    }
    return pd.DataFrame(columns)


def prices(**each):
    return pd.DataFrame({name: [price] * 2 * HALF for name, price in each.items()})


def plan(scores, **more):
    return routing.route(scores, KIND, np.random.default_rng(2), **more)


def sent(found):
    return dict(zip(found.table["kind"], found.table["entry"], strict=True))


def test_each_kind_goes_to_its_specialist():
    found = plan(world(a=(0.9, 0.5), b=(0.4, 0.8)))

    assert sent(found) == {"chart": "a", "map": "b"}
    assert found.single == "a"
    assert (found.score, found.single_score) == pytest.approx((0.85, 0.7))
    assert found.gain == pytest.approx(0.15)
    scores = world(a=(0.9, 0.5), b=(0.4, 0.8))
    gained = (scores["b"] - scores["a"]).where(KIND == "map", 0)
    # Five folds share items that plans are made from: sqrt(1 + 5/4) = 1.5 times as wide.
    half = 1.5 * stats.t.ppf(0.975, 99) * stats.sem(gained)
    assert found.gain_high - found.gain == pytest.approx(half)
    assert found.gain_low < 0.15 < found.gain_high
    assert found.table["score"].tolist() == pytest.approx([0.9, 0.8])
    assert found.n == 100


def test_one_model_that_is_best_at_all_gains_nothing():
    found = plan(world(a=(0.9, 0.9), b=(0.4, 0.8)))

    assert set(sent(found).values()) == {"a"}
    assert found.gain == 0 and np.isnan(found.gain_low)


def test_picking_among_equal_models_looks_better_than_it_is(rng):
    seen, honest = [], []
    for _ in range(40):
        scores = pd.DataFrame((rng.random((200, 6)) < 0.6).astype(float), columns=list("abcdef"))
        kind = pd.Series(np.repeat([f"k{place}" for place in range(8)], 25))
        found = routing.route(scores, kind, rng)
        seen.append(found.score - found.single_score)
        honest.append(found.gain)

    assert np.mean(seen) > 0.05
    assert abs(np.mean(honest)) < 0.02


def test_a_budget_buys_the_dear_model_only_where_it_helps_most():
    scores = world(dear=(0.9, 0.8), cheap=(0.4, 0.7))
    cost = prices(dear=0.010, cheap=0.001)

    found = plan(scores, cost=cost, settings=routing.Settings(budget=0.006))

    assert sent(found) == {"chart": "dear", "map": "cheap"}
    assert found.single == "cheap"
    assert found.cost == pytest.approx(0.0055) and found.single_cost == pytest.approx(0.001)
    assert found.gain == pytest.approx(0.25)


def test_a_budget_that_nobody_meets_gives_no_plan():
    found = plan(world(a=(1, 0)), cost=prices(a=0.1), settings=routing.Settings(budget=0.01))

    assert found.single == "" and found.table.empty and np.isnan(found.gain)
    assert (found.cheapest, found.cheapest_mix) == pytest.approx((0.1, 0.1))


def test_a_mix_may_be_cheaper_than_each_of_its_entries():
    cost = pd.DataFrame({"a": [1.0, 9.0], "b": [9.0, 1.0]}).loc[np.repeat([0, 1], HALF)]

    found = plan(world(a=(1, 0), b=(1, 0)), cost=cost.reset_index(drop=True))

    assert (found.cheapest, found.cheapest_mix) == pytest.approx((5.0, 1.0))
    assert sent(found) == {"chart": "a", "map": "b"} and found.cost == pytest.approx(1.0)


def test_an_unknown_cost_passes_no_budget():
    scores = world(a=(0.9, 0.9), b=(0.4, 0.4))

    found = plan(scores, cost=prices(a=np.nan, b=0.001), settings=routing.Settings(budget=1.0))

    assert set(sent(found).values()) == {"b"}
    with pytest.raises(BadInput, match="budget"):
        plan(scores, settings=routing.Settings(budget=1.0))


@pytest.mark.parametrize("budget", [None, 20.0])
@pytest.mark.parametrize(
    ("costs", "first"),
    [
        ({"a": 10.0, "b": 0.1}, "b"),
        ({"a": np.nan, "b": 0.1}, "b"),
        ({"a": 0.1, "b": 0.1}, "a"),
        ({"b": 0.1, "a": 0.1}, "a"),
    ],
)
def test_of_equals_the_cheapest_answers_then_the_first_by_name(costs, first, budget):
    scores = world(**dict.fromkeys(costs, (0.9, 0.5)))

    found = plan(scores, cost=prices(**costs), settings=routing.Settings(budget=budget))

    assert found.single == first
    assert set(sent(found).values()) == {first}
    assert found.gain == 0, "in each fold too"


def test_without_costs_the_order_of_columns_does_not_matter():
    scores = world(b=(0.9, 0.5), a=(0.9, 0.5), c=(0.4, 0.5))

    for columns in (["b", "a", "c"], ["c", "a", "b"]):
        found = plan(scores[columns])
        assert (found.single, set(sent(found).values())) == ("a", {"a"})


@pytest.mark.parametrize("budget", [None, 20.0])
def test_a_kind_goes_to_a_cheaper_equal_of_the_best_single_one(budget):
    scores = world(best=(0.9, 0.5), cheap=(0.4, 0.5), dear=(0.4, 0.5))
    cost = prices(best=10.0, cheap=0.1, dear=11.0)

    found = plan(scores, cost=cost, settings=routing.Settings(budget=budget))

    assert found.single == "best"
    assert sent(found) == {"chart": "best", "map": "cheap"}
    assert found.gain == 0 and found.cost == pytest.approx(5.05)


@pytest.mark.parametrize("budget", [1.0, 2.0, 3.0, 4.5, 9.0])
def test_no_plan_within_a_budget_is_beaten_by_one_as_cheap(budget):
    # All 3**4 plans, tried one by one: the search may stop short of the best, but never takes one
    # that costs more than another that is as good.
    rng = np.random.default_rng(7)
    kind = pd.Series(np.repeat(list("wxyz"), 10))
    for _ in range(20):
        scores = pd.DataFrame(rng.integers(0, 2, (40, 3)), columns=list("abc"), dtype=float)
        each = pd.DataFrame(rng.integers(1, 10, (1, 3)), columns=list("abc"), dtype=float)
        cost = pd.concat([each] * 40, ignore_index=True)
        found = routing.route(scores, kind, rng, cost=cost, settings=routing.Settings(budget))
        if not found.single:
            assert each.min(axis=1)[0] > budget
            continue
        right = scores.groupby(kind).sum()
        for choice in itertools.product("abc", repeat=4):
            total = sum(right.loc[one, entry] for one, entry in zip("wxyz", choice, strict=True))
            paid = np.mean([each[entry][0] for entry in choice])
            assert not (total >= 40 * found.score - 1e-9 and paid < found.cost - 1e-9)


def test_few_clusters_cannot_be_split_for_an_honest_gain():
    cluster = pd.Series(["x", "y"] * HALF)

    found = plan(world(a=(0.9, 0.5), b=(0.4, 0.8)), cluster=cluster)

    assert np.isnan(found.gain) and found.score == pytest.approx(0.85)


def test_items_of_one_cluster_are_never_on_both_sides():
    # Each image's answers are one coin: in-sample choice by image would look perfect.
    rng = np.random.default_rng(4)
    image = np.repeat(np.arange(20), 5)
    coin = rng.random((20, 2)) < 0.5
    scores = pd.DataFrame(coin[image].astype(float), columns=["a", "b"])
    kind = pd.Series([f"image {place}" for place in image])

    found = routing.route(scores, kind, rng, cluster=pd.Series(image))

    assert found.score - found.single_score > 0.1
    assert abs(found.gain) < 0.1


def test_nothing_to_route():
    assert plan(world(a=(1, 1)).iloc[:0]).single == ""
    assert plan(world(a=(1, 1)) * np.nan).n == 0


def test_kinds_are_exact_sets_and_small_ones_are_joined():
    tags = pd.DataFrame(
        [("q1", "cap", "ocr"), ("q1", "cap", "know"), ("q2", "cap", "ocr"), ("q3", "cap", "know")]
        + [("q4", "cap", "ocr"), ("q4", "cap", "know"), ("q9", "cap", "ocr"), ("q5", "x", "ocr")],
        columns=["item", "axis", "tag"],
    )

    found = routing.kinds(tags, "cap", pd.Index(["q1", "q2", "q3", "q4", "q5"]), least=2)

    assert found.to_dict() == {
        "q1": "know + ocr",
        "q2": routing.OTHER,
        "q3": routing.OTHER,
        "q4": "know + ocr",
    }
