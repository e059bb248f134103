"""What a terminal is given: names and answers that hold its commands are shown, not obeyed."""

import contextlib
import io
import json
import logging

import pandas as pd
import pytest

from evalcore.__main__ import main
from evalcore.cli import output
from evalcore.cli.output import BAD_INPUT
from evalcore.home import ROOT

CLEAR = "\x1b[2J\x1b]0;owned\x07\x9b31mred\r\u202eabc"
SHOWN = r"\x1b[2J\x1b]0;owned\x07\x9b31mred\r\u202eabc"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@contextlib.contextmanager
def terminal():
    with contextlib.redirect_stdout(Terminal()) as screen, contextlib.redirect_stderr(screen):
        yield screen


def obeyed(text: str) -> set[str]:
    return {letter for letter in text if letter != "\n" and not letter.isprintable()}


@pytest.mark.parametrize("code", [*range(32), *range(127, 160), 0x200E, 0x2028, 0x202E, 0x2066])
def test_no_sign_that_a_terminal_obeys_is_in_a_table(code):
    table = output.text(pd.DataFrame({f"a{chr(code)}": [f"b{chr(code)}c"]}), "table")

    assert obeyed(table) == set()
    assert table.count("\n") == 2


def test_a_table_shows_what_it_does_not_obey():
    table = output.text(pd.DataFrame({"model": [CLEAR], "tags": [("a\nb", CLEAR)]}), "table")

    assert table.count(SHOWN) == 2
    assert r"a\nb" in table


def test_letters_of_all_scripts_stay_in_a_table():
    written = "モデル é שלום 🧭 a\u00a0b"

    assert written in output.text(pd.DataFrame({"model": [written]}), "table")


def test_csv_and_json_are_exact_for_programs(capsys):
    frame = pd.DataFrame({"model": [CLEAR, "=1+1"], "change": [-1.5, 2.0]})

    output.say(output.text(frame, "json"))
    assert json.loads(capsys.readouterr().out)[0]["model"] == CLEAR
    output.say(output.text(frame, "csv"))
    read = pd.read_csv(io.StringIO(capsys.readouterr().out), lineterminator="\n")
    assert list(read["model"]) == [CLEAR, "=1+1"]


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_no_format_commands_a_terminal(form):
    with terminal() as screen:
        output.say(output.text(pd.DataFrame({"model": [CLEAR]}), form))

    assert "owned" in screen.getvalue()
    assert obeyed(screen.getvalue()) == set()


def test_an_error_that_names_a_run_is_shown(home):
    with terminal() as screen:
        assert main(["resume", CLEAR]) == BAD_INPUT

    assert "owned" in screen.getvalue()
    assert obeyed(screen.getvalue()) == set()


def test_progress_and_warnings_are_shown_too():
    record = logging.LogRecord("n", logging.WARNING, "f", 1, "passed over: %s", (CLEAR,), None)
    with terminal() as screen:
        with output.progress_bar() as bar:
            bar(f"{CLEAR} on tiny", 3, 6)
            bar(f"{CLEAR} on tiny", 6, 6)
        output.tell(output.Sentences("%(message)s").format(record))

    assert screen.getvalue().count(SHOWN) >= 2
    assert "6/6" in screen.getvalue()
    assert obeyed(screen.getvalue()) == {"\r"}, "a line of progress stands over the one before"


def test_nothing_writes_to_the_terminal_past_the_one_place():
    for path in [ROOT / "evalcore" / "__main__.py", *(ROOT / "evalcore" / "cli").glob("*.py")]:
        if path.name != "output.py":
            assert ".write(" not in path.read_text("utf-8"), path
