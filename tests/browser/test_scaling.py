"""The scaling page by clicking: models of today and UniBench's claims, and their links."""

import pytest
from playwright.sync_api import expect

from scripts.served import wait_drawn
from tests.browser.hands import charts, choose, first_table, main, no_error, press

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 844}
TODAY = "scaling?suite=MMR-Bench&scale_by=Benchmark"


def test_size_and_price_of_models_of_today_are_clicked_together_and_linked(visit):
    page = visit("scaling")
    press(main(page), "Models", "Models of today")
    expect(main(page)).to_contain_text("entries that take part unasked")
    box = main(page).get_by_role("combobox", name="Block of results", exact=True)
    box.fill("MMR")
    page.get_by_role("option", name="MMR-Bench", exact=True).click()
    expect(main(page)).to_contain_text("MMR-Bench: entries that take part unasked")
    press(main(page), "Score of a", "Benchmark")
    choose(main(page), "Benchmark", "RealWorldQA")
    choose(main(page), "Price", "USD per million tokens sent")
    expect(main(page)).to_contain_text("37 models with a score on RealWorldQA")
    expect(main(page)).to_contain_text("USD per million tokens sent known for")
    wait_drawn(page)

    again = visit(page.url)
    assert main(again).inner_text() == main(page).inner_text()
    assert first_table(again) == first_table(page)
    no_error(again)


def test_a_claim_stands_beside_the_open_data_and_is_linked(visit):
    page = visit("scaling")
    press(main(page), "Models", "Claims of UniBench")
    expect(main(page)).to_contain_text("985-fold")
    press(main(page), "Claim", "Better data")
    press(main(page), "Pool", "small")
    expect(main(page)).to_contain_text("they count as one result")
    wait_drawn(page)

    assert main(visit(page.url)).inner_text() == main(page).inner_text()


def test_a_phone_shows_models_of_today_without_scrolling_sideways(visit):
    page = visit(TODAY, viewport=PHONE, color_scheme="dark")

    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]
    assert len(charts(page)) == 4
    assert all(len(chart.get_attribute("aria-label")) > 40 for chart in charts(page))
    no_error(page)
