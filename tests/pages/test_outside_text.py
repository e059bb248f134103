"""No text from outside reaches an element that reads Markdown, but through ``text.plain``.

Streamlit's documentation says in which arguments it reads Markdown. Each of them may hold words of
ours only: a literal, a constant, a number with a format, or what ``plain`` gives back.
"""

import ast
import inspect
import re
from collections.abc import Iterator

import pytest
import streamlit as st

from evalcore.home import ROOT

ESCAPED_IN = ROOT / "pages" / "shared" / "text.py"
FILES = [
    path
    for path in [ROOT / "app.py", *sorted((ROOT / "pages").rglob("*.py"))]
    if path != ESCAPED_IN
]
REFUSED = {"write", "write_stream", "html", "latex", "exception", "echo"}
"""Elements that take text of any kind for more than text; none is needed."""
NUMBER = re.compile(r"[-+ ]?\d*,?(\.\d+)?[dfgeEFGn%]?")
"""A format that text does not take, so that what is written so is a number."""
ESCAPING = {"plain", "paragraphs", "bullets"}
"""Of ``pages.shared.text``."""
INSIDE = {
    ast.Attribute: lambda one: [one.value],
    ast.BinOp: lambda one: [one.left, one.right],
    ast.BoolOp: lambda one: one.values,
    ast.IfExp: lambda one: [one.body, one.orelse],
    ast.JoinedStr: lambda one: one.values,
    ast.Lambda: lambda one: [one.body],
    ast.List: lambda one: one.elts,
    ast.GeneratorExp: lambda one: [one.elt],
    ast.ListComp: lambda one: [one.elt],
    ast.Subscript: lambda one: [one.value],
    ast.Tuple: lambda one: one.elts,
}
"""Expressions that are ours where all of their parts are; not their conditions and indices."""
PARAMETER = re.compile(r"^(\w+) : .*\n((?:    .*\n|\n)*)", re.M)


def reading() -> dict[str, list[tuple[int, str]]]:
    """Element of Streamlit → position and name of the arguments in which it reads Markdown."""
    found = {}
    for name, element in vars(st).items():
        if name.startswith("_") or not callable(element):
            continue
        about = PARAMETER.findall((inspect.getdoc(element) or "") + "\n")
        told = {one for one, text in about if "markdown" in text.lower()}
        known = inspect.signature(element).parameters
        found[name] = [(at, one) for at, one in enumerate(known) if one in told]
    return {name: told for name, told in found.items() if told}


READING = reading()


def wrong(code: str, name: str) -> list[str]:
    """What a page gives to Markdown that may come from outside, a sentence each."""
    tree = ast.parse(code)
    modules = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [
        f"{name}, line {given.lineno}: {element} reads Markdown, and {ast.unparse(given)} may come "
        "from outside; write plain(...) of pages.shared.text around it"
        for call in calls
        for element in elements(call.func, modules - {"st"} | {"store"})
        for given in arguments(call, element)
        if not ours(given)
    ]


def elements(function: ast.expr, others: set[str]) -> Iterator[str]:
    """The elements that a call may draw, two for ``(st.error if bad else st.info)(...)``.

    Any object may be a place on the page, except the modules and the store.
    """
    if isinstance(function, ast.IfExp):
        yield from elements(function.body, others)
        yield from elements(function.orelse, others)
    elif isinstance(function, ast.Attribute) and function.attr in {*READING, *REFUSED}:
        on = function.value
        if isinstance(on, ast.Subscript) or (
            isinstance(on, ast.Attribute) and on.attr == "sidebar"
        ):
            on = on.value
        if isinstance(on, ast.Name) and on.id not in others:
            yield function.attr


def arguments(call: ast.Call, element: str) -> Iterator[ast.expr]:
    """What a call gives to the arguments of an element that read Markdown.

    Options are not read as they are where a function says how they are written.
    """
    if element in REFUSED:
        yield call
        return
    named = {one.arg: one.value for one in call.keywords}
    for at, name in READING[element]:
        if name == "options" and "format_func" in named:
            yield named["format_func"]
        elif name == "format_func":
            continue
        elif at < len(call.args):
            yield call.args[at]
        elif name in named:
            yield named[name]


