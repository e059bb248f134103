"""Answering in batches: the next is prepared while the device works, and a full memory halves it.

Nothing here knows torch: a model is two functions.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from evalcore.errors import BadInput
from evalcore.records import Item, Prediction

Batch = TypeVar("Batch")
FULL = ("out of memory", "can't allocate memory", "not enough memory")


@dataclass(frozen=True)
class Batching(Generic[Batch]):
    """How a model answers several items at once."""

    prepare: Callable[[Sequence[Item]], Batch]
    """Turns items into the model's input; runs in a thread; raises ValueError or BadInput if one
    of them cannot be turned."""
    generate: Callable[[Sequence[Item], Batch], list[Prediction]]
    """Answers prepared items, in their order."""
    forget: Callable[[], None] = lambda: None
    """Called after the memory was full, before the next try."""


def in_batches(
    items: Sequence[Item], size: int, batching: Batching[Batch], ahead: int = 2
) -> Iterator[Prediction]:
    """Answer all items, in the order given, never more than ``size`` at once.

    A batch that does not fit into the memory is halved, and so is the size from then on; an item
    that does not fit alone, or that cannot be prepared, is answered with an error of its own.

    Args:
        items: What is asked; items of a like length next to each other waste least.
        size: Largest batch.
        batching: The model.
        ahead: Batches that are prepared before their turn.

    Yields:
        One prediction an item.
    """
    work = _Work(batching, size)
    batches = [items[start : start + size] for start in range(0, len(items), size)]
    with ThreadPoolExecutor(1, thread_name_prefix="prepare") as thread:
        coming = deque(thread.submit(batching.prepare, batch) for batch in batches[:ahead])
        for number, batch in enumerate(batches):
            for later in batches[number + ahead : number + ahead + 1]:
                coming.append(thread.submit(batching.prepare, later))
            yield from work.answers(batch, coming.popleft().result)


class _Work(Generic[Batch]):
    def __init__(self, batching: Batching[Batch], size: int) -> None:
        self._batching, self._size = batching, size

    def answers(self, items: Sequence[Item], ready: Callable[[], Batch]) -> Iterator[Prediction]:
        """Answer one batch, in parts if it is too large or one of its items is at fault."""
        if len(items) > self._size:
            yield from self._in_halves(items)
            return
        full = False
        try:
            found = self._batching.generate(items, ready())
        except (BadInput, ValueError) as error:
            why = str(error)
        except (MemoryError, RuntimeError) as error:
            if not is_full(error):
                raise
            full, why = True, "out of memory, even alone"
        else:
            yield from found
            return
        # After the handlers: an exception holds the failed call's tensors as long as it lives.
        if full:
            self._batching.forget()
            self._size = max(1, len(items) // 2)
        yield from self._without(items, why)

    def _without(self, items: Sequence[Item], why: str) -> Iterator[Prediction]:
        if len(items) == 1:
            yield Prediction(items[0].id, None, error=why)
        else:
            yield from self._in_halves(items)

    def _in_halves(self, items: Sequence[Item]) -> Iterator[Prediction]:
        middle = len(items) // 2
        for half in (items[:middle], items[middle:]):
            yield from self.answers(half, partial(self._batching.prepare, half))


def is_full(error: BaseException) -> bool:
    """Whether an error says that there is no memory left, on whatever device."""
    told = str(error).lower()
    return isinstance(error, MemoryError) or any(words in told for words in FULL)
