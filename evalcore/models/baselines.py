"""What is right without a model: the floor under every score.

Neither looks at a picture or reads a question, and both know the answers of the *other* items
only: an item's own references never decide what is said to it.
"""

import hashlib
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field

import numpy as np

from evalcore.participants import ModelAdapter
from evalcore.records import Item, Prediction

Type = tuple[tuple[str, str], ...]
"""A type of question: the tags that tell it."""


@dataclass
class Baseline(ModelAdapter):
    """Knows how many items have each reference answer, as written."""

    needs_name = False

    counts: Counter[str] = field(default_factory=Counter, init=False, repr=False)
    by_type: dict[Type, Counter[str]] = field(default_factory=dict, init=False, repr=False)
    """The same by type of question."""

    def know(self, items: Sequence[Item]) -> None:
        """Learn the answers of a whole benchmark, when it will be asked part by part.

        A run that resumes asks only what is left; without this its answers would differ.
        """
        self.counts = Counter(answer for item in items for answer in dict.fromkeys(item.answers))
        self.by_type = {}
        for item in items:
            known = self.by_type.setdefault(_type(item), Counter())
            known.update(dict.fromkeys(item.answers, 1))

    def predict(self, items: Iterable[Item]) -> Iterator[Prediction]:
        """Answer items in their order; one that knows no answers takes all items first."""
        if not self.counts:
            items = list(items)
            self.know(items)
        for item in items:
            yield _said(item, self._answer(item))

    @abstractmethod
    def _answer(self, item: Item) -> str | None:
        """What is said to one item; None if there is nothing to say."""


@dataclass
class MostFrequent(Baseline):
    """Says to every item the reference answer that most of the other items have.

    Each item counts once for each of its distinct references; of equally frequent answers the
    first in the alphabet wins.
    """

    def _answer(self, item: Item) -> str | None:
        own = set(item.answers)
        others = ((count - (answer in own), answer) for answer, count in self.counts.items())
        ranked = [(-count, answer) for count, answer in others if count > 0]
        return min(ranked)[1] if ranked else None


@dataclass
class Chance(Baseline):
    """Draws an answer evenly: one of the item's choices, or else one that another item has.

    It is one of an item with the same type of question, if there is any: guessing knows that "how
    many" wants a number. The type is what the item's tags on axes called type say (question_type,
    answer_type ...), never its own references.

    The draw depends on the seed and the item's id alone, so that the order and the number of the
    items asked together do not matter.
    """

    seeded = True

    _: KW_ONLY
    seed: int = 0

    def _answer(self, item: Item) -> str | None:
        alike = self.by_type.get(_type(item), Counter())
        options = item.choices or _others(alike, item) or _others(self.counts, item)
        if not options:
            return None
        digest = hashlib.sha256(f"{self.seed}\n{item.id}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
        return options[int(rng.integers(len(options)))]


def _others(counts: Counter[str], item: Item) -> list[str]:
    """The answers that an item other than this one has."""
    own = set(item.answers)
    return sorted(answer for answer, count in counts.items() if count - (answer in own) > 0)


def _type(item: Item) -> Type:
    return tuple(sorted(pair for pair in item.tags if pair[0].lower().endswith("type")))


def _said(item: Item, text: str | None) -> Prediction:
    if text is None:
        return Prediction(item.id, None, error="no other item has an answer to take")
    return Prediction(item.id, text, seconds=0.0, tokens_in=0, tokens_out=0, usd=0.0)
