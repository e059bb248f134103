"""Files of one JSON record a line, appended to by one process and read by any.

A line is written whole by one write, so a kill costs at most the line being written; a last line
without its end is not there yet. Each line ends in a checksum of itself (key ``crc``), so that one
flipped bit is a spoilt line and never another record; lines without one, of versions before 0.6,
are taken as they are.
"""

import contextlib
import errno
import fcntl
import hashlib
import json
import logging
import os
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from io import FileIO
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

from evalcore import files
from evalcore.errors import EvalcoreError
from evalcore.records import Ending, Prediction, Verdict
from evalcore.values import Spoilt, amount, count, maybe_text, score, text

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
    advice = (*(["the disk is full: make room"] if full else []), *ways)
    return EvalcoreError("; ".join([f"cannot {do} ({error.strerror or error})", *advice]))


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
                rows, self._read[path] = read(path, begin)
            except FileNotFoundError:
                return
            except OSError as error:
                log.warning("%s is passed over (%s)", path, error.strerror)
                continue
            yield from rows


def read(path: Path, begin: int = 0) -> tuple[list[dict[str, Any]], int]:
    """The rows of a file from a byte on, and the byte after the last whole line."""
    data = files.held(path, begin)
    whole = data[: data.rfind(b"\n") + 1]
    rows = [row(part, path) for part in whole.split(b"\n") if part]
    return [entry for entry in rows if entry is not None], begin + len(whole)


def row(text: bytes, path: Path) -> dict[str, Any] | None:
    """A line's record; None for one that a crash of the machine or a person has spoilt."""
    value = parsed(text)
    if value is None:
        log.warning("%s: a line that is no record is passed over: %.40r", path, text)
    return value


def parsed(text: bytes) -> dict[str, Any] | None:
    """The same without a word."""
    try:
        body = text
        if text[-_END:-10] == _SUM.encode():
            body = text[:-_END] + b"}"
            if zlib.crc32(body) != int(text[-10:-2], 16):
                return None
        value = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    # With a spoilt checksum the key is one of the record's own.
    return value if isinstance(value, dict) and "crc" not in value else None


Record = TypeVar("Record", Prediction, Verdict)
MOST_REPEATS = 2**31 - 1


def prediction(row: Mapping[Any, Any]) -> Prediction | None:
    """The answer that a row tells; None if it tells none."""
    return record(Prediction, row)


def verdict(row: Mapping[Any, Any]) -> Verdict | None:
    """The verdict that a row tells; None if it tells none."""
    return record(Verdict, row)


def record(kind: type[Record], row: Mapping[Any, Any]) -> Record | None:
    """The record of a kind that a row tells; None if it tells none."""
    of_kind: Any = kind
    readers = _readers(of_kind)
    try:
        return kind(**{name: readers[name](value) for name, value in row.items()})
    except (KeyError, TypeError, Spoilt):  # a field too many, one too few, or one that is spoilt
        return None


def repeat(value: object) -> int:
    """A judge's repeat, 0 for the first time.

    Raises:
        Spoilt: It is none.
    """
    number = count(value, MOST_REPEATS)
    if number is None:
        raise Spoilt(f"{value!r:.40} is no number of a repeat")
    return number


def _ending(value: object) -> object:
    return value if value in get_args(Ending) else None


_BY_HINT: dict[Any, Callable[[object], Any]] = {
    str: text,
    str | None: maybe_text,
    int: repeat,
    int | None: count,
    float | None: amount,
    Ending | None: _ending,
}


@cache
def _readers(kind: Any) -> dict[str, Callable[[object], Any]]:
    """How each field of a record is read."""
    readers = {name: _BY_HINT[hint] for name, hint in get_type_hints(kind).items()}
    return readers | ({"score": score} if "score" in readers else {})


log = logging.getLogger(__name__)
Write = Callable[[Mapping[str, Any]], None]
"""Appends a line while the lock is held."""


class Journal:
    """One file as one worker of one process knows it; not for several threads at once."""

    def __init__(self, path: Path, note: Callable[[dict[str, Any]], None]) -> None:
        """Use a file, which is made when it is first locked.

        Args:
            path: The file.
            note: Told each line once, in order, whoever wrote it.
        """
        self.path = path
        self._note = note
        self._read = 0

    @contextlib.contextmanager
    def locked(self) -> Iterator[Write]:
        """Hold the lock; every line so far has been noted, and each one written is.

        Raises:
            EvalcoreError: The file cannot be written.
        """
        try:
            file = FileIO(self.path, "a+")
        except OSError as error:
            raise cannot(f"write {self.path}", error) from None
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)  # let go by the system if this process dies
            file.seek(self._read)
            new = file.read()
            whole = new[: new.rfind(b"\n") + 1]
            self._take(whole)
            if len(new) > len(whole):  # a line may be cut off by a kill or a full disk
                file.truncate(self._read)

            def write(fields: Mapping[str, Any]) -> None:
                new = line(fields)
                try:
                    if file.write(new) != len(new):
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                except OSError as error:
                    raise cannot(f"write {self.path}", error) from None
                self._take(new)

            yield write

    def look(self) -> None:
        """Note the lines that came since, without the lock and without making the file."""
        with contextlib.suppress(OSError):
            new = files.held(self.path, self._read)
            self._take(new[: new.rfind(b"\n") + 1])

    def _take(self, lines: bytes) -> None:
        for part in lines.split(b"\n"):
            if part and (read_row := row(part, self.path)) is not None:
                self._noted(read_row)
        self._read += len(lines)

    def _noted(self, read_row: dict[str, Any]) -> None:
        """Note a line; one that lacks what it should tell is passed over like a spoilt one."""
        try:
            self._note(read_row)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            log.warning("%s: a line is passed over (%r)", self.path, error)


GONE = ""
"""What a verdict names as its answer that was lost; no answer has this mark."""


def mark(text: str) -> str:
    """What tells one answer from another, as verdicts note it.

    >>> mark("red") == mark("red "), len(mark("red"))
    (False, 16)
    """
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def counting(verdicts: Iterable[Verdict], answers: Mapping[str, Prediction]) -> dict[str, Verdict]:
    """The verdicts that count, by item; a verdict on an answer that is gone or another does not.

    That there is nothing to score may be said of an item that was asked in vain. A verdict that
    names no answer (of a version before 0.6) counts for the answer that is there, unless another
    one on the item names its own: then answers came after it.

    Args:
        verdicts: Of one judge and repeat, one an item and answer.
        answers: By item.
    """
    counted: dict[str, Verdict] = {}
    unnamed: dict[str, Verdict] = {}
    named = set()
    for verdict in verdicts:
        if verdict.item not in answers:
            continue
        text = answers[verdict.item].text
        if verdict.answer is not None:
            named.add(verdict.item)
            if text is not None and verdict.answer == mark(text):
                counted[verdict.item] = verdict
        elif text is not None or verdict.score is None:
            unnamed[verdict.item] = verdict
    return counted | {item: own for item, own in unnamed.items() if item not in named}
