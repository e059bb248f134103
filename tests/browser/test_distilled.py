"""The Distilled and Correlation pages as a person uses them: choose, press, read."""

import pytest
from playwright.sync_api import expect

from scripts.served import wait_drawn
from tests.browser.hands import choose, first_table, main, no_error, press, sidebar

pytestmark = pytest.mark.browser


def test_a_set_of_two_is_chosen_and_its_link_opens_it_again(visit):
    page = visit("distilled")

    choose(main(page), "Benchmarks in the set", "2")
    expect(main(page).get_by_text("ImageNet-R and DTD: 2 of 38 benchmarks")).to_be_visible()

    again = visit(page.url)
    expect(main(again).get_by_text("ImageNet-R and DTD: 2 of 38 benchmarks")).to_be_visible()
    lines = first_table(again).splitlines()
    assert lines[0].startswith("Size,Comes in,Type,Points off") and len(lines) == 11
    no_error(again)


def test_unibenchs_sets_stand_beside_the_recomputed_ones(visit):
    page = visit("distilled")

    press(main(page), "View", "UniBench's sets")

    expect(main(page).get_by_role("heading", name="distilled-capability")).to_be_visible()
    expect(main(page).get_by_text("the printed one here in 3 of 3 groups")).to_be_visible()
    no_error(page)


def test_a_button_leads_to_the_benchmarks_of_today(visit):
    page = visit("correlation")

    main(page).get_by_role("button", name="Models of today, all blocks mixed").click()

    expect(main(page).get_by_text("pooled because you asked")).to_be_visible()
    wait_drawn(page)
    expect(main(page).get_by_role("heading", name="Which say the same")).to_be_visible()
    suite = sidebar(page).get_by_role("combobox", name="Suite")
    expect(suite).to_have_value("All current blocks, mixed")
    no_error(page)
