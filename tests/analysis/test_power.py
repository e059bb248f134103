"""Questions needed, against statsmodels and by hand."""

import numpy as np
import pytest
from statsmodels.stats.power import NormalIndPower

from evalcore.analysis import paired
from evalcore.errors import BadInput


@pytest.mark.parametrize(("difference", "sd", "n"), [(0.03, 0.5, 400), (-0.1, 0.6, 100)])
def test_the_questions_needed_are_those_of_statsmodels(difference, sd, n):
    needed = paired.questions(difference, sd / np.sqrt(n), n)

    # ratio=0: one sample, here of paired differences.
    expected = NormalIndPower().solve_power(abs(difference) / sd, alpha=0.05, power=0.8, ratio=0)
    assert needed.total == pytest.approx(expected, rel=0.01, abs=1)
    assert needed.more == max(0, needed.total - n)


def test_about_a_thousand_questions_show_three_points():
    # (1.959964 + 0.841621)^2 * (1/9) / 0.03^2 = 969: a paired variance of 1/9, as for two models
    # that disagree on one question in nine.
    needed = paired.questions(0.03, np.sqrt(1 / 9 / 100), 100)

    assert needed == (969, 869)


def test_enough_questions_need_no_more():
    assert paired.questions(0.2, 0.02, 300).more == 0


@pytest.mark.parametrize(
    "case", [(0.0, 0.02, 300), (float("nan"), 0.02, 300), (0.1, float("nan"), 9)]
)
def test_without_a_difference_or_an_error_it_cannot_be_known(case):
    assert np.isnan(paired.questions(*case)).all()


def test_equivalence_needs_the_distance_to_the_margin():
    assert paired.questions_for_equivalence(-0.01, 0.02, 100, 0.04) == paired.questions(
        0.03, 0.02, 100
    )
    assert np.isnan(paired.questions_for_equivalence(0.05, 0.02, 100, 0.04).total)


def test_a_smaller_difference_than_is_detectable_needs_more_questions():
    least = paired.detectable(0.02)

    assert paired.questions(least, 0.02, 300).total == pytest.approx(300, abs=1)


def test_a_power_outside_0_and_1_is_refused():
    with pytest.raises(BadInput, match="power"):
        paired.questions(0.1, 0.1, 10, power=1.0)
