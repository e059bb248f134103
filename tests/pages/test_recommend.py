"""The Recommend page: from a question to a pick, and everything it rests on."""

import json

import pytest

from tests.pages.opening import words

DOCUMENTS_AND_CHARTS = ["Document Understanding", "Chart Understanding"]


@pytest.fixture
def page(open_page):
    return open_page("recommend", {"suite_by_hand": True})


def pick(page):
    return next(text.value for text in page.markdown if text.value.startswith("## "))[3:].replace(
        "\\", ""
    )


def opening_question(page):
    page.multiselect(key="tags_task_type").set_value(DOCUMENTS_AND_CHARTS)
    page.segmented_control(key="rec_where").set_value("open")
    return page.number_input(key="rec_size").set_value(10.0).run()


def table_with(page, column):
    found = next(table.value for table in page.table if column in table.value.columns)
    return found.map(lambda cell: cell.replace("\\", ""))


def test_documents_and_charts_with_open_weights_and_10_b_is_internvl2_8b(page):
    opening_question(page)

    assert not page.exception and not page.error
    assert pick(page) == "InternVL2-8B"
    assert "6 of 10 models meet your limits (open weights, at most 10 B parameters)" in words(page)
    assert "scores 65.7 %" in words(page)


def test_each_limit_says_how_many_models_remain(page):
    opening_question(page)

    assert "6 of 10 models remain" in words(page)
    assert "open weights: 7 of 10 remain" in words(page)
    assert "at most 10 B parameters: 6 of 10 remain; cannot tell for 3" in words(page)


def test_the_excluded_come_with_the_nearest_relaxation(page):
    opening_question(page)
    left_out = table_with(page, "Misses").set_index("Misses")["Models"]

    assert left_out.to_dict() == {
        "closed weights. Let in if you allow closed weights and let unknown values pass.": (
            "Gemini 1.5 Flash, Gemini 1.5 Pro, GPT-4o mini"
        ),
        "size 19.5 B over 10 B. Let in if you raise the size to 19.5 B.": "CogVLM2-Llama3-Chat-19B",
    }


def test_the_ranking_is_drawn_with_intervals_and_the_pick_as_a_star(page):
    opening_question(page)
    trace = json.loads(page.get("plotly_chart")[0].proto.spec)["data"][0]

    assert len(trace["y"]) == 6
    assert trace["y"][0] == "InternVL2-8B"
    assert trace["marker"]["symbol"][0] == "star"
    assert "65.7 % (63.8 to 67.7)" in trace["text"][0]


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("unrestricted", "Gemini 1.5 Pro"),
        ("cheaper-than-best-closed", "Gemini 1.5 Flash"),
        ("open", "InternVL2-8B"),
        ("open-academic", "InternVL2-8B"),
        ("on-device", "InternVL2-1B"),
        ("social-everyday", "GPT-4o mini"),
    ],
)
def test_a_ready_made_question_gives_the_papers_advice(page, preset, expected):
    page.get_by_key("rec_preset").set_value(preset).run()

    assert not page.exception and not page.error
    assert pick(page) == expected
    assert page.session_state["rec_preset"] == preset


def test_tied_models_are_named(page):
    page.get_by_key("rec_preset").set_value("open-academic").run()

    assert "Tied on the data:** CogVLM2-Llama3-Chat-19B and InternVL2-8B" in words(page)


def test_the_lit_pill_follows_the_question(page):
    page.segmented_control(key="rec_where").set_value("open")
    page.number_input(key="rec_size").set_value(3.0).run()
    lit = page.session_state["rec_preset"]
    page.number_input(key="rec_size").set_value(9.0).run()

    assert lit == "on-device"
    assert page.session_state["rec_preset"] is None
    assert "Now: a question of your own" in words(page)


def test_a_cost_limit_without_costs_cannot_be_told(page):
    page.number_input(key="rec_usd").set_value(1.0).run()
    unknown = table_with(page, "Unknown")

    assert pick(page) == "No model meets all of this"
    assert len(unknown) == 1
    assert unknown["Models"].iloc[0].count("% on your mix") == 10
    assert "Cost of single models" in unknown["Unknown"].iloc[0]


