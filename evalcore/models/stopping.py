"""A wish to stop: calls under way are waited for, and on a second wish nothing is."""

import threading
from collections.abc import Callable

LOOK_EVERY_S = 0.1


class Stop:
    """The wish of one worker, as all who make calls for it hear it.

    One thread looks (``look``), several wait: a signal's handler may then count wishes without
    touching a lock.
    """

    def __init__(self, wishes: Callable[[], int] = int) -> None:
        """Nobody wishes anything yet.

        Args:
            wishes: How many there were so far; 1 begins nothing more, 2 waits for nothing either.
        """
        self._wishes = wishes
        self.asked = threading.Event()
        """Set once nothing may begin any more, neither a call nor another attempt at one."""
        self.at_once = False
        """Whether calls under way are not waited for either."""

    def look(self) -> bool:
        """Hear wishes that came since; says whether nothing may begin any more."""
        wishes = self._wishes()
        if wishes and not self.asked.is_set():
            self.asked.set()
        self.at_once = wishes > 1
        return self.asked.is_set()


def hears(one: object, stop: Stop) -> bool:
    """Tell a model or judge of a wish to come; says whether it waits for its calls by itself."""
    hear: Callable[[Stop], None] | None = getattr(one, "stop_with", None)
    if hear is not None:
        hear(stop)
    return hear is not None
