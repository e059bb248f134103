"""Builds the results store from the catalogue and the figures, aside, and swaps it in.

A reader of the old file goes on undisturbed; a build that fails leaves the old file as it was.
"""

import contextlib
import datetime
import functools
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

from evalcore import catalog, home, records
from evalcore.engine import damage, runs
from evalcore.engine.damage import Problem
from evalcore.engine.lines import cannot
from evalcore.errors import BadCatalog, EvalcoreError, StoreUnreadable
from evalcore.store import evidence_rows, judged_runs, measured, protocols, tables, trial, zeroshot

SCHEMA = Path(__file__).with_name("schema.sql")
Stat = tuple[str, int, int]
"""Name, size in bytes and time of change in nanoseconds of a file."""
ASIDE = ".building-"
DEAD_AFTER_S = 3600
_OF_THE_DISK = (
    duckdb.IOException, duckdb.FatalException, duckdb.TransactionException,
    duckdb.OutOfMemoryException,
)  # fmt: skip
"""What DuckDB raises where a file cannot be written, be it at an insert or at the end."""


class _Unwritten(EvalcoreError):
    """The new store cannot be written, whatever is in it."""


def version() -> str:
    """A hash of everything the store is built from: same inputs, same version anywhere."""
    return _hash(tuple(_stat(path) for path in _input_files()), _run_stats())


def ensure() -> Path:
    """Return the path of a store that is up to date, building it first if it is not.

    Raises:
        BadCatalog: An input file breaks a rule; the store on disk stays as it was.
        StoreUnreadable: There is a file in the store's place that is not a store.
    """
    path = home.store_path()
    if not path.exists() or built_version(path) != version():
        build()
    return path


def built_version(path: Path) -> str:
    """The version that the store on disk was built from.

    Raises:
        StoreUnreadable: The file is not a store, or of another shape.
    """
    try:
        with duckdb.connect() as con:
            con.execute(f"ATTACH '{quoted(path)}' AS store (READ_ONLY)")
            row = con.execute("SELECT value FROM store.meta WHERE key = 'version'").fetchone()
    except duckdb.Error as error:
        raise unreadable(path, error) from None
    return str(row[0]) if row else ""


def unreadable(path: Path, error: Exception) -> StoreUnreadable:
    """The error for a store that DuckDB cannot read, with the command that brings it back."""
    reason = str(error).splitlines()[0]
    return StoreUnreadable(
        f"the results store {path} cannot be read ({reason}); it is built from the catalogue and "
        "figures, so nothing is lost: 'python -m evalcore build' makes it anew"
    )


def build() -> Path:
    """Read and check every input, build the store aside and swap it in.

    Returns:
        The path of the new store.

    Raises:
        BadCatalog: An input breaks a rule (file, line and what would be right are named).
        EvalcoreError: The home folder cannot be written.
    """
    stamp = version()
    judged, problems = judged_runs.everything()
    judged, unreadable = zeroshot.readable(judged)
    problems += unreadable
    target = home.store_path()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target.parent)
        folder = Path(tempfile.mkdtemp(prefix=ASIDE, dir=target.parent))
    except OSError as error:
        raise EvalcoreError(
            f"cannot write to the home folder {target.parent} ({error.strerror}); "
            "set EVALCORE_HOME to a folder that you may write to"
        ) from None
    try:
        _write_all(folder / target.name, judged, problems, stamp)
        os.replace(folder / target.name, target)  # noqa: PTH105  the atomic call is the point
    except OSError as error:
        raise cannot(f"write {target}", error, "the store stays as it was") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return target


def _write_all(
    path: Path, judged: Sequence[judged_runs.JudgedRun], problems: Sequence[Problem], stamp: str
) -> None:
    """Fill a new file; runs that the store does not take are left out and named.

    Raises:
        BadCatalog: The catalogue breaks a rule.
        EvalcoreError: The disk is full.
    """
    try:
        _write(path, _frames(judged, problems), stamp)
        return
    # A run may break it in any way: then it is left out, and only then looked for.
    except Exception as error:
        more = [] if isinstance(error, _Unwritten | OSError) else _refusals(judged)
        if not more:
            raise
    left_out = {problem.run for problem in more}
    kept = [problem for problem in judged if problem.run.id not in left_out]
    path.unlink(missing_ok=True)
    _write(path, _frames(kept, [*problems, *more]), stamp)


