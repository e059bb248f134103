"""The final form of a run's answers or verdicts: one Parquet file a part, checked as it is read.

Each page has a checksum and each file a digest in the ledger. Columns come out with the type and
range of their field; a field that a file of an earlier version lacks is unknown.
"""

import contextlib
import hashlib
import io
import logging
import math
import shutil
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Generic

import pyarrow
import pyarrow.compute as compute
import pyarrow.parquet as parquet

from evalcore import files, values
from evalcore.engine import lines
from evalcore.engine.lines import Journal, Record, Tail, cannot
from evalcore.errors import EvalcoreError
from evalcore.records import Prediction, Verdict

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


def read_seals(folder: Path) -> Seals:
    """A folder's ledger; an empty one where there is none."""
    seals = Seals()
    try:
        data = files.held(folder / FILE)
    except OSError:
        return seals
    for part in data.split(b"\n"):
        row = lines.parsed(part) if part else {}
        if row is None:
            seals.spoilt += 1
        else:
            seals.take(row)
    return seals


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
    noted = read_seals(folder)
    if digest(data) in noted.digests.get(name, ()):
        return data
    if name in noted.digests:
        raise damaged(path, "it was changed since it was written")
    if noted.spoilt:
        raise damaged(path, f"{FILE} beside it is spoilt, so that it cannot be checked")
    return data


def digest(data: bytes) -> str:
    """What tells one file's contents from another's."""
    return hashlib.sha256(data).hexdigest()


def note_seals(folder: Path, files: Mapping[str, bytes]) -> None:
    """Note what files hold, or will hold in a moment.

    Args:
        folder: The run's.
        files: Name inside the folder → contents.

    Raises:
        EvalcoreError: The ledger cannot be written.
    """
    known = read_seals(folder).digests
    new = {name: digest(data) for name, data in files.items()}
    new = {name: seal for name, seal in new.items() if seal not in known.get(name, ())}
    if not new:
        return
    with Journal(folder / FILE, lambda line: None).locked() as write:
        for name, seal in new.items():
            write({"file": name, "sha256": seal})


def note_all(folder: Path) -> None:
    """Note every file of a folder that is made whole at once.

    Raises:
        OSError: A file cannot be read.
        EvalcoreError: The ledger cannot be written.
    """
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != FILE]
    note_seals(folder, {str(path.relative_to(folder)): path.read_bytes() for path in paths})


def note_fact(folder: Path, fact: Mapping[str, Any]) -> None:
    """Keep a second copy of what a worker told.

    Raises:
        EvalcoreError: The ledger cannot be written.
    """
    with Journal(folder / FILE, lambda line: None).locked() as write:
        write({"fact": fact})


TEXT = pyarrow.string()
_KINDS = {
    "repeat": pyarrow.int64(), "tokens_in": pyarrow.int64(), "tokens_out": pyarrow.int64(),
    "score": pyarrow.float64(), "seconds": pyarrow.float64(), "usd": pyarrow.float64(),
}  # fmt: skip
"""Every other field of both records is text."""
_READ: dict[str, Callable[[object], object]] = {
    "repeat": lines.repeat, "score": values.score, "tokens_in": values.count,
    "tokens_out": values.count, "seconds": values.amount, "usd": values.amount,
}  # fmt: skip
_OPTIONAL = frozenset({"tokens_in", "tokens_out", "seconds", "usd"})
"""Fields that are unknown where they are no number; an impossible value elsewhere is damage."""
_KNOWN = frozenset({"item", "judge", "version", "repeat"})
"""Fields that no row is without."""


def kind_of(name: str) -> pyarrow.DataType:
    """The type of a field's column."""
    return _KINDS.get(name, TEXT)


def names(record: type, columns: Sequence[str] | None) -> list[str]:
    """The fields of ``Prediction`` or ``Verdict`` that are asked for; None asks for all."""
    return list(columns or [field.name for field in fields(record)])


def read(
    folder: Path, part: str, record: type, columns: Sequence[str] | None = None
) -> pyarrow.Table:
    """A sealed part of a run.

    Args:
        folder: The run's.
        part: ``predictions`` or ``verdicts/<key>``.
        record: Whose fields the columns are.
        columns: Which of them; None reads all.

    Raises:
        EvalcoreError: The file is not what was written, or tells what cannot be.
    """
    name = f"{part}.parquet"
    data = checked(folder, name)
    try:
        with parquet.ParquetFile(io.BytesIO(data), page_checksum_verification=True) as file:
            asked = names(record, columns)
            held = file.read([column for column in asked if column in file.schema_arrow.names])
        return pyarrow.table({column: _column(held, column, record) for column in asked})
    # What a library says of bytes that are no such file is of any kind.
    except Exception as error:  # noqa: BLE001
        raise damaged(folder / name, error) from None


