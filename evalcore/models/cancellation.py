"""A request to stop: calls under way are waited for, and on a second request nothing is."""

import threading
from collections.abc import Callable

LOOK_EVERY_S = 0.1


class Cancellation:
    """The request of one worker, as all who make calls for it hear it.

    One thread looks (``look``), several wait: a signal's handler may then count requests without
    touching a lock.
    """

    def __init__(self, requests: Callable[[], int] = int) -> None:
        """Nobody asks for anything yet.

        Args:
            requests: How many there were so far; 1 begins nothing more, 2 waits for nothing either.
        """
        self._requests = requests
        self.asked = threading.Event()
        """Set once nothing may begin any more, neither a call nor another attempt at one."""
        self.at_once = False
        """Whether calls under way are not waited for either."""

    def look(self) -> bool:
        """Hear requests that came since; says whether nothing may begin any more."""
        requests = self._requests()
        if requests and not self.asked.is_set():
            self.asked.set()
        self.at_once = requests > 1
        return self.asked.is_set()
