"""Judges at work: rules score many answers at a time, who takes time does it in threads aside."""

import contextlib
import queue
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from evalcore.engine import runs
from evalcore.errors import EvalcoreError, SpendCapReached
from evalcore.records import Item, Judge, Prediction, Verdict


class Panel:
    """The judges of one run; each repeat of a judge has a verdict key of its own."""

    def __init__(
        self,
        judges: Sequence[Judge],
        repeats: int,
        items: Mapping[str, Item],
        write: Callable[[str, Sequence[Verdict]], None],
    ) -> None:
        """Seat the judges.

        Args:
            judges: Who scores the answers.
            repeats: How often each does.
            items: The run's items by id.
            write: Puts verdicts of a key on disk; called from several threads.
        """
        self._items, self._write = items, write
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

    def judge(self, key: str, prediction: Prediction) -> None:
        """Have an answer judged: at once and aside, or by a rule when ``by_rule`` is called."""
        if key in self.capped:
            return
        self.sent[key].add(prediction.item)
        pool = self._seats[key][2]
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
                found = [self._verdict(key, prediction) for prediction in predictions]
                self._write(key, found)
                given += [(key, verdict) for verdict in found]
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
            yield key, verdict

    def dismiss(self) -> list[tuple[str, Verdict]]:
        """Begin no further judgement that costs; wait for those that had begun, and give all."""
        pools = [pool for _, _, pool in self._seats.values() if pool]
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        for pool in pools:
            pool.shutdown()
        last = [self._ready.get_nowait() for _ in range(self._ready.qsize())]
        found = [
            (key, future.result())
            for key, _, future in last
            if not future.cancelled() and not future.exception()
        ]
        with contextlib.suppress(EvalcoreError):  # or it would hide why the run ends
            found += self.by_rule()
        return found

    def _judged(self, key: str, prediction: Prediction) -> Verdict:
        """One verdict, on disk at once, as it may have been paid for."""
        verdict = self._verdict(key, prediction)
        self._write(key, [verdict])
        return verdict

    def _verdict(self, key: str, prediction: Prediction) -> Verdict:
        """One verdict; a judge that breaks gives none and says why."""
        judge, repeat, _ = self._seats[key]
        item = self._items[prediction.item]
        try:
            return judge.judge(item, prediction, repeat)
        except EvalcoreError:
            raise
        except Exception as error:  # noqa: BLE001  recorded, counted and shown
            reason = f"the judge failed: {type(error).__name__}: {str(error)[:300]}"
            return Verdict(item.id, judge.name, judge.version, repeat, None, reason=reason)