def ours(given: ast.expr) -> bool:
    """Whether an expression holds words of ours and numbers only, or what ``plain`` gives back."""
    if isinstance(given, ast.Constant):
        return True
    if isinstance(given, ast.Name):
        return given.id.isupper() or given.id in ESCAPING
    if isinstance(given, ast.Attribute) and given.attr.isupper():
        return True
    if isinstance(given, ast.FormattedValue):
        return ours(given.value) or (given.format_spec is not None and numeric(given.format_spec))
    if isinstance(given, ast.Call):
        return called(given)
    inside = INSIDE.get(type(given))
    return inside is not None and all(map(ours, inside(given)))


def called(call: ast.Call) -> bool:
    """Whether what a call gives back is ours: escaped, a count, or ours joined or listed."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "join":
        return all(map(ours, [call.func.value, *call.args]))
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    return name in {*ESCAPING, "len"} or (name == "list" and all(map(ours, call.args)))


def numeric(spec: ast.expr) -> bool:
    """Whether a format is one for numbers: ``,`` or ``.1f``."""
    text = ast.unparse(spec).strip("f'\"")
    return bool(text) and NUMBER.fullmatch(text) is not None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_comes_from_outside_is_escaped_before_it_reaches_markdown(path):
    assert wrong(path.read_text("utf-8"), str(path.relative_to(ROOT))) == []


FORGOTTEN = [
    "st.info(name)",
    "st.info(f'of {name}')",
    "st.error(str(error))",
    "st.caption('of ' + name)",
    "(st.error if bad else st.success)(said)",
    "st.sidebar.warning(name)",
    "left.metric('Score', value)",
    "columns[0].toggle(f'All of {name}')",
    "st.checkbox('ours', help=about)",
    "st.expander(', '.join(names))",
    "st.tabs(names)",
    "st.pills('ours', names)",
    "st.pills('ours', list(OURS), format_func=lambda one: names[one])",
    "st.radio('ours', names)",
    "st.radio('ours', list(OURS), format_func=str)",
    "st.table(frame)",
    "st.image(picture, caption=name)",
    "st.write('ours')",
    "st.markdown('ours', unsafe_allow_html=html)",
]
"""How a page forgets; each in the second line of a page."""
KEPT = [
    "st.info('ours')",
    "st.info(plain(name))",
    "st.info(f'{count:,} of {share:.1f} % of {plain(name)}')",
    "st.caption(OURS[key])",
    "st.caption(OURS if bad else 'ours')",
    "st.markdown(bullets(names))",
    "st.pills('ours', names, format_func=plain)",
    "st.pills('ours', list(OURS), format_func=lambda one: OURS[one])",
    "st.selectbox('ours', names, format_func=lambda one: names[one])",
    "st.text(name)",
    "choice.store.table(name)",
    "log.info(name)",
]


@pytest.mark.parametrize("line", FORGOTTEN)
def test_a_page_that_forgets_is_named_with_the_line(line):
    said = wrong(f"import streamlit as st\n{line}\n", "pages/mine.py")

    assert said
    assert all(one.startswith("pages/mine.py, line 2: ") for one in said)


@pytest.mark.parametrize("line", KEPT)
def test_words_of_ours_and_escaped_names_may_stand_in_markdown(line):
    assert wrong(f"from x import log\n{line}\n", "pages/mine.py") == []


def test_streamlit_still_says_where_it_reads_markdown():
    alerts = {"info", "success", "warning", "error", "toast", "caption", "markdown", "table"}
    labelled = {"button", "checkbox", "expander", "metric", "pills", "radio", "tabs", "toggle"}

    assert alerts | labelled <= set(READING)
    assert [name for _, name in READING["metric"]] == ["label", "value", "delta", "help"]
    assert {name for _, name in READING["radio"]} >= {"label", "options", "help"}
