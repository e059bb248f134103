"""The Profiles page: radar, dots, differences and winners, tag by tag."""

import base64

import numpy as np
import pytest

from tests.pages.opening import charts, table, words

PAGE = "profiles"


UPLOAD = (
    "model,benchmark,axis,tag,score,n\n"
    "mine,vqa360,task_type,Chart Understanding,0.99,1145\n"
    "mine,vqa360,task_type,Document Understanding,0.5,40\n"
)


def winners(at):
    return table(at, "Winner")


def test_first_visit_shows_the_best_and_the_best_open_model(look):
    names = [trace["name"] for trace in charts(look())[0]["data"]]

    assert names == ["Gemini 1.5 Pro", "InternVL2-8B", "GPT-4o mini"]


def test_models_follow_the_axis_until_the_reader_chooses(look):
    at = look({"suite": "mmvet2"})

    assert at.multiselect(key="profiles_models_mmvet2").value == [
        "claude-3.5-sonnet",
        "gpt-4o",
        "internvl2-llama3-76b",
        "gemini-1.5-pro",
    ]


def test_readers_choice_outlives_a_change_of_axis(page):
    at = page({"profiles_models_vqa360": ["paligemma-3b"]})

    at.selectbox(key="axis").set_value("knowledge_type").run()

    assert at.multiselect(key="profiles_models_vqa360").value == ["paligemma-3b"]


def test_radar_has_a_fixed_axis_and_no_fill(look):
    radar = charts(look({"axis": "application_domain"}))[0]

    assert radar["layout"]["polar"]["radialaxis"]["range"] == [0, 100]
    assert not any("fill" in trace for trace in radar["data"])
    assert len(radar["data"][0]["theta"]) == 14 + 1


def test_radar_of_four_tags_is_drawn_with_a_word_of_caution_and_can_be_left_out(look):
    drawn, left_out = look(), look({"profiles_radar": False})

    assert "With only 4 tags a radar's shape says little" in words(drawn)
    assert len(drawn.get("plotly_chart")) == 2
    assert len(left_out.get("plotly_chart")) == 1


def test_radar_keeps_the_16_tags_with_most_questions_and_names_the_others(look):
    at = look({"axis": "application_domain", "min_n_vqa360": 0})

    assert len(charts(at)[0]["data"][0]["theta"]) == 16 + 1
    assert "also shows Books, Fiction, Formal logic, Justice, Linguistics" in words(at)
    assert len(charts(at)[1]["layout"]["yaxis"]["ticktext"]) == 24


def test_fourteen_domains_have_300_questions_and_the_others_are_named_with_n(look):
    at = look({"axis": "application_domain"})

    assert len(winners(at)) == 14
    assert "Left out, with fewer than 300 questions: Anthropology (241), Books (234)" in words(at)


@pytest.mark.parametrize(("axis", "tags"), [("task_type", 4), ("knowledge_type", 9)])
def test_tags_with_300_questions_stay(look, axis, tags):
    assert len(winners(look({"axis": axis}))) == tags


def test_winner_of_knowledge_questions_stands_alone_and_of_charts_is_tied(look):
    rows = winners(look()).set_index("Tag")

    known = rows.loc["Knowledge-based Visual Question-Answering"]
    assert (known["Winner"], known["Score, %"], known["Tied with"]) == (
        "GPT-4o mini",
        84.0,
        "nobody",
    )
    assert rows.loc["Chart Understanding", "Tied with"] != "nobody"


def test_ties_are_not_judged_where_n_is_not_published(look):
    at = look({"suite": "mmvet2"})

    assert set(winners(at)["Tied with"]) == {"ties cannot be judged"}
    assert "Ties cannot be judged here" in words(at)


def test_luck_among_many_tags_is_said(look):
    assert "Of the 14 gaps about 1 in 20 would look clear by luck alone" in words(
        look({"axis": "application_domain"})
    )


def test_one_result_is_shown_as_it_is_printed_with_its_source(look):
    at = look({"profiles_result_of": "InternVL2-8B · Chart Understanding"})

    row = table(at, "Printed value").iloc[0]
    assert "InternVL2-8B on Chart Understanding: 65.7 % (95 %: 62.9 to 68.4), n 1,145." in words(at)
    assert row["Printed value"] == "65.68"


