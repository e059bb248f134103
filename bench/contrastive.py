"""Prints how fast zero-shot runs are beside clip-benchmark's: ``python -m bench.contrastive``.

    python -m bench.contrastive mnist=FOLDER [--pairs 3] [--pictures 10000]
    python -m bench.contrastive --photographs 1000 [--pairs 3]

For the first clip-benchmark is needed, in an environment of its own. The second makes JPEG files of
500 x 375 (noise at several scales) and prints what kept pictures save a second model, in seconds
and in processor time of all threads, which other programs do not lengthen.

Ours and theirs run in turn, in processes of their own, on the same pictures, templates and random
weights of a small model; what other programs take of the cores meanwhile counts in both, so the
load stands in the title. Without a folder, or without clip-benchmark, only the memory is printed:
1,000,000 x 5,089 classes, as many as iNaturalist has, scored in blocks.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from bench.table import ms, show
from evalcore.contrastive import digits, scoring
from evalcore.contrastive.datasets import loaders
from evalcore.contrastive.pictures import Arrays
from evalcore.contrastive.scoring import Scale
from evalcore.contrastive.task import Task

MODEL = {
    "embed_dim": 256,
    "vision_cfg": {"image_size": 224, "layers": 2, "width": 192, "patch_size": 32},
    "text_cfg": {
        "context_length": 77, "vocab_size": 49408, "width": 128, "heads": 4, "layers": 2,
    },
}  # fmt: skip
"""A ViT-B/32 in small: the same patches of the same pictures, 2 layers of 192."""
PAIRS = 3
LONG_AND_SHORT = (0, 2)
"""Of the digit study's sets: word labels with ten sentences each, and with one."""
PICTURES, CLASSES, WIDTH, PART = 1_000_000, 5_089, 64, 100_000


def main() -> None:
    """Compare with clip-benchmark if it is there, then print the memory of a large run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("benchmark", nargs="?", help="mnist=FOLDER")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--pictures", type=int, help="only the first so many")
    parser.add_argument("--photographs", type=int, help="so many JPEG files instead")
    parser.add_argument("--no-memory", action="store_true", help="without the large run")
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(ROLES[chosen.one](_task(chosen.benchmark, chosen.pictures))))
        return
    if chosen.benchmark:
        _compared(chosen.benchmark, chosen.pairs, chosen.pictures)
    if chosen.photographs:
        _of_photographs(chosen.photographs, chosen.pairs)
    elif not chosen.no_memory:
        _large()


def _task(benchmark: str, pictures: int | None) -> Task:
    """The benchmark, or its first pictures."""
    name, _, place = benchmark.partition("=")
    whole = loaders.load(name, place)
    data = getattr(whole.pictures, "data", None)
    if pictures is None or data is None:
        return whole
    return replace(whole, pictures=Arrays(data[:pictures]), labels=whole.labels[:pictures])


def _compared(benchmark: str, pairs: int, pictures: int | None) -> None:
    """Both in turn, each time from nothing."""
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(pairs):
            ours.append(_in_process("ours", benchmark, pictures, Path(folder) / str(number)))
            theirs.append(_in_process("theirs", benchmark, pictures, Path(folder)))
    rows = [
        (name, *(f"{one[key]:.2f}" for one in many), f"{_median(many, key):.2f}")
        for name, many, key in (
            ("ours, first run", ours, "first"),
            ("clip-benchmark, every run", theirs, "first"),
            ("ours, a second prompt set of 10 texts", ours, "second"),
            ("ours, a third of 100 texts", ours, "third"),
        )
    ]
    title = f"Seconds for {benchmark.partition('=')[0]}, load {os.getloadavg()[0]:.1f}"
    show(title, ["", *(f"run {n + 1}" for n in range(pairs)), "median"], rows)
    same = np.array(ours[-1]["guesses"]) == np.array(theirs[-1]["guesses"])
    again = np.array(ours[-1]["guesses_2"]) == np.array(theirs[-1]["guesses_2"])
    first, peer = _median(ours, "first"), _median(theirs, "first")
    second, again_peer = _median(ours, "second"), _median(theirs, "second")
    facts = [
        ("predictions equal item by item", f"{same.sum()} of {len(same)}"),
        ("the same with the second prompt set", f"{again.sum()} of {len(again)}"),
        ("first run, clip-benchmark / ours", f"{peer / first:.2f} x"),
        ("second prompt set, clip-benchmark / ours", f"{again_peer / second:.0f} x"),
        ("ours, second prompt set", ms(second)),
        ("bf16 instead of fp32 changes predictions", ours[-1]["flips"]),
    ]
    show("Side by side", ["", ""], facts)
    _saved(ours, f"{len(same):,} pictures of {benchmark.partition('=')[0]}")


def _of_photographs(many: int, pairs: int) -> None:
    """The same of JPEG files, whose decoding costs what photographs' does."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "photographs"
        _photographs(place, many)
        found = [
            _in_process("kept", f"photographs={place}", None, Path(folder) / str(number))
            for number in range(pairs)
        ]
    _saved(found, f"{many:,} JPEG files of 500 x 375")


