"""The offers in the catalogue are those that were collected, and what is known does not shrink."""

import json
import re
from collections import Counter
from datetime import date

import pytest

from evalcore.cost import api, image_tokens, prices
from evalcore.side_tables import status_on
from evalcore.store import queries
from tests.published.files import CATALOG, SHARED, needs_shared, read

TABLES = [
    "prices", "image_rules", "output_tokens", "thinking", "cache_shapes", "availability",
    "licences", "modes",
]  # fmt: skip


def catalog(*names):
    return [row for name in names for row in read(CATALOG / f"{name}.csv")]


def models():
    return {row["id"]: row for row in catalog("models", "models-current")}


@pytest.fixture(scope="module")
def known(store):
    return prices.price_tables({name: queries.table(store, name) for name in TABLES})


@needs_shared
def test_every_collected_price_name_was_looked_at():
    names = {row["model"] for row in read(SHARED / "current_prices.csv")}
    rows = [row for row in catalog("aliases") if row["source"] == "current-prices"]

    assert {row["foreign_name"] for row in rows} == names
    assert {row["model"] for row in rows} - {""} <= set(models())


@needs_shared
def test_prices_come_back_as_printed():
    columns = ("provider", "as_of")
    alias = {r["foreign_name"]: r["model"] for r in catalog("aliases") if "prices" in r["source"]}
    printed = Counter(
        (row["model"], row["input_usd_per_mtok"], row["output_usd_per_mtok"])
        + tuple(row[column] for column in columns)
        for row in read(SHARED / "current_prices.csv")
        if alias[row["model"]]
    )
    ours = Counter(
        (row["printed_model"], row["usd_per_mtok_in"], row["usd_per_mtok_out"])
        + tuple(row[column] for column in columns)
        for row in catalog("prices")
    )
    assert ours == printed
    assert sum(ours.values()) == 231


@needs_shared
@pytest.mark.parametrize(
    ("file", "ours", "columns"),
    [
        ("gpu_prices.csv", "gpu_prices", (("gpu", "gpu"), ("usd_per_hour_low",) * 2)),
        (
            "output_tokens.csv",
            "output_tokens",
            (("avg_output_tokens", "mean"), ("max_output_tokens", "most"), ("source", "source")),
        ),
    ],
)
def test_rents_and_answer_lengths_come_back_as_printed(file, ours, columns):
    printed = Counter(tuple(row[name] for name, _ in columns) for row in read(SHARED / file))
    assert Counter(tuple(row[name] for _, name in columns) for row in catalog(ours)) == printed


def test_no_price_is_zero_and_every_offer_has_a_source():
    for row in catalog("prices"):
        assert float(row["usd_per_mtok_in"]) > 0
        assert float(row["usd_per_mtok_out"]) > 0
    for name in (*TABLES[:-1], "gpu_prices", "image_rules-looked-up"):
        assert all(row["source"] for row in catalog(name)), name


def test_a_validity_window_stands_in_the_row_and_in_its_note():
    flash = [row for row in catalog("prices") if row["model"] == "gemini-3.8-flash"]
    assert {row["until"] for row in flash} == {"2026-12-31"}
    assert all("2027-01-01" in row["note"] for row in flash)


def test_withdrawn_offers_are_marked():
    gone = {row["model"] for row in catalog("prices") if row["deprecated"] == "1"}
    assert {
        "claude-3-opus",
        "gemini-1.5-pro",
        "gemini-2.0-flash",
        "gpt-4.5",
        "gemini-3-pro",
    } <= gone
    assert not gone & {"gpt-4o", "claude-haiku-4.5", "gemini-2.5-pro"}


def test_a_thinking_model_has_no_price_of_another_checkpoint():
    for row in catalog("prices"):
        thinking = "thinking" in row["model"]
        assert thinking == ("thinking" in row["printed_model"].lower()), row


def test_every_image_rule_can_be_calculated_or_says_why_not():
    for row in catalog("image_rules", "image_rules-looked-up"):
        if row["rule"]:
            assert image_tokens.tokens(row["rule"], row["options"], 1024, 768) > 0
            assert isinstance(json.loads(row["options"]), dict)
        else:
            assert row["note"], row


def test_every_licence_of_a_model_has_a_class():
    printed = {row["licence"] for row in models().values()} - {""}
    assert printed == {row["licence"] for row in catalog("licences")}


def test_non_commercial_licences_say_no_and_unknown_ones_say_nothing():
    says = {"permissive": "1", "conditions": "1", "non-commercial": "0", "unknown": ""}
    for row in catalog("licences"):
        assert row["commercial"] == says[row["licence_class"]]
        assert row["condition"].endswith(".")


def test_availability_is_about_our_models_and_dates_are_dates():
    for row in catalog("availability"):
        assert row["model"] in models()
        assert re.fullmatch(r"\d{4}-\d\d(-\d\d)?", row["checked"]), row
        if row["on"]:
            date.fromisoformat(row["on"])
        assert row["on"] or row["status"] != "retired", row


def test_what_the_makers_announced_holds_on_its_day(known):
    day = "2026-11-30"
    status = {model: status_on(row, day) for model, row in known.availability.items()}

    assert status["o4-mini"] == status["claude-sonnet-4.5"] == status["nova-premier"] == "retired"
    assert status["gpt-5"] == "deprecated"
    assert status["claude-opus-5.5"] == "available"


def test_what_is_known_of_the_offers_does_not_shrink(known, store):
    """Counts of today: a change that lowers one has lost something."""
    found = prices.coverage(queries.models(store), known)

    assert found.priced >= 109
    assert found.with_image_rule >= 104
    assert found.with_output_tokens >= 37
    assert found.closed >= 93
    assert len(found.closed_without_price) <= 28
    assert len(found.closed_without_status) <= 18


def test_a_current_question_has_a_cost_for_many_models_and_none_is_free(known):
    question = api.Question(1024, 768, 100, tokens_out=50, thinking_tokens_out=1000)
    costs = [
        api.per_1000(known, model, mode, question) for model in known.prices for mode in known.kinds
    ]
    found = [cost.usd_per_1000 for cost in costs if cost.usd_per_1000 is not None]

    assert len(found) > 500
    assert min(found) > 0
    assert all(cost.missing for cost in costs if cost.usd_per_1000 is None)
