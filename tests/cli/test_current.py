"""Questions about models of today on the command line: the block is chosen and said."""

import json

import pytest

from evalcore.__main__ import main
from evalcore.decision.presets import CURRENT

OPENING = [
    "recommend", "--need", "documents", "--need", "charts", "--open-weights", "--max-params-b", "8",
]  # fmt: skip


@pytest.fixture(autouse=True)
def shipped(monkeypatch, store):
    monkeypatch.setenv("EVALCORE_HOME", str(store.parent))


def run(capsys, *arguments):
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def answer(capsys, *arguments):
    code, out, err = run(capsys, *arguments, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_opening_question_needs_no_suite_and_says_which_block_answers(capsys):
    code, out, _ = run(capsys, *OPENING)

    assert code == 0
    assert out.startswith("Answered by the block ")
    for title in ("Excluded", "Blocks", "What this rests on"):
        assert f"\n{title}\n" in out


def test_the_same_in_json_holds_the_block_and_the_others(capsys):
    found = answer(capsys, *OPENING)

    assert found["block"].startswith("Answered by the block ")
    assert [row["suite"] for row in found["blocks"] if row["chosen"]] == [found["needs"]["suite"]]
    assert {"relaxations", "tests", "gaps", "market"} <= set(found)


def test_needs_can_be_weighted(capsys):
    found = answer(capsys, "recommend", "--need", "documents=3", "--need", "charts=1")

    assert found["mix"] == {"documents": 0.75, "charts": 0.25}


def test_a_block_can_be_named(capsys):
    found = answer(capsys, "recommend", "--need", "mathematics", "--suite", "qwen3-vl")

    assert found["needs"]["suite"] == "qwen3-vl"
    assert "blocks" not in found


def test_blocks_are_mixed_only_when_asked(capsys):
    found = answer(capsys, "recommend", "--need", "documents", "--mix-blocks")

    assert found["needs"]["suite"] == "current"
    assert any("because you asked" in line for line in found["assumptions"])


def test_what_a_question_is_made_of_decides_the_cost(capsys):
    asked = ["recommend", "--suite", "mmr-bench", "--need", "mathematics"]
    small = answer(capsys, *asked, "--picture", "200x200")
    large = answer(capsys, *asked, "--picture", "2000x1500", "--pictures", "3")

    def costs(found):
        rows = found["market"]
        return {row["model"]: row["usd_per_1000"] for row in rows if row["usd_per_1000"]}

    assert large["needs"]["workload"] == {
        "width": 2000, "height": 1500, "prompt_tokens": 100, "images": 3, "tokens_out": None,
        "thinking_tokens_out": None, "image_tokens": None,
    }  # fmt: skip
    assert all(costs(large)[model] >= usd for model, usd in costs(small).items())
    assert sum(costs(large).values()) > sum(costs(small).values())


@pytest.mark.parametrize("preset", CURRENT)
def test_a_question_of_today_is_ready_to_run(capsys, preset):
    assert answer(capsys, "recommend", "--preset", preset)["winner"]


def test_a_preset_of_today_can_be_narrowed(capsys):
    found = answer(capsys, "recommend", "--preset", "documents-small", "--licence", "permissive")

    assert found["needs"]["licences"] == ["permissive"]
    assert found["needs"]["max_params_b"] == 8.0


def test_retired_models_come_back_when_asked(capsys):
    asked = ["recommend", "--suite", "qwen3-vl", "--need", "documents"]
    now, then = answer(capsys, *asked), answer(capsys, *asked, "--also-retired")

    assert len(then["ranking"]) > len(now["ranking"])


def test_the_report_says_why_this_block_and_what_it_costs(capsys):
    code, out, _ = run(capsys, "report", *OPENING[1:])

    assert code == 0
    assert "Answered by the block" in out
    assert "## What it costs" in out
    assert "rec_size=8" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--need", "documnts"],
            "no need 'documnts'; known needs: charts, diagrams and science, documents, everyday "
            "scenes, honesty, integrated abilities, knowledge, mathematics, spatial and "
            "multi-image, text in pictures",
        ),
        (
            ["--need", "charts", "--picture", "big"],
            "--picture: 'big' should be WIDTHxHEIGHT in pixels, such as 1024x768",
        ),
        (
            ["--need", "charts", "--picture", "0x10"],
            "width of a picture is 0; give a number of at least 1",
        ),
        (
            ["--need", "charts=much"],
            "--need: 'charts=much' should be NAME=NUMBER, such as 'Sports=2'",
        ),
        (
            ["--need", "charts", "--within-points", "101"],
            "within is 1.01; give a fraction from 0 to 1, such as 0.6 for 60 %",
        ),
        (
            ["--suite", "paligemma"],
            "suite 'paligemma' holds no scores that take part (the mode takes part only when asked "
            "for: fine-tuned); include such modes (--include-modes), or choose another suite",
        ),
    ],
)
def test_a_wrong_option_is_named_with_what_would_be_right(capsys, arguments, message):
    code, out, err = run(capsys, "recommend", *arguments)

    assert (code, out) == (2, "") or code == 1
    assert message in err


def test_an_unknown_card_is_refused_with_the_known_ones(capsys):
    _, _, err = run(capsys, "recommend", "--need", "charts", "--gpu", "abacus")

    assert "gpu 'abacus' is no known graphics card; give its memory, such as '24 GB'" in err
