"""The command line: which commands there are, what was typed, and how it ends.

A command is a function marked ``@command(GROUP)`` in a module of this folder. Its options, their
types and defaults are those of its argument, a dataclass; its help is its docstring. Marks are read
without importing anything: a command's module is imported when the command runs.
"""

import ast
import contextlib
import functools
import logging
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from inspect import cleandoc
from pathlib import Path

from cyclopts import (
    App,
    ArgumentCollection,
    CycloptsError,
    Group,
    MissingArgumentError,
    Parameter,
    RepeatArgumentError,
)

from evalcore import messages
from evalcore.cli.output import (
    BAD_INPUT,
    DONE,
    INTERRUPTED,
    OPEN,
    Coded,
    Sentences,
    leave,
    say,
    tell,
)  # fmt: skip
from evalcore.errors import BadInput, EvalcoreError, SpendCapReached

GROUPS = {
    "look": "Look at results",
    "decide": "Decide",
    "run": "Run models",
    "own": "Your own data",
    "maintain": "Maintain",
}
ABOUT = "Published results of vision-language models: look, compare, decide."
CODES = (
    "Exit code: 0 all is answered and scored; 2 something given cannot be used, or a model cannot "
    "be called; 3 stopped, at the spend cap or still open: 'resume' goes on; 4 all is done, but "
    "some questions have no answer or some answers no score; 130 stopped by Ctrl-C (143 by kill): "
    "'resume' goes on. With --detach it says only whether the process was started."
)
INSTALLED = Path(sys.argv[0]).stem == "sextant"
PROGRAM = "sextant" if INSTALLED else "python -m evalcore"
DEFAULTS = Parameter(negative=())
"""There is no ``--no-blind``: what is not given is not asked."""
LONGEST_ERROR = 600
"""Characters of a sentence about what was typed."""


@dataclass(frozen=True)
class Command:
    """A command as its source says it."""

    name: str
    group: str
    target: str
    """``module:function``."""
    help: str
    """Its docstring up to what it raises."""


@functools.cache
def commands() -> list[Command]:
    """Every marked function of this folder, by group."""
    marked = [
        Command(
            node.name.strip("_").replace("_", "-"),
            ast.literal_eval(mark.args[0]),
            f"{__package__}.{path.stem}:{node.name}",
            cleandoc(ast.get_docstring(node) or "").partition("\n\nRaises:")[0],
        )
        for path in sorted(Path(__file__).parent.glob("*.py"))
        for node in ast.parse(path.read_bytes()).body
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
        if isinstance(mark, ast.Call) and getattr(mark.func, "id", "") == "command"
    ]
    return sorted(marked, key=lambda command: [*GROUPS].index(command.group))


def build_app() -> App:
    """The whole command line."""
    app = App(
        name=PROGRAM,
        help=ABOUT,
        help_epilogue=CODES,
        version_flags=(),
        default_parameter=DEFAULTS,
        help_format="plaintext",
    )
    app["--help"].group = ""
    groups = {name: Group(GROUPS[name], sort_key=place) for place, name in enumerate(GROUPS)}
    for marked in commands():
        group = groups[marked.group]
        app.command(marked.target, name=marked.name, help=marked.help, group=group)
    if INSTALLED:
        app.register_install_completion_command()
    return app


def arguments_of(command: App) -> ArgumentCollection:
    """The arguments and options of a command of ``build_app``, each with its one name first."""
    return command.assemble_argument_collection(default_parameter=DEFAULTS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0, or 2 when something given or stored cannot be used (said on standard error); of commands
        on runs what ``CODES`` says.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        messages.check_arguments(given)
        return _write(_run(given))
    except SpendCapReached as error:
        tell(f"stopped: {error}\n")
        return OPEN
    except EvalcoreError as error:
        tell(f"error: {error}\n")
        return BAD_INPUT
    except CycloptsError as error:
        tell(f"error: {_sentence(error, given)}\n")
        return BAD_INPUT
    except KeyboardInterrupt:
        tell("stopped\n")
        return INTERRUPTED
    except OSError as error:
        tell(f"error: a file cannot be read or written ({error})\n")
        return BAD_INPUT


def script() -> None:
    """Run the command that was typed, and end this process."""
    screen = logging.StreamHandler()
    screen.setLevel(logging.WARNING)  # a run's own log holds more
    screen.setFormatter(Sentences("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[screen])
    leave(main())


def _run(given: list[str]) -> str:
    """What the command prints; empty after help."""
    if not given:
        raise BadInput(f"a command is missing; '{PROGRAM} --help' lists them")
    app, name = build_app(), given[0]
    if name in {marked.name for marked in commands()}:
        given = [name, *_unabbreviated(given[1:], app[name])]
    elif name not in app:
        near = get_close_matches(name, list(app), 1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise BadInput(f"unknown command {messages.shown(name)}{meant}; see '{PROGRAM} --help'")
    function, bound, _ = app.parse_args(given, exit_on_error=False, print_error=False)
    return function(*bound.args, **bound.kwargs) or ""


def _unabbreviated(tokens: list[str], command: App) -> list[str]:
    """Options by their whole names: any beginning that only one of them has stands for it.

    A value that begins with a hyphen and cannot be an option ("-", "-a b") is joined to its option.
    """
    flags = {"--help": True} | {
        argument.names[0]: argument.hint is bool
        for argument in arguments_of(command)
        if argument.names[0].startswith("--")
    }
    whole: list[str] = []
    for place, token in enumerate(tokens):
        if token == "--":
            return whole + tokens[place:]
        if flags.get(whole[-1] if whole else "") is False and _hyphened(token):
            whole[-1] += f"={token}"
            continue
        name, equals, value = token.partition("=")
        name = _whole_name(name, flags)
        if equals and flags.get(name):
            raise BadInput(f"{name} takes no value; leave out {messages.shown(equals + value)}")
        if not flags.get(name) or name not in whole:
            whole.append(f"{name}{equals}{value}")
    return whole


def _hyphened(token: str) -> bool:
    return token == "-" or (token.startswith("-") and " " in token.partition("=")[0])


def _whole_name(name: str, flags: Iterable[str]) -> str:
    if not name.startswith("--") or name in flags:
        return name
    fitting = [flag for flag in flags if flag.startswith(name)]
    if len(fitting) > 1:
        raise BadInput(f"{name} may be {' or '.join(fitting)}; write more of it")
    return fitting[0] if fitting else name


def _sentence(error: CycloptsError, given: list[str]) -> str:
    """What is wrong with what was typed, and where it says what would be right."""
    if isinstance(error, RepeatArgumentError):
        return (
            f"{error.token.keyword} is given twice, and it takes one value; give it once, and run "
            "the command again for the other"
        )
    name = error.argument.name if isinstance(error, MissingArgumentError) and error.argument else ""
    words = " ".join(str(error).split())
    if name and not any(token.partition("=")[0] == name for token in given):
        words = f"{name} is missing"
    words = words if len(words) <= LONGEST_ERROR else f"{words[:LONGEST_ERROR]}…"
    about = f"{PROGRAM} {given[0]}" if error.command_chain else PROGRAM
    return f"{words.rstrip('.')}; see '{about} --help'"


def _write(text: str) -> int:
    """Put out what a command prints; gives the exit code."""
    try:
        say(text)
    except BrokenPipeError:
        # The reader (head, less) has left; keep Python from complaining at exit.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except (OSError, UnicodeEncodeError) as error:
        tell(f"error: the answer cannot be written ({error})\n")
        return BAD_INPUT
    return text.code if isinstance(text, Coded) else DONE
