import threading

import pytest

from evalcore.errors import BadInput, SpendCapReached
from evalcore.models.spending import Prices, Reservations

GO = threading.Event()
DOLLAR_A_TOKEN = Prices(1e6, 1e6)


def test_a_call_costs_tokens_times_price():
    assert Prices(2.5, 10.0).usd(1_000, 200) == pytest.approx(0.0045)


@pytest.mark.parametrize(
    ("prices", "tokens_in", "tokens_out"),
    [
        (Prices(None, 1.0), 5, 5),
        (Prices(1.0, None), 5, 5),
        (Prices(1.0, 1.0), None, 5),
        (Prices(1.0, 1.0), 5, None),
    ],
)
def test_an_unknown_price_or_count_makes_an_unknown_cost(prices, tokens_in, tokens_out):
    assert prices.usd(tokens_in, tokens_out) is None


@pytest.mark.parametrize(
    ("prices", "missing"),
    [(Prices(None, 1.0), "usd_per_mtok_in"), (Prices(1.0, None), "usd_per_mtok_out")],
)
def test_a_cap_needs_both_prices(prices, missing):
    with pytest.raises(BadInput) as caught:
        Reservations(prices, 2.0, "small")

    assert str(caught.value) == (
        f"small: a cap of $2 needs both prices; state {missing} (dollars per million tokens)"
    )


@pytest.mark.parametrize("cap", [-1.0, float("nan"), float("inf")])
def test_a_cap_is_a_sum_of_money(cap):
    with pytest.raises(BadInput, match="max_usd is .*, not a number of dollars from 0 up"):
        Reservations(DOLLAR_A_TOKEN, cap, "small")


def test_what_is_held_counts_towards_the_cap():
    ledger = Reservations(DOLLAR_A_TOKEN, 10.0, "small")
    first = ledger.reserve(4, 4, GO)
    second = threading.Thread(target=lambda: ledger.reserve(4, 4, GO), daemon=True)

    second.start()
    second.join(0.05)
    waited = second.is_alive()
    ledger.charge(first, 1.0)
    second.join(5)

    assert waited and not second.is_alive()


def test_a_call_that_cannot_fit_is_refused_with_the_sums():
    ledger = Reservations(DOLLAR_A_TOKEN, 10.0, "small")
    ledger.charge(ledger.reserve(4, 4, GO), 8.0)

    with pytest.raises(SpendCapReached) as caught:
        ledger.reserve(1, 2, GO)

    assert str(caught.value) == (
        "small: $8.0000 of the cap of $10 is spent and the next call can cost up to $3.0000;"
        " raise the cap, or lower max_tokens"
    )


def test_a_cost_that_nobody_knows_counts_in_full():
    ledger = Reservations(DOLLAR_A_TOKEN, 10.0, "small")

    ledger.charge(ledger.reserve(4, 3, GO), None)

    assert ledger.spent_usd == 7.0


def test_without_a_cap_nothing_waits():
    ledger = Reservations(Prices(), None, "small")

    holds = [ledger.reserve(10**9, 10**9, GO) for _ in range(3)]
    assert [hold.usd for hold in holds] == [0.0, 0.0, 0.0]


def test_a_stop_ends_the_waiting():
    ledger, stop = Reservations(DOLLAR_A_TOKEN, 10.0, "small"), threading.Event()
    ledger.reserve(5, 5, stop)

    stop.set()

    assert ledger.reserve(5, 5, stop) is None


def test_a_call_that_costs_more_than_thought_possible_makes_the_next_more_careful():
    ledger = Reservations(DOLLAR_A_TOKEN, 100.0, "small")

    held = ledger.reserve(5, 5, GO)
    ledger.charge(held, ledger.billed((5, 5), (10, 20)))

    assert ledger.spent_usd == 30.0
    assert ledger.reserve(5, 5, GO).usd == 30.0


def test_many_calls_that_tell_the_same_are_one_lesson():
    ledger = Reservations(DOLLAR_A_TOKEN, 1000.0, "small")
    ledger.billed((5, 5), (5, 5))
    held = [ledger.reserve(5, 5, GO)]
    ledger.billed((5, 5), (5, 5))
    held.append(ledger.reserve(5, 5, GO))

    for hold in held:
        ledger.charge(hold, ledger.billed((5, 5), (6, 7)))

    assert ledger.reserve(5, 5, GO).usd == pytest.approx(13.0)
