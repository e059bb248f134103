import csv
import io
import json
import subprocess
import sys

import pytest

from evalcore import home
from evalcore.__main__ import main
from evalcore.cli import runs
from evalcore.cli.options import pairs
from evalcore.cli.output import BAD_INPUT
from evalcore.errors import BadInput
from evalcore.store import build

SCORE_COLUMNS = (
    "source,benchmark,axis,tag,model,metric,value,n,sd,sd_over,judge,kind,mode,split,"
    "printed_model,printed_value,printed_unit,note"
)
OPENING = [
    "recommend", "--suite", "vqa360", "--axis", "task_type",
    "--weights", "Chart Understanding=2,Document Understanding=1", "--open-weights",
    "--self-hosted", "--max-params-b", "10", "--min-score", "60", "--min-n", "300",
    "--aggregate", "macro", "--format", "json",
]  # fmt: skip


@pytest.fixture(autouse=True)
def shipped(monkeypatch, store):
    """Commands answer from the store that the tests build once."""
    monkeypatch.setenv("EVALCORE_HOME", str(store.parent))


def run(capsys, *arguments):
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def answer(capsys, *arguments):
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    return json.loads(out)


def test_scores_have_the_documented_columns(capsys):
    _, out, _ = run(capsys, "scores", "--source", "vqa360", "--format", "csv")

    assert out.splitlines()[0] == SCORE_COLUMNS


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("vqa360", 390 + 2 * 12),
        ("mmvet2", 503),
        ("unibench", 161),
        ("openclip", 4598),
        ("clip-grid", 1190),
    ],
)
def test_scores_give_every_value_of_a_source(capsys, source, values):
    _, out, _ = run(capsys, "scores", "--source", source, "--format", "csv")

    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == values


def test_what_is_known_of_todays_models_is_printed_and_does_not_shrink(capsys):
    """Counts of today: a change that lowers one has lost something."""
    rows = answer(capsys, "list", "coverage", "--format", "json")
    found = {row["fact"]: (row["known"], row["of"]) for row in rows}
    least = {
        "open or closed weights": (301, 301),
        "parameters, total": (211, 301),
        "licence": (254, 301),
        "release": (274, 301),
        "a price": (109, 301),
        "closed weights: a price": (65, 92),
        "benchmarks: number of questions": (47, 77),
    }

    assert {fact: found[fact][1] for fact in least} == {fact: of for fact, (_, of) in least.items()}
    assert [fact for fact, (known, _) in least.items() if found[fact][0] < known] == []
    assert all(len(row["missing"]) == row["of"] - row["known"] for row in rows)


def test_the_closed_models_without_a_price_are_named(capsys):
    _, out, _ = run(capsys, "list", "coverage")

    assert "Without it, closed weights: a price: " in out
    assert "Muse Spark" in out


def test_a_printed_value_comes_back_as_printed_and_as_a_fraction(capsys):
    rows = answer(
        capsys, "scores", "--model", "internvl2-8b", "--axis", "task_type", "--format", "json"
    )

    chart = next(row for row in rows if row["tag"] == "Chart Understanding")
    assert (chart["printed_value"], chart["value"], chart["n"]) == ("65.68", 0.6568, 1145)


def test_an_unknown_n_is_null_in_json_and_empty_in_csv(capsys):
    arguments = ("scores", "--model", "gpt-4o", "--axis", "capability", "--format")
    rows = answer(capsys, *arguments, "json")
    _, out, _ = run(capsys, *arguments, "csv")

    ocr = next(row for row in rows if row["tag"] == "ocr")
    line = next(row for row in csv.DictReader(io.StringIO(out)) if row["tag"] == "ocr")
    assert ocr["n"] is None
    assert line["n"] == ""


def test_the_opening_question_has_an_answer_with_everything_beside_it(capsys):
    found = answer(capsys, *OPENING)

    assert found["winner"] == "internvl2-8b"
    assert found["tied_best"] == ["internvl2-8b"]
    assert {
        "winner", "tied_best", "ranking", "excluded", "cannot_tell", "flips", "regret", "pareto",
        "assumptions", "sentences",
    } <= set(found)  # fmt: skip
    assert {
        "model", "score", "low", "high", "p_best", "share_first", "share_first_near", "rank_low",
        "rank_high",
    } <= set(found["ranking"][0])  # fmt: skip
    limits = {row["model"]: (row["limit"], row["relaxation"]) for row in found["excluded"]}
    assert limits["cogvlm2-llama3-19b"] == ("size 19.5 B over 10 B", "raise the size to 19.5 B")