def _refusals(judged: Sequence[judged_runs.JudgedRun]) -> list[Problem]:
    """The runs that a store with the catalogue does not take.

    Raises:
        BadCatalog: It does not take the catalogue.
    """
    if not judged:
        return []
    with duckdb.connect() as con:
        _fill(con, _read([]))
        return trial.refusals(con, judged)


def _frames(
    judged: Sequence[judged_runs.JudgedRun], problems: Sequence[Problem]
) -> Iterator[tuple[str, Any]]:
    """Yield (table, rows to add); the items of runs may be many: they are read when it is time."""
    yield from list(_read(judged))  # the catalogue's faults are told before anything is made
    yield from evidence_rows.frames(judged)
    reasons: dict[str, list[Problem]] = {}
    for problem in problems:
        reasons.setdefault(problem.run, []).append(problem)
    rows = [
        (run, "; ".join(each.reason for each in all_of), all(each.counts for each in all_of))
        for run, all_of in sorted(reasons.items())
    ]
    yield "run_problem", pd.DataFrame(rows, columns=["run", "reason", "counts"], dtype=object)


def _sweep(folder: Path) -> None:
    """Remove what killed builds left; a build takes seconds, so an hour without a write is long."""
    for left in folder.glob(f"{ASIDE}*"):
        with contextlib.suppress(FileNotFoundError):  # another build swept it first
            if time.time() - left.stat().st_mtime > DEAD_AFTER_S:
                shutil.rmtree(left, ignore_errors=True)


def _write(path: Path, frames: Iterable[tuple[str, Any]], stamp: str) -> None:
    """Fill a new file with (table, a data frame or Arrow table of rows)."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    meta = pd.DataFrame({"key": ["version", "built"], "value": [stamp, now]})
    try:
        with duckdb.connect(str(path)) as con:
            _fill(con, chain([("meta", meta)], frames))
    except _OF_THE_DISK as error:
        reason = str(error).splitlines()[0]
        raise _Unwritten(
            f"cannot write the results store {path.parent.parent / path.name} ({reason}); make room"
            " on the disk: the store stays as it was"
        ) from None


def _fill(con: duckdb.DuckDBPyConnection, frames: Iterable[tuple[str, Any]]) -> None:
    """Make the tables and fill them.

    Raises:
        BadCatalog: A row breaks a rule of the schema.
    """
    try:
        con.execute("SET enable_progress_bar = false")
        con.execute(SCHEMA.read_text(encoding="utf-8"))
        con.begin()  # one wait for the disk instead of one a table
        for table, rows in frames:
            if isinstance(rows, pd.DataFrame):
                con.append(table, rows, by_name=True)
            else:
                con.register("arriving", rows)
                con.execute(evidence_rows.INSERT[table])
        con.commit()
    except (duckdb.ConstraintException, duckdb.ConversionException) as error:
        raise BadCatalog(f"the store refuses an input: {error}") from None


def _read(judged: Sequence[judged_runs.JudgedRun]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield (table, rows to add) in an order in which references are already there."""
    known: dict[str, set[str]] = {}
    folders = home.catalog_folders()
    _refuse_strays(folders[-1])
    counting = measured.counting([graded for graded in judged if not zeroshot.is_one(graded)])
    contrastive = zeroshot.counting(judged)
    implied = [measured.catalog_rows(counting), zeroshot.catalog_rows(contrastive)]
    catalogued: dict[str, list[Any]] = {}
    for table in tables.CATALOG_TABLES:
        paths = [path for folder in folders for path in catalog.files(folder, table.file)]
        rows: list[object] = []
        for path in paths:
            rows += catalog.read(path, table.record)
        _check(table.name, rows, table.key, known, paths)
        more = [row for each in implied for row in each.get(table.name, [])]
        rows = _with_implied(rows, more, table.key)
        known[table.name] = {getattr(row, table.key[0]) for row in rows}
        catalogued[table.name] = rows
        yield table.name, tables.frame(rows, table.record)
    for table in tables.FIGURE_TABLES:
        path = home.figures_folder() / "tables" / table.file
        rows = catalog.read(path, table.record)
        _check(table.name, rows, table.key, known, [path])
        yield table.name, tables.frame(rows, table.record)
    for path in _score_files():
        scores = catalog.read(path, records.Score)
        if path.stem not in known["source"]:
            raise BadCatalog(
                f"{path}: no source {path.stem!r} in sources.csv; a figures file is "
                "named after its source"
            )
        _check("score", scores, tables.SCORE_KEY, known, [path])
        _check_suite(path, scores, catalogued)
        yield "score", tables.frame(scores, records.Score).assign(source=path.stem)
    yield from trial.of_runs(counting, contrastive)


