"""What counts of a run's answers or verdicts while they come: one record an item."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import pandas as pd

from evalcore.engine.lines import Tail
from evalcore.errors import EvalcoreError
from evalcore.records import Prediction, Verdict

log = logging.getLogger(__name__)
Record = TypeVar("Record", Prediction, Verdict)


def damaged(path: Path, error: Exception) -> EvalcoreError:
    """The error for a sealed file that is not whole, as when a copy was cut off."""
    return EvalcoreError(
        f"{path} cannot be read ({str(error).splitlines()[0]}); copy the run's folder anew, or move"
        " it away"
    )


class Follower(Generic[Record]):
    """One part of a run, kept up to date as its lines come: the record that counts of each item."""

    def __init__(
        self, folder: Path, part: str, record: Callable[..., Record], good: Callable[[Record], bool]
    ) -> None:
        """Follow a part of a run's folder; a record that is not ``good`` is replaced by a later."""
        self._record: Callable[..., Record] = record
        self._good: Callable[[Record], bool] = good
        self._tail = Tail(folder / part)
        self._sealed = folder / f"{part}.parquet"
        self._sealed_at = 0
        self._best: dict[str, Record] = {}

    def now(self) -> dict[str, Record]:
        """Records by item; the same dictionary each time.

        The lines are read before the sealed file: it is in place before they go, so that nothing
        is missed if another process seals meanwhile.
        """
        for row in self._tail.new():
            self._take(row)
        if self._sealed.exists() and self._sealed.stat().st_mtime_ns != self._sealed_at:
            self._sealed_at = self._sealed.stat().st_mtime_ns
            # Whole numbers beside a gap stay whole only in pandas' own nullable columns.
            try:
                frame = pd.read_parquet(self._sealed, dtype_backend="numpy_nullable").astype(object)
            except (OSError, ValueError) as error:
                raise damaged(self._sealed, error) from None
            for sealed in frame.where(frame.notna(), None).to_dict("records"):
                self._take(sealed)
        return self._best

    def wrote(self, record: Record, path: Path) -> None:
        """Know a record that this process has written to a file of its own."""
        self._tail.pass_over(path)
        self._keep(record)

    def _take(self, row: Mapping[Any, Any]) -> None:
        try:
            self._keep(self._record(**row))
        except TypeError as error:  # of a version that wrote other fields, or spoilt
            log.warning("%s: a line is passed over: %s", self._tail.folder, error)

    def _keep(self, record: Record) -> None:
        held = self._best.get(record.item)
        if held is None:
            self._best[record.item] = record
            return
        # An attempt that another replaces was paid for all the same. The sealed file and a line
        # that it was made from are one attempt.
        known = [one.usd for one in (held, record) if one.usd is not None]
        same = replace(held, usd=None) == replace(record, usd=None)
        usd = (max(known) if same else sum(known)) if known else None
        self._best[record.item] = replace(held if self._good(held) else record, usd=usd)
