"""Where a page has nothing to draw of a suite, a sentence says why and what to choose instead."""

import re

import pytest

from tests.pages.opening import texts

PAGES = ("overview", "recommend", "profiles", "correlation", "distilled", "scaling")
SUITES = {
    "unibench": "summaries of groups only, which no page can rank",
    "llm-stats": "no model has a score on every tag",
    "nemotron-3": "two models, so no correlation",
    "artificial-analysis": "one benchmark that enough models have",
    "demo": "a few models on one benchmark",
}
"""Suites of which some page has nothing to draw, and what they lack."""
INSTEAD = re.compile("choose|widen|instead|allow|needs? ", re.I)


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("page", PAGES)
def test_an_empty_page_says_why_and_what_to_choose_instead(open_page, page, suite):
    at = open_page(page, suite=suite)
    main = at.main
    said = texts(main, "markdown", "caption", "info", "warning", "error")

    assert not at.exception
    if not main.get("plotly_chart") and not main.dataframe:
        assert any(INSTEAD.search(text) for text in said)
    if suite == "unibench":
        assert any('"unibench", which is not possible here' in text for text in said)
