"""The Correlation page: pairs of benchmarks and models, and what ImageNet does not predict."""

from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest

from evalcore.analysis.by_items import Items
from pages.parts.correlation.items import together
from pages.shared import heat_map as drawing
from tests.pages.opening import charts, words

PAGE = "correlation"


def ends(table, first, second):
    pair = table[table["First"].isin([first, second]) & table["Second"].isin([first, second])]
    return pair.iloc[0]


def test_benchmark_map_has_a_cell_for_each_pair_and_a_point_to_click(look):
    at = look()

    assert not at.exception and not at.error
    squares, _, points = charts(at)[0]["data"]
    assert squares["z"]["shape"] == "38, 38"
    assert len(points["text"]) == 38 * 38
    assert points["marker"]["opacity"] == 0.01
    assert "of 121" in points["text"][1] or "n 121 models" in points["text"][1]


def test_colours_are_centred_on_zero(look):
    squares = charts(look())[0]["data"][0]

    assert (squares["zmin"], squares["zmid"], squares["zmax"]) == (-1, 0, 1)


def test_imagenet_and_its_second_version_rank_models_alike(look):
    table = look().dataframe[0].value

    pair = ends(table, "ImageNet-1k", "ImageNet-V2")

    assert pair["r"] > 0.95
    assert pair["n models"] == 121
    assert len(table) == 38 * 37 / 2


def test_what_imagenet_fails_to_predict_stands_beside_unibench(look):
    at = look()

    text = words(at)
    assert "5 of 37 benchmarks correlate with ImageNet-1k below 0.5" in text
    assert "4 not at all or negatively (KITTI distance, ImageNet-O, CLEVR distance" in text
    assert "specifically 18 of the 53 benchmarks, ImageNet performance is poorly" in text
    assert len(charts(at)[2]["data"][0]["y"]) == 37


def test_near_copies_are_said_to_make_models_dependent(look):
    assert "not independent" in words(look())


def test_representatives_stand_as_printed(look):
    table = look().main.dataframe[-1].value.set_index(["Sorted by", "Group"])

    assert table.loc[("type", "Object recognition"), "Benchmark"] == "ImageNet-1k"
    assert table.loc[("type", "Reasoning (Spatial)"), "r as printed"] == "0.29"
    assert len(table) == 26


@pytest.mark.parametrize(
    ("what", "columns"), [("Types of benchmark", 5), ("Capabilities", 15)], ids=["type", "cap"]
)
def test_types_and_capabilities_have_maps_of_their_own(look, what, columns):
    at = look(corr_what=what)

    assert not at.exception and not at.error
    assert charts(at)[0]["data"][0]["z"]["shape"] == f"{columns}, {columns}"
    assert "31 of 38 benchmarks have a" in words(at)


def test_model_profiles_are_descriptive_and_carry_no_interval(look):
    at = look(corr_what="Models by their VQA360 profile")

    text = words(at)
    assert "item answers are not published" in text
    assert "descriptive" in text and "tags share questions" in text
    assert list(at.dataframe[0].value) == ["First", "Second", "r", "n tags"]
    assert set(at.dataframe[0].value["n tags"]) == {27}
    assert len(charts(at)[0]["data"][1].get("x", [])) in (0, 2)


def test_the_fewest_questions_decide_which_tags_count(look):
    at = look(corr_what="Models by their VQA360 profile", session={"min_n_vqa360": 1000})

    assert "tags with at least 1000 questions" in words(at)
    assert at.dataframe[0].value["n tags"].max() < 27


def test_the_chosen_pair_is_drawn_with_its_models(look):
    at = look(corr_a_benchmark="MNIST", corr_b_benchmark="SVHN")

    assert "MNIST and SVHN: r" in words(at)
    scatter = charts(at)[1]
    assert sum(len(trace["text"]) for trace in scatter["data"]) == 121
    assert scatter["layout"]["xaxis"]["title"]["text"] == "MNIST, %"


def test_a_filter_that_hides_all_models_says_so(look):
    at = look(session={"open": "closed"})

    assert not at.exception and not at.error
    assert "0 of 121 models" in words(at)
    assert "a correlation needs four and two" in words(at)


def test_few_models_are_a_warning(look):
    at = look(corr_what="Models by their VQA360 profile", session={"min_n_vqa360": 1100})

    assert "hints" in words(at)


@pytest.mark.parametrize(
    ("r", "text"),
    [(0.999, "above 0.99"), (1.0, "1.00"), (-0.324, "−0.32"), (float("nan"), "not defined")],
)
def test_correlations_are_never_rounded_up_to_one(r, text):
    assert drawing.coefficient(r) == text


