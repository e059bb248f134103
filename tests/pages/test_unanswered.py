"""Whoever refuses 46 of 60 questions leads nowhere without a word: pages and command line."""

import json

import pytest

from evalcore.__main__ import main
from evalcore.decision.needs import Needs
from evalcore.store import build
from evalcore.suites import current, suite
from tests import unanswered_world as world
from tests.pages.opening import table, words
from tests.unanswered_world import BENCHMARK, CHOOSY, HALF_READ, STEADY

COUNT = "14 of 60 questions"


@pytest.fixture(scope="module")
def home_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder))
        world.ran()
        build.ensure()
    return folder


@pytest.fixture(autouse=True)
def draw(open_page):
    """Opens a page on the suite of these runs."""

    def draw(page, **values):
        at = open_page(page, {"suite_by_hand": True, "suite": BENCHMARK} | values)
        assert not at.exception
        return at

    return draw


def said(capsys, *arguments):
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def test_recommend_names_the_model_that_answered_and_says_why_the_others_are_not():
    answer = current.recommend_for(suite.load(build.ensure(), BENCHMARK), Needs(BENCHMARK, "kind"))

    assert answer.winner == STEADY
    assert answer.ranking["model"].tolist()[-1] == STEADY, "by what is known it is the last"
    assert (answer.passed_over, answer.tie_break) == ((CHOOSY, HALF_READ), "answers")
    told = " ".join(answer.sentences)
    assert (
        f"{CHOOSY} is not chosen: it scores 100.0 % on the {COUNT} that have a score, and with the "
        "other 46 wrong 23.3 %; it would lead only with 87 % of those right." in told
    )
    assert f"{HALF_READ} is not chosen: it scores 100.0 % on the 20 of 60" in told
    assert "clearly" not in told


def test_a_limit_that_leaves_only_the_silent_one_says_how_much_it_answered():
    needs = Needs(BENCHMARK, "kind", ruled_out=(STEADY, HALF_READ))
    answer = current.recommend_for(suite.load(build.ensure(), BENCHMARK), needs)

    assert answer.winner == CHOOSY
    assert (
        f"It has a score for {COUNT}: with the other 46 wrong it scores 23.3 %, with all of them "
        "right 100.0 %." in answer.sentences[0]
    )


def test_the_cheapest_within_some_points_is_no_silent_one_either():
    prices = ((CHOOSY, 0.1), (HALF_READ, 0.2), (STEADY, 5.0))
    needs = Needs(BENCHMARK, "kind", within=0.05, usd_per_1000=prices)

    answer = current.recommend_for(suite.load(build.ensure(), BENCHMARK), needs)

    assert answer.winner == STEADY


@pytest.mark.parametrize("command", ["recommend", "report"])
def test_the_commands_say_it_too(capsys, command):
    told = said(capsys, command, "--suite", BENCHMARK)

    assert told.splitlines()[0 if command == "recommend" else 4].startswith(f"Use {STEADY}")
    assert COUNT in told
    assert "46" in told
    assert "23.3" in told
    # The suite's own total is of what is known as well.
    assert "100.0 % of the 20 of 60 questions that have a score" in told or command == "report"


@pytest.mark.parametrize("form", ["csv", "json"])
def test_the_ranking_of_the_command_holds_counts_and_bounds(capsys, form):
    told = said(capsys, "recommend", "--suite", BENCHMARK, "--format", form)

    if form == "json":
        (row,) = [row for row in json.loads(told)["unscored"] if row["model"] == CHOOSY]
        assert (row["unscored"], row["of"]) == (46, 60)
        assert (row["worst"], row["best"]) == pytest.approx((14 / 60, 1))
    else:
        assert told.splitlines()[0].endswith("unscored,of,worst,best")