def write(folder: Path, part: str, rows: Sequence[Prediction | Verdict], record: type) -> None:
    """Put a part of a run into its final form; what it was gathered from goes afterwards.

    Raises:
        UnicodeEncodeError: A text has half a surrogate pair.
        EvalcoreError: The disk is full; the lines stay as they are.
    """
    target = folder / f"{part}.parquet"
    aside = target.with_name(f".{target.name}.aside")
    try:
        target.parent.mkdir(exist_ok=True)
        # Without a data frame in between, which would take twice the time.
        values = {name: [vars(row)[name] for row in rows] for name in names(record, None)}
        table = {name: pyarrow.array(column, kind_of(name)) for name, column in values.items()}
        put(pyarrow.table(table), aside)
        before = [target.read_bytes()] if target.exists() else []
        for data in (*before, aside.read_bytes()):
            note_seals(folder, {f"{part}.parquet": data})
        aside.replace(target)
    except OSError as error:
        raise cannot(f"write {target}", error, "the answers are kept") from None
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
    shutil.rmtree(folder / part, ignore_errors=True)


def put(table: pyarrow.Table, path: Path) -> None:
    """Write a table with a checksum a page."""
    parquet.write_table(table, path, write_page_checksum=True)


def _column(table: pyarrow.Table, name: str, record: type) -> Any:
    """A column with the type and range of its field.

    Raises:
        Spoilt: It holds what cannot be, or is not there and has to be.
    """
    kind = kind_of(name)
    if name not in table.column_names:
        if next(field for field in fields(record) if field.name == name).default is MISSING:
            raise values.Spoilt(f"it has no column {name!r}")
        return pyarrow.nulls(len(table), kind) if name != "reason" else _blank(len(table))
    column = _text(table[name], name) if kind == TEXT else _numbers(table[name], name, kind)
    if name in _KNOWN and column.null_count:
        raise values.Spoilt(f"column {name!r} has gaps")
    return compute.fill_null(column, "") if name == "reason" else column


def _blank(rows: int) -> Any:
    return pyarrow.repeat(pyarrow.scalar("", TEXT), rows)


def _text(column: Any, name: str) -> Any:
    kind = column.type.value_type if pyarrow.types.is_dictionary(column.type) else column.type
    checks = (pyarrow.types.is_string, pyarrow.types.is_large_string, pyarrow.types.is_null)
    if not any(check(kind) for check in checks):
        raise values.Spoilt(f"column {name!r} is no text")
    return compute.cast(column, TEXT)


def _numbers(column: Any, name: str, kind: pyarrow.DataType) -> Any:
    """The numbers of a column; one of ``_READ`` that is none is unknown."""
    if column.type != kind:  # of another writer or an earlier version, one by one
        read_one = _READ[name]
        return pyarrow.chunked_array([pyarrow.array(map(read_one, column.to_pylist()), kind)])
    bounds = {"score": 1.0, "repeat": lines.MOST_REPEATS}
    most = bounds.get(name, values.MOST if kind == pyarrow.int64() else math.inf)
    good = compute.and_(compute.greater_equal(column, 0), compute.less_equal(column, most))
    if name in _OPTIONAL:
        whole = good if kind == pyarrow.int64() else compute.and_(good, compute.is_finite(column))
        return compute.if_else(whole, column, pyarrow.scalar(None, kind))
    if compute.all(good).as_py() is False:  # None: there is nothing but gaps
        raise values.Spoilt(f"column {name!r} holds what cannot be")
    return column


log = logging.getLogger(__name__)


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
            table = read(self._folder, self._part, self._record)
            for values in zip(*(column.to_pylist() for column in table.columns), strict=True):
                self._keep(self._record(*values))
        return self._best

    def wrote(self, record: Record, path: Path) -> None:
        """Know a record that this process has written to a file of its own."""
        self._tail.pass_over(path)
        self._keep(record)

    def _take(self, row: Mapping[str, Any]) -> None:
        record = lines.record(self._record, row)
        if record is None:  # of a version that wrote other fields, or spoilt
            log.warning("%s: a line is passed over: %.80r", self._tail.folder, row)
            return
        self._keep(record)

    def _keep(self, record: Record) -> None:
        key = (record.item, record.answer) if isinstance(record, Verdict) else record.item
        held = self._best.get(key)
        if held is None:
            self._best[key] = record
            return
        # An attempt that another replaces was paid for all the same. The sealed file and a line
        # that it was made from are one attempt.
        known = [row.usd for row in (held, record) if row.usd is not None]
        same = replace(held, usd=None) == replace(record, usd=None)
        usd = (max(known) if same else sum(known)) if known else None
        self._best[key] = replace(held if self._good(held) else record, usd=usd)
