"""One server and one Chromium for all browser tests; each visit has a context of its own.

A visit fails at its end if a page asked for anything outside this machine, wrote an error to the
console, threw one, or opened a dialog.
"""

import contextlib
import os
import re

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from scripts.served import APP, CHROMIUM, launch, served, wait_drawn

PATIENCE_MS = 120_000
"""No test may fail because a machine is busy."""
DESKTOP = {"width": 1280, "height": 900}
ELSEWHERE = re.compile(r"^(?!(http|ws)://127\.0\.0\.1:|data:|blob:|about:)")
# At a deep link Streamlit looks for its server below the page's path first, then at the root.
STREAMLIT_LOOKS_FOR_ITSELF = re.compile(r"/[a-z]+/_stcore/(health|host-config)$")


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        missing = "Debian's chromium is not installed"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        opened = launch(playwright)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def server(browser, tmp_path_factory):
    with served(APP, tmp_path_factory.mktemp("home")) as address:
        yield address


@pytest.fixture
def new_server(browser, tmp_path):
    """A server that nobody has visited; opened before `visit`, so that it outlives the visit."""
    with served(APP, tmp_path) as address:
        yield address


@pytest.fixture(scope="session")
def visiting(browser, server):
    """A context manager that gives a visitor and checks at its end that all went well."""

    @contextlib.contextmanager
    def visiting():
        visitor = Visitor(browser, server)
        try:
            yield visitor
        finally:
            visitor.leave()
        assert visitor.problems == []

    return visiting


@pytest.fixture
def visit(visiting):
    with visiting() as visitor:
        yield visitor


class Visitor:
    """Opens pages as a person would, and notes what must not happen on them."""

    def __init__(self, browser, server):
        self.browser = browser
        self.server = server
        self.contexts: list[BrowserContext] = []
        self.problems: list[str] = []

    def __call__(self, address: str, **options: object) -> Page:
        """Open an address (or a path on the server) in a browser that knows nothing yet."""
        context = self.browser.new_context(**({"viewport": DESKTOP} | options))
        context.set_default_timeout(PATIENCE_MS)
        context.route(ELSEWHERE, lambda route: route.abort())
        self.contexts.append(context)
        page = context.new_page()
        page.on("request", self._note_request)
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        page.on("dialog", self._note_dialog)
        page.goto(address if address.startswith("http") else f"{self.server}/{address}")
        wait_drawn(page)
        return page

    def leave(self) -> None:
        """Close everything."""
        for context in self.contexts:
            context.close()

    def _note_request(self, request) -> None:
        if ELSEWHERE.match(request.url):
            self.problems.append(f"request to {request.url[:200]}")

    def _note_console(self, message: ConsoleMessage) -> None:
        harmless = STREAMLIT_LOOKS_FOR_ITSELF.search(message.location["url"])
        if message.type == "error" and not harmless:
            self.problems.append(f"console: {message.text} ({message.location['url']})")

    def _note_dialog(self, dialog) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()
