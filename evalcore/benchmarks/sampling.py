"""Which items a run asks, and whether they can be asked at all: both known before it costs."""

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

from evalcore import pictures as files
from evalcore.errors import BadInput
from evalcore.records import MARK, Item, letter, places

LISTED = 10
"""How many problems a message lists; it counts them all."""

Stratum = tuple[tuple[str, str], ...]


def sample(
    items: Iterable[Item], limit: int | None, seed: int, by: str | None = None
) -> list[Item]:
    """Draw items at random, each combination of tags in proportion.

    The draw depends on the items, the seed and nothing else: the order in which items come does
    not matter, and a larger limit contains a smaller one. After every number of draws, each
    combination of tags has been drawn within 1 of its share.

    Args:
        items: What to draw from.
        limit: How many; None, or more than there are, means all.
        seed: Another seed is another draw.
        by: The axis whose tags are to be in proportion; None takes each item's first axis.

    Returns:
        The items in the order in which they are drawn, so that a run which stops early is in
        proportion too.

    Raises:
        BadInput: The limit is below 1, or no item has a tag on the axis.
    """
    pool = list(items)
    if limit is not None and limit < 1:
        raise BadInput(f"limit {limit!r} leaves nothing to ask; give 1 or more, or none for all")
    axes = sorted({axis for item in pool for axis, _ in item.tags})
    if by is not None and pool and by not in axes:
        raise BadInput(
            f"no item has a tag on the axis {by!r}; there are {', '.join(axes) or 'no axes'}"
        )
    strata: dict[Stratum, list[Item]] = defaultdict(list)
    for item in sorted(pool, key=lambda item: (_lot(item, seed), item.benchmark, item.id)):
        strata[_stratum(item, by)].append(item)
    drawn = _interleave(list(strata.values()))
    return list(islice(drawn, limit))


def _lot(item: Item, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}\0{item.benchmark}\0{item.id}".encode()).digest()


def _stratum(item: Item, by: str | None) -> Stratum:
    axis = by if by is not None else item.tags[0][0] if item.tags else None
    return tuple(sorted({pair for pair in item.tags if pair[0] == axis}))


def _interleave(strata: Sequence[Sequence[Item]]) -> Iterator[Item]:
    """Merge strata so that every beginning holds each in proportion, within 1.

    The item with index j of a stratum of n among N has its turn between draws floor(j N / n) + 1
    and ceil((j + 1) N / n); the one whose turn ends first is drawn. That this always works out is
    the theorem of Baruah, Cohen, Plaxton and Varvel, "Proportionate progress" (Algorithmica 15,
    1996), for one processor. Ties go to the stratum whose first lot is smaller.
    """
    total = sum(map(len, strata))
    waiting = [(1, place, 0) for place in range(len(strata))]
    ready: list[tuple[int, int, int]] = []
    for draw in range(1, total + 1):
        while waiting and waiting[0][0] <= draw:
            _, place, index = heapq.heappop(waiting)
            heapq.heappush(ready, (-((index + 1) * total // -len(strata[place])), place, index))
        _, place, index = heapq.heappop(ready)
        yield strata[place][index]
        if index + 1 < len(strata[place]):
            begins = (index + 1) * total // len(strata[place]) + 1
            heapq.heappush(waiting, (begins, place, index + 1))


def check(
    items: Sequence[Item], pictures: bool = True, answers: bool = True, text_only: bool = False
) -> None:
    """Refuse items that cannot be asked or judged.

    Args:
        items: What a run would ask.
        pictures: Whether the model is to see the pictures; they are then opened and decoded.
        answers: Whether the judge needs reference answers.
        text_only: Whether a question without any picture is in order.

    Raises:
        BadInput: There are problems; the message counts them and lists the first ten.
    """
    faults = problems(items, pictures, answers, text_only)
    if faults:
        first = f"; the first {LISTED}" if len(faults) > LISTED else ""
        lines = "".join(f"\n  {problem}" for problem in faults[:LISTED])
        noun = "problem" if len(faults) == 1 else "problems"
        raise BadInput(f"{len(faults):,} {noun} in {len(items):,} items{first}:{lines}")


def problems(
    items: Sequence[Item], pictures: bool = True, answers: bool = True, text_only: bool = False
) -> list[str]:
    """What ``check`` would refuse, in the items' order, each with its place."""
    if not items:
        return ["there are no items; give at least one"]
    ids = Counter((item.benchmark, item.id) for item in items)
    unusable = _unusable({path for item in items for path in item.images}) if pictures else {}
    faults = []
    for item in items:
        wrong = _answer_problems(item) if answers else []
        if pictures:
            wrong += _picture_problems(item, unusable, text_only)
        if (times := ids.pop((item.benchmark, item.id), 1)) > 1:
            wrong.insert(0, f"the id occurs {times} times; every item needs one of its own")
        faults += [f"{item.benchmark}, {item.id}: {problem}" for problem in wrong]
    return faults


def _answer_problems(item: Item) -> list[str]:
    if not item.answers:
        return ["no reference answer; the judge needs one, or choose a judge that does not"]
    offered = {
        (letter(place) if MARK in choice else choice).strip().casefold()
        for place, choice in enumerate(item.choices)
    }
    strange = [answer for answer in item.answers if answer.strip().casefold() not in offered]
    if offered and len(strange) == len(item.answers):
        return [
            f"the answer {strange[0]!r} is none of the choices; write the choice's text, or say "
            "what answers are with answers_are='letter' or 'index'"
        ]
    return []


def _picture_problems(item: Item, unusable: Mapping[Path, str], text_only: bool) -> list[str]:
    if not item.images and not text_only:
        return ["no picture; give one, or ask blind"]
    marks = places(item)
    faults = [unusable[path] for path in dict.fromkeys(item.images) if path in unusable]
    if marks not in (0, len(item.images)):
        faults.insert(0, f"{marks} places {MARK} for {len(item.images)} pictures; make them equal")
    return faults


def _unusable(paths: Iterable[Path]) -> dict[Path, str]:
    distinct = sorted(paths)
    # Decoding does not hold the interpreter's lock, so threads share the cores.
    with ThreadPoolExecutor() as threads:
        return {
            path: problem
            for path, problem in zip(distinct, threads.map(files.wrong, distinct), strict=True)
            if problem is not None
        }