def test_a_cost_limit_without_stated_costs_says_what_to_state(capsys):
    found = answer(capsys, *OPENING, "--max-usd-per-1000", "5")

    assert found["winner"] is None
    told = {row["model"]: row["what"] for row in found["cannot_tell"]}
    assert "--usd-per-1000 internvl2-8b=VALUE" in told["internvl2-8b"]


def test_a_stated_machine_gives_a_cost(capsys):
    found = answer(
        capsys, *OPENING, "--max-usd-per-1000", "5",
        "--gpu-usd-per-hour", "1.2", "--questions-per-hour", "3600",
    )  # fmt: skip

    assert found["winner"] == "internvl2-8b"
    assert found["ranking"][0]["usd_per_1000"] == pytest.approx(1.2 / 3.6)


def test_a_preset_can_be_narrowed_by_an_option(capsys):
    found = answer(
        capsys, "recommend", "--preset", "open", "--max-params-b", "3", "--format", "json"
    )

    assert found["winner"] == "internvl2-1b"


def test_unknown_n_gives_no_chance_of_being_best(capsys):
    words = ("recommend", "--suite", "mmvet2", "--weights", "rec=1,ocr=1", "--format", "json")
    found = answer(capsys, *words)

    assert {row["p_best"] for row in found["ranking"]} == {None}


def test_the_report_says_the_same_sentences_as_the_answer(capsys, tmp_path):
    sentences = answer(capsys, *OPENING)["sentences"]
    out = tmp_path / "report.md"
    run(capsys, "report", *OPENING[1:-2], "--out", str(out))

    report = out.read_text(encoding="utf-8").replace("\\", "")
    assert all(sentence in report for sentence in sentences)
    assert "/recommend?" in report


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scores", "--source", "vqa36"], "error: unknown source 'vqa36'; did you mean vqa360?"),
        (["profile", "--suite", "nope"], "error: unknown suite 'nope'; known: vqa360"),
        (["profile", "--axis", "task"], "error: unknown axis of suite vqa360 'task'"),
        (["profile", "--models", "gpt5"], "error: unknown model 'gpt5'"),
        (["recommend", "--weights", "Charts"], "error: --weights: 'Charts' should be NAME=NUMBER"),
        (["recommend", "--weights", "Charts=1"], "error: weights names the tag 'Charts'"),
        (["recommend", "--min-score", "high"], "error: --min-score: 'high' should be a number"),
        (["recommend", "--max-params-b", "-1"], "error: max_params_b is -1.0; give a number"),
        (
            ["correlate", "--show", "pairs"],
            "error: suite 'openclip' has no two models with answers",
        ),
        (["recommend", "--show", "routing"], "error: --show routing asks for --benchmark, one of:"),
        (["recommend", "--show", "routing", "--budget", "-1"], "error: --budget is -1; give USD"),
        (["recommend", "--show", "routing", "--budget", "nan"], "error: --budget is nan; give USD"),
        (
            ["recommend", "--show", "routing", "--benchmark", "easy-vqa", "--judge", "exat"],
            "error: unknown judge of easy-vqa 'exat'; did you mean exact",
        ),
        (["correlate", "--reference", "mnst"], "error: unknown tag 'mnst'; did you mean mnist"),
        (["scaling", "--hold", "colour"], "error: unknown --hold field 'colour'"),
    ],
)
def test_a_wrong_option_is_named_with_what_would_be_right(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)

    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert "Traceback" not in err


