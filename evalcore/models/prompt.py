"""What a model is asked: the words and pictures of one item, in order.

Every adapter builds its prompt here, so that a local model and an API model get the same text, and
the same pictures: opened as everywhere, resized, as bytes where an API wants them.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from evalcore import pictures
from evalcore.errors import BadInput
from evalcore.records import MARK, Item, places, question

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
    parts: list[Part] = [texts[0]]
    for image, text in zip(images, texts[1:], strict=True):
        parts += [image, text]
    return tuple(part for part in parts if part != "")


GREY = (128, 128, 128)


def opened(path: Path, side: int | None = None) -> Image.Image:
    """A picture as ``evalcore.pictures`` opens it, resized to a square if asked.

    Args:
        path: The file.
        side: The square's side in pixels (bicubic; the VQA360 paper resizes every picture to
            448 x 448); None leaves the size as it is.

    Raises:
        BadInput: There is no such file, or it is no picture that can be shown.
    """
    return square(pictures.opened(path), side)


def square(picture: Image.Image, side: int | None) -> Image.Image:
    """A picture of ``side`` times ``side`` pixels; None leaves it as it is."""
    if side is None or picture.size == (side, side):
        return picture
    return picture.resize((side, side), Image.Resampling.BICUBIC)


def all_opened(paths: Sequence[Path], side: int | None = None) -> list[Image.Image]:
    """Several pictures as ``opened`` gives them, read at once on all processors.

    Photographs take Pillow longer to decode than a GPU to look at; it works outside Python's lock.

    Raises:
        BadInput: One of them cannot be read.
    """
    return list(_readers().map(lambda path: opened(path, side), paths))


@cache
def _readers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(min(8, os.cpu_count() or 1), thread_name_prefix="picture")


def grey(side: int | None = None) -> Image.Image:
    """An evenly grey picture, for a model that cannot be asked without one."""
    return Image.new("RGB", (side or 224, side or 224), GREY)


QUALITY = 95


class Encoded(NamedTuple):
    """A picture in a file format that every API reads."""

    data: bytes
    mime: str


def encoded(path: Path, side: int | None = None, *, keep_shape: bool = False) -> Encoded:
    """A picture as every model sees it (``evalcore.pictures``), resized if asked, as PNG or JPEG.

    It is resized to a square of ``side`` pixels or, with ``keep_shape``, so that its longer side
    has them. What was a JPEG photo becomes one again at quality 95 with full colour resolution, a
    tenth of a PNG's size; everything else stays without loss.

    Raises:
        BadInput: There is no such file, or it is no picture that can be shown.
    """
    picture, photo = pictures.named(path)
    if not keep_shape:
        picture = square(picture, side)
    elif side:
        scale = side / max(picture.size)
        width, height = (max(1, round(scale * length)) for length in picture.size)
        picture = picture.resize((width, height), Image.Resampling.LANCZOS)
    out = BytesIO()
    if photo:
        picture.save(out, "JPEG", quality=QUALITY, subsampling=0)
    else:
        picture.save(out, "PNG")
    return Encoded(out.getvalue(), "image/jpeg" if photo else "image/png")
