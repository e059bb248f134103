"""Prints whether our predictions equal UniBench's own: ``python -m bench.unibench mnist=FOLDER``.

It needs the package unibench (0.4.0) in an environment of its own: its licence is non-commercial,
so it never stands among the requirements. The same random weights of a small model, pictures,
classes and templates go to both; UniBench's own classes do the rest.
"""

import argparse
import json
import logging
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bench.contrastive import MODEL
from bench.table import show
from evalcore.contrastive import loaders, models
from evalcore.contrastive.encoder import Encoder
from evalcore.contrastive.evaluate import score
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


def _config() -> Path:
    path = Path(tempfile.mkdtemp()) / "small-vit-b-32.json"
    path.write_text(json.dumps(MODEL), encoding="utf-8")
    return path


def _pixels(task: Task, encoder: Encoder, many: int) -> Any:
    return np.stack([encoder.transform.pixels(task.pictures[at]) for at in range(many)])


def _ours(task: Task, encoder: Encoder, pixels: Any, labels: Any) -> dict[str, Any]:
    """Our embeddings and our scores."""
    from dataclasses import replace

    images = np.concatenate(
        [encoder.images(pixels[at : at + BATCH]) for at in range(0, len(pixels), BATCH)]
    )
    found = score(encoder, replace(task, labels=labels), images, encoder.texts(task.prompts()))
    return {
        "prediction": found.guess,
        "correct": found.credit,
        "five": next(one.value for one in found.metrics if one.name == "accuracy-top5"),
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
            found.setdefault(ours, []).append(np.asarray(told[name]))
    return {name: np.concatenate(parts) for name, parts in found.items()}


NAMES = {
    "prediction": "predictions",
    "correct": "correctness",
    "five": "correctness_top5",
    "confidence": "confidence",
}


def _parts(task: Task, encoder: Encoder) -> Any:
    from unibench.benchmarks_zoo.wrappers.bechmark_handler import ZeroShotBenchmarkHandler
    from unibench.models_zoo.wrappers.clip import ClipModel

    module = encoder.of_images.__self__  # type: ignore[attr-defined]
    model = ClipModel(
        module, "small", device="cpu", tokenizer=encoder.tokens, logit_scale=module.logit_scale
    )
    handler = ZeroShotBenchmarkHandler(task.id, None, list(task.classes), list(task.templates))
    handler.on_validation_start(model)
    return handler, model


def _normalised(encoder: Encoder, pixels: Any) -> Any:
    import torch

    mean = torch.tensor(encoder.transform.mean).view(-1, 1, 1)
    std = torch.tensor(encoder.transform.std).view(-1, 1, 1)
    return (torch.from_numpy(pixels).float().div(255) - mean) / std


def _last_of_one(task: Task, encoder: Encoder, pixels: Any, labels: Any) -> str:
    import torch

    handler, model = _parts(task, encoder)
    try:
        handler.eval_batch(model, (_normalised(encoder, pixels[:1]), torch.as_tensor(labels[:1])))
    except Exception as error:  # noqa: BLE001  whatever their code raises is the finding
        return f"{type(error).__name__}: {str(error).splitlines()[0][:60]}"
    return "goes through"


if __name__ == "__main__":
    main()
