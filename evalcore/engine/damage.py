"""What is wrong with a run's folder: files that are not what was written, lines and facts lost."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from evalcore import files
from evalcore.engine import folder as described
from evalcore.engine import lines, provenance, run_records, sealed
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError

ANEW = "what they told is asked again by 'resume'"


@dataclass(frozen=True)
class Problem:
    """A run that does not count, or not whole."""

    run: str
    """The folder's name."""
    reason: str
    counts: bool
    """Whether what is whole of it counts all the same."""


def broken(run: Run) -> str:
    """Why a run cannot be taken: a file is missing, or not what was written; empty if none is."""
    return _broken(run.folder, stamp(run.folder))


def forget() -> None:
    """Have every file read anew the next time, also one whose size and time are as they were."""
    _broken.cache_clear()


def lost(run: Run) -> list[str]:
    """What of a run is lost, cut off or of other answers, in words; the rest of it counts.

    Raises:
        EvalcoreError: A file is damaged as a whole.
    """
    sentences = [_told(path, run.folder) for path in _lines(run.folder)]
    faults = [words for words in sentences if words]
    if gone := provenance.lost(run.folder):
        faults.append(f"{gone} of its facts are known only by the copy in {sealed.FILE}")
    stale = sum(run_records.stale(run, key) for key in run.judges())
    if stale:
        faults.append(
            f"{stale} verdicts are on answers that are gone or others and do not count; 'resume'"
            " asks for them again"
        )
    return faults


def stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Names, sizes and times of what a run's folder holds; its status and leases say nothing."""
    stats = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".jsonl", ".parquet", ".json") and path.name not in _PASSING:
            try:
                stat = path.stat()
            except OSError:  # sealed meanwhile, or a link to nothing
                continue
            stats.append((str(path), stat.st_size, stat.st_mtime_ns))
    return tuple(stats)


_PASSING = frozenset({"claims.jsonl", "status.json"})


@lru_cache(maxsize=512)
def _broken(folder: Path, state: tuple[tuple[str, int, int], ...]) -> str:
    """The same; the files are read once for each state of the folder."""
    for name in sorted(sealed.read_seals(folder).digests):
        part = folder / name.removesuffix(".parquet")
        try:
            if (folder / name).exists() or not any(part.glob("*.jsonl")):
                sealed.checked(folder, name)
        except EvalcoreError as error:
            return str(error)
    try:
        described.read_items(folder, int(Run(folder).about["items"]))
    except EvalcoreError as error:
        return str(error)
    return ""


def _lines(folder: Path) -> Iterator[Path]:
    """Every file of lines that were written one by one."""
    for pattern in ("predictions/*.jsonl", "verdicts/*/*.jsonl", "facts/*.jsonl"):
        yield from sorted(folder.glob(pattern))
    yield from (path for name in _SINGLE if (path := folder / name).is_file())


_SINGLE = ("spending.jsonl", sealed.FILE)
_READ: dict[str, Callable[[dict[str, Any]], object]] = {
    "predictions": lines.prediction,
    "verdicts": lines.verdict,
}


def _told(path: Path, folder: Path) -> str:
    """What is lost of one file, in words; empty if nothing is."""
    name = path.relative_to(folder)
    try:
        whole, tail = files.held(path).rsplit(b"\n", 1)
    except ValueError:  # not one whole line
        whole, tail = b"", files.held(path)
    except OSError as error:
        return f"{name} cannot be read ({error.strerror})"
    read = _READ.get(name.parts[0], dict)
    spoilt = 0
    for part in whole.split(b"\n"):
        row = lines.parsed(part) if part else {}
        spoilt += row is None or (bool(part) and read(row) is None)
    spoilt += bool(tail)
    return f"{name}: {spoilt} lines are spoilt or cut off; {ANEW}" if spoilt else ""
