"""``python -m evalcore COMMAND``: runs one command and turns expected errors into words."""

import contextlib
import logging
import os
import sys
from collections.abc import Sequence

from evalcore import spelled
from evalcore.cli.commands import COMMANDS
from evalcore.cli.ended import BAD_INPUT, DONE, INTERRUPTED, OPEN, Ended, leave
from evalcore.cli.output import Sentences, say, tell
from evalcore.cli.parser import build_parser
from evalcore.errors import EvalcoreError, SpendCapReached


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0, or 2 when something given or stored cannot be used (said on standard error); of commands
        on runs what ``ended.CODES`` says.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        spelled.check_arguments(given)
        parsed = build_parser().parse_args(given)
        return _write(COMMANDS[parsed.command](parsed))
    except SpendCapReached as error:
        tell(f"stopped: {error}\n")
        return OPEN
    except EvalcoreError as error:
        tell(f"error: {error}\n")
        return BAD_INPUT
    except KeyboardInterrupt:
        tell("stopped\n")
        return INTERRUPTED
    except OSError as error:
        tell(f"error: a file cannot be read or written ({error})\n")
        return BAD_INPUT


def _write(said: str) -> int:
    """Put out what a command says; gives the exit code."""
    try:
        say(said)
    except BrokenPipeError:
        # The reader (head, less) has left; keep Python from complaining at exit.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (OSError, UnicodeEncodeError) as error:
        tell(f"error: the answer cannot be written ({error})\n")
        return BAD_INPUT
    return said.code if isinstance(said, Ended) else DONE


if __name__ == "__main__":
    screen = logging.StreamHandler()
    screen.setLevel(logging.WARNING)  # a run's own log holds more
    screen.setFormatter(Sentences("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[screen])
    leave(main())
