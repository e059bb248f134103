"""The front over score, size and cost together: its properties, and what is said of it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.analysis import ranking
from evalcore.decision.needs import Needs
from evalcore.decision.recommend import recommend
from evalcore.decision.text import advice

NAN = float("nan")
# Few values, so that models are often equal in something.
SOME = st.sampled_from([1.0, 2.0, 4.0, NAN])
MODEL = st.tuples(st.sampled_from([0.5, 0.6, 0.61, 0.8]), st.sampled_from([0.01, NAN]), SOME, SOME)
MODELS = st.lists(MODEL, min_size=1, max_size=8)


def trade(rows):
    index = [f"m{place}" for place in range(len(rows))]
    return pd.DataFrame(rows, index=index, columns=["score", "se", "size", "cost"], dtype=float)


def no_worse(frame, one, other):
    """Whether a model is known to be no larger and no dearer than another."""
    mine, theirs = frame.loc[one, ["size", "cost"]], frame.loc[other, ["size", "cost"]]
    return bool((mine <= theirs).all())


@given(MODELS)
@settings(deadline=None)
def test_dominated_means_no_worse_in_size_and_cost_and_clearly_better(rows):
    # An anchor, dearer and larger than all, keeps both criteria in use.
    frame = trade([*rows, (0.1, 0.01, 9.0, 9.0)])
    found = ranking.pareto(frame)

    for model in frame.index:
        clearly = [
            other
            for other in frame.index
            if no_worse(frame, other, model)
            and frame["score"][other] - frame["score"][model]
            > 1.959964 * np.hypot(frame["se"][other], frame["se"][model])
        ]
        assert (found["status"][model] == "dominated") == bool(clearly)
        if clearly:
            assert found["by"][model] in clearly


@given(MODELS)
@settings(deadline=None)
def test_who_is_possibly_dominated_has_one_as_good_by_score_for_no_more(rows):
    frame = trade(rows)
    found = ranking.pareto(frame)

    for model in found.index[found["status"] == "possibly dominated"]:
        by = found["by"][model]
        assert frame["score"][by] >= frame["score"][model]
        known = frame.columns[2:][frame[["size", "cost"]].notna().any()]
        assert (frame.loc[by, known] <= frame.loc[model, known]).all()


@given(MODELS, st.sampled_from([0.5, 0.99]), st.sampled_from([(NAN, 1.0), (1.0, NAN), (NAN, NAN)]))
@settings(deadline=None)
def test_a_model_of_unknown_size_or_cost_moves_nobody_however_good(rows, score, unknown):
    rows = [*rows, (0.1, 0.01, 9.0, 9.0)]
    before = ranking.pareto(trade(rows))
    after = ranking.pareto(trade([*rows, (score, 0.001, *unknown)]))

    assert after.iloc[:-1].equals(before)
    assert after["status"].iloc[-1].startswith("unknown")


@given(MODELS)
@settings(deadline=None)
def test_only_the_order_of_sizes_and_costs_counts(rows):
    frame = trade(rows)
    other = frame.assign(size=frame["size"] ** 2, cost=10 * frame["cost"])

    assert ranking.pareto(other).equals(ranking.pareto(frame))


WORLD = {
    "best": (0.90, 0.01, 40.0, 4.0),
    "cheap": (0.70, 0.01, 4.0, 0.4),
    "twin": (0.69, 0.01, 5.0, 0.5),
    "worse": (0.40, 0.01, 8.0, 0.6),
    "shut": (0.95, 0.01, NAN, 1.0),
    "unpriced": (0.60, 0.01, 2.0, NAN),
}


def answer(world, **options):
    names = list(world)
    score, error, size, cost = zip(*world.values(), strict=True)
    cells = pd.DataFrame({"model": names, "tag": "t", "value": score, "se": error})
    cells = cells.assign(n=500.0, low=0.1, high=0.99, kind="published", suspect=False)
    models = pd.DataFrame(
        {"model": names, "name": [f"Model {name}" for name in names], "params_b": size}
    )
    models = models.assign(open_weights=pd.Series([True] * len(names), dtype=object))
    stated = tuple((name, usd) for name, usd in zip(names, cost, strict=True) if usd == usd)
    return recommend(cells, models, Needs("s", "x", usd_per_1000=stated, **options))


def said(world):
    return advice.sentences(answer(world), {name: f"Model {name}" for name in world})


def test_each_model_stands_in_the_sentence_of_its_case():
    assert said(WORLD) == (
        "On the front over score, size and cost together, where no other is at least as good for "
        "no more: Model best and Model cheap.",
        "Dominated, by one that is no larger and no dearer and clearly better: "
        "Model worse (by Model cheap).",
        "Possibly dominated, for the interval of the difference covers 0 or is unknown: "
        "Model twin (by Model cheap).",
        "Not compared, for something of them is unknown: Model shut (size) and Model unpriced "
        "(cost). Whatever is unknown dominates nobody and is dominated by nobody.",
    )


def test_a_criterion_that_is_unknown_for_all_does_not_count_and_is_said():
    world = {name: (*row[:3], NAN) for name, row in WORLD.items()}

    assert said(world)[0].startswith("On the front over score and size together")
    assert said(world)[1] == "The cost of none of them is known, so it does not count."


@pytest.mark.parametrize(
    "world", [{"best": WORLD["best"]}, {"a": (0.5, 0.1, NAN, NAN), "b": (0.4, 0.1, NAN, NAN)}]
)
def test_where_nothing_can_be_compared_nothing_is_said(world):
    assert said(world) == ()
