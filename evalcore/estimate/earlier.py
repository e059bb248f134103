"""What earlier runs measured: the tokens and seconds that a question took, a verdict's tokens."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from evalcore.engine import launch, runs
from evalcore.engine.runs import Run, Settings
from evalcore.records import Prediction, Verdict

FEWEST = 5
"""Questions that a run must have measured to speak for another."""


@dataclass(frozen=True)
class Sample:
    """What each question took in one earlier run."""

    values: list[float]
    source: str
    """The run and its number of questions, in words."""
    alike: bool
    """Whether they are questions of the same benchmark."""


class Earlier:
    """The answers of earlier runs of a model under the same settings, the fittest run first."""

    def __init__(self, settings: Settings) -> None:
        """Find the runs: this very one, then those on the same benchmark, then the newest."""
        self._benchmark = settings.benchmark
        self._runs = sorted(
            (run for run in runs.own() if _model(run.settings) == _model(settings)),
            key=lambda run: (
                run.id == settings.id,
                run.settings.benchmark == settings.benchmark,
                str(run.about["created"]),
            ),
            reverse=True,
        )
        self._answers: dict[str, list[Prediction]] = {}

    def sample(
        self, field: Literal["tokens_in", "tokens_out", "seconds"], *, here: bool = False
    ) -> Sample | None:
        """What each question took in the fittest run that measured it; None if none did.

        Args:
            field: Of the answers.
            here: Only runs that were made on this machine.
        """
        for run in self._runs:
            if here and run.about["device"] != launch.device():
                continue
            if run.id not in self._answers:
                self._answers[run.id] = list(run.predictions().values())
            told = [getattr(one, field) for one in self._answers[run.id]]
            known = [float(one) for one in told if one is not None]
            if len(known) >= FEWEST:
                alike = run.settings.benchmark == self._benchmark
                on = "" if alike else f", other questions: {run.settings.benchmark}"
                return Sample(
                    known, f"measured on {len(known):,} questions of run {run.id}{on}", alike
                )
        return None


def verdicts(judge: Callable[[str], bool]) -> tuple[list[Verdict], str]:
    """The verdicts of the newest run on which a judge was asked, and where they come from.

    Args:
        judge: Whether a verdict's judge is the one that is meant.

    Returns:
        Those that were asked for and counted, not those that came from the cache; none if no run
        has enough of them.
    """
    for run in sorted(runs.own(), key=lambda run: str(run.about["created"]), reverse=True):
        asked = [one for one in of_judge(run, judge) if one.tokens_in and one.tokens_out]
        if len(asked) >= FEWEST:
            return asked, f"measured on {len(asked):,} verdicts of run {run.id}"
    return [], ""


def of_judge(run: Run, judge: Callable[[str], bool]) -> Iterator[Verdict]:
    """A run's verdicts of one judge, all repeats."""
    for key in run.judges():
        found = run.verdicts(key)
        first = next(iter(found.values()), None)
        if first is not None and judge(first.judge):
            yield from found.values()


def _model(settings: Settings) -> tuple[str, str, str]:
    """What makes a model's answers alike, whatever is asked."""
    options = {
        name: value for name, value in settings.options.items() if name not in runs.OPERATIONAL
    }
    return settings.model, settings.adapter, repr(sorted(options.items()))
