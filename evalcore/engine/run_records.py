"""What one worker keeps of a run: its answers and verdicts on disk, in mind and counted."""

import contextlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import cast

import pyarrow
import pyarrow.compute as compute

from evalcore.engine import budget as budget_file
from evalcore.engine import lines, sealed
from evalcore.engine.lines import Writer
from evalcore.engine.progress import Progress, is_cut_off
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError
from evalcore.records import Prediction, Verdict


class RunRecords:
    """The records of one run, whoever made them, and the counts of them."""

    def __init__(self, run: Run, items: int, keys: Sequence[str]) -> None:
        """Know what the run holds.

        Args:
            run: The run.
            items: How many items it has.
            keys: The verdict keys that this worker has judged.
        """
        self.run = run
        self.progress = Progress(total=items)
        self._answered = run.follow_predictions()
        self._verdicts = {key: run.follow_verdicts(key) for key in keys}
        self.answers = cast(dict[str, Prediction], self._answered.now())
        """By item; the same dictionary all the time, as new as the last ``look``."""
        self._writing = threading.Lock()
        self._writers: dict[str, Writer] = {}
        self._closed = False
        self.count()

    def look(self) -> None:
        """Know the answers that other workers gave meanwhile."""
        self._answered.now()

    def verdicts(self, key: str) -> dict[str, Verdict]:
        """The verdicts of a key by item, on the answers that are there now."""
        return lines.counting(self._verdicts[key].now().values(), self.answers)

    def forget_unanswered(self) -> None:
        """Strike out verdicts of versions before 0.6 on answers that were lost, before others come.

        Such a verdict does not name its answer, and would count for the one that is asked anew.

        Raises:
            EvalcoreError: It cannot be written.
        """
        for key in self.run.judges():
            held = self._verdicts.get(key) or self.run.follow_verdicts(key)
            lost = [
                replace(
                    prediction,
                    score=None,
                    reason="its answer was lost",
                    usd=None,
                    answer=lines.GONE,
                )
                for prediction in held.now().values()
                if prediction.answer is None and self._has_no_text(prediction.item)
            ]
            if lost:
                self.write_verdicts(key, lost)

    def _has_no_text(self, item: str) -> bool:
        return item not in self.answers or self.answers[item].text is None

    def answer(self, prediction: Prediction) -> None:
        """Keep an answer, its numbers typed.

        Raises:
            EvalcoreError: It cannot be written.
        """
        prediction = lines.prediction(vars(prediction)) or Prediction(
            prediction.item, None, error=f"the model gave no text: {prediction.text!r:.100}"
        )
        self._answered.wrote(prediction, self._write("predictions", [prediction]))
        self.progress.answered += 1
        self.progress.new += 1
        self.progress.failed += prediction.text is None
        self.progress.cut_off += is_cut_off(prediction)
        self.progress.usd += prediction.usd or 0
        self.progress.model_seconds += prediction.seconds or 0

    def write_verdicts(self, key: str, verdicts: Sequence[Verdict]) -> None:
        """Put verdicts on disk, from any thread; ``note_verdict`` counts them.

        Raises:
            EvalcoreError: They cannot be written.
        """
        self._write(f"verdicts/{key}", verdicts)

    def note_verdict(self, key: str, verdict: Verdict) -> None:
        """Count a verdict that is on disk."""
        self._verdicts[key].wrote(verdict, self._writers[f"verdicts/{key}"].path)
        self.progress.judged[key] = self.progress.judged.get(key, 0) + 1
        if verdict.score is None:
            self.progress.unparsed[key] = self.progress.unparsed.get(key, 0) + 1
        self.progress.usd += verdict.usd or 0

    def count(self) -> None:
        """Count what the run folder holds, whoever did it."""
        self.look()
        self.progress.answered = len(self.answers)
        self.progress.failed = sum(answer.text is None for answer in self.answers.values())
        self.progress.cut_off = sum(map(is_cut_off, self.answers.values()))
        self.progress.usd = sum(prediction.usd or 0 for prediction in self.answers.values())
        for key in self._verdicts:
            verdicts = self.verdicts(key).values()
            self.progress.usd += sum(prediction.usd or 0 for prediction in verdicts)
            self.progress.judged[key] = len(verdicts)
            self.progress.unparsed[key] = sum(verdict.score is None for verdict in verdicts)
        self._count_others()
        ledger = budget_file.read(self.run.folder)
        if ledger is not None:  # which know of failed attempts, other judges and lost calls too
            self.progress.usd = ledger.spent

    def _count_others(self) -> None:
        """Count what judges said that have no part in this pass; a damaged file is not its own."""
        self.progress.other_verdicts = self.progress.other_unparsed = 0
        for key in self.run.judges():
            if key not in self._verdicts:
                others = self._others(key).values()
                self.progress.other_verdicts += len(others)
                self.progress.other_unparsed += sum(verdict.score is None for verdict in others)

    def forgotten(self) -> str:
        """Which judge that has no part in this pass has not judged all, in words; empty if none.

        Another version or repeat of a judge of this pass is no other judge.
        """
        names = {verdict.judge for key in self._verdicts for verdict in self.verdicts(key).values()}
        due = sum(answer.text is not None for answer in self.answers.values())
        for key in self.run.judges():
            others = {} if key in self._verdicts else self._others(key)
            judge = next((other.judge for other in others.values()), None)
            if judge is not None and judge not in names and len(others) < due:
                return f"judge {judge} has given {len(others):,} of {due:,} verdicts"
        return ""

    def _others(self, key: str) -> dict[str, Verdict]:
        """The verdicts of a judge that has no part in this pass; a damaged file tells none."""
        with contextlib.suppress(EvalcoreError):
            return self.run.verdicts(key, self.answers)
        return {}

    def seal(self, items: Sequence[str]) -> None:
        """Put everything into its final form, the answers in the order of ``items``.

        Raises:
            EvalcoreError: The disk is full; the lines stay as they are.
        """
        self.run.seal("predictions", [self.answers[item] for item in items])
        for key, held in self._verdicts.items():
            self.run.seal(f"verdicts/{key}", list(held.now().values()))

    def close(self) -> None:
        """Write nothing more, also not for a call that nobody waits for and that ends later."""
        with self._writing:
            self._closed = True
            for writer in self._writers.values():
                with contextlib.suppress(OSError):
                    writer.close()

    def _write(self, part: str, records: Sequence[Prediction | Verdict]) -> Path:
        """Put records on disk; returns this worker's file."""
        with self._writing:
            if self._closed:
                raise EvalcoreError(f"{self.run.id}: too late for another record; the run stopped")
            if part not in self._writers:
                self._writers[part] = self.run.writer(part)
            self._writers[part].append(*records)
            return self._writers[part].path


