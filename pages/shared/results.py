"""The only door from pages to the store, and the only place that caches."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from evalcore import home
from evalcore import suite as suites
from evalcore.errors import EvalcoreError
from evalcore.importers import own_csv
from evalcore.store import build, queries

# Suites and tables are a few megabytes; versions replace each other as the store is rebuilt.
_ENTRIES = 24


class Store:
    """The store as one page run sees it."""

    def __init__(self) -> None:
        """Build the store if it is missing or stale.

        Raises:
            EvalcoreError: There is no store and none can be built, or it cannot be read.
        """
        self.problem: str | None = None
        """Why the store on disk is older than the files it is built from, if it is."""
        self.path = str(home.store_path())
        if not Path(self.path).exists() or self._read_version() != build.version():
            self._rebuild()
            self._read_version()

    def _read_version(self) -> str:
        self.version, self.built = _version(self.path, _stamp(self.path))
        return self.version

    def _rebuild(self) -> None:
        try:
            build.ensure()
        except EvalcoreError as error:
            if not Path(self.path).exists():
                raise
            self.problem = str(error)

    def suite(self, name: str) -> suites.SuiteData:
        """One suite's frames."""
        return _suite(self.path, self.version, name)

    def cells(
        self,
        data: suites.SuiteData,
        axis: str,
        *,
        include_suspect: bool = False,
        correct_chance: bool = False,
    ) -> pd.DataFrame:
        """The cells of one axis of a suite; kept between reruns unless an upload is in it."""
        options = (include_suspect, correct_chance)
        if data.uploaded:
            return suites.cells(
                data, axis, include_suspect=include_suspect, correct_chance=correct_chance
            )
        return _cells(self.path, self.version, data.suite, axis, *options)

    def kept(self, make: Callable[..., Any], *names: str) -> Any:
        """What ``make(table, table, …, *names)`` gives on shipped tables, made once a version.

        The tables are those that ``make`` names as its parameters; ``names`` follow them.
        """
        return _kept(self.path, self.version, f"{make.__module__}.{make.__name__}", names, make)

    def table(self, name: str) -> pd.DataFrame:
        """One of ``queries.TABLES``."""
        return _table(self.path, self.version, name)

    def scored(self) -> frozenset[str]:
        """The suites that hold scores of single models."""
        return _scored(self.path, self.version)

    def known(self) -> own_csv.Known:
        """What an uploaded file is checked against."""
        return _known(self.path, self.version)


@st.cache_data(max_entries=4)
def _version(path: str, stamp: tuple[int, int]) -> tuple[str, str]:
    return queries.version(Path(path))


@st.cache_data(max_entries=_ENTRIES)
def _suite(path: str, version: str, name: str) -> suites.SuiteData:
    return suites.load(Path(path), name)


@st.cache_data(max_entries=4 * _ENTRIES)
def _cells(  # noqa: PLR0913  the key of a cached answer
    path: str, version: str, name: str, axis: str, include_suspect: bool, correct_chance: bool
) -> pd.DataFrame:
    return suites.cells(
        _suite(path, version, name),
        axis,
        include_suspect=include_suspect,
        correct_chance=correct_chance,
    )


@st.cache_data(max_entries=_ENTRIES)
def _kept(
    path: str, version: str, made_by: str, names: tuple[str, ...], _make: Callable[..., Any]
) -> Any:
    parameters = list(inspect.signature(_make).parameters)
    tables = parameters[: len(parameters) - len(names)]
    return _make(*(_table(path, version, name) for name in tables), *names)


@st.cache_data(max_entries=_ENTRIES)
def _table(path: str, version: str, name: str) -> pd.DataFrame:
    return queries.table(Path(path), name)


@st.cache_data(max_entries=2)
def _scored(path: str, version: str) -> frozenset[str]:
    return frozenset(queries.tags(Path(path))["suite"])


@st.cache_data(max_entries=2)
def _known(path: str, version: str) -> own_csv.Known:
    names = queries.table(Path(path), "suites")["suite"]
    scores = pd.concat([queries.scores(Path(path), name) for name in names])
    models = frozenset(queries.table(Path(path), "models")["model"])
    return own_csv.Known(own_csv.places(scores), models)


def _stamp(path: str) -> tuple[int, int]:
    """What changes when the store file is swapped: a cached answer of the old one is not used."""
    try:
        stat = Path(path).stat()
    except OSError as error:
        raise EvalcoreError(f"the results store {path} is gone ({error.strerror})") from None
    return stat.st_mtime_ns, stat.st_size
