"""Prints whether our predictions equal UniBench's own: ``python -m bench.unibench mnist=FOLDER``.

It needs the package unibench (0.4.0) in an environment of its own: its licence is non-commercial,
so it never stands among the requirements. The same random weights of a small model, pictures,
classes and templates go to both; UniBench's own classes do the rest: zero-shot with ten classes and
with two, one right caption among five, and Winoground's two pictures and two captions. Captions
name the digits; some items have equal captions, so that ties occur. What differs is counted beside
the fault of the published code that makes it differ.
"""

import argparse
import json
import logging
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.contrastive import MODEL
from bench.table import show
from evalcore.contrastive import models
from evalcore.contrastive.datasets import loaders
from evalcore.contrastive.encoder import Encoder
from evalcore.contrastive.evaluate import score
from evalcore.contrastive.pictures import Arrays
from evalcore.contrastive.task import Task

BATCH = 64


def main() -> None:
    """Compare item by item, on all pictures and on one fewer than fills the last batch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benchmark", help="mnist=FOLDER")
    parser.add_argument("--pictures", type=int, default=2_000)
    chosen = parser.parse_args()
    logging.disable(logging.WARNING)
    name, _, place = chosen.benchmark.partition("=")
    task = loaders.load(name, place)
    encoder = models.load(f"open_clip:{_config()}/random", device="cpu")
    pixels, labels = _pixels(task, encoder, chosen.pictures), task.labels[: chosen.pictures]
    ours = _ours(task, encoder, pixels, labels)
    rows = [("pictures", f"{len(pixels):,}")]
    theirs = _theirs(task, encoder, pixels, labels)
    for what in ("prediction", "correct"):
        same = int(np.sum(ours[what] == theirs[what]))
        rows.append((f"same {what}", f"{same:,} of {len(pixels):,}"))
    five = float(np.mean(theirs["five"]))
    rows.append(("right among five, ours and theirs", f"{ours['five']:.4f} and {five:.4f}"))
    gap = np.abs(ours["confidence"] - theirs["confidence"]).max()
    rows.append(("confidence differs by at most", f"{gap:.1e}"))
    rows.append(("a last batch of one, theirs", _last_of_one(task, encoder, pixels, labels)))
    show(f"{name}: our predictions beside UniBench's", ["", ""], rows)
    for title, found in (
        (
            "Two classes (of the digits the two that are guessed most)",
            _two_classes(task, encoder, pixels, labels),
        ),
        ("One right caption among five", _captions(task, encoder, pixels, labels)),
        ("Two pictures, two captions", _crosswise(task, encoder, pixels, labels)),
    ):
        show(title, ["", "", "why"], found)


def _config() -> Path:
    path = Path(tempfile.mkdtemp()) / "small-vit-b-32.json"
    path.write_text(json.dumps(MODEL), encoding="utf-8")
    return path


def _pixels(task: Task, encoder: Encoder, many: int) -> Any:
    return np.stack([encoder.transform.pixels(task.pictures[at]) for at in range(many)])


def _images(encoder: Encoder, pixels: Any) -> Any:
    parts = range(0, len(pixels), BATCH)
    return np.concatenate([encoder.images(pixels[at : at + BATCH]) for at in parts])


def _ours(task: Task, encoder: Encoder, pixels: Any, labels: Any) -> dict[str, Any]:
    """Our embeddings and our scores."""
    images = _images(encoder, pixels)
    found = score(encoder, replace(task, labels=labels), images, encoder.texts(task.prompts()))
    return {
        "prediction": found.guess,
        "correct": found.credit,
        "five": next(
            (one.value for one in found.metrics if one.name == "accuracy-top5"), float("nan")
        ),
        "confidence": found.confidence,
    }


def _theirs(task: Task, encoder: Encoder, pixels: Any, labels: Any) -> dict[str, Any]:
    """UniBench's model class and its handler, batch by batch."""
    import torch

    handler, model = _parts(task, encoder)
    found: dict[str, list[Any]] = {}
    for at in range(0, len(pixels), BATCH):
        batch = _normalised(encoder, pixels[at : at + BATCH])
        with torch.no_grad():
            told = handler.eval_batch(model, (batch, torch.as_tensor(labels[at : at + BATCH])))
        for ours, name in NAMES.items():
            # One number for all, which under five classes it is, becomes a column of their frame.
            column = np.broadcast_to(np.asarray(told[name]), len(batch))
            found.setdefault(ours, []).append(column)
    return {name: np.concatenate(parts) for name, parts in found.items()}


