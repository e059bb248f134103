"""The recommendation with offers at hand: licence, availability, cost, cards, and the cheapest."""

import dataclasses
import json
import re

import numpy as np
import pandas as pd
import pytest

from evalcore.cost.api import Question
from evalcore.cost.prices import PriceTables
from evalcore.decision.limits import counts
from evalcore.decision.market import Market
from evalcore.decision.needs import Needs
from evalcore.decision.recommend import recommend
from evalcore.side_tables import Availability, Licence
from tests.cost.rows import KINDS, answers, price, rule

LICENCES = {
    "MIT": Licence("MIT", "permissive", True, "Use freely.", "https://x"),
    "Own": Licence("Own", "conditions", True, "Below a million users.", "https://x"),
    "NC": Licence("NC", "non-commercial", False, "Research only.", "https://x"),
}
# name: score, size, open, licence, dollars per million tokens in and out (None: no price)
WORLD = {
    "shut": (0.80, np.nan, False, "API", (5.0, 20.0)),
    "gone": (0.90, np.nan, False, "API", (1.0, 4.0)),
    "big": (0.79, 40.0, True, "MIT", (1.0, 4.0)),
    "mid": (0.78, 8.8, True, "Own", (0.5, 2.0)),
    "small": (0.70, 4.0, True, "MIT", None),
    "nc": (0.77, 7.0, True, "NC", (0.1, 0.4)),
    "nameless": (0.60, 3.0, True, None, None),
}
NEEDS = Needs("s", "need", workload=Question(1000, 1000, 0), available_today=True)


def market(**changes):
    priced = {name: row[4] for name, row in WORLD.items() if row[4]}
    known = PriceTables(
        prices={
            name: (dataclasses.replace(price(*usd), model=name),) for name, usd in priced.items()
        },
        rules={name: (rule(),) for name in WORLD},
        tokens={name: (dataclasses.replace(answers(100), model=name),) for name in WORLD},
        availability={
            "shut": Availability("shut", "available", None, None, "https://x", "2026-10", None),
            "gone": Availability("gone", "retired", "2026-05-01", "shut", "u", "2026-10", None),
        },
        licences=LICENCES,
        kinds=KINDS,
    )
    return Market(dataclasses.replace(known, **changes), day="2026-11-30")


def frames(world=None):
    rows = world or WORLD
    cells = pd.DataFrame(
        [(name, "read", row[0]) for name, row in rows.items()], columns=["model", "tag", "value"]
    ).assign(n=10_000.0, se=0.004, low=0.1, high=0.9, kind="published", suspect=False)
    models = pd.DataFrame(
        [(n, n.upper(), row[1], row[2], row[3], n, "") for n, row in rows.items()],
        columns=["model", "name", "params_b", "open_weights", "licence", "base", "mode"],
    ).astype({"open_weights": object})
    return cells, models


def ask(bounds=None, offers=None, **options):
    needs = dataclasses.replace(NEEDS, **options)
    return recommend(*frames(), needs, market=offers or market(), bounds=bounds)


def ranked(answer):
    return answer.ranking["model"].tolist()


def excluded(answer):
    return answer.excluded.set_index("model")[["limit", "relaxation"]].T.to_dict("list")


def test_what_cannot_be_had_today_is_out_and_its_successor_is_named():
    found = ask()

    assert "gone" not in ranked(found)
    assert excluded(found)["gone"] == [
        "retired on 2026-05-01; the source names shut as successor",
        "allow models that cannot be had today",
    ]


def test_retired_models_stand_in_the_ranking_when_asked():
    assert ranked(ask(available_today=False))[0] == "gone"


def test_a_closed_model_of_unknown_status_is_told_apart():
    found = ask(offers=market(availability={}))

    told = found.cannot_tell.set_index("model")["what"]
    assert told["shut"] == (
        "whether it can still be had: no source was found (--include-unknown lets it in)"
    )


def test_whether_an_api_offers_it_is_said_of_open_models_only():
    found = ask(offers=market(availability={}), api_only=True)

    said = next(text for text in found.sentences if text.startswith("Cannot tell"))
    assert said == (
        "Cannot tell for 4 models, for something is unknown: whether an API offers it "
        "(2: NAMELESS and SMALL); whether it can still be had (2: GONE and SHUT)."
    )


