"""What answers and what scores: models, judges, and language models that judges ask.

A class says by its attributes what it is; nobody looks at its name or its methods for that.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from evalcore.records import Item, Prediction, Reply, Verdict


class Participant:
    """What models and judges are asked besides their work; the defaults cost and do nothing."""

    calls_api: ClassVar[bool] = False
    """Whether it asks a server, which may bill for it; one takes several calls at once."""

    def facts(self) -> dict[str, str]:
        """What a run should record of how it works; never a key."""
        return {}

    def spend_from(self, budget: Any) -> None:
        """Pay out of a run's budget (``models.cap.Budget``).

        Raises:
            BadInput: The budget has a cap, and what a call costs is not known.
        """

    def stop_with(self, stop: Any) -> bool:
        """Hear of a request to stop (``models.cancellation.Cancellation``).

        Returns:
            Whether it stops its calls by itself; else it is stopped between two answers.
        """
        return False


@dataclass(eq=False)
class ModelAdapter(Participant, ABC):
    """Runs one model; an adapter is a dataclass whose fields are its options."""

    needs_name: ClassVar[bool] = True
    """Whether a model is named behind the adapter: ``openai:NAME``."""
    may_be_blind: ClassVar[bool] = False
    """Whether its pictures can be withheld: it has the option ``blind``."""
    seeded: ClassVar[bool] = False
    """Whether chance plays a part: it has the option ``seed``."""
    paid: ClassVar[bool] = False
    """Whether its answers may have a price, and so are kept one by one."""

    def know(self, items: Sequence[Item]) -> None:
        """See all items of a run before the first is asked."""

    @abstractmethod
    def predict(self, items: Iterable[Item]) -> Iterator[Prediction]:
        """Answer items, in any order, one prediction each.

        The items come as they are asked for, without end in sight: an adapter takes as many as it
        needs to stay busy (the next batches, the calls in flight) and no more, since another
        worker could do what it holds. It takes them in one thread at a time.
        """


class Judge(Participant, ABC):
    """Scores answers; ``judge`` may be called from several threads at once."""

    name: str
    version: str

    @property
    def concurrency(self) -> int:
        """How many judgements at once it is made for, each in a thread.

        0 for a rule that costs and takes next to nothing: it is asked between two answers.
        """
        return 0

    def most_usd(self, items: Iterable[Item]) -> float:
        """The most dollars that one verdict on these items can cost; 0: nothing, or not known."""
        return 0.0

    @abstractmethod
    def judge(self, item: Item, prediction: Prediction, repeat: int = 0) -> Verdict:
        """Score one answer; an unreadable one has no score and a reason."""


class Asker(Participant, ABC):
    """A language model that can be asked, as judges use it; safe to call from several threads."""

    name: str
    concurrency: int
    """Most calls at once."""

    @property
    def settings(self) -> str:
        """What of its settings decides what it says, for a judge's version; "" for none."""
        return ""

    def most_usd(self, prompt: str, pictures: int) -> float:
        """The most that a call can cost in dollars; 0 if nothing, or nobody knows."""
        return 0.0

    @abstractmethod
    def ask(self, prompt: str, images: Sequence[Path] = ()) -> Reply:
        """Ask once at temperature 0; passing errors are retried inside."""
