"""Verdicts that a judge model has been paid for, kept for the next time the same is asked."""

import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from pathlib import Path
from threading import Condition
from types import TracebackType
from typing import Any

from evalcore.errors import BadInput
from evalcore.records import Verdict

_LOG = logging.getLogger(__name__)
_FIELDS = {field.name for field in fields(Verdict)}


class VerdictCache:
    """Verdicts by what was judged, in one file of JSON lines that only grows.

    Only verdicts with a score are kept: what failed or could not be read is asked again. Threads
    that want the same verdict at the same time ask once. Processes may share the file; each sees
    what stood in it when it opened it.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, or create it; lines that a crash has torn are passed over.

        Raises:
            BadInput: the file cannot be read or written.
        """
        self._changed = Condition()
        self._busy: set[str] = set()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b")
            self._file.seek(0)
            lines = self._file.read().split(b"\n")
        except OSError as error:
            raise BadInput(
                f"verdict cache {str(path)!r} cannot be used ({error}); it should be a file in a "
                "folder that can be written"
            ) from error
        self._torn = bool(lines[-1])
        self._verdicts = dict(row for line in lines if (row := _parsed(line)) is not None)

    def __len__(self) -> int:
        """Return how many verdicts are kept."""
        return len(self._verdicts)

    def fetch(self, key: tuple[str, ...], item: str, ask: Callable[[], Verdict]) -> Verdict:
        """Return the kept verdict for a key, or ask for it and keep it if it has a score.

        A kept verdict is given in the item's name and cost nothing this time.
        """
        name = hashlib.sha256(json.dumps(key).encode("ascii")).hexdigest()
        with self._changed:
            while name in self._busy:
                self._changed.wait()
            if name in self._verdicts:
                kept = self._verdicts[name]
                return replace(kept, item=item, seconds=0.0, tokens_in=0, tokens_out=0, usd=0.0)
            self._busy.add(name)
        try:
            verdict = ask()
            if verdict.score is not None:
                self._keep(name, verdict)
            return verdict
        finally:
            with self._changed:
                self._busy.discard(name)
                self._changed.notify_all()

    def _keep(self, name: str, verdict: Verdict) -> None:
        row = json.dumps({"key": name, **asdict(verdict)}, ensure_ascii=False)
        with self._changed:
            self._verdicts[name] = verdict
            start = b"\n" if self._torn else b""
            # The verdict itself is safe without the cache: a full disk here must not lose it.
            try:
                self._file.write(start + row.encode("utf-8", "replace") + b"\n")
                self._file.flush()
                self._torn = False
            except OSError as error:
                self._torn = True
                _LOG.warning("a verdict could not be cached: %s", error)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> "VerdictCache":
        """Return the cache itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()


def _parsed(line: bytes) -> tuple[str, Verdict] | None:
    """Read one line; None if it is torn, empty or of another make."""
    try:
        row: Any = json.loads(line)
        key = row.pop("key")
        verdict = Verdict(**row) if set(row) <= _FIELDS else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return (str(key), verdict) if verdict and verdict.score is not None else None
