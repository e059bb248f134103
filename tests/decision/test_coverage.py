"""What is known of the models of today: counted, and what is missing named."""

import pandas as pd
import pytest

from evalcore.decision import coverage
from tests.cost.rows import answers, offers, price, rule

MODELS = pd.DataFrame(
    {
        "model": ["m", "closed", "open"],
        "name": ["M", "Closed", "Open"],
        "maker": ["A", None, "B"],
        "open_weights": pd.Series([False, False, True], dtype=object),
        "params_b": [float("nan"), float("nan"), 8.3],
        "licence": ["proprietary API", None, "a licence nobody read"],
        "released": ["2026-01", "2026", "2025"],
    }
)


@pytest.mark.parametrize(
    ("fact", "count", "missing"),
    [
        ("maker", 2, ("Closed",)),
        ("parameters, total", 1, ("Closed", "M")),
        ("licence", 2, ("Closed",)),
        ("what the licence allows", 0, ("Closed", "M", "Open")),
        ("a price", 1, ("Closed", "Open")),
        ("closed weights: a price", 1, ("Closed",)),
        ("benchmarks: number of questions", 1, ("b",)),
    ],
)
def test_each_fact_is_counted_and_who_lacks_it_named(fact, count, missing):
    found = coverage.coverage(
        MODELS, {"a": 100.0, "b": float("nan")}, offers([price()], [rule()], [answers(1)])
    )
    row = found.set_index("fact").loc[fact]

    assert (row["known"], row["missing"]) == (count, missing)
    assert row["of"] == count + len(missing)


def test_values_of_the_papers_and_of_own_runs_are_not_todays():
    published = pd.DataFrame(
        {
            "source": ["paper", "report", "twice", "run", "report"],
            "model": ["old", "new", "new", "own", None],
        }
    )
    sources = pd.DataFrame(
        {
            "source": ["paper", "report", "twice", "run"],
            "suite": ["paper", "report", None, None],
            "relation": ["paper", "maker", "maker", "measured here"],
        }
    )
    suites = pd.DataFrame({"suite": ["paper", "report"], "current": [False, True]})

    found = coverage.today(published, sources, suites)
    assert list(zip(found["source"], found["model"], strict=True)) == [
        ("report", "new"),
        ("twice", "new"),
    ]
