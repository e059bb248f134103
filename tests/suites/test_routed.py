"""Routing from a benchmark's runs: who shares the questions, and what each answer costs."""

import numpy as np
import pandas as pd
import pytest

from evalcore.decision.eligible import eligible_runs
from evalcore.decision.market import Market
from evalcore.decision.needs import Needs
from evalcore.suites import routed
from evalcore.suites.item_results import ItemResults

N = 60
ITEMS = pd.Index([f"q{place}" for place in range(N)], name="item")


def world(usd=(), **scores):
    """Runs whose even questions are charts; ``usd`` holds each run's dollars an answer."""
    entries = pd.DataFrame(
        {"run": list(scores), "model": list(scores), "metric": "exact"},
        index=pd.Index(list(scores), name="entry"),
    )
    answers = pd.DataFrame(
        [
            (run, item, dict(usd).get(run, [np.nan] * N)[place], 1.0)
            for run in scores
            for place, item in enumerate(ITEMS)
        ],
        columns=["run", "item", "usd", "seconds"],
    )
    tags = pd.DataFrame({"item": ITEMS, "axis": "kind", "tag": ["chart", "map"] * (N // 2)})
    table = pd.DataFrame(scores, index=ITEMS, dtype=float)
    unused = pd.DataFrame()
    return ItemResults(
        benchmark="b",
        items=pd.DataFrame({"cluster": ITEMS}, ITEMS),
        tags=tags,
        entries=entries,
        scores=table,
        repeat_sd=table,
        asked=table.notna(),
        failed=table.isna(),
        read_answers=lambda: answers,
        read_verdicts=lambda: unused,
    )


def entering(found, **limits):
    models = pd.DataFrame({"model": [], "params_b": [], "open_weights": [], "licence": []})
    of = {entry: str(found.entries["model"][entry]) for entry in found.entries.index}
    told = routed.measured(found, list(of))
    return eligible_runs(of, models.astype(object), Needs("", "", **limits), Market(), told)


CHARTS, MAPS, ALL = [1, 0] * (N // 2), [0, 1] * (N // 2), [1] * N


def test_each_kind_goes_to_its_best_with_costs_as_measured_or_as_stated():
    found = world(usd={"a": [0.002] * N}, a=CHARTS, b=MAPS)
    who = entering(found, usd_per_1000=(("b", 3.0),))

    plan = routed.plan(found, routed.pool(found, [], ["a", "b"]), "kind", who)

    rows = plan.table.set_index("kind")
    assert rows["entry"].to_dict() == {"chart": "a", "map": "b"}
    assert rows["cost"].to_dict() == pytest.approx({"chart": 0.002, "map": 0.003})
    assert plan.score == 1 and plan.single_score == 0.5
    assert plan.cost == pytest.approx(0.0025)


def test_a_run_whose_failed_calls_alone_have_a_cost_has_none():
    mostly = [0.002] * (N - 5) + [np.nan] * 5
    found = world(usd={"a": [0.0] + [np.nan] * (N - 1), "b": mostly}, a=CHARTS, b=MAPS)

    told = routed.measured(found, ["a", "b"])

    assert np.isnan(told["usd"]["a"])
    assert told.loc["b", ["usd", "usd_n"]].tolist() == pytest.approx([2.0, N - 5])


def test_without_a_run_that_meets_the_limits_there_is_no_plan():
    found = world(a=CHARTS, b=MAPS)

    plan = routed.plan(found, routed.pool(found, [], []), "kind", entering(found))

    assert plan.single == "" and plan.table.empty


def test_the_chosen_are_in_and_others_join_while_most_questions_stay_common():
    few = [1.0] * 10 + [np.nan] * (N - 10)
    found = world(a=CHARTS, b=few, c=ALL)

    assert list(routed.pool(found, ["a"], ["a", "b", "c"])) == ["a", "c"]
    assert list(routed.pool(found, ["b"], ["a", "b", "c"])) == ["b", "a", "c"]
    assert list(routed.pool(found, [], ["a", "b", "c"])) == ["a", "c"]
    assert list(routed.pool(found, [], ["b"])) == ["b"]


def left_out(found, budget=None, chosen=(), **limits):
    who = entering(found, **limits)
    allowed = who.admissible(budget)
    scores = routed.pool(found, list(chosen), allowed)
    plan = routed.plan(found, scores, "kind", who, budget)
    out = routed.left_out(found, scores, plan, "kind", who, allowed, budget)
    return routed.nothing(plan, budget), dict(zip(out["entry"], out["limit"], strict=True))


def test_a_run_with_too_few_common_questions_is_named_with_their_number():
    few = [1.0] * 10 + [np.nan] * (N - 10)

    said, out = left_out(world(a=CHARTS, b=few, c=ALL))

    assert said == ""
    assert out == {
        "b": "too few common questions: it has a score for 10 of the 60 that the others share"
    }


def test_those_after_the_most_that_are_compared_together_are_named():
    runs = {f"r{place:02}": ALL for place in range(routed.MOST + 1)}

    _, out = left_out(world(**runs), chosen=["r20"])

    assert out == {"r19": "comes after the 20 that share most questions"}


def test_a_budget_that_nobody_meets_is_told_with_what_the_cheapest_costs():
    found = world(usd={"a": [0.000106] * N, "b": [0.002] * N}, a=CHARTS, b=MAPS, c=ALL)

    said, out = left_out(found, 0.00005)

    assert said == (
        "No run and no mix of runs fits the budget of 0.05 USD: the cheapest costs 0.106 USD per "
        "1,000 questions. Runs of unknown cost cannot be within a budget."
    )
    assert out == {
        "a": "costs 0.106 USD per 1,000 questions, over the budget of 0.05 USD",
        "b": "costs 2 USD per 1,000 questions, over the budget of 0.05 USD",
    }
    assert left_out(found, 0.001) == ("", {}), "the dear one may answer where it helps"


def test_a_mix_that_alone_fits_a_budget_has_nobody_to_be_compared_with():
    found = world(
        usd={"a": [0.001, 0.009] * (N // 2), "b": [0.009, 0.001] * (N // 2)}, a=ALL, b=ALL
    )

    said, out = left_out(found, 0.002)

    assert said.startswith("No run alone fits the budget of 2 USD, so there is none to compare")
    assert set(out) == {"a", "b"}
