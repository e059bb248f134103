"""What counts of a run's answers or verdicts while they come."""

import logging
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from evalcore.engine import recorded, sealed
from evalcore.engine.lines import Tail
from evalcore.records import Prediction, Verdict

log = logging.getLogger(__name__)
Record = TypeVar("Record", Prediction, Verdict)


class Follower(Generic[Record]):
    """One part of a run, kept up to date as its lines come: of records alike the one that counts.

    Answers are alike to one item, verdicts on one answer to it.
    """

    def __init__(
        self, folder: Path, part: str, record: type[Record], good: Callable[[Record], bool]
    ) -> None:
        """Follow a part of a run's folder; a record that is not ``good`` is replaced by a later."""
        self._record: type[Record] = record
        self._good: Callable[[Record], bool] = good
        self._folder, self._part = folder, part
        self._tail = Tail(folder / part)
        self._sealed = folder / f"{part}.parquet"
        self._sealed_at = 0
        self._best: dict[Hashable, Record] = {}

    def now(self) -> dict[Hashable, Record]:
        """Answers by item, or verdicts by item and answer; the same dictionary each time.

        The lines are read before the sealed file: it is in place before they go, so that nothing
        is missed if another process seals meanwhile.
        """
        for row in self._tail.new():
            self._take(row)
        if self._sealed.exists() and self._sealed.stat().st_mtime_ns != self._sealed_at:
            self._sealed_at = self._sealed.stat().st_mtime_ns
            table = sealed.read(self._folder, self._part, self._record)
            for values in zip(*(column.to_pylist() for column in table.columns), strict=True):
                self._keep(self._record(*values))
        return self._best

    def wrote(self, record: Record, path: Path) -> None:
        """Know a record that this process has written to a file of its own."""
        self._tail.pass_over(path)
        self._keep(record)

    def _take(self, row: Mapping[str, Any]) -> None:
        found = recorded.record(self._record, row)
        if found is None:  # of a version that wrote other fields, or spoilt
            log.warning("%s: a line is passed over: %.80r", self._tail.folder, row)
            return
        self._keep(found)

    def _keep(self, record: Record) -> None:
        key = (record.item, record.answer) if isinstance(record, Verdict) else record.item
        held = self._best.get(key)
        if held is None:
            self._best[key] = record
            return
        # An attempt that another replaces was paid for all the same. The sealed file and a line
        # that it was made from are one attempt.
        known = [one.usd for one in (held, record) if one.usd is not None]
        same = replace(held, usd=None) == replace(record, usd=None)
        usd = (max(known) if same else sum(known)) if known else None
        self._best[key] = replace(held if self._good(held) else record, usd=usd)
