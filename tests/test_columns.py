"""A file with two kinds of answers is asked about by every reader that takes a column by name."""

import json

import pandas as pd
import pytest

from evalcore.benchmarks import cells, own_file
from evalcore.errors import BadInput
from evalcore.importers import own_csv, own_labels
from evalcore.models import answers

BESIDE = (
    *("response", "prediction", "pred", "pred_answer", "parsed_pred", "model_answer", "output"),
    *("Generated Text", "modelResponse", "target", "gold", "gold_answer", "ground_truth"),
    *("groundTruth", "reference", "references", "correct_answer", "GT", "labels"),
    *("gpt_answer", "llm_answer", "assistant_answer", "extraction", "std_answer"),
)
"""Columns that other tools write beside ``answer``: the model's words, or the reference."""
HARMLESS = (
    "question_type",
    "output_tokens",
    "response_time",
    "label_id",
    "model",
    "subject",
    "std",
    "gpt",
)


def read_answers(folder, row, **options):
    file = folder / "mine.jsonl"
    file.write_text(json.dumps({"id": "q1", "answer": "B", **row}) + "\n")
    return answers.read(file, **options)


def read_questions(folder, row, **options):
    file = folder / "mine.jsonl"
    asked = {"id": "q1", "image": "", "question": "?", "answers": "B"}
    file.write_text(json.dumps({**asked, **row}) + "\n")
    return list(own_file.load(file, **options))


def read_labels(folder, row):
    known = own_labels.AnswersToLabel({"r": {"q1"}}, {"m": ["r"]})
    return own_labels.read(
        _csv({"run": "r", "item": "q1", "label": "yes", **row}), "mine.csv", known
    )


def read_scores(folder, row):
    place = {"suite": "s", "benchmark": "b", "axis": "x", "tag": "t"}
    known = own_csv.Stored(
        pd.DataFrame([{**place, "metric": "accuracy", "judge": ""}]), frozenset()
    )
    cells = {"model": "m", "benchmark": "b", "axis": "x", "tag": "t", "score": "0.5", "n": ""}
    return own_csv.read(_csv({**cells, **row}), "mine.csv", known)


def _csv(row):
    return "\n".join([",".join(row), ",".join(row.values())]).encode()


READERS = {
    "answers": (read_answers, "answer"),
    "questions": (read_questions, "answers"),
    "labels": (read_labels, "label"),
    "scores": (read_scores, "score"),
}


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("reader", READERS)
def test_every_reader_asks_which_of_two_columns_is_meant(tmp_path, reader, beside):
    read, own = READERS[reader]

    with pytest.raises(BadInput) as caught:
        read(tmp_path, {beside: "B"})

    said = str(caught.value)
    assert repr(own) in said
    assert beside.lower() in said.lower()
    assert "mine." in said


@pytest.mark.parametrize("reader", READERS)
def test_without_a_second_kind_of_column_nothing_is_asked(tmp_path, reader):
    read, _ = READERS[reader]

    assert len(read(tmp_path, {})) == 1


@pytest.mark.parametrize("reader", ["answers", "questions"])
def test_columns_that_hold_no_answers_are_passed_over(tmp_path, reader):
    read, _ = READERS[reader]

    assert len(read(tmp_path, dict.fromkeys(HARMLESS, "7"))) == 1


def test_the_option_says_which_column_is_the_models(tmp_path):
    both = {"response": "C"}

    assert read_answers(tmp_path, both, answer_column="response") == {"q1": "C"}
    assert read_answers(tmp_path, both, answer_column="answer") == {"q1": "B"}


def test_the_option_says_which_column_is_the_reference(tmp_path):
    both = {"label": "C"}

    asked = [
        read_questions(tmp_path, both, columns={"answers": name})[0].answers
        for name in ("label", "answers")
    ]

    assert asked == [("C",), ("B",)]


def test_the_error_names_the_option(tmp_path):
    with pytest.raises(BadInput, match=r"--option answer_column=NAME"):
        read_answers(tmp_path, {"response": "C"})
    with pytest.raises(BadInput, match=r'--benchmark-option columns=\{"answers": "NAME"\}'):
        read_questions(tmp_path, {"response": "C"})


def test_a_reference_that_only_some_rows_have_is_seen_too(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text('{"id": "q1", "answer": "B"}\n{"id": "q2", "answer": "C", "target": "A"}\n')

    with pytest.raises(BadInput, match="'target'"):
        answers.read(file)


def test_a_column_that_is_not_there_is_named_with_those_that_are(tmp_path):
    with pytest.raises(BadInput, match=r"no column 'reply'; there are 'id', 'answer'"):
        read_answers(tmp_path, {}, answer_column="reply")


@pytest.mark.parametrize("name", BESIDE)
def test_a_name_is_known_whatever_its_spelling(name):
    spelt = {name, name.upper(), name.replace("_", " "), name.replace("_", "-")}

    assert all(cells.rival_columns([one, "answer"], "answer") == [one] for one in spelt)
