"""Judges at work: rules score many answers at a time, who takes time does it in threads aside."""

import contextlib
import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from evalcore.engine import lines, runs
from evalcore.errors import EvalcoreError, SpendCapReached, Stopped
from evalcore.models.cancellation import LOOK_EVERY_S, Cancellation
from evalcore.models.cap import Budget
from evalcore.participants import Judge
from evalcore.records import Item, Prediction, Verdict


class Panel:
    """The judges of one run; each repeat of a judge has a verdict key of its own."""

    def __init__(
        self,
        judges: Sequence[Judge],
        repeats: int,
        items: Mapping[str, Item],
        write: Callable[[str, Sequence[Verdict]], None],
        over: Callable[[str, str], None] = lambda key, item: None,
    ) -> None:
        """Seat the judges.

        Args:
            judges: Who scores the answers.
            repeats: How often each does.
            items: The run's items by id.
            write: Puts verdicts of a key on disk; called from several threads.
            over: Told key and item when a judgement that may cost has ended or will not be made;
                called from several threads.
        """
        self._items, self._write, self._over = items, write, over
        self._stopped = False
        self._seats: dict[str, tuple[Judge, int, ThreadPoolExecutor | None]] = {}
        for judge in judges:
            pool = ThreadPoolExecutor(judge.concurrency, "judge") if judge.concurrency else None
            for repeat in range(repeats):
                key = runs.verdict_key(judge.name, judge.version, repeat)
                self._seats[key] = (judge, repeat, pool)
        self.keys = tuple(self._seats)
        self.sent: dict[str, set[str]] = {key: set() for key in self.keys}
        """Ids of the answers that were handed over, by verdict key."""
        self.pending = 0
        """Verdicts that are still to come, but for those of rules."""
        self.capped: dict[str, str] = {}
        """Keys whose judge may spend no more, and why; they are given nothing further to judge."""
        self._for_rules: dict[str, list[Prediction]] = {
            key: [] for key, (_, _, pool) in self._seats.items() if pool is None
        }
        self._ready: queue.SimpleQueue[tuple[str, str, Future[Verdict]]] = queue.SimpleQueue()

    def prepare(self, stop: Cancellation, budget: Budget | None) -> None:
        """Have all judges heed a request to stop and pay from one budget, which reserves their pay.

        Raises:
            BadInput: The budget has a cap, and what a judge's model costs is not known.
        """
        most: dict[str, Callable[[], float]] = {}
        for key, (judge, repeat, _) in self._seats.items():
            if repeat:
                most[key] = most[runs.verdict_key(judge.name, judge.version, 0)]
                continue
            judge.stop_with(stop)
            if budget is not None:
                judge.spend_from(budget)
            most[key] = self._most_usd(judge) if budget is not None else float
        if budget is not None:
            budget.expect(most)

    def _most_usd(self, judge: Judge) -> Callable[[], float]:
        """Gives what one of its verdicts can cost, by what its model is known to bill."""
        if not self._items:
            return float
        dearest = max(self._items.values(), key=lambda item: judge.most_usd([item]))
        return lambda: judge.most_usd([dearest])

    def judge(self, key: str, prediction: Prediction) -> None:
        """Have an answer judged: at once and aside, or by a rule when ``by_rule`` is called."""
        pool = self._seats[key][2]
        if key in self.capped or (pool and self._stopped):
            self._over(key, prediction.item)
            return
        self.sent[key].add(prediction.item)
        if pool is None:
            self._for_rules[key].append(prediction)
            return
        self.pending += 1
        future = pool.submit(self._judged, key, prediction)
        future.add_done_callback(lambda done: self._ready.put((key, prediction.item, done)))

    def by_rule(self) -> list[tuple[str, Verdict]]:
        """The rules' verdicts on all that they were given, with their keys, on disk.

        Many at once take a third of the time; if they are lost on the way, nothing was paid.
        """
        given = []
        for key, predictions in self._for_rules.items():
            if predictions:
                self._for_rules[key] = []
                verdicts = [self._verdict(key, prediction) for prediction in predictions]
                self._write(key, verdicts)
                given += [(key, verdict) for verdict in verdicts]
        return given

    def verdicts(self, wait_s: float = 0.0) -> Iterator[tuple[str, Verdict]]:
        """Those that have come, with their keys; the first is waited for, but not longer.

        A judge that may spend no more leaves its answers for another time: ``capped``.

        Raises:
            EvalcoreError: A judge met what ends a whole run, such as a wrong key.
        """
        while self.pending:
            try:
                key, item, future = self._ready.get(wait_s > 0, wait_s)
            except queue.Empty:
                return
            wait_s = 0.0
            self.pending -= 1
            if future.cancelled():
                continue
            try:
                verdict = future.result()
            except SpendCapReached as error:
                self.capped.setdefault(key, str(error))
                self.sent[key].discard(item)
                continue
            except Stopped:
                self.sent[key].discard(item)
                continue
            yield key, verdict

    def stop(self) -> None:
        """Begin no further judgement that may cost; rules go on."""
        if self._stopped:
            return
        self._stopped = True
        for _, _, pool in self._seats.values():
            if pool:
                pool.shutdown(wait=False, cancel_futures=True)

    def dismiss(self, stop: Cancellation) -> list[tuple[str, Verdict]]:
        """Begin no further judgement that may cost; wait for those that had begun, and give all.

        At a second request to stop nothing is waited for.
        """
        self.stop()
        dismissed = []
        while self.pending and not (stop.look() and stop.at_once):
            with contextlib.suppress(queue.Empty):
                key, _, future = self._ready.get(timeout=LOOK_EVERY_S)
                self.pending -= 1
                if not future.cancelled() and not future.exception():
                    dismissed.append((key, future.result()))
        with contextlib.suppress(EvalcoreError):  # or it would hide why the run ends
            dismissed += self.by_rule()
        return dismissed

    def _judged(self, key: str, prediction: Prediction) -> Verdict:
        """One verdict, on disk at once, as it may have been paid for."""
        try:
            verdict = self._verdict(key, prediction)
            self._write(key, [verdict])
            return verdict
        finally:
            self._over(key, prediction.item)

    def _verdict(self, key: str, prediction: Prediction) -> Verdict:
        """One verdict with its answer's mark; a judge that breaks gives none and says why."""
        judge, repeat, _ = self._seats[key]
        item = self._items[prediction.item]
        try:
            given = judge.judge(item, prediction, repeat)
            fields, reason = vars(given), f"the judge gave no verdict: score {given.score!r:.40}"
        except EvalcoreError:
            raise
        except Exception as error:  # noqa: BLE001  recorded, counted and shown
            fields, reason = {}, f"the judge failed: {type(error).__name__}: {str(error)[:300]}"
        none = Verdict(item.id, judge.name, judge.version, repeat, None, reason=reason)
        # Half a surrogate pair is a question mark on disk.
        answer = lines.mark(prediction.text) if prediction.text is not None else None
        return replace(lines.verdict(fields) or none, answer=answer)
