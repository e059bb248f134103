"""Fixtures of all tests: temporary homes, one store built from the shipped files, a generator."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from evalcore.home import ROOT
from evalcore.store import build

MAIN = sys.modules["__main__"]
SLOW = {
    "analysis": "multiple",
    "benchmarks": "hostile_files",
    "cli": "agreement bad_values commands contrastive current distil engine going_on options",
    "contrastive": "addresses embeddings keeping layouts",
    "decision": "current_questions",
    "engine": (
        "any_damage budget checked cut_off damage evaluate fuzz_replies kill launch "
        "shipped stopping stream"
    ),
    "models": "bounded served",
    "pages": (
        "compare digits distilled frame judges links names_of_columns nothing_to_draw "
        "profiles recommend_today runs same_answer samples unanswered"
    ),
    "store": "benchmarks_apart build measured measured_models",
    "suites": "item_results item_scores small_sets",
}
"""Folder → its modules that take about ten seconds or more; ``make quick`` leaves them out."""

# No test may fail because a machine is slow.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_collection_modifyitems(items):
    """Mark the tests of ``SLOW`` and those of the browser."""
    for item in items:
        folder, name = item.path.parent.name, item.path.stem.removeprefix("test_")
        if folder == "browser" or name in SLOW.get(folder, "").split():
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def same_main():
    """Put ``__main__`` back: AppTest leaves ``app.py`` there, and new processes would run it."""
    sys.modules["__main__"] = MAIN


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """An empty home folder, in use while the test runs."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("EVALCORE_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def store(tmp_path_factory) -> Path:
    """The store of the shipped files, built once; read it, do not change it."""
    folder = tmp_path_factory.mktemp("shipped")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder))
        return build.build()


@pytest.fixture
def shared() -> Path:
    """The papers' re-tabulated files, which lie beside the project where they are at hand."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the papers' re-tabulated files are not beside the project")
    return folder


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers that are the same in every run."""
    return np.random.default_rng(20240909)
