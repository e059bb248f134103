"""What is known of cost, memory, licence and availability, joined to models; unknown stays so."""

import dataclasses
import math

import pytest

from evalcore.cost.api import Question
from evalcore.cost.prices import PriceTables
from evalcore.cost.selfhost import Pace
from evalcore.decision.market import Market, card_gb, facts
from evalcore.decision.needs import Needs
from evalcore.errors import UnknownName
from evalcore.side_tables import Availability, CacheShape, GpuPrice, Licence
from tests.cost.rows import KINDS, answers, offers, price, rule
from tests.small_world import models

ASKED = Needs("s", "need", workload=Question(1024, 1024, 100))
RENTS = (GpuPrice("L4", 24, 0.4, 0.8, "2026-05", "list"),)
KNOWN = offers([price(2, 10)], [rule()], [answers(50), answers(900, "thinking")])
MIT = Licence("MIT", "permissive", True, "Free.", "https://x")


def known(**fields):
    return Market(dataclasses.replace(KNOWN, **fields), RENTS, "2026-11-30")


def fact(market=None, needs=ASKED, size=8.0, is_open=True, mode="", licence="MIT"):
    one = models(m=(size, is_open, licence, "2025-01")).assign(base="m", mode=mode)
    frame = facts(one, needs, market or known())
    return frame.iloc[0]


def test_a_cost_names_every_assumption():
    row = fact()

    # (1,000 + 100) x 2 / 1,000 + 50 x 10 / 1,000
    assert row["usd_per_1000"] == pytest.approx(2.7)
    assert len(row["usd_basis"]) >= 3
    assert row["usd_missing"] == ()


def test_a_mode_that_thinks_is_priced_with_its_own_answers():
    assert fact(mode="thinking")["usd_per_1000"] == pytest.approx(2.2 + 9.0)


def test_a_thinking_mode_without_measured_answers_has_no_price_but_a_thing_to_state():
    row = fact(mode="reasoning high")

    assert math.isnan(row["usd_per_1000"])
    assert "state the tokens of an answer with the thinking" in " ".join(row["usd_missing"])


def test_a_missing_price_is_never_zero():
    row = fact(Market(PriceTables(kinds=KINDS)))

    assert math.isnan(row["usd_per_1000"])
    assert "No price" in " ".join(row["usd_missing"])


def test_a_stated_cost_goes_before_all_others():
    row = fact(needs=dataclasses.replace(ASKED, usd_per_1000=(("m", 5.0),)))

    assert row["usd_per_1000"] == 5.0
    assert row["api"]


def test_on_an_own_machine_the_machine_is_what_costs():
    own = dataclasses.replace(
        ASKED, self_hosted=True, gpu_usd_per_hour=1.8, questions_per_hour=(("*", 3600.0),)
    )

    assert fact(needs=own)["usd_per_1000"] == pytest.approx(0.5)
    assert math.isnan(fact(needs=dataclasses.replace(ASKED, self_hosted=True))["usd_per_1000"])


def test_a_named_card_costs_its_rent():
    own = dataclasses.replace(ASKED, gpu="L4", questions_per_hour=(("*", 1000.0),))

    row = fact(needs=own)

    # The middle of 0.4 and 0.8 dollars an hour.
    assert row["usd_per_1000"] == pytest.approx(0.6)


A40 = "cuda:0 NVIDIA A40"
RENTED = (GpuPrice("A40 48GB", 48, 0.4, 0.8, "2026-05", "list"),)
OWN = dataclasses.replace(ASKED, gpu="A40 48GB", self_hosted=True)


def paced(device=A40, precision="16 bits", rents=RENTED):
    pace = Pace(500, 900.0, device, precision, "easy-vqa")
    return Market(KNOWN, rents, "2026-11-30", {"m": (pace,)})


def test_a_speed_measured_on_that_card_prices_it_where_none_is_stated():
    row = fact(paced(), OWN)

    # 2,000 questions an hour at 0.6 dollars an hour.
    assert row["usd_per_1000"] == pytest.approx(0.3)
    said = "2,000 questions an hour (measured here: 500 questions of easy-vqa on cuda:0 NVIDIA A40"
    assert said in row["usd_basis"][-1]
    stated = dataclasses.replace(OWN, questions_per_hour=(("*", 1000.0),))
    assert fact(paced(), stated)["usd_per_1000"] == pytest.approx(0.6)


