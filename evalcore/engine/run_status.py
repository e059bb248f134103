"""How each run stands, as anyone who watches reads it: state, counts, speed, money, device."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evalcore.engine import money, progress
from evalcore.engine.damage import broken
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError

DEMO, DAMAGED = "demo", "damaged"
NOTHING: dict[str, Any] = {
    "answered": 0, "failed": 0, "judged": {}, "unparsed": {}, "usd": 0.0, "problem": "",
}  # fmt: skip


@dataclass(frozen=True)
class RunStatus:
    """One run at one moment; what is not known is None."""

    run: str
    model: str
    benchmark: str
    state: str
    """``demo`` (shipped, only read), ``not begun``, ``starting``, ``waiting``, ``running``,
    ``working`` (another worker still is), ``interrupted`` (its process is gone), ``stopped``,
    ``failed``, ``partly failed``, ``done`` or ``damaged`` (a file is not what was written).
    """
    problem: str
    """Why it ended early, in words; empty if nothing was wrong."""
    questions: int
    answered: int
    """With an answer or a failure."""
    failed: int
    cut_off: int
    """Answers that ended at their limit of tokens."""
    verdicts: int | None
    """Of all its judges, over all repeats; None before any."""
    unparsed: int | None
    """Those of them without a score."""
    per_second: float | None
    """Answers a second of the last pass."""
    left_s: float | None
    usd: float | None
    """What was spent as far as prices are known; None if nothing is known to have been."""
    device: str
    precision: str | None
    seed: int
    created: str
    code: str

    @property
    def error_rate(self) -> float | None:
        """Failures as a share of what was asked."""
        return self.failed / self.answered if self.answered else None

    @property
    def unparsed_rate(self) -> float | None:
        """Verdicts without a score as a share of all verdicts."""
        given = self.verdicts
        return self.unparsed / given if given and self.unparsed is not None else None

    @property
    def under_way(self) -> bool:
        """Whether a process works on it or is about to."""
        return self.state in progress.UNDER_WAY


def look(run: Run) -> RunStatus:
    """How a run stands now; reads its small files, and its answers only if it has no status."""
    status = progress.read_status(run.folder)
    counts, damage = status, ""
    try:
        if status.get("state") not in progress.UNDER_WAY:
            damage = broken(run)
        counts = status or (NOTHING if damage else _counted(run))
    except EvalcoreError as error:  # one damaged folder must not hide all other runs
        counts, damage = NOTHING, str(error)
    verdicts = sum(counts["judged"].values()) + counts.get("other_verdicts", 0)
    unparsed = sum(counts["unparsed"].values()) + counts.get("other_unparsed", 0)
    total = int(run.about["items"])
    state = DAMAGED if damage else DEMO if run.shipped else progress.state(run)
    speed = _speed(status)
    left = (total - counts["answered"]) / speed if speed and state == progress.RUNNING else None
    return RunStatus(
        run=run.id,
        model=run.settings.model,
        benchmark=run.settings.benchmark,
        state=state,
        problem=damage or str(counts["problem"]),
        questions=total,
        answered=int(counts["answered"]),
        failed=int(counts["failed"]),
        cut_off=int(counts.get("cut_off", 0)),
        verdicts=verdicts or None,
        unparsed=unparsed if verdicts else None,
        per_second=speed,
        left_s=left,
        usd=counts["usd"] or None,
        device=run.fact("device") or str(run.about["device"]),
        precision=run.fact("dtype"),
        seed=run.settings.seed,
        created=str(run.about["created"]),
        code=str(run.about["code"]),
    )


def _speed(status: Mapping[str, Any]) -> float | None:
    passed = status.get("updated", time.time()) - status.get("began", time.time())
    return status["new"] / passed if status.get("new") and passed > 0 else None


def _counted(run: Run) -> dict[str, Any]:
    """What the folder itself holds, for a run that came without its status."""
    held = run.predictions()
    answers = held.values()
    verdicts = {key: run.verdicts(key, held).values() for key in run.judges()}
    return {
        **NOTHING,
        "answered": len(answers),
        "failed": sum(one.text is None for one in answers),
        "cut_off": sum(map(progress.is_cut_off, answers)),
        "judged": {key: len(found) for key, found in verdicts.items()},
        "unparsed": {k: sum(one.score is None for one in found) for k, found in verdicts.items()},
        "usd": money.spent_usd(run),
    }
