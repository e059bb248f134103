"""What the names mean that a person types: a model, or a benchmark."""

import difflib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalcore import catalog, files, home, judges, messages
from evalcore.benchmarks import LOADERS
from evalcore.engine import runs
from evalcore.errors import BadInput, ModelUnavailable, UnknownName
from evalcore.judges.cache import VerdictCache
from evalcore.judges.goeval import FORMS
from evalcore.judges.setup import Setup
from evalcore.models import ADAPTERS, adapter_options, answers
from evalcore.models.chat import Chat
from evalcore.models.prompt import INSTRUCTION
from evalcore.participants import Judge
from evalcore.records import Deployment, Item

SHIPPED = frozenset({"easy-vqa"})
"""Benchmarks whose data comes with a package."""
BASELINES = frozenset(kind for kind, adapter in ADAPTERS.items() if not adapter.needs_name)
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
    return ADAPTERS[kind].calls_api


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


AUTHORS = frozenset({"gpt-4o", "gpt-4o-mini"})
"""The judges of the VQA360 paper."""
AS_THEY_DID: dict[str, Any] = {"image_size": 224, "keep_shape": True, "max_tokens": 10}
"""How its authors ask them (``src/metrics/go_eval.py`` of their repository)."""
OTHERWISE: dict[str, Any] = {"image_size": 512, "keep_shape": True}
"""Other judges see more, and have room to think."""
DEFAULT = {
    "easy-vqa": ("exact",),
    "vqa360": ("goeval-ref-image=gpt-4o-mini",),
    "mm-vet-v2": ("mmvet=gpt-6-luna",),
}
"""Benchmarks that come with a way of judging. VQA360: the paper's GoEval-mini. MM-Vet v2: by our
table and a model of today, since the GPT-4 that its authors asked can no longer be called."""
LIKELY = (("gpt-4o-mini", "OPENAI_API_KEY"), ("gemini-3.8-flash", "GEMINI_API_KEY"))
"""Models that judge other benchmarks, and the keys that make them available; the first wins."""
MANY = 10
"""So many references an item are people's votes, for which VQA accuracy is made."""


def judges_of(
    specs: Sequence[str],
    *,
    prompt_file: str | Path | None = None,
    encoder: str | Path | None = None,
    layer: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> list[Judge]:
    """The judges by name; one that asks a model says which: ``goeval-ref-image=gpt-4o-mini``.

    Args:
        specs: NAME, or NAME=MODEL with a model as ``resolve.deployment_of`` knows it; a server of
            one's own stands behind it: ``goeval-ref-noimage=openai:NAME@http://localhost:8000/v1``.
        prompt_file: Another table for MM-Vet grading.
        encoder: The local folder of the encoder of similarity judges.
        layer: The encoder's layer that BERTScore compares.
        options: More options for every model that is asked, such as its prices.

    Raises:
        UnknownName: No such judge or model; the message lists them.
        BadInput: A judge that asks a model was given none, or an option that it does not have.
        ModelUnavailable: There is no key for that model, or an encoder or a package is missing.
    """
    setup = Setup(
        prompt_file=Path(prompt_file) if prompt_file else None,
        encoder=Path(encoder) if encoder else None,
        layer=layer,
    )
    return [_judge(*spec.partition("="), setup, options or {}) for spec in specs]


def check_names(specs: Sequence[str]) -> None:
    """Make sure that judges are known, and the models that they ask, before any is made.

    Raises:
        UnknownName: One is not.
    """
    for spec in specs:
        name, equals, asked = spec.partition("=")
        if name not in judges.JUDGES:
            judges.make(name)
        elif equals and name in judges.ASKED:
            deployment_of(asked)


def default_judges(benchmark: str, items: Sequence[Item] = ()) -> tuple[str, ...]:
    """Who judges a benchmark if nobody is named, in words for ``judges_of``.

    In this order: what the benchmark comes with; the choice, where every item offers some; GoEval
    with references and without picture, which agrees with people best in the VQA360 authors' own
    table, if there is a key for a model to ask (without any references: with the picture); VQA
    accuracy where items have ten references; the same words.

    Args:
        benchmark: Its id.
        items: Its items, as far as they are known.
    """
    if benchmark in DEFAULT:
        return DEFAULT[benchmark]
    if items and all(item.choices for item in items):
        return ("choice",)
    form = "ref-noimage" if not items or any(item.answers for item in items) else "noref-image"
    for model, key in LIKELY:
        if os.environ.get(key, "").strip():
            return (f"goeval-{form}={model}",)
    return ("vqa-accuracy" if any(len(item.answers) >= MANY for item in items) else "normalised",)


def _judge(name: str, equals: str, asked: str, setup: Setup, options: Mapping[str, Any]) -> Judge:
    if not equals or name not in judges.ASKED:
        judge = judges.make(name, setup)
        if equals:
            raise BadInput(f"judge {name!r} asks no model; name it without '={asked}'")
        return judge
    deployment = deployment_of(asked)
    kind = ADAPTERS[deployment.adapter]
    if not issubclass(kind, Chat):
        raise BadInput(
            f"judge {name!r}: {asked!r} cannot be asked; take openai:NAME or gemini:NAME"
        )
    given = {**asked_with(name, deployment), **options}
    if foreign := given.keys() - set(adapter_options(deployment.adapter)):
        raise BadInput(f"judge {name!r}: {asked!r} has no option {min(foreign)!r}")
    try:
        model = kind(**given)
        model.require_key()
    except BadInput as error:
        raise BadInput(f"judge {name!r}: {error}") from None
    except ModelUnavailable as error:
        raise ModelUnavailable(f"judge {name!r}: {error}, or take another judge") from None
    cache = VerdictCache(home.home() / "verdicts.jsonl")
    return judges.make(name, replace(setup, asker=model, cache=cache))


def asked_with(judge: str, deployment: Deployment) -> dict[str, Any]:
    """A model's own options, and how it is asked as a judge."""
    own: dict[str, Any] = json.loads(deployment.options)
    authors = judge in FORMS and own.get("model") in AUTHORS and "base_url" not in own
    return {**own, **(AS_THEY_DID if authors else OTHERWISE)}
