"""MM-Vet v2's tables, from grades made up for its authors' published answers."""

import json

import numpy as np
import pandas as pd
import pytest

from evalcore.analysis import capabilities

TAGS = [
    ("1", "capability", "ocr"),
    ("1", "capability", "math"),
    ("1", "integration", "math+ocr"),
    ("2", "capability", "ocr"),
    ("2", "integration", "ocr"),
    ("3", "capability", "ocr"),
    ("3", "integration", "ocr"),
    ("3", "topic", "left out"),
]
TAGS = pd.DataFrame(TAGS, columns=["item", "axis", "tag"])
ALONE = pd.Series({"1": "1", "2": "2", "3": "3"})


def verdicts(**items):
    """_1=(grade, grade, ...), a grade a repeat."""
    rows = [
        (item.strip("_"), repeat, grade)
        for item, grades in items.items()
        for repeat, grade in enumerate(grades)
    ]
    return pd.DataFrame(rows, columns=["item", "repeat", "score"])


def test_a_question_counts_for_each_capability_and_one_set():
    found = capabilities.tables(verdicts(_1=(1.0,), _2=(0.5,), _3=(0.0,)), TAGS, ALONE)

    table = found.set_index(["axis", "tag"])[["n", "value"]]
    assert table.to_dict("index") == {
        ("capability", "ocr"): {"n": 3, "value": 0.5},
        ("capability", "math"): {"n": 1, "value": 1.0},
        ("integration", "ocr"): {"n": 2, "value": 0.25},
        ("integration", "math+ocr"): {"n": 1, "value": 1.0},
        ("total", "total"): {"n": 3, "value": 0.5},
    }


def test_the_spread_over_repeats_is_kept_apart_and_added_in_quadrature():
    graded = verdicts(_1=(1.0, 0.8), _2=(0.5, 0.5), _3=(0.0, 0.1))

    row = capabilities.tables(graded, TAGS, ALONE).set_index("tag").loc["total"]

    totals = [np.mean([1.0, 0.5, 0.0]), np.mean([0.8, 0.5, 0.1])]
    means = [0.9, 0.5, 0.05]
    sd, se = np.std(totals, ddof=1), np.std(means, ddof=1) / np.sqrt(3)
    assert row["value"] == pytest.approx(np.mean(means))
    assert (row["sd_repeats"], row["se_items"]) == pytest.approx((sd, se))
    assert row["high"] == pytest.approx(row["value"] + 1.96 * np.sqrt(se**2 + sd**2 / 2), rel=1e-4)


def test_one_question_has_no_interval_and_one_repeat_no_spread():
    row = capabilities.tables(verdicts(_1=(1.0,)), TAGS, ALONE).set_index("tag").loc["math"]

    assert np.isnan(row[["sd_repeats", "se_items", "low", "high"]].astype(float)).all()


def test_unreadable_grades_are_left_out():
    found = capabilities.tables(verdicts(_1=(np.nan,), _2=(0.5,)), TAGS, ALONE)

    assert found.set_index("tag")["n"].to_dict() == {"ocr": 1, "total": 1} | {"ocr": 1}
    assert "math" not in set(found["tag"])


def test_nothing_graded_is_an_empty_table():
    assert capabilities.tables(verdicts(_1=(np.nan,)), TAGS, ALONE).empty


def test_proportions_are_of_all_questions_with_tags():
    found = capabilities.proportions(TAGS).set_index(["axis", "tag"])["share"]

    assert found["capability", "math"] == pytest.approx(1 / 3)
    assert found["integration", "ocr"] == pytest.approx(2 / 3)
    assert "topic" not in found.index.get_level_values(0)


@pytest.mark.parametrize("name", ["claude-3-5-sonnet-20240620", "gpt-4o-2024-05-13_detail-high"])
def test_the_total_of_published_answers_has_the_papers_spread_and_a_wider_interval(
    shared, rng, name
):
    """Grades are made up (none are published) at the size of the paper's: 517 questions, 5 runs."""
    answers = json.loads((shared / "data" / "mmvet2" / f"{name}.json").read_text())
    grade = (rng.random(len(answers)) < 0.7).astype(float)
    runs = {repeat: np.clip(grade + 0.1 * rng.standard_normal(517), 0, 1) for repeat in range(5)}
    rows = pd.concat(
        pd.DataFrame({"item": [*answers], "repeat": repeat, "score": scores})
        for repeat, scores in runs.items()
    )

    row = capabilities.tables(rows, TAGS, pd.Series({item: item for item in answers})).iloc[-1]

    assert (row["tag"], row["n"], row["repeats"]) == ("total", 517, 5)
    assert row["sd_repeats"] < 0.01
    assert 0.03 < (row["high"] - row["low"]) / 2 < 0.045