@pytest.mark.parametrize("form", ["table", "csv", "json"])
@pytest.mark.parametrize(
    "command",
    [
        ["build"], ["list", "models"], ["list", "tags"], ["list", "presets"], ["scores"],
        ["profile"], ["profile", "--show", "winners"], ["profile", "--show", "leaderboard"],
        ["correlate"], ["correlate", "--suite", "vqa360", "--of", "models"], ["scaling"],
        ["correlate", "--suite", "demo", "--show", "pairs"], ["recommend"], ["report"],
        ["recommend", "--show", "routing", "--benchmark", "easy-vqa"],
    ],
)  # fmt: skip
def test_every_command_prints_every_format(capsys, monkeypatch, command, form):
    if form != "table":  # one build is enough: it takes seconds
        monkeypatch.setattr(build, "build", home.store_path)
    code, out, err = run(capsys, *command, "--format", form)

    assert (code, err) == (0, "")
    assert out.strip()
    if form == "json":
        json.loads(out)


def test_a_pair_may_hold_an_equals_sign_in_its_name():
    assert pairs("a=b=2", "--weights") == (("a=b", 2.0),)


@pytest.mark.parametrize("text", ["a", "a=", "=2", "a=b"])
def test_a_part_that_is_no_pair_is_refused(text):
    with pytest.raises(BadInput, match="should be NAME=NUMBER"):
        pairs(text, "--weights")


def test_a_closed_pipe_ends_quietly():
    command = f"{sys.executable} -m evalcore scores --format csv | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == SCORE_COLUMNS
    assert done.stderr == ""


def test_a_file_that_a_command_cannot_use_is_not_called_an_answer(capsys, monkeypatch):
    def torn(_):
        raise PermissionError(13, "Permission denied", "/there")

    monkeypatch.setattr(runs, "_table", torn)

    assert main(["runs"]) == BAD_INPUT
    assert "error: a file cannot be read or written ([Errno 13]" in capsys.readouterr().err


def test_models_are_paired_on_single_questions_the_best_together_first(capsys):
    rows = answer(capsys, "correlate", "--suite", "demo", "--show", "pairs", "--format", "json")

    assert len(rows) == 6 * 5 / 2
    assert {row["n"] for row in rows} == {500}
    assert rows[0]["either"] == max(row["either"] for row in rows)
    assert all(row["kappa_low"] < row["kappa"] < row["kappa_high"] for row in rows)


def test_questions_are_sent_under_the_limits_and_costs_that_are_asked(capsys):
    asked = ["--usd-per-1000", "demo-vlm-weak-blind=1,demo-vlm-strong=2", "--budget", "1.5"]

    found = answer(
        capsys, "recommend", "--show", "routing", "--benchmark", "easy-vqa", "--open-weights",
        *asked, "--format", "json",
    )  # fmt: skip

    assert {row["cost_from"] for row in found["table"]} == {"as stated"}
    assert found["usd_per_1000"] <= 1.5
    assert found["single"].startswith("demo-vlm-weak-blind")
    assert found["gain_low"] <= found["gain"] <= found["gain_high"]
    why = {row["entry"].split("--")[0]: row["limit"] for row in found["left_out"]}
    assert why["demo-vlm-weak"].startswith("unknown: its cost, so it cannot be within a budget")
    assert why["chance"].startswith("unknown: whether its weights are open")
    assert (found["metric"], found["nothing"]) == ("exact", "")


def test_a_budget_that_no_run_meets_is_told_after_whose_scores_they_are(capsys):
    _, out, _ = run(
        capsys, "recommend", "--show", "routing", "--benchmark", "easy-vqa", "--open-weights",
        "--usd-per-1000", "demo-vlm-weak-blind=1", "--budget", "0.5",
    )  # fmt: skip

    first, _, why = out.splitlines()[:3]
    assert first.startswith("easy-vqa by ") and first.endswith(", scores of exact")
    assert "fits the budget of 0.5 USD: the cheapest costs 1 USD per 1,000 questions" in why
    assert "costs 1 USD per 1,000 questions, over the budget of 0.5 USD" in out


@pytest.mark.parametrize("command", ["profile", "correlate", "scaling", "distil", "recommend"])
@pytest.mark.parametrize(
    ("suite", "why"),
    [
        ("unibench", "holds summaries of groups, no scores of single models; choose another suite"),
        ("paligemma", "holds no scores that take part (the mode takes part only when asked for:"),
    ],
)
def test_a_suite_of_which_nothing_can_be_shown_says_why(capsys, command, suite, why):
    code, out, err = run(capsys, command, "--suite", suite)

    assert (code, out) == (BAD_INPUT, "")
    assert err.startswith(f"error: suite '{suite}' {why}")
