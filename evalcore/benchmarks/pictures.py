"""Picture files: kept by their content, read from Base64, compared for clusters of items."""

import base64
import binascii
import hashlib
import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from evalcore import files
from evalcore.errors import BadInput
from evalcore.home import home
from evalcore.messages import quoted
from evalcore.pictures import MOST_BYTES
from evalcore.records import Item

ENDINGS = {
    b"\x89PNG\r\n": ".png",
    b"\xff\xd8\xff": ".jpg",
    b"GIF8": ".gif",
    b"BM": ".bmp",
    b"RIFF": ".webp",
    b"II*\0": ".tiff",
    b"MM\0*": ".tiff",
}


def keep(content: bytes) -> Path:
    """Write a picture that came inside a table into the home folder, unless it is there already.

    Returns:
        The file, named by its content: the same picture is always the same file.

    Raises:
        BadInput: The home folder takes no more.
    """
    digest = hashlib.sha256(content).hexdigest()
    ending = next((end for start, end in ENDINGS.items() if content.startswith(start)), ".bin")
    target = home() / "pictures" / digest[:2] / f"{digest}{ending}"
    if not target.exists():
        try:
            _write(content, target)
        except OSError as error:
            raise BadInput(
                f"{target}: the picture cannot be kept ({error.strerror or error}); make room, or "
                "choose another home folder with EVALCORE_HOME"
            ) from None
    return target.resolve()


def _write(content: bytes, target: Path) -> None:
    """Write aside and move into place, so that a reader never meets half a picture."""
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        aside.write_bytes(content)
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def clustered(items: Sequence[Item]) -> list[Item]:
    """Give items without a cluster that show the same pictures, byte for byte, one cluster.

    Questions about one picture are not independent: intervals have to know. Only files of equal
    size are read.
    """
    sizes = {id(item): _sizes(item) for item in items if item.images and item.cluster is None}
    crowded = {size for size, count in Counter(sizes.values()).items() if count > 1}
    digest = cache(_digest)
    names = {
        key: tuple(digest(path) for path in item.images)
        for item in items
        if (key := id(item)) in sizes and sizes[key] in crowded
    }
    shared = {name for name, count in Counter(names.values()).items() if count > 1}
    return [
        replace(item, cluster=f"picture/{'+'.join(names[id(item)])}")
        if names.get(id(item)) in shared
        else item
        for item in items
    ]


def _sizes(item: Item) -> tuple[int, ...]:
    return tuple(-1 if files.wrong(path) else path.stat().st_size for path in item.images)


def _digest(path: Path) -> str:
    """Sixteen letters that tell contents apart; of a missing file, its name's."""
    content = str(path).encode() if files.wrong(path) else files.content(path, MOST_BYTES)
    return hashlib.sha256(content).hexdigest()[:16]


MOST = 100_000_000
"""Characters, of a picture of 75 MB."""
_ADDRESS = re.compile(r"\s*data:", re.IGNORECASE)
_HEAD = re.compile(r"\s*data:image/[\w.+-]+(?:;[\w=.+-]+)*;base64,", re.IGNORECASE)
# Even a picture of one pixel has more letters; no name of a file reads as the start of one.
_BASE64 = re.compile(r"[A-Za-z0-9+/]{64}")
_SURE = tuple(start for start in ENDINGS if len(start) > 2)  # "BM" can begin a name


def is_address(cell: str) -> bool:
    """Whether a cell begins as ``data:`` addresses do; a semicolon in it parts no pictures."""
    return _ADDRESS.match(cell) is not None


def picture(cell: str, where: str) -> bytes | None:
    """The picture that a cell holds; None if it is other text, such as a path.

    >>> picture("a.png", "x.csv, row 2") is None
    True

    Raises:
        BadInput: It begins like one and is none, or is too long.
    """
    head = _HEAD.match(cell)
    bare = cell[head.end() :] if head else cell.strip()
    if not head and is_address(cell):
        raise _none(cell, where)
    if not head and not _begins(bare):
        return None
    if len(bare) > MOST:
        raise BadInput(f"{where}: image holds {len(bare):,} letters of Base64; at most {MOST:,}")
    try:
        content = base64.b64decode("".join(bare.split()), validate=True)
    except (binascii.Error, ValueError):
        raise _none(cell, where) from None
    if not content.startswith(tuple(ENDINGS)):
        raise _none(cell, where)
    return content


def _begins(bare: str) -> bool:
    """Whether text reads as Base64 whose first bytes are those of a picture's file."""
    start = _BASE64.match(bare)
    return start is not None and base64.b64decode(start[0]).startswith(_SURE)


def _none(cell: str, where: str) -> BadInput:
    return BadInput(
        f"{where}: image {quoted(cell)} begins like a picture in Base64 and is none; write "
        "data:image/png;base64,... with a whole picture, or a file's name"
    )
