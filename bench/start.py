"""How long it takes from starting the server to the first chart in a browser."""

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


def _first_chart(browser: Browser, script: Path, at: Path) -> float:
    """Seconds from starting the process to the chart; stopping it is not counted."""
    start = time.perf_counter()
    with served(script, at) as address, contextlib.closing(browser.new_page()) as page:
        page.goto(address, wait_until="commit")
        page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=60_000)
        return time.perf_counter() - start


def _runs(browser: Browser, script: Path, homes: Sequence[Path]) -> Times:
    return of([_first_chart(browser, script, at) for at in homes])


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
    rows = [
        ("dashboard, Overview, store there", *map(ms, ours), ratio(ours.median, bare.median)),
        ("dashboard, store to be built first", *map(ms, new), ratio(new.median, bare.median)),
        ("bare page with one chart", *map(ms, bare), "1.0 x"),
    ]
    show(
        f"Start of the server to the first chart in Chromium; bar {BAR:g} s: "
        f"{verdict(ours.most, BAR)}",
        (f"{RUNS} runs", "min", "median", "max", "ratio"),
        rows,
    )
