"""How judge models' replies are read: never guessed, never clipped."""

import pytest

from evalcore.judges.replies import grade, yes_no


@pytest.mark.parametrize(
    ("reply", "expected", "why"),
    [
        ("yes", True, "the word"),
        ("No.", False, "with a period"),
        ("**Yes**", True, "Markdown"),
        ("yes, because it is red", True, "with a reason"),
        ("Yes, there is no dog", True, "another no later"),
        ("No, it isn't", False, "denial later"),
        ("‘Yes’", True, "quoted as in the prompt"),
        ("Answer: no", False, "with a label"),
        ("Ｙｅｓ", True, "full width"),
        ("<think>no?</think>\nyes", True, "after thoughts"),
        ("<think>yes, surely", None, "thoughts that never end"),
        ("eyes", None, "part of a word"),
        ("yesterday", None, "part of a word"),
        ("not yes", None, "denial"),
        ("Correct", None, "another word"),
        ("The answer is right: yes", None, "not the first word"),
        ("no-one", None, "part of a word"),
        ("No doubt", None, "another meaning"),
        ("yes or no", None, "undecided"),
        ("yes/no", None, "undecided"),
        ("Yes and no.", None, "undecided"),
        ("No, yes", None, "undecided"),
        ("I'm sorry, I can't help with that.", None, "refusal"),
        ("да", None, "another language"),
        ("1", None, "a number"),
        ("", None, "empty"),
    ],
)
def test_yes_or_no(reply, expected, why):
    assert yes_no(reply) is expected, why


@pytest.mark.parametrize(
    ("reply", "expected", "why"),
    [
        ("0.8", 0.8, "the number"),
        (" 0.8", 0.8, "leading space"),
        ("**0.8**", 0.8, "Markdown"),
        ("0.5.", 0.5, "period"),
        ("Score: 0.8", 0.8, "label"),
        ("The correctness score is 0.7.", 0.7, "label in words"),
        ("| 0.8 |", 0.8, "table bars"),
        ("0.85", 0.85, "off the grid"),
        ("0,8", 0.8, "decimal comma"),
        (".5", 0.5, "no zero"),
        ("0", 0.0, "a real zero"),
        ("1", 1.0, "whole"),
        ("0.8/1", 0.8, "of one"),
        ("0.8 because it names the dog", 0.8, "with a reason"),
        ("<think>0.2</think>0.9", 0.9, "after thoughts"),
        ("nan", None, "no number"),
        ("inf", None, "no number"),
        ("2", None, "out of range, not clipped"),
        ("-0.5", None, "out of range"),
        ("1/10", None, "of ten"),
        ("1 out of 10", None, "of ten"),
        ("1%", None, "per cent"),
        ("100%", None, "per cent"),
        ("0.4-0.6", None, "a range"),
        ("0.8 or 0.9", None, "undecided"),
        ("1st", None, "an ordinal"),
        ("1.0.2", None, "no number"),
        ("eight tenths", None, "words"),
        ("Question 1 gets 0.5", None, "not the first number"),
        ("I'm sorry, I can't help.", None, "refusal"),
        ("", None, "empty"),
    ],
)
def test_grade(reply, expected, why):
    assert grade(reply) == expected, why
