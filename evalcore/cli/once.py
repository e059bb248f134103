"""A command line on which nothing that is said is dropped in silence."""

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from evalcore.errors import BadInput

MOST_SAID = 600
"""Characters of a message."""
GIVEN = "given_once"
"""The namespace's note of the options that were given, removed when all is read."""


def check(names: Sequence[str], option: str) -> None:
    """Make sure that NAME=VALUE was said of each name once.

    Args:
        names: In the order in which they were given.
        option: For the message.

    Raises:
        BadInput: A name stands twice.
    """
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise BadInput(f"{option}: {twice[0]!r} is given twice; give it once")


class Once(argparse.Action):
    """Keeps one value; of an option that is given again argparse would drop the first unsaid."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Keep the value.

        Raises:
            ArgumentError: There is one already; the parser says so and ends with 2.
        """
        given: dict[str, Any] = namespace.__dict__.setdefault(GIVEN, {})
        if option_string and self.dest in given:
            both = f"{_said(given[self.dest])} and {_said(values)}"
            raise argparse.ArgumentError(
                self,
                f"given twice ({both}), and it takes one value; give it once, and run the command "
                "again for the other",
            )
        given[self.dest] = values
        setattr(namespace, self.dest, values)


def _said(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


class Parser(argparse.ArgumentParser):
    """A parser all of whose options with one value may be given once; so are its commands'."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2 and a short sentence: argparse quotes whatever it does not take."""
        super().error(message if len(message) <= MOST_SAID else f"{message[:MOST_SAID]}…")

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Make it like any other."""
        super().__init__(*arguments, **named)
        for name in (None, "store"):
            self.register("action", name, Once)

    def parse_known_args(self, *arguments: Any, **named: Any) -> Any:
        """Read a command line."""
        found, rest = super().parse_known_args(*arguments, **named)
        if found is not None:
            found.__dict__.pop(GIVEN, None)
        return found, rest
