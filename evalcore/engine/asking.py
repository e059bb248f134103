"""What a model is asked, without a pause, and one answer for each item whatever the model does."""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from evalcore.errors import EvalcoreError
from evalcore.records import Item, Prediction

log = logging.getLogger(__name__)
Ask = Callable[[Iterable[Item]], Iterator[Prediction]]
"""``ModelAdapter.predict``."""
SILENT = "the model gave no answer for this item"


class ItemQueue(Iterator[Item]):
    """The items of one worker: leased a few hundred at a time, as the model takes them."""

    def __init__(
        self,
        first: Iterable[Item],
        lease: Callable[[], Iterable[Item]],
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Give out ``first``, then what ``lease`` gives when all is used up; nothing ends it.

        Once it is ``stopped``, what the model has taken and not answered stays unanswered.
        """
        self._ready = deque(first)
        self._lease = lease
        self.stopped = stopped
        self.ended = False
        self.taken = 0
        self.unanswered: dict[str, Item] = {}
        """What the model took and has not answered yet, in that order."""

    def end(self) -> None:
        """Give nothing more; what the model has taken it may still answer."""
        self._ready.clear()
        self.ended = True

    def left(self) -> list[Item]:
        """What the model has taken and will not answer by itself; nothing once it is to stop."""
        return [] if self.stopped() else list(self.unanswered.values())

    def __next__(self) -> Item:
        """The model's next item."""
        if self.stopped():
            self.end()
        if not self._ready and not self.ended:
            self._ready.extend(self._lease())
            self.ended = not self._ready
        if not self._ready:
            raise StopIteration
        item = self._ready.popleft()
        self.taken += 1
        self.unanswered[item.id] = item
        return item


def answers(ask: Ask, source: ItemQueue) -> Iterator[Prediction]:
    """One answer for every item of the source, as the model gives them.

    Where the model breaks, what it had taken is asked one by one, and what breaks then is a
    failure, as is an item about which the model says nothing; after that the stream goes on.

    Raises:
        EvalcoreError: What ends a whole run, such as a wrong key or the spend cap.
    """
    while not source.ended:
        before, broke = source.taken, False
        try:
            for prediction in ask(source):
                if source.unanswered.pop(prediction.item, None) is not None:
                    yield prediction
        except EvalcoreError:
            raise
        except Exception as error:  # noqa: BLE001  any adapter may fail in any way
            log.warning("%s on %d items", type(error).__name__, len(source.unanswered))
            broke = True
        if source.taken == before:  # or a model that takes nothing would be asked for ever
            next(source, None)
        for item in source.left():
            del source.unanswered[item.id]
            yield _alone(ask, item) if broke else Prediction(item.id, None, error=SILENT)


def _alone(ask: Ask, item: Item) -> Prediction:
    try:
        found = next((one for one in ask([item]) if one.item == item.id), None)
    except EvalcoreError:
        raise
    except Exception as error:  # noqa: BLE001  recorded, counted and shown
        return Prediction(item.id, None, error=f"{type(error).__name__}: {str(error)[:300]}")
    return found or Prediction(item.id, None, error=SILENT)
