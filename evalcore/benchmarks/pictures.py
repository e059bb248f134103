"""Picture files: kept by their content, compared for the clusters of items."""

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from evalcore import files
from evalcore.errors import BadInput
from evalcore.home import home
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
