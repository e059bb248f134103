"""A run's totals: interval, bounds and the judge's noise, against hand calculations."""

import dataclasses

import pytest
from statsmodels.stats.proportion import proportion_confint

from evalcore.engine import runs
from evalcore.engine.run_status import totals
from evalcore.records import Prediction, Verdict
from tests.fakes import SETTINGS, items


@pytest.fixture
def made(home):
    """A run of so many questions with these answers and scores, one list a repeat."""

    def make(number, answers, *repeats, judge="exact"):
        settings = dataclasses.replace(SETTINGS, seed=number)
        run = runs.create(settings, items(number), "cpu")
        asked = [item.id for item in run.items()]
        write(run, "predictions", [Prediction(i, a) for i, a in zip(asked, answers, strict=False)])
        for repeat, scores in enumerate(repeats):
            verdicts = [
                Verdict(item, judge, "1", repeat, score)
                for item, score in zip(asked, scores, strict=False)
            ]
            write(run, f"verdicts/{runs.verdict_key(judge, '1', repeat)}", verdicts)
        return run

    return make


def write(run, part, records):
    writer = run.writer(part)
    for record in records:
        writer.append(record)
    writer.close()


def test_right_or_wrong_gets_wilsons_interval(made):
    (found,) = totals(made(10, ["a"] * 10, [1.0] * 7 + [0.0] * 3))

    low, high = proportion_confint(7, 10, method="wilson")
    assert (found.value, found.low, found.high) == (0.7, pytest.approx(low), pytest.approx(high))
    assert found.whole
    assert found.repeat_sd is None


def test_grades_get_the_interval_of_their_own_spread(made):
    (found,) = totals(made(4, ["a"] * 4, [0.2, 0.4, 0.6, 0.8]))

    assert found.value == pytest.approx(0.5)
    assert found.high - found.value == pytest.approx(1.959964 * 0.2581989 / 2)


def test_a_partly_failed_run_has_bounds(made):
    (found,) = totals(made(10, ["a"] * 6 + [None] * 2, [1.0, 1.0, 1.0, 0.0, None]))

    assert (found.scored, found.of, found.failed, found.unread) == (4, 10, 2, 2)
    assert (found.value, found.least, found.most) == (0.75, 0.3, 0.9)
    assert not found.whole


def test_a_verdict_on_an_answer_that_failed_does_not_count(made):
    (found,) = totals(made(2, ["a", None], [1.0, 0.0]))

    assert (found.value, found.scored) == (1.0, 1)


def test_the_judges_noise_is_kept_apart_from_the_interval(made):
    (found,) = totals(made(4, ["a"] * 4, [1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0]))

    assert found.repeat_means == (0.5, 0.75)
    assert found.repeat_sd == pytest.approx(0.1767767)
    assert (found.repeats, found.value) == (2, 0.625)


def test_repeats_are_compared_on_the_questions_that_all_of_them_scored(made):
    (found,) = totals(made(4, ["a"] * 4, [1.0, 1.0, 0.0, 0.0], [1.0, 1.0]))

    assert found.repeat_means == (1.0, 1.0)
    assert found.value == 0.5


def test_nothing_scored_is_unknown_and_bounded_by_everything(made):
    (found,) = totals(made(3, ["a"] * 3, [None] * 3))

    assert (found.value, found.low, found.high) == (None, None, None)
    assert (found.least, found.most) == (0, 1)


def test_a_run_without_verdicts_has_no_totals(made):
    assert totals(made(3, ["a"] * 3)) == []
