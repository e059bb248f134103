"""Picture files as models get them."""

import contextlib
import os
import struct
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from PIL import Image, ImageOps

from evalcore.errors import BadInput

GREY = (128, 128, 128)
LARGE = 25_000_000
"""Pixels, above which a picture is decoded alone."""
_large = threading.Lock()
# What Pillow's readers raise on files that are not what they seem.
UNREADABLE = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    IndexError,
    TypeError,
    struct.error,
    Image.DecompressionBombError,
)


def opened(path: Path, side: int | None = None) -> Image.Image:
    """A picture as its file means it: turned upright, in RGB, resized to a square if asked.

    Args:
        path: The file.
        side: The square's side in pixels (bicubic; the VQA360 paper resizes every picture to
            448 x 448); None leaves the size as it is.

    Raises:
        BadInput: There is no such file, or it is no picture that can be read.
    """
    try:
        with Image.open(path) as file, _room(file):
            picture = ImageOps.exif_transpose(file).convert("RGB")
            if side is None or picture.size == (side, side):
                return picture
            return picture.resize((side, side), Image.Resampling.BICUBIC)
    except UNREADABLE as error:
        raise BadInput(f"{path.name}: not a picture that can be read ({error})") from error


def _room(file: Image.Image) -> contextlib.AbstractContextManager[object]:
    """Leave for decoding: large pictures come one at a time, or many threads fill the memory.

    Pillow itself refuses those above 179 million pixels, which take 0.5 GB each.
    """
    return _large if file.width * file.height > LARGE else contextlib.nullcontext()


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
