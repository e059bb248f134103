"""An item in words: its question with its choices, their letters, and the places of its pictures.

The check of a benchmark, the prompt and the judge of choices all read an item through this, so that
a picture's place is counted once and a letter means the same choice to all of them.
"""

from string import ascii_uppercase

from evalcore.records import Item

MARK = "<image>"
"""Stands where a picture belongs, in a question or as a choice."""


def letter(place: int) -> str:
    """Return the letter of a choice, counted from 0: A to Z, then AA, AB ...

    Example:
        >>> letter(1), letter(25), letter(26), letter(702)
        ('B', 'Z', 'AA', 'AAA')
    """
    before, here = divmod(place, len(ascii_uppercase))
    return (letter(before - 1) if before else "") + ascii_uppercase[here]


def question(item: Item) -> str:
    """Return the question, and below it each choice with its letter."""
    lines = [f"{letter(place)}. {choice}" for place, choice in enumerate(item.choices)]
    return "\n".join([item.question, *lines])


def places(item: Item) -> int:
    """Return how many places for pictures the question and its choices mark."""
    return question(item).count(MARK)
