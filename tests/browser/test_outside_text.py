"""Names, tags, questions, answers and links that are markup: every page shows them as text.

A server counts what it is asked for while every page is opened; a picture in a name would ask it.
"""

import ast
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from evalcore.home import ROOT
from scripts.served import APP, served, wait_drawn
from tests import hostile_world
from tests.browser.conftest import Visitor
from tests.browser.hands import main, sidebar, upload

pytestmark = pytest.mark.browser

PAGES = (
    *("", "recommend", "compare", "profiles", "samples", "correlation", "distilled", "scaling"),
    *("digits", "judges", "runs", "sources"),
)
BY_SUITE = ("", "recommend", "profiles", "correlation", "distilled", "scaling")
PARTS = ("What was published", "Check with your labels", "Replace a judge", "MM-Vet tables")
OPEN = """() => document.querySelectorAll('details:not([open]) > summary').forEach(
    (one) => one.click())"""
REACHING = """(server) => [...document.querySelectorAll('[src], [*|href]')]
    .flatMap((one) => ['src', 'href', 'xlink:href'].map((name) => one.getAttribute(name)))
    .filter((address) => address?.startsWith(server))"""
"""Links in the text of a chart are those of a drawing, xlink:href."""


def bound() -> list[str]:
    """The names that pages' controls have in links, as far as they are written out."""
    found = set()
    for path in sorted((ROOT / "pages").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "key":
                found |= {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
    return sorted(name for name in found if isinstance(name, str))


@pytest.fixture(scope="module")
def outside(browser, tmp_path_factory):
    """The app in a hostile home: its address, the other server's, and what that one was asked."""
    folder, pictures = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("pictures")
    with hostile_world.listening() as (server, asked), pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder))
        hostile_world.made(server, pictures)
        with served(APP, folder) as address:
            yield address, server, asked


class Looking:
    """Opens addresses, unfolds what is folded and finds what would reach out."""

    def __init__(self, visitor, server):
        self.visitor = visitor
        self.server = server

    def __call__(self, path, **given):
        return self.unfolded(self.visitor(f"{path}?{urlencode(given)}"))

    def unfolded(self, page):
        page.evaluate(OPEN)
        wait_drawn(page)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        assert page.evaluate(REACHING, self.server) == []
        return page


@pytest.fixture
def look(browser, outside):
    address, server, asked = outside
    visitor = Visitor(browser, address)
    yield Looking(visitor, server)
    visitor.leave()
    assert asked == []
    assert visitor.problems == []


def text(place) -> str:
    """What a reader sees; the sign that breaks addresses is not drawn."""
    return " ".join(place.inner_text().replace("\u2060", "").split())


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path or "overview")
def test_no_page_reaches_out_for_a_name_or_a_link(look, outside, path):
    said = hostile_world.markup(outside[1], "link")

    look(path, **{name: said for name in bound()})


@pytest.mark.parametrize("path", BY_SUITE, ids=lambda path: path or "overview")
def test_no_page_about_a_hostile_benchmark_reaches_out(look, outside, path):
    look(path, suite=hostile_world.markup(outside[1], "benchmark"))


@pytest.mark.parametrize("part", PARTS)
def test_no_part_of_judges_reaches_out(look, outside, part):
    benchmark = hostile_world.markup(outside[1], "benchmark")

    look("judges", judges_part=part, judges_benchmark=benchmark, judges_bridge_benchmark=benchmark)


@pytest.mark.parametrize("at", [0, 1, hostile_world.UNANSWERED])
def test_an_opened_item_is_text(look, outside, at):
    server = outside[1]
    item = f"{at} {hostile_world.markup(server, 'item')}"

    page = look("samples", samples_of=hostile_world.markup(server, "benchmark"), sample=item)

    shown = text(main(page))
    assert item in shown
    for what in ("model", "tag", "question", "answer", "why"):
        assert at or hostile_world.markup(server, what) in shown


@pytest.mark.parametrize("path", ["compare", "runs"])
def test_a_reader_sees_the_name_as_it_is_written(look, outside, path):
    page = look(path)

    for what in ("model", "benchmark") if path == "runs" else ("model",):
        assert hostile_world.markup(outside[1], what) in text(main(page))


def test_uploaded_scores_reach_out_on_no_page(look, outside, tmp_path):
    scores, _ = hostile_world.uploads(outside[1], tmp_path)
    page = look.visitor("")

    upload(page, scores)

    said = sidebar(page).get_by_test_id("stAlertContentSuccess")
    expect(said).to_contain_text(" are shown, this session only")
    assert hostile_world.brief(outside[1], "own") in text(said)
    for path in BY_SUITE[1:]:
        sidebar(page).get_by_role("link", name=path.title(), exact=True).click()
        expect(main(page).get_by_role("heading", level=1)).to_have_text(path.title())
        wait_drawn(page)
        look.unfolded(page)


def test_uploaded_labels_reach_out_nowhere(look, outside, tmp_path):
    _, labels = hostile_world.uploads(outside[1], tmp_path)
    benchmark = hostile_world.markup(outside[1], "benchmark")
    page = look("judges", judges_part=PARTS[1], judges_benchmark=benchmark)

    main(page).locator("input[type=file]").set_input_files(labels)

    expect(main(page).get_by_test_id("stAlertContentSuccess")).to_contain_text("36 labels of")
    look.unfolded(page)
