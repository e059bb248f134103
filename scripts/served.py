"""Starts a Streamlit app on a free port of this machine and opens Chromium on it.

The browser tests, the benchmark and the pictures of the README share it.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, Playwright
from playwright.sync_api import TimeoutError as NotInTime

ROOT = Path(__file__).resolve().parents[1]
APP = ROOT / "app.py"
CHROMIUM = shutil.which("chromium")
PATIENCE = 120
"""Seconds after which a server that does not answer, or a page that is not drawn, has failed."""
_STAYS_MS = 250
_LACKING = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  const all = (selector) => [...document.querySelectorAll(selector)];
  const charts = all('[data-testid="stPlotlyChart"]');
  return [
    app?.dataset.testConnectionState !== 'CONNECTED' && 'a connection',
    app?.dataset.testScriptState !== 'notRunning' && 'the end of the script',
    all('[data-testid="stSkeleton"]').length && 'what a skeleton stands for',
    all('[data-stale="true"]').length && 'an element of this run in place of a former one',
    charts.some((chart) => !chart.querySelector('.js-plotly-plot .main-svg')) && 'a plot',
    !charts.length && !all('h1').length && 'a heading',
  ].filter(Boolean);
}"""
_DRAWN = f"""(stays) => {{
  const lacking = ({_LACKING})();
  const now = performance.now();
  if (lacking.length || window.drawnSince === undefined) {{
    window.drawnSince = lacking.length ? undefined : now;
  }}
  return window.drawnSince !== undefined && now - window.drawnSince >= stays;
}}"""
_QUIET = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync")
_OFFLINE = ("--disable-background-networking", "--disable-component-update")


@contextlib.contextmanager
def served(script: Path, home: Path) -> Iterator[str]:
    """Run a server of its own process as long as the block lasts.

    Args:
        script: The app.
        home: Its ``EVALCORE_HOME``.

    Yields:
        The address without a slash at its end, once the server is healthy.

    Raises:
        TimeoutError: It ended, or did not become healthy in time.
    """
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    options = ["--server.address", "127.0.0.1", "--server.port", str(port)]
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(script), *options],
        cwd=ROOT,
        env=os.environ | {"EVALCORE_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_healthy(process, address)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def launch(playwright: Playwright) -> Browser:
    """Open Debian's Chromium, without its own calls home."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=[*_QUIET, *_OFFLINE])


def wait_drawn(page: Page) -> None:
    """Wait until the script has run, every chart that it drew has its plot, and all this stays so.

    A page that only pauses is not drawn: a run may follow at once (a bound control that comes into
    being, a chart's own event), and what stands there until then is about to be replaced.
    """
    page.evaluate("window.drawnSince = undefined")
    try:
        page.wait_for_function(_DRAWN, arg=_STAYS_MS, polling=50, timeout=PATIENCE * 1000)
    except NotInTime as error:
        raise AssertionError(f"not drawn after {PATIENCE} s: {page.evaluate(_LACKING)}") from error


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_healthy(process: subprocess.Popen[bytes], address: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health"):
            return
        time.sleep(0.05)
    raise TimeoutError(f"{address} is not healthy after {PATIENCE} s (exit {process.poll()})")