def answers(run: Run, columns: Sequence[str] | None = None) -> pyarrow.Table:
    """What counts of a run's answers.

    Args:
        run: The run.
        columns: Fields of ``records.Prediction``; None takes all.

    Returns:
        One row an item that was answered or failed.

    Raises:
        EvalcoreError: A file is damaged.
    """
    if _only_sealed(run, "predictions"):
        table = sealed.read(run.folder, "predictions", Prediction, columns)
        if "item" not in table.column_names or _distinct(table):
            return table
    return _table(list(run.predictions().values()), Prediction, columns)


def verdicts(run: Run, key: str, columns: Sequence[str] | None = None) -> pyarrow.Table:
    """One judge's verdicts of one repeat (see ``runs.verdict_key``) on the answers there are now.

    Args:
        run: The run.
        key: One of ``run.judges()``.
        columns: Fields of ``records.Verdict``; None takes all.

    Returns:
        One row an item that was judged.

    Raises:
        EvalcoreError: A file is damaged.
    """
    if _only_sealed(run, f"verdicts/{key}"):
        asked = sealed.names(Verdict, columns)
        more = [name for name in ("item", "answer") if name not in asked]
        table = sealed.read(run.folder, f"verdicts/{key}", Verdict, [*asked, *more])
        table = _on_answers(table, _marks(run))
        if _distinct(table):
            return table.select(asked)
    return _table(list(run.verdicts(key).values()), Verdict, columns)


def stale(run: Run, key: str) -> int:
    """How many items have only verdicts of this key on answers that are gone or others."""
    if _only_sealed(run, f"verdicts/{key}"):
        table = sealed.read(run.folder, f"verdicts/{key}", Verdict, ("item", "answer"))
        items = table["item"].to_pylist()
        marks = zip(items, table["answer"].to_pylist(), strict=True)
        counting = set(_on_answers(table, _marks(run))["item"].to_pylist())
    else:
        held = run.follow_verdicts(key).now().values()
        marks = zip([row.item for row in held], [row.answer for row in held], strict=True)
        counting = set(run.verdicts(key))
    return len({item for item, answer in marks if answer != lines.GONE} - counting)


def _only_sealed(run: Run, part: str) -> bool:
    """Whether a part has its final form and no lines came after it."""
    return run.sealed(part) and not any((run.folder / part).glob("*.jsonl"))


def _distinct(table: pyarrow.Table) -> bool:
    """Whether no item has a second row, which nobody of ours writes."""
    return bool(compute.count_distinct(table["item"]).as_py() == len(table))


def _on_answers(table: pyarrow.Table, marks: Mapping[str, str | None]) -> pyarrow.Table:
    """The rows that count, as ``lines.counting`` has it."""
    items, named = table["item"].to_pylist(), table["answer"].to_pylist()
    if not any(mark is not None for mark in named):  # of a version before 0.6
        return table.filter(pyarrow.array([item in marks for item in items], pyarrow.bool_()))
    renewed = {item for item, answer in zip(items, named, strict=True) if answer is not None}
    counts = [
        marks.get(item) == answer if answer is not None else item in marks and item not in renewed
        for item, answer in zip(items, named, strict=True)
    ]
    return table.filter(pyarrow.array(counts, pyarrow.bool_()))


def _marks(run: Run) -> dict[str, str | None]:
    """Item → the mark of its answer; None for one that failed."""
    folder = run.folder / "predictions"
    files = [*folder.glob("*.jsonl"), *run.folder.glob("predictions.parquet")]
    stats = [(path, path.stat()) for path in sorted(files)]
    return _known_marks(
        run, tuple((str(path), stat.st_size, stat.st_mtime_ns) for path, stat in stats)
    )


@lru_cache(maxsize=2)
def _known_marks(run: Run, stamp: tuple[tuple[str, int, int], ...]) -> dict[str, str | None]:
    """The same; several parts of a run ask one after the other."""
    table = answers(run, ("item", "text"))
    pairs = zip(table["item"].to_pylist(), table["text"].to_pylist(), strict=True)
    return {item: None if text is None else lines.mark(text) for item, text in pairs}


def _table(
    rows: Sequence[Prediction | Verdict], record: type, columns: Sequence[str] | None
) -> pyarrow.Table:
    cells = {
        name: pyarrow.array([_text(vars(row)[name]) for row in rows], sealed.kind_of(name))
        for name in sealed.names(record, columns)
    }
    return pyarrow.table(cells)


def _text(value: object) -> object:
    """A value that can be written: half a surrogate pair becomes a question mark."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
