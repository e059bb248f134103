"""The only door from pages to the store; what comes of it is cached here."""

import datetime
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from evalcore import home
from evalcore.decision.need_axis import Blocks, Current
from evalcore.decision.needs import Needs
from evalcore.errors import EvalcoreError
from evalcore.importers import own_csv
from evalcore.store import build, queries
from evalcore.suites import current, item_results, pooling
from evalcore.suites import suite as suites

# Pages take, sort and match some hundred names at a time: with Arrow's strings that costs a third
# more of a whole run.
pd.options.mode.string_storage = "python"

T = TypeVar("T")
# Suites and tables are a few megabytes; versions replace each other as the store is rebuilt.
_ENTRIES = 24
_HELD = "compare_kept"
_MOST_HELD = 12
_KEYS: dict[str | type, Callable[[Any], Any]] = {
    # The day too: what can be had is asked of a day, and an answer of yesterday is not used.
    "pages.shared.results.Store": lambda store: (store.path, store.version, _today()),
    FunctionType: lambda make: (make.__module__, make.__qualname__),
}


class Store:
    """The store as one page run sees it.

    What ``st.cache_resource`` keeps is shared between sessions, so nobody may change it; what
    ``st.cache_data`` keeps is given out as a copy.
    """

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
        """One suite's frames; nobody may change them."""
        # A default is no part of a key: the same suite would be loaded twice.
        return self._suite(name, include_modes)

    # Shared: a cost that was worked out is found again by the table of offers it is from.
    @st.cache_resource(max_entries=3 * _ENTRIES, hash_funcs=_KEYS)
    def _suite(self, name: str, include_modes: bool) -> suites.SuiteData:
        return suites.load(Path(self.path), name, include_modes=include_modes, day=_today())

    def current(self, *, include_modes: bool = False) -> Current:
        """All current suites, as the choice among them needs it; nobody may change it."""
        return self._current(include_modes)

    @st.cache_resource(max_entries=4, hash_funcs=_KEYS)
    def _current(self, include_modes: bool) -> Current:
        return current.load(Path(self.path), include_modes=include_modes, day=_today())

    @st.cache_resource(max_entries=8 * _ENTRIES, hash_funcs=_KEYS)
    def blocks(self, asked: Needs) -> Blocks:
        """The current suites ranked for a question."""
        return current.choose(self.current(include_modes=asked.include_modes), asked)

    def cells(
        self,
        data: suites.SuiteData,
        axis: str,
        *,
        include_suspect: bool = False,
        correct_chance: bool = False,
    ) -> pd.DataFrame:
        """The cells of one axis of a suite; cached unless an upload is in it."""
        options = {"include_suspect": include_suspect, "correct_chance": correct_chance}
        if data.uploaded or data is not self.suite(data.suite):
            return suites.cells(data, axis, **options)
        return self._cells(data.suite, axis, **options)

    @st.cache_data(max_entries=4 * _ENTRIES, hash_funcs=_KEYS)
    def _cells(self, name: str, axis: str, **options: bool) -> pd.DataFrame:
        return suites.cells(self.suite(name), axis, **options)

    @st.cache_data(max_entries=_ENTRIES, hash_funcs=_KEYS)
    def table(self, name: str) -> pd.DataFrame:
        """One of ``queries.TABLES``."""
        return queries.table(Path(self.path), name)

    @st.cache_resource(max_entries=2, hash_funcs=_KEYS)
    def scores(self) -> pd.DataFrame:
        """Every score of all suites, as in ``queries.scores``."""
        return queries.scores(Path(self.path), None)

    @st.cache_data(max_entries=2, hash_funcs=_KEYS)
    def scored(self) -> frozenset[str]:
        """The suites that hold scores of single models which take part unasked."""
        stored = set(queries.tags(Path(self.path))["suite"])
        table = self.table("suites").set_index("suite")
        papers = {name for name in stored if not table["current"].get(name, False)}
        return frozenset(papers | set(self.current().scores["suite"]) | {pooling.SUITE})

    @st.cache_resource(max_entries=_ENTRIES, hash_funcs=_KEYS)
    def once(self, make: Callable[..., T], *names: str) -> T:
        """What ``make(store, *names)`` gives, computed once a version and day."""
        return make(self, *names)

    @st.cache_data(max_entries=8, hash_funcs=_KEYS)
    def evidence_benchmarks(self, purpose: item_results.Purpose = "look") -> list[str]:
        """The benchmarks of which the store has items, the one to open for a purpose first."""
        return item_results.benchmarks(Path(self.path), purpose)

    @st.cache_resource(max_entries=4, hash_funcs=_KEYS)
    def evidence(self, benchmark: str) -> item_results.ItemResults:
        """A benchmark's items and scores; its answers may be many, and are read once."""
        return item_results.load(Path(self.path), benchmark)

    @st.cache_data(max_entries=8 * _ENTRIES, hash_funcs=_KEYS)
    def evidence_item(self, benchmark: str, item: str) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The answers to one item and the verdicts on them, as in ``ItemResults``."""
        return item_results.of_item(Path(self.path), benchmark, item)

    @st.cache_data(max_entries=_ENTRIES, hash_funcs=_KEYS)
    def evidence_containing(self, benchmark: str, text: str) -> frozenset[str]:
        """The items whose question, references or any answer contain a text."""
        return item_results.containing(Path(self.path), benchmark, text)

    @st.cache_data(max_entries=2, hash_funcs=_KEYS)
    def stored(self) -> own_csv.Stored:
        """What an uploaded file is checked against."""
        models = frozenset(queries.table(Path(self.path), "models")["model"])
        return own_csv.Stored(own_csv.places(self.scores()), models)


def in_session(key: tuple[object, ...], make: Callable[[], T]) -> T:
    """What ``make()`` gives; a session keeps the last few, as most controls only reread them."""
    answers: dict[object, Any] = st.session_state.setdefault(_HELD, {})
    if key not in answers:
        for old in list(answers)[: max(0, len(answers) - _MOST_HELD + 1)]:
            del answers[old]
        answers[key] = make()
    answer: T = answers[key]
    return answer


@st.cache_data(max_entries=4)
def _version(path: str, stamp: tuple[int, int]) -> tuple[str, str]:
    return queries.version(Path(path))


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _stamp(path: str) -> tuple[int, int]:
    """What changes when the store file is swapped: a cached answer of the old one is not used."""
    try:
        stat = Path(path).stat()
    except OSError as error:
        raise EvalcoreError(f"the results store {path} is gone ({error.strerror})") from None
    return stat.st_mtime_ns, stat.st_size
