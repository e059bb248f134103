"""Every page in a real browser: it draws, names its charts, fits a phone and the dark."""

import pytest
from playwright.sync_api import expect

from tests.browser.hands import PAGES, PATHS, charts, main, no_error, sidebar

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 844}
# Bytes of a picture of a page that holds a title alone; one with text and charts is larger.
EMPTY_PNG = 12_000


@pytest.fixture(scope="module", params=PAGES)
def desk(request, visiting):
    """A page as a desktop shows it."""
    with visiting() as visitor:
        yield visitor(PATHS[request.param])


@pytest.fixture(scope="module", params=PAGES)
def phone(request, visiting):
    """A page as a phone shows it at night."""
    with visiting() as visitor:
        yield visitor(PATHS[request.param], viewport=PHONE, color_scheme="dark")


def test_a_link_opens_its_page_without_an_error(desk):
    name = desk.url.rsplit("/", 1)[1] or "overview"

    expect(main(desk).get_by_role("heading", level=1)).to_have_text(name.title())
    no_error(desk)


def test_every_chart_has_words_for_those_who_do_not_see_it(desk):
    words = [chart.get_attribute("aria-label") for chart in charts(desk)]

    assert words
    assert all(word and len(word) > 20 for word in words)


def test_a_phone_shows_the_page_without_scrolling_sideways(phone):
    assert phone.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]


def test_a_phone_starts_with_the_sidebar_folded(phone):
    expect(sidebar(phone)).to_have_attribute("data-collapsed", "true")


def test_the_dark_scheme_draws_light_text_on_a_dark_page(phone):
    heading = main(phone).get_by_role("heading", level=1)

    text = heading.evaluate("node => getComputedStyle(node).color")
    ground = phone.get_by_test_id("stApp").evaluate(
        "node => getComputedStyle(node).backgroundColor"
    )
    assert _lightness(text) > 180 > 80 > _lightness(ground)
    assert len(phone.screenshot()) > EMPTY_PNG


def test_the_keyboard_reaches_navigation_and_suite_and_shows_where_it_is(visit):
    page = visit(PATHS["profiles"])
    pictures = {"": sidebar(page).screenshot()}

    while "Suite" not in pictures and len(pictures) < 20:
        page.keyboard.press("Tab")
        pictures[page.evaluate(_FOCUSED)] = sidebar(page).screenshot()

    assert {"Overview", "Recommend", "Sources", "Suite"} <= set(pictures)
    assert len({pictures[name] for name in ("", "Recommend", "Suite")}) == 3


_FOCUSED = """() => {
  const node = document.activeElement;
  const label = node.querySelector('[label]');
  return node.getAttribute('aria-label') || label?.getAttribute('label') || node.outerHTML;
}"""


def _lightness(colour: str) -> float:
    red, green, blue = (float(part) for part in colour.strip("rgba()").split(",")[:3])
    return (red + green + blue) / 3
