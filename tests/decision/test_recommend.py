"""The recommendation: limits, gaps, ties and words, on small tables that can be checked by hand."""

import json
import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcore.decision.recommend import Needs, recommend
from evalcore.errors import BadInput, UnknownName

NAN = float("nan")
NEEDS = Needs(suite="s", axis="x")


def cells(values, n=1000.0, kind="published"):
    """Return cells from {model: {tag: value}}."""
    rows = [
        {"model": model, "tag": tag, "value": value, "n": n, "kind": kind, "suspect": False}
        for model, by_tag in values.items()
        for tag, value in by_tag.items()
    ]
    frame = pd.DataFrame(rows)
    frame["se"] = np.sqrt(frame["value"] * (1 - frame["value"]) / frame["n"])
    frame["low"], frame["high"] = frame["value"] - 0.02, frame["value"] + 0.02
    return frame


def models(**sizes):
    """Return the models frame from model=(params_b, open_weights)."""
    rows = [
        {"model": model, "name": model.upper(), "params_b": size, "open_weights": is_open}
        for model, (size, is_open) in sizes.items()
    ]
    frame = pd.DataFrame(rows, columns=["model", "name", "params_b", "open_weights"])
    return frame.astype({"open_weights": object})


CELLS = cells(
    {
        "big": {"t": 0.80, "u": 0.70},
        "mid": {"t": 0.60, "u": 0.75},
        "small": {"t": 0.40, "u": 0.30},
        "shut": {"t": 0.90, "u": 0.90},
    }
)
MODELS = models(big=(20.0, True), mid=(8.08, True), small=(0.94, True), shut=(NAN, False))


def ask(**options):
    return recommend(CELLS, MODELS, replace(NEEDS, **options))


def ranked(answer):
    return answer.ranking["model"].tolist()


def test_without_limits_the_best_mean_wins():
    answer = ask()
    assert answer.winner == "shut"
    assert ranked(answer) == ["shut", "big", "mid", "small"]
    assert answer.ranking["score"].tolist() == pytest.approx([0.9, 0.75, 0.675, 0.35])


def test_weights_decide_and_a_weight_of_zero_drops_a_tag():
    answer = ask(weights=(("t", 0.0), ("u", 2.0)), open_weights=True)
    assert answer.winner == "mid"
    assert answer.mix == (("u", 1.0),)


def test_every_excluded_model_names_its_limits_and_what_would_let_it_in():
    excluded = ask(open_weights=True, max_params_b=5).excluded.set_index("model")
    assert excluded.loc["shut"].tolist() == [
        "closed weights",
        "allow closed weights and let unknown values pass",
    ]
    assert excluded["limit"]["big"] == "size 20 B over 5 B"
    assert excluded["relaxation"]["mid"] == "raise the size to 8.08 B"


@pytest.mark.parametrize(
    "options",
    [
        {"max_params_b": 5.0},
        {"max_memory_gb": 10.0},
        {"max_usd_per_1000": 1.0, "usd_per_1000": (("big", 2.037), ("mid", 1.001))},
        {"min_score": 0.7},
        {"min_tag_scores": (("t", 0.7),)},
    ],
)
def test_the_named_relaxation_lets_the_model_in(options):
    relaxation = ask(**options).excluded.set_index("model")["relaxation"]["mid"]
    figure = float(re.search(r"to ([\d.]+)", relaxation).group(1))
    name = next(name for name in options if name.startswith(("max", "min")))
    eased = {"min_score": figure / 100, "min_tag_scores": (("t", figure / 100),)}.get(name, figure)
    again = ask(**{**options, name: eased})
    assert "mid" not in again.excluded["model"].tolist()


def test_a_known_miss_excludes_even_if_another_value_is_unknown():
    answer = ask(open_weights=True, max_params_b=10)
    assert "shut" in answer.excluded["model"].tolist()
    assert "shut" not in answer.cannot_tell["model"].tolist()


def test_an_unknown_value_neither_passes_nor_fails():
    answer = ask(max_params_b=10)
    assert answer.cannot_tell["model"].tolist() == ["shut"]
    assert answer.winner == "mid"
    assert ask(max_params_b=10, include_unknown=True).winner == "shut"


def test_a_model_missing_from_the_models_is_unknown_in_everything():
    answer = recommend(CELLS, MODELS.iloc[:0], replace(NEEDS, open_weights=True))
    assert answer.winner is None
    assert set(answer.cannot_tell["model"]) == {"big", "mid", "small", "shut"}


def test_an_unknown_price_says_which_option_states_it():
    told = ask(max_usd_per_1000=1.0, usd_per_1000=(("mid", 0.5),)).cannot_tell
    what = told.set_index("model")["what"]["big"]
    assert what == "USD per 1,000 questions (--usd-per-1000 big=VALUE)"


