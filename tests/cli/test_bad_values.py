"""Every option of every command with bad values: exit code 2 and one sentence, no traceback."""

import os
import shutil
from pathlib import Path

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from evalcore.__main__ import main
from evalcore.cli.app import arguments_of, build_app, commands

BAD = {
    "empty": "",
    "spaces": "   ",
    "an equals sign": "=",
    "a value without a name": "=x",
    "a name without a value": "x=",
    "5,000 characters": "x" * 5000,
    "5,000 characters with a value": "x" * 5000 + "=1",
    "a zero byte": "a\0b",
    "control characters": "a\n\x1b[31mb\r",
    "half a letter": "a\udcffb",
    "brackets": "x=" + "[" * 5000,
    "a number of 5,000 digits": "x=" + "9" * 5000,
    "not a number": "nan",
    "endless": "1e999",
    "a pipe": "PIPE",
    "links in a circle": "LOOP",
    "a folder": "FOLDER",
    "a device": "/dev/zero",
    "another language": "模型=一",
}
SLOW = ("recommend", "report", "profile", "correlate", "distil", "scaling", "scores", "agreement")
"""Commands that look into the whole store: a few values each."""
FEW = ("an equals sign", "5,000 characters", "a zero byte", "control characters")
SOUND = {
    "list": ["models"],
    "estimate": ["--model", "chance", "--benchmark", "QUESTIONS", "--judge", "exact"],
    "run": ["--model", "chance", "--benchmark", "QUESTIONS", "--judge", "nobody"],
    "resume": ["no-run"],
    "judge": ["no-run"],
    "cancel": ["no-run"],
    "agreement": ["--benchmark", "easy-vqa"],
    "mmvet": ["no-run"],
    "zeroshot": ["--model", "open_clip:none/none", "--benchmark", "x=FOLDER"],
    "digits": ["--model", "open_clip:none/none", "--benchmark", "x=FOLDER"],
    "count-digits": ["CAPTIONS"],
}
"""What a command needs; the value under test takes the place of its own option's, or stands beside
the others."""
TAKEN = {
    ("report", "--out"),  # a file is written there
    ("estimate", "--encoder"), ("doctor", "--data"),  # a folder
    ("estimate", "--judge-option"),  # of a model, which a rule does not ask
    ("profile", "--weights"), ("recommend", "--benchmark"), ("recommend", "--judge"),
}  # fmt: skip
"""Where some of these values are in order, or concern what was not asked for."""


def cases():
    app = build_app()
    for name in [command.name for command in commands()]:
        for argument in arguments_of(app[name]):
            option = argument.names[-1]
            shared = name == "report" and option != "--out"  # with recommend
            if argument.hint is not bool and option != "*" and not shared:
                yield name, option


def test_every_command_and_option_is_walked():
    walked = list(cases())

    assert len({command for command, _ in walked}) == 22
    assert len(walked) > 120
    assert {("list", "KIND"), ("run", "--judge-option"), ("cache", "--clear")} <= set(walked)


@pytest.fixture(scope="module")
def own_home(store, tmp_path_factory):
    """A home with a store that may be changed."""
    return Path(shutil.copytree(store.parent, tmp_path_factory.mktemp("bad") / "home"))


@pytest.fixture
def place(own_home, tmp_path, monkeypatch):
    """A folder with a benchmark, and with what is no file."""
    monkeypatch.setenv("EVALCORE_HOME", str(own_home))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FOLDER").mkdir()
    os.mkfifo(tmp_path / "PIPE")
    (tmp_path / "LOOP").symlink_to("LOOP")
    Image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    (tmp_path / "mine.jsonl").write_text(
        '{"id": "a", "question": "Q?", "image": "a.png", "answers": "x", "tag:k": "v"}\n'
    )
    (tmp_path / "captions.txt").write_text("two cats\n")
    return {"QUESTIONS": "mine.jsonl", "CAPTIONS": "captions.txt"}


def arguments(command, option, value, place):
    given = [place.get(one, one) for one in SOUND.get(command, [])]
    if not option.startswith("-"):
        return [command, *[one for one in given if one.startswith("-")], "--", value]
    if option in given:
        at = given.index(option)
        given[at + 1] = value
        return [command, *given]
    return [command, *given, f"{option}={value}"]


@pytest.mark.parametrize(("command", "option"), list(cases()))
def test_a_bad_value_ends_in_one_sentence(place, capsys, command, option):
    for kind in FEW if command in SLOW else BAD:
        code = main(arguments(command, option, BAD[kind], place))
        said = capsys.readouterr()

        assert code in (0, 2), (kind, code)
        if code == 0:
            assert (command, option) in TAKEN, kind
            continue
        lines = [line for line in said.err.splitlines() if "error: " in line]
        assert len(lines) == 1, (kind, said.err[:2000])
        assert len(lines[0]) < 1500, (kind, lines[0][:300])
        assert "Traceback" not in said.err, kind
        assert "\x1b" not in said.err, kind


FORM = """
from pages.shared import launcher
launcher.form()
"""


@pytest.mark.parametrize("kind", [kind for kind in BAD if kind != "half a letter"])
def test_the_form_says_what_is_wrong_with_a_model_that_judges(place, monkeypatch, kind):
    monkeypatch.setenv("EVALCORE_ALLOW_WRITE", "1")
    form = AppTest.from_string(FORM, default_timeout=60).run()
    form.text_input(key="run_other").input("chance").run()
    form.text_input(key="run_benchmark").input("mine.jsonl").run()
    form.selectbox(key="run_judge").select("goeval-ref-image").run()
    form.text_input(key="run_asked").input(BAD[kind]).run()
    form.button(key="run_start").click().run()

    assert not form.exception
    assert len(form.error) == 1
    assert len(form.error[0].value) < 1500
    assert not (Path(os.environ["EVALCORE_HOME"]) / "runs").exists()
