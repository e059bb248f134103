"""Files that a person names, opened so that only an ordinary file of a known size is ever read.

A name can lead anywhere: to a pipe that never ends, to a device, round in a circle of links. Each
is told in a sentence before it is opened.
"""

import errno
import os
import stat
from io import BufferedReader
from pathlib import Path

from evalcore.errors import BadInput
from evalcore.messages import quoted

MOST_NAME = 4096
"""Bytes of a path that Linux takes."""
SHOWN = 300
MOST_TEXT = 100_000_000
"""Bytes of a file of text that is read whole."""
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
NO_FILE = "there is no such file"
_NO_NAME = "no file can have that name; give a file's name"
_WHY = {
    errno.ENOENT: NO_FILE,
    errno.ENOTDIR: NO_FILE,
    errno.ELOOP: "its links lead round in a circle; give a file",
    errno.ENAMETOOLONG: "the name is too long for a file; give a file's name",
    errno.EACCES: "it may not be read by this account",
}


def wrong(path: Path) -> str | None:
    """What keeps a path from being an ordinary file, in words; None if nothing does.

    >>> wrong(Path("/")), wrong(Path("x" * 5000)), wrong(Path(__file__))
    ('it is a folder; give a file', "the name is too long for a file; give a file's name", None)
    """
    try:
        if len(os.fsencode(path)) > MOST_NAME:
            return _WHY[errno.ENAMETOOLONG]
        return _wrong_kind(path.stat().st_mode)
    except OSError as error:
        return _words(error)
    except ValueError:  # a zero byte, or half a letter
        return _NO_NAME


def opened(path: Path, most: int | None = None) -> BufferedReader:
    """An ordinary file, open for reading.

    Args:
        path: As somebody named it; links are followed.
        most: Bytes that it may have; None takes any.

    Raises:
        BadInput: It is no such file, too large, or cannot be read.
    """
    if why := wrong(path):
        raise BadInput(f"{shown(path)}: {why}")
    try:
        # Should a pipe have taken its place by now, this does not wait for a writer.
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except OSError as error:
        raise BadInput(f"{shown(path)}: {_words(error)}") from None
    now = os.fstat(file.fileno())
    why = _wrong_kind(now.st_mode)
    if why is None and most is not None and now.st_size > most:
        why = f"it has {_size(now.st_size)}; at most {_size(most)} are read"
    if why:
        file.close()
        raise BadInput(f"{shown(path)}: {why}")
    return file


def content(path: Path, most: int = MOST_TEXT) -> bytes:
    """All bytes of an ordinary file.

    Raises:
        BadInput: It is no such file, has more bytes than ``most``, or cannot be read.
    """
    try:
        with opened(path, most) as file:
            bytes_read = file.read(most + 1)
    except OSError as error:
        raise BadInput(f"{shown(path)}: {_words(error)}") from None
    if len(bytes_read) > most:  # it grew, or its size is not told
        raise BadInput(f"{shown(path)}: it has more than {_size(most)}, which is the most read")
    return bytes_read


def held(path: Path, begin: int = 0) -> bytes:
    """All bytes of an ordinary file of ours from one on, however many; a pipe is never waited for.

    Raises:
        OSError: It is no such file, or cannot be read.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if why := _wrong_kind(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, why.partition(";")[0])
        file.seek(begin)
        return file.read()


def there(path: Path) -> bool:
    """Whether anything is there; never an error, whatever the name is."""
    try:
        return len(os.fsencode(path)) <= MOST_NAME and path.exists()
    except (OSError, ValueError, RuntimeError):
        return False


def is_folder(path: Path) -> bool:
    """Whether a folder is there; never an error, whatever the name is."""
    return there(path) and path.is_dir()


def whole(path: Path) -> Path:
    """A path from the root on, links followed.

    Raises:
        BadInput: No file can have that name, or its links lead round in a circle.
    """
    try:
        if len(os.fsencode(path)) > MOST_NAME:
            raise BadInput(f"{shown(path)}: {_WHY[errno.ENAMETOOLONG]}")
        return path.expanduser().resolve()
    except RuntimeError:  # what Python 3.11 says of links in a circle, and of an unknown ~name
        raise BadInput(f"{shown(path)}: {_WHY[errno.ELOOP]}") from None
    except (OSError, ValueError):
        raise BadInput(f"{shown(path)}: {_NO_NAME}") from None


def shown(path: Path | str) -> str:
    """A path in a message: as it is, or the beginning of a strange one in quotes."""
    text = str(path)
    return text if len(text) <= SHOWN and text.isprintable() else quoted(text)


def _wrong_kind(mode: int) -> str | None:
    if stat.S_ISREG(mode):
        return None
    return f"it is {_KINDS.get(stat.S_IFMT(mode), 'no ordinary file')}; give a file"


def _words(error: OSError) -> str:
    return _WHY.get(error.errno or 0, f"it cannot be read ({error.strerror or error})")


def _size(count: int) -> str:
    unit, name = (1_000_000, "MB") if count >= 1_000_000 else (1, "bytes")
    return f"{count / unit:,.0f} {name}"
