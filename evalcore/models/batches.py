"""Answering in batches: the next is prepared while the device works, and a full memory halves it.

Nothing here knows torch: a model is two functions.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Generic, TypeVar

from evalcore.errors import BadInput
from evalcore.records import Item, Prediction

Batch = TypeVar("Batch")
WINDOW = 256
"""Items among which those of like length are found: a lease, so that none is taken for nothing."""
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
    most: int = 1
    """Items in a batch."""
    budget: int | None = None
    """Most tokens in a batch, as ``length`` estimates them and with padding to its longest item; an
    item over it is asked alone. None: only the number of items counts."""
    length: Callable[[Item], int] = lambda item: 0
    """Tokens of an item, prompt and answer; those of like length are put together."""
    kind: Callable[[Item], int] = lambda item: 0
    """Items of different kinds are never in one batch."""


def in_batches(
    items: Iterable[Item], batching: Batching[Batch], ahead: int = 2
) -> Iterator[Prediction]:
    """Answer items in batches as large as they may be, without a pause between them.

    Items are taken a window at a time and sorted within it by kind and length. A batch that does
    not fit into the memory is halved, and no later one is larger; an item that does not fit alone,
    or that cannot be prepared, is answered with an error of its own.

    Args:
        items: What is asked; the next window is taken when ``ahead`` batches of one are left.
        batching: The model.
        ahead: Batches that are prepared before their turn.

    Yields:
        One prediction an item.
    """
    work = _Work(batching)
    batches = work.packed(iter(items))
    with ThreadPoolExecutor(1, thread_name_prefix="prepare") as thread:
        coming: deque[tuple[list[Item], Future[Batch]]] = deque()
        used: list[Future[Batch]] = []
        while True:
            for batch in islice(batches, 1 + ahead - len(coming)):
                coming.append((batch, thread.submit(work.prepared, batch, used)))
            if not coming:
                return
            batch, ready = coming.popleft()
            yield from work.answers(batch, ready.result)
            used.append(ready)
            del ready


class _Work(Generic[Batch]):
    def __init__(self, batching: Batching[Batch]) -> None:
        self._batching = batching
        self._most, self._budget = batching.most, batching.budget

    def packed(self, items: Iterator[Item]) -> Iterator[list[Item]]:
        """Batches of items of one kind and like length, as large as they may be at that moment."""
        kind, length = self._batching.kind, self._batching.length
        while window := list(islice(items, WINDOW)):
            window.sort(key=lambda item: (kind(item), length(item)))
            while window:
                number = self._fitting(window)
                yield window[:number]
                del window[:number]

    def prepared(self, items: Sequence[Item], used: list[Future[Batch]]) -> Batch:
        """The model's input; what it has used goes.

        In this thread, which took that memory: from another it would cost up to 1 % of the time.
        """
        used.clear()
        return self._batching.prepare(items)

    def _fitting(self, items: Sequence[Item]) -> int:
        """How many sorted items from the first on may be one batch; at least one."""
        kind, number = self._batching.kind(items[0]), 1
        for item in items[1 : self._most]:
            longest = self._batching.length(item)
            over = self._budget is not None and (number + 1) * longest > self._budget
            if over or self._batching.kind(item) != kind:
                break
            number += 1
        return number

    def answers(self, items: Sequence[Item], ready: Callable[[], Batch]) -> Iterator[Prediction]:
        """Answer one batch, in parts if it is too large or one of its items is at fault."""
        if self._too_large(items):  # packed before the memory was full
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
            self._shrink(items)
        yield from self._without(items, why)

    def _too_large(self, items: Sequence[Item]) -> bool:
        over = self._budget is not None and self._tokens(items) > self._budget
        return len(items) > self._most or (len(items) > 1 and over)

    def _tokens(self, items: Sequence[Item]) -> int:
        return len(items) * max(map(self._batching.length, items))

    def _shrink(self, items: Sequence[Item]) -> None:
        """Allow half of a batch from now on: by its tokens if they are counted, else its items."""
        if self._budget is None:
            self._most = max(1, len(items) // 2)
        else:
            self._budget = self._tokens(items) // 2

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
