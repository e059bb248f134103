"""What a model is asked: without a pause, and one answer an item whatever the model does."""

from itertools import islice

import pytest

from evalcore.engine.claims import SILENT, ItemQueue, answers
from evalcore.errors import ModelUnavailable
from evalcore.records import Prediction
from tests.fakes import FakeModel, items, noted

ITEMS = items(10)
IDS = [item.id for item in ITEMS]


class Leases:
    """Leases of three items; it notes how many were taken."""

    def __init__(self, number=10):
        self.left = ITEMS[:number]
        self.taken = 0

    def take(self):
        self.taken += 1
        lease, self.left = self.left[:3], self.left[3:]
        return lease


def source(leases=None):
    leases = leases or Leases()
    return ItemQueue(leases.take(), leases.take)


def asked(ask, given=None):
    return [(one.item, one.text) for one in answers(ask, given or source())]


def right(names):
    return [(name, name) for name in names]


def test_items_come_in_order_to_the_last():
    assert asked(FakeModel().predict) == right(IDS)


def test_a_lease_is_taken_only_when_the_one_before_is_used_up():
    leases = Leases()
    given = source(leases)

    taken = []
    for item in given:
        taken.append((item.id, leases.taken))

    assert [count for _, count in taken] == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4]


def test_after_the_end_no_lease_is_asked_for_again():
    leases = Leases(3)
    given = source(leases)

    assert list(given) == ITEMS[:3]
    assert (list(given), given.ended, leases.taken) == ([], True, 2)


def test_a_model_may_hold_items_of_several_leases_at_once():
    def predict(items):
        for item in list(items)[::-1]:
            yield Prediction(item.id, item.id)

    assert asked(predict) == right(IDS[::-1])


def test_where_a_model_breaks_what_it_had_taken_is_asked_alone_and_the_stream_goes_on(tmp_path):
    calls = tmp_path / "calls"

    def predict(items):
        held = [next(items) for _ in range(5)] if not noted(calls) else items
        yield from FakeModel(breaks_on=["q/2"], calls=calls).predict(held)

    found = {one.item: one for one in answers(predict, source())}

    assert list(found) == IDS
    assert found.pop("q/2").error == "ValueError: cannot look at q/2"
    assert [one.text for one in found.values()] == [name for name in IDS if name != "q/2"]
    assert noted(calls) == ["q/0", "q/1", "q/2", *IDS[2:]]


def test_an_item_that_breaks_twice_is_a_failure_and_no_other_is():
    found = asked(FakeModel(breaks_on=["q/0", "q/9"]).predict)

    assert found == [("q/0", None), *right(IDS[1:9]), ("q/9", None)]


def test_an_item_of_which_nothing_is_said_is_a_failure():
    found = list(answers(FakeModel(silent_on=["q/4"]).predict, source()))

    assert [one.item for one in found] == [*IDS[:4], *IDS[5:], "q/4"]
    assert found[-1].error == SILENT


def test_a_model_that_stops_early_is_asked_again():
    def predict(items):
        yield from FakeModel().predict(islice(items, 4))

    assert asked(predict) == right(IDS)


@pytest.mark.parametrize("breaks", [True, False])
def test_a_model_that_takes_nothing_comes_to_an_end(breaks):
    def predict(items):
        if breaks:
            raise RuntimeError("not today")
        yield from ()

    found = list(answers(predict, source()))

    error = "RuntimeError: not today" if breaks else SILENT
    assert [(one.item, one.error) for one in found] == [(name, error) for name in IDS]


def test_an_answer_to_what_was_not_asked_or_was_answered_before_does_not_count():
    def predict(items):
        for item in items:
            yield from [Prediction("q/99", "?"), *[Prediction(item.id, item.id)] * 2]

    assert asked(predict) == right(IDS)


def test_an_error_of_the_whole_run_is_not_held_up():
    with pytest.raises(ModelUnavailable, match="^gone$"):
        asked(FakeModel(raises=("q/3", ModelUnavailable("gone"))).predict)
