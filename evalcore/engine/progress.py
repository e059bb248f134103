"""How far a run is, readable by any process while it goes on."""

import contextlib
import functools
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalcore import files, values
from evalcore.engine import lines
from evalcore.engine.claims import started
from evalcore.engine.runs import Run
from evalcore.records import Prediction

STARTING, WAITING, RUNNING = "starting", "waiting", "running"
"""A process was asked for; it has the run in its queue; it works on it."""
UNDER_WAY = frozenset({STARTING, WAITING, RUNNING})
NOT_BEGUN = "not begun"


def is_cut_off(prediction: Prediction) -> bool:
    """Whether there is an answer, but not its end."""
    return prediction.text is not None and prediction.ended == "cut off"


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
    state: str = RUNNING
    problem: str = ""
    began: float = field(default_factory=time.time)
    new: int = 0
    """Answers of this worker since it began, for the speed."""
    signal: int = 0
    """Of the system, which stopped it; 0: none did."""
    other_verdicts: int = 0
    """Of judges that have no part in this pass; ``judged`` holds those of its own."""
    other_unparsed: int = 0
    cut_off: int = 0
    """Answers that ended at their limit of tokens: they are scored as they are."""

    @property
    def verdicts(self) -> int:
        """All that the run has, of every judge and repeat."""
        return sum(self.judged.values()) + self.other_verdicts

    def so_far(self) -> str:
        """What a run that stopped at its cap has, in words."""
        words = f"{self.answered:,} of {self.total:,} questions are answered"
        if rest := self.total - self.answered:
            words += f", {rest:,} are not (cap reached),"
        if self.judged:
            due = (self.answered - self.failed) * len(self.judged)
            words += f" and {sum(self.judged.values()):,} of {due:,} verdicts on them given"
        return f"{words}; 'resume' with a higher --max-usd does the rest"


_LATER = {"signal", "other_verdicts", "other_unparsed", "cut_off"}
STATUS = frozenset(vars(Progress(0))) - _LATER | {"pid", "start", "updated"}
"""What a status tells; some came later."""


def _is_count(value: object) -> bool:
    return values.count(value) is not None


def _are_counts(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_count, value.values()))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_amount(value: object) -> bool:
    return values.amount(value) is not None


_TOLD: dict[str, Callable[[object], bool]] = {
    **dict.fromkeys(("state", "problem"), _is_text),
    **dict.fromkeys(("judged", "unparsed"), _are_counts),
    **dict.fromkeys(("usd", "model_seconds", "began", "updated"), _is_amount),
    **dict.fromkeys(
        ("total", "answered", "failed", "new", "pid", "other_verdicts", "other_unparsed"), _is_count
    ),
}
"""What a status tells → whether it is that; one that tells anything else is as none."""
_my_start = functools.cache(started)
"""For this process alone: an id may be given again, but not while it is in use."""


def write_status(folder: Path, progress: Progress) -> None:
    """Put the progress where any process can read it; a full disk does not stop the run."""
    _put(folder, vars(progress), os.getpid())


def enqueue(run: Run, state: str, pid: int | None = None) -> None:
    """Say that a process will come to a run, or that it no longer will; counts stay as they are.

    A run that another process works on is left alone.

    Args:
        run: The run.
        state: ``starting``, ``waiting`` or ``stopped``.
        pid: The process; None is this one.
    """
    status = read_status(run.folder)
    if status.get("state") == RUNNING and status["pid"] != (pid or os.getpid()):
        return
    fresh = {**vars(Progress(int(run.about["items"]))), **status, "new": 0, "problem": ""}
    _put(run.folder, {**fresh, "state": state, "began": time.time()}, pid or os.getpid())


def _put(folder: Path, about: Mapping[str, Any], pid: int) -> None:
    start = _my_start(pid) if pid == os.getpid() else started(pid)
    whole = {**about, "pid": pid, "start": start, "updated": time.time()}
    aside = folder / f".status.{os.getpid()}"
    with contextlib.suppress(OSError):
        aside.write_bytes(lines.line(whole))
        aside.replace(folder / "status.json")


def read_status(folder: Path) -> dict[str, Any]:
    """The last status of a run; ``interrupted`` if its process is gone without having ended."""
    try:
        status = lines.parsed(files.held(folder / "status.json").strip())
    except OSError:
        return {}
    if status is None or not status.keys() >= STATUS:
        return {}
    if not all(_TOLD[name](value) for name, value in status.items() if name in _TOLD):
        return {}
    lives = status["start"] is not None and started(status["pid"]) == status["start"]
    if status["state"] in UNDER_WAY and not lives:
        status["state"] = "interrupted"
    return status


def state(run: Run) -> str:
    """What a run is: the last status, or what the folder itself tells without one."""
    word = str(read_status(run.folder).get("state", ""))
    return word or ("done" if run.sealed("predictions") else NOT_BEGUN)


def open_still(run: Run) -> bool:
    """Whether a process works on the run, or is about to."""
    return state(run) in UNDER_WAY
