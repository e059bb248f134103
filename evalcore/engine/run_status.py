"""How each run stands, as anyone who watches reads it: state, counts, speed, money, device."""

import statistics
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from evalcore.analysis import estimates
from evalcore.engine import budget, progress
from evalcore.engine.damage import broken
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError
from evalcore.records import Verdict

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
        "failed": sum(answer.text is None for answer in answers),
        "cut_off": sum(map(progress.is_cut_off, answers)),
        "judged": {key: len(own) for key, own in verdicts.items()},
        "unparsed": {
            k: sum(verdict.score is None for verdict in own) for k, own in verdicts.items()
        },
        "usd": budget.spent_usd(run),
    }


@dataclass(frozen=True)
class Total:
    """The mean score of a run under one judge; scores are fractions."""

    judge: str
    version: str
    value: float | None
    """The mean over the scored questions, each the mean of its repeats; None if none is scored."""
    low: float | None
    high: float | None
    """The 95 % interval, over questions."""
    scored: int
    of: int
    """Questions of the run."""
    failed: int
    """Questions to which the model gave no answer."""
    unread: int
    """Answers that have no score: not judged yet, or the judge's reply could not be read."""
    least: float
    most: float
    """The mean with every missing score 0, and with every one 1."""
    repeats: int
    repeat_means: tuple[float, ...]
    """The mean of each repeat, over the questions that every repeat scored."""

    @property
    def repeat_sd(self) -> float | None:
        """The standard deviation of the repeats' means; None with fewer than two."""
        return statistics.stdev(self.repeat_means) if len(self.repeat_means) > 1 else None

    @property
    def whole(self) -> bool:
        """Whether every question is scored."""
        return self.scored == self.of


def totals(run: Run) -> list[Total]:
    """The totals of a run, one for each judge and version, in the order of their names."""
    answers = run.predictions()
    answered = {name for name, prediction in answers.items() if prediction.text is not None}
    of = int(run.about["items"])
    grouped: dict[tuple[str, str], dict[int, dict[str, float]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for key in run.judges():
        for verdict in run.verdicts(key, answers).values():
            scores = grouped[verdict.judge, verdict.version][verdict.repeat]
            _note(scores, verdict, answered)
    failed = len(answers) - len(answered)
    return [
        _total(judge, version, by_repeat, of, failed, len(answered))
        for (judge, version), by_repeat in sorted(grouped.items())
    ]


def _note(scores: dict[str, float], verdict: Verdict, answered: set[str]) -> None:
    if verdict.score is not None and verdict.item in answered:
        scores[verdict.item] = verdict.score


def _total(  # noqa: PLR0913  what a total is made of
    judge: str,
    version: str,
    by_repeat: Mapping[int, Mapping[str, float]],
    of: int,
    failed: int,
    answered: int,
) -> Total:
    repeats = [by_repeat[repeat] for repeat in sorted(by_repeat)]
    items = dict.fromkeys(item for scores in repeats for item in scores)
    means = [_mean([scores[item] for scores in repeats if item in scores]) for item in items]
    value, low, high = _estimate(means)
    common = [item for item in items if all(item in scores for scores in repeats)]
    return Total(
        judge=judge,
        version=version,
        value=value,
        low=low,
        high=high,
        scored=len(means),
        of=of,
        failed=failed,
        unread=answered - len(means),
        least=sum(means) / of,
        most=(sum(means) + of - len(means)) / of,
        repeats=len(repeats),
        repeat_means=tuple(_mean([scores[item] for item in common]) for scores in repeats)
        if common
        else (),
    )


def _estimate(means: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    """Mean and interval as the store's: Wilson's for right or wrong, else by the spread."""
    if not means:
        return None, None, None
    graded = len(means) > 1 and not set(means) <= {0.0, 1.0}
    row = {
        "value": _mean(means),
        "n": len(means),
        "sd": statistics.stdev(means) if graded else None,
        "sd_over": "items" if graded else None,
    }
    frame = pd.DataFrame([row]).astype({"value": float, "n": float, "sd": float})
    estimated = estimates.estimated(frame).iloc[0]
    return float(estimated["value"]), float(estimated["low"]), float(estimated["high"])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
