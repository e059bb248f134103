"""What the engine costs beside the model: appending, the stream's own time, and resuming.

``python -m bench.engine model`` prints only the part with a real model.
"""

import dataclasses
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from bench import model
from bench.clock import Times, of, taken, times
from bench.table import ms, ratio, show
from evalcore import judges
from evalcore.engine import runs
from evalcore.engine.evaluate import evaluate
from evalcore.engine.runs import Run
from evalcore.participants import ModelAdapter
from evalcore.records import Item, Prediction, Verdict
from tests.fakes import SETTINGS, FakeModel, items

LENGTHS = (100, 1_000, 10_000, 50_000)
ANSWER = "a word and another, " * 20
REPEATS = 5
RULE = judges.make("exact")
VQA360 = 5_725
"""Questions of VQA360, the longest benchmark of the papers."""


def new_run(number: int) -> Run:
    """A run of its own with so many items."""
    settings = dataclasses.replace(SETTINGS, seed=time.monotonic_ns())
    return runs.create(settings, items(number), "cpu")


def append_ours(number: int) -> float:
    """Seconds an answer, through the run's writer."""
    writer = new_run(1).writer("predictions")
    records = [Prediction(f"q/{count}", ANSWER, seconds=0.1) for count in range(number)]
    seconds = taken(lambda: [writer.append(record) for record in records])
    writer.close()
    return seconds / number


def append_bare(number: int, folder: Path, *, ready: bool) -> float:
    """Seconds a line by file.write and flush: the line ready-made, or made from its record."""
    record = Prediction("q/1", ANSWER, seconds=0.1)
    line = json.dumps(vars(record)) + "\n"
    with (folder / "bare.jsonl").open("w", encoding="utf-8") as file:

        def write() -> None:
            file.write(line if ready else json.dumps(vars(record)) + "\n")
            file.flush()

        return taken(lambda: [write() for _ in range(number)]) / number


def stream(number: int) -> float:
    """Seconds an answer of the whole stream: leases, answers, a judge, sealing."""
    run = new_run(number)
    return taken(lambda: evaluate(run, Stopwatch(), [RULE])) / number


def appending(folder: Path) -> None:
    """Print the cost of an answer at several run lengths."""
    rows = []
    for number in LENGTHS:
        ours = of([append_ours(number) for _ in range(REPEATS)])
        made = of([append_bare(number, folder, ready=False) for _ in range(REPEATS)])
        bare = of([append_bare(number, folder, ready=True) for _ in range(REPEATS)])
        whole = of([stream(number) for _ in range(REPEATS if number <= 1_000 else 1)])
        shares = [ratio(ours.median, other.median) for other in (made, bare)]
        rows.append((f"{number:,}", us(ours), us(made), shares[0], us(bare), shares[1], us(whole)))
    header = (
        *("answers", "append", "bare append", "ratio", "bare write of a ready line", "ratio"),
        "whole stream",
    )
    show(f"Cost of one answer of {len(ANSWER)} characters (median, least - most)", header, rows)


def us(seconds: Times) -> str:
    """Microseconds with their spread."""
    least, median, most = (value * 1e6 for value in seconds)
    return f"{median:.1f} us ({least:.1f} - {most:.1f})"


def overhead(delay: float, number: int) -> tuple[str, ...]:
    """The stream beside a bare loop over the same model, which sleeps; pairs in changing order.

    The processor time is what the stream has more than the loop: leases, judge, disk, sealing.
    """
    asked = items(number)

    def bare() -> tuple[float, float]:
        return both(lambda: [None for _ in FakeModel(delay=delay).predict(asked)])

    def ours() -> tuple[float, float]:
        run = new_run(number)
        return both(lambda: evaluate(run, FakeModel(delay=delay), [RULE]))

    pairs = []
    for turn in range(REPEATS):
        one, other = (ours(), bare()) if turn % 2 else (bare(), ours())
        pairs.append((one, other) if turn % 2 else (other, one))
    ratios = of([stream[0] / loop[0] for stream, loop in pairs])
    return (
        f"{number:,} answers of {delay * 1000:g} ms",
        ms(of([stream[0] for stream, _ in pairs]).median),
        us(of([(stream[1] - loop[1]) / number for stream, loop in pairs])),
        *(f"{value:.3f} x" for value in ratios),
    )


def both(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock, and of this process's CPU."""
    cpu = time.process_time()
    return taken(call), time.process_time() - cpu


class Stopwatch(ModelAdapter):
    """A model that takes no time and notes when it is asked for the first time."""

    def __init__(self) -> None:
        self.asked: float | None = None

    def __call__(self) -> "Stopwatch":
        """It makes itself."""
        return self

    def predict(self, items: Iterable[Item]) -> Iterator[Prediction]:
        """Answer one item after the other."""
        self.asked = self.asked or time.perf_counter()
        for item in items:
            yield Prediction(item.id, item.id)


def resume() -> float:
    """Seconds from the call to the first new answer of a run that lacks one."""
    run = new_run(VQA360)
    answers, verdicts = run.writer("predictions"), run.writer("verdicts/exact-1-r0")
    for item in run.items()[1:]:
        answers.append(Prediction(item.id, ANSWER * 10, seconds=0.1))
        verdicts.append(Verdict(item.id, "exact", "1", 0, 1.0))
    watch = Stopwatch()
    begun = time.perf_counter()
    evaluate(run, watch, [RULE])
    return (watch.asked or begun) - begun


def reading() -> tuple[Callable[[], object], Callable[[], object]]:
    """Reading a sealed run's answers, and the same answers as lines."""
    sealed, lines = new_run(VQA360), new_run(VQA360)
    for run in (sealed, lines):
        writer = run.writer("predictions")
        for item in run.items():
            writer.append(Prediction(item.id, ANSWER * 10, seconds=0.1))
    sealed.seal("predictions")
    return sealed.predictions, lines.predictions


def main() -> None:
    """Print all of it, or one part; takes about four minutes."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EVALCORE_HOME"] = folder
        model.main()
        if sys.argv[1:] == ["model"]:
            return
        appending(Path(folder))
        show(
            f"The whole stream (answers, a rule judge, sealing) beside a bare loop, {REPEATS} runs",
            ("", "stream", "its processor time an answer", "ratio min", "median", "max"),
            [overhead(0.001, 1_000), overhead(0.010, 1_000)],
        )
        as_sealed, as_lines = reading()
        show(
            f"A run of {VQA360:,} answers of {len(ANSWER) * 10:,} characters",
            (f"{REPEATS} runs", "min", "median", "max"),
            [
                ("resume: to the first new answer", *map(ms, of([resume() for _ in range(5)]))),
                ("read the answers, sealed", *map(ms, times(as_sealed))),
                ("read the answers, as lines", *map(ms, times(as_lines))),
            ],
        )


if __name__ == "__main__":
    main()
