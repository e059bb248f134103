"""Predict and judge over a run, as one stream: an answer goes to the judges while the next comes.

What is asked is in ``asking``, who judges in ``judging``; this puts it on disk and counts it.
"""

import contextlib
import functools
import gc
import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence

from evalcore.engine import progress
from evalcore.engine.claims import Claims, ItemQueue, answers
from evalcore.engine.judging import Panel
from evalcore.engine.progress import Progress, on_signals, write_status
from evalcore.engine.run_records import RunRecords
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError, SpendCapReached
from evalcore.models import local
from evalcore.models.cancellation import LOOK_EVERY_S, Cancellation
from evalcore.models.cap import Budget
from evalcore.participants import Judge, ModelAdapter
from evalcore.records import Item, Prediction, Verdict

LEASE = 256
"""Items a worker takes at a time: enough to sort by length, few enough to share."""
STATUS_EVERY_S = 0.5
CANCEL_EVERY_S = 0.05


def evaluate(  # noqa: PLR0913  what to do, and how it may be watched
    run: Run,
    adapter: Callable[[], ModelAdapter] | None,
    judges: Sequence[Judge],
    *,
    budget: Budget | None = None,
    repeats: int = 1,
    retry_failed: bool = False,
    watch: Callable[[Progress], None] = lambda progress: None,
) -> Progress:
    """Answer and judge what is still open in a run; the same call resumes it.

    Ctrl-C, a polite kill or a request (``progress.cancel``) stop it: calls under way are waited
    for, as they are paid, and no other begins; at a second one nothing is waited for.

    Args:
        run: The run folder.
        adapter: Makes the model; only called if an answer is missing. Nothing holds the model any
            more when its last answer is there, so that its device is free while judges still work.
            None only judges the answers that are there.
        judges: Who scores the answers; each as many at a time as its ``concurrency`` says.
        budget: What the judges spend from; its cap holds for them and for whoever else spends from
            it. No answer is bought that could not be judged too. At the cap what is answered is
            judged as far as the money lasts; the rest is left.
        repeats: How often each judge scores each answer.
        retry_failed: Ask again where the model failed before.
        watch: Called about twice a second.

    Returns:
        The final progress: ``done``, ``partly failed``, ``stopped`` or ``working`` (another worker
        still holds items).

    Raises:
        BadInput: The budget has a cap, and what a judge's model costs is not known.
        SpendCapReached: The cap was reached; the message says what is left.
        EvalcoreError: The model cannot be run at all, or the disk is full; what was done is kept.
        KeyboardInterrupt: A second Ctrl-C or kill came while a model of this process worked.
    """
    work = _Work(run, judges, budget or Budget(), repeats, retry_failed, watch)
    with on_signals(work.heard):
        try:
            work.panel.prepare(work.stop, budget)
            work.do(adapter)
        except SpendCapReached as error:
            raise work.capped(error) from None
        except KeyboardInterrupt:
            work.end("stopped")
            raise
        except Exception as error:
            known = isinstance(error, EvalcoreError)
            work.end("failed", str(error) if known else f"{type(error).__name__}: {error}")
            raise
        finally:
            work.close()
    return work.progress


