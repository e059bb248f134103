import threading
import time

from evalcore.models.calls import AdaptiveLimit

GO = threading.Event()


def entered(limit, stop=GO):
    """Whether a further call gets a place at once."""
    found = []
    thread = threading.Thread(target=lambda: found.append(limit.enter(stop)), daemon=True)
    thread.start()
    thread.join(0.05)
    return not thread.is_alive()


def test_no_more_calls_than_the_limit_are_under_way():
    limit = AdaptiveLimit(2)

    assert [entered(limit), entered(limit), entered(limit)] == [True, True, False]


def test_an_overload_halves_the_limit_and_never_below_one():
    limit, seen = AdaptiveLimit(5), []

    for _ in range(4):
        limit.overloaded(time.monotonic(), None)
        seen.append(limit.now)

    assert seen == [2, 1, 1, 1]


def test_calls_that_were_under_way_together_halve_it_once():
    limit = AdaptiveLimit(32)
    started = [limit.enter(GO) for _ in range(10)]

    for one in started:
        limit.overloaded(one, None)

    assert limit.now == 16


def test_a_row_of_successes_raises_the_limit_by_one_up_to_the_most():
    limit, seen = AdaptiveLimit(4), []
    limit.overloaded(time.monotonic(), None)

    for _ in range(2 + 3 + 10):
        limit.succeeded()
        seen.append(limit.now)

    assert seen == [2, 3, 3, 3, *[4] * 11]


def test_an_overload_starts_the_row_anew():
    limit = AdaptiveLimit(4)
    limit.overloaded(time.monotonic(), None)
    limit.succeeded()

    limit.overloaded(float("-inf"), None)
    limit.succeeded()

    assert limit.now == 2


def test_nothing_is_sent_before_the_pause_that_a_server_asks_for_is_over():
    limit = AdaptiveLimit(8)
    start = time.monotonic()
    limit.overloaded(start, 0.2)

    assert limit.enter(GO) >= start + 0.2


def test_a_place_given_back_goes_to_the_next():
    limit = AdaptiveLimit(1)
    limit.enter(GO)
    limit.leave()

    assert entered(limit)


def test_a_stop_ends_the_waiting():
    limit, stop = AdaptiveLimit(1), threading.Event()
    limit.enter(stop)
    stop.set()

    assert limit.enter(stop) is None
