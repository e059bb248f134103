"""A run from the sidebar: fill the form, start, watch, reload, see the result on the radar."""

import pytest
from playwright.sync_api import expect

from scripts.served import wait_drawn
from tests.browser.hands import charts, main, sidebar, tick

pytestmark = pytest.mark.browser
A_RUN_MS = 180_000


def test_a_run_from_the_sidebar_ends_on_the_radar(visit):
    page = visit("runs")
    sidebar(page).locator("summary", has_text="Evaluate a model").click()
    tick(sidebar(page), "Models", "demo-vlm-weak")
    questions = sidebar(page).get_by_role("spinbutton", name="Questions", exact=True)
    questions.fill("60")
    questions.press("Enter")
    expect(sidebar(page)).to_contain_text("With 60 questions")
    sidebar(page).get_by_role("button", name="Start", exact=True).click()
    expect(sidebar(page)).to_contain_text("Started.")

    page.reload()
    expect(main(page)).to_contain_text("easy-vqa", timeout=A_RUN_MS)
    expect(main(page)).to_contain_text("No run is open.", timeout=A_RUN_MS)
    ended = visit("profiles?suite=easy-vqa")
    wait_drawn(ended)

    expect(main(ended)).to_contain_text("demo-vlm-weak-blind")
    assert len(charts(ended)) >= 2
