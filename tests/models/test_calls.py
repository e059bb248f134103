import itertools
import threading
import time

import pytest

from evalcore.errors import ModelUnavailable, SpendCapReached, Stopped
from evalcore.models.calls import ROW, Calls, Patience, Request, RequestRejected, TransientError
from evalcore.models.cancellation import LOOK_EVERY_S, Cancellation
from evalcore.models.spending import Prices, Reservations
from evalcore.records import Reply

QUICK = Patience(attempts=3, first_wait_s=0.002)
DOLLAR_A_TOKEN = Prices(1e6, 1e6)


def calls(concurrency=4, cap=None, prices=DOLLAR_A_TOKEN, patience=QUICK):
    return Calls("small", Reservations(prices, cap, "small"), concurrency, patience)


def said(text, tokens=1, wait_s=0.0):
    def send():
        time.sleep(wait_s)
        return Reply(str(text), None, tokens, tokens)

    return Request(send, 5, 5)


def failing(*errors, then="done"):
    """A request that fails with these errors in turn, and then works."""
    left = iter(errors)

    def send():
        error = next(left, None)
        if error:
            raise error
        return Reply(then, None, 1, 1)

    return Request(send, 5, 5)


def texts(calls, items, prepare):
    return sorted(reply.text or reply.error for _, reply in calls.many(items, prepare))


def test_every_item_is_answered_once():
    assert texts(calls(), range(50), said) == sorted(str(one) for one in range(50))


def test_no_items_make_no_call():
    assert texts(calls(), [], said) == []


def test_calls_run_at_once_but_never_more_than_allowed():
    lock, state = threading.Lock(), {"now": 0, "most": 0}

    def send():
        with lock:
            state["now"] += 1
            state["most"] = max(state.values())
        time.sleep(0.01)
        with lock:
            state["now"] -= 1
        return Reply("x")

    list(calls(concurrency=4).many(range(40), lambda item: Request(send)))

    assert state["most"] == 4


def test_a_slow_reader_does_not_let_calls_run_far_ahead():
    taken = itertools.count()

    def prepare(item):
        next(taken)
        return said(item)

    found = calls(concurrency=4).many(range(1000), prepare)
    next(found)
    time.sleep(0.1)

    assert next(taken) <= 9
    found.close()


def test_an_abandoned_stream_makes_no_further_call():
    taken = itertools.count()

    def prepare(item):
        next(taken)
        return said(item, wait_s=0.01)

    found = calls(concurrency=2).many(range(1000), prepare)
    next(found)
    found.close()
    time.sleep(0.1)

    assert next(taken) <= 6


class Held:
    """Calls that wait at a gate; it counts those that began."""

    def __init__(self):
        self.gate = threading.Event()
        self.begun = 0
        self.lock = threading.Lock()

    def __call__(self, item):
        def send():
            with self.lock:
                self.begun += 1
            self.gate.wait(20)
            return Reply(str(item), None, 1, 1)

        return Request(send, 5, 5)


def stopping(one, wishes):
    stop = Cancellation(lambda: wishes[0])
    one.stop_with(stop)
    return stop


def test_a_wish_to_stop_begins_no_call_and_waits_for_those_under_way():
    one, held, wishes = calls(concurrency=3), Held(), [0]
    stopping(one, wishes)

    def wish():
        while held.begun < 3:
            time.sleep(0.001)
        wishes[0] = 1
        time.sleep(2 * LOOK_EVERY_S)
        held.gate.set()

    threading.Thread(target=wish).start()
    found = texts(one, range(100), held)

    assert (len(found), held.begun) == (3, 3)
    assert one.ledger.spent_usd == 3 * 2.0


def test_a_second_wish_to_stop_waits_for_nothing():
    one, held, wishes = calls(concurrency=3), Held(), [0]
    stopping(one, wishes)
    threading.Timer(0.05, lambda: wishes.__setitem__(0, 2)).start()

    assert texts(one, range(100), held) == []
    assert held.begun == 3
    held.gate.set()


def test_no_attempt_follows_a_wish_to_stop():
    one, wishes = calls(patience=Patience(attempts=9, first_wait_s=60.0)), [0]
    stop = stopping(one, wishes)

    def wish():
        wishes[0] = 1
        stop.look()

    threading.Timer(0.05, wish).start()
    with pytest.raises(Stopped, match="^small: not called, as it should stop$"):
        one.one(failing(*[TransientError("503: busy")] * 9))


def test_a_passing_failure_is_tried_again():
    assert (
        calls().one(failing(TransientError("500: oops"), TransientError("500: oops"))).text
        == "done"
    )


def test_a_failure_that_does_not_pass_is_a_record_after_the_last_attempt():
    reply = calls().one(failing(*[TransientError("500: oops")] * 3))

    assert reply == Reply(None, error="500: oops (3 attempts)")


def test_a_rejected_call_is_not_tried_again():
    assert calls().one(failing(RequestRejected("400: too long"))) == Reply(
        None, error="400: too long"
    )