def test_pearson_and_order_by_name_are_links(look):
    at = look(corr_method="Pearson (values)", corr_order="By name")

    labels = charts(at)[0]["layout"]["yaxis"]["ticktext"]
    assert not at.exception
    assert labels[0].startswith("Caltech-101") and labels[1].startswith("Camelyon17")


UPLOAD = "model,benchmark,axis,tag,score,n\n" + "".join(
    f"my-model,vqa360,application_domain,{tag},{score},800\n"
    for tag, score in [("Nature", 0.9), ("Science", 0.8), ("Sports", 0.7), ("History", 0.5)]
)


def test_an_uploaded_model_is_compared_over_the_tags_it_has(page):
    at = page(corr_what="Models by their VQA360 profile")
    at.file_uploader[0].upload("own.csv", UPLOAD.encode(), "text/csv").run()

    assert not at.exception and not at.error
    table = at.dataframe[0].value
    mine = table[(table["First"] == "my-model (yours)") | (table["Second"] == "my-model (yours)")]
    assert len(mine) == 10 and set(mine["n tags"]) == {4}


DEMO = "Demo (easy-VQA)"


def test_a_suite_of_runs_opens_with_its_models_question_by_question(look):
    at = look(suite=DEMO)

    assert not at.exception and not at.error
    assert "6 of 6 models, each question of easy-VQA that all of them have a score for (500)" in (
        words(at)
    )
    squares, _, points = charts(at)[0]["data"]
    assert (squares["zmin"], squares["zmid"], squares["zmax"]) == (-1, 0, 1)
    assert len(points["text"]) == 36
    assert any("(" in text and "n 500 questions" in text for text in points["text"])
    table = at.dataframe[0].value
    assert len(table) == 15 and set(table["n"]) == {500}
    assert {"95 %", "95 % of kappa", "95 % beyond"} <= set(table)
    assert "get most right: for 97.6 % of the questions" in words(at)
    assert "n 500" in words(at)


def test_the_pair_that_complements_best_opens_on_compare(look):
    link = look(suite=DEMO).get("page_link")[0].proto

    assert link.page == "compare"
    asked = parse_qs(link.query_string)
    assert asked["compare_benchmark"] == ["easy-vqa"]
    chosen = asked["compare_entries_easy-vqa_exact"]
    assert [one.split(",")[0] for one in chosen] == ["Chance (demo)", "Demo VLM"]


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("Kappa", "(kappa 0.70, 95 %: 0.62 to 0.77)"),
        ("Beyond difficulty", "r is taken within questions that equally many of the others"),
    ],
)
def test_how_alike_two_models_are_has_several_measures(look, measure, said):
    assert said in words(look(suite=DEMO, corr_measure=measure))


def test_of_published_totals_it_is_said_what_is_missing_and_where_it_is(page):
    at = page(corr_what="Models, question by question")

    assert "VQA360 holds published totals only" in words(at)
    assert "Figure 4 of the VQA360 paper" in words(at) and "evalcore run" in words(at)
    shown = at.button(key="corr_items_demo").click().run()
    assert "6 of 6 models" in words(shown)


def test_one_model_that_passes_the_filter_is_none_to_compare(look):
    at = look(suite=DEMO, open="Closed")

    assert not at.exception and not at.error
    assert "two have to" in words(at)


def test_only_questions_that_all_have_a_score_for_are_compared():
    nan = float("nan")
    rows = [f"b\n{place}" for place in range(8)] + ["other\n1"]
    scores = pd.DataFrame(
        {
            "x": [1, 0, 1, 0, 1, 1, nan, 0, 1],
            "y": [1, 0, 0, 0, 1, 1, 1, 1, 1],
            "z": [1, *[nan] * 8],
        },
        index=rows,
    )
    places = {("b", "kind", "k"): np.arange(8), ("other", "kind", "k"): np.arange(8, 9)}
    items = Items(scores.astype(float), np.arange(9), places)

    made = together(items, "b", list("xyz"), dict.fromkeys("xyz", "name"))

    assert list(made.names) == ["x", "y"] and len(made.scores) == 7
    x, y = ([1, 0, 1, 0, 1, 1, 0], [1, 0, 0, 0, 1, 1, 1])
    assert made.pairs["r"].tolist() == pytest.approx([np.corrcoef(x, y)[0, 1]])
    assert together(items, "b", ["x"], {"x": "X"}) is None