def test_the_cost_of_an_open_model_follows_from_the_machine():
    answer = ask(gpu_usd_per_hour=2.0, questions_per_hour=(("*", 1000.0), ("big", 500.0)))
    cost = answer.ranking.set_index("model")["usd_per_1000"]
    assert cost["mid"] == pytest.approx(2.0)
    assert cost["big"] == pytest.approx(4.0)
    assert math.isnan(cost["shut"])


def test_memory_is_parameters_times_bytes_and_a_fifth():
    # 8.08 x 1 byte x 1.2 = 9.7 GB at int8; twice that at bf16.
    assert ask(max_memory_gb=9.7, precision="int8", open_weights=True).winner == "mid"
    assert ask(max_memory_gb=9.7, open_weights=True).winner == "small"


def test_the_limits_on_kind_and_name_are_kept():
    assert ranked(ask(api_only=True)) == ["shut"]
    assert "shut" not in ranked(ask(self_hosted=True))
    assert ask(ruled_out=("shut",)).winner == "big"
    assert ask(max_seconds=1.0, seconds=(("mid", 0.5), ("big", 3.0))).winner == "mid"


def gappy():
    return CELLS[~((CELLS["model"] == "big") & (CELLS["tag"] == "u"))]


def test_a_model_that_lacks_a_tag_is_set_aside_with_its_bounds():
    answer = recommend(gappy(), MODELS, replace(NEEDS, open_weights=True))
    row = answer.incomplete.iloc[0]
    assert (row["model"], row["missing"]) == ("big", ("u",))
    assert (row["low"], row["high"]) == pytest.approx((0.40, 0.90))
    assert ranked(answer) == ["mid", "small"]


def test_a_gap_is_judged_by_its_best_case_against_the_overall_minimum():
    answer = recommend(gappy(), MODELS, replace(NEEDS, min_score=0.91))
    assert "at most 90 % overall" in answer.excluded.set_index("model")["limit"]["big"]


def test_a_missing_tag_with_a_minimum_cannot_be_told():
    answer = recommend(gappy(), MODELS, replace(NEEDS, min_tag_scores=(("u", 0.1),)))
    assert answer.cannot_tell["model"].tolist() == ["big"]


def close(**known):
    """Return two models that the data cannot tell apart, a slightly ahead."""
    table = cells({"a": {"t": 0.70, "u": 0.70}, "b": {"t": 0.69, "u": 0.70}})
    return recommend(table, models(a=(9.0, True), b=(3.0, True)), replace(NEEDS, **known))


def test_among_the_tied_the_cheapest_then_the_smallest_is_chosen():
    by_size = close()
    assert (by_size.tied_best, by_size.winner, by_size.tie_break) == (("a", "b"), "b", "size")
    by_cost = close(usd_per_1000=(("a", 1.0), ("b", 2.0)))
    assert (by_cost.winner, by_cost.tie_break) == ("a", "cost")
    equal_cost = close(usd_per_1000=(("a", 1.0), ("b", 1.0)))
    assert (equal_cost.winner, equal_cost.tie_break) == ("b", "size")


def test_with_neither_price_nor_size_the_higher_score_is_chosen():
    table = cells({"a": {"t": 0.69}, "b": {"t": 0.70}})
    answer = recommend(table, models(a=(NAN, False), b=(NAN, False)), NEEDS)
    assert (answer.winner, answer.tie_break) == ("b", "score")
    assert "has the highest score" in " ".join(answer.sentences)


def test_unknown_numbers_of_questions_leave_intervals_and_ties_unknown():
    table = CELLS.assign(n=NAN, se=NAN, low=NAN, high=NAN)
    answer = recommend(table, MODELS, NEEDS)
    assert answer.winner == "shut"
    assert answer.ranking[["low", "high", "p_best", "rank_low"]].isna().all(axis=None)
    assert "cannot be judged" in " ".join(answer.sentences)
    assert any("not known" in sentence for sentence in answer.assumptions)


def test_tags_with_too_few_questions_are_dropped_and_said():
    table = CELLS.assign(n=np.where(CELLS["tag"] == "t", 50.0, 1000.0))
    answer = recommend(table, MODELS, replace(NEEDS, min_n=300))
    assert answer.mix == (("u", 1.0),)
    assert "Left out of the mix: t has fewer than 300 questions." in answer.assumptions
    with pytest.raises(BadInput, match="lower min_n"):
        recommend(table, MODELS, replace(NEEDS, min_n=5000))


def test_an_upload_adds_a_model_but_never_a_tag():
    mine = cells({"mine": {"t": 0.95, "u": 0.95, "v": 0.99}}, kind="uploaded")
    answer = recommend(pd.concat([CELLS, mine]), MODELS, NEEDS)
    assert answer.winner == "mine"
    assert [tag for tag, _ in answer.mix] == ["t", "u"]
    assert answer.ranking.set_index("model")["uploaded"]["mine"]


