"""The decision report: complete, and safe whatever a name contains."""

import pandas as pd
import pytest

from evalcore.decision.recommend import Needs, recommend
from evalcore.decision.report import markdown

NAN = float("nan")
HOSTILE = "evil | <script>alert(1)</script>\n## [x](javascript:1) `b` **c**"


def answer(name="Nice", **options):
    rows = [("a", "t", 0.7), ("a", "u", 0.6), ("b", "t", 0.5), ("b", "u", 0.5), ("c", "t", 0.9)]
    cells = pd.DataFrame(rows, columns=["model", "tag", "value"])
    cells = cells.assign(n=500.0, se=0.02, low=0.4, high=0.9, kind="published", suspect=False)
    models = pd.DataFrame(
        {
            "model": ["a", "b", "c"],
            "name": [name, "Bee", "Sea"],
            "params_b": [NAN, 2.0, 3.0],
            "open_weights": [False, True, True],
            "source": ["card", "card", None],
        }
    )
    return recommend(cells, models, Needs("demo", "x", **options)), models


def report(name="Nice", link="https://host/recommend?suite=demo", **options):
    rec, models = answer(name, **options)
    return markdown(rec, models, link, "abc123", "2025-01-31")


def test_the_report_holds_the_words_the_table_and_what_it_rests_on():
    text = report(open_weights=True)
    for title in ("Ranking", "Left out", "What the winner gives up", "What this rests on"):
        assert f"## {title}" in text
    assert "Use Bee." in text
    assert "| Bee | 50.0 % |" in text
    assert "| Nice | closed weights | allow closed weights |" in text


def test_the_report_says_how_to_ask_again_and_from_which_store():
    text = report()
    assert "<https://host/recommend?suite=demo>" in text
    assert "2025-01-31 · results store abc123" in text
    assert "Facts about the models: card." in text


def test_the_report_names_the_axis_that_the_page_draws():
    rec, models = answer()
    chosen = markdown(rec, models, "https://host/x", "v", "2025", across="usd_per_1000")

    assert "The page draws the score against: Size, billion parameters." in report()
    assert "The page draws the score against: USD per 1,000 questions." in chosen


def test_a_model_with_a_gap_is_listed_with_its_bounds():
    assert "| Sea | u | 45.0–95.0 % |" in report()


def test_what_is_unknown_is_listed_and_never_printed_as_nan():
    text = report(max_params_b=2.5)
    assert "| Nice | size" in text
    assert "nan" not in text.lower()


@pytest.mark.parametrize("options", [{}, {"open_weights": True}, {"max_params_b": 2.5}])
def test_a_hostile_name_cannot_break_the_report(options):
    text = report(HOSTILE, **options)
    assert "<script" not in text.replace("\\<script", "")
    assert "\n## \\[x" not in text
    rows = [line for line in text.splitlines() if line.startswith("| evil")]
    plain = report("evil", **options)
    like = [line for line in plain.splitlines() if line.startswith("| evil")]
    assert [row.replace("\\|", "").count("|") for row in rows] == [row.count("|") for row in like]


def test_a_hostile_link_stays_inside_its_brackets():
    text = report(link="https://host/?x=<img src=x>\n# title")
    assert "<https://host/?x=%3Cimg%20src=x%3E#%20title>" in text


def test_a_report_without_a_winner_still_explains_itself():
    text = report(max_params_b=0.1)
    assert "No model of 3 is known to meet your limits" in text
    assert "## Ranking" not in text
