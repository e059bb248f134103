from pathlib import Path

import pytest

from evalcore.errors import BadInput
from evalcore.models.prompt import parts
from evalcore.records import Item, places

ONE, TWO = Path("one.png"), Path("two.png")


def item(question, images=(), choices=()):
    return Item("tiny", "q/1", question, ("a",), images, choices)


@pytest.mark.parametrize(
    ("question", "images", "expected", "why"),
    [
        ("How many?", (), ("How many?",), "no picture"),
        ("How many?", (ONE,), (ONE, "How many?"), "without marks pictures come first"),
        ("How many?", (ONE, TWO), (ONE, TWO, "How many?"), "all of them"),
        ("Is <image> it?", (ONE,), ("Is ", ONE, " it?"), "a mark is a place"),
        ("<image>or<image>?", (ONE, TWO), (ONE, "or", TWO, "?"), "no empty text"),
        ("What does <image> mean in HTML?", (), None, "words, where there is no picture"),
    ],
)
def test_pictures_stand_where_the_question_marks_them(question, images, expected, why):
    assert parts(item(question, images)) == (expected or (question,)), why


def test_the_instruction_stands_on_a_line_before_the_question():
    assert parts(item("Is <image> it?", (ONE,)), "Be short") == ("Be short\nIs ", ONE, " it?")


def test_choices_follow_the_question_with_letters():
    asked = item("Which?", (ONE,), ("a cat", "a dog"))

    assert parts(asked) == (ONE, "Which?\nA. a cat\nB. a dog")


def test_choices_beyond_z_have_letters_of_two():
    (text,) = parts(item("Which?", (), tuple(f"sort {number}" for number in range(28))))

    assert text.splitlines()[26:] == ["Z. sort 25", "AA. sort 26", "AB. sort 27"]


@pytest.mark.parametrize("question", ["Which?", "Is <image> one of"])
def test_choices_that_are_pictures_are_places_like_those_of_the_question(question):
    pictures = tuple(Path(f"{number}.png") for number in range(2 + ("<image>" in question)))
    asked = item(question, pictures, ("<image>", "<image>"))

    assert [part for part in parts(asked) if isinstance(part, Path)] == list(pictures)
    assert places(asked) == len(pictures)


@pytest.mark.parametrize("question", ["How many?", "How many <image>?", "<image> How many?"])
def test_blind_leaves_out_pictures_and_their_marks(question):
    (text,) = parts(item(question, (ONE,)), "Be short", blind=True)

    assert text.startswith("Be short\nHow many") and "<image>" not in text


def test_more_places_than_pictures_are_refused():
    with pytest.raises(BadInput) as caught:
        parts(item("<image> or <image>?", (ONE,)))

    assert str(caught.value) == (
        "tiny, q/1: 2 places <image> for 1 pictures; mark every picture's place, or none"
    )
