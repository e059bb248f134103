"""easy-VQA: 64 x 64 pictures of one coloured shape each, and questions about it.

The data come with the Python package ``easy-vqa`` (MIT licence, Victor Zhou), so that the whole
way from pictures to verdicts can be tried without a network. Only 107 questions occur, each many
times with different pictures: who answers without looking is right two times in three.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from evalcore.errors import BadInput
from evalcore.records import Item

BENCHMARK = "easy-vqa"
PACKAGE = "easy-vqa==1.0"


def load(split: Literal["train", "test"] = "test") -> Iterator[Item]:
    """Read one split: 38,575 questions to learn from, or 9,673 to be asked.

    Args:
        split: Which one.

    Yields:
        One item a question, in the package's order, with the id ``<split>/<number>``, the axis
        ``question_type`` (shape, colour, yes-no, yes-no negated) and the picture as cluster.

    Raises:
        BadInput: The package is not installed, or there is no such split.
    """
    if split not in ("train", "test"):
        raise BadInput(f"easy-vqa has no split {split!r}; there are 'train' and 'test'")
    try:
        import easy_vqa
    except ImportError:
        raise BadInput(f"easy-vqa is not installed; pip install {PACKAGE}") from None
    read, find = {
        "train": (easy_vqa.get_train_questions, easy_vqa.get_train_image_paths),
        "test": (easy_vqa.get_test_questions, easy_vqa.get_test_image_paths),
    }[split]
    pictures = {number: Path(path) for number, path in find().items()}
    for number, (question, answer, picture) in enumerate(zip(*read(), strict=True)):
        yield Item(
            benchmark=BENCHMARK,
            id=f"{split}/{number}",
            question=question,
            answers=(answer,),
            images=(pictures[picture],),
            tags=(("question_type", question_type(question)),),
            cluster=f"{split}/picture/{picture}",
        )


def question_type(question: str) -> str:
    """What a question asks for, told by its words.

    >>> question_type("what is the red shape?"), question_type("is no red shape present?")
    ('shape', 'yes-no negated')
    """
    words = question.rstrip("?").split()
    if "color" in words:
        return "colour"
    if words[0] == "what":
        return "shape"
    return "yes-no negated" if {"no", "not"} & set(words) else "yes-no"
