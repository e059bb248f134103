"""Models of today: four questions asked by clicking, a pooled result opened, the report kept."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from scripts.served import wait_drawn
from tests.browser.hands import main, no_error, press, sidebar, tick

pytestmark = pytest.mark.browser


def needs(page, *names):
    """Say what the model is to do."""
    group = main(page).get_by_test_id("stButtonGroup").filter(has_text="What should it do?")
    for name in names:
        group.get_by_role("button", name=name, exact=True).click()
        wait_drawn(page)


def fill(page, label, value):
    """Type into a field and leave it."""
    field = main(page).get_by_label(label, exact=True)
    field.fill(value)
    field.press("Enter")
    wait_drawn(page)


def small_documents(page):
    needs(page, "Documents", "Charts")
    press(main(page), "Where it may run", "Open weights")
    fill(page, "Largest size, billion parameters", "8")


def cheap_text(page):
    needs(page, "Text in pictures")
    press(main(page), "Where it may run", "API only")
    summary = main(page).locator("summary", has_text="What a question looks like")
    summary.click()
    fill(page, "Tokens of an answer", "100")
    fill(page, "Tokens with thinking", "1000")
    main(page).locator("summary", has_text="More limits").click()
    fill(page, "Cost limit, USD per 1,000 questions", "2")


def permissive_mathematics(page):
    needs(page, "Mathematics")
    tick(main(page), "Licence of the weights", "permissive")
    fill(page, "One graphics card", "24 GB")


def everyday(page):
    needs(page, "Everyday scenes")
    fill(page, "Cheapest within so many points of the best", "3")


@pytest.mark.parametrize(
    ("ask", "limits"),
    [
        (small_documents, ["open weights", "available today", "at most 8 B parameters"]),
        (cheap_text, ["through an API", "at most $2 per 1,000 questions"]),
        (permissive_mathematics, ["24 GB", "permissive"]),
        (everyday, ["available today", "within 3 points of the best"]),
    ],
)
def test_a_question_of_today_is_answered_by_clicking(visit, ask, limits):
    page = visit("recommend")
    ask(page)
    wait_drawn(page)

    no_error(page)
    expect(main(page)).to_contain_text("Answered by the block")
    expect(main(page).get_by_role("heading", level=2).first).not_to_contain_text("No model")
    for limit in limits:
        expect(main(page)).to_contain_text(limit)
    expect(main(page)).to_contain_text("Open the figures of one model")


def test_a_pooled_result_opens_to_its_sources(visit):
    page = visit("recommend")
    needs(page, "Documents")
    main(page).get_by_role("button", name="Mix all blocks").click()

    expect(main(page)).to_contain_text("You asked to mix all blocks")
    wait_drawn(page)
    place = main(page).get_by_role("heading", name="The results behind it")
    place.scroll_into_view_if_needed()
    expect(main(page).get_by_role("combobox", name="Sources of the result of")).to_be_visible()
    sources = main(page).locator(".st-key-rec_sources_of").get_by_test_id("stDataFrame")
    sources.scroll_into_view_if_needed()
    expect(sources).to_be_visible()
    # The table is drawn on a canvas; what it says stands beside it for screen readers.
    expect(sources).to_contain_text("Relation to the model")
    expect(sources).to_contain_text("third party")
    no_error(page)


def test_a_click_on_a_result_opens_its_sources(visit):
    page = visit("recommend?tags_need=documents")
    model = main(page).locator(".st-key-rec_cell_model").get_by_role("combobox")
    benchmark = main(page).locator(".st-key-rec_cell_benchmark").get_by_role("combobox")
    before = model.input_value(), benchmark.input_value()
    grid = main(page).locator(".st-key-rec_cells").get_by_test_id("stDataFrame")
    # A table is a canvas: the second result of the third column, below the line of names.
    grid.click(position={"x": 500, "y": 35 * 2.5})

    expect(model).not_to_have_value(before[0])
    expect(benchmark).not_to_have_value(before[1])
    wait_drawn(page)
    no_error(page)


def test_sources_that_differ_are_said_on_the_page(visit):
    page = visit(
        "recommend?suite=All+current+blocks%2C+mixed&rec_size=5&tags_need=integrated+abilities"
    )
    main(page).locator("summary", has_text="Sources more than 3 points apart").click()

    apart = main(page).get_by_test_id("stExpander").filter(has_text="points apart (")
    expect(apart).to_contain_text("Sources say, %")
    expect(main(page)).to_contain_text("points apart: more than 3. The spread is part of")
    no_error(page)


def test_the_front_over_quality_cost_and_size_is_said_and_drawn(visit):
    page = visit("recommend")
    cheap_text(page)

    expect(main(page)).to_contain_text("On the front over score, size and cost together")
    place = main(page).get_by_role("radiogroup", name="Draw the score against")
    place.scroll_into_view_if_needed()
    wait_drawn(page)
    press(main(page), "Draw the score against", "Size, billion parameters")
    wait_drawn(page)
    figure = main(page).locator(".st-key-rec_trade")
    expect(figure).to_contain_text("Size, billion parameters")
    no_error(page)


def test_a_phone_shows_who_is_left_out_without_scrolling_sideways(visit):
    page = visit("recommend", viewport={"width": 390, "height": 844})
    small_documents(page)
    summary = main(page).locator("summary", has_text="Excluded by a limit")
    summary.scroll_into_view_if_needed()
    summary.click()

    expect(main(page)).to_contain_text("Let in if you allow closed weights")
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
    table = main(page).get_by_test_id("stTable").first.bounding_box()
    assert table["width"] <= 390


def test_another_block_is_one_click_away(visit):
    page = visit("recommend")
    needs(page, "Documents")
    button = main(page).get_by_role("button", name=re.compile("^Ask ")).nth(1)
    name = button.inner_text().strip().splitlines()[-1].removeprefix("Ask ")
    button.click()
    wait_drawn(page)

    expect(main(page)).to_contain_text(f"Answered by: {name}")
    main(page).get_by_role("button", name="Choose the best block for me").click()
    expect(main(page)).to_contain_text("Answered by the block")


def test_the_link_of_a_question_of_today_opens_the_same_answer(visit):
    page = visit("recommend")
    small_documents(page)
    expect(main(page)).to_contain_text(re.compile(r"at most 8 B parameters: \d+ of"))
    wait_drawn(page)
    winner = main(page).get_by_role("heading", level=2).first.inner_text()
    again = visit(page.url)

    expect(main(again).get_by_role("heading", level=2).first).to_have_text(winner)
    expect(main(again)).to_contain_text("at most 8 B parameters")


def test_the_report_opens_without_a_network(visit):
    page = visit("recommend")
    needs(page, "Documents")
    wait_drawn(page)
    winner = main(page).get_by_role("heading", level=2).first.inner_text()
    with page.expect_download() as download:
        main(page).get_by_role("button", name="Download it as a page (HTML)").click()
    file = Path(download.value.path()).with_suffix(".html")
    download.value.save_as(file)

    alone = visit.browser.new_context(offline=True)
    asked: list[str] = []
    offline = alone.new_page()
    offline.on("request", lambda request: asked.append(request.url))
    offline.goto(file.as_uri())
    expect(offline.get_by_role("heading", name="Which model to use")).to_be_visible()
    expect(offline.locator("body")).to_contain_text(winner)
    expect(offline.locator("svg")).to_be_visible()
    assert asked == [file.as_uri()]
    alone.close()


def test_a_suite_is_found_by_typing(visit):
    page = visit("")
    box = sidebar(page).get_by_role("combobox", name="Suite", exact=True)
    box.click()
    box.fill("open vlm")
    page.get_by_role("option", name="Open VLM Leaderboard", exact=True).click()
    wait_drawn(page)

    expect(main(page)).to_contain_text("Open VLM Leaderboard: showing")
    no_error(page)
