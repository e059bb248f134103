"""Runs in processes: how far each is, readable by any; started, queued, stopped, and their logs.

A request to stop is a file ``cancel`` in the run's folder; a second one, to wait for nothing
either, is a word in it. Who starts runs takes earlier requests back; a process that has runs in its
queue looks for new ones before each of them.
"""

import contextlib
import functools
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalcore import files, home, values
from evalcore.engine import lines
from evalcore.engine.claims import started
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError
from evalcore.records import Prediction

LOG = "log.txt"
"""In a run's folder: what was logged while it was carried out."""
STARTING, WAITING, RUNNING = "starting", "waiting", "running"
"""A process was asked for; it has the run in its queue; it works on it."""
UNDER_WAY = frozenset({STARTING, WAITING, RUNNING})
NOT_BEGUN = "not begun"
log = logging.getLogger(__name__)


def is_cut_off(prediction: Prediction) -> bool:
    """Whether there is an answer, but not its end."""
    return prediction.text is not None and prediction.ended == "cut off"


@dataclass
class Progress:
    """What a run has done, for people who watch it; times in seconds, money in dollars."""

    total: int
    answered: int = 0
    failed: int = 0
    judged: dict[str, int] = field(default_factory=dict)
    unparsed: dict[str, int] = field(default_factory=dict)
    usd: float = 0.0
    model_seconds: float = 0.0
    state: str = RUNNING
    problem: str = ""
    began: float = field(default_factory=time.time)
    new: int = 0
    """Answers of this worker since it began, for the speed."""
    signal: int = 0
    """Of the system, which stopped it; 0: none did."""
    other_verdicts: int = 0
    """Of judges that have no part in this pass; ``judged`` holds those of its own."""
    other_unparsed: int = 0
    cut_off: int = 0
    """Answers that ended at their limit of tokens: they are scored as they are."""

    @property
    def verdicts(self) -> int:
        """All that the run has, of every judge and repeat."""
        return sum(self.judged.values()) + self.other_verdicts

    def so_far(self) -> str:
        """What a run that stopped at its cap has, in words."""
        words = f"{self.answered:,} of {self.total:,} questions are answered"
        if rest := self.total - self.answered:
            words += f", {rest:,} are not (cap reached),"
        if self.judged:
            due = (self.answered - self.failed) * len(self.judged)
            words += f" and {sum(self.judged.values()):,} of {due:,} verdicts on them given"
        return f"{words}; 'resume' with a higher --max-usd does the rest"


_LATER = {"signal", "other_verdicts", "other_unparsed", "cut_off"}
STATUS = frozenset(vars(Progress(0))) - _LATER | {"pid", "start", "updated"}
"""What a status tells; some came later."""


def _is_count(value: object) -> bool:
    return values.count(value) is not None


def _are_counts(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_count, value.values()))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_amount(value: object) -> bool:
    return values.amount(value) is not None


_TOLD: dict[str, Callable[[object], bool]] = {
    **dict.fromkeys(("state", "problem"), _is_text),
    **dict.fromkeys(("judged", "unparsed"), _are_counts),
    **dict.fromkeys(("usd", "model_seconds", "began", "updated"), _is_amount),
    **dict.fromkeys(
        ("total", "answered", "failed", "new", "pid", "other_verdicts", "other_unparsed"), _is_count
    ),
}
"""What a status tells → whether it is that; one that tells anything else is as none."""
_my_start = functools.cache(started)
"""For this process alone: an id may be given again, but not while it is in use."""


def write_status(folder: Path, progress: Progress) -> None:
    """Put the progress where any process can read it; a full disk does not stop the run."""
    _put(folder, vars(progress), os.getpid())


def enqueue(run: Run, state: str, pid: int | None = None) -> None:
    """Say that a process will come to a run, or that it no longer will; counts stay as they are.

    A run that another process works on is left alone.

    Args:
        run: The run.
        state: ``starting``, ``waiting`` or ``stopped``.
        pid: The process; None is this one.
    """
    status = read_status(run.folder)
    if status.get("state") == RUNNING and status["pid"] != (pid or os.getpid()):
        return
    fresh = {**vars(Progress(int(run.about["items"]))), **status, "new": 0, "problem": ""}
    _put(run.folder, {**fresh, "state": state, "began": time.time()}, pid or os.getpid())


def _put(folder: Path, about: Mapping[str, Any], pid: int) -> None:
    start = _my_start(pid) if pid == os.getpid() else started(pid)
    whole = {**about, "pid": pid, "start": start, "updated": time.time()}
    aside = folder / f".status.{os.getpid()}"
    with contextlib.suppress(OSError):
        aside.write_bytes(lines.line(whole))
        aside.replace(folder / "status.json")


