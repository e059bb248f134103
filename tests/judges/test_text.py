"""Normalisation, the answer's part of a text, and numbers."""

import pytest

from evalcore.judges.numbers import numbers, whole
from evalcore.judges.text import CONTRACTIONS, answer_of, clean, normalise, vqa_normalise


@pytest.mark.parametrize(
    ("text", "ours", "official", "why"),
    [
        ("The Two dogs, dont!", "2 dogs dont", "2 dogs don't", "articles, numbers, contraction"),
        ("U.S.", "us", "us", "periods of an abbreviation"),
        ("3.5", "3.5", "3.5", "a decimal point stays"),
        ("1,250 %", "1250%", "1250 %", "thousands separator"),
        ("Vitamin A", "vitamin a", "vitamin", "the official rule drops every article"),
        ("a", "a", "a", "nothing but an article stays"),
        ("-5", "-5", "5", "the official rule drops signs"),
        ("red/blue", "red blue", "red blue", "a mark between words"),
        ("red, blue", "red blue", "red blue", "a mark beside a space"),
        ("10-15", "10-15", "10 15", "a range"),
        ("none", "0", "0", "none is zero"),
        ("don’t", "dont", "don't", "curly apostrophe"),
        ("ＲＥＤ", "red", "red", "full width"),
        ("cafe\u0301", "café", "café", "composed accents"),
        ("「赤」。", "赤", "「赤」。", "the official rule knows ASCII marks only"),
        ("Красный!", "красный", "красный", "Cyrillic"),
        ("٣", "3", "3", "Arabic digits"),
        ("C++", "c++", "c", "the official rule drops plus signs"),
        ("x²", "x^2", "x^2", "a superscript is no digit"),
        ("?", "", "", "marks alone"),
    ],
)
def test_normalisation(text, ours, official, why):
    assert (normalise(text), vqa_normalise(text)) == (ours, official), why


@pytest.mark.parametrize(
    ("broken", "whole"),
    [("dont", "don't"), ("couldntve", "couldn't've"), ("couldn'tve", "couldn't've")]
    + [("youre", "you're"), ("hes", "he's"), ("im", "i'm"), ("oclock", "o'clock")],
)
def test_contractions_get_their_apostrophes_back(broken, whole):
    assert CONTRACTIONS[broken] == whole


@pytest.mark.parametrize("word", ["well", "were", "its", "shell", "ill", "id"])
def test_words_that_only_look_like_contractions_stay(word):
    assert vqa_normalise(word) == word


@pytest.mark.parametrize(
    ("text", "answer", "why"),
    [
        ("**Red**", "Red", "emphasis"),
        ("The answer is: **red**.", "red.", "mark of the answer"),
        ("First blue.\nAnswer: red", "red", "the last line"),
        ("Answer: blue\nAnswer: red", "red", "the last mark counts"),
        ("Answer:\n\nred", "red", "on a line of its own"),
        ("# Answer\nred", "red", "heading"),
        ("<think>Answer: blue</think>\nred", "red", "thoughts go"),
        ("<think>blue or red", "", "thoughts that never end"),
        ("I don't think the answer is red", "I don't think the answer is red", "not anchored"),
        ("The answer is not red", "not red", "negation stays"),
        (r"$\boxed{\text{red}}$", "red", "LaTeX"),
        ("```\nred\n```", "red", "code fence"),
        ("3*4*5", "3*4*5", "no emphasis inside a formula"),
        ("snake_case_name", "snake_case_name", "no emphasis inside a name"),
    ],
)
def test_the_answer_is_found_in_a_text(text, answer, why):
    assert answer_of(text) == answer, why


@pytest.mark.parametrize(
    ("text", "values", "why"),
    [
        ("1,234.5", [1234.5], "thousands"),
        ("1.234,5", [1234.5], "thousands, other way"),
        ("12,34,567", [1234567], "Indian grouping"),
        ("0,500", [0.5], "decimal comma"),
        ("3, 4", [3, 4], "a list"),
        ("-$3.50", [-3.5], "sign before currency"),
        ("−5", [-5], "typographic minus"),
        ("10-15", [10, 15], "a range has no sign"),
        ("- 5", [5], "a bullet is no sign"),
        ("1½", [1.5], "NFKC alone would read 11/2"),
        ("2 1/2", [2.5], "mixed fraction"),
        ("10²", [100], "NFKC alone would read 102"),
        ("5 m²", [5], "a unit's power is no number"),
        ("1e999", [float("inf")], "too large"),
        ("3×10⁴", [30000], "power of ten"),
        ("1e5", [100000], "exponent"),
        ("5k", [5000], "glued factor"),
        ("$1.2 million", [1.2e6], "factor in words"),
        ("twenty-one", [21], "words"),
        ("two hundred and five", [205], "words with and"),
        ("two point five", [2.5], "words with a point"),
        ("a dozen", [12], "dozen"),
        ("two three", [], "two words make no one number"),
        ("one of the three", [3], "one as a pronoun"),
        ("One.", [1], "one as a number"),
        ("There are no dogs", [0], "no as zero"),
        ("13:45", [], "time"),
        ("12/05/2020", [], "date"),
        ("1.5.2", [], "version"),
        ("A4 paper", [], "name"),
        ("the 3rd", [3], "ordinal"),
        ("٣٥", [35], "Arabic digits"),
        ("no number", [], "none"),
    ],
)
def test_numbers_are_found(text, values, why):
    assert [one.value for one in numbers(clean(text))] == pytest.approx(values), why


@pytest.mark.parametrize(
    ("text", "all_of_it"),
    [
        ("5", True),
        ("5 kg.", True),
        ("(5)", True),
        ("5 dogs", False),
        ("about 5", False),
        ("", False),
    ],
)
def test_a_number_may_be_all_of_a_text(text, all_of_it):
    assert (whole(text) is not None) == all_of_it
