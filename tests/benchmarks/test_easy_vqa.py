from collections import Counter

import pytest

from evalcore.benchmarks import easy_vqa
from evalcore.errors import BadInput


@pytest.fixture(scope="module")
def items():
    return list(easy_vqa.load())


def test_the_test_split_has_all_its_questions(items):
    # The package's own README: 9,673 test questions about 1,000 pictures, 7,136 of them yes/no.
    kinds = Counter(item.tags[0][1] for item in items)

    assert len(items) == len({item.id for item in items}) == 9673
    assert len({item.cluster for item in items}) == 1000
    assert kinds["yes-no"] + kinds["yes-no negated"] == 7136


def test_the_kind_of_question_fits_its_answer(items):
    shapes, words = {"circle", "rectangle", "triangle"}, {"yes", "no"}

    for item in items:
        kind = item.tags[0][1]
        expected = "shape" if item.answers[0] in shapes else "colour"
        assert kind.startswith("yes-no") if item.answers[0] in words else kind == expected


def test_an_item_holds_its_picture_and_answer(items):
    first = items[0]

    assert (first.benchmark, first.id) == ("easy-vqa", "test/0")
    assert (first.question, first.answers) == ("what is the red shape?", ("triangle",))
    assert first.images[0].name == "0.png" and first.images[0].is_file()


def test_the_splits_share_no_id(items):
    train = {item.id for item in easy_vqa.load("train")}

    assert len(train) == 38575
    assert not train & {item.id for item in items}


def test_another_split_is_refused():
    with pytest.raises(BadInput) as caught:
        list(easy_vqa.load("val"))

    assert str(caught.value) == "easy-vqa has no split 'val'; there are 'train' and 'test'"
