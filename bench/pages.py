"""How long the server takes to answer a changed filter, beside a page that only draws."""

import sys
import time
from collections.abc import Callable
from functools import cache
from itertools import cycle

from streamlit.testing.v1 import AppTest

from bench.clock import Times, both, times
from bench.table import ms, ratio, show, verdict
from evalcore import home

BAR = 0.3
SUITES = ("vqa360", "mmvet2", "openclip", "clip-grid")
# Page: the key of one of its own controls and two of its values; Overview's are in the sidebar.
CONTROLS = {
    "overview": ("mean", "micro", "macro"),
    "recommend": ("rec_precision", "int4", "bf16"),
    "profiles": ("profiles_order", "name", "alike"),
    "correlation": ("corr_method", "pearson", "spearman"),
    "scaling": ("scale_axis", "capability", "type"),
    "sources": ("src_source", "mmvet2", "vqa360"),
}
PAGES = ("overview", *sorted(file.stem for file in (home.ROOT / "pages").glob("[a-z]*.py")))
"""Every page, the one that opens by itself first (and once more, when all is kept)."""
TODAY = {
    "one block": ("auto", ("rec_size", 8.0, 40.0)),
    "all blocks mixed": ("current", ("rec_size", 8.0, 40.0)),
}
"""Questions about models of today: the suite, and a control of the page with two of its values."""
NEEDS = ["documents", "charts"]
HEAVY = ("torch", "transformers", "open_clip", "scipy.stats", "statsmodels", "plotly.express")
_BARE = """
import plotly.graph_objects as go
import streamlit as st
st.title("Bare")
for number in range({charts}):
    st.plotly_chart(go.Figure(go.Scatter(x=[1, 2, 3], y=[1, 3, 2])), key=str(number))
"""


def _switch(app: AppTest, key: str, *values: object) -> Callable[[], None]:
    """A call that sets the widget to its next value and runs the page."""
    rounds = cycle(values)

    def change() -> None:
        app.session_state[key] = next(rounds)
        app.run()
        if app.exception or app.error:
            raise RuntimeError(f"{key}: {app.exception or app.error}")

    return change


def _warm_times(change: Callable[[], None]) -> tuple[Times, Times]:
    change()
    change()
    return both(change)


@cache
def _bare(charts: int) -> Times:
    app = AppTest.from_string(_BARE.format(charts=charts), default_timeout=60).run()
    return times(app.run)


def _row(page: str, suite: str) -> tuple[tuple[object, ...], float]:
    return _timed(_opened(page, suite), f"{page}, {suite}", CONTROLS[page])


def _today(name: str) -> tuple[tuple[object, ...], float]:
    suite, control = TODAY[name]
    app = _opened("recommend", suite)
    app.session_state["tags_need"] = NEEDS
    app.run()
    return _timed(app, f"recommend, today, {name}", control)


def _opened(page: str, suite: str) -> AppTest:
    app = AppTest.from_file(str(home.ROOT / "app.py"), default_timeout=60).run()
    app.switch_page(f"pages/{page}.py").run()
    app.session_state["suite"] = suite
    return app.run()


def _timed(
    app: AppTest, title: str, control: tuple[object, ...]
) -> tuple[tuple[object, ...], float]:
    filtered, filtered_cpu = _warm_times(_switch(app, "open", "open", "any"))
    key, *values = control
    controlled, controlled_cpu = _warm_times(_switch(app, str(key), *values))
    charts = len(app.get("plotly_chart"))
    bare = _bare(charts)
    ours = max(filtered.median, controlled.median)
    cpu = max(filtered_cpu.median, controlled_cpu.median)
    seconds = (filtered.median, filtered.most, controlled.median, controlled.most, cpu, bare.median)
    shown = (title, charts, *map(ms, seconds), ratio(ours, bare.median))
    return shown, max(filtered.most, controlled.most)


def _first_visits() -> list[tuple[object, ...]]:
    """Each page opened once in a process that has opened those before it and nothing else."""
    app = AppTest.from_file(str(home.ROOT / "app.py"), default_timeout=120)
    rows = []
    for page in PAGES:
        begun, used = time.perf_counter(), time.process_time()
        if page == PAGES[0]:
            app.run()
        else:
            app.switch_page(f"pages/{page}.py").run()
        if app.exception:
            raise RuntimeError(f"{page}: {app.exception}")
        rows.append((page, ms(time.perf_counter() - begun), ms(time.process_time() - used)))
    return rows


def main() -> None:
    """Print one row a page and suite, and what the process has imported."""
    # Before the store is opened by anything else, so that nothing is kept yet.
    show("The first visit of each page, one after the other", ("", "wall", "CPU"), _first_visits())
    print()
    found = [_row(page, suite) for page in CONTROLS for suite in SUITES]
    found += [_today(name) for name in TODAY]
    slowest = max(most for _, most in found)
    show(
        f"A changed filter, seconds of the server, warm, 5 runs; bar {ms(BAR)}, slowest run "
        f"{ms(slowest)}: {verdict(slowest, BAR)}",
        ("", "charts", "filter med", "max", "control med", "max", "CPU med", "bare page", "ratio"),
        [row for row, _ in found],
    )
    loaded = [name for name in HEAVY if name in sys.modules]
    print(f"\nAfter all pages the process has imported, of {', '.join(HEAVY)}: {loaded or 'none'}")


if __name__ == "__main__":
    main()
