"""How commands on runs end: what the process says with its exit code, and in words."""

import os
import signal
import sys
import threading
from collections.abc import Mapping

from evalcore.engine.progress import Progress
from evalcore.engine.runs import Run

DONE = 0
BAD_INPUT = 2
OPEN = 3
"""Something is still to be asked or judged: stopped, at the spend cap, or another worker's."""
GAPS = 4
"""All was asked and judged, but some questions have no answer, or answers no score."""
CUT_OFF = "cut off at the limit of tokens (max_tokens, max_new_tokens)"
INTERRUPTED = 128 + signal.SIGINT
"""What shells give a process that Ctrl-C ended; other signals likewise."""
CODES = (
    "exit code: 0 all is answered and scored; 2 something given cannot be used, or a model cannot "
    "be called; 3 stopped, at the spend cap or still open: 'resume' goes on; 4 all is done, but "
    "some questions have no answer or some answers no score; 130 stopped by Ctrl-C (143 by kill): "
    "'resume' goes on. With --detach it says only whether the process was started."
)


class Ended(str):
    """What a command prints, with the exit code that tells how its runs stand."""

    code: int = DONE

    @classmethod
    def of(cls, printed: str, runs: Mapping[str, Progress]) -> "Ended":
        """What to print, and the code of the run that lacks most."""
        made = cls(printed)
        made.code = max((_code(one) for one in runs.values()), default=DONE)
        return made


def left(run: Run, now: Progress) -> str:
    """What a run lacks, in a line; empty if it is whole."""
    code = _code(now)
    if code in (DONE, GAPS):
        words = [
            _count(now.failed, "question has no answer", "questions have no answer"),
            _count(sum(now.unparsed.values()), "verdict has no score", "verdicts have no score"),
            _count(now.cut_off, f"answer {CUT_OFF}", f"answers {CUT_OFF}"),
        ]
        told = ", ".join(word for word in words if word)
        return f"{run.id}: {told}\n" if told else ""
    if now.state == "working":
        return f"{run.id}: another worker still holds some of it\n"
    why = f" ({now.problem})" if now.problem else ""
    return f"{run.id}: stopped{why}; 'python -m evalcore resume {run.id}' goes on\n"


def leave(code: int) -> None:
    """End this process; calls that nobody waits for any more do not hold it."""
    sys.stdout.flush()
    sys.stderr.flush()
    calling = any(one.name.startswith(("call", "judge")) for one in threading.enumerate())
    if code > GAPS or (code == OPEN and calling):
        os._exit(code)
    sys.exit(code)


def _code(now: Progress) -> int:
    if now.signal:
        return 128 + now.signal
    if now.state not in ("done", "partly failed"):
        return OPEN
    return GAPS if now.failed or any(now.unparsed.values()) else DONE


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}" if number else ""
