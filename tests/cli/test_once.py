"""Nothing that is said on a command line is dropped in silence."""

import argparse

import pytest

from evalcore.__main__ import main
from evalcore.cli.once import Once
from evalcore.cli.parser import build_parser


def commands():
    parser = build_parser()
    (action,) = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    return action.choices


def single_valued():
    """(command, option, a value that it takes) of every option that keeps one value."""
    for name, command in commands().items():
        for action in command._actions:
            plain = (argparse._StoreAction, Once)
            if action.option_strings and isinstance(action, plain):
                value = next(iter(action.choices)) if action.choices else "1"
                yield name, action.option_strings[0], str(value)


EVERY = list(single_valued())


def test_there_are_many_such_options():
    assert len(EVERY) > 60
    assert ("run", "--benchmark", "1") in EVERY


@pytest.mark.parametrize(("command", "option", "value"), EVERY)
def test_an_option_with_one_value_is_not_taken_twice(capsys, command, option, value):
    with pytest.raises(SystemExit) as ended:
        main([command, option, value, option, value])

    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert f"{option}: given twice ({value} and {value}), and it takes one value" in said


def test_what_is_given_once_or_takes_several_is_read_as_ever():
    words = ["run", "--benchmark", "b", "--model", "m", "--model", "n", "--seed", "0"]

    found = build_parser().parse_args([*words, "--option", "a=1", "--option", "b=2"])

    assert (found.benchmark, found.model, found.seed) == ("b", ["m", "n"], 0)
    assert found.option == ["a=1", "b=2"]
    assert not [name for name in vars(found) if "given" in name]


def test_a_parser_may_read_twice():
    parser = build_parser()

    first, second = (parser.parse_args(["scores", "--suite", name]) for name in ("a", "b"))

    assert (first.suite, second.suite) == ("a", "b")


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--model", "chance", "--benchmark", "easy-vqa", "--option", "seed=1", "--option",
         "seed=2"),
        ("recommend", "--weights", "Chart Understanding=1,Chart Understanding=2"),
        ("recommend", "--seconds", "a=1", "--seconds", "a=2"),
        ("recommend", "--usd-per-1000", "a=1,a=2"),
        ("recommend", "--questions-per-hour", "9", "--questions-per-hour", "10"),
        ("recommend", "--min-score", "50", "--min-score", "60"),
        ("recommend", "--min-score", "a=50", "--min-score", "a=60"),
        ("recommend", "--need", "documents=1", "--need", "documents=2"),
    ],
)  # fmt: skip
def test_a_name_is_not_given_two_values(home, capsys, arguments):
    assert main([*arguments]) == 2

    said = capsys.readouterr().err
    assert "is given twice; give it once" in said
    assert said.startswith("error: --")
