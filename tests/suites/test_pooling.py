"""One value from several sources: whose counts, how far they lie apart, that all stay visible."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore.analysis import estimates
from evalcore.suites import pooling
from tests.small_world import scores

RELATIONS = pd.Series(
    {"board": "third party", "board2": "third party", "maker": "maker", "rival": "maker"}
)


def pooled(*told, **others):
    """Pool (source, value) pairs of one model and benchmark."""
    rows = [
        ("m", "", "doc-test", value, {"source": source, **others, **(extra[0] if extra else {})})
        for source, value, *extra in told
    ]
    return pooling.pool(scores(*rows), RELATIONS)


def only(frame):
    assert len(frame) == 1
    return frame.iloc[0]


def test_a_third_party_counts_before_the_makers_own_report():
    row = only(pooled(("maker", 0.9), ("board", 0.8)))

    assert row["value"] == 0.8
    assert row["relation"] == "third party"


def test_of_several_sources_of_a_kind_the_median_counts():
    assert only(pooled(("maker", 0.9), ("rival", 0.8)))["value"] == pytest.approx(0.85)


def test_the_spread_between_all_sources_is_kept():
    row = only(pooled(("maker", 0.9), ("board", 0.8)))

    assert row["spread"] == pytest.approx(np.std([0.9, 0.8], ddof=1))
    assert row["n_sources"] == 2


def test_one_source_has_no_spread():
    assert np.isnan(only(pooled(("maker", 0.9)))["spread"])


@pytest.mark.parametrize(("other", "marked"), [(0.83, False), (0.831, True), (0.8, False)])
def test_sources_more_than_three_points_apart_are_marked(other, marked):
    assert only(pooled(("maker", 0.8), ("board", other)))["disagree"] == marked


def test_the_spread_widens_the_interval_in_quadrature():
    rows = pooled(("maker", 0.86), ("board", 0.8))
    alone = estimates.estimated(rows.assign(n=400.0, spread=np.nan)).iloc[0]
    wide = estimates.estimated(rows.assign(n=400.0)).iloc[0]

    assert wide["se"] == pytest.approx(np.hypot(alone["se"], np.std([0.86, 0.8], ddof=1)))
    assert wide["high"] - wide["low"] > alone["high"] - alone["low"]
    assert wide["method"].endswith("spread between sources")


def test_every_pooled_value_opens_to_its_sources():
    rows = pooled(("maker", 0.9, {"note": "Table 2"}), ("board", 0.8))

    told = pooling.sources_of(rows, "m", "doc-test")

    assert told[["source", "value", "relation", "used"]].to_numpy().tolist() == [
        ["board", 0.8, "third party", True],
        ["maker", 0.9, "maker", False],
    ]
    assert told["note"].fillna("").tolist() == ["", "Table 2"]


def test_a_suspect_value_does_not_count_beside_another_but_stays_visible():
    rows = pooled(("board", 0.2, {"suspect": True}), ("maker", 0.9))
    row = only(rows)

    assert (row["value"], row["n_sources"], row["suspect"]) == (0.9, 1, False)
    assert pooling.sources_of(rows, "m", "doc-test")["suspect"].tolist() == [False, True]


def test_a_value_with_nothing_but_suspect_sources_is_suspect():
    assert only(pooled(("board", 0.2, {"suspect": True})))["suspect"]


def test_models_modes_and_benchmarks_are_never_mixed():
    rows = scores(
        ("m", "", "doc-test", 0.1), ("m [thinking]", "thinking", "doc-test", 0.2),
        ("m", "", "doc-val", 0.3), ("o", "", "doc-test", 0.4),
    )  # fmt: skip

    assert sorted(pooling.pool(rows, RELATIONS)["value"]) == [0.1, 0.2, 0.3, 0.4]


def test_two_metrics_of_a_benchmark_are_not_pooled():
    rows = scores(
        ("a", "", "doc-test", 0.9), ("b", "", "doc-test", 0.8),
        ("a", "", "doc-test", 0.1, {"metric": "edit-distance", "source": "maker"}),
    )  # fmt: skip

    assert set(pooling.pool(rows, RELATIONS)["metric"]) == {"accuracy"}


@given(st.lists(st.tuples(st.sampled_from(list(RELATIONS.index)), st.floats(0, 1)), min_size=1))
def test_a_pooled_value_lies_between_its_sources(told):
    once = dict(told)
    row = only(pooled(*once.items()))

    assert min(once.values()) <= row["value"] <= max(once.values())
    assert row["n_sources"] == len(once)
    assert row["apart"] == pytest.approx(max(once.values()) - min(once.values()))


def test_how_much_was_pooled_is_said():
    assert pooling.sentence(pooled(("maker", 0.9), ("board", 0.8))) == (
        "1 value, 1 of them with several sources; in 1 these lie more than 3 points apart"
    )
