"""Predict and judge over a run, as one stream: an answer goes to the judges while the next comes.

The only place that turns an adapter's exception into a record.
"""

import contextlib
import functools
import logging
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from evalcore import runs
from evalcore.claims import Claims
from evalcore.errors import EvalcoreError, SpendCapReached
from evalcore.lines import Writer
from evalcore.progress import Progress, write_status
from evalcore.records import Item, Judge, ModelAdapter, Prediction, Verdict
from evalcore.runs import Run

log = logging.getLogger(__name__)
LEASE = 256
"""Items a worker takes at a time: enough to sort by length, few enough to share."""
STATUS_EVERY_S = 0.5


def evaluate(  # noqa: PLR0913  what to do, and how it may be watched
    run: Run,
    adapter: Callable[[], ModelAdapter],
    judges: Sequence[Judge],
    *,
    repeats: int = 1,
    retry_failed: bool = False,
    watch: Callable[[Progress], None] = lambda progress: None,
    judge_threads: int = 8,
) -> Progress:
    """Answer and judge what is still open in a run; the same call resumes it.

    Args:
        run: The run folder.
        adapter: Makes the model; only called if an answer is missing.
        judges: Who scores the answers.
        repeats: How often each judge scores each answer.
        retry_failed: Ask again where the model failed before.
        watch: Called about twice a second.
        judge_threads: Judgements at a time.

    Returns:
        The final progress: ``done``, ``partly failed``, ``stopped`` or ``working`` (another worker
        still holds items).

    Raises:
        EvalcoreError: The model cannot be run at all, or the disk is full; what was done is kept.
    """
    work = _Work(run, judges, repeats, retry_failed, watch, judge_threads)
    try:
        with _stop_on_signals(work):
            work.judge_backlog()
            if work.open_items():
                work.predict(adapter())
                work.judge_backlog()
            work.finish()
    except SpendCapReached as error:
        work.end("stopped", str(error))
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

    def __init__(  # noqa: PLR0913  the arguments of evaluate
        self,
        run: Run,
        judges: Sequence[Judge],
        repeats: int,
        retry_failed: bool,
        watch: Callable[[Progress], None],
        judge_threads: int,
    ) -> None:
        self.run = run
        self.items = {item.id: item for item in run.items()}
        self.judges = {
            runs.verdict_key(judge.name, judge.version, repeat): (judge, repeat)
            for judge in judges
            for repeat in range(repeats)
        }
        self.retry_failed = retry_failed
        self.watch = watch
        self.stopping = False
        self.claims = Claims(run.folder)
        self.progress = Progress(total=len(self.items))
        self._answered = run.follow_predictions()
        self._verdicts = {key: run.follow_verdicts(key) for key in self.judges}
        self.done = self._answered.now()
        self._asked: set[str] = set()
        self._pool = ThreadPoolExecutor(max_workers=judge_threads)
        self._sent: dict[str, set[str]] = {key: set() for key in self.judges}
        self._pending = 0
        self._judged: queue.SimpleQueue[tuple[str, Future[Verdict]]] = queue.SimpleQueue()
        self._writing = threading.Lock()
        self._writers: dict[str, Writer] = {}
        self._told = 0.0
        self._count()
        if retry_failed:
            self.progress.answered -= self.progress.failed
            self.progress.failed = 0

    def open_items(self) -> list[str]:
        """Items that this pass should ask: without an answer, or failed and to be tried again."""
        if self.run.sealed("predictions"):
            return []
        done = self._answered.now()
        return [
            item
            for item in self.items
            if item not in self._asked
            and (item not in done or (self.retry_failed and done[item].text is None))
        ]

    def predict(self, adapter: ModelAdapter) -> None:
        """Lease items and answer them until none is left."""
        while not self._cancelled():
            lease = self.claims.take(self._stages, self.open_items, LEASE)
            if not lease:
                return
            for prediction in self._answers(adapter, [self.items[item] for item in lease]):
                self._write("predictions", prediction)
                self._asked.add(prediction.item)
                self.done[prediction.item] = prediction
                self._note(prediction)
                self._send_to_judges(prediction)
                self._tell()
                if self._cancelled():
                    return

    def judge_backlog(self) -> None:
        """Judge answers that have no verdict: of an earlier pass or a dead worker, a new judge."""
        for key in () if self._cancelled() else self.judges:
            unjudged = functools.partial(self._unjudged, key)
            for item in self.claims.take([f"judge:{key}"], unjudged, len(self.items)):
                self._send(key, self.done[item])
        self._collect(wait=False)

    def finish(self) -> None:
        """Wait for the judges, then seal what is whole."""
        self._collect(wait=True)
        if self._cancelled():
            self.end("stopped")
            return
        self.claims.release()
        with self.claims.alone() as last:
            self._answered.now()
            failed = any(prediction.text is None for prediction in self.done.values())
            if len(self.done) < len(self.items) or any(map(self._unjudged, self.judges)):
                problem = "" if not last else "another worker ended early; give the command again"
                self.end("stopped" if last else "working", problem)
            elif failed or not last:
                self.end("partly failed" if failed and last else "working")
            else:
                for part in ("predictions", *(f"verdicts/{key}" for key in self.judges)):
                    self.run.seal(part)
                self.end("done")

    def end(self, state: str, problem: str = "") -> None:
        """Note how this pass ended."""
        self.progress.state, self.progress.problem = state, problem

    def close(self) -> None:
        """Stop the judges, keep what they had begun, write the last status, close the files."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        for writer in self._writers.values():
            writer.close()
        with contextlib.suppress(EvalcoreError):
            self.claims.release()
        self._answered.now()
        self._count()
        self._tell(now=True)

    @property
    def _stages(self) -> list[str]:
        """Who answers an item also judges it."""
        return ["predict", *(f"judge:{key}" for key in self.judges)]

    def _unjudged(self, key: str) -> list[str]:
        """Answered items without a verdict, or to be tried again, that this pass did not send."""
        self._answered.now()
        have = {
            item
            for item, verdict in self._verdicts[key].now().items()
            if not (self.retry_failed and verdict.score is None and verdict.reply is None)
        }
        return [
            item
            for item, answer in self.done.items()
            if answer.text is not None and item not in have and item not in self._sent[key]
        ]

    def _answers(self, adapter: ModelAdapter, items: Sequence[Item]) -> Iterator[Prediction]:
        """The adapter's answers; where it breaks, the rest one by one, and then as failures."""
        left = {item.id: item for item in items}
        try:
            for prediction in adapter.predict(items):
                if left.pop(prediction.item, None) is not None:
                    yield prediction
        except EvalcoreError:
            raise
        except Exception as error:  # noqa: BLE001  any adapter may fail in any way
            log.warning("%s: %s on %d items", self.run.id, type(error).__name__, len(left))
            for item in list(left.values()):
                yield self._alone(adapter, item)
            return
        for name in left:
            yield Prediction(name, None, error="the model gave no answer for this item")

    def _alone(self, adapter: ModelAdapter, item: Item) -> Prediction:
        try:
            found = next((one for one in adapter.predict([item]) if one.item == item.id), None)
        except EvalcoreError:
            raise
        except Exception as error:  # noqa: BLE001  recorded, counted and shown
            return Prediction(item.id, None, error=f"{type(error).__name__}: {str(error)[:300]}")
        return found or Prediction(item.id, None, error="the model gave no answer for this item")

    def _send_to_judges(self, prediction: Prediction) -> None:
        for key in self.judges:
            self._send(key, prediction)
        self._collect(wait=False)

    def _send(self, key: str, prediction: Prediction) -> None:
        """Hand an answer to a judge; where there is no answer there is nothing to judge."""
        if prediction.text is None:
            return
        self._pending += 1
        self._sent[key].add(prediction.item)
        future = self._pool.submit(self._judge, key, prediction)
        future.add_done_callback(lambda done: self._judged.put((key, done)))

    def _collect(self, *, wait: bool) -> None:
        """Count the verdicts that are there; with ``wait`` all, unless the run is to stop."""
        while self._pending and not (wait and self._cancelled()):
            try:
                key, future = self._judged.get(block=wait, timeout=STATUS_EVERY_S if wait else None)
            except queue.Empty:
                if not wait:
                    return
                self._tell()
                continue
            self._pending -= 1
            if not future.cancelled():
                self._note_verdict(key, future.result())

    def _judge(self, key: str, prediction: Prediction) -> Verdict:
        """One verdict, written at once, as it may have been paid for."""
        judge, repeat = self.judges[key]
        verdict = _verdict(judge, self.items[prediction.item], prediction, repeat)
        self._write(f"verdicts/{key}", verdict)
        return verdict

    def _note_verdict(self, key: str, verdict: Verdict) -> None:
        self.progress.judged[key] = self.progress.judged.get(key, 0) + 1
        if verdict.score is None:
            self.progress.unparsed[key] = self.progress.unparsed.get(key, 0) + 1
        self.progress.usd += verdict.usd or 0
        self._tell()

    def _write(self, part: str, record: Prediction | Verdict) -> None:
        with self._writing:
            if part not in self._writers:
                self._writers[part] = self.run.writer(part)
            self._writers[part].append(record)

    def _note(self, prediction: Prediction) -> None:
        self.progress.answered += 1
        self.progress.new += 1
        self.progress.failed += prediction.text is None
        self.progress.usd += prediction.usd or 0
        self.progress.model_seconds += prediction.seconds or 0

    def _count(self) -> None:
        """Count what the run folder holds, whoever did it."""
        self.progress.answered = len(self.done)
        self.progress.failed = sum(one.text is None for one in self.done.values())
        self.progress.usd = sum(one.usd or 0 for one in self.done.values())
        for key in self.judges:
            verdicts = self._verdicts[key].now().values()
            self.progress.usd += sum(one.usd or 0 for one in verdicts)
            self.progress.judged[key] = len(verdicts)
            self.progress.unparsed[key] = sum(verdict.score is None for verdict in verdicts)

    def _cancelled(self) -> bool:
        self.stopping = self.stopping or (self.run.folder / "cancel").exists()
        return self.stopping

    def _tell(self, *, now: bool = False) -> None:
        if not now and time.time() - self._told < STATUS_EVERY_S:
            return
        self._told = time.time()
        write_status(self.run.folder, self.progress)
        self.watch(self.progress)


def _verdict(judge: Judge, item: Item, prediction: Prediction, repeat: int) -> Verdict:
    """One verdict; a judge that breaks gives none and says why."""
    try:
        return judge.judge(item, prediction, repeat)
    except EvalcoreError:
        raise
    except Exception as error:  # noqa: BLE001  recorded, counted and shown
        reason = f"the judge failed: {type(error).__name__}: {str(error)[:300]}"
        return Verdict(item.id, judge.name, judge.version, repeat, None, reason=reason)


@contextlib.contextmanager
def _stop_on_signals(work: _Work) -> Iterator[None]:
    """On Ctrl-C or a polite kill finish the answer at hand, then stop; only in the main thread."""

    def stop(number: int, frame: object) -> None:
        work.stopping = True

    before = {}
    with contextlib.suppress(ValueError):  # not the main thread: the caller's signals stay
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
