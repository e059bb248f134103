"""The Scaling page: what ten times as much brings, and where it brings little."""

import re

import pytest

from pages.parts.scaling import charts as drawing
from tests.pages.opening import charts, words

PAGE = "scaling"

GRID = {"scale_suite": "Controlled grid"}


def slopes(at):
    table = at.dataframe[0].value
    return table.set_index(table.columns[0])


def test_ten_times_the_data_brings_little_to_reasoning_in_the_open_table(look):
    at = look()

    assert not at.exception and not at.error
    found = slopes(at)["Points per tenfold"]
    assert (found["object recognition"], found["reasoning"]) == (18.4, 1.6)
    assert found.index[-1] == "reasoning"
    assert "goes with +18.4 points (+16.0 to +20.7) on object recognition and +1.6" in words(at)


@pytest.mark.parametrize(
    ("what", "recognition", "reasoning", "models"),
    [
        ("Data varies; architecture and samples seen fixed", 4.3, 0.1, 31),
        ("Size varies; data and samples seen fixed", 7.1, 0.2, 34),
        ("Samples seen vary; architecture and data fixed", 4.3, 0.1, 27),
    ],
    ids=["data", "size", "samples"],
)
def test_the_grid_holds_the_rest_fixed(look, what, recognition, reasoning, models):
    at = look(**GRID, scale_slice=what)

    found = slopes(at)
    assert found.loc["object recognition", "Points per tenfold"] == recognition
    assert found.loc["reasoning", "Points per tenfold"] == reasoning
    assert set(found["n models"]) == {models}
    assert "The interval for reasoning covers 0: no gain is shown" in words(at)


def test_the_grid_says_how_little_of_the_range_it_covers(look):
    text = words(look(**GRID))

    assert "The grid covers 25-fold training data (80 million to 2 billion pairs)" in text
    assert "from 80 to 2,000 million pairs, 25-fold" in text


def test_lines_of_the_grid_connect_the_points_of_one_group(look):
    data = charts(look(**GRID))[1]["data"]

    legend = [trace["name"] for trace in data if trace.get("name")]
    panels = [trace for trace in data if not trace.get("name")]
    assert len(legend) == 9 and "ViT-B-32, 3 B samples" in legend
    assert len(panels) == 5
    assert all(trace["mode"] == "lines+markers" for trace in panels)


def test_panels_share_one_range_so_that_a_flat_one_is_seen(look):
    layout = charts(look())[1]["layout"]

    ranges = [layout[name]["range"] for name in layout if name.startswith("yaxis")]
    assert len(ranges) == 5
    assert all(one == ranges[0] for one in ranges)


def test_unibench_is_quoted_and_not_computed_again(look):
    text = words(look())

    assert "increasing the training dataset size by a factor of 1000×, relational and" in text
    assert "improves by 17.4% as model size scales by 11×" in text
    assert "by a modest 3.41% with a fairly flat scaling curve" in text
    assert "quoted, not computed again" in text


@pytest.mark.parametrize(
    ("axis", "group", "figures"),
    [
        ("Type of benchmark", "Relation", "worst 33.2 % (DataComp ViT B 32), mean 46.7 %"),
        ("Type of benchmark", "Corruption", "best 74.3 % (EVA02 ViT E 14), the best with 153"),
        ("Capability", "Pose detection", "worst 3.3 % (OpenCLIP ConvNext), mean 3.9 %"),
    ],
)
def test_groups_without_open_data_show_the_papers_figures(look, axis, group, figures):
    text = words(look(scale_axis=axis))

    sentence = re.search(rf"^{group}: no open data.*$", text, re.MULTILINE)
    assert sentence and figures in sentence[0]


def test_correction_for_chance_changes_the_slopes_and_names_what_it_leaves_out(look):
    at = look(scale_chance="true")

    found = slopes(at)["Points per tenfold"]
    assert (found["object recognition"], found["reasoning"]) == (19.7, 1.8)
    assert "Left out because their chance level is not one number: Dollar Street" in words(at)


def test_models_with_unknown_scale_are_counted_and_stand_in_a_strip(look):
    at = look()

    assert "training data unknown for 4" in words(at)
    layout = charts(at)[1]["layout"]
    assert layout["xaxis"]["ticktext"][-1] == "?"
    assert set(slopes(at)["Unknown"]) == {4}


def test_holding_the_architecture_leaves_reasoning_flat(look):
    found = slopes(look(scale_hold="true"))

    assert found.loc["reasoning", "Points per tenfold"] == -0.2
    assert found.loc["object recognition", "Points per tenfold"] == 16.3


def test_parameters_carry_the_note_that_compute_is_the_better_size(look):
    assert "for the effect of size choose GFLOPs" in words(look(scale_x="All parameters, billion"))


def test_seven_open_models_give_no_more_than_a_hint(look):
    at = look(scale_suite="VQA360: score by size")

    text = words(at)
    assert "A hint, no more" in text and "Fewer than 8 models" in text
    assert "unknown for 3 (Gemini 1.5 Flash, Gemini 1.5 Pro, GPT-4o mini)" in text
    assert len(charts(at)[1]["layout"]["annotations"]) == 4


def test_vqa360_follows_the_axis_of_the_sidebar(look):
    at = look(scale_suite="VQA360: score by size", session={"axis": "knowledge_type"})

    assert "Commonsense Knowledge" in set(slopes(at).index)


def test_reasoning_capabilities_are_averaged_and_named(look):
    text = words(look(**GRID, scale_axis="Capability"))

    assert "on average on the 4 reasoning capabilities (counting, pose detection" in text


def test_ranges_and_ratios_stand_as_printed(look):
    at = look()

    ratios = at.main.dataframe[-1].value.set_index("Group")
    assert ratios.loc["reasoning"].to_list() == [133, 18]
    assert ratios.loc["relation"].to_list() == [30, 1]
    best = charts(at)[2]["data"][3]
    assert dict(zip(best["y"], best["text"], strict=True))["reasoning"].endswith(
        "OpenCLIP ViT g 14"
    )


@pytest.mark.parametrize("suite", ["open_clip table: 121 models", "Controlled grid"])
def test_a_filter_that_hides_all_models_says_so(look, suite):
    at = look(scale_suite=suite, session={"open": "closed"})

    assert not at.exception and not at.error
    assert "No model of this table passes" in words(at)
    assert "UniBench" in words(at)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(12, 12800, ["100", "1,000", "10,000"]), (80, 2000, ["100", "200", "500", "1,000", "2,000"])],
)
def test_ticks_are_round_and_inside_the_data(low, high, expected):
    assert drawing.ticks(low, high)[1] == expected


UPLOAD = """model,benchmark,axis,tag,score,n
my-model,vqa360,task_type,Chart Understanding,0.9,1000
my-model,vqa360,task_type,Document Understanding,0.9,1000
"""


def test_an_uploaded_model_of_unknown_size_stands_in_the_strip_and_is_marked(page):
    at = page(scale_suite="VQA360: score by size")
    at.file_uploader[0].upload("own.csv", UPLOAD.encode(), "text/csv").run()

    assert not at.exception and not at.error
    assert "unknown for 4" in words(at) and "my-model" in words(at)
    texts = [text for trace in charts(at)[1]["data"] for text in trace.get("text", [])]
    assert any("my-model</b> (yours)" in text for text in texts)
