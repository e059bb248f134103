"""Where a page has nothing to draw of a suite, a sentence says why and what to choose instead."""

import re
import shutil

import pytest
from streamlit.testing.v1 import AppTest

from evalcore.home import ROOT

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


@pytest.fixture
def ready(store, home):
    shutil.copy(store, home / "results.duckdb")


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("page", PAGES)
def test_an_empty_page_says_why_and_what_to_choose_instead(ready, page, suite):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    if page != "overview":
        at.switch_page(f"pages/{page}.py")
    at.query_params["suite"] = suite

    main = at.run().main

    kinds = (main.markdown, main.caption, main.info, main.warning, main.error)
    said = [one.value for kind in kinds for one in kind]
    assert not at.exception
    if not main.get("plotly_chart") and not main.dataframe:
        assert any(INSTEAD.search(text) for text in said)
    if suite == "unibench":
        assert any('"unibench", which is not possible here' in text for text in said)
