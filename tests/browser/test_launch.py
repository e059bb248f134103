"""A run from the sidebar: estimate, start, watch, reload, stop, go on, see it on the radar."""

import re

import pytest
from playwright.sync_api import expect

from scripts.served import wait_drawn
from tests.browser.hands import charts, main, no_error, sidebar, tick

pytestmark = pytest.mark.browser
A_RUN_MS = 600_000
QUESTIONS = "9,000"
"""Enough that there is time to press Stop before the last is answered."""


def card(page, model):
    """The box of an open run."""
    named = page.get_by_text(re.compile(rf"^{model} on easy-vqa$"))
    return main(page).get_by_test_id("stVerticalBlock").filter(has=named).last


def fill_form(page):
    sidebar(page).locator("summary", has_text="Evaluate a model").click()
    tick(sidebar(page), "Models", "demo-vlm-weak")
    questions = sidebar(page).get_by_role("spinbutton", name="Questions", exact=True)
    questions.fill(QUESTIONS.replace(",", ""))
    questions.press("Enter")
    expect(sidebar(page)).to_contain_text(f"With {QUESTIONS} questions")


def test_a_run_from_the_sidebar_ends_on_the_radar(new_server, visit):
    page, second = (
        visit(f"{new_server}/runs"),
        visit(f"{new_server}/runs"),
    )  # both open: the run is soon over
    fill_form(page)

    sidebar(page).get_by_role("button", name="Estimate", exact=True).click()
    expect(sidebar(page)).to_contain_text("Model: no API cost.")
    sidebar(page).get_by_role("button", name="Start", exact=True).click()
    expect(sidebar(page)).to_contain_text("Started.")
    no_error(page)

    second.reload()  # from here on the page moves on by itself, as long as the run does
    running = card(second, "demo-vlm-weak")
    expect(running).to_contain_text(
        re.compile(rf"running: [\d,]+ of {QUESTIONS} answered"), timeout=A_RUN_MS
    )
    running.get_by_role("button", name="Stop", exact=True).click()
    expect(card(page, "demo-vlm-weak-blind")).to_be_visible(timeout=A_RUN_MS)
    expect(card(page, "demo-vlm-weak-blind")).to_have_count(0, timeout=A_RUN_MS)
    page.reload()  # nothing is under way: from here on it has to begin to move by itself
    first = card(page, "demo-vlm-weak")
    expect(first).to_contain_text("stopped", timeout=A_RUN_MS)
    first.get_by_role("button", name="Go on", exact=True).click()
    expect(main(page)).to_contain_text("No run is open.", timeout=A_RUN_MS)

    main(page).get_by_role("button", name="See it on Profiles", exact=True).click()
    expect(main(page).get_by_role("heading", name="Profiles", exact=True)).to_be_visible()
    wait_drawn(page)
    expect(main(page)).to_contain_text("Demo VLM, weak, without picture")
    assert len(charts(page)) >= 2
