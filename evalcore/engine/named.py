"""What the names mean that a person types: a model, or a benchmark."""

import difflib
import json
import re
from pathlib import Path
from typing import Any

from evalcore import catalog, home
from evalcore.benchmarks import LOADERS
from evalcore.engine import runs
from evalcore.errors import BadInput, UnknownName
from evalcore.models import ADAPTERS, answers
from evalcore.records import Deployment

SHIPPED = frozenset({"easy-vqa"})
"""Benchmarks whose data comes with a package."""
_SERVED = re.compile(r"(?P<name>.+)@(?P<server>https?://.+)")


def deployments() -> dict[str, Deployment]:
    """The rows of ``deployments.csv``, shipped and added, by model."""
    folders = home.catalog_folders()
    paths = [path for folder in folders for path in catalog.files(folder, "deployments.csv")]
    rows = [row for path in paths for row in catalog.read(path, Deployment)]
    return {row.model: row for row in rows}


def deployment_of(model: str) -> Deployment:
    """How a model is run: its catalogue row, or what ADAPTER:NAME or ADAPTER:NAME@SERVER says.

    A server is an address such as ``http://localhost:8000/v1``; it gets no key (a row of
    ``deployments.csv`` can name the variable with one).

    Raises:
        UnknownName: It is neither.
    """
    known = deployments()
    if model in known:
        return known[model]
    kind, colon, name = model.partition(":")
    if kind == "answers" and name:
        own, given = answers.named(name)
        return Deployment(own, kind, json.dumps(given), "answers made elsewhere")
    if kind in ADAPTERS and (colon or not known):
        name, options = _options(kind, name)
        return Deployment(name or kind, kind, json.dumps(options), None)
    if model in ADAPTERS:
        return Deployment(model, model, "{}", None)
    near = difflib.get_close_matches(model, known, n=5, cutoff=0.5) or sorted(known)[:20]
    raise UnknownName(
        f"unknown model {model!r}; known: {', '.join(near)} and others "
        f"({len(known)} in deployments.csv); or {', '.join(f'{kind}:NAME' for kind in ADAPTERS)}"
    )


def _options(kind: str, name: str) -> tuple[str, dict[str, str]]:
    """A model's name without its server, and the options that both make."""
    field = "path" if kind in ("transformers", "remote-code") else "model"
    served = _SERVED.fullmatch(name)
    if served:
        return served["name"], {field: served["name"], "base_url": served["server"]}
    return name, {field: name} if name else {}


def benchmark_of(text: str) -> tuple[str, dict[str, Any], str]:
    """(loader, its options, the benchmark's id) of a name, NAME=PATH or a file.

    Raises:
        UnknownName: It is none of these.
    """
    name, equals, path = text.partition("=")
    if name in LOADERS:
        return name, _loader_options(name, path if equals else None), name
    if Path(text).exists():
        own = runs.slug(Path(text).stem)
        return "file", {"path": str(Path(text).resolve()), "name": own}, own
    raise UnknownName(
        f"unknown benchmark {text!r}; known: {', '.join(LOADERS)} (NAME=FOLDER where it needs "
        "one), or the path of a file of your own"
    )


def _loader_options(name: str, path: str | None) -> dict[str, Any]:
    """What a loader is given: a folder as it stands on this disk, a hub name as it is written."""
    if path is None:
        if name not in SHIPPED:
            raise BadInput(f"benchmark {name!r} needs its data: {name}=FOLDER")
        return {}
    return {"path": path if name == "hf" else str(Path(path).resolve())}
