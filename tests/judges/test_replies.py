"""How judge models' replies are read: never guessed, never clipped."""

import pytest

from evalcore.judges.replies import grade, yes_no
from tests.judges.test_kinds import DRESSES, ENDLESS


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
        ("The dog is brown, as said.\nFinal answer: yes", True, "marked as final"),
        (r"So it is \boxed{no}.", False, "in a box"),
        ('{"answer": "yes", "reason": "no dog"}', True, "JSON"),
        ('```json\n{"correct": false}\n```', False, "JSON in a fence"),
        ('{"answer": "yes", "answer": "no"}', None, "JSON that says it twice"),
        ('{"answer": "yes", "verdict": "no"}', None, "JSON of two fields"),
        ('{"answer": ["yes"]}', None, "JSON with a list"),
        ('{"answer": "yes"', None, "JSON cut off"),
        ("Yes. Wait, no: the dog is black.", None, "taken back"),
        ("Yes. No.", None, "both"),
        ("No\n\nYes", None, "both"),
        ("Yes, it fits. Final answer: no", None, "first and marked disagree"),
        ("Yes. There is no dog in it.", True, "another meaning of no"),
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
        ("It misses one part.\nFinal score: 0.5", None, "not the first number, nor marked"),
        ("It misses one part.\nFinal answer: 0.5", 0.5, "marked as final"),
        (r"$\boxed{0.7}$", 0.7, "in a box"),
        ('{"score": 0.8, "reason": "2 of 3"}', 0.8, "JSON"),
        ('```json\n{"Correctness": "0.3"}\n```', 0.3, "JSON in a fence"),
        ('{"score": 8}', None, "JSON out of range"),
        ('{"score": 0.8, "grade": 0.2}', None, "JSON of two fields"),
        ('{"score": 0.8, "score": 0.2}', None, "JSON that says it twice"),
        ('{"score": null}', None, "JSON of nothing"),
        ("0.8. Wait, rather 0.6", None, "taken back"),
        ("0.8\n0.6", None, "two grades"),
        ("0.8\nFinal answer: 0.6", None, "first and marked disagree"),
        ("eight tenths", None, "words"),
        ("Question 1 gets 0.5", None, "not the first number"),
        ("I'm sorry, I can't help.", None, "refusal"),
        ("", None, "empty"),
    ],
)
def test_grade(reply, expected, why):
    assert grade(reply) == expected, why


@pytest.mark.parametrize("dress", [dress for dress in DRESSES if "3 plus" not in dress])
@pytest.mark.parametrize(
    ("read", "bare"), [(yes_no, "yes"), (yes_no, "no"), (grade, "0.8"), (yes_no, "perhaps")]
)
def test_a_dressed_reply_says_what_the_bare_one_says(dress, read, bare):
    assert read(dress.format(bare)) == read(bare)


@pytest.mark.parametrize("endless", ENDLESS)
def test_a_reply_of_thoughts_without_end_says_nothing(endless):
    assert yes_no(endless.format("yes")) is None
    assert grade(endless.format("0.8")) is None
