"""MNIST's own format, also of sets that took it over; gzip or not."""

import gzip
import re
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.contrastive.datasets.listing import files
from evalcore.errors import BadInput

IMAGES = re.compile(r"(t10k|test)-images[-.]idx3-ubyte(\.gz)?")
HEADER = {"images": (2051, 16), "labels": (2049, 8)}
"""The first number of a file, and the bytes before its contents."""


def there(place: Path) -> bool:
    """Whether a folder holds a test set in this format."""
    return _images(place) is not None


def read(place: Path) -> tuple[Any, Any]:
    """The test set of a folder.

    Returns:
        (n, h, w) bytes and (n,) class numbers.

    Raises:
        BadInput: A file is not whole, or the labels are missing.
    """
    images = _images(place)
    assert images is not None
    labels = images.with_name(images.name.replace("images", "labels").replace("idx3", "idx1"))
    return _bytes(images, "images"), _bytes(labels, "labels").astype(np.int64)


def _images(place: Path) -> Path | None:
    found = [one for one in files(place, "*ubyte*") if IMAGES.fullmatch(one.name)]
    return found[0] if found else None


def _bytes(path: Path, kind: str) -> Any:
    magic, begin = HEADER[kind]
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        header = np.frombuffer(raw[:begin], ">i4")
        shape = tuple(int(one) for one in header[1:])
        if int(header[0]) != magic:
            raise ValueError(f"it begins with {int(header[0])}, not with {magic}")
        return np.frombuffer(raw[begin:], np.uint8).reshape(shape)
    except (OSError, ValueError, EOFError) as error:
        raise BadInput(f"{path} is no whole idx file of {kind} ({error})") from None
