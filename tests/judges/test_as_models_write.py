"""Answers in the words of today's models: what a fair reader takes them for, or no score."""

import pytest

from evalcore.judges import make
from evalcore.records import Item, Prediction

ANIMALS = ("a dog", "a cat", "a horse", "a bird")
TRENDS = ("increase", "decrease", "stay the same", "cannot be determined")
LISTED = (
    "Let's evaluate each option:\n\n**A. a dog** ❌ – No snout.\n**B. a cat** ✅ – Whiskers."
    "\n**C. a horse** ❌\n**D. a bird** ❌"
)


def score(rule: str, text: str, reference: str, choices: tuple[str, ...] = ()) -> float | None:
    one = Item("b", "1", "?", (reference,), (), choices)
    return make(rule).judge(one, Prediction("1", text)).score


@pytest.mark.parametrize(
    ("text", "choices", "meant"),
    [
        (LISTED, ANIMALS, "B"),
        ("A: incorrect. B: correct. C: incorrect. D: incorrect.", ANIMALS, "B"),
        ("A: The animal is a cat.", ANIMALS, "B"),
        ("We cannot determine whether it will increase.", TRENDS, "D"),
    ],
)
def test_no_choice_is_right_but_the_one_that_is_meant(text, choices, meant):
    for place, letter in enumerate("ABCD"):
        for reference in (letter, choices[place]):
            allowed = (1, None) if letter == meant else (0, None)
            assert score("choice", text, reference, choices) in allowed


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Die richtige Antwort ist B.", "B"),
        ("Die Antwort lautet A, da das Tier eine lange Schnauze hat.", "A"),
        ("Ich würde zunächst B sagen, aber die richtige Lösung ist C.", "C"),
        ("Die Antwort ist nicht A.", None),
        ("Die Antwort ist A oder B.", None),
    ],
)
def test_a_letter_stated_in_german_is_read(text, meant):
    right = [letter for letter in "ABCD" if score("choice", text, letter, ANIMALS) == 1]

    assert right == ([meant] if meant else [])


@pytest.mark.parametrize(
    ("text", "reference", "expected"),
    [
        ("There are **12** windows in total:\n\n- 5 below\n- 4 above\n- 3 aside", "12", None),
        ("There are **12** windows in total:\n\n- 5 below\n- 4 above\n- 3 aside", "3", None),
        ("There are two kinds:\n- 5 below\n- 4 above\n\nSo there are 9.", "9", 1),
        ("There are 3 dogs.\n\nConfidence: 90%", "3", 1),
        ("There are 3 dogs. Confidence: 0.9", "0.9", 0),
        ("There are 3 dogs (95% sure).", "3", 1),
        ("The share is 90%.", "90%", 1),
        ("negative 5", "-5", 1),
        ("negative 5", "5", 0),
        ("It is negative five degrees.", "-5", 1),
        ("The film takes 1 hour 30 minutes.", "90 minutes", 1),
        ("1 hour 30 minutes", "1.5 hours", 1),
        ("1 hour 30 minutes", "30 minutes", 0),
        ("1 hour 30 minutes", "90", None),
        ("5 ft 6 inches", "66 inches", 1),
        ("The sides are 1 m and 30 cm.", "30 cm", None),
        ("It's 2; I first thought 3.", "2", 1),
        ("It's 2; I first thought 3.", "3", 0),
        ("There are 2 zebras. The picture was taken on 5 May.", "2", 1),
        ("There are 2 zebras. It is dated May 5, 2024.", "2", 1),
        ("I see 2 zebras in front of 4 trees.", "2", None),
        ("I see 2 zebras in front of 4 trees.", "4", None),
        ("With 4 rows of 3 there are 12 chairs.", "12", 1),
        ("4 rows of 3 = 12", "12", 1),
        ("I count 2, no, actually 3.", "3", 1),
    ],
)
def test_the_number_that_is_meant_or_no_score(text, reference, expected):
    assert score("number", text, reference) == expected
