"""What one worker keeps of a run: its answers and verdicts on disk, in mind and counted."""

import contextlib
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from evalcore.engine import budget as budget_file
from evalcore.engine import judged, recorded
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
        return judged.counting(self._verdicts[key].now().values(), self.answers)

    def forget_unanswered(self) -> None:
        """Strike out verdicts of versions before 0.6 on answers that were lost, before others come.

        Such a verdict does not name its answer, and would count for the one that is asked anew.

        Raises:
            EvalcoreError: It cannot be written.
        """
        for key in self.run.judges():
            held = self._verdicts.get(key) or self.run.follow_verdicts(key)
            lost = [
                replace(one, score=None, reason="its answer was lost", usd=None, answer=judged.GONE)
                for one in held.now().values()
                if one.answer is None and self._has_no_text(one.item)
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
        prediction = recorded.prediction(vars(prediction)) or Prediction(
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
        self.progress.failed = sum(one.text is None for one in self.answers.values())
        self.progress.cut_off = sum(map(is_cut_off, self.answers.values()))
        self.progress.usd = sum(one.usd or 0 for one in self.answers.values())
        for key in self._verdicts:
            verdicts = self.verdicts(key).values()
            self.progress.usd += sum(one.usd or 0 for one in verdicts)
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
                found = self._others(key).values()
                self.progress.other_verdicts += len(found)
                self.progress.other_unparsed += sum(one.score is None for one in found)

    def forgotten(self) -> str:
        """Which judge that has no part in this pass has not judged all, in words; empty if none.

        Another version or repeat of a judge of this pass is no other judge.
        """
        names = {one.judge for key in self._verdicts for one in self.verdicts(key).values()}
        due = sum(one.text is not None for one in self.answers.values())
        for key in self.run.judges():
            found = {} if key in self._verdicts else self._others(key)
            judge = next((one.judge for one in found.values()), None)
            if judge is not None and judge not in names and len(found) < due:
                return f"judge {judge} has given {len(found):,} of {due:,} verdicts"
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
