"""Trains the toy whose digit study ships in ``precomputed/runs``, runs the study, and seals it.

    python -m scripts.demo_digits MNIST_FOLDER

MNIST_FOLDER holds MNIST's test files (idx, gzip or not); the first 1,000 pictures are read. The toy
is a CLIP of three layers that sees scikit-learn's 1,797 digits (8 x 8 pixels, written by people at
Boğaziçi University) with captions, three of four of them in words. It has seen neither a picture of
MNIST nor a sentence of the study. Needs scikit-learn, which nothing else here does. Everything is
seeded and counted in steps, on one thread.
"""

import argparse
import json
import os
import shutil
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import open_clip
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn

from evalcore import home
from evalcore.contrastive import digits, record
from evalcore.contrastive.cache import Cache
from evalcore.contrastive.datasets import loaders
from evalcore.contrastive.evaluate import Evaluator
from evalcore.contrastive.pictures import Arrays
from evalcore.contrastive.task import Task
from evalcore.engine.runs import Run

MODEL, PICTURES = "demo-clip", 1000
KEPT = ("run.json", "predictions.parquet", record.SCORES)
STEPS, BATCH, RATE = 600, 128, 1e-3
SIDE, INK = 28, 20
"""Pixels of a picture, and of the box that its digit fills, as in MNIST."""
CONFIG = {
    "embed_dim": 64,
    "vision_cfg": {
        "image_size": SIDE, "layers": 3, "width": 64, "patch_size": 7, "head_width": 16,
    },
    "text_cfg": {"context_length": 24, "vocab_size": 49408, "width": 64, "heads": 4, "layers": 2},
}  # fmt: skip
CAPTIONS = (
    "a handwritten {}", "the number {}", "digit {}", "someone wrote {} on paper",
    "{} in white on black", "a small picture of the figure {}",
)  # fmt: skip
WORDS_OF_4 = 3
"""How many of four captions name the digit by its word, the others by its figure."""


def main() -> None:
    """Train, run, and put the sealed runs in the place of the former ones."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("mnist", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"EVALCORE_HOME": folder, "HF_HUB_OFFLINE": "1"}
        spec = _trained(Path(folder))
        evaluator = Evaluator(device="cpu", cache=Cache(limit=0))
        evaluator.add_model(spec, MODEL)
        evaluator.add_benchmark(_pictures(given.mnist), prompts=digits.sets("mnist"))
        found = evaluator.evaluate()
        target = home.shipped_runs_folder()
        for old in target.glob(f"{MODEL}--mnist--*"):
            shutil.rmtree(old)
        for name in found["run"]:
            _ship(Run(home.runs_folder() / name), target / name)
    print(digits.table(found).to_string())


def _pictures(folder: Path) -> Task:
    """The first pictures of MNIST; without a path, which differs from machine to machine."""
    whole = loaders.load("mnist", str(folder))
    assert isinstance(whole.pictures, Arrays)
    first = Arrays(whole.pictures.data[:PICTURES])
    return replace(whole, pictures=first, labels=whole.labels[:PICTURES], source={})


def _ship(run: Run, folder: Path) -> None:
    """Copy what the store and the pages read; the pictures stay where they are."""
    (folder / "facts").mkdir(parents=True)
    for name in KEPT:
        shutil.copy(run.folder / name, folder / name)
    shutil.copytree(run.folder / "verdicts", folder / "verdicts")
    rows = (run.folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
    known = [{k: v for k, v in json.loads(row).items() if v is not None} for row in rows]
    items = [json.dumps(row, separators=(",", ":")) for row in known]
    (folder / "items.jsonl").write_text("\n".join(items) + "\n", encoding="utf-8")
    lines = [json.dumps(asdict(fact) | {"worker": 0}) for fact in run.facts("model")]
    (folder / "facts" / "shipped.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _trained(folder: Path) -> str:
    """Train the toy; returns it as one would name it to ``python -m evalcore digits``."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    config, weights = folder / f"{MODEL}.json", folder / f"{MODEL}.pt"
    config.write_text(json.dumps(CONFIG), encoding="utf-8")
    open_clip.add_model_config(config)
    model, _, _ = open_clip.create_model_and_transforms(MODEL)
    tokens = open_clip.get_tokenizer(MODEL)
    held = load_digits()
    drawn = torch.tensor(held.images, dtype=torch.float32)[:, None] / 16
    right = torch.tensor(held.target)
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=0.05)
    model.train()
    for step in range(STEPS):
        rows = torch.randint(len(drawn), (BATCH,))
        loss = _loss(model, tokens, _seen(drawn[rows]), right[rows])
        optimizer.param_groups[0]["lr"] = RATE * min(1, step / 50) * (1 - 0.95 * step / STEPS)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            model.logit_scale.clamp_(max=4.6)  # CLIP's own limit, 100
        if step % 100 == 0:
            print(f"step {step} of {STEPS}, loss {loss.item():.3f}", flush=True)
    torch.save(model.state_dict(), weights)
    return f"open_clip:{config}/{weights}"


def _loss(model: Any, tokens: Any, pictures: Tensor, right: Tensor) -> Tensor:
    """How surely each picture finds its caption among one of each digit."""
    in_words = torch.randint(4, ()) < WORDS_OF_4
    names = digits.NUMBERS[:10] if in_words else [str(one) for one in range(10)]
    caption = CAPTIONS[int(torch.randint(len(CAPTIONS), ()))]
    said = model.encode_text(tokens([caption.format(name) for name in names]), normalize=True)
    seen = model.encode_image(pictures, normalize=True)
    return nn.functional.cross_entropy(model.logit_scale.exp() * seen @ said.T, right)


def _seen(drawn: Tensor) -> Tensor:
    """Digits (n, 1, 8, 8) turned, stretched and moved a little, as CLIP takes pictures."""
    n = len(drawn)
    large = nn.functional.interpolate(drawn, (INK, INK), mode="bicubic").clamp(0, 1)
    large = nn.functional.pad(large, [(SIDE - INK) // 2] * 4)
    turn, shear = (torch.rand(2, n) - 0.5) * 0.6
    wide, high = 0.85 + 0.4 * torch.rand(2, n)
    moved = (torch.rand(2, n) - 0.5) * 0.3
    rows = [
        torch.stack([turn.cos() * wide, shear - turn.sin(), moved[0]], 1),
        torch.stack([turn.sin(), turn.cos() * high, moved[1]], 1),
    ]
    grid = nn.functional.affine_grid(torch.stack(rows, 1), [n, 1, SIDE, SIDE], align_corners=False)
    grey = nn.functional.grid_sample(large, grid, align_corners=False)
    mean, spread = (
        torch.tensor(one).view(3, 1, 1)
        for one in (open_clip.OPENAI_DATASET_MEAN, open_clip.OPENAI_DATASET_STD)
    )
    return (grey - mean) / spread


if __name__ == "__main__":
    main()
