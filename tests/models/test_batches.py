import threading
import weakref
from dataclasses import replace

import pytest

from evalcore.errors import BadInput
from evalcore.models.local import WINDOW, Batching, in_batches
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


def lengths(*values):
    """Items whose questions have these lengths."""
    return [Item("tiny", f"q/{n}", "?" * value, ("a",)) for n, value in enumerate(values)]


def batches(items, model):
    """The lengths of the items that were answered together."""
    seen = []

    def generate(asked, batch):
        answers = model.generate(asked, batch)
        seen.append([len(item.question) for item in asked])
        return answers

    told = list(in_batches(iter(items), replace(model, generate=generate)))
    assert sorted(one.item for one in told) == sorted(item.id for item in items)
    return seen


def budgeted(budget, most=8, fits=99):
    _, model = batching(most=most, fits=fits, budget=budget, length=lambda item: len(item.question))
    return model


@pytest.mark.parametrize(
    ("budget", "given", "expected", "why"),
    [
        (None, [3, 1, 2], [[1, 2, 3]], "without a budget only the number counts"),
        (6, [3, 1, 2], [[1, 2], [3]], "three of them padded to 3 are 9"),
        (9, [3, 1, 2], [[1, 2, 3]], "and just fit into 9"),
        (6, [2] * 7, [[2] * 3, [2] * 3, [2]], "three of 2 fit"),
        (6, [9, 1, 9], [[1], [9], [9]], "what is over the budget is asked alone"),
        (100, [1] * 9, [[1] * 8, [1]], "never more than the most"),
    ],
)
def test_a_batch_holds_at_most_its_budget_with_padding(budget, given, expected, why):
    assert batches(lengths(*given), budgeted(budget)) == expected, why


def test_a_full_memory_halves_the_budget_and_short_items_stay_together():
    model = budgeted(32, most=8, fits=4)

    assert batches(lengths(*[4] * 12, *[1] * 4), model) == [[1] * 4, *[[4] * 4] * 3]


def test_the_budget_is_halved_until_a_batch_fits():
    assert batches(lengths(*[4] * 8), budgeted(32, fits=2)) == [[4] * 2] * 4


def test_items_of_like_length_are_together_within_a_window():
    model = budgeted(None, most=2)
    given = lengths(*[5, 1] * (WINDOW // 2), 3, 1)

    found = batches(given, model)

    assert found == [[1, 1]] * (WINDOW // 4) + [[5, 5]] * (WINDOW // 4) + [[1, 3]]


def test_items_of_different_kinds_are_never_in_one_batch():
    _, model = batching(most=4, kind=lambda item: len(item.question) % 2)

    assert batches(lengths(1, 2, 3, 4, 5), model) == [[2, 4], [1, 3, 5]]


def test_the_next_window_is_taken_before_the_last_batches_of_one_are_answered():
    taken = []

    def source():
        for item in lengths(*[1] * (WINDOW + 4)):
            taken.append(item)
            yield item

    _, model = batching(most=2)
    answers = in_batches(source(), model, ahead=2)

    for _ in range(WINDOW - 4):
        next(answers)
    assert len(taken) == WINDOW
    next(answers)
    assert len(taken) == WINDOW + 4
    answers.close()


def test_no_item_is_taken_before_the_first_answer_is_wanted():
    taken = iter(ITEMS)

    in_batches(taken, batching()[1])

    assert list(taken) == ITEMS


def test_what_a_batch_needed_is_let_go_of():
    class Pixels:
        """As large as one likes."""

    held = []

    def prepare(items):
        pixels = Pixels()
        held.append(weakref.ref(pixels))
        return pixels

    def generate(items, batch):
        alive.append(sum(one() is not None for one in held))
        return [Prediction(item.id, "a") for item in items]

    alive = []
    list(in_batches(ITEMS, Batching(prepare, generate)))

    assert max(alive) <= 5
