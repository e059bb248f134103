"""The frame of every page: text that stays text, and problems told in words."""

import csv
import io
import json
import shutil

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from evalcore.home import ROOT
from pages.shared.frame import plain, to_csv
from tests.pages.opening import PATIENCE_S, charts, opened, texts

TEMPLATE = """model,benchmark,axis,tag,score,n
{name},vqa360,task_type,Chart Understanding,0.9,1000
{name},vqa360,task_type,Document Understanding,0.9,1000
{name},vqa360,task_type,Knowledge-based Visual Question-Answering,0.9,1000
{name},vqa360,task_type,Visual Question-Answering,0.9,1000
"""
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "[a](http://evil.example) www.evil.example",
    ":material/home: :smile: **b** $x^2$ `c` ~~d~~",
]
FORMULAS = ["=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "=1,2", '="x"']
PLAIN = [
    ("Qwen2-VL-7B", r"Qwen2\-VL\-7B"),
    ("a_b*c", r"a\_b\*c"),
    ("<b>", r"\<b\>"),
    ("[a](b)", r"\[a\]\(b\)"),
    ("$x$ `c` ~d~ #e &amp;", r"\$x\$ \`c\` \~d\~ \#e \&amp;"),
    ("back\\slash", r"back\\slash"),
    # Links are found in text whose escapes are gone; the word joiner breaks them.
    ("https://evil.example", "https\\:\u2060//evil\\.example"),
    ("HTTP://evil.example", "HTTP\\:\u2060//evil\\.example"),
    ("www.evil.example", "www\u2060\\.evil\\.example"),
    ("me@evil.example", "me@\u2060evil\\.example"),
    (":material/home:", "\\:\u2060material/home\\:"),
    ("2 : 1", r"2 \: 1"),
]


@pytest.fixture
def ready(store, home):
    """A home that holds a store which is up to date."""
    shutil.copy(store, home / "results.duckdb")
    return home


def upload(at, content):
    return at.file_uploader[0].upload("mine.csv", content.encode(), "text/csv").run()


def add_broken_model(home):
    (home / "catalog").mkdir()
    path = home / "catalog" / "models.csv"
    path.write_text("id,name\nmine,Mine\n", "utf-8")
    return path


@pytest.mark.parametrize(("text", "escaped"), PLAIN)
def test_marks_of_markdown_are_escaped(text, escaped):
    assert plain(text) == escaped


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_cell_that_a_spreadsheet_would_run_is_quoted(cell):
    rows = list(csv.reader(io.StringIO(to_csv(pd.DataFrame({"Model": [cell]})), newline="")))

    assert rows[1] == [f"'{cell}"]


@pytest.mark.parametrize("name", FORMULAS)
def test_a_column_name_that_a_spreadsheet_would_run_is_quoted(name):
    rows = list(csv.reader(io.StringIO(to_csv(pd.DataFrame({name: [1]})), newline="")))

    assert rows[0] == [f"'{name}"]


def test_a_line_break_in_a_cell_starts_no_new_row():
    rows = list(csv.reader(io.StringIO(to_csv(pd.DataFrame({"Model": ["a\r=1"]})), newline="")))

    assert rows == [["Model"], ["a\r=1"]]


def test_numbers_and_harmless_text_stay_as_they_are_in_a_csv():
    table = pd.DataFrame({"Model": ["a=b", "モデル"], "Change, points": [-1.5, np.nan]})

    assert to_csv(table) == 'Model,"Change, points"\r\na=b,-1.5\r\nモデル,\r\n'


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_model_name_is_shown_as_text(ready, name):
    at = upload(opened(), TEMPLATE.format(name=name))

    assert not at.exception
    assert any(plain(name) in text for text in texts(at))
    assert not any(name in text for text in texts(at))


def test_a_hostile_model_name_is_no_markup_in_a_figure(ready):
    at = upload(opened(), TEMPLATE.format(name="<a href=evil>x</a>"))

    specs = [json.dumps(spec) for spec in charts(at)]

    assert specs
    assert not any("<a " in spec for spec in specs)


def test_a_file_that_is_refused_is_explained_and_nothing_is_drawn_of_it(ready):
    at = upload(opened(), TEMPLATE.format(name="mine").replace("0.9", "90"))

    message = "mine.csv, row 2: score '90' is no number in 0..1; per cent? then divide by 100"
    assert [element.value for element in at.error] == [plain(message)]
    assert not at.exception
    assert not at.success


@pytest.mark.parametrize("content", ['"model,benchmark', "x" * 200_000, ""])
def test_a_file_that_is_no_csv_is_explained(ready, content):
    at = upload(opened(), content)

    assert len(at.error) == 1
    assert not at.exception


def test_an_upload_can_be_removed(ready):
    at = upload(opened(), TEMPLATE.format(name="mine"))
    assert at.success

    next(button for button in at.button if button.label == "Remove them").click().run()

    assert not at.success
    assert not any("mine" in text for text in texts(at))


def test_a_page_opened_without_the_app_still_brings_the_navigation(ready):
    at = AppTest.from_file(str(ROOT / "pages/recommend.py"), default_timeout=PATIENCE_S).run()

    # The test's address names no page, so the navigation shows its first one.
    assert not at.exception
    assert [title.value for title in at.title] == ["Overview"]
    assert at.sidebar.selectbox(key="suite").value == "vqa360"


def test_the_store_is_built_at_the_first_visit(home):
    at = opened()

    assert not at.exception
    assert (home / "results.duckdb").exists()


def test_an_unreadable_store_is_an_error_with_the_command_that_helps(home):
    (home / "results.duckdb").write_bytes(b"this is no store")

    at = opened()

    assert not at.exception
    assert len(at.error) == 1
    assert plain("'python -m evalcore build' makes it anew") in at.error[0].value


def test_a_home_that_cannot_be_written_is_an_error_with_the_way_out(tmp_path, monkeypatch):
    (tmp_path / "home").write_text("a file where the folder should be")
    monkeypatch.setenv("EVALCORE_HOME", str(tmp_path / "home"))

    at = opened()

    assert not at.exception
    assert plain("set EVALCORE_HOME to a folder that you may write to") in at.error[0].value


def test_a_broken_row_of_the_user_is_a_warning_above_the_previous_results(ready):
    path = add_broken_model(ready)

    at = opened()

    assert not at.exception
    assert not at.error
    assert at.warning[0].value.startswith(plain(f"Showing the previous results: {path}: "))
    assert charts(at)


def test_a_broken_row_before_the_first_build_is_an_error(home):
    path = add_broken_model(home)

    at = opened()

    assert not at.exception
    assert at.error[0].value.startswith(plain(f"{path}: the header lacks"))


def test_pages_about_single_questions_grey_what_does_not_act_there(ready):
    at = opened()
    sidebar = ("suite", "axis", "mean", "open", "size", "min_n_vqa360", "tags_task_type")

    def grey():
        return {
            one.key
            for kind in ("selectbox", "multiselect", "segmented_control", "number_input")
            for one in getattr(at.sidebar, kind)
            if one.disabled and one.key in sidebar
        }

    assert grey() == set()
    at.switch_page("pages/samples.py").run()
    assert grey() == set(sidebar)
    assert "chosen on the page" in at.sidebar.caption[0].value
    at.switch_page("pages/compare.py").run()
    assert grey() == set(sidebar) - {"open", "size"}


def test_a_link_is_read_by_what_stands_on_screen_and_by_ids(ready):
    by_id = opened(suite="vqa360", axis="knowledge_type", open="open", size="8", mean="micro")
    named = opened(
        suite="VQA360",
        axis="Kind of knowledge",
        open="Open",
        size="8 B parameters",
        mean="By number of questions",
    )

    for key in ("suite", "axis", "open", "size", "mean"):
        assert by_id.session_state[key] == named.session_state[key]
    assert by_id.session_state["axis"] == "knowledge_type"
    assert not by_id.warning
    assert not named.warning


def test_each_impossible_value_of_a_link_is_told_with_what_is_shown_instead(ready):
    at = opened(
        suite="<b>MMVet3</b>",
        axis="mood",
        open="maybe",
        size="7",
        unknown="perhaps",
        min_n_vqa360="-1",
        tags_task_type=["Chart Understanding", "Cooking"],
        mean="micro",
    )

    assert not at.exception
    assert at.warning[0].value.split("\n\n") == [
        plain(f'The link asks for {key} = "{text}", which is not possible here; {instead}.')
        for key, text, instead in (
            ("suite", "<b>MMVet3</b>", "shown instead: VQA360"),
            ("axis", "mood", "shown instead: Task type"),
            ("open", "maybe", "shown instead: Any"),
            ("size", "7", "shown instead: Any size"),
            ("unknown", "perhaps", "shown instead: off"),
            ("min_n_vqa360", "-1", "shown instead: 300"),
            ("tags_task_type", "Cooking", "shown instead: Chart Understanding"),
        )
    ]


def test_the_words_on_a_link_go_when_one_chooses_anew_and_on_the_next_page(ready):
    at = opened(suite="MMVet3", unknown="perhaps")

    at.sidebar.selectbox(key="suite").set_value("mmvet2").run()
    assert "MMVet3" not in at.warning[0].value
    assert "perhaps" in at.warning[0].value
    at.switch_page("pages/sources.py").run()
    assert not at.warning


def test_a_suite_by_its_id_brings_the_choices_that_the_link_makes_in_it(ready):
    at = opened(suite="mmvet2", tags_capability=["Math", "Cooking"])

    assert at.session_state["suite"] == "mmvet2"
    assert at.session_state["tags_capability"] == ["math"]
    assert len(at.warning) == 1
    assert "Cooking" in at.warning[0].value
