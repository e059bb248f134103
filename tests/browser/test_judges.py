"""Label 20 answers blind by keyboard, and see the judge's figures change."""

import contextlib
import re

import pytest
from playwright.sync_api import TimeoutError as NotInTime
from playwright.sync_api import expect

from scripts.served import wait_drawn
from tests.browser.hands import main, no_error, press, sidebar

pytestmark = pytest.mark.browser
LABELS = 20
TRIES, PRESS_MS = 20, 15_000
COUNT = re.compile(r"([\d,]+) of [\d,]+ answers labelled by you")
ANOTHER_COUNT = """(before) => {
  const text = document.querySelector('[data-testid="stMain"]').innerText;
  const count = text.match(/([\\d,]+) of [\\d,]+ answers labelled by you/);
  return count !== null && count[1] !== before;
}"""


def named(page, rater):
    """Open the labelling view under a rater's name."""
    press(main(page), "Part", "Check with your labels")
    box = main(page).get_by_role("textbox", name="Your name as a rater")
    box.fill(rater)
    box.press("Enter")
    expect(main(page)).to_contain_text(re.compile(r"0 of [\d,]+ answers labelled by you"))
    box.blur()


def counted(page):
    """How many answers the rater has labelled."""
    expect(main(page)).to_contain_text(COUNT)
    return int(COUNT.search(main(page).inner_text())[1].replace(",", ""))


def label(page, key):
    """Press a key, and again if nothing came of it, until another answer is labelled."""
    before = f"{counted(page):,}"
    for _ in range(TRIES):
        wait_drawn(page)
        page.keyboard.press(key)
        with contextlib.suppress(NotInTime):
            page.wait_for_function(ANOTHER_COUNT, arg=before, timeout=PRESS_MS)
            return
    pytest.fail(f"{TRIES} presses of {key!r} labelled nothing")


def test_twenty_answers_are_labelled_by_keyboard_and_the_figures_change(visit):
    page = visit("judges")
    named(page, "ann")
    blind = main(page).locator(".st-key-judges_blind")
    expect(blind).to_contain_text("Question")
    expect(blind.locator("img").first).to_be_visible()
    expect(blind).not_to_contain_text(re.compile("demo|strong|weak", re.I))

    while counted(page) < LABELS:
        label(page, "y")
    done = counted(page)
    said = main(page).get_by_text(re.compile("agrees? with people (equally|on)"))
    expect(said).to_contain_text(f"n {done})")
    before = said.inner_text()

    label(page, "n")
    expect(said).to_contain_text(f"n {counted(page)})")
    assert said.inner_text() != before
    expect(main(page)).to_contain_text("Scores without the judge's errors")
    no_error(page)


def test_labels_are_there_for_whoever_opens_the_page_later(visit):
    page = visit("judges")
    named(page, "eve")
    label(page, "u")
    # Greyed, and drawn again: it still says what it holds.
    grey = sidebar(page).get_by_role("combobox", name="Largest model")
    expect(grey).to_have_value("Any size")

    later = visit("judges?judges_part=Check+with+your+labels")

    expect(main(later)).to_contain_text("Labels of each rater")
    no_error(later)


def test_the_page_fits_a_narrow_screen(visit):
    page = visit("judges", viewport={"width": 390, "height": 844})

    expect(main(page)).to_contain_text("What the paper leaves out")
    wide = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert wide <= 0
    no_error(page)
