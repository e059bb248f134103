"""Which runs may take part in a routing table: the recommender's limits, a run's own figures."""

import numpy as np
import pandas as pd
import pytest

from evalcore.decision.eligible import eligible_runs
from evalcore.decision.market import facts
from evalcore.decision.needs import ASSUMED, EVERY, Needs
from evalcore.errors import BadInput, UnknownName
from evalcore.side_tables import Availability
from tests.decision.test_market import MIT, known

OF = {"r1/exact": "m", "r2/exact": "m", "r3/exact": "closed", "r4/exact": "new"}
MODELS = pd.DataFrame(
    {
        "model": ["m", "closed"],
        "params_b": [8.0, np.nan],
        "open_weights": [True, False],
        "licence": ["MIT", None],
    }
)
ENDED = Availability("closed", "retired", "2026-10-01", None, "list", "2026-10-02", None)


def measured(**more):
    found = pd.DataFrame({"usd": np.nan, "usd_n": 0, "seconds": 2.0}, index=list(OF))
    for entry, (usd, n) in more.items():
        found.loc[f"{entry}/exact", ["usd", "usd_n"]] = usd, n
    return found


def sorted_out(market=None, told=None, **limits):
    found = measured() if told is None else told
    return eligible_runs(OF, MODELS, Needs("", "", **limits), market or known(), found)


def test_a_measured_cost_goes_before_the_catalogues_and_a_stated_one_before_both():
    told = measured(r1=(0.4, 80), r3=(0.7, 5))

    found = sorted_out(told=told, usd_per_1000=(("closed", 0.2),)).costs

    assert found["whence"].tolist() == ["measured", "catalogue", "as stated", "unknown"]
    theirs = facts(MODELS.iloc[:1], Needs("", "", workload=ASSUMED), known())
    assert found["usd"].tolist()[:3] == pytest.approx([0.4, theirs["usd_per_1000"].iloc[0], 0.2])
    assert np.isnan(found["usd"].iloc[3])
    assert found["basis"].iloc[0] == "Mean over 80 answers of the run."
    assert "No price of new is known" in found["basis"].iloc[3]


def test_on_an_own_machine_the_machine_costs_not_what_an_api_took():
    found = sorted_out(
        told=measured(r1=(0.4, 80)),
        self_hosted=True,
        gpu_usd_per_hour=2.0,
        questions_per_hour=((EVERY, 1000.0),),
    )

    assert found.costs["usd"]["r1/exact"] == pytest.approx(2.0)
    assert found.costs["whence"].tolist() == ["own machine"] * 2 + ["unknown"] * 2


def test_a_cost_limit_leaves_out_the_dear_and_the_unknown_and_says_what_to_state():
    found = sorted_out(told=measured(r1=(0.4, 80), r2=(4.0, 80), r3=(0.1, 80)), max_usd_per_1000=1)

    assert found.admissible() == ["r1/exact", "r3/exact"]
    out = found.left_out().set_index("entry")
    assert out.loc["r2/exact", "limit"] == (
        "cost 4 USD per 1,000 questions over 1 USD per 1,000 questions"
    )
    assert out.loc["r2/exact", "relaxation"].startswith("raise the cost to 4")
    assert "--usd-per-1000 new=VALUE" in out.loc["r4/exact", "limit"], "of the model, not the run"
    assert out.loc["r4/exact", "relaxation"] == ""


def test_under_a_budget_an_unknown_cost_is_listed():
    found = sorted_out(told=measured(r3=(0.1, 80)))

    assert found.admissible() == list(OF)
    assert found.admissible(0.001) == ["r1/exact", "r2/exact", "r3/exact"]
    out = found.left_out(0.001).set_index("entry")["limit"]
    assert list(out.index) == ["r4/exact"]
    assert out["r4/exact"].startswith(
        "unknown: its cost, so it cannot be within a budget. No price"
    )


@pytest.mark.parametrize(
    ("limits", "out"),
    [
        ({"licences": ("permissive",)}, {"r3/exact", "r4/exact"}),
        ({"max_memory_gb": 16.0}, set(OF)),
        ({"max_memory_gb": 24.0, "include_unknown": True}, set()),
        ({"open_weights": True}, {"r3/exact", "r4/exact"}),
        ({"ruled_out": ("m",)}, {"r1/exact", "r2/exact"}),
        ({"max_seconds": 1.0}, set(OF)),
        ({"max_seconds": 1.0, "seconds": (("m", 0.5),)}, {"r3/exact", "r4/exact"}),
        ({"min_score": 0.99}, set()),
    ],
)
def test_the_recommenders_limits_hold_for_runs(limits, out):
    found = sorted_out(known(licences={"MIT": MIT}), **limits)

    assert set(found.left_out()["entry"]) == out
    assert set(found.admissible()) == set(OF) - out


def test_a_model_that_has_ended_is_out_and_one_that_answered_here_could_be_had():
    market = known(availability={"closed": ENDED})

    out = sorted_out(market).left_out().set_index("entry")

    assert list(out.index) == ["r3/exact"]
    assert "retired" in out.loc["r3/exact", "limit"]
    assert "r3/exact" in sorted_out(market, available_today=False).admissible()


def test_a_limit_or_card_that_cannot_be_meant_is_refused():
    with pytest.raises(BadInput, match="max_params_b"):
        sorted_out(max_params_b=-1.0)
    with pytest.raises(UnknownName, match="graphics card"):
        sorted_out(gpu="abacus")
