"""The Compare page: differences with intervals, who wins where, and which model for what."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalcore.analysis import paired
from evalcore.decision.needs import Needs
from evalcore.engine import runs
from evalcore.engine.evaluate import evaluate
from evalcore.engine.runs import Settings
from evalcore.records import Item
from evalcore.suites.item_results import ItemResults
from pages.parts.compare import comparison as parts
from pages.parts.compare import unscored, words
from pages.shared import agreement
from pages.shared.text import plain
from tests.fakes import FakeJudge, FakeModel
from tests.pages.opening import charts, opened
from tests.pages.opening import words as read

N = 80
HOSTILE = "<script>alert(1)</script> ![x](http://evil.test/x.png) **bold** [l](javascript:alert(1))"
KINDS = ("chart", "map")


def questions(benchmark="tiny"):
    """Two on each picture; the even ones are charts."""
    return [
        Item(
            *(benchmark, f"q/{place}", f"What is {place}? {HOSTILE if place == 3 else ''}"),
            (f"q/{place}",),
            tags=(("kind", KINDS[place % 2]),),
            cluster=f"picture {place // 2}",
        )
        for place in range(N)
    ]


def wrong(*places):
    return {f"q/{place}": HOSTILE if place == 3 else "no" for place in places}


def run(model, answers, options=None, benchmark="tiny", **more):
    made = runs.create(
        Settings(model, "fake", benchmark, "tiny", options or {}), questions(benchmark), "cpu"
    )
    evaluate(made, FakeModel(answers, **more), [FakeJudge()])
    return made


@pytest.fixture(scope="module")
def home_folder(tmp_path_factory):
    """Runs of one benchmark: "mapper" is bad at charts, "late" ran twice, "broken" failed twice."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder))
        run("good", wrong(3, 5, 7, 9, 11))
        run("late", wrong(3, 5))
        run("late", wrong(2, 5), {"max_tokens": 8})
        run("mapper", wrong(*range(0, 60, 2)))
        run("broken", wrong(1), breaks_on=["q/4", "q/6"])
        run("twin", wrong(3, 5, 7, 9, 11))
    return folder


def compared(*models, benchmark="tiny", **link):
    """The page with some entries, named by their model."""
    at = opened("compare", compare_benchmark=benchmark, **link)
    if models:
        picker = at.multiselect(key=f"compare_entries_{benchmark}_exact")
        picker.set_value([pick(picker.options, model) for model in models]).run()
    return at


@pytest.fixture
def page(open_page):
    return compared


