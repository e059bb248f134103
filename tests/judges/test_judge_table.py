"""The page about rule judges says what its script says, and every difference has a reason."""

import pytest

from bench import published
from scripts import judge_table


@pytest.mark.parametrize("way", judge_table.ALL, ids=lambda way: way.judge)
def test_every_difference_from_a_published_rule_has_a_reason(way):
    found = judge_table.row(way)

    assert judge_table.unexplained(way, found) == set()
    assert found.same + found.differ.total() + found.unread.total() == judge_table.N


def test_the_page_is_what_the_script_writes():
    text = judge_table.PAGE.read_text("utf-8")

    assert judge_table.page(text) == text


@pytest.mark.parametrize(
    ("rule", "answer", "references", "score"),
    [
        (published.vqa_accuracy, "red", ["red"] * 3 + ["blue"] * 7, 0.9),
        (published.vqa_accuracy, "Red.", ["red"] * 10, 0.0),
        (published.anls, "abcd", ["abxy"], 0.5),
        (published.anls, "kitten", ["sitting"], 4 / 7),
        (published.relaxed_accuracy, "105", ["100"], 1.0),
        (published.relaxed_accuracy, "5%", ["5"], 0.0),
        (published.mmmu_choice, "The answer is (B)", ["a", "b"], "B"),
        (published.mmmu_choice, "a dog", ["a dog", "a cat"], None),
        (published.mathvista_number, "5.0", ["5"], 1.0),
    ],
)
def test_published_rules_are_as_described(rule, answer, references, score):
    assert rule(answer, references) == (
        score if not isinstance(score, float) else pytest.approx(score)
    )


def test_published_readers_of_replies_are_as_described():
    assert [published.mmvet_grade(reply) for reply in ("0.8", " 0.8", "**0.8**", "2")] == [
        0.8,
        None,
        None,
        None,
    ]
    assert [published.goeval_word(reply) for reply in ("eyes", "no", "Correct")] == [1, 0, 0]
