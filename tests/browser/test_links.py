"""A view is a link: whatever one chose is in the address, and the address brings it back."""

import re

import pytest
from playwright.sync_api import expect

from scripts.served import wait_drawn
from tests.browser.hands import PAGES, PATHS, choose, first_table, main, press, sidebar

pytestmark = pytest.mark.browser

VQA360 = (
    "Guiding Vision-Language Model Selection for Visual Question-Answering Across Tasks, Domains, "
    "and Knowledge Types"
)
CHANGES = [
    # page, where, how, what, to which option, words that the page then shows
    ("overview", sidebar, choose, "Suite", "MM-Vet v2", "showing 20 of 20 models"),
    ("recommend", sidebar, press, "Model weights", "Open", "12 of 24 models meet your limits"),
    (
        *("compare", main, choose, "Correct for many comparisons"),
        *("Benjamini-Hochberg: few by luck", "1 in 20 is luck"),
    ),
    ("profiles", sidebar, choose, "Sort questions by", "Kind of knowledge", "Literary Knowledge"),
    ("correlation", main, press, "What to compare", "Capabilities", "pairs of capabilities"),
    ("distilled", main, press, "View", "Medians and guessing", "the lowest first"),
    ("scaling", main, press, "Models", "Controlled grid", "The grid covers 25-fold"),
    ("digits", main, press, "Published scores", "Controlled grid", "None of 34 models"),
    ("sources", main, choose, "Source", VQA360, "17 places found"),
]


@pytest.mark.parametrize(("name", "where", "hand", "what", "option", "words"), CHANGES, ids=PAGES)
def test_the_address_of_a_changed_view_opens_the_same_view(
    visit, name, where, hand, what, option, words
):
    page = visit(PATHS[name])
    before = page.url

    hand(where(page), what, option)
    expect(main(page)).to_contain_text(words)
    wait_drawn(page)

    assert page.url != before
    again = visit(page.url)
    assert main(again).inner_text() == main(page).inner_text()
    assert first_table(again) == first_table(page)


def test_a_link_that_is_the_first_visit_of_a_server_opens_the_whole_app(new_server, visit):
    page = visit(f"{new_server}/profiles?suite=MM-Vet+v2&size=10+B+parameters")

    expect(main(page).get_by_role("heading", level=1)).to_have_text("Profiles")
    expect(main(page)).to_contain_text("MM-Vet v2: showing")
    expect(sidebar(page).get_by_role("combobox", name="Suite")).to_have_value("MM-Vet v2")
    pages = sidebar(page).get_by_test_id("stSidebarNavLink")
    expect(pages).to_contain_text([name.title() for name in PAGES])


def test_choices_of_a_link_stay_when_the_page_is_changed(visit):
    page = visit(
        "recommend?size=10+B+parameters&open=Open&tags_task_type=Chart+Understanding"
        "&w_task-type-chart-understanding=3"
    )
    expect(main(page)).to_contain_text("InternVL2-8B")

    sidebar(page).get_by_role("link", name="Overview").click()
    expect(main(page)).to_contain_text("showing 6 of 10 models")
    expect(page).to_have_url(re.compile("size=10"))
    sidebar(page).get_by_role("link", name="Profiles").click()
    expect(main(page)).to_contain_text("showing 6 of 10 models")

    assert re.search("open=Open", page.url) and re.search("tags_task_type=Chart", page.url)
    weight = sidebar(page).get_by_role("spinbutton", name="Weight of Chart Understanding")
    expect(weight).to_have_value("3")


def test_a_press_on_a_line_of_sources_opens_that_source_and_is_a_link(visit):
    page = visit("sources")
    lines = main(page).get_by_test_id("stDataFrame").first
    # A table is a canvas: the first line below that of the names.
    lines.click(position={"x": 120, "y": 35 * 1.5})

    expect(main(page)).to_contain_text("In the store: 390 scores")
    expect(page).to_have_url(re.compile("src_source=Guiding"))


def test_a_suite_by_its_id_opens_and_stands_in_the_address_by_its_name(visit):
    page = visit("profiles?suite=mmvet2")

    expect(main(page)).to_contain_text("MM-Vet v2: showing 20 of 20 models")
    expect(page).to_have_url(re.compile(r"suite=MM-Vet\+v2"))


@pytest.mark.parametrize(
    ("run", "page_name"), [("demo-clip on mnist", "Digits"), ("demo-vlm-weak on", "Profiles")]
)
def test_a_run_chosen_by_hand_is_seen_where_it_counts(visit, run, page_name):
    page = visit("runs")
    box = main(page).get_by_role("combobox", name="Run", exact=True)
    box.click()
    page.get_by_role("option", name=re.compile(f"^{run}")).last.click()
    expect(page).to_have_url(re.compile("run="))
    wait_drawn(page)

    main(page).get_by_role("button", name=f"See it on {page_name}", exact=True).click()

    expect(main(page).get_by_role("heading", level=1)).to_have_text(page_name)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("run="))
