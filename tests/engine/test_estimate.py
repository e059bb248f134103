"""What is foretold of a run: measured where it can be, a rule of thumb where not, else unknown."""

import dataclasses
import json

import pytest

from evalcore import estimate
from evalcore.engine import launch, runs
from evalcore.engine.launch import Plan
from evalcore.engine.runs import Settings
from evalcore.estimate.amounts import Amount, in_words, total
from evalcore.models import chat
from evalcore.records import Prediction, Verdict
from tests.fakes import described, items

PRICES = {"usd_per_mtok_in": 1.0, "usd_per_mtok_out": 10.0}
API = Settings("small", "openai", "tiny", "tiny", options={"model": "small", **PRICES})
LOCAL = Settings("local", "transformers", "tiny", "tiny", options={"path": "a", "instruction": ""})
JUDGE = "goeval-ref-noimage=judge-1"


@pytest.fixture(autouse=True)
def own_home(home):
    return home


@pytest.fixture
def judge(home):
    """A judge's model in the catalogue of one's own."""
    options = json.dumps({"model": "judge-1", **PRICES}).replace('"', '""')
    (home / "catalog").mkdir()
    (home / "catalog" / "deployments.csv").write_text(
        f'model,adapter,options,note\njudge-1,openai,"{options}",\n', "utf-8"
    )


def planned(settings, number, folder=None):
    return Plan(settings, tuple(items(number, folder)))


def answered(plan, number, **fields):
    """A run of the plan with some answers."""
    run = launch.start(plan)
    writer = run.writer("predictions")
    for count, item in enumerate(plan.items[:number]):
        values = {name: made(count) for name, made in fields.items()}
        writer.append(Prediction(item.id, "yes", **values))
    writer.close()
    return run


def judged(run, plan, repeats, **fields):
    for repeat in range(repeats):
        writer = run.writer(f"verdicts/{runs.verdict_key('j', '1', repeat)}")
        for item in plan.items:
            writer.append(
                Verdict(item.id, "goeval-ref-noimage:judge-1", "1", repeat, 1.0, **fields)
            )
        writer.close()


def test_text_is_counted_by_a_rule_of_thumb_that_is_said_to_be_one():
    blind = dataclasses.replace(LOCAL, options={**LOCAL.options, "blind": True})

    found = estimate.of(planned(blind, 10))

    written = sum(len(item.question) for item in items(10))
    expected = (written / 4, written / 6, written / 2)
    assert (found.tokens_in.value, found.tokens_in.low, found.tokens_in.high) == expected
    assert "rule of thumb" in found.tokens_in.source
    assert found.pictures == 0


def test_what_pictures_take_is_unknown_until_it_is_measured(tmp_path):
    found = estimate.of(planned(LOCAL, 10, tmp_path))

    assert found.tokens_in.value is None
    assert found.tokens_in.low == sum(len(item.question) for item in items(10)) / 6
    assert "a run of 20 questions tells" in found.tokens_in.source
    assert found.seconds.value is None
    assert found.pictures == 10


def test_an_earlier_run_of_the_same_model_is_measured_and_named(tmp_path):
    run = answered(
        planned(LOCAL, 20, tmp_path), 20,
        tokens_in=lambda n: 100 + n % 2, tokens_out=lambda n: 5, seconds=lambda n: 0.5,
    )  # fmt: skip

    found = estimate.of(planned(dataclasses.replace(LOCAL, limit=200), 200, tmp_path))

    assert found.tokens_in == total([100.0, 101.0] * 10, 200, found.tokens_in.source)
    assert found.tokens_in.low < found.tokens_in.value == 20_100 < found.tokens_in.high
    assert found.tokens_in.source == f"measured on 20 questions of run {run.id}"
    assert found.seconds.value == pytest.approx(100)
    assert found.usd.source == "no API cost: it runs on this machine"


def test_another_benchmark_gives_no_range(tmp_path):
    other = dataclasses.replace(LOCAL, benchmark="other")
    answered(planned(other, 10, tmp_path), 10, tokens_out=lambda n: n)

    found = estimate.of(planned(LOCAL, 10, tmp_path))

    assert (found.tokens_out.value, found.tokens_out.low) == (45, None)
    assert found.tokens_out.source.endswith(", other questions: other")


def test_another_setting_or_too_few_questions_speak_for_nothing(tmp_path):
    larger = dataclasses.replace(LOCAL, options={**LOCAL.options, "image_size": 900})
    answered(planned(larger, 10, tmp_path), 10, seconds=lambda n: 1.0)
    answered(planned(dataclasses.replace(LOCAL, limit=4), 4, tmp_path), 4, seconds=lambda n: 1.0)

    assert estimate.of(planned(LOCAL, 10, tmp_path)).seconds.value is None


def test_time_counts_only_from_this_machine(tmp_path):
    run = answered(planned(LOCAL, 10, tmp_path), 10, seconds=lambda n: 1.0, tokens_in=lambda n: 7)
    described(run, device="another machine")

    found = estimate.of(planned(dataclasses.replace(LOCAL, limit=30), 30, tmp_path))

    assert (found.seconds.value, found.tokens_in.value) == (None, 210)


def test_an_api_without_prices_costs_an_unknown_sum_and_never_nothing():
    bare = dataclasses.replace(API, options={"model": "small", "usd_per_mtok_in": 1.0})

    found = estimate.of(planned(bare, 10))

    assert (found.usd.value, found.usd.low, found.usd.high) == (None, None, None)
    assert found.usd.source == "no price is stated: usd_per_mtok_out, dollars per million tokens"
    assert found.row()["usd"] is None
    assert found.shown()["model cost"] == "unknown"


def test_with_prices_an_unmeasured_api_costs_at_most_what_a_cap_would_set_aside(tmp_path):
    plan = planned(API, 10, tmp_path)

    found = estimate.of(plan)

    written = sum(len(item.question) for item in plan.items)
    most_in = written + 10 * (chat.TOKENS_AROUND + chat.TOKENS_TILE)
    assert found.usd.value is None
    assert found.usd.high == pytest.approx((most_in * 1.0 + 10 * 2048 * 10.0) / 1e6)


def test_a_measured_api_costs_its_tokens_at_its_prices():
    answered(planned(API, 10), 10, tokens_in=lambda n: 1000, tokens_out=lambda n: 10)

    found = estimate.of(planned(dataclasses.replace(API, limit=100), 100))

    assert found.usd.value == pytest.approx((100 * 1000 * 1.0 + 100 * 10 * 10.0) / 1e6)


def test_an_api_answers_several_at_a_time():
    answered(planned(API, 10), 10, seconds=lambda n: 2.0)
    slower = dataclasses.replace(API, limit=100, options={**API.options, "concurrency": 4})

    assert estimate.of(planned(slower, 100)).seconds.value == pytest.approx(100 * 2.0 / 4)


def test_only_what_is_open_is_foretold():
    run = answered(planned(API, 10), 6, tokens_in=lambda n: 1000, tokens_out=lambda n: 10)

    found = estimate.of(planned(API, 10))

    assert (found.run, found.questions, found.open) == (run.id, 10, 4)
    assert found.tokens_in.value == 4000
    assert found.sentences()[0] == "10 questions, 6 of them answered already."


def test_baselines_and_answers_from_files_ask_no_model():
    for adapter in ("chance", "most-frequent", "answers"):
        found = estimate.of(planned(Settings("x", adapter, "tiny", "tiny"), 10))
        assert (found.tokens_in.value, found.usd.value, found.seconds.value) == (0, 0, 0)
        assert found.seconds.source == "no model is asked"


def test_a_rule_asks_nobody_and_a_language_judge_once_a_question_and_repeat(judge):
    found = estimate.of(planned(LOCAL, 10), ["exact", JUDGE], 5)

    assert [one.calls for one in found.judging] == [0, 50]
    assert found.judging[0].usd.source == "no API cost: a rule"
    assert found.judging[1].usd.value is None
    assert found.row()["judge_calls"] == 50


def test_verdicts_of_an_earlier_run_tell_what_a_judge_costs(judge):
    plan = planned(API, 10)
    run = answered(plan, 10, tokens_out=lambda n: 5)
    judged(run, plan, 1, tokens_in=200, tokens_out=1)

    (found,) = estimate.of(planned(dataclasses.replace(API, limit=100), 100), [JUDGE], 2).judging

    assert (found.calls, found.tokens_in.value) == (200, 40_000)
    assert found.usd.value == pytest.approx((200 * 200 * 1.0 + 200 * 1 * 10.0) / 1e6)
    assert found.usd.source == "at 1 USD a million tokens in, 10 out"
    assert found.tokens_in.source == f"measured on 10 verdicts of run {run.id}"


def test_verdicts_that_are_there_are_not_asked_for_again(judge):
    plan = planned(API, 10)
    judged(answered(plan, 10), plan, 2, tokens_in=200, tokens_out=1)

    (found,) = estimate.of(plan, [JUDGE], 5).judging

    assert found.calls == 30


@pytest.mark.parametrize(
    ("cap", "words"),
    [
        # 90 questions of 12 tokens in and 5 out, and 90 verdicts of 200 in and 1 out.
        (
            1234.5,
            "Spend cap: 1234.5 USD for the model and its judges; about 0.0245 are expected, so it "
            "should be enough.",
        ),
        (0.01224, "so the run would stop when about 50% of that is spent."),
    ],
)
def test_a_cap_is_held_against_what_model_and_judges_cost_together(judge, cap, words):
    plan = planned(API, 100)
    run = answered(plan, 10, tokens_in=lambda n: 12, tokens_out=lambda n: 5)
    writer = run.writer(f"verdicts/{runs.verdict_key('j', '1', 0)}")
    for item in plan.items[:10]:
        told = {"tokens_in": 200, "tokens_out": 1}
        writer.append(Verdict(item.id, "goeval-ref-noimage:judge-1", "1", 0, 1.0, **told))
    writer.close()

    found = estimate.of(dataclasses.replace(plan, max_usd=cap), [JUDGE])

    whole = (90 * (12 + 5 * 10) + 90 * (200 + 10)) / 1e6
    assert found.total_usd.value == pytest.approx(whole)
    assert found.row()["total_usd"] == found.total_usd.value
    assert found.under_the_cap().endswith(words)
    assert found.under_the_cap() in found.sentences()


def test_what_a_judge_costs_at_most_is_known_by_its_longest_reply(judge):
    (found,) = estimate.of(planned(API, 10), [JUDGE], judge_options={"max_tokens": 7}).judging

    assert (found.tokens_out.value, found.tokens_out.high) == (None, 70.0)


def test_a_cap_within_the_range_of_what_is_expected_may_be_enough():
    plan = planned(API, 100)
    answered(plan, 10, tokens_in=lambda n: 10, tokens_out=lambda n: 10 * n)

    found = estimate.of(dataclasses.replace(plan, max_usd=0.05))

    assert found.total_usd.value < 0.05 < found.total_usd.high
    assert found.under_the_cap().endswith(" are expected, so it may be enough.")


def test_a_cap_above_what_a_run_can_cost_at_most_is_enough():
    plan = dataclasses.replace(planned(API, 10), max_usd=1.0)

    assert estimate.of(plan).under_the_cap().endswith("; it is enough.")


def test_a_cap_on_what_has_no_known_price_is_said_to_be_uncertain(judge):
    plan = dataclasses.replace(planned(API, 10), max_usd=2.0)

    said = estimate.of(plan, ["goeval-ref-noimage=openai:unpriced"]).under_the_cap()

    assert said.endswith("; whether it is enough is not known, and the run stops before it.")
    assert estimate.of(planned(API, 10)).under_the_cap() == ""


def test_the_half_width_is_that_of_the_plan():
    assert estimate.of(planned(API, 500)).half_width == launch.half_width(500)


@pytest.mark.parametrize(
    ("amount", "words"),
    [
        (Amount(0.0, 0.0, 0.0, ""), "0"),
        (Amount(1.5, None, None, ""), "about 1.5"),
        (Amount(1.5, 1.5, 1.5, ""), "about 1.5"),
        (Amount(None, 1.0, 20.0, ""), "1 to 20"),
        (Amount(None, 1.0, None, ""), "at least 1"),
        (Amount(None, None, None, ""), "unknown"),
    ],
)
def test_an_amount_says_no_more_than_is_known(amount, words):
    assert in_words(amount) == words


def test_a_total_is_as_sure_as_its_sample():
    values = [1.0, 2.0, 3.0, 4.0]

    found = total(values, 16, "")

    # By hand: sd 1.2910, n 16, k 4: half = 1.96 * 1.2910 * sqrt(256/4 + 16).
    assert found.value == 40
    assert found.high - found.value == pytest.approx(1.959964 * 1.290994 * 80**0.5, rel=1e-5)
