"""What the names mean that a person types: a model, or a benchmark."""

import difflib
import json
import re
from pathlib import Path
from typing import Any

from evalcore import catalog, files, home, messages
from evalcore.benchmarks import LOADERS
from evalcore.engine import runs
from evalcore.errors import BadInput, UnknownName
from evalcore.models import ADAPTERS, answers
from evalcore.models.baselines import Baseline
from evalcore.models.chat import Chat
from evalcore.models.prompt import INSTRUCTION
from evalcore.records import Deployment

SHIPPED = frozenset({"easy-vqa"})
"""Benchmarks whose data comes with a package."""
BASELINES = frozenset(
    kind for kind, made in ADAPTERS.items() if isinstance(made, type) and issubclass(made, Baseline)
)
"""Adapters that answer without a model, so that nothing is named behind them."""
SPELLINGS = "a known name, openai:NAME, gemini:NAME, transformers:FOLDER or answers:FILE"
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
        BadInput: The name is empty or no name, or the address none.
    """
    model = messages.checked(model, "model", SPELLINGS)
    known = deployments()
    if model in known:
        return known[model]
    kind, colon, name = (part.strip() for part in model.partition(":"))
    if kind in ADAPTERS:
        _check_named(kind, name, model)
    if kind == "answers" and name:
        own, given = answers.named(name)
        return Deployment(own, kind, json.dumps(given), "answers made elsewhere")
    if kind in ADAPTERS:
        name, options = _options(kind, name)
        return Deployment(name or kind, kind, json.dumps(options), None)
    near = difflib.get_close_matches(model, known, n=5, cutoff=0.5) or sorted(known)[:20]
    raise UnknownName(
        f"unknown model {messages.shown(model)}; known: {', '.join(near)} and others "
        f"({len(known)} in deployments.csv); or {', '.join(f'{kind}:NAME' for kind in ADAPTERS)}"
    )


def _check_named(kind: str, name: str, model: str) -> None:
    """Make sure that a name stands behind an adapter's where it takes one, and only there."""
    takes = kind not in BASELINES
    if takes and not name:
        raise BadInput(f"model {model!r} names nothing behind {kind!r}; it should be {kind}:NAME")
    if name and not takes:
        raise BadInput(f"model {messages.shown(model)}: {kind!r} takes no name; write {kind}")


def _options(kind: str, name: str) -> tuple[str, dict[str, str]]:
    """A model's name without its server, and the options that both make."""
    if not is_chat(kind):
        return name, {"path": name} if name else {}
    # As local models are asked: who carries a question changes nothing of it.
    how = {"instruction": INSTRUCTION}
    served = _SERVED.fullmatch(name)
    if not served and "://" in name:
        raise BadInput(f"model {messages.shown(name)}: a server is written NAME@{messages.ADDRESS}")
    if not served:
        return name, {"model": name, **how} if name else {}
    own, address = served["name"].strip(), served["server"]
    messages.server(address, f"model {own!r}")
    return own, {"model": own, "base_url": address, **how}


def is_chat(kind: str) -> bool:
    """Whether an adapter asks models behind an API."""
    made = ADAPTERS[kind]
    return isinstance(made, type) and issubclass(made, Chat)


def benchmark_of(text: str) -> tuple[str, dict[str, Any], str]:
    """(loader, its options, the benchmark's id) of a name, NAME=PATH or a file.

    Raises:
        UnknownName: It is none of these.
    """
    text = messages.checked(text, "benchmark", "a known name, NAME=FOLDER or the path of a file")
    name, equals, path = text.partition("=")
    if name in LOADERS:
        return name, _loader_options(name, path if equals else None), name
    if files.there(Path(text)):
        own = runs.slug(Path(text).stem)
        return "file", {"path": str(files.whole(Path(text))), "name": own}, own
    raise UnknownName(
        f"unknown benchmark {messages.shown(text)}; known: {', '.join(LOADERS)} (NAME=FOLDER where "
        "it needs one), or the path of a file of your own"
    )


def _loader_options(name: str, path: str | None) -> dict[str, Any]:
    """What a loader is given: a folder as it stands on this disk, a hub name as it is written."""
    if path is None:
        if name not in SHIPPED:
            raise BadInput(f"benchmark {name!r} needs its data: {name}=FOLDER")
        return {}
    path = messages.checked(path, f"benchmark {name!r}: its data", f"{name}=FOLDER")
    return {"path": path if name == "hf" else str(files.whole(Path(path)))}
