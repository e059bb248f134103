import pytest

from evalcore.models.baselines import Chance, MostFrequent
from evalcore.records import Item, Prediction


def items(*answers, choices=()):
    return [
        Item("tiny", f"q/{number}", "?", tuple(words.split()), choices=choices)
        for number, words in enumerate(answers)
    ]


def said(model, asked):
    return [prediction.text for prediction in model.predict(asked)]


@pytest.mark.parametrize(
    ("answers", "expected", "why"),
    [
        (["yes", "yes", "yes", "no"], ["yes"] * 4, "the most frequent"),
        (["yes", "yes", "no", "no"], ["no", "no", "yes", "yes"], "its own answer does not count"),
        (["b", "a", "c"], ["a", "b", "a"], "of equals the first in the alphabet"),
        (["yes yes yes", "no", "no"], ["no", "no", "no"], "an item counts once for an answer"),
        (["yes no", "no", "", ""], ["no", "no", "no", "no"], "items without references"),
        (["yes", "yes"], ["yes", "yes"], "both have it"),
    ],
)
def test_most_frequent_says_what_most_others_have(answers, expected, why):
    assert said(MostFrequent(), items(*answers)) == expected, why


@pytest.mark.parametrize("model", [MostFrequent(), Chance()])
def test_where_no_other_has_an_answer_there_is_none(model):
    assert list(model.predict(items("yes"))) == [
        Prediction("q/0", None, error="no other item has an answer to take")
    ]


@pytest.mark.parametrize("model", [MostFrequent, Chance])
def test_part_by_part_they_say_the_same_as_at_once(model):
    asked = items(*["yes", "no", "yes", "red", "no", "yes"] * 5)
    whole, parts = model(), model()
    parts.know(asked)

    in_parts = said(parts, asked[20:]) + said(parts, asked[:20])

    assert in_parts == said(whole, asked)[20:] + said(whole, asked)[:20]


def test_chance_draws_all_known_answers_about_equally():
    drawn = said(Chance(), items(*["yes"] * 2998, "no", "no"))

    # Binomial with n 3,000 and p 1/2: five standard errors are 137.
    assert abs(drawn.count("no") - 1500) < 137


def test_chance_draws_from_an_items_choices():
    drawn = said(Chance(), items(*["a"] * 300, choices=("a", "b", "c")))

    assert set(drawn) == {"a", "b", "c"}


def test_another_seed_draws_otherwise():
    asked = items(*["yes", "no"] * 50)

    assert said(Chance(seed=1), asked) != said(Chance(seed=2), asked)
    assert said(Chance(seed=1), asked) == said(Chance(seed=1), asked)


def typed(*pairs, axis="question_type"):
    return [
        Item("tiny", f"q/{number}", "?", (answer,), tags=((axis, kind), ("domain", str(number))))
        for number, (kind, answer) in enumerate(pairs)
    ]


def test_chance_draws_among_the_answers_of_the_same_type_of_question():
    asked = typed(*[("yes-no", "yes"), ("yes-no", "no"), ("number", "2"), ("number", "3")] * 50)

    drawn = said(Chance(), asked)

    for item, answer in zip(asked, drawn, strict=True):
        assert answer in ({"yes", "no"} if item.answers[0] in ("yes", "no") else {"2", "3"})
    assert {"yes", "no", "2", "3"} <= set(drawn)


def test_chance_draws_among_all_answers_where_no_type_is_told_or_none_of_it_is_known():
    plain = typed(*[("a", "yes"), ("b", "2")] * 50, axis="domain")
    alone = typed(("yes-no", "yes"), ("number", "2"), ("number", "3"))

    assert set(said(Chance(), plain)) == {"yes", "2"}
    # No other question of its type has an answer.
    assert said(Chance(), alone)[0] in {"2", "3"}


def test_a_resumed_chance_run_draws_by_type_as_at_once():
    asked = typed(*[("yes-no", "yes"), ("number", "2"), ("yes-no", "no"), ("number", "3")] * 9)
    parts = Chance()
    parts.know(asked)

    assert said(parts, asked[20:]) == said(Chance(), asked)[20:]
