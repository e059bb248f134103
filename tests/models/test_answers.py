"""Answers from files: the MM-Vet authors' published ones, and the forms that are documented."""

import json

import pandas as pd
import pytest

from evalcore.errors import BadInput
from evalcore.models import answers
from evalcore.models.answers import Answers
from evalcore.records import Item, Prediction

PUBLISHED = {
    "claude-3-5-sonnet-20240620": 0,
    "gemini-1.5-pro": 10,
    "gpt-4o-2024-05-13_detail-high": 0,
}
CSV = "id,answer\nq1,a cat\nq2,\n"
JSONL = '{"id": "q1", "answer": "a cat"}\n{"id": "q2", "answer": null}\n'


def written(folder, name, content):
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return file


def asked(*names):
    return [Item("tiny", name, "?", ("x",)) for name in names]


@pytest.mark.parametrize(("model", "empty"), PUBLISHED.items())
def test_the_published_answers_become_predictions(shared, model, empty):
    file = shared / "data" / "mmvet2" / f"{model}.json"
    ids = [f"v2_{number}" for number in range(517)]

    made = Answers(str(file))
    made.check(ids)
    found = list(made.predict(asked(*ids)))

    assert [one.item for one in found] == ids
    assert sum(one.error == "empty answer" for one in found) == empty
    assert all((one.text is None) == (one.error is not None) for one in found)
    assert answers.named(str(file))[0] == model


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.json", {"q1": "a cat", "q2": ""}), ("a.csv", CSV), ("a.jsonl", JSONL), ("a.CSV", CSV)],
)
def test_every_form_gives_the_same_answers(tmp_path, name, content):
    made = Answers(str(written(tmp_path, name, content)))

    assert list(made.predict(asked("q2", "q1", "q3"))) == [
        Prediction("q2", None, error="empty answer"),
        Prediction("q1", "a cat"),
        Prediction("q3", None, error=f"no answer in {name}"),
    ]


def test_a_parquet_file_gives_the_same_answers(tmp_path):
    file = tmp_path / "a.parquet"
    pd.DataFrame({"id": ["q1", "q2"], "answer": ["a cat", None]}).to_parquet(file)

    assert answers.read(file) == {"q1": "a cat", "q2": ""}


def test_white_space_and_the_spelling_of_numbers_are_kept(tmp_path):
    file = written(tmp_path, "a.jsonl", '{"id": 7, "answer": " a\\n"}\n{"id": 8, "answer": 0.50}')

    assert answers.read(file) == {"7": " a\n", "8": "0.50"}


def test_answers_to_other_questions_are_listed(tmp_path):
    file = written(tmp_path, "a.json", {f"x{number}": "a" for number in range(7)} | {"q1": "b"})

    with pytest.raises(BadInput) as caught:
        Answers(str(file)).check(["q1", "q2"])

    assert str(caught.value) == (
        f"{file}: 7 of 8 answers belong to no item of the benchmark: 'x0', 'x1', 'x2', 'x3', "
        "'x4', ...; its ids are like 'q1'"
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", {}, "{file}: no answers; each should stand under its item's id"),
        ("a.json", {"q1": {"score": [1.0]}},
         "{file}, q1: the answer is \"{{'score': ['1.0']}}\"; it should be a text"),
        ("a.json", {"q1": True}, "{file}, q1: the answer is 'True'; it should be a text"),
        ("a.txt", "q1 a", "{file}: the ending '.txt' is unknown; answers come as .json, .jsonl, "
         ".csv, .parquet"),
        ("a.csv", "id,words\nq1,a\n", "{file}, row 2: no column 'answer'; there are 'id', 'words', "
         "and there should be 'id' and 'answer', or --option answer_column=NAME"),
        ("a.csv", "id,answer\nq1,a\nq1,b\n", "{file}, row 3: a second answer to 'q1'; keep one"),
    ],
)  # fmt: skip
def test_a_broken_file_is_refused(tmp_path, name, content, message):
    file = written(tmp_path, name, content)

    with pytest.raises(BadInput) as caught:
        Answers(str(file))

    assert str(caught.value) == message.format(file=file)


def test_the_name_is_the_files_or_the_one_that_is_given(tmp_path):
    file = written(tmp_path, "my-model.v2.json", {"q1": "a"})

    own, options = answers.named(str(file))
    given, same = answers.named(f"other={file}")

    assert (own, given) == ("my-model.v2", "other")
    assert options == same == {"path": str(file), "sha256": answers.digest(file)}


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(
        BadInput, match=r"the answers cannot be read: .*no.json: there is no such file"
    ):
        answers.named(str(tmp_path / "no.json"))


def test_answers_that_changed_since_the_run_began_are_refused(tmp_path):
    file = written(tmp_path, "a.json", {"q1": "a"})
    _, options = answers.named(str(file))
    written(tmp_path, "a.json", {"q1": "b"})

    with pytest.raises(BadInput, match="the answers have changed since this run began"):
        Answers(**options)
