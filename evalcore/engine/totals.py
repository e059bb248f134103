"""A run's total under each of its judges: its interval, what is missing, and the judge's noise.

Two uncertainties are kept apart: the interval is about which questions were asked, the spread over
repeats about what the judge says when it is asked again.
"""

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from evalcore.analysis import estimates
from evalcore.engine.runs import Run
from evalcore.records import Verdict


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
    answered = {name for name, one in answers.items() if one.text is not None}
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
    found = estimates.estimated(frame).iloc[0]
    return float(found["value"]), float(found["low"]), float(found["high"])


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
