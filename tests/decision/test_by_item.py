"""The recommendation from single questions: what pairing tells apart, and when totals answer."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evalcore.analysis.by_items import Items, Repeats
from evalcore.decision.recommend import Needs, recommend
from evalcore.decision.report import markdown
from evalcore.engine import evaluate, runs
from evalcore.store import build
from evalcore.suites import current, suite
from tests import fakes
from tests.fakes import SETTINGS

NEEDS = Needs(suite="s", axis="x")
MADE = {tag: {("b", "x", tag): 1.0} for tag in ("t", "u")}
NUMBER = 200
FROM_ITEMS = "200 questions answered by both models, compared question by question (paired)."


def column(right):
    return (np.arange(NUMBER) < right).astype(float)


def items(scores):
    """Even questions have tag t, odd ones u; each stands alone."""
    places = {("b", "x", "t"): np.arange(0, NUMBER, 2), ("b", "x", "u"): np.arange(1, NUMBER, 2)}
    return Items(pd.DataFrame(scores), np.arange(NUMBER), places)


def cells(made, published=()):
    rows = []
    for model in made.scores:
        for (_, _, tag), place in made.places.items():
            own = made.scores[model].iloc[place].dropna()
            rows.append((model, tag, own.mean(), float(len(own)), "measured"))
    rows += [(model, tag, value, n, "published") for model, tag, value, n in published]
    frame = pd.DataFrame(rows, columns=["model", "tag", "value", "n", "kind"]).dropna(
        subset="value"
    )
    se = np.sqrt(frame["value"] * (1 - frame["value"]) / frame["n"])
    return frame.assign(se=se, low=0.0, high=1.0, suspect=False)


def models(*names, size=1.0):
    frame = pd.DataFrame({"model": names, "name": [name.upper() for name in names]})
    return frame.assign(params_b=size, open_weights=True)


def ask(made, published=(), known=None, **options):
    """The answer from the items; without any when ``made`` is kept from it by items=None."""
    about = models(*made.scores, *dict.fromkeys(row[0] for row in published))
    given = {"items": made, "composition": MADE} | options
    table = cells(made, published) if known is None else known
    return recommend(table, about, NEEDS, **given)


CLOSE = items({"a": column(130), "b": column(118)})
"""a is right wherever b is, and on six percent more."""


def test_pairing_tells_two_models_apart_that_totals_call_tied():
    by_totals, by_item = ask(CLOSE, items=None), ask(CLOSE)

    assert by_totals.tied_best == ("a", "b")
    assert by_item.tied_best == ("a",)
    assert by_item.ranking["rank_high"].tolist() == [1, 2]
    assert by_item.ranking["score"].tolist() == by_totals.ranking["score"].tolist()
    assert "It beats the next, B, by 6.0 points (clearly better)" in by_item.sentences[1]


def test_whether_one_clearly_dominates_the_other_is_told_by_pairing_too():
    answers = [ask(CLOSE, items=None), ask(CLOSE)]

    told = [answer.pareto.set_index("model").loc["b", "status"] for answer in answers]
    assert told == ["possibly dominated", "dominated"]


def test_the_answer_says_in_one_sentence_what_it_comes_from():
    start = "Intervals, ties and the chance of being the best come from "

    assert ask(CLOSE).basis == start + FROM_ITEMS
    assert ask(CLOSE, items=None).basis == f"{start}totals: approximate."
    published = [("p", "t", 0.5, 300.0), ("p", "u", 0.6, 300.0)]
    assert ask(items({}), published, items=None).basis == (
        "The interval comes from published totals: approximate."
    )


def test_the_sentence_stands_among_the_assumptions_in_the_report_and_in_json():
    answer = ask(CLOSE)

    assert answer.basis in answer.assumptions
    text = markdown(answer, models("a", "b"), "https://host/x", "v", "2026-11-30")
    assert text.replace("\\", "").count(answer.basis) == 2
    plain = json.loads(json.dumps(answer.to_dict()))
    assert plain["basis"] == answer.basis
    assert plain["by_item"] == ["a", "b"]


def test_a_published_model_keeps_its_total_and_is_named():
    published = [("p", "t", 0.62, 300.0), ("p", "u", 0.62, 300.0)]
    answer = ask(CLOSE, published)

    assert answer.basis == (
        "Intervals, ties and the chance of being the best come for A and B from 200 questions "
        "answered by all of them, compared question by question (paired); for P from published "
        "totals: approximate."
    )
    # 3 points behind with errors of its own: p cannot be told from the leader, b can.
    assert answer.tied_best == ("a", "p")
    assert answer.ranking["rank_high"].tolist() == [2, 3, 3]
    p = answer.ranking.set_index("model").loc["p"]
    assert (p["n"], round(p["high"] - p["low"], 3)) == (600, 0.078)


def test_a_model_of_unknown_error_may_stand_anywhere():
    published = [("p", "t", 0.5, np.nan), ("p", "u", 0.5, np.nan)]
    answer = ask(CLOSE, published)

    assert answer.tied_best == ("a",)
    assert answer.ranking["p_best"].isna().all()
    assert answer.ranking["rank_high"].tolist()[:2] == [2, 3]
    assert np.isnan(answer.ranking["rank_high"].iloc[2])


def test_items_that_give_other_totals_are_left_aside_with_the_reason():
    known = cells(CLOSE)
    known.loc[known["model"] == "b", "value"] += 0.004
    answer = ask(CLOSE, known=known)

    assert answer.by_item == ("a",)
    why = "its answers give another score on t than its total"
    assert f"Not compared question by question: B ({why})." in answer.assumptions


def test_unscored_questions_are_left_out_for_all_and_bounded():
    gaps = column(130)
    gaps[[0, 1, 2, 3]] = np.nan
    answer = ask(items({"a": gaps, "b": column(118)}))

    row = answer.ranking.set_index("model").loc["b"]
    assert row["n"] == 196
    assert row["score"] == pytest.approx(114 / 196)
    said = next(text for text in answer.assumptions if "have no score" in text)
    assert "A 4 of 200 (63.0 % to 65.0 %)" in said
    assert "another could lead" not in said


def test_a_score_that_the_leaderboard_gives_otherwise_is_said_with_both_numbers():
    gaps = column(130)
    gaps[[0, 1, 2, 3]] = np.nan
    answer = ask(items({"a": gaps, "b": column(118)}))

    assert answer.basis.endswith(
        "Overview's leaderboard scores each model on all its own questions, this ranking on those "
        "that all have: B 59.0 % there (n 200), 58.2 % here (n 196)."
    )
    assert "leaderboard" not in ask(CLOSE).basis
    assert "leaderboard" not in ask(CLOSE, items=None).basis


def test_unscored_questions_that_could_change_the_leader_say_so():
    gaps = column(130)
    gaps[:20] = np.nan
    answer = ask(items({"a": gaps, "b": column(118)}))

    assert any("another could lead" in text for text in answer.assumptions)
    assert "clearly" not in answer.sentences[1]
    assert (
        "(better on the questions that all have a score for; with its 20 unscored ones counted as "
        "wrong, B would lead)" in answer.sentences[1]
    )


def test_models_without_a_question_in_common_are_compared_by_their_totals():
    first, second = column(60), column(160)
    first[100:], second[:100] = np.nan, np.nan
    answer = ask(items({"a": first, "b": second}))

    assert answer.by_item == ()
    assert answer.basis.endswith("come from totals: approximate.")
    assert any("enough questions in common" in text for text in answer.assumptions)


def test_one_model_alone_has_an_interval_from_its_questions_and_no_rival():
    answer = ask(items({"a": column(130)}))

    assert answer.basis == "The interval comes from 200 questions answered by it."
    assert answer.ranking["p_best"].tolist() == [1.0]
    assert answer.ranking[["rank_low", "rank_high"]].to_numpy().tolist() == [[1, 1]]
    assert 0.5 < answer.ranking["low"].iloc[0] < 0.65 < answer.ranking["high"].iloc[0] < 0.8


def test_a_model_with_no_score_at_all_takes_no_part():
    answer = ask(items({"a": column(130), "b": np.full(NUMBER, np.nan)}))

    assert answer.ranking["model"].tolist() == ["a"]
    assert answer.winner == "a"


def test_limits_and_weights_keep_the_comparison_by_question():
    made = items({"a": column(130), "b": column(118), "c": column(90)})
    needs = replace(NEEDS, weights=(("t", 3.0), ("u", 1.0)), ruled_out=("a",), min_score=0.3)
    answer = recommend(cells(made), models("a", "b", "c"), needs, items=made, composition=MADE)

    assert answer.winner == "b"
    assert answer.tied_best == ("b",)
    assert FROM_ITEMS in answer.basis
    assert answer.by_item == ("a", "b", "c")


def test_questions_with_several_tags_need_no_design_effect():
    answer = ask(CLOSE, design_effect=2.5)

    assert not any("design effect" in text for text in answer.assumptions)
    assert "from 200 questions)" in answer.sentences[0]


def test_the_demo_runs_are_compared_question_by_question(store):
    data = suite.load(store, "demo")
    answer = current.recommend_for(data, Needs("demo", "question_type"))

    assert "500 questions answered by all 6 models" in answer.basis
    table = suite.cells(data, "question_type").pivot(index="model", columns="tag", values="value")
    assert answer.ranking.set_index("model")["score"].to_dict() == pytest.approx(
        table.mean(axis=1).to_dict()
    )


def test_own_runs_are_compared_on_what_both_answered(home):
    for model, wrong, broken in (("strong-1b", 4, {"q/39"}), ("weak-1b", 16, set())):
        run = runs.create(replace(SETTINGS, model=model), fakes.items(40), "here")
        answers = {f"q/{count}": "no" for count in range(wrong)}
        model = fakes.FakeModel(answers, breaks_on=broken)
        evaluate.evaluate(run, model, [fakes.FakeJudge()])

    data = suite.load(build.ensure(), "tiny")
    answer = current.recommend_for(data, Needs("tiny", "kind"))

    assert "39 questions answered by both models" in answer.basis
    assert answer.tied_best == ("strong-1b",)
    assert answer.ranking["score"].tolist() == pytest.approx(
        [(18 / 20 + 17 / 19) / 2, (12 / 20 + 11 / 19) / 2]
    )
    # Of 20 even and 20 odd questions it misses two each; the broken one is odd.
    bounds = answer.unscored.set_index("model").loc["strong-1b"]
    assert bounds.tolist() == pytest.approx(
        [1, 40, (18 / 20 + 17 / 19) / 2, (18 + 17) / 40, (18 + 18) / 40]
    )


def test_the_spread_over_judge_runs_is_said_and_can_part_no_more():
    moods = np.array([-0.08, 0.0, 0.08])
    verdicts = {name: 0.2 + 0.6 * CLOSE.scores[name].to_numpy() for name in ("a", "b")}
    repeats = [Repeats(name, "b", 0, own[:, None] + moods) for name, own in verdicts.items()]
    once = items(verdicts)
    again = Items(once.scores, once.cluster, once.places, repeats=repeats)
    plain, answer = ask(once), ask(again)

    assert (plain.tied_best, answer.tied_best) == (("a",), ("a", "b"))
    said = "The answers of A and B were judged more than once: the spread over judge runs"
    assert any(text.startswith(said) for text in answer.assumptions)
    assert not any("judge runs" in text for text in plain.assumptions)


def test_how_many_more_questions_would_do_takes_what_was_seen():
    first = (np.arange(NUMBER) % 3 > 0).astype(float)
    second = first.copy()
    second[:24] = first[:24] == 0  # 16 fewer and 8 more
    made = items({"a": first, "b": second})
    published = [("p", "t", 0.65, 300.0), ("p", "u", 0.65, 300.0)]
    answer = ask(made, published)

    apart = made.scores["a"] - made.scores["b"]
    gap, rows = apart.mean(), answer.tests.set_index("model")
    expected = 7.848879 * apart.var(ddof=1) / gap**2
    assert rows["paired"]["b"] == pytest.approx(expected, rel=0.15)
    assert rows["seen"].fillna(0).to_dict() == {"b": NUMBER, "p": 0}
    (said,) = (text for text in answer.sentences if text.startswith("To be surer"))
    assert "For P, the hardest to part, " in said
    assert said.endswith(" if what they get right correlates by 0.5 (assumed).")
    (alone,) = (text for text in ask(made).sentences if text.startswith("To be surer"))
    assert f"{rows['paired']['b']:,.0f} questions of your own, put to both" in alone
    assert "and they differ as on the 200 here; with other questions" in alone
    assert not any("To be surer" in text for text in ask(made, items=None).sentences)


def test_a_suite_of_published_totals_says_so(store):
    answer = current.recommend_for(suite.load(store, "vqa360"), Needs("vqa360", "task_type"))

    assert answer.basis.endswith("come from published totals: approximate.")
