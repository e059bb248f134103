import numpy as np
import pandas as pd
import pytest
from scipy import stats

from evalcore.analysis import correlation
from evalcore.errors import BadInput
from evalcore.store import queries
from evalcore.suites import small_sets, suite

GROUPS = pd.DataFrame({"benchmark": list("abcde"), "group": ["one"] * 3 + ["two"] + ["three"]})


@pytest.fixture
def table(rng):
    skill = rng.normal(size=(25, 1))
    values = skill * [1.0, 0.6, 0.3, 1.0, 1.0] + rng.normal(size=(25, 5))
    return pd.DataFrame(values, columns=list("abcde"))


@pytest.fixture(scope="module")
def printed(store):
    return queries.table(store, "representatives")


def test_the_most_typical_has_the_highest_mean_correlation_with_the_others(table):
    found = correlation.typical(table, GROUPS)

    one = found[found["group"] == "one"].set_index("benchmark")["r"]
    for name in "abc":
        others = [stats.pearsonr(table[name], table[x])[0] for x in "abc" if x != name]
        assert one[name] == pytest.approx(np.mean(others))
    assert found.loc[found["chosen"] & (found["group"] == "one"), "benchmark"].item() == (
        one.idxmax()
    )


def test_a_benchmark_alone_in_its_group_has_nothing_to_agree_with(table):
    found = correlation.typical(table, GROUPS).set_index("benchmark")

    assert found.loc["d", "members"] == 1 and found.loc["d", "chosen"]
    assert np.isnan(found.loc["d", "r"])


def test_the_interval_is_about_fishers_for_a_group_of_two(table):
    pair = GROUPS[:2]

    row = correlation.typical(table, pair).iloc[0]

    fisher = stats.pearsonr(table["a"], table["b"]).confidence_interval()
    assert row["low"] == pytest.approx(fisher.low, abs=0.15)
    assert row["high"] == pytest.approx(fisher.high, abs=0.15)


def test_on_the_open_table_the_rule_chooses_what_unibench_prints_for_types(store, printed):
    data = suite.load(store, "openclip")

    found = correlation.typical(small_sets.table(data), small_sets.groups(data, "type"))

    chosen = found[found["chosen"]].set_index("group")["benchmark"]
    rows = printed[(printed["axis"] == "type") & printed["benchmark"].isin(found["benchmark"])]
    assert len(rows) == 4
    assert [chosen[row.tag] == row.benchmark for row in rows.itertuples()] == [True] * 4
    both = found[found["chosen"]].merge(rows, left_on="group", right_on="tag").dropna(subset="r")
    assert (both["r"] - both["correlation"]).abs().max() < 0.1


def test_the_papers_sets_have_the_rows_of_its_tables(printed):
    by_type = correlation.printed(printed, "distilled-type")
    by_capability = correlation.printed(printed, "distilled-capability")

    assert (len(by_type), len(by_capability)) == (8, 18)
    assert by_type["benchmark"].isna().sum() == 1
    assert set(by_capability["printed_value"]) >= {"0.29", "0.99"}


def test_an_unknown_set_is_said(printed):
    with pytest.raises(BadInput, match="'distilled'; known: distilled-type, distilled-capability"):
        correlation.printed(printed, "distilled")


def test_gaps_are_said(table):
    with pytest.raises(BadInput, match="no gaps"):
        correlation.typical(table.mask(table > 1), GROUPS)


def test_no_group_in_the_table_gives_no_row(table):
    assert correlation.typical(table, GROUPS[:0]).empty
