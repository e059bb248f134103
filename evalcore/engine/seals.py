"""What a run's folder must hold: a digest of each file that is final, a copy of what workers told.

The file ``ledger.jsonl`` is only appended to. A digest stands there before its file is put in
place, so that a kill at any moment leaves every file known; a file that was written anew has
several. Folders of versions before 0.6 have no ledger, or one that does not name all of their
files: what it does not name cannot be checked and is taken as it is.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalcore import files
from evalcore.engine import lines
from evalcore.engine.journal import Journal
from evalcore.errors import EvalcoreError

FILE = "ledger.jsonl"
LAYOUT = 2
"""Stands in ``run.json`` of a run that has a ledger from its first moment."""


@dataclass
class Seals:
    """What the lines say."""

    digests: dict[str, set[str]] = field(default_factory=dict)
    """File, as a path inside the folder → every digest that it was written with."""
    facts: list[dict[str, Any]] = field(default_factory=list)
    spoilt: int = 0
    """Lines that cannot be read, the last one included if it is cut off."""

    def take(self, line: Mapping[str, Any]) -> None:
        """Take in a line."""
        if "sha256" in line:
            self.digests.setdefault(str(line["file"]), set()).add(str(line["sha256"]))
        elif isinstance(line.get("fact"), dict):
            self.facts.append(line["fact"])


def damaged(path: Path, why: object) -> EvalcoreError:
    """The error for a file that is not what was written, as when a copy was cut off."""
    reason = (str(why).splitlines() or [""])[0] or type(why).__name__
    return EvalcoreError(
        f"{path} cannot be read ({reason}); copy the run's folder anew, or move it away"
    )


def read(folder: Path) -> Seals:
    """A folder's ledger; an empty one where there is none."""
    found = Seals()
    try:
        data = files.held(folder / FILE)
    except OSError:
        return found
    for one in data.split(b"\n"):
        row = lines.parsed(one) if one else {}
        if row is None:
            found.spoilt += 1
        else:
            found.take(row)
    return found


def checked(folder: Path, name: str) -> bytes:
    """What a final file of a folder holds.

    Raises:
        EvalcoreError: It cannot be read, or is not what was written.
    """
    path = folder / name
    try:
        data = files.held(path)
    except OSError as error:
        raise damaged(path, error.strerror or error) from None
    told = read(folder)
    if digest(data) in told.digests.get(name, ()):
        return data
    if name in told.digests:
        raise damaged(path, "it was changed since it was written")
    if told.spoilt:
        raise damaged(path, f"{FILE} beside it is spoilt, so that it cannot be checked")
    return data


def digest(data: bytes) -> str:
    """What tells one file's contents from another's."""
    return hashlib.sha256(data).hexdigest()


def note(folder: Path, files: Mapping[str, bytes]) -> None:
    """Note what files hold, or will hold in a moment.

    Args:
        folder: The run's.
        files: Name inside the folder → contents.

    Raises:
        EvalcoreError: The ledger cannot be written.
    """
    known = read(folder).digests
    new = {name: digest(data) for name, data in files.items()}
    new = {name: made for name, made in new.items() if made not in known.get(name, ())}
    if not new:
        return
    with Journal(folder / FILE, lambda line: None).locked() as write:
        for name, made in new.items():
            write({"file": name, "sha256": made})


def note_all(folder: Path) -> None:
    """Note every file of a folder that is made whole at once.

    Raises:
        OSError: A file cannot be read.
        EvalcoreError: The ledger cannot be written.
    """
    found = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != FILE]
    note(folder, {str(path.relative_to(folder)): path.read_bytes() for path in found})


def note_fact(folder: Path, fact: Mapping[str, Any]) -> None:
    """Keep a second copy of what a worker told.

    Raises:
        EvalcoreError: The ledger cannot be written.
    """
    with Journal(folder / FILE, lambda line: None).locked() as write:
        write({"fact": fact})
