"""How far a run is, readable by any process while it goes on."""

import contextlib
import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalcore.claims import started
from evalcore.runs import Run


@dataclass
class Progress:
    """What a run has done, for people who watch it; times in seconds, money in dollars."""

    total: int
    answered: int = 0
    failed: int = 0
    judged: dict[str, int] = field(default_factory=dict)
    unparsed: dict[str, int] = field(default_factory=dict)
    usd: float = 0.0
    model_seconds: float = 0.0
    state: str = "running"
    problem: str = ""
    began: float = field(default_factory=time.time)
    new: int = 0
    """Answers of this worker since it began, for the speed."""


def write_status(folder: Path, progress: Progress) -> None:
    """Put the progress where any process can read it; a full disk does not stop the run."""
    about = {**vars(progress), "pid": os.getpid(), "start": started(os.getpid())}
    aside = folder / f".status.{os.getpid()}"
    with contextlib.suppress(OSError):
        aside.write_text(json.dumps({**about, "updated": time.time()}), encoding="utf-8")
        aside.replace(folder / "status.json")


def read_status(folder: Path) -> dict[str, Any]:
    """The last status of a run; ``interrupted`` if its process is gone without having ended."""
    try:
        status: dict[str, Any] = json.loads((folder / "status.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if status["state"] == "running" and started(status["pid"]) != status["start"]:
        status["state"] = "interrupted"
    return status


def state(run: Run) -> str:
    """What a run is: the last status, or what the folder itself tells without one."""
    told = str(read_status(run.folder).get("state", ""))
    return told or ("done" if run.sealed("predictions") else "waiting")


def open_still(run: Run) -> bool:
    """Whether a process works on the run, or is about to."""
    return state(run) in ("running", "waiting")
