"""Where a benchmark's pictures are, and how one is decoded.

As the published evaluations do it: converted to RGB, not turned by a camera's orientation note. A
grey picture stays grey, which comes to the same after any resizing and takes a third of the room.
"""

import hashlib
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from evalcore.errors import BadInput


class Pictures(Protocol):
    """A sequence of pictures."""

    revision: str | None
    """Changes whenever a picture could have changed; None: unknown, so nothing is kept."""
    parallel: bool
    """Whether several threads may read at once."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def __getitem__(self, at: int) -> Image.Image:
        """One picture, decoded; any error says that it cannot be."""
        ...

    def name(self, at: int) -> str:
        """What a person finds it by."""
        ...

    def path(self, at: int) -> Path | None:
        """Its file, if it has one of its own."""
        ...


class Files:
    """Picture files on this disk."""

    parallel = True

    def __init__(self, paths: Sequence[Path]) -> None:
        """Take files in this order.

        Raises:
            BadInput: One is missing.
        """
        self.paths = [path.absolute() for path in paths]
        digest = hashlib.sha256()
        missing = []
        for path in self.paths:
            try:
                stat = path.stat()
            except OSError:
                missing.append(path)
                continue
            digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
        if missing:
            raise BadInput(
                f"{len(missing)} of {len(self.paths)} pictures are missing, first {missing[0]}"
            )
        self.revision: str | None = digest.hexdigest()[:16]

    def __len__(self) -> int:
        """How many there are."""
        return len(self.paths)

    def __getitem__(self, at: int) -> Image.Image:
        """One picture, decoded."""
        with Image.open(self.paths[at]) as picture:
            return plain(picture)

    def name(self, at: int) -> str:
        """Its path."""
        return str(self.paths[at])

    def path(self, at: int) -> Path | None:
        """Its file."""
        return self.paths[at]


class Arrays:
    """Pictures in memory: (n, h, w) grey or (n, h, w, 3) RGB bytes."""

    parallel = True

    def __init__(self, data: NDArray[np.uint8]) -> None:
        self.data = data
        digest = hashlib.sha256(f"{data.shape} {data.dtype}".encode())
        digest.update(np.ascontiguousarray(data).data)
        self.revision: str | None = digest.hexdigest()[:16]

    def __len__(self) -> int:
        """How many there are."""
        return len(self.data)

    def __getitem__(self, at: int) -> Image.Image:
        """One picture."""
        return Image.fromarray(self.data[at])

    def name(self, at: int) -> str:
        """Its place."""
        return f"picture {at}"

    def path(self, at: int) -> Path | None:
        """None: it has no file."""
        return None


@dataclass(frozen=True)
class Span:
    """Where a file's bytes lie in an uncompressed archive."""

    archive: Path
    begin: int
    size: int
    name: str

    def read(self) -> bytes:
        """The bytes; safe in any thread."""
        handle = os.open(self.archive, os.O_RDONLY)
        try:
            return os.pread(handle, self.size, self.begin)
        finally:
            os.close(handle)


class Spans:
    """Pictures inside tar archives."""

    parallel = True

    def __init__(self, spans: Sequence[Span]) -> None:
        self.spans = list(spans)
        digest = hashlib.sha256()
        for archive in dict.fromkeys(span.archive for span in spans):
            stat = archive.stat()
            digest.update(f"{archive.name}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
        for span in self.spans:
            digest.update(f"{span.name}\0{span.begin}\n".encode())
        self.revision: str | None = digest.hexdigest()[:16]

    def __len__(self) -> int:
        """How many there are."""
        return len(self.spans)

    def __getitem__(self, at: int) -> Image.Image:
        """One picture, decoded."""
        with Image.open(io.BytesIO(self.spans[at].read())) as picture:
            return plain(picture)

    def name(self, at: int) -> str:
        """Its name, with its archive's."""
        return f"{self.spans[at].archive}:{self.spans[at].name}"

    def path(self, at: int) -> Path | None:
        """None: it has no file of its own."""
        return None


class Of:
    """The pictures of a torch Dataset, whose items begin with a picture."""

    def __init__(
        self, dataset: Any, revision: str | None = None, *, parallel: bool = False
    ) -> None:
        """Read a dataset without a transform.

        Args:
            dataset: Its items are a picture (PIL, or bytes of shape (h, w) or (h, w, 3)), or a
                tuple or a dict (``image``) that begins with one.
            revision: What names its present contents; None keeps nothing for the next time.
            parallel: Whether several threads may ask it at once.
        """
        self.dataset, self.revision, self.parallel = dataset, revision, parallel

    def __len__(self) -> int:
        """How many there are."""
        return len(self.dataset)

    def __getitem__(self, at: int) -> Image.Image:
        """One picture, decoded."""
        item = self.dataset[at]
        if isinstance(item, dict):
            item = item["image"]
        elif isinstance(item, tuple | list):
            item = item[0]
        if isinstance(item, Image.Image):
            return plain(item)
        found = np.asarray(item)
        if found.dtype != np.uint8 or found.ndim not in (2, 3):
            raise BadInput(
                f"item {at} of {type(self.dataset).__name__} begins with {type(item).__name__} of "
                f"{found.dtype} {found.shape}; it should be a PIL picture, so make the data set "
                "without a transform: each model brings its own"
            )
        return plain(Image.fromarray(found))

    def name(self, at: int) -> str:
        """Its place."""
        return f"item {at}"

    def path(self, at: int) -> Path | None:
        """None: the data set does not tell."""
        return None


def plain(picture: Image.Image) -> Image.Image:
    """RGB, or grey where it is; decodes it."""
    if picture.mode in ("L", "RGB"):
        picture.load()
        return picture
    return picture.convert("RGB")
