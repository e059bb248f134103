"""What a model is asked: the words and pictures of one item, in order.

Every adapter builds its prompt here, so that a local model and an API model get the same text.
"""

from collections.abc import Sequence
from pathlib import Path

from evalcore.errors import BadInput
from evalcore.records import Item
from evalcore.wording import MARK, places, question

# The VQA360 paper's words, appendix A.1, which it puts before every question.
INSTRUCTION = "Only answer the below question. Do not provide any additional information"

Part = str | Path
"""A piece of text, or a picture file."""


def parts(item: Item, instruction: str = "", *, blind: bool = False) -> tuple[Part, ...]:
    """The prompt of an item: text and pictures in the order in which the model gets them.

    Args:
        item: What is asked; ``<image>`` in its question or as a choice marks a picture's place.
            Without marks the pictures come before the text.
        instruction: Put on a line of its own before the question; empty for none.
        blind: Leave the pictures out, and their marks.

    Returns:
        The parts; neighbouring texts are one part, and no text is empty.

    Raises:
        BadInput: The question marks another number of places than the item has pictures.
    """
    asked = question(item)
    pieces = asked.split(MARK) if item.images else [asked]
    marked = places(item) if item.images else 0
    if marked not in (0, len(item.images)):
        raise BadInput(
            f"{item.benchmark}, {item.id}: {marked} places {MARK} for {len(item.images)} pictures;"
            " mark every picture's place, or none"
        )
    first = f"{instruction}\n" if instruction else ""
    if blind:
        return (first + " ".join(piece.strip() for piece in pieces).strip(),)
    if marked == 0:
        return (*item.images, first + pieces[0])
    mixed = [first + pieces[0]]
    return _filled(mixed + pieces[1:], item.images)


def _filled(texts: Sequence[str], images: Sequence[Path]) -> tuple[Part, ...]:
    found: list[Part] = [texts[0]]
    for image, text in zip(images, texts[1:], strict=True):
        found += [image, text]
    return tuple(part for part in found if part != "")
