"""Picture files: kept by their content, tried before a run, compared for the clusters of items."""

import hashlib
import os
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from PIL import Image

from evalcore.errors import BadInput
from evalcore.home import home
from evalcore.records import Item

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
"""What is opened at all; Pillow knows more, some of which start other programs."""
MAX_PIXELS = 89_478_485
"""Where Pillow begins to warn of decompression bombs: a picture of 256 MB when unpacked."""
# What Pillow's readers raise on files that are not what they seem.
UNREADABLE = (OSError, SyntaxError, ValueError, EOFError, IndexError, TypeError, struct.error)
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


def wrong(path: Path) -> str | None:
    """What keeps a picture from being shown to a model; None if nothing does."""
    try:
        with Image.open(path, formats=FORMATS) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                return _too_large(path)
            # A JPEG is decoded at its smallest scale; a file that breaks off still shows.
            picture.draft(None, (1, 1))
            picture.load()
    except FileNotFoundError:
        return f"the picture {path} is missing"
    except Image.DecompressionBombError:
        return _too_large(path)
    except UNREADABLE as error:
        return (
            f"the picture {path} cannot be decoded ({error or type(error).__name__}); "
            f"it should be a whole {', '.join(FORMATS[:-1])} or {FORMATS[-1]} file"
        )
    return None


def _too_large(path: Path) -> str:
    return f"the picture {path} has more than {MAX_PIXELS / 1e6:.0f} million pixels; shrink it"


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
    return tuple(path.stat().st_size if path.is_file() else -1 for path in item.images)


def _digest(path: Path) -> str:
    """Sixteen letters that tell contents apart; of a missing file, its name's."""
    content = path.read_bytes() if path.is_file() else str(path).encode()
    return hashlib.sha256(content).hexdigest()[:16]