NAMES = {
    "prediction": "predictions",
    "correct": "correctness",
    "five": "correctness_top5",
    "confidence": "confidence",
}


def _parts(task: Task, encoder: Encoder) -> Any:
    from unibench.benchmarks_zoo.wrappers.bechmark_handler import ZeroShotBenchmarkHandler

    model = _their_model(encoder)
    handler = ZeroShotBenchmarkHandler(task.id, None, list(task.classes), list(task.templates))
    handler.on_validation_start(model)
    return handler, model


def _their_model(encoder: Encoder) -> Any:
    from unibench.models_zoo.wrappers.clip import ClipModel

    module = encoder.of_images.__self__  # type: ignore[attr-defined]
    return ClipModel(
        module, "small", device="cpu", tokenizer=encoder.tokens, logit_scale=module.logit_scale
    )


def _normalised(encoder: Encoder, pixels: Any) -> Any:
    import torch

    mean = torch.tensor(encoder.transform.mean).view(-1, 1, 1)
    std = torch.tensor(encoder.transform.std).view(-1, 1, 1)
    return (torch.from_numpy(pixels).float().div(255) - mean) / std


def _last_of_one(task: Task, encoder: Encoder, pixels: Any, labels: Any) -> str:
    import torch

    handler, model = _parts(task, encoder)
    one = (_normalised(encoder, pixels[:1]), torch.as_tensor(labels[:1]))
    return _raised(lambda: handler.eval_batch(model, one))


def _raised(call: Callable[[], Any]) -> str:
    try:
        call()
    except Exception as error:  # noqa: BLE001  whatever their code raises is the finding
        return f"{type(error).__name__}: {str(error).splitlines()[0][:60]}"
    return "goes through"


def _count(same: Any) -> str:
    return f"{int(np.sum(same)):,} of {len(same):,}"


def _two_classes(task: Task, encoder: Encoder, pixels: Any, labels: Any) -> list[Any]:
    import torch

    guessed = np.bincount(_ours(task, encoder, pixels, labels)["prediction"])
    one, other = np.argsort(guessed)[-2:]  # so that both of them are guessed
    few, truth = replace(task, classes=(task.classes[one], task.classes[other])), labels == other
    truth = truth.astype(np.int64)
    ours, theirs = _ours(few, encoder, pixels, truth), _theirs(few, encoder, pixels, truth)
    theirs_right = theirs["prediction"] == truth
    handler, model = _parts(few, encoder)
    shown = (_normalised(encoder, pixels[:BATCH]), torch.eye(2, dtype=torch.int64)[truth[:BATCH]])
    several = _raised(lambda: handler.eval_batch(model, shown))
    position = "under five classes theirs is a place in the batch"
    return [
        ("same correct", _count(ours["correct"] == theirs["correct"]), ""),
        ("same prediction", _count(ours["prediction"] == theirs["prediction"]), position),
        ("theirs agrees with itself", _count(theirs_right == theirs["correct"]), position),
        ("their top five right", _count(theirs["five"] == 1), "set to 1 under five classes"),
        ("several labels a picture, theirs", several, "five are asked for of two"),
    ]


WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TIED = 20
"""Each so manieth item has the same caption five times."""


