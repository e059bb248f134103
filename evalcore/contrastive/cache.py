"""What is kept for the next time: resized pictures, embeddings of pictures and texts, downloads.

An entry is a folder named by a hash of what its arrays depend on, filled chunk by chunk. A chunk is
written aside and moved into place, so that a kill costs the chunk being written and the next run
goes on after it. When the cache is full the arrays go that were not used for longest; downloads
count, but stay until someone clears them.
"""

import contextlib
import hashlib
import json
import logging
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evalcore import home
from evalcore.errors import BadInput, UnknownName

KINDS = ("pixels", "images", "texts")
"""Resized pictures, and embeddings of pictures and of texts."""
DOWNLOADS = "data"
"""Downloads (see ``addresses``)."""
EVERYTHING = (*KINDS, DOWNLOADS)
ABOUT = "about.json"
"""What an entry is of, for people; its time of change is when it was last used."""
PARTS = ("chunk-*.npy", "**/*.tar", "**/*.parquet")
"""What the table counts of an entry: chunks, or files of a data set."""
LIMIT_GB = 20.0
LIMIT_VARIABLE = "EVALCORE_CACHE_GB"
SPARE_BYTES = 2**30
"""What is left free on the disk."""
log = logging.getLogger(__name__)


def folder() -> Path:
    """Where arrays are kept: ``cache`` in the home folder."""
    return home.home() / "cache"


def limit_bytes() -> int:
    """The most that the cache may take: ``EVALCORE_CACHE_GB``, else 20 GB.

    Raises:
        BadInput: The variable holds no number.
    """
    given = os.environ.get(LIMIT_VARIABLE, str(LIMIT_GB))
    try:
        return int(float(given) * 1e9)
    except ValueError:
        raise BadInput(f"{LIMIT_VARIABLE}={given!r} should be a number of gigabytes") from None


@dataclass(frozen=True)
class Chunk:
    """Some rows of an array."""

    rows: NDArray[Any]
    failed: dict[int, str]
    """Row in the chunk → why it holds nothing."""


class Entry:
    """One array, in chunks."""

    def __init__(self, cache: "Cache | None", path: Path, label: str = "") -> None:
        self.cache, self.path, self.label = cache, path, label

    def read(self, number: int) -> Chunk | None:
        """A chunk as a memory map; None if it is not kept."""
        if self.cache is None:
            return None
        try:
            rows = np.load(self._chunk(number), mmap_mode="r")
            reasons = json.loads(
                self._chunk(number).with_suffix(".json").read_text(encoding="utf-8")
            )
        except (OSError, ValueError, EOFError):
            return None
        return Chunk(rows, {int(row): why for row, why in reasons.items()})

    def write(self, number: int, chunk: Chunk) -> None:
        """Keep a chunk if there is room; a disk that cannot be written only costs the next time."""
        if self.cache is None or not self.cache.make_room(chunk.rows.nbytes, self.path):
            return
        target = self._chunk(number)
        aside = target.with_name(f".{target.name}.{os.getpid()}")
        reasons = json.dumps({str(row): why for row, why in chunk.failed.items()})
        try:
            note(self.path, self.label)
            _put(target.with_suffix(".json"), reasons.encode())
            with aside.open("wb") as file:
                np.save(file, chunk.rows)
            aside.replace(target)
        except OSError as error:
            log.warning("cannot keep %s (%s); going on without", target, error.strerror)
            with contextlib.suppress(OSError):
                aside.unlink()

    def chunks(self) -> int:
        """How many chunks are kept."""
        return sum(1 for part in PARTS for _ in self.path.glob(part))

    def _chunk(self, number: int) -> Path:
        return self.path / f"chunk-{number:06d}.npy"