class _Work:
    """One worker's pass over a run."""

    def __init__(  # noqa: PLR0913  what evaluate is told
        self,
        run: Run,
        judges: Sequence[Judge],
        budget: Budget,
        repeats: int,
        retry_failed: bool,
        watch: Callable[[Progress], None],
    ) -> None:
        self.run = run
        self.items = {item.id: item for item in run.items()}
        self.budget = budget
        self.panel = Panel(judges, repeats, self.items, self._write_verdicts, self._judged)
        self.kept = RunRecords(run, len(self.items), self.panel.keys)
        self.progress = self.kept.progress
        self.retry_failed = retry_failed
        self.watch = watch
        self.stop = Cancellation(self._requests)
        self._signals = self._filed = 0
        self._asked = self._closed = self._deaf = False
        self._capped: SpendCapReached | None = None
        self.claims = Claims(run.folder)
        self._order = list(self.items)
        self._front = 0
        self._leased: set[str] = set()
        self._looked = self._told = -math.inf
        if retry_failed:
            self.progress.answered -= self.progress.failed
            self.progress.failed = 0

    def do(self, adapter: Callable[[], ModelAdapter] | None) -> None:
        """Judge, answer, judge the rest and seal."""
        self.judge_backlog()
        if adapter is not None:
            self.predict(adapter)
            self.free_device()
            self.judge_backlog()
        self.finish()

    def predict(self, adapter: Callable[[], ModelAdapter]) -> None:
        """Answer items until none is left or the cap is reached; the model is gone on return."""
        self._asked = True
        self.kept.forget_unanswered()
        first = self._lease()
        if not first:
            return
        try:
            self._ask(adapter(), ItemQueue(first, self._lease, self._cancelled))
        except SpendCapReached as error:
            self._capped = error  # what is answered may still be judged
        finally:
            self._deaf = False

    def _ask(self, model: ModelAdapter, source: ItemQueue) -> None:
        paid = model.paid
        self._deaf = not model.stop_with(self.stop)
        if self._cancelled():
            return
        for prediction in answers(model.predict, source):
            stopping = self._cancelled()
            self.kept.answer(prediction)
            for key in self.panel.keys:
                self._judge(key, prediction)
            self._collect()
            if paid and self.panel.capped:
                source.end()  # no answers are bought that nobody may judge
            self._tell()
            if stopping and self._deaf:
                return

    def judge_backlog(self) -> None:
        """Judge answers that have no verdict: of an earlier pass or a dead worker, a new judge."""
        for key in () if self._cancelled() else self.panel.keys:
            unjudged = functools.partial(self._unjudged, key)
            for item in self.claims.take([f"judge:{key}"], unjudged, len(self.items)):
                self.budget.owe(item, key)
                self._judge(key, self.kept.answers[item])
                self._tell()
                if self._cancelled():
                    return
        self._ask_rules()

    def free_device(self) -> None:
        """Let other programs have the device while judges still work."""
        if self.panel.pending:
            gc.collect()  # takes a fifth of a second, and most models go without
        local.free_memory()

    def finish(self) -> None:
        """Wait for the judges, then seal what is whole."""
        self._ask_rules()
        while self.panel.pending and not self._cancelled():
            self._collect(LOOK_EVERY_S)
            self._tell()
        if self._cancelled():
            self.end("stopped")
            return
        if self._capped or self.panel.capped:
            raise self._capped or SpendCapReached(next(iter(self.panel.capped.values())))
        self.claims.release()
        with self.claims.alone() as last:
            self.kept.count()
            if len(self.kept.answers) < len(self.items) or any(
                map(self._unjudged, self.panel.keys)
            ):
                self.end("stopped" if last else "working", self._why_open() if last else "")
            elif self.progress.failed or not last:
                self.end("partly failed" if last else "working")
            else:
                self.kept.seal(self._order)
                self._end_whole()

    def _end_whole(self) -> None:
        """All that this pass was to do is done; a judge that it does not know of may lack some."""
        left = self.kept.forgotten()
        if left:
            how = f"'resume {self.run.id} --judge ...' with that judge asks for the rest"
            self.end("stopped", f"{left}; {how}")
        else:
            self.end("done")

    def _why_open(self) -> str:
        """Why something is left that nobody works on."""
        if not self._asked and len(self.kept.answers) < len(self.items):
            return "some questions are not asked yet; 'resume' asks them"
        return "another worker ended early; give the command again"

    def heard(self, number: int) -> None:
        """Hear a signal of the system that somebody asks to stop.

        Raises:
            KeyboardInterrupt: It is the second, and the model does not hear of requests while it
                works.
        """
        self._signals += 1
        self.progress.signal = number
        if self._signals > 1 and self._deaf:
            raise KeyboardInterrupt

    def end(self, state: str, problem: str = "") -> None:
        """Note how this pass ended."""
        self.progress.state, self.progress.problem = state, problem

    def capped(self, error: SpendCapReached) -> SpendCapReached:
        """Stop at the cap; the error to raise says what is left."""
        self.end("stopped", str(error))
        self.close()
        self.progress.problem = f"{error}; {self.progress.so_far()}"
        self.tell()
        return SpendCapReached(self.progress.problem)

    def close(self) -> None:
        """Stop the judges, keep what they had begun, write the last status, close the files."""
        if self._closed:
            return
        self._closed = True
        self.budget.close()
        for key, verdict in self.panel.dismiss(self.stop):
            self.kept.note_verdict(key, verdict)
        self.kept.close()
        with contextlib.suppress(EvalcoreError):
            self.claims.release()
        if self.progress.state != "done":
            self.kept.count()
        self.tell()

    def tell(self) -> None:
        """Write the status, and show it."""
        self._told = time.monotonic()
        write_status(self.run.folder, self.progress)
        self.watch(self.progress)

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
        self.kept.look()
        while self._front < len(self._order) and self._is_taken(self._order[self._front]):
            self._front += 1
        rest = itertools.islice(self._order, self._front, None)
        return (item for item in rest if not self._is_taken(item))

    def _is_taken(self, item: str) -> bool:
        answer = self.kept.answers.get(item)
        wanted = answer is None or (self.retry_failed and answer.text is None)
        return item in self._leased or not wanted

    def _unjudged(self, key: str) -> list[str]:
        """Answered items without a verdict, or to be tried again, that this pass did not send."""
        self.kept.look()
        have = {
            item
            for item, verdict in self.kept.verdicts(key).items()
            if not (self.retry_failed and verdict.score is None and verdict.reply is None)
        }
        have |= self.panel.sent[key]
        return [
            item
            for item, answer in self.kept.answers.items()
            if answer.text is not None and item not in have
        ]

    def _judge(self, key: str, prediction: Prediction) -> None:
        """Have an answer judged; where there is no answer there is nothing to judge."""
        if prediction.text is not None:
            self.panel.judge(key, prediction)

    def _collect(self, wait_s: float = 0.0) -> None:
        """Count the verdicts that have come; waits for one if there is none."""
        for key, verdict in self.panel.verdicts(wait_s):
            self.kept.note_verdict(key, verdict)

    def _ask_rules(self) -> None:
        for key, verdict in self.panel.by_rule():
            self.kept.note_verdict(key, verdict)

    def _write_verdicts(self, key: str, verdicts: Sequence[Verdict]) -> None:
        self.kept.write_verdicts(key, verdicts)

    def _judged(self, key: str, item: str) -> None:
        self.budget.judged(item, key)

    def _requests(self) -> int:
        """How many requests to stop there are; looks for the cancel file a few times a second."""
        if time.monotonic() - self._looked > CANCEL_EVERY_S:
            self._looked = time.monotonic()
            self._filed = progress.requests(self.run)
        return self._signals + self._filed

    def _cancelled(self) -> bool:
        """Whether to stop; then no judgement begins that may cost."""
        if self.stop.look():
            self.panel.stop()
        return self.stop.asked.is_set()

    def _tell(self) -> None:
        """The same, but about twice a second at most."""
        if time.monotonic() - self._told >= STATUS_EVERY_S:
            self._ask_rules()
            self.tell()
