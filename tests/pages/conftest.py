"""One set of fixtures for all page tests: the home that pages read, and a page opened in it."""

from functools import partial
from pathlib import Path

import pytest

from tests.pages.opening import opened


@pytest.fixture(scope="module")
def home_folder(store) -> Path:
    """The home that the pages of a module read: as shipped, unless the module has its own."""
    return store.parent


@pytest.fixture
def open_page(home_folder, monkeypatch):
    """Opens a page: ``open_page(name, session, **link)``, as ``opening.opened`` says."""
    monkeypatch.setenv("EVALCORE_HOME", str(home_folder))
    return opened


@pytest.fixture
def page(open_page, request):
    """Opens the page that the module names in ``PAGE``: ``page(session, **link)``."""
    return partial(open_page, request.module.PAGE)


@pytest.fixture(scope="module")
def looked_at() -> dict:
    """The pages of a module that are drawn once and read by several tests."""
    return {}


@pytest.fixture
def look(page, looked_at):
    """As ``page``, but drawn once for all tests of a module: to be read, not pressed on."""

    def look(session=None, **link):
        asked = repr((session, link))
        if asked not in looked_at:
            looked_at[asked] = page(session, **link)
            looked_at[asked]._run = _refuse
        return looked_at[asked]

    return look


@pytest.fixture
def allowed(monkeypatch):
    """Pages may write: start runs, keep labels and flags."""
    monkeypatch.setenv("EVALCORE_ALLOW_WRITE", "1")


def _refuse(*_, **__):
    pytest.fail("other tests read this page: open it by `page` to press on it")
