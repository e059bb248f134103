"""Own results in the browser: hostile names stay text; broken and huge files are refused."""

import re

import pytest
from playwright.sync_api import expect

from scripts.served import wait_drawn
from tests.browser.hands import charts, main, no_error, sidebar, upload

pytestmark = pytest.mark.browser
HOSTILE = "<img src=x onerror=alert(1)>"
HEADER = "model,benchmark,axis,tag,score,n"
TAGS = (
    "Chart Understanding",
    "Document Understanding",
    "Knowledge-based Visual Question-Answering",
    "Visual Question-Answering",
)
MEGABYTE = 1_000_000
# By the reader of the file, or by Streamlit before that.
TOO_LARGE = re.compile("at most 2 MB|must be [0-9.]+MB or smaller")


def row(tag: str, score: str = "0.9") -> str:
    return f"{HOSTILE},vqa360,task_type,{tag},{score},500"


@pytest.fixture
def mine(tmp_path):
    def write(*rows: str):
        file = tmp_path / "mine.csv"
        file.write_text("\n".join([HEADER, *rows]), encoding="utf-8")
        return file

    return write


def test_a_hostile_model_name_is_drawn_as_text(visit, mine):
    page = visit("profiles")

    upload(page, mine(*map(row, TAGS)))

    expect(sidebar(page).get_by_test_id("stAlertContentSuccess")).to_contain_text(HOSTILE)
    expect(main(page)).to_contain_text("11 of 11 models")
    wait_drawn(page)
    assert any(HOSTILE in chart.inner_text() for chart in charts(page))
    expect(page.locator("img[src=x]")).to_have_count(0)


def test_a_broken_file_is_refused_with_its_row(visit, mine):
    page = visit("profiles")

    upload(page, mine(row(TAGS[0]), row(TAGS[1], "90")))

    error = sidebar(page).get_by_test_id("stAlertContentError")
    expect(error).to_contain_text("mine.csv, row 3: score '90' looks like per cent")
    expect(error).to_contain_text("'0.9' in row 2 like a fraction")
    expect(main(page)).to_contain_text("10 of 10 models")


def test_a_huge_file_is_refused_in_words_and_the_app_goes_on(visit, tmp_path):
    page = visit("sources")
    huge = tmp_path / "huge.csv"
    huge.write_bytes(b"x" * 50 * MEGABYTE)

    upload(page, huge)

    expect(sidebar(page)).to_contain_text(TOO_LARGE)
    page.get_by_role("link", name="Profiles").click()
    expect(main(page).get_by_role("heading", level=1)).to_have_text("Profiles")
    expect(main(page)).to_contain_text("10 of 10 models")
    no_error(main(page))
