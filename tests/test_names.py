"""Names: the words of the glossary in CONTRIBUTING, and none of those that it replaces."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from evalcore.home import ROOT

EMPTY = {"found", "made", "told", "said", "one"}
"""Locals that do not say what they hold."""
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in ("evalcore", "pages")
    for path in (ROOT / folder).rglob("*.py")
)


def parse(file):
    return ast.parse((ROOT / file).read_text("utf-8"))


@cache
def glossary():
    """Each term of the glossary with the words that it replaces."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text.split("## Glossary")[1].split("\n## ")[0]
    cells = [line.split("|")[1:-1] for line in section.splitlines() if line.startswith("|")]
    return {row[0].strip(): re.findall(r"`(\w+)`", row[2]) for row in cells[2:]}


def public_names(file):
    """The names that others may use: module, functions, classes, methods and fields."""
    yield Path(file).stem
    for node in ast.walk(parse(file)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        if isinstance(node, ast.ClassDef):
            fields = [part.target for part in node.body if isinstance(part, ast.AnnAssign)]
            yield from (field.id for field in fields if isinstance(field, ast.Name))


def words(name):
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


@pytest.mark.parametrize("file", FILES)
def test_a_public_name_is_of_the_fields_words(file):
    instead = {word: term for term, replaced in glossary().items() for word in replaced}
    public = [name for name in public_names(file) if not name.startswith("_")]

    assert not {name: instead[word] for name in public for word in words(name) if word in instead}


@pytest.mark.parametrize("file", FILES)
def test_a_local_name_says_what_it_holds(file):
    stored = [
        (node.lineno, getattr(node, "id", None) or node.arg)
        for node in ast.walk(parse(file))
        if (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        or isinstance(node, ast.arg)
    ]

    assert not [(line, name) for line, name in stored if name in EMPTY]


def test_each_term_of_the_glossary_is_in_use():
    used = {word for file in FILES for name in public_names(file) for word in words(name)}

    assert len(glossary()) > 20
    parts = {part for term in glossary() for part in term.split()}
    assert not [part for part in parts if not used & {part, f"{part}s", part.removesuffix("s")}]
