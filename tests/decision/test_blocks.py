"""Which block answers: it covers the needs, has models that meet the limits, one protocol first."""

import pandas as pd
import pytest

from evalcore.decision import need_axis
from evalcore.decision.market import Market
from evalcore.decision.need_axis import Current
from evalcore.decision.needs import Needs
from evalcore.errors import BadInput
from evalcore.suites.suite import entities
from tests.small_world import BENCHMARKS, METRICS, MODES, NEEDS, models, scores

READ = Needs("", "need", (("read", 1.0),))
ALL = Needs("", "need", (("read", 1.0), ("count", 1.0)))
MODELS = models(
    **{name: (float(size), True, "MIT", f"2025-0{size}") for size, name in enumerate("abcd", 1)},
    shut=(float("nan"), False, None, "2026-01"),
)


def block(suite, names, benchmarks):
    return scores(*[(n, "", b, 0.5) for n in names for b in benchmarks], suite=suite)


def rank(needs, mixed=(), extra=(), **suites):
    rows = pd.concat([*[block(name, *what) for name, what in suites.items()], *extra])
    found = entities(rows, MODELS, MODES, METRICS)
    about = pd.DataFrame(
        [(name, name.title(), name in mixed, "2025-06") for name in suites],
        columns=["suite", "name", "mixed", "published"],
    )
    current = Current(about, found.scores, found.models, BENCHMARKS, NEEDS, Market())
    return need_axis.rank(current, needs)


def test_the_block_that_covers_all_needs_goes_before_one_with_more_models():
    found = rank(ALL, wide=("abcd", ["doc-test"]), whole=("abc", ["doc-test", "chart"]))

    assert found.chosen == "whole"
    assert found.table.set_index("suite").loc["wide", "lacks"] == ("count",)


def test_one_protocol_goes_before_a_mixed_block_with_more_models():
    found = rank(READ, ("mix",), mix=("abcd", ["info"]), one=("abc", ["info"]))

    assert found.chosen == "one"


def test_a_mixed_block_answers_where_the_others_have_too_few_models_under_the_limits():
    small = Needs("", "need", (("read", 1.0),), max_params_b=3.5)
    found = rank(small, ("mix",), mix=("abc", ["info"]), one=(("c", "d", "shut"), ["info"]))

    assert found.chosen == "mix"
    assert found.table.set_index("suite")["admissible"].to_dict() == {"mix": 3, "one": 1}


def test_a_need_on_several_benchmarks_goes_before_one_on_a_single_one():
    found = rank(READ, thin=("abcd", ["info"]), broad=("abc", ["info", "doc-test"]))

    assert found.chosen == "broad"
    assert found.table.set_index("suite").loc["thin", "thin"] == ("read",)


def test_then_the_block_with_more_models_answers():
    assert rank(READ, few=("abc", ["info"]), many=("abcd", ["info"])).chosen == "many"


def test_a_block_is_described_by_what_it_has_for_the_needs():
    row = rank(ALL, one=("abcd", ["doc-test", "chart"])).table.iloc[0]

    assert row["covers"] == ("read", "count")
    assert row["benchmarks"] == ("Chart", "Doc test")
    assert (row["models"], row["complete"], row["density"]) == (4, 4, 1.0)
    assert row["newest"] == "2025-04"
    assert row["chosen"]


def test_gaps_lower_the_density_and_the_number_with_the_whole_mix():
    gap = scores(("d", "", "info", 0.5), suite="one")
    row = rank(READ, extra=[gap], one=("abc", ["doc-test", "info"])).table.iloc[0]

    assert (row["models"], row["complete"], row["density"]) == (4, 3, 7 / 8)


def test_the_reason_names_benchmarks_models_and_protocol():
    assert rank(READ, one=("abcd", ["doc-test", "info"])).reason == (
        "Answered by the block One: it covers what you need (read is Doc test and Info), 4 models "
        "in it meet your limits with the whole mix, and its results are of one protocol. 0 other "
        "blocks have a part of it or all."
    )


def test_a_block_with_too_few_models_says_so():
    assert "(fewer than 3, but no block has more)" in rank(READ, one=("a", ["info"])).reason


def test_needs_that_no_block_covers_name_the_one_that_comes_nearest():
    found = rank(ALL, one=("abc", ["doc-test"]), two=("a", ["info"]))

    assert found.chosen is None
    assert found.reason == (
        "No current block covers all of read and count; One covers the most and lacks count. Ask "
        "for fewer needs, or let blocks be mixed (--mix-blocks)."
    )


def test_a_minimum_score_does_not_decide_which_block_answers():
    strict = Needs("", "need", (("read", 1.0),), min_score=0.9, min_tag_scores=(("read", 0.9),))

    assert rank(strict, one=("abc", ["info"])).table["admissible"].tolist() == [3]


def test_a_need_that_nobody_knows_is_refused_with_the_known_ones():
    with pytest.raises(BadInput) as caught:
        rank(Needs("", "need", (("reed", 1.0),)), one=("abc", ["info"]))

    assert str(caught.value) == "no need 'reed'; known needs: count, read"
