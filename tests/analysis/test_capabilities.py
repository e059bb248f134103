"""MM-Vet v2's tables, from grades made up for its authors' published answers."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

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


def test_a_file_of_ones_own_that_names_capabilities_only_has_the_same_tables():
    graded = verdicts(_1=(1.0,), _2=(0.5,), _3=(0.0,))
    alone = TAGS[TAGS["axis"] != "integration"]

    theirs = capabilities.tables(graded, TAGS, ALONE)
    pd.testing.assert_frame_equal(capabilities.tables(graded, alone, ALONE), theirs)
    pd.testing.assert_frame_equal(capabilities.proportions(alone), capabilities.proportions(TAGS))


def test_the_spread_over_repeats_is_kept_apart_and_added_in_quadrature():
    grades = np.array([(1.0, 0.8), (0.5, 0.5), (0.0, 0.1), (0.9, 0.4)] * 5)
    graded = verdicts(**{f"_{place}": row for place, row in enumerate(grades)})
    alone = pd.Series({str(place): str(place) for place in range(20)})

    row = capabilities.tables(graded, TAGS, alone).set_index("tag").loc["total"]

    means = grades.mean(axis=1)
    sd, se = np.std(grades.mean(axis=0), ddof=1), stats.sem(means)
    assert row["value"] == pytest.approx(np.mean(means))
    assert (row["sd_repeats"], row["se_items"]) == pytest.approx((sd, se))
    half = stats.t.ppf(0.975, 19) * np.sqrt(se**2 + sd**2 / 2)
    assert (row["high"] - row["low"]) / 2 == pytest.approx(half, rel=0.1)
    without = capabilities.tables(graded.groupby("item", as_index=False).mean(), TAGS, alone)
    assert row["high"] - row["low"] > (without["high"] - without["low"]).iloc[-1]


def test_equal_grades_have_no_error_rather_than_none_at_all():
    """Only where all are right or all wrong do the ends of the scale bound the mean."""
    half = capabilities.tables(verdicts(_1=(0.5,), _2=(0.5,), _3=(0.5,)), TAGS, ALONE).iloc[-1]
    full = capabilities.tables(verdicts(_1=(1.0,), _2=(1.0,), _3=(1.0,)), TAGS, ALONE).iloc[-1]

    assert np.isnan(half[["se_items", "low", "high"]].astype(float)).all()
    assert np.isnan(full["se_items"])
    assert full["low"] == pytest.approx(proportion_confint(3, 3, method="wilson")[0])


@pytest.mark.parametrize("number", [2, 5, 10, 20])
def test_intervals_of_few_skewed_grades_cover_the_true_mean(rng, number):
    """A beta(4, 1) judge, a set a world; value +- z se would cover 65, 84, 89 and 92 % of them."""
    worlds = 300
    names = [str(place) for place in range(worlds * number)]
    rows = pd.DataFrame({"item": names, "repeat": 0, "score": rng.beta(4, 1, len(names))})
    world = np.arange(len(names)) // number
    tags = pd.DataFrame({"item": names, "axis": "integration", "tag": world.astype(str)})

    found = capabilities.tables(rows, tags, pd.Series(names, index=names))

    found = found[found["axis"] == "integration"]
    covered = found["low"].le(0.8) & found["high"].ge(0.8)
    assert len(found) == worlds
    assert covered.mean() > 0.935 - 3 * np.sqrt(0.95 * 0.05 / worlds)


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
