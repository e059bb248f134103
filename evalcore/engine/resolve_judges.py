"""Judges by the words that a person types, and those that a benchmark is judged by unasked."""

import inspect
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evalcore import home, judges
from evalcore.engine.resolve import deployment_of
from evalcore.errors import BadInput, ModelUnavailable
from evalcore.judges.cache import VerdictCache
from evalcore.judges.goeval import FORMS
from evalcore.judges.setup import Setup
from evalcore.models import ADAPTERS
from evalcore.models.chat import Chat
from evalcore.records import Deployment, Item, Judge

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
        made = judges.make(name, setup)
        if equals:
            raise BadInput(f"judge {name!r} asks no model; name it without '={asked}'")
        return made
    deployment = deployment_of(asked)
    kind = ADAPTERS[deployment.adapter]
    if not (isinstance(kind, type) and issubclass(kind, Chat)):
        raise BadInput(
            f"judge {name!r}: {asked!r} cannot be asked; take openai:NAME or gemini:NAME"
        )
    given = {**asked_with(name, deployment), **options}
    if foreign := given.keys() - inspect.signature(kind).parameters.keys():
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
