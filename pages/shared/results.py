"""The only door from pages to the store; what comes of it is cached here."""

import datetime
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from evalcore import home
from evalcore.decision.blocks import Blocks, Current
from evalcore.decision.needs import Needs
from evalcore.errors import EvalcoreError
from evalcore.importers import own_csv
from evalcore.store import build, queries
from evalcore.suites import current, item_results, pooling
from evalcore.suites import suite as suites

# Pages take, sort and match some hundred names at a time: with Arrow's strings that costs a third
# more of a whole run.
pd.options.mode.string_storage = "python"

# Suites and tables are a few megabytes; versions replace each other as the store is rebuilt.
_ENTRIES = 24
_HELD = "compare_kept"
_MOST_HELD = 12


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

    def suite(self, name: str, *, include_modes: bool = False) -> suites.SuiteData:
        """One suite's frames; shared between sessions, so nobody may change them."""
        return _suite(self.path, self.version, name, include_modes, _today())

    def current(self, *, include_modes: bool = False) -> Current:
        """All current suites, as the choice among them needs it; nobody may change it."""
        return _current(self.path, self.version, include_modes, _today())

    def blocks(self, asked: Needs) -> Blocks:
        """The current suites ranked for a question."""
        # Scores, and which model a stated figure is for, decide nothing about the block.
        return _blocks(self.path, self.version, _today(), asked)

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
        if data.uploaded or data is not self.suite(data.suite):
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

    def scores(self) -> pd.DataFrame:
        """Every score of all suites, as in ``queries.scores``; nobody may change them."""
        return _scores(self.path, self.version)

    def scored(self) -> frozenset[str]:
        """The suites that hold scores of single models which take part unasked."""
        return self.once(_taking_part)

    def once(self, make: Callable[..., Any], *names: str) -> Any:
        """What ``make(store, *names)`` gives, made once a version and day; nobody may change it."""
        made_by = f"{make.__module__}.{make.__name__}"
        return _once(self.path, self.version, _today(), made_by, names, self, make)

    def evidence_benchmarks(self, purpose: item_results.Purpose = "look") -> list[str]:
        """The benchmarks of which the store has items, the one to open for a purpose first."""
        return _evidence_benchmarks(self.path, self.version, purpose)

    def evidence(self, benchmark: str) -> item_results.ItemResults:
        """A benchmark's items and scores; shared between sessions, so nobody may change them."""
        return _evidence(self.path, self.version, benchmark)

    def evidence_item(self, benchmark: str, item: str) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The answers to one item and the verdicts on them, as in ``ItemResults``."""
        return _evidence_item(self.path, self.version, benchmark, item)

    def evidence_containing(self, benchmark: str, text: str) -> frozenset[str]:
        """The items whose question, references or any answer contain a text."""
        return _evidence_containing(self.path, self.version, benchmark, text)

    def known(self) -> own_csv.Known:
        """What an uploaded file is checked against."""
        return _known(self.path, self.version)


def in_session(key: tuple[object, ...], make: Callable[[], Any]) -> Any:
    """What ``make()`` gives; a session keeps the last few, as most controls only reread them."""
    answers: dict[object, Any] = st.session_state.setdefault(_HELD, {})
    if key not in answers:
        for old in list(answers)[: max(0, len(answers) - _MOST_HELD + 1)]:
            del answers[old]
        answers[key] = make()
    return answers[key]


@st.cache_data(max_entries=4)
def _version(path: str, stamp: tuple[int, int]) -> tuple[str, str]:
    return queries.version(Path(path))


def _today() -> str:
    """The day on which one asks what can be had; an answer of yesterday is not used."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


# Shared, not copied: a cost that was worked out is found again by the table of offers it is from.
@st.cache_resource(max_entries=3 * _ENTRIES)
def _suite(path: str, version: str, name: str, include_modes: bool, day: str) -> suites.SuiteData:
    return suites.load(Path(path), name, include_modes=include_modes, day=day)


@st.cache_resource(max_entries=4)
def _current(path: str, version: str, include_modes: bool, day: str) -> Current:
    return current.load(Path(path), include_modes=include_modes, day=day)


@st.cache_resource(max_entries=8 * _ENTRIES)
def _blocks(path: str, version: str, day: str, asked: Needs) -> Blocks:
    return current.choose(_current(path, version, asked.include_modes, day), asked)


@st.cache_data(max_entries=4 * _ENTRIES)
def _cells(  # noqa: PLR0913  the key of a cached answer
    path: str, version: str, name: str, axis: str, include_suspect: bool, correct_chance: bool
) -> pd.DataFrame:
    return suites.cells(
        _suite(path, version, name, False, _today()),
        axis,
        include_suspect=include_suspect,
        correct_chance=correct_chance,
    )


@st.cache_resource(max_entries=_ENTRIES)
def _once(  # noqa: PLR0913  the key of a cached answer
    path: str,
    version: str,
    day: str,
    made_by: str,
    names: tuple[str, ...],
    _store: Store,
    _make: Callable[..., Any],
) -> Any:
    return _make(_store, *names)


def _taking_part(store: Store) -> frozenset[str]:
    stored = _scored(store.path, store.version)
    table = store.table("suites").set_index("suite")
    papers = {name for name in stored if not table["current"].get(name, False)}
    return frozenset(papers | set(store.current().scores["suite"]) | {pooling.SUITE})


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


@st.cache_resource(max_entries=2)
def _scores(path: str, version: str) -> pd.DataFrame:
    return queries.scores(Path(path), None)


@st.cache_data(max_entries=2)
def _known(path: str, version: str) -> own_csv.Known:
    scores = _scores(path, version)
    models = frozenset(queries.table(Path(path), "models")["model"])
    return own_csv.Known(own_csv.places(scores), models)


@st.cache_data(max_entries=8)
def _evidence_benchmarks(path: str, version: str, purpose: item_results.Purpose) -> list[str]:
    return item_results.benchmarks(Path(path), purpose)


# Shared, not copied: a benchmark's answers may be many, and are read once.
@st.cache_resource(max_entries=4)
def _evidence(path: str, version: str, benchmark: str) -> item_results.ItemResults:
    return item_results.load(Path(path), benchmark)


@st.cache_data(max_entries=8 * _ENTRIES)
def _evidence_item(
    path: str, version: str, benchmark: str, item: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    return item_results.of_item(Path(path), benchmark, item)


@st.cache_data(max_entries=_ENTRIES)
def _evidence_containing(path: str, version: str, benchmark: str, text: str) -> frozenset[str]:
    return item_results.containing(Path(path), benchmark, text)


def _stamp(path: str) -> tuple[int, int]:
    """What changes when the store file is swapped: a cached answer of the old one is not used."""
    try:
        stat = Path(path).stat()
    except OSError as error:
        raise EvalcoreError(f"the results store {path} is gone ({error.strerror})") from None
    return stat.st_mtime_ns, stat.st_size