def read_status(folder: Path) -> dict[str, Any]:
    """The last status of a run; ``interrupted`` if its process is gone without having ended."""
    try:
        status = lines.parsed(files.held(folder / "status.json").strip())
    except OSError:
        return {}
    if status is None or not status.keys() >= STATUS:
        return {}
    if not all(_TOLD[name](value) for name, value in status.items() if name in _TOLD):
        return {}
    lives = status["start"] is not None and started(status["pid"]) == status["start"]
    if status["state"] in UNDER_WAY and not lives:
        status["state"] = "interrupted"
    return status


def state(run: Run) -> str:
    """What a run is: the last status, or what the folder itself tells without one."""
    word = str(read_status(run.folder).get("state", ""))
    return word or ("done" if run.sealed("predictions") else NOT_BEGUN)


def open_still(run: Run) -> bool:
    """Whether a process works on the run, or is about to."""
    return state(run) in UNDER_WAY


def detach(runs_made: Sequence[Run], more: Sequence[str] = (), command: str = "resume") -> int:
    """Carry out runs one after the other in a process that outlives this one.

    Args:
        runs_made: The runs, as ``launch.start`` makes them.
        more: More arguments of the command.
        command: ``resume`` or ``judge``.

    Returns:
        The process's id.
    """
    for run in runs_made:
        _forget(run)
    pid = _spawn([command, *(run.id for run in runs_made), *more])
    for run in runs_made:
        enqueue(run, STARTING, pid)
    return pid


def queue(runs_made: Sequence[Run]) -> None:
    """Have this process come to these runs; earlier requests to stop them are over."""
    for run in runs_made:
        _forget(run)
        enqueue(run, WAITING)


def cancel(run: Run) -> None:
    """Ask that a run stops, or does not begin; a second request waits for no call under way.

    Raises:
        EvalcoreError: The folder cannot be written.
    """
    word = "at once" if asked_to_stop(run) else ""
    try:
        (run.folder / "cancel").write_text(word, encoding="utf-8")
    except OSError as error:
        raise EvalcoreError(
            f"cannot write {run.folder / 'cancel'} ({error.strerror}); stop the process instead, "
            "with Ctrl-C or kill"
        ) from None


def asked_to_stop(run: Run) -> bool:
    """Whether somebody asks that the run stops."""
    return requests(run) > 0


def requests(run: Run) -> int:
    """How many requests to stop there are, up to 2, at which nothing is waited for."""
    try:
        return 1 + ((run.folder / "cancel").stat().st_size > 0)
    except OSError:
        return 0


class _Log(logging.FileHandler):
    """A log that cannot be written neither stops a run nor clutters the screen."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  the library's name
        pass


@contextlib.contextmanager
def logged(run: Run) -> Iterator[None]:
    """Keep what is logged meanwhile in the run's folder too, with the beginning and the end."""
    handler: logging.Handler
    try:
        handler = _Log(run.folder / LOG, encoding="utf-8")
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    ours = logging.getLogger("evalcore")
    level = ours.level
    ours.addHandler(handler)
    ours.setLevel(logging.INFO)
    try:
        log.info("begins in process %d", os.getpid())
        yield
    except Exception as error:
        log.info("ends early: %s", error)
        raise
    else:
        log.info("ends: %s", state(run))
    finally:
        ours.setLevel(level)
        ours.removeHandler(handler)
        handler.close()


def run_log(run: Run, lines: int) -> str:
    """The last lines of a run's log; empty if it has none."""
    return _tail(run.folder / LOG, lines)


def process_log(lines: int) -> str:
    """The last lines that started processes wrote to their screen; empty if there are none."""
    return _tail(home.home() / "launch.log", lines)


def _tail(path: Path, lines: int) -> str:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def _forget(run: Run) -> None:
    try:
        (run.folder / "cancel").unlink(missing_ok=True)
    except OSError as error:
        raise EvalcoreError(f"cannot write {run.folder} ({error.strerror})") from None


def _spawn(arguments: Sequence[str]) -> int:
    """Start ``python -m evalcore`` with these arguments; its screen is ``launch.log``."""
    log_file = home.home() / "launch.log"
    log_file.parent.mkdir(parents=True, exist_ok=True)
    with log_file.open("a", encoding="utf-8") as file:
        child = subprocess.Popen(
            [sys.executable, "-m", "evalcore", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
            cwd=home.ROOT,
        )
    return child.pid


@contextlib.contextmanager
def on_signals(heard: Callable[[int], None]) -> Iterator[None]:
    """Tell of Ctrl-C and polite kills meanwhile, by their number; only in the main thread."""
    before = {}
    with contextlib.suppress(ValueError):  # not the main thread: the caller's signals stay
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, lambda number, frame: heard(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
