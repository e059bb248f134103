import json

import pytest

from evalcore.__main__ import main


@pytest.fixture(autouse=True)
def shipped(monkeypatch, store):
    monkeypatch.setenv("EVALCORE_HOME", str(store.parent))


def run(capsys, *arguments):
    code = main(("distil", *arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_set_is_printed_with_its_error_and_what_it_is_compared_with(capsys):
    code, out, _ = run(capsys, "--size", "3")

    assert code == 0
    assert "Set of 3: imagenetr, dtd, imagenetv2. Honest error 1.5" in out
    assert "121 models with all of 38 benchmarks" in out and "11 units held out" in out
    assert "imagenet1k alone" in out and "Random sets" in out and "distilled-type" in out


def test_without_a_size_the_smallest_good_enough_is_given(capsys):
    _, out, _ = run(capsys)

    assert "Set of 4: imagenetr, dtd, imagenetv2, cifar10." in out


def test_json_holds_one_row_a_size(capsys):
    _, out, _ = run(capsys, "--suite", "internvl3.5", "--size", "2", "--format", "json")

    rows = json.loads(out)
    assert [row["size"] for row in rows] == [1, 2]
    assert rows[1]["honest_error"] > 0 and rows[1]["n"] == 23


def test_the_papers_set_is_printed_as_it_is_with_what_is_there_of_it(capsys):
    _, out, _ = run(capsys, "--set", "distilled-type")

    assert "Here 4 of its 8: error 1.49 points" in out
    assert out.count(" no\n") == 4 and "VG Attribution" in out


def test_a_set_that_the_suite_does_not_know_has_no_error(capsys):
    code, out, _ = run(capsys, "--suite", "internvl3.5", "--set", "distilled-type")

    assert code == 0 and "None of its benchmarks is in this suite." in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--size", "11"), "--size 11: sets of 1 to 10 are worked out here"),
        (("--suite", "vqa360"), "suite 'vqa360' has no scores of single models by benchmark"),
        (("--axis", "need"), "unknown axis of suite openclip 'need'"),
    ],
)
def test_what_is_wrong_is_said(capsys, arguments, message):
    code, _, err = run(capsys, *arguments)

    assert code != 0 and message in err
