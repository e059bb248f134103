"""The Compare page draws within kinds of source where that is asked for."""

import numpy as np
import pytest

from evalcore.suites import item_results
from pages.parts.compare import comparison as parts
from pages.parts.compare import options

AXIS = "question_type"


@pytest.fixture(scope="module")
def shipped(store):
    return item_results.load(store, "easy-vqa")


def first_two(shipped):
    return list(shipped.entries.index[shipped.entries["metric"] == "exact"][:2])


def test_a_sources_kind_is_all_that_its_questions_are(shipped):
    kinds = parts.strata_of(shipped, AXIS)
    tags = dict(zip(shipped.tags["item"], shipped.tags["tag"], strict=True))
    for cluster, items in shipped.items.groupby("cluster"):
        (kind,) = set(kinds[items.index])
        assert kind in (parts.OTHER, " + ".join(sorted({tags[item] for item in items.index})))
        assert len(cluster)
    assert options.fits(shipped, AXIS)
    assert not options.fits(shipped, "no such axis")


def test_within_kinds_the_error_is_that_of_each_kind(shipped):
    pair = first_two(shipped)
    row = parts.make(shipped, pair, "", AXIS).differences.iloc[0]
    plain = parts.make(shipped, pair, "").differences.iloc[0]
    apart = shipped.scores[pair[1]] - shipped.scores[pair[0]]
    sums = (apart - apart.mean()).groupby(shipped.clusters).sum()
    kinds = parts.strata_of(shipped, AXIS).groupby(shipped.clusters).first().reindex(sums.index)
    variance = sum(len(one) * one.to_numpy().var() for _, one in sums.groupby(kinds))
    number = len(sums)
    theirs = np.sqrt(variance * number / (number - 1)) / len(apart)
    assert row["se"] == pytest.approx(theirs, rel=0.05)
    assert row["se"] < plain["se"]
    assert row["difference"] == plain["difference"]


def test_the_choice_is_a_link_and_is_said(open_page):
    link = {"compare_strata_easy-vqa": "Within each question type"}
    at = open_page("compare", compare_benchmark="easy-vqa", **link)
    assert not at.exception
    assert at.selectbox(key="compare_strata_easy-vqa").value == AXIS
    assert "within Question type" in at.main.caption[-1].value