class Cache:
    """The arrays that are kept, up to a limit."""

    def __init__(self, root: Path | None = None, limit: int | None = None) -> None:
        """Use a folder (``folder()``) up to so many bytes (``limit_bytes()``)."""
        self.root = root or folder()
        self.limit = limit_bytes() if limit is None else limit
        self._held: int | None = None

    def entry(self, kind: str, about: Mapping[str, Any], label: str = "") -> Entry:
        """The entry of what an array depends on; with anything unknown (None) nothing is kept.

        Args:
            kind: One of ``KINDS``.
            about: What the array depends on, as JSON can hold it.
            label: What a person knows it by.
        """
        content = json.dumps(about, sort_keys=True)
        path = self.root / kind / hashlib.sha256(content.encode()).hexdigest()[:20]
        if any(value is None for value in about.values()) or self.limit <= 0:
            return Entry(None, path)
        with contextlib.suppress(OSError):
            os.utime(path / ABOUT)  # it is in use
        return Entry(self, path, label)

    def make_room(self, size: int, keep: Path) -> bool:
        """Let the entries go that were not used for longest, until so many bytes fit.

        Returns:
            Whether they fit beside the entry that is being filled.
        """
        if self._held is None:
            self._held = self.held()
        if self._held + size > self.limit:
            self._held = self.held()  # others write too
            for path in sorted(self._entries(KINDS), key=_used):
                if self._held + size <= self.limit:
                    break
                if path != keep:
                    self._held -= _size(path)
                    shutil.rmtree(path, ignore_errors=True)
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            free = shutil.disk_usage(self.root).free
        except OSError:
            return False
        fits = self._held + size <= self.limit and free > size + SPARE_BYTES
        self._held += size if fits else 0
        return fits

    def held(self, kind: str | None = None) -> int:
        """The bytes of everything, or of one kind."""
        return sum(_size(path) for path in self._entries((kind,) if kind else EVERYTHING))

    def table(self) -> list[dict[str, Any]]:
        """What is kept, last used first: key, kind, of, chunks, megabytes, used (hours ago).

        Of downloads the chunks are the files of the data set.
        """
        rows = []
        for path in sorted(self._entries(), key=_used, reverse=True):
            about = json.loads((path / ABOUT).read_text(encoding="utf-8"))
            rows.append(
                {
                    "key": path.name,
                    "kind": path.parent.name,
                    "of": about["of"],
                    "chunks": Entry(self, path).chunks(),
                    "megabytes": round(_size(path) / 1e6, 1),
                    "hours_unused": round(max(0.0, time.time() - _used(path)) / 3600, 1),
                }
            )
        return rows

    def clear(self, which: str | None = None) -> int:
        """Remove everything, one kind, or one entry by its key.

        Returns:
            The bytes that are free again.

        Raises:
            UnknownName: Nothing has this name.
        """
        chosen = [path for path in self._entries() if which in (None, path.name, path.parent.name)]
        if which is not None and not chosen and which not in EVERYTHING:
            raise UnknownName(
                f"the cache holds no {which!r}; give a kind ({', '.join(EVERYTHING)}) or a key "
                "that 'python -m evalcore cache' lists"
            )
        freed = sum(_size(path) for path in chosen)
        for path in chosen:
            shutil.rmtree(path, ignore_errors=True)
        self._held = None
        return freed

    def _entries(self, kinds: Sequence[str] = EVERYTHING) -> list[Path]:
        return [path.parent for kind in kinds for path in self.root.glob(f"{kind}/*/{ABOUT}")]


def note(path: Path, label: str) -> None:
    """Say of an entry what it is of, and that it is in use.

    Raises:
        OSError: It cannot be written.
    """
    if (path / ABOUT).exists():
        os.utime(path / ABOUT)
    else:
        path.mkdir(parents=True, exist_ok=True)
        _put(path / ABOUT, json.dumps({"of": label}).encode())


def _put(path: Path, content: bytes) -> None:
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_bytes(content)
    aside.replace(path)


def _size(path: Path) -> int:
    total = 0
    for file in path.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            total += file.stat().st_size if file.is_file() else 0
    return total


def _used(path: Path) -> float:
    with contextlib.suppress(FileNotFoundError):
        return (path / ABOUT).stat().st_mtime
    return 0.0