def test_the_published_overall_is_no_tag_among_tags():
    total = cells({"big": {"total": 0.1}})
    assert [tag for tag, _ in recommend(pd.concat([CELLS, total]), MODELS, NEEDS).mix] == ["t", "u"]


def test_suspect_results_take_part_only_when_asked():
    table = CELLS.assign(suspect=CELLS["model"] == "shut")
    assert recommend(table, MODELS, NEEDS).winner == "big"
    assert recommend(table, MODELS, replace(NEEDS, include_suspect=True)).winner == "shut"


def test_a_long_list_of_models_is_cut_in_a_sentence():
    names = [f"m{i}" for i in range(30)]
    table = cells({name: {"t": 0.5, "u": 0.5} for name in names})
    known = models(**{name: (NAN, True) for name in names})
    assert "and 22 more" in " ".join(
        recommend(table, known, replace(NEEDS, max_params_b=1)).sentences
    )


def test_a_score_below_chance_keeps_its_interval_around_it():
    table = cells({"a": {"t": 0.1, "u": 0.1}}).assign(value=-0.02, se=0.01)
    row = recommend(table, models(a=(1.0, True)), NEEDS).ranking.iloc[0]
    assert row["low"] < row["score"] < row["high"]


def test_the_reference_ignores_every_limit_and_lists_what_is_given_up():
    best = ask(open_weights=True).reference
    assert (best.model, best.gap) == ("shut", pytest.approx(0.15))
    assert best.by_tag == (("u", pytest.approx(0.2)), ("t", pytest.approx(0.1)))


def test_with_nobody_left_the_answer_says_what_would_help():
    answer = ask(max_params_b=0.5)
    said = " ".join(answer.sentences)
    assert answer.winner is None and answer.ranking.empty
    assert "3 models miss nothing else than this one (over the size limit)" in said
    assert "SHUT has the highest score: 90.0 %" in said


def test_a_single_model_is_recommended_without_a_rival():
    answer = recommend(cells({"a": {"t": 0.5}}), models(a=(1.0, True)), NEEDS)
    assert answer.winner == "a"
    assert "No other model" in " ".join(answer.sentences)


def test_the_flip_names_who_becomes_first_and_where():
    answer = ask(open_weights=True)
    # big leads mid while .80 x + .70 (1 - x) > .60 x + .75 (1 - x), that is x > 0.2.
    assert answer.flips["new_winner"].tolist() == ["mid", "mid"]
    assert "MID becomes first" in " ".join(answer.sentences)
    assert answer.flips.set_index("tag")["weight"]["t"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": (("tt", 1.0),)}, "'tt'"),
        ({"weights": (("t", -1.0),)}, "at least 0"),
        ({"weights": (("t", NAN),)}, "at least 0"),
        ({"weights": (("t", 0.0),)}, "every weight is 0"),
        ({"weights": (("t", 1.0), ("t", 2.0))}, "more than once"),
        ({"usd_per_1000": (("bigg", 1.0),)}, r"the nearest are \['big'\]"),
        ({"usd_per_1000": (("big", -1.0),)}, "at least 0"),
        ({"seconds": (("nobody-at-all", 1.0),)}, "known are"),
        ({"questions_per_hour": (("*", 0.0),)}, "above 0"),
        ({"ruled_out": ("hug",)}, "'hug'"),
        ({"precision": "fp8"}, "fp32, bf16, int8, int4"),
        ({"aggregate": "mean"}, "macro, micro"),
        ({"min_score": 60}, "a fraction"),
        ({"min_tag_scores": (("t", 1.5),)}, "a fraction"),
        ({"max_params_b": -1.0}, "at least 0"),
        ({"max_seconds": NAN}, "at least 0"),
        ({"api_only": True, "open_weights": True}, "closed weights"),
    ],
)
def test_needs_that_cannot_be_meant_are_refused(options, message):
    with pytest.raises(BadInput, match=message):
        ask(**options)


def test_an_unknown_tag_is_an_unknown_name():
    with pytest.raises(UnknownName):
        ask(weights=(("nothing", 1.0),))


def test_two_cells_for_one_model_and_tag_are_refused():
    with pytest.raises(BadInput, match="two cells for 'big' on 't'"):
        recommend(pd.concat([CELLS, CELLS.iloc[:1]]), MODELS, NEEDS)


def test_a_better_model_of_unknown_size_is_named_beside_the_winner():
    assert "SHUT has the highest score: 90.0 %" in " ".join(ask(max_params_b=10).sentences)


def test_a_suite_without_usable_results_is_refused():
    with pytest.raises(BadInput, match="no usable result"):
        recommend(CELLS.iloc[:0], MODELS, NEEDS)