def _with_implied(
    rows: list[object], implied: Sequence[object], key: Sequence[str]
) -> list[object]:
    """Add the rows that runs imply, each once; where a catalogue file has the row, that counts."""
    held = {tuple(getattr(row, name) for name in key): row for row in rows}
    for row in implied:
        held.setdefault(tuple(getattr(row, name) for name in key), row)
    return list(held.values())


def _check(
    table: str,
    rows: Sequence[object],
    key: Sequence[str],
    known: dict[str, set[str]],
    paths: Sequence[Path],
) -> None:
    """Refuse what the schema would refuse too, while file and line can still be named."""
    where = catalog.places(paths)
    catalog.refuse_duplicates(rows, key, where)
    for field, holder in tables.REFERENCES.get(table, ()):
        catalog.refuse_unknown(rows, field, known[holder], where)
    for field, low, high in tables.RANGES.get(table, ()):
        catalog.refuse_outside(rows, field, low, high, where)


def _check_suite(
    path: Path, scores: Sequence[records.Score], catalogued: Mapping[str, Sequence[Any]]
) -> None:
    """Refuse scores whose suite, or an axis of theirs in it, nobody described.

    Raises:
        BadCatalog: A row is missing; the message says in which file.
    """
    suite = next(row.suite for row in catalogued["source"] if row.id == path.stem)
    if suite is None:  # its scores stand beside those of another source, in no suite of their own
        return
    if suite not in {row.suite for row in catalogued["suite"]}:
        raise BadCatalog(
            f"{path}: its source's suite {suite!r} has no row; add one to suites.csv, or mend the "
            f"suite of {path.stem!r} in sources.csv"
        )
    axes = {row.axis for row in catalogued["suite_axis"] if row.suite == suite}
    if unknown := sorted({score.axis for score in scores} - axes):
        raise BadCatalog(
            f"{path}: the axis {unknown[0]!r} of suite {suite!r} has no row; add one to axes.csv "
            f"(it has {', '.join(sorted(axes)) or 'none'})"
        )


def _refuse_strays(folder: Path) -> None:
    """A file that nothing reads is a typing error in its name."""
    names = [table.file for table in tables.CATALOG_TABLES]
    known = {path for name in names for path in catalog.files(folder, name)}
    for path in sorted(folder.glob("*.csv")):
        if path not in known:
            raise BadCatalog(
                f"{path}: no catalogue file has this name; they are {', '.join(names)}"
            )


def _score_files() -> list[Path]:
    folder = home.figures_folder()
    return [*sorted(folder.glob("*.csv")), *sorted((folder / "current").glob("*.csv"))]


def _input_files() -> list[Path]:
    catalogs = [path for folder in home.catalog_folders() for path in sorted(folder.glob("*.csv"))]
    others = sorted((home.figures_folder() / "tables").glob("*.csv"))
    modules = (tables, measured, judged_runs, evidence_rows, protocols, trial, zeroshot)
    code = [Path(__file__), *(Path(str(module.__file__)) for module in modules)]
    return [SCHEMA, *code, *catalogs, *others, *_score_files()]


def _stat(path: Path) -> Stat:
    stat = path.stat()
    return str(path), stat.st_size, stat.st_mtime_ns


def _run_stats() -> tuple[Stat, ...]:
    """Names, sizes and times of what the runs hold that count, and of folders that are no run."""
    whole = [stat for run in judged_runs.countable() for stat in damage.stamp(run.folder)]
    for name in runs.unreadable():
        folder = home.runs_folder() / name
        whole += [(str(folder), 0, 0), *damage.stamp(folder)]
    return tuple(whole)


@functools.lru_cache(maxsize=4)
def _hash(stats: tuple[Stat, ...], run_stats: tuple[Stat, ...]) -> str:
    """Hash the files' names and contents; cached while sizes and times stay the same.

    Runs may be large, so of them names and sizes count (and times, on this machine).
    """
    digest = hashlib.sha256(repr(run_stats).encode() if run_stats else b"")
    for name, _, _ in stats:
        path = Path(name)
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def quoted(path: Path) -> str:
    """The path as the inside of a SQL string (ATTACH takes no bound value)."""
    return str(path).replace("'", "''")
