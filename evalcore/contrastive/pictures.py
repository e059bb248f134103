"""Where a benchmark's pictures are, and how one is decoded.

As the published evaluations do it (open_clip's and UniBench's ``convert("RGB")``): not turned by a
camera's orientation note, transparency passed over. A grey picture stays grey, which comes to the
same after any resizing and takes a third of the room.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from evalcore.errors import BadInput
from evalcore.pictures import as_published, published_colours


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

    def alike(self) -> NDArray[np.int64] | None:
        """(n,) a number each, the same for the same picture; None: no picture is known twice."""
        ...

    def wholes(self) -> NDArray[np.int64] | None:
        """As ``alike``, but the parts of one picture have the same number too."""
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
        return as_published(self.paths[at], self.name(at))

    def name(self, at: int) -> str:
        """Its path."""
        return str(self.paths[at])

    def path(self, at: int) -> Path | None:
        """Its file."""
        return self.paths[at]

    def alike(self) -> NDArray[np.int64] | None:
        """By its path."""
        return numbered(self.paths)

    wholes = alike


Box = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""


class Crops:
    """Parts of picture files, cut as PIL cuts: what lies outside the picture is black."""

    parallel = True

    def __init__(self, files: Files, boxes: Sequence[Box]) -> None:
        """Take one part of each file.

        Args:
            files: The pictures.
            boxes: The part of each.
        """
        self.files, self.boxes = files, list(boxes)
        self.revision: str | None = hashlib.sha256(
            f"{files.revision} {self.boxes}".encode()
        ).hexdigest()[:16]

    def __len__(self) -> int:
        """How many there are."""
        return len(self.boxes)

    def __getitem__(self, at: int) -> Image.Image:
        """One part."""
        return self.files[at].crop(self.boxes[at])

    def name(self, at: int) -> str:
        """Its picture's path and its box."""
        return f"{self.files.name(at)} {self.boxes[at]}"

    def path(self, at: int) -> Path | None:
        """None: it has no file of its own."""
        return None

    def alike(self) -> NDArray[np.int64] | None:
        """By path and box."""
        return numbered(zip(self.files.paths, self.boxes, strict=True))

    def wholes(self) -> NDArray[np.int64] | None:
        """By the path alone."""
        return self.files.alike()


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

    def alike(self) -> None:
        """None: each stands alone."""

    wholes = alike


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


class Enclosed:
    """Pictures without files of their own: inside archives and columns."""

    parallel = True
    repeated = False
    """Whether pictures may stand there twice, as with captions: then their bytes are compared."""

    def path(self, at: int) -> Path | None:
        """None: it has no file of its own."""
        return None

    def alike(self) -> NDArray[np.int64] | None:
        """Which pictures have the same bytes; they are read once."""
        return self._alike if self.repeated else None

    wholes = alike

    @cached_property
    def _alike(self) -> NDArray[np.int64] | None:
        raise NotImplementedError


class Spans(Enclosed):
    """Pictures inside tar archives."""

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
        return as_published(self.spans[at].read(), self.name(at))

    def name(self, at: int) -> str:
        """Its name, with its archive's."""
        return f"{self.spans[at].archive}:{self.spans[at].name}"

    @cached_property
    def _alike(self) -> NDArray[np.int64] | None:
        # Only those of which another one has as many bytes are read.
        sizes = Counter(span.size for span in self.spans)

        def key(span: Span) -> Hashable:
            return span.size if sizes[span.size] == 1 else digest(span.read())

        with ThreadPoolExecutor() as pool:
            return numbered(pool.map(key, self.spans))


class DatasetPictures:
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
            return published_colours(item)
        array = np.asarray(item)
        if array.dtype != np.uint8 or array.ndim not in (2, 3):
            raise BadInput(
                f"item {at} of {type(self.dataset).__name__} begins with {type(item).__name__} of "
                f"{array.dtype} {array.shape}; it should be a PIL picture, so make the data set "
                "without a transform: each model brings its own"
            )
        return published_colours(Image.fromarray(array))

    def name(self, at: int) -> str:
        """Its place."""
        return f"item {at}"

    def path(self, at: int) -> Path | None:
        """None: the data set does not tell."""
        return None

    def alike(self) -> None:
        """None: the data set does not tell."""

    wholes = alike


def numbered(keys: Iterable[Hashable]) -> NDArray[np.int64] | None:
    """A number for each key, from 0 on as they come; None where all are different.

    >>> numbered(["b", "a", "b"]).tolist(), numbered("abc")
    ([0, 1, 0], None)
    """
    places: dict[Hashable, int] = {}
    numbers = np.array([places.setdefault(key, len(places)) for key in keys], np.int64)
    return numbers if len(places) < len(numbers) else None


def digest(content: bytes) -> bytes:
    """What tells contents apart."""
    return hashlib.sha256(content).digest()