def test_the_answer_is_ready_for_json_and_unknown_is_null():
    plain = ask(max_params_b=10, usd_per_1000=(("mid", 1.0),)).to_dict()
    again = json.loads(json.dumps(plain, allow_nan=False))
    assert again["winner"] == "mid"
    assert again["ranking"][1]["usd_per_1000"] is None
    assert again["ranking"][0]["rank_low"] == 1
    assert again["needs"]["max_params_b"] == 10
    assert again["regret"][0]["tags"] == {"t": 0.0, "u": 0.0}


QUESTIONS = [
    {},
    {"open_weights": True, "max_params_b": 8.75},
    {"max_params_b": 0.5},
    {"max_usd_per_1000": 0.075, "usd_per_1000": (("mid", 0.0123), ("small", 0.0456))},
    {"min_score": 0.6123, "max_memory_gb": 20.25, "aggregate": "micro"},
    {"weights": (("t", 1.0),), "api_only": True},
]


@pytest.mark.parametrize("options", QUESTIONS)
def test_sentences_have_one_decimal_at_most_no_markup_and_no_jargon(options):
    answer = ask(**options)
    text = " ".join([*answer.sentences, *answer.assumptions])
    assert not re.search(r"\d\.\d\d", text), text
    assert not re.search(r"[*_`<>#|]|\bnan\b|None,|significant", text), text


def test_an_added_sentence_about_the_suite_is_an_assumption():
    answer = recommend(CELLS, MODELS, NEEDS, suite_note="One judge.", design_effect=2.5)
    assert "One judge." in answer.assumptions
    assert any("multiplied by 2.5" in sentence for sentence in answer.assumptions)


values = st.floats(0.05, 0.95)
tables = st.lists(st.tuples(values, values, values), min_size=2, max_size=6)


def built(rows):
    names = [f"m{i}" for i in range(len(rows))]
    table = cells(
        {m: dict(zip("tuv", row, strict=True)) for m, row in zip(names, rows, strict=True)}
    )
    return table, models(**{m: (1.0 + i, i % 2 == 0) for i, m in enumerate(names)})


def scores(answer):
    return answer.ranking.set_index("model")["score"]


fast = settings(max_examples=12, deadline=None)


@fast
@given(tables)
def test_a_bad_model_never_moves_the_others(rows):
    table, known = built(rows)
    bad = cells({"zz": {"t": 0.01, "u": 0.01, "v": 0.01}})
    before, after = recommend(table, known, NEEDS), recommend(pd.concat([table, bad]), known, NEEDS)
    assert ranked(after) == [*ranked(before), "zz"]
    assert scores(after).drop("zz").equals(scores(before))


@fast
@given(tables, st.integers(0, 5), st.integers(0, 2))
def test_removing_a_result_never_helps_a_model(rows, which, tag):
    table, known = built(rows)
    model = f"m{which % len(rows)}"
    gone = (table["model"] == model) & (table["tag"] == "tuv"[tag])
    before, after = recommend(table, known, NEEDS), recommend(table[~gone], known, NEEDS)
    assert model not in ranked(after)
    assert after.incomplete["model"].tolist() == [model]
    assert scores(after).equals(scores(before).drop(model))


@fast
@given(tables, st.floats(0.5, 8), st.floats(0, 4), st.floats(0, 1))
def test_a_tighter_limit_never_adds_a_model(rows, most, less, least):
    table, known = built(rows)
    loose = recommend(table, known, replace(NEEDS, max_params_b=most, min_score=least * 0.8))
    tight_needs = replace(NEEDS, max_params_b=max(most - less, 0), min_score=least)
    tight = recommend(table, known, tight_needs)
    assert set(ranked(tight)) <= set(ranked(loose))


@fast
@given(tables, st.integers(0, 5))
def test_an_unknown_never_passes_a_limit_unless_let(rows, which):
    table, known = built(rows)
    model = f"m{which % len(rows)}"
    known.loc[known["model"] == model, "params_b"] = NAN
    needs = replace(NEEDS, max_params_b=100.0)
    assert model not in ranked(recommend(table, known, needs))
    assert model in ranked(recommend(table, known, replace(needs, include_unknown=True)))


@fast
@given(tables, st.floats(0.01, 100))
def test_scaling_all_weights_changes_nothing(rows, factor):
    table, known = built(rows)
    weights = (("t", 1.0), ("u", 2.0), ("v", 3.0))
    scaled = tuple((tag, weight * factor) for tag, weight in weights)
    one, other = (recommend(table, known, replace(NEEDS, weights=w)) for w in (weights, scaled))
    assert scores(one).to_numpy() == pytest.approx(scores(other).to_numpy())
    assert (one.winner, set(one.tied_best)) == (other.winner, set(other.tied_best))