@pytest.mark.parametrize("show", ["cells", "winners", "leaderboard"])
def test_every_table_of_profile_holds_counts_and_bounds(capsys, show):
    words = ["profile", "--suite", BENCHMARK, "--show", show, "--format", "json"]
    rows = json.loads(said(capsys, *words))

    mine = [row for row in rows if CHOOSY in (row.get("model"), row.get("winner"))]
    assert mine
    for row in mine:
        whole = 60 if show == "leaderboard" else 30
        assert (row["of"], row["of"] - row["unscored"]) == (whole, row["n"])
        assert row["worst"] == pytest.approx(row["n"] / row["of"])
        assert row["best"] == 1
        if show == "leaderboard":
            assert row["coverage"] == pytest.approx(14 / 60)
        if show == "winners":
            assert STEADY in row["turned"]


def test_scores_say_it_in_the_note(capsys):
    rows = json.loads(said(capsys, "scores", "--model", CHOOSY, "--format", "json"))

    (note,) = [row["note"] for row in rows if row["tag"] == "total"]
    assert note == (
        "14 of 60 scored: 46 gave no answer; with all of them between 23.3 % and 100.0 %"
    )


def test_overview_names_the_model_that_answered(draw):
    at = draw("overview")

    heads = [part.value.replace("\\", "") for part in at.markdown if "####" in part.value]
    assert heads[0] == f"#### {STEADY}"
    told = words(at)
    assert "Not chosen, for want of answers: " in told
    assert f"{CHOOSY} (100.0 % on 14 of 60 questions; with the others wrong 23.3 %)" in told
    assert "would be ahead" in told, "of the leaderboard's first"
    rows = table(at, "Coverage, %").set_index("Model")
    assert rows.loc[CHOOSY, "Questions"] == "14 of 60 questions scored"
    assert rows.loc[CHOOSY, "Coverage, %"] == 23
    assert rows.loc[CHOOSY, "Without a score"] == 46
    assert rows.loc[CHOOSY, "With these as wrong to as right, %"] == "23.3 to 100.0"


def test_recommend_page_shows_counts_and_bounds_with_every_score(draw):
    at = draw("recommend")

    assert f"## {STEADY}" in words(at).splitlines()
    assert f"(on {COUNT}; 23.3 % with the others wrong)" in words(at)
    assert f"smallest of those that answered enough (20.0 points), is {STEADY}" in words(at)
    assert "also of those that answered little" in words(at)
    rows = table(at, "Ranks possible").set_index("Model")
    assert rows.loc[CHOOSY, "Questions"] == "14 (46 of 60 have no score)"
    assert rows.loc[CHOOSY, "Unscored questions as wrong to as right, %"] == "23.3 to 100.0"


def test_profiles_say_on_how_many_questions_a_tag_rests(draw):
    at = draw("profiles", **{f"profiles_against_{BENCHMARK}": STEADY})

    told = words(at)
    assert "results rest on a part of the questions; the rest have no score" in told
    assert "the winner would not lead if the questions that it has no score for were wrong" in told
    assert "Both answered the same questions" not in told
    assert "only those that both have are compared" in told
    rows = table(at, "Tied with")
    assert rows["Questions"].str.startswith("7 of 30 questions scored").all()
    assert rows["Tied with"].str.contains("as wrong").all()
    verdicts = table(at, "Difference, points")
    assert not verdicts["Verdict"].str.startswith("clearly").any()


def test_samples_show_what_has_no_score(draw):
    at = draw("samples", samples_of=BENCHMARK)

    rows = table(at, "Without a score").set_index("Model")
    assert rows.loc[CHOOSY, "Without a score"] == 46
    assert rows.loc[CHOOSY, "With these wrong, %"] == pytest.approx(100 * 14 / 60)
    assert rows.loc[CHOOSY, "right, %"] == 100


def test_where_all_is_scored_no_word_of_it_is_said(capsys, home, monkeypatch):
    told = said(capsys, "recommend", "--suite", "demo", "--axis", "question_type")

    assert "no score" not in told
    assert "unscored" not in told