def _captions(task: Task, encoder: Encoder, pixels: Any, labels: Any) -> list[Any]:
    """The right caption first, as in UniBench's data."""
    said = [
        tuple(
            f"a photo of the number {WORDS[(label + (0 if at % TIED == 0 else k)) % 10]}"
            for k in range(5)
        )
        for at, label in enumerate(map(int, labels))
    ]
    asked = replace(
        task, classes=(), labels=None, captions=tuple(said), right=np.zeros(len(said), np.int64)
    )
    ours = score(
        encoder,
        asked,
        _images(encoder, pixels),
        encoder.texts([one for all_ in said for one in all_]),
    )
    theirs = _their_relation(encoder, [pixels], said)
    decided = ~asked.undecidable()
    differs = (ours.credit != theirs["correctness"]) & decided
    plain, untied = differs & ~ours.tied, decided & ~ours.tied
    cosine = np.abs(theirs["confidence"] - _best(encoder, pixels, said)).max()
    last = _raised(lambda: _their_relation(encoder, [pixels[:1]], said[:1]))
    return [
        ("a wrong caption equals the right one", f"{int((~decided).sum())}", "no score, ours"),
        ("same correct among the others", _count(~differs[decided]), ""),
        ("of these without a tie", _count(~differs[untied]), ""),
        ("they differ at a tie", _count(differs[ours.tied]), "a tie counts as right"),
        ("they differ elsewhere", f"{int(plain.sum())}", "" if not plain.any() else "not known"),
        ("accuracy, ours", f"{ours.metrics[0].value:.4f}", "a tie among k is worth 1/k"),
        ("accuracy, theirs", f"{theirs['correctness'].mean():.4f}", "a tie is worth 1"),
        ("their confidence less the best cosine", f"{cosine:.1e}", "no probability"),
        (
            "median confidence, ours",
            f"{np.nanmedian(ours.confidence):.3f}",
            "softmax of the logits",
        ),
        ("median entropy, theirs", f"{np.median(theirs['entropy']):.4f}", "of raw cosines"),
        ("a last batch of one, theirs", last, ""),
    ]


def _crosswise(task: Task, encoder: Encoder, pixels: Any, labels: Any) -> list[Any]:
    """Two pictures that follow each other, and the caption of each; equal digits are ties."""
    many = len(pixels) // 2
    digits, pixels = labels[: 2 * many].reshape(many, 2), pixels[: 2 * many]
    said = [tuple(f"a photo of the number {WORDS[one]}" for one in pair) for pair in digits]
    asked = replace(
        task,
        classes=(),
        labels=None,
        captions=tuple(said),
        pairs=True,
        pictures=Arrays(task.pictures.data[: 2 * many]),  # type: ignore[attr-defined]
    )
    texts = encoder.texts([one for pair in said for one in pair])
    ours = score(encoder, asked, _images(encoder, pixels), texts)
    theirs = _their_relation(encoder, [pixels[::2], pixels[1::2]], said)
    decided = ~asked.undecidable()
    untied = decided & ~ours.tied
    rows = [("both captions are equal", f"{int((~decided).sum())}", "no score, ours")]
    for name, key in (
        ("text", "text_correctness"), ("image", "image_correctness"), ("group", "correctness"),
    ):  # fmt: skip
        same = ours.extra[name] == theirs[key]
        rows += [
            (f"{name}: same, without a tie", _count(same[untied]), ""),
            (f"{name}: same, at a tie", _count(same[ours.tied]), "theirs wrong, ours by lot"),
        ]
    last = _raised(lambda: _their_relation(encoder, [pixels[:1], pixels[1:2]], said[:1]))
    return [*rows, ("a last batch of one, theirs", last, "squeezed away")]


def _their_relation(encoder: Encoder, pictures: list[Any], said: list[Any]) -> dict[str, Any]:
    """UniBench's handler, batch by batch: captions as its loader gives them, place by place."""
    import torch
    from unibench.benchmarks_zoo.wrappers.bechmark_handler import RelationBenchmarkHandler

    handler, model = RelationBenchmarkHandler("relation", None), _their_model(encoder)
    found: dict[str, list[Any]] = {}
    for at in range(0, len(said), BATCH):
        shown = [_normalised(encoder, one[at : at + BATCH]) for one in pictures]
        told = [list(place) for place in zip(*said[at : at + BATCH], strict=True)]
        names = list(range(at, at + len(told[0])))
        with torch.no_grad():
            given = handler.eval_batch(model, (shown[0] if len(shown) == 1 else shown, told, names))
        for name, values in given.items():
            if name not in ("image_name", "benchmark_name"):
                column = np.broadcast_to(np.asarray(values), len(names))  # one item has no axis
                found.setdefault(name, []).append(column)
    return {name: np.concatenate(parts) for name, parts in found.items()}


def _best(encoder: Encoder, pixels: Any, said: list[Any]) -> Any:
    """The largest cosine of each item."""
    texts = encoder.texts([one for all_ in said for one in all_]).reshape(len(said), 5, -1)
    return (_images(encoder, pixels)[:, None] * texts).sum(axis=2).max(axis=1)


if __name__ == "__main__":
    main()
