"""Pictures as local models get them: opened as everywhere, resized, several at once."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from PIL import Image

from evalcore import pictures

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