@pytest.fixture(scope="module")
def two(home_folder):
    """ "good" and "mapper", and what only the second gets right; read it, do not press."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(home_folder))
        at = compared("good", "mapper")
        return at.selectbox(key="compare_only_tiny_exact").set_value("mapper").run()


def pick(labels, start):
    return next(label for label in labels if label.startswith(start))


MARKS = {
    "differences": "Within the margin",
    "outcomes": "p (McNemar)",
    "alone": "References",
    "answering": "Refusals",
    "scores": "Unscored",
    "standings": "May be the best",
    "pairs": "kappa",
    "plan": "Send to",
}
"""A column that only this table has: tables carry no key in a test."""


def table(at, name):
    return next(one.value for one in at.main.dataframe if MARKS[name] in one.value)


def test_the_difference_stands_on_top_with_its_interval_and_numbers(two):
    assert not two.exception and not two.error
    # 75 of 80 right against 50: the interval is that of the differences by picture.
    assert "mapper gets 62.5 % right" in read(two) and "93.8 %" in read(two)
    assert "31.2 points less" in read(two)
    assert "n 80 from 40 pictures or sources" in read(two)
    assert "A clear difference" in read(two)


def test_each_kind_has_its_difference_and_a_table_beside_the_chart(two):
    shown = table(two, "differences").set_index("Questions")
    assert list(shown.index) == ["All questions", "chart", "map"]
    assert shown.loc["chart", "Difference, points"] == pytest.approx(-100 * 30 / 40)
    assert shown.loc["map", "Difference, points"] == pytest.approx(100 * 5 / 40)
    assert shown["n"].tolist() == [80, 40, 40]
    assert "mapper is clearly better on map (+12.5) and worse on chart (−75.0)" in read(two)
    assert list(charts(two)[0]["data"][0]["marker"]["symbol"])[1] == "circle"


def test_equivalent_means_within_the_margin(page):
    at = page("good", "broken", compare_margin="30")

    there = "on the 78 questions that all have a score for"
    assert f"Equivalent {there}: the whole interval lies within ±30.0 points" in read(at)
    narrow = at.number_input(key="compare_margin").set_value(0.5).run()
    assert "cannot tell them apart" in read(narrow) or "A clear difference" in read(narrow)


def test_what_cannot_be_told_says_how_many_more_questions(page):
    at = page("good", "broken", compare_margin="0.5")

    assert "more questions like these would show it, with a chance of 80 %" in read(at)


def test_the_same_answers_may_still_differ_elsewhere(page):
    at = page("good", "twin")

    assert "right on the same questions" in read(at)
    shown = table(at, "differences").set_index("Questions")
    t = stats.t.ppf(0.975, 39)
    half = 100 * t**2 / (40 + t**2)
    assert shown.loc["All questions", ["Low, points", "High, points"]].tolist() == pytest.approx(
        [-half, half]
    )
    assert (shown["p"] == "100 %").all()


def test_unscored_questions_are_left_out_counted_and_bounded(page):
    at = page("good", "broken")

    assert "2 of 80 questions lack a score of at least one and are left out" in read(at)
    assert table(at, "answering").set_index("Model").loc["broken", "Failed"] == 2
    shown = table(at, "scores").set_index("Model")
    assert shown.loc["broken", ["n", "Unscored", "Its own n"]].tolist() == [78, 2, 78]
    assert shown.loc["good", ["n", "Unscored", "Its own n"]].tolist() == [78, 0, 80]
    assert shown.loc["broken", "If wrong, %"] == pytest.approx(100 * 77 / 80)
    assert shown.loc["broken", "If right, %"] == pytest.approx(100 * 79 / 80)


def test_wins_and_losses_carry_mcnemars_test(two):
    row = table(two, "outcomes").iloc[0]
    # mapper is wrong on 30 even questions and right on the 5 odd ones that good misses.
    counted = ["Both right", "Only it", "Only good", "Neither", "n"]
    assert row[counted].tolist() == [45, 5, 30, 0, 80]
    assert row["p (McNemar)"] == words.p_value_text(paired.mcnemar(5, 30))


def test_two_runs_of_one_model_show_their_regressions(page):
    at = page("good", "mapper")
    labels = at.multiselect(key="compare_entries_tiny_exact").options
    both = [label for label in labels if label.startswith("late")]

    at.multiselect(key="compare_entries_tiny_exact").set_value(both).run()

    assert "Two runs of one model" in read(at)
    assert "mends 1 and breaks 1 (regressions)" in read(at)


def test_questions_that_only_one_gets_right_link_to_their_samples(two):
    shown = table(two, "alone")
    assert len(shown) == 5
    asked = parse_qs(urlsplit(shown["item"].iloc[0]).query)
    assert asked["samples_of"] == ["tiny"] and asked["sample"] == ["q/3"]
    assert asked["samples_models_tiny_exact"] == ["good", "mapper"]
    assert "mapper alone is right on 5 of 80 questions" in read(two)


def test_hostile_questions_and_answers_are_text(two):
    shown = table(two, "alone")
    assert shown["Question"].str.contains("<script>").any()
    assert shown["good answers"].str.contains("evil.test").any()
    assert "evil.test" not in read(two)


def test_cost_time_and_length_stand_beside_the_scores(two):
    shown = table(two, "answering").set_index("Model")
    assert shown.loc["good", "$ per 1,000"] == 250
    assert shown.loc["good", "$ known for"] == N
    assert "0 answers failed and 0 refuse" in read(two)
    assert table(two, "scores").set_index("Model").loc["good", "95 %"] != "no interval"


def test_three_models_are_compared_at_once(page):
    at = page("good", "mapper", "broken")

    shown = table(at, "standings").set_index("Model")
    assert shown["May be the best"].to_dict() == {"broken": True, "good": True, "mapper": False}
    assert "Nobody can tell which of broken and good is the best of the 3" in read(at)
    assert shown.loc["mapper", "Rank"] == "3 to 3"


def test_a_routing_table_sends_each_kind_to_its_best_and_is_tried_on_other_questions(two):
    shown = table(two, "plan").set_index("Kind of question")
    assert shown.loc["map", "Its score, %"] == 100
    assert "On questions left out when the table was made the gain is" in read(two)


def test_a_budget_that_nobody_meets_is_said(page):
    at = page("good", "mapper", compare_budget="100")

    assert "No run and no mix of runs fits the budget of 100 USD: the cheapest costs 250" in read(
        at
    )
    why = at.main.table[0].value.set_index("Run")["Because"]
    assert len(why) == 6
    assert "250 USD per 1,000 questions, over the budget of 100 USD" in why["good"]


def test_a_run_that_may_answer_and_shares_too_few_questions_is_listed(tmp_path, monkeypatch):
    monkeypatch.setenv("EVALCORE_HOME", str(tmp_path))
    run("good", wrong(3, 5, 7))
    run("mapper", wrong(*range(0, 60, 2)))
    run("few", {}, breaks_on=[f"q/{place}" for place in range(10, N)])

    at = compared("good", "mapper")

    assert "3 of 3 runs may answer" in read(at)
    assert "1 of these is not in the table; why is listed below it." in read(at)
    shown = at.main.table[0].value.set_index("Run")
    why = shown.loc["few", "Because"].replace("\\", "")
    assert why.startswith("too few common questions: it has a score for 10 of the 80")


def test_pairs_say_what_two_get_right_together(two):
    shown = table(two, "pairs")
    pair = shown[(shown["First"] == "mapper") | (shown["Second"] == "mapper")]
    assert len(pair) == 5
    assert "Within questions that equally many of the 4 others get right" in read(two)


def test_limits_keep_the_chosen_ones_in_the_comparison_and_out_of_the_routing_table(page):
    at = page("good", "mapper", open="Closed")

    assert len(table(at, "pairs")) == 1
    assert "0 of 6 runs may answer" in read(at)
    assert "No run meets the limits, so there is nothing to send." in read(at)
    assert "good and mapper, chosen above, do not meet the limits" in read(at)
    why = at.main.table[0].value.set_index("Run")["Because"]
    assert len(why) == 6
    assert "unknown: whether its weights are open" in why["good"].replace("\\", "")


def test_limits_and_costs_are_asked_and_answered_as_on_recommend(page):
    at = page("good", "mapper", rec_costs="mapper = 1000", rec_usd="500")

    assert "Limits: available today, at most $500" in read(at)
    assert "5 of 6 runs may answer" in read(at)
    assert "mapper, chosen above, does not meet the limits" in read(at)
    costs = next(one.value for one in at.main.dataframe if "Known from" in one.value)
    shown = costs.set_index("Run")
    assert "mapper" not in shown.index
    assert shown.loc["good", ["$ per 1,000 questions", "Known from"]].tolist() == [250, "measured"]
    assert "raise the cost to 1000" in at.main.table[0].value["Let in if you"][0].replace("\\", "")


def test_limits_set_on_recommend_come_along(page):
    at = page("good", "mapper")
    at.session_state["last_limits"] = Needs("", "", max_usd_per_1000=100, ruled_out=("late",))

    at.switch_page("pages/overview.py").run().switch_page("pages/compare.py").run()

    assert at.number_input(key="rec_usd").value == 100
    assert "0 of 6 runs may answer" in read(at)
    assert "ruled out by you" in at.main.table[0].value["Because"].str.cat()


def test_other_models_do_not_trip_over_what_was_looked_at_before(page):
    at = page("good", "mapper")
    at.selectbox(key="compare_only_tiny_exact").set_value("mapper").run()
    picker = at.multiselect(key="compare_entries_tiny_exact")

    picker.set_value([pick(picker.options, model) for model in ("good", "broken")]).run()

    assert not at.exception and not at.error
    assert "good alone is right on" in read(at)


def test_how_many_runs_are_compared_is_said_and_none_goes_missing_without_a_word(page):
    at = page("good", "mapper")
    assert "2 of 6 runs are compared, among them 2 of the 6 made here." in read(at)
    assert "are in this comparison" not in read(at)

    closed = page("good", "mapper", open="Closed")

    assert "2 of 6 runs are in this comparison. Hidden by the sidebar's filter: " in read(closed)


def test_runs_that_share_too_few_questions_are_named():
    found = evidence(repeats=1)
    found.scores.loc[["q1", "q2", "q3"], "b/graded"] = np.nan
    alone = agreement.together(found, ["a/graded"], list(found.entries.index))

    said = agreement.left_out(found, alone, "graded", list(found.entries.index))

    assert said == (
        "1 of 2 runs are in this comparison. Left out, as it shares too few of these questions: B."
    )
    found.scores["b/graded"] = np.nan

    said = agreement.left_out(found, alone, "graded", list(found.entries.index))

    assert said == "1 of 2 runs are in this comparison. Without any score: B."


@pytest.mark.parametrize(("contrastive", "command"), [(True, "zeroshot"), (False, "run")])
def test_one_run_alone_is_told_how_to_get_another_of_its_kind(contrastive, command):
    found = evidence()
    found = replace(found, entries=found.entries.assign(contrastive=contrastive))

    assert f"python -m evalcore {command}, with the same" in words.alone(found, ["a/graded"])


def test_one_model_is_asked_for_a_second(page):
    at = page("good", "mapper")

    at.multiselect(key="compare_entries_tiny_exact").set_value([]).run()

    assert "Choose two models or runs" in read(at)
    assert not at.exception


def test_the_view_is_a_link(page):
    at = page(compare_correction="None", compare_margin="7")

    assert at.number_input(key="compare_margin").value == 7
    assert "would look clear by luck" in read(at)


def test_the_shipped_runs_compare_on_a_fresh_clone(page):
    at = page(benchmark="easy-vqa")

    assert not at.exception and not at.error
    assert at.selectbox(key="compare_metric_easy-vqa").value == "exact", "named before anls"
    assert "Demo VLM" in read(at)
    assert len(charts(at)) == 3


@pytest.mark.parametrize(("number", "text"), [(7.2, "8"), (1234, "1,300"), (99, "99")])
def test_numbers_of_questions_are_rounded_up(number, text):
    assert words._round(number) == text


@pytest.mark.parametrize(
    ("n", "clusters", "text"),
    [
        (30, 1, "All 30 questions are about one picture or source"),
        (1, 1, "One question says nothing"),
        (30, 30, "Every question shows the same difference of grades"),
        (30, 15, "Every picture or source shows the same difference of grades"),
    ],
)
def test_an_undefined_interval_is_said_in_words_with_its_reason(n, clusters, text):
    row = pd.Series({"low": np.nan, "judge_se": np.nan, "n": n, "clusters": clusters})
    made = parts.make(evidence(), ["a/graded", "b/graded"], "")

    assert words._interval(row) == "no interval"
    assert words._meaning(made, row, pd.Series(dtype=float), 0.02).startswith(text)
    assert ("one picture or source" in words.questions(made, row)) == (n > clusters == 1)
    assert plain(HOSTILE) != HOSTILE


@pytest.mark.parametrize(
    ("p", "text"), [(1.0, "100 %"), (0.996, "100 %"), (0.0996, "10 %"), (0.0312, "3.1 %")]
)
def test_a_chance_is_written_without_powers_of_ten(p, text):
    assert words.p_value_text(p) == text


N_HALF = 30


@pytest.fixture(scope="module")
def half():
    """Three on 60 questions; "half" has a score only for the 30 that it gets right."""
    right = {"a": N_HALF * [1, 0], "b": N_HALF * [0, 1], "half": N_HALF * [1] + N_HALF * [np.nan]}
    right["a"][:N_HALF] = N_HALF // 2 * [1] + N_HALF // 2 * [0]
    right["a"][N_HALF:] = N_HALF * [1]
    base = evidence(repeats=1)
    items = pd.Index([f"q{place:02}" for place in range(2 * N_HALF)], name="item")
    scores = pd.DataFrame(right, dtype=float).set_axis(items)
    entries = pd.concat([base.entries.iloc[:1]] * 3).set_axis(pd.Index(list(right), name="entry"))
    entries = entries.assign(run=list(right), model=list(right), model_name=list(right))
    about = pd.DataFrame({"question": "?", "answers": [("x",)] * 60, "cluster": items}, items)
    tags = pd.DataFrame({"item": items, "axis": "kind", "tag": "easy"})
    asked = scores.notna() | True
    return replace(
        base, items=about, entries=entries, scores=scores, asked=asked, tags=tags, failed=~asked
    )


def test_one_comparison_takes_one_set_of_questions(half):
    made = parts.make(half, ["half", "a", "b"], "kind")

    found = made.outcomes("a")
    assert found[:4] == (15, 0, 15, 0), "on the 30 that all have a score for"
    assert made.differences.set_index("entry").loc["a", "n"].tolist() == [30, 30]
    row = parts.scoreboard(made).loc["a"]
    # 15 of the common 30; 45 of the 60 that it was asked, and it has a score for each of those.
    assert row[["score", "n", "own", "own_n"]].tolist() == [0.5, 30, 0.75, 60]
    assert row["worst"] == row["own"] == row["best"]
    row = parts.scoreboard(made).loc["half"]
    assert row[["score", "own", "worst", "best"]].tolist() == [1, 1, 0.5, 1]
    said = unscored.left_out(made)
    assert "30 of 60 questions lack a score of at least one and are left out (half 30)" in said
    assert "are on the other 30, which all have a score for" in said
    # a less half over all 60: 45 right against 60 or 30.
    assert "Over all 60" in said and "a −25.0 to +25.0; b" in said


def test_whoever_refuses_half_of_the_questions_does_not_win_without_a_word(half):
    made = parts.make(half, ["half", "a", "b"], "kind")
    rows = parts.judged(made, "holm", 0.02)

    best = words.best(made)

    assert best.startswith("half is the best of the 3 on the 30 questions that all have a score")
    assert best.endswith("But over all 60, with the 30 unscored of half as wrong, a would lead.")
    headline = words.headline(made, rows, 0.02)[0]
    assert "A difference on the 30 questions that all have a score for" in headline
    assert "with the 30 unscored of half as wrong, a would lead" in headline
    by_tag = words.by_tag(made, rows, "holm")
    assert "On the scored questions alone a is worse on easy (−50.0)" in by_tag
    # b is right on 30 of all 60, as half is with its unscored ones as wrong.
    assert "b is clearly worse on easy (−50.0)" in by_tag
    assert "clear" not in best + headline


def test_nothing_is_held_back_where_the_unscored_cannot_turn_it(half):
    found = replace(half, scores=half.scores.assign(a=0.0))
    made = parts.make(found, ["half", "a"], "kind")

    assert made.left == 30
    assert unscored.reversal(made, "half", ["a"]) == ""
    headline = words.headline(made, parts.judged(made, "holm", 0.02), 0.02)[0]
    assert "A clear difference on the 30 questions that all have a score for" in headline


def test_all_right_against_all_wrong_is_a_clear_difference(half):
    found = replace(half, scores=half.scores.assign(a=1.0, b=0.0))
    made = parts.make(found, ["a", "b"], "")

    assert "A clear difference" in words.headline(made, parts.judged(made, "none", 0.02), 0.02)[0]
    assert words.best(made).startswith("a is clearly the best of the 2")


def evidence(repeats=2):
    """Two entries on four items, judged twice; the second was not asked the last one."""
    items = pd.Index([f"q{place}" for place in range(4)], name="item")
    entries = pd.DataFrame(
        {
            "run": ["run-a", "run-b"],
            "metric": "graded",
            "model": ["a", "b"],
            "model_name": ["A", "B"],
            "repeats": repeats,
            "created": "2026-11-30",
            "demo": False,
        },
        index=pd.Index(["a/graded", "b/graded"], name="entry"),
    )
    by_repeat = {"a/graded": [[1, 0.5, 0, 1], [1, 0.5, 0.5, 1]], "b/graded": [[0, 1, 1], [0, 0, 1]]}
    verdicts = pd.DataFrame(
        [
            (entry, f"q{place}", repeat, score)
            for entry, repeated in by_repeat.items()
            for repeat, scores in enumerate(repeated)
            for place, score in enumerate(scores)
        ],
        columns=["entry", "item", "repeat", "score"],
    )
    scores = verdicts.pivot_table(index="item", columns="entry", values="score")
    asked = pd.DataFrame({"a/graded": True, "b/graded": [True] * 3 + [False]}, index=items)
    about = pd.DataFrame({"question": "?", "answers": [("x",)] * 4, "cluster": list("xyzw")}, items)
    no_answers = pd.DataFrame(
        columns=["run", "item", "text", "error", "seconds", "tokens_out", "usd"]
    )
    return ItemResults(
        benchmark="hand-made",
        items=about,
        tags=pd.DataFrame(columns=["item", "axis", "tag"]),
        entries=entries.assign(settings="{}"),
        scores=scores,
        repeat_sd=scores,
        asked=asked,
        failed=~asked,
        read_answers=lambda: no_answers,
        read_verdicts=lambda: verdicts,
    )


def test_the_judges_own_spread_stays_apart_from_the_sampling_error():
    made = parts.make(evidence(), ["a/graded", "b/graded"], "")

    row = made.differences.iloc[0]
    # Totals over the three shared items: A 1.5/3 and 2/3, B 2/3 and 1/3.
    a, b = (np.std(totals, ddof=1) / np.sqrt(2) for totals in ([0.5, 2 / 3], [2 / 3, 1 / 3]))
    assert row["judge_se"] == pytest.approx(np.hypot(a, b))
    away = abs(row["difference"]) / np.hypot(row["se"], row["judge_se"])
    assert row["p"] == pytest.approx(2 * stats.t.sf(away, 2))
    assert row[["low", "high"]].tolist() == [-1, 1], "three questions say next to nothing"
    assert len(made.asked) == len(made.scores) == 3


def test_without_repeats_no_spread_is_added_and_nothing_unknown_is_zero():
    made = parts.make(evidence(repeats=1), ["a/graded", "b/graded"], "")

    assert made.differences["judge_se"].isna().all()
    table = parts.scoreboard(made)
    assert table[["usd", "seconds", "characters", "tokens_out"]].isna().all(axis=None)
    assert not made.binary and table["low"].notna().all()
