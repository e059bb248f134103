"""How much of the house one errand enters: files, functions and hops between files, caches cold.

An errand is one page drawn or one command run, traced with ``sys.setprofile`` in every thread of a
process of its own. Counted is only what is ours (app.py, pages, evalcore): a file is entered when
one of its functions runs, a hop is a pair (file, other file) of which the first calls the second.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType

from bench.table import show
from evalcore import home

PAGES = {"Overview": "overview", "Recommend": "recommend"}
RUN = ("run", "--model", "demo-vlm-weak", "--benchmark", "easy-vqa", "--limit", "20")
OURS = tuple(str(home.ROOT / name) for name in ("app.py", "pages", "evalcore"))


def _trace(errand: Callable[[], object]) -> tuple[int, int, int]:
    """Run an errand; the number of files, functions and hops that it entered."""
    functions: set[tuple[str, str, int]] = set()
    hops: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        # Neither modules nor class bodies are functions: they lack the flag.
        if event != "call" or not code.co_flags & CO_OPTIMIZED or code.co_name.startswith("<"):
            return
        if not code.co_filename.startswith(OURS):
            return
        functions.add((code.co_filename, code.co_qualname, code.co_firstlineno))
        caller = frame.f_back
        while caller and not caller.f_code.co_filename.startswith(OURS):
            caller = caller.f_back
        if caller and caller.f_code.co_filename != code.co_filename:
            hops.add((caller.f_code.co_filename, code.co_filename))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        errand()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]  # None takes it back
    return len({file for file, _, _ in functions}), len(functions), len(hops)


def _page(name: str) -> None:
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_file(str(home.ROOT / "app.py"), default_timeout=120)
    app.switch_page(f"pages/{name}.py").run()
    if app.exception:
        raise RuntimeError(str(app.exception))
    if [title.value for title in app.title] != [name.capitalize()]:
        raise RuntimeError(f"{name} was not drawn, but {[title.value for title in app.title]}")


def _command() -> None:
    from evalcore.__main__ import main

    if main(RUN):
        raise RuntimeError("the run did not end well")


def _alone(name: str) -> tuple[int, int, int]:
    """One errand in a fresh process, with a home that holds a store and nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "EVALCORE_HOME": str(Path(folder) / "home")}
        for asked in (["evalcore", "build"], ["bench.errands", name]):
            told = subprocess.run(
                [sys.executable, "-m", *asked],
                cwd=home.ROOT, env=env, capture_output=True, text=True, check=True,
            )  # fmt: skip
    files, functions, hops = json.loads(told.stdout.splitlines()[-1])
    return files, functions, hops


def main(arguments: list[str]) -> None:
    """Print the table, or trace the one errand that is named."""
    if arguments:
        name = arguments[0]
        sys.stdout.write("\n" + json.dumps(_trace(
            _command if name == "run" else lambda: _page(PAGES[name])
        )))  # fmt: skip
        return
    rows = [(name, *_alone(name)) for name in (*PAGES, "run")]
    show("one errand enters", ("errand", "files", "functions", "hops"), rows)


if __name__ == "__main__":
    main(sys.argv[1:])
