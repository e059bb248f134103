"""The Samples page in a real browser: by keyboard, with flags and links; hostile text is text."""

import re

import pytest
from playwright.sync_api import expect

from pages.shared.text import parts
from scripts.served import APP, served, wait_drawn
from tests import hostile
from tests.browser.conftest import Visitor

DISAGREE = "samples?samples_of=easy-vqa&samples_outcome=Models+disagree"


@pytest.fixture(scope="module")
def hostile_server(browser, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(home))
        hostile.ran(tmp_path_factory.mktemp("pictures"))
    with served(APP, home) as address:
        yield address


def opened(page):
    return page.get_by_role("textbox", name="Open item").input_value()


def test_read_disagreements_by_keyboard_flag_one_and_share_it(visit):
    page = visit(DISAGREE)
    main = page.get_by_test_id("stMain")
    cards = main.get_by_test_id("stButton").filter(has_text=re.compile("^Open$"))
    cards.get_by_role("button").first.click()
    expect(page.get_by_text(re.compile(r"^1 of \d+$"))).to_be_visible()
    wait_drawn(page)  # until then the cards stand there too
    first = opened(page)
    expect(page.get_by_role("img", name=f"Picture of {first}")).to_be_visible()

    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(re.compile(r"^2 of \d+$"))).to_be_visible()
    wait_drawn(page)
    second = opened(page)
    assert second != first

    page.get_by_role("textbox", name="What is wrong with it").fill("the picture shows two shapes")
    page.get_by_role("textbox", name="What is wrong with it").press("Tab")
    wait_drawn(page)
    page.get_by_role("button", name="Flag as wrong").click()
    expect(page.get_by_text("the picture shows two shapes")).to_be_visible()
    expect(page.get_by_text(re.compile(r"1 of 500 items flagged"))).to_be_visible()

    elsewhere = visit(page.url)
    expect(elsewhere.get_by_text(re.compile(r"^2 of \d+$"))).to_be_visible()
    assert opened(elsewhere) == second
    expect(elsewhere.get_by_text("the picture shows two shapes")).to_be_visible()
    elsewhere.get_by_role("button", name="Take the flag back").click()
    expect(elsewhere.get_by_text("No item is flagged")).to_be_visible()


def test_a_press_holds_while_pictures_arrive(visit):
    page = visit(DISAGREE)
    late = []
    page.route("**/media/**", lambda route: late.append(route))
    page.get_by_role("button", name="Page 2", exact=True).click()
    wait_drawn(page)
    cards = page.get_by_test_id("stButton").filter(has_text=re.compile("^Open$"))
    button = cards.get_by_role("button").first
    button.scroll_into_view_if_needed()
    button.hover()
    page.mouse.down()
    assert late
    for picture in late:
        picture.continue_()
    main = page.get_by_test_id("stMain")
    page.wait_for_function("[...document.images].every((one) => one.naturalHeight)")
    expect(main.get_by_role("img").last).to_be_visible()
    page.mouse.up()
    expect(page.get_by_text(re.compile(r"^25 of \d+$"))).to_be_visible()


def test_hostile_text_is_text_and_asks_for_nothing(browser, hostile_server):
    visitor = Visitor(browser, hostile_server)
    for at, said in enumerate(hostile.ANSWERS[:4]):
        page = visitor(f"samples?samples_of=hostile&sample=q%2F{at}")
        expect(page.get_by_text(said[:60]).first).to_be_visible()
    for at, whole in ((4, hostile.LONG), (5, hostile.UNBROKEN)):
        page = visitor(
            f"samples?samples_of=hostile&sample=q%2F{at}", viewport={"width": 390, "height": 800}
        )
        page.get_by_text(f"Show all {len(whole):,} characters").first.click()
        wait_drawn(page)
        page.get_by_test_id("stPagination").first.get_by_role("button").nth(-2).click()
        last = len(parts(whole))
        expect(page.get_by_text(f"Part {last} of {last}")).to_be_visible()
        expect(page.get_by_text(parts(whole)[-1]).last).to_be_attached()
    wide = page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    visitor.leave()

    assert visitor.problems == []
    assert wide
