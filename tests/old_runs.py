"""Run folders as version 0.5 wrote them, without ledger or checksums, with anything in them."""

import json
from pathlib import Path
from typing import Any

from evalcore import home

METRIC = {"name": "accuracy", "value": 0.5, "n": 2, "chance": 0.5, "note": "", "worth": 2.0}
SCORES = {
    "metrics": [METRIC], "classes": 2, "type": None, "capability": None, "ties": 0, "unread": 0,
    "cut": 0, "texts": 2, "seconds": 0.1, "failed": [],
}  # fmt: skip


def item(at: int, **more: Any) -> dict[str, Any]:
    """A line of ``items.jsonl``."""
    row = {"benchmark": "b", "id": f"q/{at}", "question": f"Is it {at}?", "answers": [str(at)]}
    return row | {"images": [], "choices": [], "tags": [], "cluster": None} | more


def answer(at: int, **more: Any) -> dict[str, Any]:
    """A line of ``predictions``."""
    return {"item": f"q/{at}", "text": str(at), "error": None, "seconds": 0.5} | more


def verdict(at: int, **more: Any) -> dict[str, Any]:
    """A line of ``verdicts``."""
    return {"item": f"q/{at}", "judge": "exact", "version": "1", "repeat": 0, "score": 1.0} | more


def written(name: str, **other: Any) -> Path:
    """Write a folder of two items, all answered and judged; gives it.

    Args:
        name: Of the folder, its model and its benchmark.
        other: ``about`` and ``settings`` (fields of ``run.json``), ``items``, ``answers``,
            ``verdicts`` (rows), ``scores`` (fields of ``scores.json``): what to write instead.
    """
    folder = home.runs_folder() / name
    settings = {
        "model": name, "adapter": "fake", "benchmark": name, "loader": "fake", "options": {},
        "loader_options": {}, "limit": None, "seed": 0,
    }  # fmt: skip
    if "scores" in other:
        settings["adapter"] = "contrastive"
    about = {
        "settings": settings | other.get("settings", {}), "created": "2026-11-01T00:00:00+00:00",
        "code": "0.5.0", "device": "here", "revision": name, "items": 2,
    }  # fmt: skip
    for part in ("predictions", "verdicts/exact-1-r0"):
        (folder / part).mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(about | other.get("about", {})), "utf-8")
    for file, rows in (
        ("items.jsonl", other.get("items", [item(0), item(1)])),
        ("predictions/1.jsonl", other.get("answers", [answer(0), answer(1)])),
        ("verdicts/exact-1-r0/1.jsonl", other.get("verdicts", [verdict(0), verdict(1)])),
    ):
        (folder / file).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    if "scores" in other:
        told = json.dumps({**SCORES, **other["scores"]})
        (folder / "scores.json").write_text(told, "utf-8")
    return folder
