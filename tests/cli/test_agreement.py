"""The command that checks judges against a file of human labels."""

import json

import pandas as pd
import pytest

from evalcore import notes
from evalcore.__main__ import main
from evalcore.cli.agreement import _line
from evalcore.importers import own_labels
from tests import judged_world as world
from tests.judged_world import STRONG, WEAK

ASK = ["agreement", "--benchmark", "tiny"]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder))
        made = world.ran()
        main(["build"])
    return folder, made


@pytest.fixture
def command(judged, monkeypatch, tmp_path, capsys):
    """Give the command a file of labels; gives what it printed and its exit status."""
    monkeypatch.setenv("EVALCORE_HOME", str(judged[0]))
    file = tmp_path / "labels.csv"

    def run(labels, *options, form="json"):
        file.write_bytes(labels if isinstance(labels, bytes) else world.csv(*labels))
        capsys.readouterr()
        status = main([*ASK, "--labels", str(file), "--format", form, *options])
        printed = capsys.readouterr()
        return (printed.out or printed.err), status

    return run


def rows(printed):
    return {row["metric"]: row for row in json.loads(printed)}


def test_each_judge_is_checked_against_all_labels(command):
    printed, status = command(world.every())

    found = rows(printed)
    assert status == 0
    assert (found["exact"]["n"], found["exact"]["accuracy"]) == (80, 1)
    # 16 of the 32 wrong answers have an even number
    assert found["kind"]["accuracy"] == 1 - 16 / 80
    cells = [found["kind"][name] for name in ("both_yes", "only_judge", "only_people", "both_no")]
    assert cells == [48, 16, 0, 16]
    assert found["kind"]["kappa_low"] < found["kind"]["kappa"] < found["kind"]["kappa_high"]


def test_undefined_figures_are_null(command):
    printed, _ = command([(STRONG, "q/30", "ann", "yes")])

    assert rows(printed)["exact"]["kappa"] is None
    assert rows(printed)["exact"]["tau_low"] is None


def test_errors_by_model_show_where_the_judge_is_kind(command):
    printed, _ = command(world.every(), "--show", "models", "--judge", "kind")

    bias = {row["model"]: row["bias"] for row in json.loads(printed)}
    assert bias == pytest.approx({STRONG: 4 / 40, WEAK: 12 / 40})


def test_errors_by_tag(command):
    printed, _ = command(world.every(), "--axis", "kind", "--judge", "kind")

    found = {row["tag"]: row["accuracy"] for row in json.loads(printed)}
    assert found == {"even": 1 - 16 / 40, "odd": 1}


def test_scores_are_corrected_by_labels_of_some_answers(command):
    some = [row for row in world.every() if int(row[1][2:]) % 4 < 3]

    printed, _ = command(some, "--show", "corrected", "--judge", "kind")

    found = json.loads(printed)
    by_model = {row["entry"]: row for row in found["rows"]}
    assert by_model[WEAK]["raw"] == pytest.approx((16 + 12) / 40)
    assert by_model[WEAK]["ppi"] == pytest.approx(16 / 40, abs=0.05)
    assert by_model[WEAK]["ppi_low"] < 16 / 40 < by_model[WEAK]["ppi_high"]
    assert found["ranking"] == [
        "kind: The order of the 2 corrected ones is the same as the raw order."
    ]


def test_labels_are_weighed_to_all_answers_when_asked(command):
    """Of the weak model's answers that "kind" passes, the wrong ones were labelled most."""
    some = [row for row in world.every() if row[3] == "no" or row[1] in ("q/30", "q/31")]

    plain, _ = command(some, "--judge", "kind")
    weighed, _ = command(some, "--judge", "kind", "--to-all")

    assert rows(plain)["kind"]["accuracy"] == pytest.approx(1 - 16 / 36)
    assert rows(weighed)["kind"]["accuracy"] > rows(plain)["kind"]["accuracy"]


