"""The Compare page in a real browser: a margin moves the words, a link opens the same view."""

import pytest
from playwright.sync_api import expect

from scripts.served import wait_drawn
from tests.browser.hands import choose, main, no_error

pytestmark = pytest.mark.browser


def test_a_comparison_is_a_link_and_its_questions_open_as_samples(visit):
    page = visit("compare")
    place = main(page)
    expect(place.get_by_text("A clear difference: the interval leaves 0 out.")).to_be_visible()

    margin = place.get_by_role("spinbutton", name="Differences up to so many points do not matter")
    margin.fill("50")
    margin.press("Enter")
    expect(place.get_by_text("Equivalent: the whole interval lies within")).to_be_visible()
    choose(place, "Correct for many comparisons", "None")
    expect(place.get_by_text("would look clear by luck")).to_be_visible()
    choose(place, "Questions that only this one gets right", "Demo VLM, weak")
    wait_drawn(page)
    no_error(page)

    again = visit(page.url)

    expect(main(again).get_by_text("Equivalent: the whole interval lies within")).to_be_visible()
    expect(main(again).get_by_text("would look clear by luck")).to_be_visible()
