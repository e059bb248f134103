"""Which runs the store does not take, found out one by one when it has refused them together."""

from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import Any

import duckdb
import pandas as pd

from evalcore import records
from evalcore.engine.damage import Problem
from evalcore.errors import EvalcoreError
from evalcore.store import evidence_rows, measured, tables, zeroshot
from evalcore.store.judged_runs import JudgedRun, refused

KEYS: dict[str, tuple[str, ...]] = {table.name: table.key for table in tables.CATALOG_TABLES} | {
    "item": ("benchmark", "item"),
    "item_tag": ("benchmark", "item", "axis", "tag"),
    "item_asked": ("benchmark", "revision", "item"),
}
"""Tables whose rows several runs may bring alike → the key of a row."""


def refusals(con: duckdb.DuckDBPyConnection, judged: Sequence[JudgedRun]) -> list[Problem]:
    """Put each run alone into a store that has the catalogue; those that fail, with the reason.

    Args:
        con: The store, which is changed.
        judged: As from ``graded.everything``.
    """
    problems = []
    for name, group in groupby(judged, key=lambda graded: graded.run.id):
        con.begin()
        try:
            for table, rows in _rows(list(group)):
                _insert(con, table, rows)
            con.commit()
        # Whatever it is, the other runs are to be had.
        except Exception as error:  # noqa: BLE001
            con.rollback()
            words = str(error).splitlines()[0] if isinstance(error, duckdb.Error) else ""
            why = EvalcoreError(f"the results store does not take it ({words})") if words else error
            problems.append(refused(name, why))
    return problems


def _rows(group: Sequence[JudgedRun]) -> Iterator[tuple[str, Any]]:
    """Everything that one run brings: (table, rows)."""
    ours = [graded for graded in group if not zeroshot.is_one(graded)]
    contrastive = zeroshot.counting(group)
    for implied in (measured.catalog_rows(ours), zeroshot.catalog_rows(contrastive)):
        for table in tables.CATALOG_TABLES:
            if table.name in implied:
                yield table.name, tables.frame(implied[table.name], table.record)
    yield from chain(of_runs(ours, contrastive), evidence_rows.frames(group))


def of_runs(
    counting: Sequence[JudgedRun], contrastive: Sequence[zeroshot.ContrastiveRun]
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield (table, rows to add) of the runs that count."""
    for graded in counting:
        own = measured.scores(graded)
        yield "score", tables.frame(own, records.Score).assign(source=measured.source(graded))
        yield "run", pd.DataFrame([measured.run_row(graded)], dtype=object)
    for run in contrastive:
        scores_ = tables.frame(zeroshot.scores(run), records.Score)
        yield "score", scores_.assign(source=run.source)
        yield "run", pd.DataFrame([measured.run_row(run.graded)], dtype=object)


def _insert(con: duckdb.DuckDBPyConnection, table: str, rows: Any) -> None:
    """Add rows; what another run brought before stays as it is."""
    con.register("arriving", rows)
    held = f" ANTI JOIN {table} USING ({', '.join(KEYS[table])})" if table in KEYS else ""
    # All names are ours.
    con.execute(f"INSERT INTO {table} BY NAME SELECT arriving.* FROM arriving{held}")  # noqa: S608