def test_the_disagreeing_answers_are_listed_with_everybodys_words(command):
    printed, _ = command(world.every(), "--show", "disagreements", "--top", "100")
    few, _ = command(world.every(), "--show", "disagreements", "--top", "3", "--judge", "kind")
    none, _ = command(world.every(), "--show", "disagreements", "--judge", "exact")

    found = pd.DataFrame(json.loads(printed))
    kind = found[found["differs"]]
    wrong = {(STRONG, f"q/{n}") for n in range(0, 8, 2)} | {
        (WEAK, f"q/{n}") for n in range(0, 24, 2)
    }
    assert set(zip(kind["model"], kind["item"], strict=True)) == wrong
    assert set(kind["metric"]) == {"kind"} and set(kind["labels"]) == {"ann: no"}
    assert len(found) == 2 * len(wrong)
    assert set(found.loc[found["metric"] == "exact", "score"]) == {0}
    assert set(found.loc[found["item"] == "q/0", "answer"]) == {world.HOSTILE}
    assert set(kind["reply"]) == {"kind"}
    assert [row["item"] for row in json.loads(few)] == ["q/0", "q/0", "q/2"]
    assert json.loads(none) == []


def test_a_table_of_disagreements_has_one_line_an_answer(command):
    printed, _ = command(world.every(), "--show", "disagreements", "--top", "3", form="table")
    wrong, status = command(world.every(), "--show", "disagreements", "--top", "0")

    assert "3 of 16 answers on which a judge and people disagree" in printed
    assert len(printed.strip().split("\n")) == 1 + 3 * 2 + 2
    assert status != 0 and "--top 0 should be 1 or more" in wrong


def test_what_moves_a_cursor_is_left_out_of_a_table():
    assert _line("a\x1b[2J\r\nb\u202ec") == "a [2J b c"
    assert _line("x" * 100) == "x" * 60 + "…"


def test_raters_are_compared(command):
    other = [(*row[:2], "bob", row[3]) for row in world.every()[:30]]

    printed, _ = command([*world.every(), *other], "--show", "raters")

    pair, alpha = json.loads(printed)
    assert (pair["a"], pair["b"], pair["n"], pair["accuracy"]) == ("ann", "bob", 30, 1)
    assert (alpha["n"], alpha["kappa"]) == (30, 1)


def test_labels_given_on_this_machine_are_taken_without_a_file(judged, monkeypatch, capsys):
    monkeypatch.setenv("EVALCORE_HOME", str(judged[0]))
    assert main([*ASK, "--format", "json"]) != 0
    assert "no answer of 'tiny' was labelled here; label some on the page Judges" in (
        capsys.readouterr().err
    )
    for model, item, rater, said in world.every():
        notes.label("tiny", item, judged[1][model], rater, said)

    status = main([*ASK, "--format", "json"])

    assert status == 0 and rows(capsys.readouterr().out)["kind"]["accuracy"] == 1 - 16 / 80
    for file in (judged[0] / "notes").glob("*"):
        file.unlink()


def test_an_old_and_a_new_judge_are_bridged_without_labels(judged, monkeypatch, capsys):
    monkeypatch.setenv("EVALCORE_HOME", str(judged[0]))
    bridge = [*ASK, "--show", "bridge", "--judge", "exact"]

    assert main([*bridge, "--new", "kind", "--format", "json"]) == 0

    found = json.loads(capsys.readouterr().out)
    moved = {row["model"]: row["offset"] for row in found["models"]}
    assert moved == pytest.approx({STRONG: 4 / 40, WEAK: 12 / 40})
    assert found["offset"]["value"] == pytest.approx(0.2)
    assert found["another"]["low"] < 0.2 < found["another"]["high"]
    assert found["pairs"][0]["turns"] is False

    assert main([*bridge, "--new", "kind"]) == 0
    assert "another model" in capsys.readouterr().out
    assert main(bridge) != 0
    assert main([*bridge, "--new", "exact"]) != 0
    assert "the new one in --new" in capsys.readouterr().err


@pytest.mark.parametrize("show", ["thresholds", "repeats"])
def test_the_other_tables_can_be_printed(command, show):
    printed, status = command(world.every(), "--show", show, form="csv")

    assert status == 0
    assert printed.startswith("metric,version,")


