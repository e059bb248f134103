"""How long it takes from starting the server, and from opening a page, to the first chart."""

import contextlib
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from bench.clock import Times, of
from bench.table import ms, ratio, show, verdict
from evalcore import home
from scripts.served import APP, CHROMIUM, launch, served

BAR = 2.0
RUNS = 3
_BARE = """
import plotly.graph_objects as go
import streamlit as st
st.plotly_chart(go.Figure(go.Scatter(x=[1, 2, 3], y=[1, 3, 2])))
"""


def _first_charts(browser: Browser, script: Path, at: Path) -> tuple[float, float, float]:
    """Seconds to the chart: from starting the process, from the first visit, from the next.

    Stopping the server is not counted.
    """
    start = time.perf_counter()
    with served(script, at) as address:
        up = time.perf_counter()
        _visit(browser, address)
        first = time.perf_counter()
        _visit(browser, address)
        return first - start, first - up, time.perf_counter() - first


def _visit(browser: Browser, address: str) -> None:
    with contextlib.closing(browser.new_page()) as page:
        page.goto(address, wait_until="commit")
        page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=60_000)


def _runs(browser: Browser, script: Path, homes: Sequence[Path]) -> tuple[Times, Times, Times]:
    from_start, first, again = zip(
        *(_first_charts(browser, script, at) for at in homes), strict=True
    )
    return of(list(from_start)), of(list(first)), of(list(again))


def main() -> None:
    """Print seconds for the dashboard and for a page with one chart, each in a new process."""
    if CHROMIUM is None:
        print("\nStart to first chart: not measured, Debian's chromium is not installed")
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        bare_script = Path(folder) / "bare.py"
        bare_script.write_text(_BARE, encoding="utf-8")
        browser = launch(playwright)
        there = [home.home()] * RUNS
        missing = [Path(folder) / str(number) for number in range(RUNS)]
        ours = _runs(browser, APP, there)
        bare = _runs(browser, bare_script, there)
        new = _runs(browser, APP, missing)
        browser.close()
    spans = ("from starting the process", "from the first visit", "from the next visit")
    for span, mine, theirs, built in zip(spans, ours, bare, new, strict=True):
        rows = [
            ("dashboard, Overview, store there", *map(ms, mine), ratio(mine.median, theirs.median)),
            ("dashboard, store to be built", *map(ms, built), ratio(built.median, theirs.median)),
            ("bare page with one chart", *map(ms, theirs), "1.0 x"),
        ]
        show(
            f"First chart in Chromium, {span}; bar {BAR:g} s: {verdict(mine.most, BAR)}",
            (f"{RUNS} runs", "min", "median", "max", "ratio"),
            rows,
        )
