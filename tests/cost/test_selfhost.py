"""Memory by precision and the cost of rented cards, against calculations by hand."""

import pytest

from evalcore.cost.selfhost import BYTES_PER_WEIGHT, Load, fits, memory, per_1000
from evalcore.errors import EvalcoreError
from evalcore.side_tables import CacheShape, GpuPrice

LOAD = Load(image_tokens=1000, prompt_tokens=100, tokens_out=400, at_a_time=4)
QWEN3_VL_8B = CacheShape("qwen3-vl-8b-instruct", 36, 8, 128, "ollama", None)


def card(name, memory_gb, low, high, as_of="2026-05"):
    return GpuPrice(name, memory_gb, low, high, as_of, "list")


@pytest.mark.parametrize(
    ("precision", "weights"), [("16 bits", 17.6), ("8 bits", 8.8), ("4 bits", 4.4)]
)
def test_weights_are_parameters_times_bytes(precision, weights):
    found = memory(8.8, precision, LOAD)

    assert found.weights_gb == pytest.approx(weights)
    assert found.gb == pytest.approx(weights * 1.2)


def test_the_cache_of_a_known_shape_by_hand():
    # 2 x 36 layers x 8 heads x 128 x 2 bytes = 147,456 bytes a token;
    # 4 questions x (1000 + 100 + 400) tokens = 6,000; together 0.884736 GB.
    found = memory(8.8, "16 bits", LOAD, QWEN3_VL_8B)

    assert found.cache_gb == pytest.approx(0.884736)
    assert found.gb == pytest.approx(17.6 * 1.2 + 0.884736)


def test_more_pictures_at_a_time_need_more_memory():
    more = Load(1000, 100, 400, at_a_time=40)
    assert (
        memory(8.8, "16 bits", more, QWEN3_VL_8B).gb > memory(8.8, "16 bits", LOAD, QWEN3_VL_8B).gb
    )


def test_an_unknown_shape_is_said_and_not_taken_as_no_cache():
    found = memory(8.8, "16 bits", LOAD)

    assert found.cache_gb is None
    assert "layers and heads are not known" in found.basis[-1]


def test_unknown_parameters_have_unknown_memory():
    found = memory(None, "16 bits", LOAD)

    assert (found.gb, found.weights_gb, fits(found, 80)) == (None, None, None)
    assert found.missing == ("The number of parameters is not known: state it in billions.",)


def test_all_experts_of_a_mixture_count():
    assert memory(31.1, "4 bits", LOAD).weights_gb == pytest.approx(15.55)


def test_a_model_fits_or_does_not():
    assert fits(memory(8.8, "16 bits", LOAD), 24) is True
    assert fits(memory(12, "16 bits", LOAD), 24) is False


def test_cost_of_one_card_by_hand():
    # 0.70 to 0.80 USD an hour, 3,000 questions an hour: 0.75 / 3 = 0.25 USD a thousand, and the
    # undated source's 0.60 makes the low end 0.20.
    rents = [card("L4", 24, 0.6, 0.6, "undated (commit a)"), card("L4", 24, 0.7, 0.8)]

    found = per_1000(memory(8.8, "16 bits", LOAD), rents, 3000, "as stated")

    assert (found.usd_per_1000, found.low, found.high) == pytest.approx((0.25, 0.2, 0.8 / 3))
    assert "3,000 questions an hour (as stated)" in found.basis[-1]


def test_a_large_model_takes_several_cards():
    found = per_1000(memory(72, "16 bits", LOAD), [card("A100", 80, 2, 2)], 1000, "as stated")
    assert found.usd_per_1000 == pytest.approx(3 * 2)


@pytest.mark.parametrize("speed", [None, 0])
def test_without_a_speed_the_cost_is_unknown_and_the_way_is_named(speed):
    found = per_1000(memory(8.8, "16 bits", LOAD), [card("L4", 24, 1, 1)], speed, "")

    assert found.usd_per_1000 is None
    assert "state it, or measure it with a run" in found.missing[0]


def test_without_a_card_the_cost_is_unknown():
    assert "gpu_prices.csv" in per_1000(memory(1, "16 bits", LOAD), [], 100, "").missing[0]


def test_an_unknown_precision_is_refused_with_the_known_ones():
    with pytest.raises(EvalcoreError, match="no precision '2 bits'; known precisions: 32 bits, 16"):
        memory(8, "2 bits", LOAD)
    assert set(BYTES_PER_WEIGHT) == {"32 bits", "16 bits", "8 bits", "4 bits"}
