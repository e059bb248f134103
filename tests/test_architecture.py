"""The house's import rules, read from the syntax trees, and the sizes that keep files readable."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from evalcore.home import ROOT

SLOW = {"torch", "transformers", "open_clip", "scipy.stats", "plotly.express", "statsmodels"}
FILES = {"os", "io", "pathlib", "shutil", "tempfile", "glob", "csv", "sqlite3", "duckdb"}
STORE = {"evalcore.store", "evalcore.catalog", "evalcore.home", "evalcore.importers"}
SCREEN = {"streamlit", "pages"}
PURE = ("evalcore/analysis/", "evalcore/cost/", "evalcore/decision/")
"""Functions of data frames and records: no files, no store, no screen."""
FILE_LINES, FUNCTION_LINES = 400, 60
SHARED_FILES = 20
RUN_EVERY_PAGE = """
import sys
from streamlit.testing.v1 import AppTest
at = AppTest.from_file("app.py", default_timeout=600).run()
for page in sys.argv[1:]:
    assert not at.switch_page(f"pages/{page}").run().exception, page
print(*sys.modules)
"""


class Import(NamedTuple):
    """An imported module's full name and whether it stands outside functions."""

    name: str
    at_top: bool


def product_files():
    found = [*(ROOT / "evalcore").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
    return sorted(str(path.relative_to(ROOT)) for path in found)


PRODUCT = product_files()
PURE_FILES = [name for name in PRODUCT if name.startswith(PURE)]
PAGES = [name for name in PRODUCT if name.startswith("pages/") and name.count("/") == 1]


@cache
def tree(name):
    return ast.parse((ROOT / name).read_text("utf-8"))


def is_module(dotted):
    path = ROOT.joinpath(*dotted.split("."))
    return path.is_dir() or path.with_suffix(".py").exists()


@cache
def imports(name):
    """Every import of a file; ``from package import x`` counts as package.x if x is a module."""
    inner = {
        id(node)
        for function in ast.walk(tree(name))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    found = []
    for node in ast.walk(tree(name)):
        top = id(node) not in inner
        if isinstance(node, ast.Import):
            found += [Import(alias.name, top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: a relative import"
            found += [Import(_target(node.module, alias.name), top) for alias in node.names]
    return found


def _target(package, name):
    # A name of a foreign package may be a module of it too: scipy.stats, plotly.express.
    dotted = f"{package}.{name}"
    return dotted if is_module(dotted) or dotted in SLOW else package


def offending(name, forbidden, only_top=False):
    return sorted(
        found.name
        for found in imports(name)
        if (found.at_top or not only_top)
        and any(found.name == bad or found.name.startswith(f"{bad}.") for bad in forbidden)
    )


def dotted(name):
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def package(dotted):
    """The part of evalcore that a module lies in; a module directly in it is a part of its own."""
    return ".".join(dotted.split(".")[:2]) if dotted.startswith("evalcore.") else None


def test_the_rules_see_the_files_they_are_about():
    assert {"evalcore/analysis/intervals.py", "evalcore/decision/recommend.py"} <= set(PURE_FILES)
    assert "pages/recommend.py" in PAGES
    assert Import("evalcore.store.build", True) in imports("pages/shared/results.py")


@pytest.mark.parametrize("name", PURE_FILES)
def test_analysis_and_recommender_know_no_files_store_or_screen(name):
    assert offending(name, FILES | STORE | SCREEN) == []


@pytest.mark.parametrize("name", PURE_FILES)
def test_analysis_and_recommender_open_no_file(name):
    calls = [node.func for node in ast.walk(tree(name)) if isinstance(node, ast.Call)]

    assert "open" not in [call.id for call in calls if isinstance(call, ast.Name)]


@pytest.mark.parametrize("name", [name for name in PRODUCT if name.startswith("evalcore/")])
def test_the_engine_knows_no_screen(name):
    assert offending(name, SCREEN) == []


@pytest.mark.parametrize("name", [name for name in PRODUCT if not name.startswith("evalcore/")])
def test_screens_reach_the_store_through_one_door(name):
    door = name == "pages/shared/results.py"

    assert offending(name, {"duckdb"} if door else {"duckdb", "evalcore.store"}) == []


@pytest.mark.parametrize("name", PRODUCT)
def test_a_page_imports_no_other_pages_parts(name):
    """``pages/parts/x`` serves ``pages/x.py`` alone, and ``pages/shared`` knows no page."""
    if name.startswith("pages/parts/"):
        page = name.split("/")[2]
    else:
        page = Path(name).stem if name in PAGES else None
    parts = [used.name for used in imports(name) if used.name.startswith("pages.parts.")]

    assert [used for used in parts if used.split(".")[2] != page] == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_stands_in_the_page_table_and_a_test_opens_it(name):
    page = Path(name).stem
    test = ROOT / "tests" / "pages" / f"test_{page}.py"

    assert f'FOLDER / "{page}.py"' in (ROOT / "app.py").read_text("utf-8"), "no row in app.py"
    assert test.is_file(), f"{name} has no tests/pages/test_{page}.py"
    assert f'"{page}"' in test.read_text("utf-8"), f"no test of {test.name} opens the page"


def test_what_pages_share_stays_few():
    assert len([name for name in PRODUCT if name.startswith("pages/shared/")]) <= SHARED_FILES


@pytest.mark.parametrize("name", PRODUCT)
def test_only_the_store_speaks_to_the_database(name):
    assert name.startswith("evalcore/store/") or offending(name, {"duckdb"}) == []


@pytest.mark.parametrize("name", PRODUCT)
def test_slow_packages_are_not_loaded_at_the_start(name):
    assert offending(name, SLOW, only_top=True) == []


def test_no_modules_of_the_engine_import_each_other_in_a_circle():
    names = {dotted(name): name for name in PRODUCT if name.startswith("evalcore/")}
    left = {module: {found.name for found in imports(name)} for module, name in names.items()}
    left = {module: {n for n in needs if n in names} - {module} for module, needs in left.items()}

    while free := {module for module, needs in left.items() if not needs & set(left)}:
        left = {module: needs for module, needs in left.items() if module not in free}

    assert left == {}


def test_no_packages_of_the_engine_import_each_other_in_a_circle():
    left = {}
    for name in PRODUCT:
        if name.startswith("evalcore/"):
            used = {package(found.name) for found in imports(name)} - {package(dotted(name)), None}
            left.setdefault(package(dotted(name)), set()).update(used)

    while free := {one for one, needs in left.items() if not needs & set(left)}:
        left = {one: needs for one, needs in left.items() if one not in free}

    assert left == {}


@pytest.mark.parametrize("name", PRODUCT)
def test_a_file_is_short_enough_to_read(name):
    assert len((ROOT / name).read_text("utf-8").splitlines()) <= FILE_LINES


@pytest.mark.parametrize("name", PRODUCT)
def test_a_function_is_short_enough_to_read(name):
    long = [
        node.name
        for node in ast.walk(tree(name))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno - node.lineno >= FUNCTION_LINES
    ]
    assert long == []


def test_the_page_table_holds_every_page():
    calls = [
        node
        for node in ast.walk(tree("app.py"))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "st.Page"
    ]
    named = [Path(ast.literal_eval(_last(call.args[0]))).name for call in calls]

    assert sorted(named) == sorted(Path(name).name for name in PAGES)


def _last(node):
    return node.right if isinstance(node, ast.BinOp) else node


def test_no_page_loads_what_only_running_a_model_needs(store, monkeypatch):
    monkeypatch.setenv("EVALCORE_HOME", str(store.parent))
    names = [Path(name).name for name in PAGES]

    done = subprocess.run(
        [sys.executable, "-c", RUN_EVERY_PAGE, *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    assert SLOW & set(done.stdout.split()) == set()
