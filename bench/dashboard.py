"""Prints how fast the dashboard is: ``python -m bench.dashboard``.

Each figure stands beside the same work done barely, so that the ratio shows what our part costs on
any machine; the absolute figures are this machine's.

- Store: seconds to read, check and write the results store, beside ``pandas.read_csv`` alone.
- A changed filter: the time in which the server runs a page again after a change in the sidebar
  and after one of the page's own controls, without network and browser (Streamlit's AppTest),
  beside a page that draws as many charts of three points. Caches are warm. The CPU's seconds (of
  the slower of the two changes) say more than the clock on a machine that is busy elsewhere.
- Start: from starting the process to the first chart drawn in Chromium, beside a page with one
  chart.
- Growth: the functions behind the pages on 1, 10 and 100 times the models of the open_clip table.

Nothing here is a test: tests assert no time.
"""

import os
import platform
import tempfile
from importlib.metadata import version

from bench import growth, pages, start, store


def main() -> None:
    """Run every part on a home folder of its own."""
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("streamlit", "pandas", "plotly", "duckdb")
    )
    load = f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}"
    print(f"{load}, Python {platform.python_version()}, {packages}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EVALCORE_HOME"] = folder
        for part in (store, growth, pages, start):
            part.main()


if __name__ == "__main__":
    main()
