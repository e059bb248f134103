"""Predict and judge over a run, as one stream: an answer goes to the judges while the next comes.

What is asked is in ``asking``, who judges in ``judging``; this puts it on disk and counts it.
"""

import contextlib
import functools
import gc
import itertools
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from evalcore.engine import purse as purse_file
from evalcore.engine.asking import Source, answers
from evalcore.engine.claims import Claims
from evalcore.engine.judging import Panel
from evalcore.engine.lines import Writer
from evalcore.engine.progress import Progress, write_status
from evalcore.engine.runs import Run
from evalcore.engine.signals import on_signals
from evalcore.errors import EvalcoreError, SpendCapReached
from evalcore.models import machine
from evalcore.models.spending import Purse
from evalcore.records import Item, Judge, ModelAdapter, Prediction, Verdict

LEASE = 256
"""Items a worker takes at a time: enough to sort by length, few enough to share."""
STATUS_EVERY_S = 0.5
CANCEL_EVERY_S = 0.05


def evaluate(  # noqa: PLR0913  what to do, and how it may be watched
    run: Run,
    adapter: Callable[[], ModelAdapter] | None,
    judges: Sequence[Judge],
    *,
    purse: Purse | None = None,
    repeats: int = 1,
    retry_failed: bool = False,
    watch: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Answer and judge what is still open in a run; the same call resumes it.

    Args:
        run: The run folder.
        adapter: Makes the model; only called if an answer is missing. Nothing holds the model any
            more when its last answer is there, so that its device is free while judges still work.
            None only judges the answers that are there.
        judges: Who scores the answers; each as many at a time as its ``concurrency`` says.
        purse: What the judges spend from; its cap holds for them and for whoever else spends from
            it. At the cap what is answered is judged as far as the money lasts; the rest is left.
        repeats: How often each judge scores each answer.
        retry_failed: Ask again where the model failed before.
        watch: Called about twice a second.

    Returns:
        The final progress: ``done``, ``partly failed``, ``stopped`` or ``working`` (another worker
        still holds items).

    Raises:
        BadInput: The purse has a cap, and what a judge's model costs is not known.
        SpendCapReached: The cap was reached; the message says what is left.
        EvalcoreError: The model cannot be run at all, or the disk is full; what was done is kept.
    """
    work = _Work(run, judges, repeats, retry_failed, watch)
    try:
        with on_signals(work.stop):
            if purse is not None:
                work.purse = purse
                for judge in judges:
                    spend_from(judge, purse)
            work.judge_backlog()
            if adapter is not None:
                work.predict(adapter)
                work.free_device()
                work.judge_backlog()
            work.finish()
    except SpendCapReached as error:
        work.end("stopped", str(error))
        work.close()
        work.progress.problem = f"{error}; {work.progress.so_far()}"
        work.tell()
        raise SpendCapReached(work.progress.problem) from None
    except Exception as error:
        known = isinstance(error, EvalcoreError)
        work.end("failed", str(error) if known else f"{type(error).__name__}: {error}")
        raise
    finally:
        work.close()
    return work.progress


def spend_from(judge: Judge, purse: Purse) -> None:
    """Have a judge that pays for its verdicts pay from this purse; a rule pays nothing."""
    pay: Callable[[Purse], None] | None = getattr(judge, "spend_from", None)
    if pay is not None:
        pay(purse)


class _Work:
    """One worker's pass over a run."""

    def __init__(
        self,
        run: Run,
        judges: Sequence[Judge],
        repeats: int,
        retry_failed: bool,
        watch: Callable[[Progress], None],
    ) -> None:
        self.run = run
        self.items = {item.id: item for item in run.items()}
        self.panel = Panel(judges, repeats, self.items, self._write_verdicts)
        self.retry_failed = retry_failed
        self.watch = watch
        self.stopping = False
        self._asked = self._closed = False
        self.purse: Purse | None = None
        self._capped: SpendCapReached | None = None
        self.claims = Claims(run.folder)
        self.progress = Progress(total=len(self.items))
        self._writing = threading.Lock()
        self._writers: dict[str, Writer] = {}
        self._answered = run.follow_predictions()
        self._verdicts = {key: run.follow_verdicts(key) for key in self.panel.keys}
        self.done = self._answered.now()
        self._order = list(self.items)
        self._front = 0
        self._leased: set[str] = set()
        self._looked = self._told = -math.inf
        self._count()
        if retry_failed:
            self.progress.answered -= self.progress.failed
            self.progress.failed = 0

    def predict(self, adapter: Callable[[], ModelAdapter]) -> None:
        """Answer items until none is left or the cap is reached; the model is gone on return."""
        self._asked = True
        first = self._lease()
        if not first:
            return
        try:
            self._ask(adapter(), Source(first, self._lease))
        except SpendCapReached as error:
            self._capped = error  # what is answered may still be judged

    def _ask(self, model: ModelAdapter, source: Source) -> None:
        paid = getattr(model, "prices", None) is not None
        for prediction in answers(model.predict, source):
            self._answered.wrote(prediction, self._write("predictions", prediction))
            self._note(prediction)
            for key in self.panel.keys:
                self._judge(key, prediction)
            self._collect()
            if paid and self.panel.capped:
                source.end()  # no answers are bought that nobody may judge
            self._tell()
            if self._cancelled():
                return

    def judge_backlog(self) -> None:
        """Judge answers that have no verdict: of an earlier pass or a dead worker, a new judge."""
        for key in () if self._cancelled() else self.panel.keys:
            unjudged = functools.partial(self._unjudged, key)
            for item in self.claims.take([f"judge:{key}"], unjudged, len(self.items)):
                self._judge(key, self.done[item])
                self._tell()
                if self._cancelled():
                    return
        self._ask_rules()

    def free_device(self) -> None:
        """Let other programs have the device while judges still work."""
        if self.panel.pending:
            gc.collect()  # takes a fifth of a second, and most models go without
        machine.free_memory()

    def finish(self) -> None:
        """Wait for the judges, then seal what is whole."""
        self._ask_rules()
        while self.panel.pending and not self._cancelled():
            self._collect(STATUS_EVERY_S)
            self._tell()
        if self._cancelled():
            self.end("stopped")
            return
        if self._capped or self.panel.capped:
            raise self._capped or SpendCapReached(next(iter(self.panel.capped.values())))
        self.claims.release()
        with self.claims.alone() as last:
            self._count()
            if len(self.done) < len(self.items) or any(map(self._unjudged, self.panel.keys)):
                self.end("stopped" if last else "working", self._why_open() if last else "")
            elif self.progress.failed or not last:
                self.end("partly failed" if last else "working")
            else:
                self._seal()
                self.end("done")

    def _why_open(self) -> str:
        """Why something is left that nobody works on."""
        if not self._asked and len(self.done) < len(self.items):
            return "some questions are not asked yet; 'resume' asks them"
        return "another worker ended early; give the command again"

    def stop(self) -> None:
        """Finish the answer at hand, then stop."""
        self.stopping = True

    def end(self, state: str, problem: str = "") -> None:
        """Note how this pass ended."""
        self.progress.state, self.progress.problem = state, problem

    def close(self) -> None:
        """Stop the judges, keep what they had begun, write the last status, close the files."""
        if self._closed:
            return
        self._closed = True
        if self.purse is not None:
            self.purse.close()
        for key, verdict in self.panel.dismiss():
            self._note_verdict(key, verdict)
        for writer in self._writers.values():
            writer.close()
        with contextlib.suppress(EvalcoreError):
            self.claims.release()
        if self.progress.state != "done":
            self._count()
        self.tell()

    def tell(self) -> None:
        """Write the status, and show it."""
        self._told = time.monotonic()
        write_status(self.run.folder, self.progress)
        self.watch(self.progress)

    def _seal(self) -> None:
        self.run.seal("predictions", [self.done[item] for item in self.items])
        for key, verdicts in self._verdicts.items():
            self.run.seal(f"verdicts/{key}", list(verdicts.now().values()))

    def _lease(self) -> list[Item]:
        """The next items to ask, which nobody else asks; who answers an item also judges it."""
        if self._cancelled() or self.run.sealed("predictions"):
            return []
        stages = ["predict", *(f"judge:{key}" for key in self.panel.keys)]
        taken = self.claims.take(stages, self._open, LEASE)
        self._leased.update(taken)
        return [self.items[item] for item in taken]

    def _open(self) -> Iterator[str]:
        """Items to ask in this pass: without an answer, or failed and to be tried again."""
        self._answered.now()
        while self._front < len(self._order) and self._is_taken(self._order[self._front]):
            self._front += 1
        rest = itertools.islice(self._order, self._front, None)
        return (item for item in rest if not self._is_taken(item))

    def _is_taken(self, item: str) -> bool:
        answer = self.done.get(item)
        wanted = answer is None or (self.retry_failed and answer.text is None)
        return item in self._leased or not wanted

    def _unjudged(self, key: str) -> list[str]:
        """Answered items without a verdict, or to be tried again, that this pass did not send."""
        self._answered.now()
        have = {
            item
            for item, verdict in self._verdicts[key].now().items()
            if not (self.retry_failed and verdict.score is None and verdict.reply is None)
        }
        have |= self.panel.sent[key]
        return [
            item
            for item, answer in self.done.items()
            if answer.text is not None and item not in have
        ]

    def _judge(self, key: str, prediction: Prediction) -> None:
        """Have an answer judged; where there is no answer there is nothing to judge."""
        if prediction.text is not None:
            self.panel.judge(key, prediction)

    def _collect(self, wait_s: float = 0.0) -> None:
        """Count the verdicts that have come; waits for one if there is none."""
        for key, verdict in self.panel.verdicts(wait_s):
            self._note_verdict(key, verdict)

    def _ask_rules(self) -> None:
        for key, verdict in self.panel.by_rule():
            self._note_verdict(key, verdict)

    def _note_verdict(self, key: str, verdict: Verdict) -> None:
        """Count a verdict that is on disk."""
        self._verdicts[key].wrote(verdict, self._writers[f"verdicts/{key}"].path)
        self.progress.judged[key] = self.progress.judged.get(key, 0) + 1
        if verdict.score is None:
            self.progress.unparsed[key] = self.progress.unparsed.get(key, 0) + 1
        self.progress.usd += verdict.usd or 0

    def _write_verdicts(self, key: str, verdicts: Sequence[Verdict]) -> None:
        self._write(f"verdicts/{key}", *verdicts)

    def _write(self, part: str, *records: Prediction | Verdict) -> Path:
        """Put records on disk, from any thread; returns this worker's file."""
        with self._writing:
            if part not in self._writers:
                self._writers[part] = self.run.writer(part)
            self._writers[part].append(*records)
            return self._writers[part].path

    def _note(self, prediction: Prediction) -> None:
        self.progress.answered += 1
        self.progress.new += 1
        self.progress.failed += prediction.text is None
        self.progress.usd += prediction.usd or 0
        self.progress.model_seconds += prediction.seconds or 0

    def _count(self) -> None:
        """Count what the run folder holds, whoever did it."""
        self._answered.now()
        self.progress.answered = len(self.done)
        self.progress.failed = sum(one.text is None for one in self.done.values())
        self.progress.usd = sum(one.usd or 0 for one in self.done.values())
        for key in self.panel.keys:
            verdicts = self._verdicts[key].now().values()
            self.progress.usd += sum(one.usd or 0 for one in verdicts)
            self.progress.judged[key] = len(verdicts)
            self.progress.unparsed[key] = sum(verdict.score is None for verdict in verdicts)
        books = purse_file.read(self.run.folder)
        if books is not None:  # which know of failed attempts, other judges and lost calls too
            self.progress.usd = books.spent

    def _cancelled(self) -> bool:
        """Whether to stop; looks for the cancel file a few times a second."""
        if not self.stopping and time.monotonic() - self._looked > CANCEL_EVERY_S:
            self._looked = time.monotonic()
            self.stopping = (self.run.folder / "cancel").exists()
        return self.stopping

    def _tell(self) -> None:
        """The same, but about twice a second at most."""
        if time.monotonic() - self._told >= STATUS_EVERY_S:
            self._ask_rules()
            self.tell()