def _photographs(place: Path, many: int) -> None:
    rng = np.random.default_rng(0)
    for number in range(many):
        parts = [rng.integers(0, 256, (6 * k, 8 * k, 3), np.uint8) for k in (1, 4, 16)]
        grown = [np.asarray(Image.fromarray(one).resize((500, 375)), np.uint16) for one in parts]
        file = place / str(number % 2) / f"{number}.jpg"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray((sum(grown) // 3).astype(np.uint8)).save(file, quality=90)


def _saved(many: list[dict[str, Any]], what: str) -> None:
    """What a second model is spared, wall clock and processor apart."""
    steps = [
        ("first run, pictures kept", "first"),
        ("second model, without kept pictures", "cold"),
        ("second model, with them", "kept"),
    ]
    rows = [
        (name, f"{_median(many, key):.2f} s", f"{_median(many, f'{key}_cpu'):.2f} s")
        for name, key in steps
    ]
    shares = [_shares(many, ending) for ending in ("", "_cpu")]
    rows.append(("saved of a second model's run", *shares))
    last = many[-1]
    flips = f"{last['kept_flips']} of {last['pictures']}"
    rows.append(("predictions that kept pictures change", flips, ""))
    rows.append(("pictures decoded with them", last["decoded"], ""))
    show(
        f"A second model on {what}, load {os.getloadavg()[0]:.1f}", ["", "wall", "processor"], rows
    )


def _shares(many: list[dict[str, Any]], ending: str) -> str:
    """The median over the runs, each of which did both in turn, and its range."""
    found = sorted(100 * (1 - one[f"kept{ending}"] / one[f"cold{ending}"]) for one in many)
    return f"{statistics.median(found):.0f} % ({found[0]:.0f} to {found[-1]:.0f})"


def _in_process(role: str, benchmark: str, pictures: int | None, home: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.contrastive", benchmark, "--one", role]
    command += [] if pictures is None else ["--pictures", str(pictures)]
    done = subprocess.run(
        command,
        env={**os.environ, "EVALCORE_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{role}: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _median(many: list[dict[str, Any]], key: str) -> float:
    return statistics.median(one[key] for one in many)


def _config() -> Path:
    folder = Path(tempfile.mkdtemp())
    (folder / "small-vit-b-32.json").write_text(json.dumps(MODEL), encoding="utf-8")
    return folder / "small-vit-b-32.json"


def _timed(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """Seconds, seconds of all the process's threads, and what came of it."""
    began, worked = time.perf_counter(), time.process_time()
    found = call()
    return time.perf_counter() - began, time.process_time() - worked, found


def _run(encoder: Any, task: Task, cache: Any = None) -> Any:
    from evalcore.contrastive.evaluate import Evaluator

    return Evaluator(cache=cache).add_model(encoder).add_benchmark(task).outcomes()[0]


def _kept(task: Task) -> dict[str, Any]:
    """A first model, then a second one with the pictures that it left, and without."""
    from evalcore.contrastive import models
    from evalcore.contrastive.cache import Cache
    from evalcore.contrastive.encoder import fingerprint

    spec = f"open_clip:{_config()}/random"
    model, other = models.load(spec), models.load(spec)
    other.name, other.fingerprint = "other", fingerprint(_module(other), "another")
    first, first_cpu, outcome = _timed(lambda: _run(model, task))
    kept, kept_cpu, shown = _timed(lambda: _run(other, task))
    said = _guesses(shown)
    cold, cold_cpu, fresh = _timed(lambda: _run(other, task, Cache(limit=0)))
    return {
        "first": first,
        "first_cpu": first_cpu,
        "kept": kept,
        "kept_cpu": kept_cpu,
        "cold": cold,
        "cold_cpu": cold_cpu,
        "decoded": shown.decoded,
        "pictures": len(task),
        "guesses": _guesses(outcome),
        "kept_flips": sum(a != b for a, b in zip(said, _guesses(fresh), strict=True)),
    }


def _ours(task: Task) -> dict[str, Any]:
    """Our own first run, second model, and second prompt set, the models loaded before."""
    from evalcore.contrastive import models

    found = _kept(task)
    spec = f"open_clip:{_config()}/random"
    model, half = models.load(spec), models.load(spec, precision="bf16")
    long, new = (digits.sets(task.id)[at] for at in LONG_AND_SHORT)
    second, _, again = _timed(lambda: _run(model, task.with_prompts(new.classes, new.templates)))
    said = _guesses(again)
    third, _, _ = _timed(lambda: _run(model, task.with_prompts(long.classes, long.templates)))
    in_half = _guesses(_run(half, task))
    return found | {
        "second": second,
        "third": third,
        "guesses_2": said,
        "flips": sum(a != b for a, b in zip(found["guesses"], in_half, strict=True)),
    }


def _module(encoder: Any) -> Any:
    return encoder.of_images.__self__


def _guesses(outcome: Any) -> list[str]:
    from evalcore.engine.runs import Run
    from evalcore.home import runs_folder

    run = Run(runs_folder() / outcome.run)
    said = run.predictions()
    return [str(said[item.id].text) for item in run.items()]


def _theirs(task: Task) -> dict[str, Any]:
    """clip-benchmark's classifier and run functions on torchvision's data set, as its command."""
    import open_clip
    import torch
    from clip_benchmark.metrics import zeroshot_classification as peer

    from evalcore.contrastive import models

    path = _config()
    open_clip.add_model_config(path)
    torch.manual_seed(models.SEED)
    model, _, preprocess = open_clip.create_model_and_transforms(path.stem)
    tokens = open_clip.get_tokenizer(path.stem)
    model.eval()
    dataset = _Pictures(task, preprocess)
    new = digits.sets(task.id)[LONG_AND_SHORT[1]]
    sets = [(task.classes, task.templates), (new.classes, new.templates)]

    def run(words: Any) -> list[str]:
        classes, templates = words
        written = [one.replace("{}", "{c}") for one in templates]
        weights = peer.zero_shot_classifier(model, tokens, classes, written, "cpu", amp=False)
        loader = torch.utils.data.DataLoader(dataset, batch_size=64, num_workers=4)
        logits, _ = peer.run_classification(model, weights, loader, "cpu", amp=False)
        return [classes[one] for one in logits.argmax(dim=1).tolist()]

    first, _, guesses = _timed(lambda: run(sets[0]))
    second, _, again = _timed(lambda: run(sets[1]))
    return {"first": first, "second": second, "guesses": guesses, "guesses_2": again}


class _Pictures:
    """The same pictures as torchvision would give them: RGB or grey, then the model's transform."""

    def __init__(self, task: Any, preprocess: Any) -> None:
        self.task, self.preprocess = task, preprocess

    def __len__(self) -> int:
        return len(self.task)

    def __getitem__(self, at: int) -> Any:
        return self.preprocess(self.task.pictures[at]), int(self.task.labels[at])


def _large() -> None:
    """Memory of scoring a million embeddings that lie on the disk."""
    rng = np.random.default_rng(0)
    names = scoring.normalised(rng.normal(size=(CLASSES, WIDTH)).astype(np.float32))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pictures.npy"
        kept = np.lib.format.open_memmap(path, "w+", np.float32, (PICTURES, WIDTH))
        for begin in range(0, PICTURES, PART):
            part = rng.normal(size=(PART, WIDTH)).astype(np.float32)
            kept[begin : begin + PART] = scoring.normalised(part)
        kept.flush()
        del kept
        labels = rng.integers(0, CLASSES, PICTURES)
        before = _peak()
        images = np.load(path, mmap_mode="r")
        took, _, found = _timed(lambda: scoring.classify(images, names, labels, Scale()))
        rows = [
            ("all logits at once would take", f"{PICTURES * CLASSES * 4 / 2**30:.1f} GiB"),
            ("peak memory of the process before", f"{before:.2f} GiB"),
            ("peak memory of the process after", f"{_peak():.2f} GiB"),
            ("seconds", f"{took:.0f}"),
            ("accuracy (chance is 0.0002)", f"{found.metrics[0].value:.4f}"),
        ]
    show(f"{PICTURES:,} pictures x {CLASSES:,} classes, {WIDTH} numbers each", ["", ""], rows)


def _peak() -> float:
    """GiB of memory that this process had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


ROLES: dict[str, Callable[[Task], dict[str, Any]]] = {
    "ours": _ours,
    "kept": _kept,
    "theirs": _theirs,
}

if __name__ == "__main__":
    main()
