import threading

import pytest

from evalcore.errors import BadInput
from evalcore.models.batches import Batching, in_batches
from evalcore.records import Item, Prediction

ITEMS = [Item("tiny", f"q/{number}", "?", ("a",)) for number in range(10)]


FULL = RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")


def batching(most=99, fits=99, unreadable=(), error=FULL, **more):
    """A model whose memory holds ``fits`` items; it notes the sizes that it answered."""
    sizes = []

    def prepare(items):
        if bad := [item.id for item in items if item.id in unreadable]:
            raise BadInput(f"{bad[0]}.png: not a picture")
        return [item.id for item in items]

    def generate(items, batch):
        if len(batch) > fits:
            raise error
        sizes.append(len(batch))
        return [Prediction(name, "a") for name in batch]

    return sizes, Batching(prepare, generate, most=most, **more)


@pytest.mark.parametrize("number", [0, 1, 4, 5, 10])
def test_every_item_is_answered_once_in_order(number):
    _, model = batching(most=4)

    answers = list(in_batches(ITEMS[:number], model))

    assert [answer.item for answer in answers] == [item.id for item in ITEMS[:number]]


@pytest.mark.parametrize(
    "error",
    [
        FULL,
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        MemoryError(),
    ],
)
def test_a_full_memory_halves_the_batch_and_all_later_ones(error):
    sizes, model = batching(most=8, fits=3, error=error)

    answers = list(in_batches(ITEMS, model))

    assert {answer.item for answer in answers if answer.text} == {item.id for item in ITEMS}
    assert sizes == [2, 2, 2, 2, 2]


def test_an_item_too_large_alone_is_an_error_of_its_own():
    _, model = batching(most=2, fits=0)

    answers = list(in_batches(ITEMS[:3], model))

    assert [answer.error for answer in answers] == ["out of memory, even alone"] * 3


def test_an_item_that_cannot_be_prepared_spoils_no_other():
    _, model = batching(most=8, unreadable=["q/2"])

    answers = {answer.item: answer for answer in in_batches(ITEMS, model)}

    assert answers.pop("q/2") == Prediction("q/2", None, error="q/2.png: not a picture")
    assert {answer.text for answer in answers.values()} == {"a"} and len(answers) == 9


def test_an_unreadable_item_does_not_make_later_batches_smaller():
    sizes, model = batching(most=2, unreadable=["q/0"])

    list(in_batches(ITEMS, model))

    assert sizes == [1, 2, 2, 2, 2]


def test_another_fault_of_the_model_is_not_hidden():
    _, model = batching(most=2, fits=0, error=RuntimeError("device-side assert"))

    with pytest.raises(RuntimeError, match="^device-side assert$"):
        list(in_batches(ITEMS, model))


def test_the_next_batch_is_prepared_while_the_model_works():
    prepared = threading.Event()

    def prepare(items):
        if items[0] is ITEMS[2]:
            prepared.set()

    def generate(items, batch):
        # It goes on only once the second batch is ready.
        assert prepared.wait(timeout=20)
        return [Prediction(item.id, "a") for item in items]

    assert len(list(in_batches(ITEMS[:4], Batching(prepare, generate, most=2)))) == 4


def test_answers_come_before_everything_is_prepared():
    seen = []

    def prepare(items):
        seen.append(items[0].id)

    def generate(items, batch):
        return [Prediction(item.id, "a") for item in items]

    next(answers := in_batches(ITEMS, Batching(prepare, generate)))

    assert len(seen) <= 3
    answers.close()
