"""What a run is made with: code, packages, and what its workers tell while they carry it out.

Workers append to files of their own in the run's folder ``facts``, so that several workers, devices
and resumptions are all told; nothing there is ever changed.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path
from typing import Any

from evalcore import __version__, values
from evalcore.engine import sealed
from evalcore.engine.lines import Tail, Writer
from evalcore.home import ROOT

PACKAGES = ("torch", "transformers", "open_clip_torch", "openai", "google-genai", "pillow")
FOLDER = "facts"
UNANSWERED = "unanswered spending"
"""A fact's kind, of runs that kept no ledger yet (see ``budget``): dollars that were paid, or may
have been, without an answer that tells of them."""


@dataclass(frozen=True)
class Fact:
    """Something that one worker tells of how it carries out a run."""

    kind: str
    """``model``: how the model was really run; ``judge``: how a judge was made; ``judges``: who was
    to judge, in words; ``UNANSWERED``."""
    about: dict[str, Any]
    """Names and values; never a key."""
    worker: int
    """The worker's process id."""
    time: str
    """When it was told: ISO 8601, UTC."""


def tell(run: Path, kind: str, about: Mapping[str, Any]) -> None:
    """Append a fact to a run's folder, unless this worker has told just that before.

    Money is always told: the same amount twice is twice the amount. The newest fact has the latest
    time, also when the clock was set back.

    Raises:
        EvalcoreError: The folder cannot be written, or the disk is full.
    """
    before = max(
        (datetime.fromisoformat(earlier.time) for earlier in facts(run, kind)), default=None
    )
    moment = datetime.now(UTC)
    if before is not None and moment <= before:
        moment = before + timedelta(microseconds=1)
    now = moment.isoformat(timespec="microseconds")
    fact = Fact(kind, dict(about), os.getpid(), now)
    if kind != UNANSWERED and any(
        {**asdict(earlier), "time": now} == asdict(fact) for earlier in facts(run, kind)
    ):
        return
    writer = Writer(run / FOLDER)
    try:
        writer.append(fact)
    finally:
        writer.close()
    sealed.note_fact(run, asdict(fact))


def facts(run: Path, kind: str) -> list[Fact]:
    """The facts of one kind that a run's workers told, oldest first; what is lost, by its copy."""
    facts = [*_in_files(run)]
    facts += [copy for copy in _copies(run) if copy not in facts]
    return sorted((fact for fact in facts if fact.kind == kind), key=lambda fact: fact.time)


def lost(run: Path) -> int:
    """How many facts are gone from a run's folder and known by their copies only."""
    there = [*_in_files(run)]
    return sum(copy not in there for copy in _copies(run))


def _in_files(run: Path) -> Iterator[Fact]:
    return _facts(Tail(run / FOLDER).new())


def _copies(run: Path) -> Iterator[Fact]:
    return _facts(sealed.read_seals(run).facts)


def _facts(rows: Iterable[Mapping[str, Any]]) -> Iterator[Fact]:
    """The rows that are facts; another is passed over like a spoilt line."""
    for row in rows:
        if (fact := _fact(row)) is not None:
            yield fact


def _fact(row: Mapping[str, Any]) -> Fact | None:
    try:
        fact = Fact(**row)
        datetime.fromisoformat(fact.time)
        checks = all(_TOLD[name](value) for name, value in _needed(fact).items())
    except (TypeError, ValueError, KeyError):
        return None
    return fact if checks and isinstance(fact.kind, str) else None


def _needed(fact: Fact) -> dict[str, object]:
    """What a fact of its kind must tell."""
    names = {"judges": ("specs", "repeats", "setup"), "judge": ("judge", "version")}
    asked = names.get(fact.kind, ("usd",) if fact.kind == UNANSWERED else ())
    return {name: fact.about[name] for name in asked} | {"about": fact.about}


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


_TOLD: dict[str, Callable[[object], bool]] = {
    "about": lambda value: isinstance(value, dict),
    "specs": _are_texts,
    "repeats": lambda value: bool(values.count(value)),
    "setup": lambda value: isinstance(value, dict),
    "judge": lambda value: isinstance(value, str),
    "version": lambda value: isinstance(value, str),
    "usd": lambda value: values.amount(value) is not None,
}
"""What a fact tells → whether it is that."""


def code_version() -> str:
    """The version of evalcore and a hash of its source, as runs record it."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "evalcore").rglob("*.py")):
        digest.update(path.read_bytes())
    return f"{__version__}+{digest.hexdigest()[:8]}"


def packages() -> dict[str, str]:
    """The versions of the packages that decide what a model answers, those that are there."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions
