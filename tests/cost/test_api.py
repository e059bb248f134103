"""Cost of 1,000 questions: three calculations by hand, and what stays unknown."""

import dataclasses

import pytest

from evalcore.cost.api import Question, per_1000, picture_tokens, thinks
from evalcore.side_tables import Availability
from tests.cost.rows import answers, offers, price, rule

QUESTION = Question(1024, 1024, prompt_tokens=100)


def cost(known, mode="", question=QUESTION):
    return per_1000(known, "m", mode, question)


def test_calculation_by_hand_gpt_4o():
    # 2.50 in and 10 out per million; 1024 x 1024 is 765 tokens (OpenAI's own example).
    # In: 765 + 100 = 865 tokens x 2.50 / 1,000,000 = 0.0021625 USD. Out: 50 x 10 / 1,000,000 =
    # 0.0005 USD. A question: 0.0026625 USD; a thousand: 2.6625 USD.
    known = offers([price(2.5, 10)], [rule("openai-tiles", '{"base": 85, "tile": 170}')])

    found = cost(known, question=Question(1024, 1024, 100, tokens_out=50))

    assert found.usd_per_1000 == pytest.approx(2.6625)


def test_calculation_by_hand_claude_haiku_4_5_two_pictures():
    # 1 in and 5 out per million; 1000 x 1000 is 1,296 tokens (Anthropic's table).
    # In: 2 x 1,296 + 200 = 2,792 tokens x 1 / 1,000,000 = 0.002792 USD. Out: 150 x 5 / 1,000,000 =
    # 0.00075 USD. A thousand: 3.542 USD.
    options = '{"longest": 1568, "most": 1568}'
    known = offers([price(1, 5)], [rule("anthropic-patches", options)])

    found = cost(known, question=Question(1000, 1000, 200, images=2, tokens_out=150))

    assert found.usd_per_1000 == pytest.approx(3.542)


def test_calculation_by_hand_gemini_2_5_pro_measured_answers():
    # 1.25 in and 10 out per million; 960 x 540 is 6 x 258 = 1,548 tokens (Google's example);
    # 902.4 tokens an answer in MMR-Bench.
    # In: 1,548 + 52 = 1,600 x 1.25 / 1,000,000 = 0.002 USD. Out: 902.4 x 10 / 1,000,000 =
    # 0.009024 USD. A thousand: 11.024 USD.
    known = offers([price(1.25, 10)], [rule("gemini-tiles", "{}")], [answers(902.4)])

    found = cost(known, question=Question(960, 540, 52))

    assert found.usd_per_1000 == pytest.approx(11.024)


def test_a_question_without_a_picture_needs_no_rule():
    found = cost(offers([price(1, 1)], [], [answers(10)]), question=Question(1, 1, 90, images=0))
    assert found.usd_per_1000 == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("known", "missing"),
    [
        (offers([], [rule()], [answers(10)]), "No price of m is known: add a row of prices.csv"),
        (offers([price()], [], [answers(10)]), "no rule for m is known; state the tokens"),
        (
            offers([price()], [rule(None, "", note="the page names none")], [answers(10)]),
            "no complete rule for m is known (the page names none; docs); state the tokens",
        ),
        (offers([price()], [rule()], []), "No answer length of m was measured: state the tokens"),
    ],
    ids=["price", "rule", "incomplete rule", "answers"],
)
def test_what_is_missing_makes_the_cost_unknown_and_is_named(known, missing):
    found = cost(known)

    assert (found.usd_per_1000, found.low, found.high) == (None, None, None)
    assert missing in " ".join(found.missing)


def test_everything_missing_is_named_at_once():
    assert len(cost(offers()).missing) == 3


def test_stated_tokens_stand_in_where_none_are_known():
    stated = dataclasses.replace(QUESTION, tokens_out=10, image_tokens=400)

    found = cost(offers([price(1, 1)]), question=stated)

    assert found.usd_per_1000 == pytest.approx(0.51)
    assert "A picture is 400 tokens, as stated" in " ".join(found.basis)


def test_measured_answers_go_before_stated_ones():
    stated = dataclasses.replace(QUESTION, tokens_out=1)
    found = cost(offers([price(1, 1)], [rule()], [answers(900)]), question=stated)
    assert found.usd_per_1000 == pytest.approx(2.0)


@pytest.mark.parametrize("mode", ["thinking", "reasoning high"])
def test_a_thinking_mode_never_takes_the_plain_answers(mode):
    known = offers([price()], [rule()], [answers(10)])
    plain = dataclasses.replace(QUESTION, tokens_out=10)

    assert cost(known, mode).usd_per_1000 is None
    assert cost(known, mode, plain).usd_per_1000 is None
    assert "state the tokens of an answer with the thinking" in cost(known, mode, plain).missing[0]
    thought = dataclasses.replace(plain, thinking_tokens_out=2000)
    assert cost(known, mode, thought).usd_per_1000 == pytest.approx(2.75 + 20)


