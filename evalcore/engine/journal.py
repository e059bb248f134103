"""A file of JSON lines that several processes write in turn, each knowing all lines before its own.

A line is written whole under a lock that the system lets go of when a process dies; what a kill or
a full disk has cut off is taken away by the next who writes.
"""

import contextlib
import errno
import fcntl
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from io import FileIO
from pathlib import Path
from typing import Any

from evalcore import files
from evalcore.engine.lines import cannot, line, row

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

            def write(told: Mapping[str, Any]) -> None:
                new = line(told)
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
        for one in lines.split(b"\n"):
            if one and (found := row(one, self.path)) is not None:
                self._noted(found)
        self._read += len(lines)

    def _noted(self, found: dict[str, Any]) -> None:
        """Note a line; one that lacks what it should tell is passed over like a spoilt one."""
        try:
            self._note(found)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            log.warning("%s: a line is passed over (%r)", self.path, error)
