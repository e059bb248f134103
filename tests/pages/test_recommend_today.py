"""The Recommend page about models of today: the needs asked, the block, its results and sources."""

import pytest

from evalcore.suites import pooling
from pages.shared import suites
from tests.pages.opening import charts, table, words


@pytest.fixture
def page(open_page):
    """The first visit to Recommend, nothing chosen."""
    return open_page("recommend")


def pick(page):
    return next(text.value for text in page.markdown if text.value.startswith("## "))[3:].replace(
        "\\", ""
    )


def fine(page):
    assert not page.exception and not page.error
    return page


def ask(page, *needs):
    return fine(page.get_by_key("rec_needs").set_value(list(needs)).run())


def test_the_first_visit_asks_about_models_of_today_and_says_what_to_do(page):
    assert page.session_state["suite"] == suites.AUTO
    assert "Say above what the model should do" in words(page)
    assert pick(page) != "No model meets all of this"


def test_a_suite_chosen_before_is_kept(open_page):
    start = open_page("overview")
    start.selectbox(key="suite").set_value("mmvet2").run()
    page = fine(start.switch_page("pages/recommend.py").run())

    assert page.session_state["suite"] == "mmvet2"


@pytest.mark.parametrize("key", ["suite", "axis", "tags_task_type", "min_n_vqa360", "rec_preset"])
def test_a_link_about_a_suite_keeps_it(open_page, key):
    value = {
        "suite": "VQA360", "axis": "Task type", "tags_task_type": "Chart Understanding",
        "min_n_vqa360": "200", "rec_preset": "Open weights",
    }[key]  # fmt: skip
    page = open_page("overview", **{key: value}).switch_page("pages/recommend.py")
    page.query_params[key] = value
    page.run()

    assert not page.exception
    assert page.session_state["suite"] != suites.AUTO


def test_needs_and_limits_are_answered_by_a_block_that_has_them(page):
    ask(page, "charts", "documents")
    page.segmented_control(key="rec_where").set_value("open")
    fine(page.number_input(key="rec_size").set_value(8.0).run())

    assert "Answered by the block" in words(page)
    assert "open weights, available today, at most 8 B parameters" in words(page)
    assert page.session_state["tags_need"] == ["charts", "documents"]
    assert page.session_state["rec_today"] is not None


def test_a_ready_made_question_fills_the_form_and_taking_it_back_clears_it(page):
    fine(page.get_by_key("rec_today").set_value("text-cheap").run())
    asked = page.number_input(key="rec_usd").value, page.number_input(key="rec_answer").value
    fine(page.get_by_key("rec_today").set_value(None).run())

    assert asked == (2.0, 100.0)
    assert page.number_input(key="rec_usd").value is None


def test_a_stated_answer_length_prices_models_that_had_no_cost(page):
    ask(page, "text in pictures")
    before = table(page, "To be had")["USD per 1,000 questions"].notna().sum()
    page.number_input(key="rec_answer").set_value(100.0)
    fine(page.number_input(key="rec_thinking").set_value(1000.0).run())

    assert table(page, "To be had")["USD per 1,000 questions"].notna().sum() > before


def test_the_figures_of_a_model_open_to_every_assumption(page):
    fine(page.get_by_key("rec_today").set_value("text-cheap").run())

    said = words(page)
    assert "USD per 1,000 questions:" in said
    assert "per million tokens" in said
    assert "To be had:" in said


def test_the_front_is_told_over_score_size_and_cost_together(page):
    fine(page.get_by_key("rec_today").set_value("text-cheap").run())
    by_cost = drawn(page)
    fine(page.segmented_control(key="rec_across_usd_per_1000").set_value("params_b").run())

    assert "On the front over score, size and cost together" in words(page)
    assert "dominates nobody and is dominated by nobody" in words(page)
    assert by_cost["layout"]["xaxis"]["title"]["text"] == "USD per 1,000 questions"
    assert drawn(page)["layout"]["xaxis"]["title"]["text"] == "Size, billion parameters"
    sizes = [size for trace in by_cost["data"] for size in trace["marker"]["size"]]
    assert len(set(sizes)) > 3


def test_a_link_opens_the_front_on_the_axis_that_was_chosen(open_page):
    across = {"rec_across_usd_per_1000": "Size, billion parameters"}
    page = fine(open_page("recommend", suite=suites.AUTO_NAME, rec_usd="2", **across))

    assert drawn(page)["layout"]["xaxis"]["title"]["text"] == "Size, billion parameters"


def cells(page):
    return next(one.value for one in page.dataframe if one.proto.id.endswith("-rec_cells"))


def drawn(page):
    """The figure of score against size or cost."""
    return next(one for one in charts(page) if one["layout"].get("legend", {}).get("itemsizing"))


def test_pooled_results_whose_sources_differ_are_marked_and_open_to_them(page):
    ask(page, "integrated abilities")
    page.number_input(key="rec_size").set_value(5.0)
    fine(page.button(key=f"block_{pooling.SUITE}").click().run())
    marked = cells(page).set_index("Benchmark").stack().astype(str)
    marked = marked[marked.str.endswith(" ≠")]
    apart = table(page, "Apart, points")

    assert "≠: its sources lie more than 3 points apart." in words(page)
    assert len(marked)
    assert set(marked.index.swaplevel()) <= set(
        apart[["Model", "Benchmark"]].itertuples(index=False, name=None)
    )
    assert apart["Apart, points"].min() > 3
    choose(page, "rec_cell_model", apart["Model"].iloc[0])
    choose(page, "rec_cell_benchmark", apart["Benchmark"].iloc[0])
    sources = table(page, "Relation to the model")
    assert len(sources) > 1
    assert sources["Value, %"].max() - sources["Value, %"].min() > 3
    assert "points apart: more than 3" in page.warning[-1].value.replace("\\", "")


def choose(page, key, label):
    """Choose an option of a select box by what it says on screen."""
    box = page.selectbox(key=key)
    fine(box.select_index(list(box.options).index(label)).run())


def test_figures_for_models_that_the_block_lacks_are_left_aside(page):
    ask(page, "documents")
    page.text_area(key="rec_costs").set_value("gpt-4v = 9").run()

    assert not page.exception
    assert pick(page) != "No model meets all of this"


def test_own_results_of_two_of_todays_models_stand_beside_the_others(page):
    ask(page, "documents")
    fine(page.number_input(key="rec_size").set_value(10.0).run())
    lines = [
        f"{model},{name},benchmark,{name},{score},500,qwen3-vl"
        for model, score in (("my-qwen3-vl-8b-instruct", 0.99), ("my-gpt-5", 0.5))
        for name in ("docvqa-test", "infovqa-test", "ocrbench")
    ]
    content = "\n".join(["model,benchmark,axis,tag,score,n,suite", *lines])
    fine(page.file_uploader(key="upload").upload("mine.csv", content.encode()).run())

    assert "6 scores of my-gpt-5, my-qwen3-vl-8b-instruct" in page.success[0].value.replace(
        "\\", ""
    )
    assert pick(page) == "my-qwen3-vl-8b-instruct (yours)"
    assert "my-gpt-5 (yours) (50.0 % on your mix)" in unknown(page)
    # Another block is asked, which the sidebar's is not: the upload is beside it too.
    fine(page.button(key=f"block_{pooling.SUITE}").click().run())
    assert "my-gpt-5 (yours)" in unknown(page)


def unknown(page):
    found = next(one.value for one in page.table if "Unknown" in one.value.columns)
    return " ".join(found["Models"]).replace("\\", "")