def test_cost_and_unreadable_verdicts_are_counted(command):
    printed, _ = command(world.every(), "--show", "repeats")

    found = rows(printed)["kind"]
    assert (found["usd_per_1000"], found["verdicts"], found["unparsed"]) == (
        pytest.approx(1),
        80,
        0,
    )
    assert found["sd"] is None


def test_a_run_may_be_named_instead_of_its_model(command, judged):
    run = judged[1][STRONG]
    labels = world.csv((run, "q/1", "ann", "no"), (run, "q/20", "ann", "0.75"), who="run")

    printed, _ = command(labels)

    assert rows(printed)["exact"]["n"] == 2


WRONG = [
    (b"model,item\n", "line 1: the columns are model, item; they should be item, label, run or"),
    (b"model,item,label\nx,q/1,yes\n", "line 2: unknown model 'x'; known models: strong-1b, weak"),
    (b"model,item,label\nweak-1b,q/99,yes\n", "line 2: unknown item 'q/99' of run 'weak-1b--tiny"),
    (b"model,item,label\nweak-1b,q/1,maybe\n", "line 2: label 'maybe' should be yes, no, unsure"),
    (b"model,item,label\nweak-1b,q/1,80\n", "in 0..1; per cent? then divide by 100"),
    (b"model,item,label\nweak-1b,q/1\n", "line 2: it should have 3 cells (model, item, label)"),
    (
        b"model,item,label\nweak-1b,q/1,yes\n\nweak-1b,q/1,no\n",
        "line 4: a second label of 'rater' for item 'q/1' (the first is in line 2); keep one",
    ),
    (b"run,item,label\nnone,q/1,yes\n", "line 2: unknown run 'none'; known runs: strong-1b--tiny"),
    (b"model,item,label\n", "no row below the header; give at least one label"),
    (b"\xff\xfe", "not UTF-8 text (byte 0); save it as CSV UTF-8"),
    (b"model,item,label\nweak-1b,q/\x001,yes\n", "holds zero bytes"),
    (b'model,item,label\n"weak-1b,q/1,yes\n', "broken CSV"),
]


@pytest.mark.parametrize(("content", "says"), WRONG)
def test_a_wrong_file_is_refused_with_its_line_and_what_would_be_right(command, content, says):
    printed, status = command(content)

    assert status != 0
    assert "labels.csv" in printed and says in printed


def test_a_missing_file_and_an_unknown_benchmark_say_what_would_be_right(command, capsys):
    status = main([*ASK, "--labels", "gone.csv"])
    assert status != 0
    assert "--labels: gone.csv: there is no such file" in capsys.readouterr().err

    status = main(["agreement", "--benchmark", "nothing", "--labels", "gone.csv"])
    assert status != 0
    assert "unknown benchmark with runs 'nothing'; known: " in capsys.readouterr().err


def test_a_model_with_two_runs_needs_the_run():
    known = own_labels.AnswersToLabel({"a": {"1"}, "b": {"1"}}, {"m": ["a", "b"]})

    with pytest.raises(own_labels.BadInput, match="'m' has 2 runs, .* in a column run: a, b"):
        own_labels.read(b"model,item,label\nm,1,yes\n", "x.csv", known)


def test_labels_come_as_written(tmp_path):
    known = own_labels.AnswersToLabel({"a": {"1", "2"}}, {"m": ["a"]})

    found = own_labels.read(b"Model, Item ,Label\nm,1,YES\nm,2,0.25\n", "x.csv", known)

    expected = [("a", "1", "rater", "yes"), ("a", "2", "rater", "0.25")]
    pd.testing.assert_frame_equal(found, pd.DataFrame(expected, columns=own_labels.COLUMNS))


def test_labels_of_two_scales_are_asked_about():
    known = own_labels.AnswersToLabel({"a": {"1", "2"}}, {"m": ["a"]})

    with pytest.raises(
        own_labels.BadInput, match=r"line 3: label '80' looks like per cent and '0.9"
    ):
        own_labels.read(b"model,item,label\nm,1,0.9\nm,2,80\n", "x.csv", known)
