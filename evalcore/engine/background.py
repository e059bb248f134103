"""Runs in processes of their own: started, queued, stopped, and what they say while they work.

A request to stop is a file ``cancel`` in the run's folder; a second one, to wait for nothing
either, is a word in it. Who starts runs takes earlier requests back; a process that has runs in its
queue looks for new ones before each of them.
"""

import contextlib
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from evalcore import home
from evalcore.engine import progress
from evalcore.engine.runs import Run
from evalcore.errors import EvalcoreError

LOG = "log.txt"
"""In a run's folder: what was logged while it was carried out."""
log = logging.getLogger(__name__)


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
        progress.enqueue(run, progress.STARTING, pid)
    return pid


def queue(runs_made: Sequence[Run]) -> None:
    """Have this process come to these runs; earlier requests to stop them are over."""
    for run in runs_made:
        _forget(run)
        progress.enqueue(run, progress.WAITING)


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
        log.info("ends: %s", progress.state(run))
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
