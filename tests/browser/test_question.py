"""The opening question, asked by clicking: documents and charts, open weights, at most 10 B."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from scripts.served import wait_drawn
from tests.browser.hands import choose, main, press, sidebar, tick

pytestmark = pytest.mark.browser
WINNER = "InternVL2-8B"


@pytest.fixture
def answered(visit):
    """The Recommend page once the question has been asked of the paper's models."""
    page = visit("recommend?suite=VQA360")
    tick(sidebar(page), "What matters to you", "Chart Understanding", "Document Understanding")
    choose(sidebar(page), "Largest model", "10 B parameters")
    press(main(page), "Where it may run", "Open weights")
    expect(main(page).get_by_role("heading", level=2, name=WINNER)).to_be_visible()
    wait_drawn(page)
    return page


def test_clicking_the_opening_question_together_gives_its_answer(answered):
    expect(main(answered)).to_contain_text("6 of 10 models remain")
    expect(main(answered)).to_contain_text(
        "6 of 10 models meet your limits (open weights, at most 10 B parameters). "
        "On your mix of 2 tags it scores 65.7 %"
    )


def test_the_report_holds_the_answer_and_a_link_that_gives_it_again(answered, visit):
    with answered.expect_download() as download:
        main(answered).get_by_role("button", name="Download the decision report").click()
    report = Path(download.value.path()).read_text(encoding="utf-8")

    assert WINNER in report
    [link] = set(re.findall(r"http://127\.0\.0\.1:\d+/recommend\?[^\s>)\]]+", report))
    again = visit(link)
    expect(main(again).get_by_role("heading", level=2, name=WINNER)).to_be_visible()
    assert main(again).inner_text() == main(answered).inner_text()
