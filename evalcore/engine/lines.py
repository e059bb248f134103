"""Files of one JSON record a line, appended to by one process and read by any.

A line is written whole by one write, so a kill costs at most the line being written; a last line
without its end is not there yet. Each line ends in a checksum of itself (key ``crc``), so that one
flipped bit is a spoilt line and never another record; lines without one, of versions before 0.6,
are taken as they are.
"""

import contextlib
import errno
import json
import logging
import os
import uuid
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evalcore import files
from evalcore.errors import EvalcoreError

log = logging.getLogger(__name__)
_JSON = json.JSONEncoder(ensure_ascii=False)
"""Made once: ``json.dumps`` makes one for each call."""
_SUM = ', "crc": "'
_END = len(_SUM) + 10
"""Characters of the end of a line that has a checksum: the key, eight digits, quote and brace."""


def line(record: Mapping[str, Any]) -> bytes:
    """A record as a line with its checksum; half a surrogate pair becomes a question mark.

    >>> line({"item": "1"})
    b'{"item": "1", "crc": "b5f4bcd5"}\\n'
    """
    body = _JSON.encode(record).encode("utf-8", "replace")
    return body[:-1] + f'{_SUM}{zlib.crc32(body):08x}"}}\n'.encode()


def cannot(do: str, error: OSError, *ways: str) -> EvalcoreError:
    """The error for what the disk does not take.

    Args:
        do: What could not be done: ``write PATH``.
        error: As the system gave it.
        ways: What still holds or can be done; that a full disk needs room is said anyway.
    """
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    told = (*(["the disk is full: make room"] if full else []), *ways)
    return EvalcoreError("; ".join([f"cannot {do} ({error.strerror or error})", *told]))


class Writer:
    """Appends records to one file of its own, whole lines at a time."""

    def __init__(self, folder: Path) -> None:
        """Open a new file in ``folder``.

        Raises:
            EvalcoreError: The folder cannot be written.
        """
        path = folder / f"{os.getpid()}-{uuid.uuid4().hex[:8]}.jsonl"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise cannot(f"write {path}", error) from None
        self.path = path
        self._size = 0

    def append(self, *records: object) -> None:
        """Append records (flat dataclasses) at once; half a surrogate pair becomes a question mark.

        Raises:
            EvalcoreError: The disk is full or the file cannot be written; what was written before
                stays good.
        """
        data = b"".join([line(vars(record)) for record in records])
        try:
            if os.write(self._handle, data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self._size += len(data)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self._size)  # or a later line would join a torn one
            kept = "what was answered before is kept: make room and give the same command again"
            raise cannot(f"write {self.path}", error, kept) from None

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)


class Tail:
    """The rows of a folder's files as they come; each is given once."""

    def __init__(self, folder: Path) -> None:
        """Begin at the start of every file."""
        self.folder = folder
        self._read: dict[Path, int] = {}
        self._passed_over: set[Path] = set()

    def pass_over(self, path: Path) -> None:
        """Read nothing more from a file, since who follows this writes it."""
        self._passed_over.add(path)

    def new(self) -> Iterator[dict[str, Any]]:
        """The rows since the last call; a file that goes away or cannot be read has none."""
        for path in sorted({*self.folder.glob("*.jsonl")} - self._passed_over):
            begin = self._read.get(path, 0)
            try:
                if path.stat().st_size <= begin:
                    continue
                found, self._read[path] = read(path, begin)
            except FileNotFoundError:
                return
            except OSError as error:
                log.warning("%s is passed over (%s)", path, error.strerror)
                continue
            yield from found


def read(path: Path, begin: int = 0) -> tuple[list[dict[str, Any]], int]:
    """The rows of a file from a byte on, and the byte after the last whole line."""
    data = files.held(path, begin)
    whole = data[: data.rfind(b"\n") + 1]
    found = [row(one, path) for one in whole.split(b"\n") if one]
    return [one for one in found if one is not None], begin + len(whole)


def row(text: bytes, path: Path) -> dict[str, Any] | None:
    """A line's record; None for one that a crash of the machine or a person has spoilt."""
    found = parsed(text)
    if found is None:
        log.warning("%s: a line that is no record is passed over: %.40r", path, text)
    return found


def parsed(text: bytes) -> dict[str, Any] | None:
    """The same without a word."""
    try:
        body = text
        if text[-_END:-10] == _SUM.encode():
            body = text[:-_END] + b"}"
            if zlib.crc32(body) != int(text[-10:-2], 16):
                return None
        found = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    # With a spoilt checksum the key is one of the record's own.
    return found if isinstance(found, dict) and "crc" not in found else None
