"""Makes the runs in ``precomputed/runs`` again: the demo models on 500 questions of easy-VQA.

    python -m scripts.demo_runs           # ask the models, judge, seal
    python -m scripts.demo_runs --judge   # only judge: the answers stay as they are
    python -m scripts.demo_runs --model chance   # only the runs of one model

They show what item-level pages are about before anybody has run a model. All answer the same
questions; the pictures that these show lie beside the runs, each once.
"""

import argparse
import dataclasses
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from evalcore import home
from evalcore.engine import launch, runs
from evalcore.engine.launch import Plan
from evalcore.engine.runs import Run
from evalcore.records import Item

BENCHMARK, LIMIT, SEED = "easy-vqa", 500, 0
MODELS = ("demo-vlm-strong", "demo-vlm-weak")
BASELINES = ("most-frequent", "chance")
SMALL = {"image_size": 16}
"""A second run of each demo model, on pictures of a quarter of the side: a regression to see."""
SECOND = "anls"
"""Another judge of the models' answers, which needs no key: it goes by spelling, so it is kind to
"rectangle" where "triangle" is right. Baselines have the benchmark's own judge alone."""
PICTURES = "pictures"
KEPT = ("run.json", "predictions.parquet", "verdicts")


def main() -> None:
    """Run, seal and copy; the shipped folder is replaced when all has worked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--judge", action="store_true", help="judge the answers that are there")
    parser.add_argument("--model", help="only the runs of this one")
    asked = parser.parse_args()
    judge_only = asked.judge
    target = home.shipped_runs_folder()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EVALCORE_HOME"] = folder
        aside = Path(folder) / "shipped"
        (aside / PICTURES).mkdir(parents=True)
        made = _shipped_before() if judge_only else map(launch.start, _plans(asked.model))
        for run in made:
            judges = list(launch.default_judges(BENCHMARK, run.items()))
            if run.settings.model not in BASELINES:
                judges.append(SECOND)
            if run.judge_specs()[0] != judges:
                run.remember_judges(judges, 1)
            ended = launch.carry_out(run, launch.judges_of(judges), only_judge=judge_only)
            if ended.state != "done":
                raise SystemExit(f"{run.id}: {ended.state} {ended.problem}")
            _ship(run, aside)
        # The digit study, which ships there too, is made by scripts/demo_digits.py.
        whose = asked.model or "*"
        for old in target.glob(f"{whose}--{BENCHMARK}--*"):
            shutil.rmtree(old)
        if not asked.model:
            shutil.rmtree(target / PICTURES)
        shutil.copytree(aside, target, dirs_exist_ok=True)


def _shipped_before() -> Iterator[Run]:
    """The runs that ship, as runs of a home of one's own, which may be judged."""
    shutil.copytree(home.shipped_runs_folder(), home.runs_folder())
    yield from (run for run in runs.own() if run.settings.benchmark == BENCHMARK)


def _plans(only: str | None = None) -> Iterator[Plan]:
    """The runs on small pictures first: of a model's runs the newest counts."""
    if only in BASELINES:
        yield from launch.plan([only], BENCHMARK, limit=LIMIT, seed=SEED)
        return
    asked = {"limit": LIMIT, "seed": SEED}
    models = [only] if only else [*MODELS]
    yield from launch.plan(models, BENCHMARK, options=SMALL, **asked)
    others = [] if only else [*BASELINES]
    yield from launch.plan([*models, *others], BENCHMARK, blind=True, **asked)


def _ship(run: Run, target: Path) -> None:
    """Copy what a reader of a run needs, with paths that hold on any machine."""
    folder = target / run.id
    folder.mkdir()
    for name in KEPT:
        copy = shutil.copytree if (run.folder / name).is_dir() else shutil.copy
        copy(run.folder / name, folder / name)
    (folder / "facts").mkdir()
    told = {}
    for fact in [fact for kind in ("model", "judge", "judges") for fact in run.facts(kind)]:
        # What was told once need not be told again by another pass.
        told.setdefault(json.dumps([fact.kind, fact.about]), dataclasses.asdict(fact))
    lines = [json.dumps(fact | {"worker": 0}) for fact in told.values()]
    (folder / "facts" / "shipped.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = [json.dumps(_row(item, target)) for item in run.items()]
    (folder / "items.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


def _row(item: Item, target: Path) -> dict[str, object]:
    """An item whose pictures lie beside the runs, named after what they hold."""
    names = []
    for picture in item.images:
        data = picture.read_bytes()
        name = f"{hashlib.sha256(data).hexdigest()[:12]}{picture.suffix}"
        (target / PICTURES / name).write_bytes(data)
        names.append(f"../{PICTURES}/{name}")
    return {**dataclasses.asdict(item), "images": names}


if __name__ == "__main__":
    main()
