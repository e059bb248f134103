"""Pictures of items as small copies: nothing but pixels of a picture ever leaves a file."""

import io
import logging
from pathlib import Path
from typing import Literal

import streamlit as st

from evalcore import home
from evalcore.pictures import Unreadable, decoded

SMALL, LARGE = 160, 1024
"""Longest side of a thumbnail, and of a picture in full, in pixels."""
EDGE = 8
"""Pixels around a thumbnail."""
MISSING, OUTSIDE = "is missing", "lies outside its run's folder"
Width = Literal["content", "stretch"]
log = logging.getLogger(__name__)


def look(path: str, side: int) -> bytes | str:
    """A copy of a picture, no larger than ``side``, as PNG; or what is wrong with it, in words.

    A path with ``..`` in it has to end inside a folder of runs. Whatever else a file holds, only
    what Pillow reads as a picture is drawn again and given out.
    """
    file = Path(path)
    if ".." in file.parts and not _beside_runs(file):
        return OUTSIDE
    try:
        stat = file.stat()
    except (OSError, ValueError):  # a zero byte in a name
        return MISSING
    return _copy(path, stat.st_mtime_ns, stat.st_size, side)


def show(path: str, side: int, alt: str, width: Width = "content") -> None:
    """Draw a picture, or say why there is none."""
    picture = look(path, side)
    if isinstance(picture, bytes):
        st.image(picture, alt=alt, width=width)
    else:
        st.text(f"Picture {Path(path).name[-60:]} {picture}.")


def thumbnail(path: str, alt: str) -> None:
    """Draw a small picture in room of its own height, which is there before the picture.

    A picture that arrives late would move what stands below it: a button from under a finger, and
    a press that ends elsewhere than it began is none.
    """
    picture = look(path, SMALL)
    height = int.from_bytes(picture[20:24]) if isinstance(picture, bytes) else None
    with st.container(height=height + EDGE if height else "content", border=False):
        show(path, SMALL, alt)


def _beside_runs(file: Path) -> bool:
    folders = (home.runs_folder().resolve(), home.shipped_runs_folder().resolve())
    try:
        return any(file.resolve().is_relative_to(folder) for folder in folders)
    except (OSError, ValueError):
        return False


@st.cache_data(max_entries=512)
def _copy(path: str, changed: int, size: int, side: int) -> bytes | str:
    try:
        picture = decoded(Path(path), near=side).picture
    except Unreadable as error:
        log.info("%s: %s", path, error)
        return str(error)
    picture.thumbnail((side, side))
    kept = io.BytesIO()
    picture.save(kept, "PNG")
    return kept.getvalue()