def test_what_cannot_be_prepared_is_a_record_of_its_item():
    def prepare(item):
        if item == 1:
            raise RequestRejected("no such picture")
        return said(item)

    assert texts(calls(), range(3), prepare) == ["0", "2", "no such picture"]


def test_waits_double_with_a_jitter_that_is_the_same_every_time():
    patience = Patience(first_wait_s=1.0, longest_wait_s=4.0)
    first, second = calls(patience=patience), calls(patience=patience)

    waits = [first._wait(attempt, TransientError("")) for attempt in (1, 2, 3, 4)]

    assert waits == [second._wait(attempt, TransientError("")) for attempt in (1, 2, 3, 4)]
    assert all(most / 2 <= wait <= most for wait, most in zip(waits, [1, 2, 4, 4], strict=True))


def test_a_server_that_asks_for_a_long_pause_ends_the_run():
    with pytest.raises(ModelUnavailable) as caught:
        calls().one(failing(TransientError("429: daily quota", wait_s=86_400.0)))

    assert str(caught.value) == ("small asks to wait 86400 s (429: daily quota); start again later")


def test_an_unusable_model_stops_the_run_and_gives_out_what_was_done():
    def prepare(item):
        return failing(ModelUnavailable("small: 401: no")) if item == 3 else said(item)

    found = []
    with pytest.raises(ModelUnavailable, match=r"^small: 401: no$"):
        for _, reply in calls(concurrency=1).many(range(100), prepare):
            found.append(reply.text)

    assert found == ["0", "1", "2"]


def test_a_server_that_never_answered_is_told_soon():
    patient = calls(patience=Patience(attempts=50, first_wait_s=0.001))

    with pytest.raises(ModelUnavailable, match=r"^small: no server answers \(refused\)$"):
        patient.one(failing(*[TransientError("refused", unreachable=True)] * 50))


def test_a_server_that_goes_away_is_waited_for():
    waiting = calls(patience=Patience(attempts=6, first_wait_s=0.001))
    waiting.one(said("there"))

    reply = waiting.one(failing(*[TransientError("refused", unreachable=True)] * 5))

    assert reply.text == "done"


def test_items_that_met_no_server_have_no_record():
    gone = [TransientError("cut", billed=True), *[TransientError("refused", unreachable=True)] * 2]
    found = []

    with pytest.raises(ModelUnavailable, match=r"^small: no server answers \(refused\)$"):
        for item, _ in calls(concurrency=1).many(
            range(9), lambda item: failing(*gone) if item >= 3 else said(item)
        ):
            found.append(item)

    assert found == [0, 1, 2]


@pytest.mark.parametrize(
    "error", [TransientError("500: oops"), RequestRejected("400: bad setting")]
)
def test_nothing_but_failures_end_the_run(error):
    one = calls(concurrency=1)

    with pytest.raises(ModelUnavailable, match=f"^small: {ROW} calls in a row failed, the last: "):
        list(one.many(range(100), lambda item: failing(*[error] * 3)))


def test_rejected_items_do_not_end_the_run_of_a_model_that_works():
    def prepare(item):
        return said(item) if item == 0 else failing(RequestRejected("400: too long"))

    assert len(list(calls(concurrency=1).many(range(100), prepare))) == 100


def test_the_cap_stops_new_calls_and_gives_out_those_in_flight():
    capped = calls(concurrency=4, cap=100.0)
    found = []

    with pytest.raises(SpendCapReached, match=r"^small: \$9\d"):
        for _, reply in capped.many(range(1000), lambda item: said(item, tokens=2)):
            found.append(reply.usd)

    assert found == [4.0] * len(found)
    assert 90 < sum(found) == capped.ledger.spent_usd <= 100


def test_the_cap_holds_for_every_moment_of_concurrent_calls():
    capped = calls(concurrency=16, cap=100.0)
    spent = []

    def send():
        time.sleep(0.001)
        spent.append(capped.ledger.spent_usd)
        return Reply("x", None, 5, 5)

    with pytest.raises(SpendCapReached):
        list(capped.many(range(1000), lambda item: Request(send, 5, 5)))

    assert max(spent) <= 100
    assert capped.ledger.spent_usd == 100


def test_a_failed_call_is_free_unless_it_may_have_been_paid_for():
    one = calls()
    one.one(failing(TransientError("429: slow down"), TransientError("cut", billed=True)))

    assert one.ledger.spent_usd == 10 + 2


def test_an_adapter_that_breaks_is_not_hidden():
    def send():
        raise KeyError("a bug")

    with pytest.raises(KeyError, match="a bug"):
        list(calls().many(range(3), lambda item: Request(send)))


def test_an_overload_makes_fewer_calls_at_once():
    one = calls(concurrency=8)

    one.one(failing(TransientError("429: slow down", overloaded=True)))

    assert one.limit.now == 4
