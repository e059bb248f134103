"""Pictures in Arrow and Parquet files, as Hugging Face writes them, read with pyarrow alone.

Both forms: Parquet, and what ``save_to_disk`` writes (in which UniBench keeps its data sets).
Pictures stay in the files until they are asked for. ``columns`` says what is in them.
"""

import hashlib
import re
import threading
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from PIL import Image

from evalcore.contrastive.datasets.naming import SPLITS, files
from evalcore.contrastive.pictures import Enclosed, digest, numbered
from evalcore.errors import BadInput
from evalcore.pictures import as_published

PATTERNS = ("*.parquet", "data-*.arrow")
PART = re.compile(r"(.+)-\d+-of-(\d+)(-[0-9a-f]+)?")
HELD_GROUPS = 4
"""How many row groups of a Parquet file stay in memory."""


class Column(Enclosed):
    """Pictures in columns of Arrow or Parquet files, row by row."""

    def __init__(self, parts: Sequence["Part"], columns: Sequence[str]) -> None:
        """Take pictures.

        Args:
            parts: The files, in their order.
            columns: The columns with pictures; those of one row follow each other.
        """
        self.parts, self.columns = list(parts), list(columns)
        self.ends = np.cumsum([part.rows for part in parts])
        digest = hashlib.sha256(f"{self.columns}".encode())
        for part in parts:
            stat = part.path.stat()
            digest.update(f"{part.path.name}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
        self.revision: str | None = digest.hexdigest()[:16]

    def __len__(self) -> int:
        """How many there are."""
        return int(self.ends[-1]) * len(self.columns)

    def __getitem__(self, at: int) -> Image.Image:
        """One picture, decoded."""
        return as_published(self._bytes(at), self.name(at))

    def _bytes(self, at: int) -> bytes:
        part, row, column = self._place(at)
        cell = part.cell(row, column)
        raw = cell.get("bytes") if isinstance(cell, dict) else cell
        if raw is None and isinstance(cell, dict) and cell.get("path"):
            raw = (part.path.parent / cell["path"]).read_bytes()
        if not isinstance(raw, bytes):
            raise BadInput(f"{self.name(at)} is no picture")
        return raw

    def name(self, at: int) -> str:
        """Its file, row and column."""
        part, row, column = self._place(at)
        return f"{part.path}:{row}:{column}"

    @cached_property
    def _alike(self) -> NDArray[np.int64] | None:
        return numbered(map(self._key, range(len(self))))

    def _key(self, at: int) -> Hashable:
        try:
            return digest(self._bytes(at))
        except (BadInput, OSError):  # said when it is to be shown
            return at

    def _place(self, at: int) -> tuple["Part", int, str]:
        row, column = divmod(at, len(self.columns))
        number = int(np.searchsorted(self.ends, row, side="right"))
        before = int(self.ends[number - 1]) if number else 0
        return self.parts[number], row - before, self.columns[column]


class Part:
    """One file: Arrow's as a memory map, Parquet's row group by row group."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.Lock()
        self.groups: dict[tuple[int, str], Any] = {}
        try:
            if path.suffix == ".parquet":
                self.parquet = pq.ParquetFile(path)
                self.table, self.schema = None, self.parquet.schema_arrow
                about = self.parquet.metadata
                sizes = [about.row_group(group).num_rows for group in range(about.num_row_groups)]
                self.ends, self.rows = np.cumsum(sizes), int(about.num_rows)
            else:
                self.table = pa.ipc.open_stream(pa.memory_map(str(path))).read_all()
                self.schema, self.rows = self.table.schema, self.table.num_rows
        except (pa.ArrowException, OSError) as error:
            raise BadInput(f"{path} is no whole file of Arrow or Parquet ({error})") from None

    def cell(self, row: int, column: str) -> Any:
        """One cell."""
        if self.table is not None:
            return self.table[column][row].as_py()
        group = int(np.searchsorted(self.ends, row, side="right"))
        with self.lock:
            if (group, column) not in self.groups:
                while len(self.groups) >= HELD_GROUPS:
                    del self.groups[next(iter(self.groups))]
                read = self.parquet.read_row_group(group, columns=[column])
                self.groups[group, column] = read[column]
            held = self.groups[group, column]
        return held[row - (int(self.ends[group - 1]) if group else 0)].as_py()

    def column(self, name: str) -> list[Any]:
        """A column that is small enough to be read whole."""
        table = self.parquet.read(columns=[name]) if self.table is None else self.table
        return table[name].to_pylist()  # type: ignore[no-any-return]


def there(place: Path) -> bool:
    """Whether a folder holds such files."""
    return any(files(place, pattern) for pattern in PATTERNS)


def split_files(place: Path, asked: Mapping[str, str] | None = None) -> list[Path]:
    """The files of the split that is asked for, or of the first of ``SPLITS``.

    Args:
        place: A folder, or one file.
        asked: ``split``, and ``config``: a folder's name in the way of the files.

    Raises:
        BadInput: That split is not there, or one of its files, or several sets are.
    """
    if place.is_file():
        return [place]
    asked = asked or {}
    by: dict[str, list[Path]] = {}
    for path in (file for pattern in PATTERNS for file in files(place, pattern)):
        within = path.relative_to(place)
        if asked.get("config") in (None, *within.parts):
            by.setdefault(_split(within), []).append(path)
    chosen = asked.get("split") or next((name for name in (*SPLITS, "") if name in by), "")
    if chosen not in by:
        there = ", ".join(sorted(by)) or "none"
        raise BadInput(f"{place} has no split {chosen!r} of Arrow or Parquet files, only {there}")
    _check(place, by[chosen])
    return by[chosen]


def _check(place: Path, paths: Sequence[Path]) -> None:
    """Refuse files of several sets, and a set that is not whole."""
    folders = {str(path.parent.relative_to(place)) for path in paths}
    if len(folders) > 1:
        raise BadInput(
            f"{place} holds several sets ({', '.join(sorted(folders))}); name one: ?config=FOLDER"
        )
    for path in paths:
        match = PART.fullmatch(path.stem)
        if match and len(paths) != int(match[2]):
            raise BadInput(
                f"{path}: {int(match[2])} files belong together, but {len(paths)} are there"
            )


def _split(within: Path) -> str:
    """The split that a file is of, by its name or its folders'; empty where nothing tells."""
    words = [within.stem.partition("-")[0], *reversed(within.parts[:-1])]
    return next((word for word in words if word in SPLITS), "")
