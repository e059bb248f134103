"""The cap on spending, with servers that bill by other counts than were foreseen."""

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evalcore.errors import SpendCapReached
from evalcore.models.calls import Calls, Request
from evalcore.models.cap import Budget
from evalcore.models.openai_chat import OpenAIChat
from evalcore.models.spending import Prices, Reservations
from evalcore.records import Item, Reply
from tests.models.fake_api import Answer, serving

DOLLAR_A_TOKEN = Prices(1e6, 1e6)
FACTORS = st.floats(0.1, 10.0)
CLOSE = 1e-6


@dataclass
class Watched(Budget):
    """A budget that knows by how much calls were dearer than what was set aside for them."""

    limit: float
    excess: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self):
        super().__init__(self.limit)

    def charge(self, hold, usd, *, answered=True):
        with self.lock:
            self.excess += max(0.0, usd - hold.usd)
        super().charge(hold, usd, answered=answered)


class Server:
    """A model whose server counts so many times the tokens that are foreseen, call by call."""

    def __init__(self, name, budget, most, factors, at_once):
        self.name, self.most, self.factors = name, most, factors
        self.calls, self.dearest = 0, 1.0
        self.ledger = Reservations(DOLLAR_A_TOKEN, None, name)
        self.ledger.spend_from(budget)
        self.client = Calls(name, self.ledger, at_once)
        self.lock = threading.Lock()

    def request(self, item=None):
        return Request(self.send, self.most, self.most, item)

    def send(self):
        with self.lock:
            factor = self.factors[self.calls % len(self.factors)]
            self.calls += 1
            self.dearest = max(self.dearest, factor)
        counted = round(self.most * factor)
        return Reply("red", tokens_in=counted, tokens_out=counted)

    @property
    def next_usd(self):
        """What the next call can cost at most, going by the dearest so far."""
        return 2 * self.most * self.dearest + 1


def run(budget, model, judge, number):
    """Answer and judge as the engine does; which items are judged, and who was stopped."""
    judged, stopped = [], set()

    def verdict(item):
        with contextlib.suppress(SpendCapReached):
            judge.client.one(judge.request())
            judged.append(item)
            return
        stopped.add("judge")

    if judge is not None:
        most = judge.most
        budget.expect({"judge": lambda: judge.ledger.most_usd(most, most)})
    with ThreadPoolExecutor(8) as threads:
        try:
            for item, _ in model.client.many([str(at) for at in range(number)], model.request):
                if judge is None:
                    judged.append(item)
                    continue
                done = threads.submit(verdict, item)
                done.add_done_callback(lambda _, item=item: budget.judged(item, "judge"))
        except SpendCapReached:
            stopped.add("model")
    return judged, stopped


CASES = {
    "at_once": st.integers(1, 64),
    "number": st.integers(1, 40),
    "most": st.integers(100, 2_000),
    "share": st.floats(0.01, 1.5),
}


@settings(deadline=None, max_examples=60)
@given(factors=st.lists(FACTORS, min_size=1, max_size=2), **CASES)
@example(factors=[1.3, 1.3], at_once=32, number=40, most=1_000, share=0.9)
@example(factors=[3.28, 3.28], at_once=32, number=40, most=1_000, share=0.1)
@example(factors=[10.0, 10.0], at_once=64, number=40, most=1_000, share=0.05)
def test_a_server_that_always_bills_alike_exceeds_the_cap_with_its_first_reply_or_not_at_all(
    factors, at_once, number, most, share
):
    """The first factor is the model's, the second, if there is one, the judge's."""
    cap = share * number * sum(2 * most * factor for factor in factors)
    budget = Watched(cap)
    model = Server("model", budget, most, factors[:1], at_once)
    judge = Server("judge", budget, most, factors[1:], 8) if factors[1:] else None

    judged, stopped = run(budget, model, judge, number)

    servers = [model, judge] if judge else [model]
    first = sum(max(0.0, (one.factors[0] - 1) * 2 * most) + 1 for one in servers if one.calls)
    assert budget.spent_usd <= cap + first * (budget.spent_usd > cap)
    left = cap - budget.spent_usd
    assert stopped or len(judged) == number
    assert "judge" not in stopped or left < judge.next_usd
    assert "model" not in stopped or left < sum(one.next_usd for one in servers)


@settings(deadline=None, max_examples=40)
@given(factors=st.lists(FACTORS, min_size=1, max_size=40), **CASES)
def test_a_server_whose_bills_vary_exceeds_the_cap_by_what_could_not_be_foreseen_at_most(
    factors, at_once, number, most, share
):
    cap = share * number * 2 * most
    budget = Watched(cap)
    model = Server("model", budget, most, factors, at_once)

    judged, stopped = run(budget, model, None, number)

    assert budget.spent_usd <= cap + budget.excess + CLOSE
    assert stopped or len(judged) == number
    assert not stopped or cap - budget.spent_usd < model.next_usd


@settings(deadline=None, max_examples=40)
@given(factors=st.lists(st.floats(0.1, 1.0), min_size=1, max_size=40), **CASES)
def test_where_no_reply_costs_more_than_was_foreseen_the_cap_is_never_exceeded(
    factors, at_once, number, most, share
):
    cap = share * number * 2 * most
    budget = Watched(cap)

    run(budget, Server("model", budget, most, factors, at_once), None, number)

    assert budget.spent_usd <= cap + CLOSE


def chat(api, most_usd, **options):
    prices = {"usd_per_mtok_in": 1.0, "usd_per_mtok_out": 1.0}
    given = {"max_usd": most_usd, "max_tokens": 10, "image_size": None, **prices, **options}
    return OpenAIChat("small", base_url=f"{api.url}/v1", **given)


def counting(tokens_in, tokens_out=1):
    choice = {"message": {"content": "red"}, "finish_reason": "stop"}
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
    return {"choices": [choice], "usage": usage}


def items(number):
    return [Item("b", str(at), "?", ("red",)) for at in range(number)]


def test_a_server_that_counts_a_third_more_than_foreseen_is_asked_to_the_end():
    with serving(Answer(counting(85), delay_s=0.002)) as api:
        model = chat(api, 0.027)
        found = list(model.predict(items(300)))

    assert len(found) == 300
    assert model.spent_usd == pytest.approx(300 * 86e-6)


def test_many_calls_at_once_of_a_server_that_bills_threefold_do_not_exceed_the_cap():
    with serving(Answer(counting(3 * 65), delay_s=0.002)) as api:
        model = chat(api, 0.002)
        with pytest.raises(SpendCapReached):
            list(model.predict(items(300)))

    assert 0.002 - 210e-6 < model.spent_usd <= 0.002


@pytest.mark.parametrize("tokens", [-1_000_000, 10**8, 2**70, 1e300, "many", None])
def test_a_count_that_is_a_lie_neither_frees_nor_reaches_the_cap(tokens):
    def script(call, turn):
        return Answer(counting(tokens if turn == 3 else 50))

    with serving(script) as api:
        model = chat(api, 0.01)
        found = list(model.predict(items(20)))

    assert len(found) == 20
    assert sorted(str(one.usd) for one in found).count("None") == 1
    assert 19 * 51e-6 < model.spent_usd < 20 * 85e-6