def test_stated_costs_decide_and_are_drawn(page):
    page.number_input(key="rec_usd").set_value(1.0)
    page.text_area(key="rec_costs").set_value("GPT-4o mini = 0.4\ngemini-1.5-pro = 3").run()
    titles = [
        json.loads(chart.proto.spec)["layout"]["xaxis"].get("title", {}).get("text")
        for chart in page.get("plotly_chart")
    ]

    assert pick(page) == "GPT-4o mini"
    assert "USD per 1,000 questions" in titles
    assert "raise the cost to 3 USD" in table_with(page, "Misses")["Misses"].iloc[0]


def test_a_model_of_unknown_size_is_drawn_against_its_cost(page):
    page.text_area(key="rec_costs").set_value("GPT-4o mini = 0.4").run()
    specs = [json.loads(chart.proto.spec) for chart in page.get("plotly_chart")]
    costs = next(one for one in specs if "USD" in str(one["layout"]["xaxis"].get("title")))
    drawn = "".join(str(trace["customdata"]) for trace in costs["data"])

    assert drawn.count("<b>") == 10
    assert "<b>GPT-4o mini</b>" in drawn


def test_a_machine_price_gives_open_models_a_cost(page):
    page.number_input(key="rec_usd").set_value(1.0)
    page.number_input(key="rec_gpu").set_value(2.0)
    page.number_input(key="rec_pace").set_value(4000.0).run()

    assert pick(page) == "InternVL2-8B"


def test_a_line_that_cannot_be_read_is_named(page):
    page.text_area(key="rec_costs").set_value("gpt-4o-mini = 0.4\ngemini 1.5 = cheap").run()

    assert not page.exception
    message = page.error[0].value.replace("\\", "")
    assert message.startswith("Cost of single models, line 2: 'gemini 1.5 = cheap' names")
    assert page.text_area(key="rec_costs").value.startswith("gpt-4o-mini")


def test_an_impossible_question_says_which_limit_to_relax(page):
    page.segmented_control(key="rec_where").set_value("open")
    page.number_input(key="rec_score").set_value(70.0).run()

    assert not page.exception
    assert pick(page) == "No model meets all of this"
    assert "Relaxing one limit would help most here" in words(page)


def test_models_hidden_by_the_sidebar_are_listed_as_excluded(page):
    page.get_by_key("open").set_value("closed").run()

    assert not page.exception
    assert pick(page) == "Gemini 1.5 Pro"
    [who] = table_with(page, "Misses")["Models"]
    assert len(who.split(", ")) == 7


def test_contradicting_limits_are_said_in_words(page):
    page.get_by_key("open").set_value("closed")
    page.segmented_control(key="rec_where").set_value("open").run()

    assert not page.exception
    assert "the sidebar asks for closed weights" in page.error[0].value.replace("\\", "")


def test_an_uploaded_model_is_ranked_with_its_mark(page):
    tags = [*DOCUMENTS_AND_CHARTS, "Visual Question-Answering"]
    tags.append("Knowledge-based Visual Question-Answering")
    lines = [f"<b>mine,vqa360,task_type,{tag},0.95,1000" for tag in tags]
    content = "\n".join(["model,benchmark,axis,tag,score,n", *lines])
    page.file_uploader(key="upload").upload("mine.csv", content.encode()).run()
    trace = json.loads(page.get("plotly_chart")[0].proto.spec)["data"][0]

    assert not page.exception
    assert pick(page) == "<b>mine (yours)"
    assert trace["y"][0] == "&lt;b&gt;mine (yours)"


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        ("mmvet2", "**Tied on the data:** Claude 3.5 Sonnet"),
        ("openclip", "The best 20 of 121 are drawn"),
        ("clip-grid", "of 34 models"),
    ],
)
def test_every_suite_gets_an_answer(page, suite, said):
    page.selectbox(key="suite").set_value(suite).run()

    assert not page.exception and not page.error
    assert said in words(page)


def test_the_report_holds_the_pick_and_the_store_version(page):
    button = next(one for one in page.get("download_button") if "decision" in one.proto.label)

    assert button.proto.label == "Download the decision report"
    assert "The score is the plain mean of 4 tags" in words(page)