def test_one_thing_that_is_unknown_of_all_is_said_once():
    said = next(text for text in ask(api_only=True).sentences if text.startswith("Cannot tell"))

    assert said == (
        "Cannot tell for 2 models: whether an API offers it is unknown (NAMELESS and SMALL)."
    )


def test_licences_are_allowed_by_class():
    found = ask(licences=("permissive",))

    assert ranked(found) == ["big", "small"]
    assert excluded(found)["mid"] == [
        "licence Own (conditions: Below a million users)",
        "allow licences of the class conditions",
    ]
    told = found.cannot_tell.set_index("model")["what"]
    assert told["nameless"] == "what its licence allows (--include-unknown lets it in)"


def test_commercial_use_lets_conditions_in_and_research_out():
    found = ask(commercial_use=True)

    assert {"big", "mid", "small"} <= set(ranked(found))
    assert excluded(found)["nc"] == ["licence NC: Research only", "drop commercial use"]


def test_a_card_that_is_too_small_names_the_memory_and_the_precision_that_fits():
    found = ask(gpu="24 GB")

    assert set(ranked(found)) == {"mid", "nc", "small", "nameless"}
    assert excluded(found)["big"] == [
        "memory at bf16 96 GB over the 24 GB of one card",
        "take a card of 96 GB, or load it in int4 (24 GB)",
    ]


@pytest.mark.parametrize("change", [{"gpu": "96 GB"}, {"gpu": "24 GB", "precision": "int4"}])
def test_the_named_change_of_card_or_precision_lets_the_model_in(change):
    assert "big" in ranked(ask(**change))


def test_an_open_model_that_somebody_offers_counts_as_an_api():
    found = ask(api_only=True)

    assert {"shut", "big", "mid", "nc"} == set(ranked(found))
    assert "--usd-per-1000 small=VALUE" in found.cannot_tell.set_index("model")["what"]["small"]


def test_a_missing_price_is_set_aside_and_never_taken_for_free():
    found = ask(max_usd_per_1000=1.0)

    assert set(ranked(found)) == {"mid", "nc"}
    assert set(found.cannot_tell["model"]) == {"small", "nameless"}
    assert "No price" in found.cannot_tell["what"].iloc[0]


def test_within_some_points_of_the_best_the_cheapest_is_chosen():
    found = ask(within=0.025)

    assert (found.winner, found.tie_break) == ("mid", "within")
    assert ask(within=0.035).winner == "nc"
    assert ask(within=0.0).winner == "shut"


def test_the_lead_is_said_of_the_best_not_of_the_cheapest():
    found = ask(within=0.025, ruled_out=("big",))

    assert found.winner == "mid"
    assert "SHUT, the best by score, beats the next, MID, by 2.0 points" in " ".join(
        found.sentences
    )


def test_the_price_of_the_winner_within_some_points_is_said_beside_that_of_the_best():
    text = " ".join(ask(within=0.025).sentences)

    assert "It costs 70 cents per 1,000 questions." in text
    assert (
        "It is the cheapest of the 3 with a known cost among 3 models within 2.5 points of the "
        "best, SHUT; it scores 2.0 points less and the best costs $7.0 per 1,000 questions."
    ) in text


def test_a_model_near_the_best_without_a_price_could_be_cheaper_and_is_listed():
    found = ask(within=0.12)

    assert found.winner == "nc"
    assert "small" in set(found.cannot_tell["model"])
    assert "SMALL could be cheaper: its cost is unknown." in " ".join(found.sentences)


def test_without_any_price_near_the_best_the_answer_says_that_cost_did_not_count():
    found = ask(within=0.02, offers=market(prices={}))

    assert found.tie_break == "unpriced"
    assert "as if cost did not count" in " ".join(found.sentences)


