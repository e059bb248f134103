"""A file of JSON lines that several processes write in turn, each knowing all lines before its own.

A line is written whole under a lock that the system lets go of when a process dies; what a kill or
a full disk has cut off is taken away by the next who writes.
"""

import contextlib
import errno
import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping
from io import FileIO
from pathlib import Path
from typing import Any

from evalcore.engine.lines import row
from evalcore.errors import EvalcoreError

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
            raise EvalcoreError(f"cannot write {self.path} ({error.strerror})") from None
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)  # let go by the system if this process dies
            file.seek(self._read)
            new = file.read()
            whole = new[: new.rfind(b"\n") + 1]
            self._take(whole)
            if len(new) > len(whole):  # a line may be cut off by a kill or a full disk
                file.truncate(self._read)

            def write(told: Mapping[str, Any]) -> None:
                line = json.dumps(told).encode() + b"\n"
                try:
                    if file.write(line) != len(line):
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                except OSError as error:
                    raise EvalcoreError(f"cannot write {self.path} ({error.strerror})") from None
                self._take(line)

            yield write

    def look(self) -> None:
        """Note the lines that came since, without the lock and without making the file."""
        with contextlib.suppress(OSError), self.path.open("rb") as file:
            file.seek(self._read)
            new = file.read()
            self._take(new[: new.rfind(b"\n") + 1])

    def _take(self, lines: bytes) -> None:
        for line in lines.splitlines():
            if (found := row(line, self.path)) is not None:
                self._note(found)
        self._read += len(lines)