def test_a_thinking_mode_takes_its_own_measured_answers():
    known = offers([price(1, 1)], [rule()], [answers(10), answers(900, "thinking")])
    assert cost(known, "thinking").usd_per_1000 == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("default", "mode", "expected"),
    [
        ("always", "", True), ("on", "", True), ("off", "", False), ("unknown", "", True),
        (None, "", False), ("on", "non-thinking", False), ("off", "reasoning high", True),
    ],
)  # fmt: skip
def test_whether_the_plain_mode_thinks_is_up_to_the_model(default, mode, expected):
    assert thinks(offers(thinks=default), "m", mode) is expected


def test_a_model_named_after_thinking_thinks():
    assert thinks(offers(), "qwen3-vl-8b-thinking", "")


def test_a_model_that_thinks_by_default_is_not_priced_with_short_answers():
    stated = dataclasses.replace(QUESTION, tokens_out=5)
    assert cost(offers([price()], [rule()], thinks="on"), question=stated).usd_per_1000 is None


@pytest.mark.parametrize("mode", ["fine-tuned", "with tools", "base model, 4-shot"])
def test_modes_that_the_price_is_not_for_have_no_cost(mode):
    known = offers([price()], [rule()], [answers(10, mode)])
    assert cost(known, mode).usd_per_1000 is None
    assert f"in the mode '{mode}' is unknown" in cost(known, mode).missing[0]


def test_a_compressing_mode_does_not_take_the_plain_picture():
    known = offers([price()], [rule()], [answers(10, "16x compression")])
    assert "counts pictures in its own way" in cost(known, "16x compression").missing[0]


def test_sources_of_one_quarter_that_disagree_on_a_price_give_a_range():
    # The case of Claude Sonnet 5: 2 and 10 in one table, 3 and 15 in another.
    known = offers(
        [price(2, 10, as_of="2026-10"), price(3, 15, as_of="2026-09-01", source="other")],
        [rule()],
        [answers(90)],
    )

    found = cost(known)

    assert (found.usd_per_1000, found.low, found.high) == pytest.approx((3.1, 3.1, 4.65))
    assert "Another source disagrees: 3 USD per million tokens in" in " ".join(found.basis)


def test_sources_that_disagree_on_a_picture_give_a_range_and_older_ones_a_sentence():
    disagreeing = rule(options='{"tokens": 2000}', as_of="2026-09", source="other")
    older = rule(options='{"tokens": 500}', as_of="2026-02", source="old")

    found = cost(offers([price(1, 1)], [older, disagreeing, rule()], [answers(100)]))

    assert (found.usd_per_1000, found.low, found.high) == pytest.approx((1.2, 1.2, 2.2))
    assert "An older source had 500 tokens" in " ".join(found.basis)


def test_agreeing_sources_leave_no_range_of_width_zero():
    found = cost(offers([price(), price(source="other")], [rule(), rule()], [answers(10)]))
    assert (found.low, found.high) == (None, None)


def test_the_basis_opens_every_assumption():
    known = offers([price(until="2026-12-31", deprecated=True)], [rule(note="high")], [answers(9)])
    gone = Availability("m", "deprecated", "2026-12-11", "n", "https://x", "2026-10-10", None)

    basis = cost(dataclasses.replace(known, availability={"m": gone})).basis

    assert basis == (
        "2.5 USD per million tokens in and 10 out from maker, as of 2026-10-02 (list): the maker's "
        "newest price.",
        "This offer was withdrawn: the price is history, the model cannot be bought.",
        "The price holds until 2026-12-31.",
        "The maker announced to end this model on 2026-12-11 (as of 2026-10-10, https://x).",
        "A question has one picture of 1024 x 1024 pixels and 100 tokens of text, as stated; no "
        "cache and no batch discount.",
        'A picture is 1,000 tokens by the rule fixed {"tokens": 1000}, as of 2026-10 (docs; high).',
        "An answer is 9.0 tokens on average over 100 answers (run).",
    )


def test_a_refused_picture_has_no_cost():
    known = offers([price()], [rule("openai-patches", '{"multiplier": 1, "refused_above": 100}')])
    assert "refuses more than 100; state a smaller picture" in " ".join(cost(known).missing)
    assert picture_tokens(known, "m", 1024, 1024) is None
    assert picture_tokens(known, "m", 320, 320) == 100