def test_a_measured_speed_over_a_stated_rent_says_which_is_which():
    row = fact(paced(), dataclasses.replace(OWN, gpu_usd_per_hour=1.0))

    assert row["usd_per_1000"] == pytest.approx(0.5)
    assert row["usd_basis"] == (
        "1 USD an hour, as stated, over 2,000 questions an hour (measured here: 500 questions of "
        "easy-vqa on cuda:0 NVIDIA A40, 16 bits).",
    )


@pytest.mark.parametrize(
    "market",
    [
        paced("cpu AMD EPYC 9B14"),
        paced("cuda:0 NVIDIA L40S"),
        paced(f"{A40}, cuda:1 NVIDIA A40"),  # two cards, where one holds it
        paced(precision="4 bits"),
    ],
)
def test_a_speed_of_another_device_is_no_speed_of_the_card(market):
    row = fact(market, OWN)

    assert math.isnan(row["usd_per_1000"])
    missing = " ".join(row["usd_missing"])
    assert "How many questions an hour the cards answer is not known" in missing
    assert "What was measured here says nothing about this card or number format: 500" in missing


def test_a_speed_of_the_model_is_none_of_its_modes():
    row = fact(paced(), OWN, mode="thinking")

    assert math.isnan(row["usd_per_1000"])
    assert "measured here" not in " ".join(row["usd_missing"])


def test_memory_is_the_weights_a_fifth_and_the_cache_where_its_shape_is_known():
    shaped = known(shapes={"m": CacheShape("m", 36, 8, 128, "card", None)})

    assert fact()["memory_gb"] == pytest.approx(8 * 2 * 1.2)
    # 2 x 36 x 8 x 128 x 2 bytes a token; 1,000 of picture, 100 of text, 50 of answer.
    cache = 2 * 36 * 8 * 128 * 2 * 1150 / 1e9
    assert fact(shaped)["memory_gb"] == pytest.approx(8 * 2 * 1.2 + cache)
    assert fact(shaped)["memory_at"]["int4"] == pytest.approx(8 * 0.5 * 1.2 + cache)


def test_an_unknown_size_needs_unknown_memory():
    assert math.isnan(fact(size=math.nan)["memory_gb"])


def test_open_weights_can_be_had_even_when_their_api_was_ended():
    gone = Availability("m", "retired", "2026-01-01", None, "https://x", "2026-10-10", None)

    assert fact(known(availability={"m": gone}))["available"] is True


def test_an_ended_closed_model_names_what_replaces_it_only_if_the_source_does():
    gone = Availability("m", "retired", "2026-01-01", "m2", "https://x", "2026-10-10", None)
    row = fact(known(availability={"m": gone}), is_open=False)

    assert row["available"] is False
    assert row["status"] == "retired on 2026-01-01; the source names m2 as successor"
    assert row["status_source"] == "https://x, checked 2026-10-10"


def test_a_model_that_ends_later_can_be_had_until_then():
    soon = Availability("m", "deprecated", "2026-12-24", None, "https://x", "2026-10-10", None)
    market = known(availability={"m": soon})

    assert fact(market, is_open=False)["available"] is True
    later = dataclasses.replace(market, day="2026-12-24")
    assert fact(later, is_open=False)["available"] is False


def test_nothing_known_of_a_closed_model_is_unknown():
    assert fact(is_open=False)["available"] is None


def test_a_licence_is_known_by_the_words_printed_with_the_model():
    row = fact(known(licences={"MIT": MIT}))

    assert (row["licence_class"], row["commercial"], row["condition"]) == (
        "permissive", True, "Free.",
    )  # fmt: skip
    assert fact(licence=None)["licence_class"] == "unknown"


def test_a_card_is_given_by_name_or_by_memory():
    assert card_gb("l4", RENTS) == 24
    assert card_gb("48GB", RENTS) == 48


@pytest.mark.parametrize("text", ["", "big one", "0 GB", "-4", "nan", "inf"])
def test_a_card_that_nobody_knows_is_refused_with_those_known(text):
    with pytest.raises(UnknownName) as caught:
        card_gb(text, RENTS)

    assert str(caught.value) == (
        f"gpu {text!r} is no known graphics card; give its memory, such as '24 GB', or one of: L4"
    )
