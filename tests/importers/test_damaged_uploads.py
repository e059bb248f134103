"""Damaged uploads, of labels and of own scores: sound values or one sentence, never a part."""

import random

import pandas as pd
import pytest

from evalcore.errors import BadInput
from evalcore.importers import own_csv, own_labels
from tests.fuzz import TIMES, damaged

CASES = 200 * TIMES
LABELS = b"run,item,rater,label\n" + b"".join(
    b"r1,q%d,ann,%b\n" % (n, (b"yes", b"no", b"unsure")[n % 3]) for n in range(6)
)
GRADES = b"model,item,label\n" + b"".join(b"m,q%d,0.%d\n" % (n, n) for n in range(6))
SCORES = b"model,benchmark,axis,tag,score,n\n" + b"".join(
    b"mine %d,b,kind,t,0.%d,%d\n" % (n, n, 10 * n + 1) for n in range(6)
)
RUNS = own_labels.AnswersToLabel({"r1": {f"q{n}" for n in range(6)}}, {"m": ["r1"]})
STORED = own_csv.Stored(
    pd.DataFrame(
        [("s", "b", "kind", "t", "accuracy", "")],
        columns=["suite", "benchmark", "axis", "tag", "metric", "judge"],
    ),
    frozenset({"published"}),
)


def labels(content):
    frame = own_labels.read(content, "file.csv", RUNS)
    for cell in frame["label"]:
        assert cell in own_labels.WORDS or 0 <= float(cell) <= 1
    assert set(frame["run"]) <= {"r1"}
    assert set(frame["item"]) <= RUNS.runs["r1"]
    assert not frame.duplicated(["run", "item", "rater"]).any()


def scores(content):
    frame = own_csv.read(content, "file.csv", STORED)
    assert frame["value"].between(0, 1).all()
    assert (frame["n"].dropna() >= 1).all()
    assert set(frame["benchmark"]) == {"b"}
    assert not set(frame["model"]) & STORED.models


@pytest.mark.parametrize(
    ("content", "read"), [(LABELS, labels), (GRADES, labels), (SCORES, scores)],
    ids=["labels", "grades", "scores"],
)  # fmt: skip
def test_a_damaged_upload_is_told_in_a_sentence_or_holds_sound_values(content, read):
    read(content)
    dice = random.Random(7)
    told = 0
    for case in range(CASES):
        try:
            read(damaged(content, dice))
        except BadInput as error:
            told += 1
            assert str(error).startswith("file.csv"), case
            assert "\n" not in str(error), case
            assert len(str(error)) < 800, case
    assert told > CASES // 4