def test_a_thinking_mode_is_never_priced_with_answers_without_thinking():
    cells, models = frames({"big": WORLD["big"], "mid": WORLD["mid"]})
    cells = cells.assign(model=cells["model"].replace({"big": "big [thinking]"}))
    models = models.assign(
        model=models["model"].replace({"big": "big [thinking]"}), mode=["thinking", ""]
    )

    found = recommend(cells, models, dataclasses.replace(NEEDS, within=0.1), market=market())

    assert found.winner == "mid"
    assert found.ranking.set_index("model")["usd_per_1000"].isna().to_dict() == {
        "big [thinking]": True, "mid": False,
    }  # fmt: skip
    assert "with the thinking before it" in found.cannot_tell["what"].iloc[0]


def test_the_smallest_change_that_lets_a_better_model_in_is_said():
    found = ask(open_weights=True, max_params_b=8.0, licences=("permissive", "conditions"))

    assert found.winner == "small"
    assert found.relaxations["model"].tolist() == ["big", "mid", "nc"]
    assert "Raise the size to 8.8 B and MID qualifies: 78.0 %, 8.0 points more." in " ".join(
        found.sentences
    )


def test_the_change_that_is_said_is_enough():
    found = ask(open_weights=True, max_params_b=8.8, licences=("permissive", "conditions"))

    assert "mid" in ranked(found)


def test_the_tied_are_parted_by_so_many_own_questions():
    found = ask()

    assert set(found.tests["model"]) == set(found.tied_best[1:])
    assert "questions of your own" in " ".join(found.sentences)


def test_a_model_with_a_part_of_a_need_has_its_own_bounds_and_says_what_it_lacks():
    bounds = pd.DataFrame(
        {
            "model": ["part"], "tag": ["read"], "floor": [0.45], "ceiling": [0.95],
            "lacks": [("Info",)],
        }
    )  # fmt: skip
    cells, models = frames()
    models.loc[len(models)] = ["part", "PART", 1.0, True, "MIT", "part", ""]

    found = recommend(cells, models, NEEDS, market=market(), bounds=bounds)

    row = found.incomplete.iloc[0]
    assert (row["model"], row["low"], row["high"], row["lacks"]) == ("part", 0.45, 0.95, ("Info",))
    text = " ".join(found.sentences)
    assert "PART (between 45.0 % and 95.0 %, for want of Info)" in text
    assert "A result on Info would place PART" in text


def test_each_limit_is_counted_by_itself():
    answer = ask(licences=("permissive",), gpu="24 GB")
    rows = counts(answer.findings, answer.needs, frames()[1]).set_index("limit")

    assert rows.loc["available", ["remain", "missed", "unknown"]].tolist() == [6, 1, 0]
    assert rows.loc["licence", ["remain", "missed", "unknown"]].tolist() == [2, 2, 3]
    # The closed models' size is not known, so nobody can tell.
    assert rows.loc["gpu", ["remain", "missed", "unknown"]].tolist() == [4, 1, 2]
    assert rows.loc["gpu", "words"] == "one card: 24 GB, at bf16"


@pytest.mark.parametrize(
    "options",
    [
        {}, {"within": 0.03}, {"gpu": "23.7 GB"}, {"max_usd_per_1000": 0.6}, {"api_only": True},
        {"licences": ("permissive",), "commercial_use": True, "include_unknown": True},
        {"available_today": False}, {"max_params_b": 0.5},
    ],
)  # fmt: skip
def test_sentences_keep_to_one_decimal_without_markup_and_without_nan(options):
    text = " ".join(ask(**options).sentences)

    assert re.findall(r"\d\.\d\d+", text.replace("23.7", "")) == []
    assert re.findall(r"[*_`#<>|]|\bnan\b|\bNone\b|  ", text) == []


def test_an_answer_with_offers_is_ready_for_json():
    plain = json.loads(json.dumps(ask(within=0.03, gpu="24 GB").to_dict(), allow_nan=False))

    assert "findings" not in plain
    rows = {row["model"]: row for row in plain["market"]}
    assert rows["small"]["usd_per_1000"] is None
    assert rows["small"]["usd_missing"]


def test_without_offers_nothing_is_said_of_them():
    found = recommend(*frames(), Needs("s", "need"))

    assert found.market.empty
    assert "questions of your own" not in " ".join(found.sentences)
