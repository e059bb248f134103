"""The maker's newest price counts, else the lowest third party; coverage names what is missing."""

import pandas as pd
import pytest

from evalcore.cost import prices
from evalcore.cost.prices import choose, coverage, day
from evalcore.side_tables import Availability, Price, can_be_had
from tests.cost.rows import answers, offers, price, rule


def third(usd_in, usd_out, provider, **others):
    return price(usd_in, usd_out, provider=provider, by_maker=False, **others)


def test_the_makers_newest_price_counts_even_if_another_is_lower():
    rows = [price(5, 5, as_of="2026-07-02"), price(4, 4), third(1, 1, "cheap")]

    chosen = choose(rows, "")

    assert (chosen.price.usd_per_mtok_in, chosen.why) == (4, "the maker's newest price")


def test_without_the_makers_price_the_lowest_third_party_counts_by_name():
    chosen = choose([third(1, 1, "dear"), third(0.5, 1, "cheap")], "")

    assert chosen.price.provider == "cheap"
    assert "lowest third party's price" in chosen.why


def test_of_one_third_party_only_the_newest_price_counts():
    rows = [third(0.1, 0.1, "a", as_of="2026-01"), third(2, 2, "a"), third(1, 1, "b")]
    assert choose(rows, "").price.provider == "b"


def test_which_third_party_is_lowest_depends_on_the_question():
    rows = [third(1, 10, "reads cheaply"), third(5, 1, "writes cheaply")]

    def weigh(row):
        return 1000 * row.usd_per_mtok_in + 10 * row.usd_per_mtok_out

    assert choose(rows, "", weigh).price.provider == "reads cheaply"


def test_a_withdrawn_price_counts_only_where_there_is_no_other():
    gone = price(1, 1, deprecated=True)
    assert choose([gone, third(9, 9, "live")], "").price.provider == "live"
    assert choose([gone], "").price is gone
    assert choose([], "") is None


def test_a_price_for_just_this_mode_goes_first_and_is_for_no_other():
    rows = [price(1, 1), price(1, 4, mode="thinking")]
    assert choose(rows, "thinking").price.usd_per_mtok_out == 4
    assert choose(rows, "").price.usd_per_mtok_out == 1
    assert choose(rows[1:], "") is None


def test_a_price_that_was_overtaken_does_not_disagree():
    rows = [price(4, 20), price(5, 30, as_of="2026-06-01")]
    assert choose(rows, "").disagreeing == ()
    rows = [price(4, 20), price(5, 30, as_of="2026-09-07")]
    assert [row.usd_per_mtok_in for row in choose(rows, "").disagreeing] == [5]


@pytest.mark.parametrize(("text", "first"), [("2026-10-02", "2026-10-02"), ("2026", "2026-01-01")])
def test_a_date_without_a_day_counts_from_its_first(text, first):
    assert day(text).isoformat() == first


def test_coverage_counts_and_names_the_closed_models_without():
    models = pd.DataFrame(
        {
            "model": ["m", "closed", "open"],
            "name": ["M", "Closed", "Open"],
            "open_weights": pd.Series([False, False, True], dtype=object),
        }
    )
    found = coverage(models, offers([price()], [rule()], [answers(1)]))

    assert (found.models, found.priced, found.with_image_rule, found.with_output_tokens) == (
        3, 1, 1, 1,
    )  # fmt: skip
    assert (found.closed, found.closed_without_price) == (2, ("Closed",))
    assert found.closed_without_status == ("Closed", "M")


def test_a_model_with_an_incomplete_rule_is_not_counted_as_having_one():
    models = pd.DataFrame({"model": ["m"], "name": ["M"], "open_weights": [True]})
    assert coverage(models, offers([], [rule(None, "")])).with_image_rule == 0


def test_frames_become_records_with_none_for_unknown():
    frame = pd.DataFrame([vars(price(note=None)), vars(price(note="read"))])
    frame["note"] = frame["note"].astype("string")

    assert [row.note for row in prices.rows(frame, Price)] == [None, "read"]
    assert prices.price_tables({}).prices == {}


def test_an_announced_end_is_an_end_from_its_day_on():
    row = Availability("m", "deprecated", "2026-10-23", "n", "https://x", "2026-10-10", None)
    assert can_be_had(row, "2026-10-22") is True
    assert can_be_had(row, "2026-10-23") is False
    assert can_be_had(None, "2026-10-23") is None
