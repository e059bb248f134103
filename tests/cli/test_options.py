"""Nothing that is said on a command line is dropped in silence, and nothing is loaded for help."""

import subprocess
import sys
import tomllib

import pytest

from evalcore.__main__ import main
from evalcore.cli.app import arguments_of, build_app, commands, script
from evalcore.home import ROOT

NEEDED = {
    "list": ["models"], "resume": ["r"], "judge": ["r"], "cancel": ["r"], "mmvet": ["r"],
    "count-digits": ["f"],
    **dict.fromkeys(("estimate", "run"), ["--model", "m", "--benchmark", "b"]),
    **dict.fromkeys(("zeroshot", "digits"), ["--model", "m", "--benchmark", "b"]),
    "agreement": ["--benchmark", "b"],
}  # fmt: skip


def single_valued():
    """(command, option, a value that it takes) of every option that keeps one value."""
    app = build_app()
    for name in [command.name for command in commands()]:
        for argument in arguments_of(app[name]):
            option = argument.names[0]
            several = argument.hint is bool or "list" in str(argument.hint)
            if option.startswith("--") and (not several or option == "--clear"):
                yield name, option, (argument.get_choices() or ["1"])[0]


EVERY = list(single_valued())


def read(*words):
    """What a command is called with."""
    _, bound, _ = build_app().parse_args(words, exit_on_error=False, print_error=False)
    return bound.arguments["options"]


def test_there_are_many_such_options():
    assert len(EVERY) > 60
    assert ("run", "--benchmark", "1") in EVERY


@pytest.mark.parametrize(("command", "option", "value"), EVERY)
def test_an_option_with_one_value_is_not_taken_twice(capsys, command, option, value):
    assert main([command, *NEEDED.get(command, []), option, value, option, value]) == 2

    assert f"{option} is given twice, and it takes one value" in capsys.readouterr().err


def test_what_is_given_once_or_takes_several_is_read_as_ever():
    words = ["run", "--benchmark", "b", "--model", "m", "--model", "n", "--seed", "0"]

    options = read(*words, "--option", "a=1", "--option", "b=2")

    assert (options.benchmark, options.model, options.seed) == ("b", ["m", "n"], 0)
    assert options.option == ["a=1", "b=2"]


def test_a_command_line_may_be_read_twice():
    first, second = (read("scores", "--suite", name) for name in ("a", "b"))

    assert (first.suite, second.suite) == ("a", "b")


@pytest.mark.parametrize(
    ("typed", "same"),
    [
        (["list", "--fo", "json", "presets"], ["list", "presets", "--format", "json"]),
        (["list", "presets", "--f=json"], ["list", "presets", "--format=json"]),
        (["list", "--", "presets"], ["list", "presets"]),
        (
            ["profile", "--show", "winners", "--cor", "bh"],
            ["profile", "--show", "winners", "--correction=bh"],
        ),
    ],
)
def test_the_beginning_of_an_option_stands_for_it(capsys, store, monkeypatch, typed, same):
    monkeypatch.setenv("EVALCORE_HOME", str(store.parent))
    assert main(typed) == 0
    short = capsys.readouterr().out
    assert main(same) == 0
    assert capsys.readouterr().out == short


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (["scores", "--s", "x"], "--s may be --source or --suite; write more of it"),
        (["profile", "--no-chance-corrected"], "Unknown option: --no-chance-corrected"),
        (
            ["estimate", "--e", "x", "--model", "m"],
            "--benchmark is missing; see 'python -m evalcore",
        ),
        (["mmvet"], "RUN is missing"),
        (["scores", "--suite"], "--suite requires an argument"),
        (["run", "--blind=1"], "--blind takes no value; leave out '=1'"),
        (["profile", "--min-n", "2.5"], "--min-n: '2.5' should be a whole number"),
        (["distil", "--size", "0"], "--size: '0' should be a whole number from 1 on"),
        (["recommend", "--max-params-b", "ten"], "--max-params-b: 'ten' should be a number"),
        (["recommend", "--max-params-b", "-1"], "max_params_b is -1.0; give a number"),
        (["scores", "--source", "-"], "unknown source '-'"),
        (["scores", "--source", "-a b"], "unknown source '-a b'"),
        (["list", "present"], "Did you mean"),
        (["lst"], "unknown command 'lst'; did you mean list?; see 'python -m evalcore --help'"),
        ([], "a command is missing; 'python -m evalcore --help' lists them"),
    ],
)
def test_what_is_wrong_is_told_in_one_sentence(capsys, store, monkeypatch, typed, sentence):
    monkeypatch.setenv("EVALCORE_HOME", str(store.parent))

    assert main(typed) == 2

    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert sentence in line


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


@pytest.mark.parametrize("typed", [["--help"], [], ["lst"], ["--version"]])
def test_no_command_is_loaded_before_it_is_named(typed):
    loads = "print(sorted({'pandas', 'duckdb', 'torch', 'tqdm'} & set(sys.modules)))"
    lines = f"import sys\nfrom evalcore.__main__ import main\nmain({typed!r})\n{loads}"
    done = subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True)

    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_a_command_loads_no_other_commands_module():
    lines = "import sys\nfrom evalcore.__main__ import main\nmain(['resume', '--nope'])\n"
    lines += "print(sorted(name for name in sys.modules if name.startswith('evalcore.cli.')))"
    done = subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True)

    mine = ("app", "options", "output", "runs")
    assert done.stdout.splitlines()[-1] == str([f"evalcore.cli.{name}" for name in mine])


def test_help_is_grouped_and_names_every_command(capsys):
    assert main(["--help"]) == 0

    text = capsys.readouterr().out
    groups = ["Look at results", "Decide", "Run models", "Your own data", "Maintain"]
    assert [text.index(group) for group in groups] == sorted(text.index(one) for one in groups)
    assert [one.name for one in commands() if f" {one.name} " not in text] == []


def test_the_installed_command_is_the_same():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert project["scripts"] == {"sextant": f"{script.__module__}:{script.__name__}"}