def test_result_of_a_type_lists_the_benchmarks_it_is_made_of(page):
    at = page({"suite": "openclip"})

    box = at.selectbox(key="profiles_result_of")
    box.set_value("ViT-H-14-378-quickgelu/dfn5b · reasoning").run()

    assert len(table(at, "Printed value")) == 3


def test_differences_to_a_model_are_drawn_around_zero(look):
    at = look({"profiles_against_vqa360": "gpt-4o-mini"})

    assert [trace["name"] for trace in charts(at)[2]["data"]] == ["Gemini 1.5 Pro", "InternVL2-8B"]
    rows = table(at, "Verdict").set_index(["Tag", "Model"])
    on_charts = rows.loc[("Chart Understanding", "Gemini 1.5 Pro")]
    assert on_charts["Difference, points"] == pytest.approx(7.3, abs=0.11)
    assert on_charts["Verdict"] == "clearly better"


def test_model_keeps_its_colour_beside_a_reference(look):
    at = look({"profiles_against_vqa360": "gemini-1.5-pro"})

    profile, difference = (
        {trace["name"]: trace["marker"]["color"] for trace in charts(at)[place]["data"]}
        for place in (1, 2)
    )
    assert difference == {name: profile[name] for name in ("InternVL2-8B", "GPT-4o mini")}


def test_differences_without_n_are_not_judged(page):
    at = page({"suite": "mmvet2"})

    at.selectbox(key="profiles_against_mmvet2").set_value("gpt-4o").run()

    assert "n is not published, so none of them can be judged." in words(at)
    assert set(table(at, "Verdict")["Verdict"]) == {"cannot be judged"}


def test_groups_without_open_data_are_named_with_the_papers_own_figures(look):
    at = look({"suite": "openclip"})

    groups = table(at, "Group")
    assert set(groups["Group"]) == {"relation", "corruption"}
    assert "No open table gives single models' scores on relation and corruption" in words(at)


def test_chosen_models_that_a_filter_hides_are_named(look):
    at = look({"profiles_models_vqa360": ["gpt-4o-mini", "internvl2-8b"], "open": "open"})

    assert "Hidden by your filters: GPT-4o mini." in words(at)
    assert [trace["name"] for trace in charts(at)[0]["data"]] == ["InternVL2-8B"]


def test_filter_that_hides_everything_is_said_in_words(look):
    at = look({"suite": "clip-grid", "open": "closed"})

    assert "Nothing is left to draw" in words(at)


def test_no_chosen_model_leaves_the_winners(look):
    at = look({"profiles_models_vqa360": []})

    assert "Choose at least one model to see its profile." in words(at)
    assert len(winners(at)) == 4


def test_upload_is_drawn_as_yours_and_leaves_a_gap_under_50_questions(page):
    at = page()
    at.file_uploader(key="upload").upload("mine.csv", UPLOAD.encode()).run()
    at.multiselect(key="profiles_models_vqa360").set_value(["mine"]).run()

    assert not at.exception
    trace = charts(at)[0]["data"][0]
    radius = np.frombuffer(base64.b64decode(trace["r"]["bdata"]))
    assert trace["name"] == "mine (yours)"
    assert sorted(radius[~np.isnan(radius)]) in ([99.0], [99.0, 99.0])
    assert winners(at).set_index("Tag").loc["Chart Understanding", "Winner"] == "mine (yours)"


def test_leaders_of_a_measured_suite_are_told_question_by_question(page):
    at = page({"suite": "demo"})
    found = winners(at).set_index("Tag")

    assert set(found["Compared"]) == {"question by question"}
    # By separate intervals it would be tied with four others.
    assert found.loc["yes-no negated", "Tied with"] == "nobody"
    assert "with Holm's correction" in words(at)
    at.segmented_control(key="profiles_correction").set_value("none").run()
    assert "about 1 in 20 comparisons looks clear by luck" in words(at)
    at = page({"suite": "demo", "profiles_against_demo": "demo-vlm-weak"})
    assert "Both answered the same questions" in words(at)


def test_published_totals_are_compared_without_pairing_and_say_so(look):
    at = look()

    assert set(winners(at)["Compared"]) == {"approximate"}
    assert "Only published totals are known" in words(at)
    assert not [one for one in at.segmented_control if one.key == "profiles_correction"]
