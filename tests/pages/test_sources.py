"""The Sources page: where the numbers come from, and what they are worth."""

import json
from pathlib import Path

import pandas as pd
import pytest

from pages.shared import source_facts
from tests.pages.opening import words

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def page(open_page):
    return open_page("sources")


def test_every_source_has_a_line_with_its_counts(page):
    assert not page.exception and not page.error
    overview = page.dataframe[0].value.set_index("Source")
    assert list(overview.index)[:7] == [
        *("VQA360", "MM-Vet v2", "UniBench", "open_clip zero-shot table"),
        *("CLIP scaling grid", "DataComp", "Demo models of this project"),
    ]
    listed = [pd.read_csv(file) for file in (ROOT / "data" / "catalog").glob("sources*.csv")]
    assert len(overview) == sum(map(len, listed))
    assert overview.loc["VQA360", ["Scores", "Models", "Tags"]].tolist() == [390, 10, 39]
    assert overview.loc["open_clip zero-shot table", "Scores"] == 121 * 38
    assert overview["Contradictions"].sum() == 37
    counts = overview.select_dtypes("number")
    assert not counts.eq(0).any(axis=None)
    assert list(counts.loc["Demo models of this project"].dropna().index) == ["Models described"]


def test_the_list_of_contradictions_says_how_many_and_what_is_used(page):
    tables = [table.value for table in page.table if "We use" in table.value.columns]

    assert sum(map(len, tables)) == 37
    assert "37 places found while reading" in words(page)
    assert "CogVLM2\\-Llama3\\-19B" in set(tables[0]["We use"])


def test_judges_are_shown_with_human_labels_and_wilson_intervals(page):
    figure = json.loads(page.get("plotly_chart")[0].proto.spec)
    accuracy, tau = figure["data"]
    text = accuracy["text"][0]

    assert len(accuracy["text"]) == len(tau["text"]) == 12
    # statsmodels: proportion_confint(469, 539, method="wilson") is 0.8391 to 0.8959.
    assert "accuracy 87.0 % (83.9 to 89.6)" in text
    assert "539 human labels" in text and "no interval" in text


def test_the_words_say_what_table_3_leaves_out(page):
    text = words(page)

    assert "agrees better without the image (87.0 %) than with it (80.3 %)" in text
    assert "BERTScore's printed accuracy of 1.3 % is far below a coin's 50 %" in text


@pytest.mark.parametrize(
    ("source", "said", "unsaid"),
    [
        ("mmvet2", "Capability: no interval for any of 140 results, because n is not", "539"),
        ("vqa360", "Task type: 40 of 40 results have an interval", "MM-Vet v2: A Chall"),
        ("openclip", "covers the questions, not the choice of benchmarks", "539"),
        ("unibench", "161 other printed figures", "What the numbers measure"),
        ("datacomp-tasklist", "0 places found", "Where its intervals come from"),
    ],
)
def test_one_source_can_be_read_alone(page, source, said, unsaid):
    page.selectbox(key="src_source").set_value(source).run()

    assert not page.exception
    assert said in words(page)
    assert unsaid not in words(page)


def test_the_store_can_be_named_and_built_again(page):
    assert page.code[0].value == "python -m evalcore build"
    assert "Version " in words(page)
    assert "A cost that nobody states is unknown, never zero" in words(page)


def test_a_source_without_rows_says_so():
    page_row = dict.fromkeys(
        ("scores", "models", "benchmarks", "tags", "others", "model_facts", "benchmark_facts"), 0
    )

    assert "no row of its own" in source_facts.held(page_row)
