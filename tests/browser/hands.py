"""What a person does on a page: press, choose, open a table."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from scripts.served import wait_drawn

PAGES = (
    "overview",
    "recommend",
    "compare",
    "profiles",
    "correlation",
    "distilled",
    "scaling",
    "digits",
    "sources",
)
PATHS = {page: "" if page == "overview" else page for page in PAGES}
"""The page that opens first has no path of its own."""


def main(page: Page):
    return page.get_by_test_id("stMain")


def sidebar(page: Page):
    return page.get_by_test_id("stSidebar")


def press(place, group: str, option: str) -> None:
    """Press a button of a segmented control, once the page stands still."""
    wait_drawn(place.page)
    place.get_by_role("radiogroup", name=group).get_by_role("radio", name=option).click()


def choose(place, label: str, option: str) -> None:
    """Choose an option of a select box."""
    wait_drawn(place.page)
    box = place.get_by_role("combobox", name=label, exact=True)
    # The list closes when its place scrolls.
    box.scroll_into_view_if_needed()
    box.click()
    place.page.get_by_role("option", name=option, exact=True).click()


def tick(place, label: str, *options: str) -> None:
    """Choose several options of a multiselect."""
    wait_drawn(place.page)
    box = place.get_by_role("combobox", name=label, exact=True)
    # The list closes when its place scrolls.
    box.scroll_into_view_if_needed()
    for option in options:
        box.click()
        place.page.get_by_role("option", name=option, exact=True).click()
    box.press("Escape")


def first_table(page: Page) -> str:
    """The first table twin, as its CSV."""
    button = page.get_by_test_id("stDownloadButton").filter(has_text=re.compile("^CSV$"))
    twin = main(page).get_by_test_id("stExpander").filter(has=button).first
    if twin.locator("details[open]").count() == 0:
        twin.locator("summary").click()
    expect(twin.locator("details[open] [inert]")).to_have_count(0)
    with page.expect_download() as download:
        # By keyboard: the button moves as long as the expander unfolds.
        twin.get_by_role("button", name="CSV", exact=True).press("Enter")
    return Path(download.value.path()).read_text(encoding="utf-8")


def no_error(page: Page) -> None:
    """Nothing on the page says that something went wrong."""
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_test_id("stAlertContentError")).to_have_count(0)


def charts(page: Page):
    """The charts of the page."""
    return page.get_by_test_id("stPlotlyChart").all()


def upload(page: Page, file: Path) -> None:
    """Put a file into the sidebar's uploader."""
    sidebar(page).locator("summary", has_text="Your own results").click()
    sidebar(page).locator("input[type=file]").set_input_files(file)
