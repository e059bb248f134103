"""The Distilled page: the small set, UniBench's sets, medians against guessing, gains."""

import pytest

from tests.pages.opening import charts, words

PAGE = "distilled"


def table(at, place):
    return at.main.dataframe[place].value


def test_the_set_is_named_with_its_error_interval_and_n(look):
    at = look()

    assert not at.exception and not at.error
    text = words(at)
    assert "ImageNet-R, DTD, ImageNet-V2 and CIFAR-10: 4 of 38 benchmarks predict a family" in text
    assert "1.38 points (95 %: 1.25 to 1.45)" in text
    assert "n 121 models in 11 parts" in text
    assert "ImageNet-1k alone: 2.32 points" in text and "random sets of 4" in text


def test_ours_stands_beside_imagenet_and_unibenchs_sets(look):
    at = look()

    sets = table(at, 1).set_index("Set")
    assert list(sets.index) == [
        "ours", "ImageNet-1k alone", "distilled-type: 4 of 8 printed",
        "distilled-capability: 10 of 18 printed", "the most typical of each group (5)",
    ]  # fmt: skip
    assert sets["Points off"].idxmin() in ("ours", "the most typical of each group (5)")
    assert "VG attribution" in sets.loc["distilled-type: 4 of 8 printed", "Not in this table"]
    assert len(charts(at)[0]["data"]) == 3 + 4


def test_size_and_limit_are_links(look):
    chosen = look(distil_size="2")
    strict = look(distil_within="0.1")

    assert "ImageNet-R and DTD: 2 of 38" in words(chosen)
    assert "No set of up to 10 benchmarks predicts within 0.10 points" in words(strict)
    assert len(table(strict, 1)) == 4


def test_what_the_set_fails_to_predict_is_in_a_table(look):
    targets = table(look(), 2).set_index("Predicted")

    assert targets.loc["reasoning", "In the set"] == 0
    assert targets.loc["reasoning", "Points off"] > targets.loc["all benchmarks", "Points off"]
    assert targets.loc["all benchmarks", "Benchmarks in it"] == 38


def test_a_block_of_today_is_cut_to_models_that_have_everything(look):
    at = look(suite="InternVL3.5 report")

    assert not at.exception and not at.error
    assert "the largest part without gaps of 59 and 20" in words(at)
    assert "means of 9 needs" in words(at)


def test_a_small_suite_says_why_it_has_no_set(look):
    at = look(suite="Molmo paper")

    assert not at.exception
    assert "too small to distil" in words(at)


def test_unibenchs_sets_stand_as_printed_beside_recomputed(look):
    at = look(distil_view="UniBench's sets")

    by_type = table(at, 0).set_index("Printed")
    assert len(by_type) == 8 and len(table(at, 1)) == 18
    assert by_type.loc["Resisc45", "r printed"] == "0.72"
    assert by_type.loc["Resisc45", "Recomputed"] == "RESISC45"
    assert by_type.loc["Resisc45", "The same here"].startswith("0.77 (0.")
    assert by_type.loc["VG Attribution", "The same here"] == "not in this table"
    assert "the printed one here in 3 of 3 groups" in words(at)
    assert "runs in 5 minutes on a single A100" in words(at)


def test_medians_stand_against_guessing(look):
    at = look(distil_view="Medians and guessing")

    assert not at.exception and not at.error
    medians = table(at, 0).set_index("Benchmark")
    assert len(medians) == 38 and set(medians["n models"]) == {121}
    assert medians.loc["PatchCamelyon", "Guessing, %"] == 50
    assert "KITTI distance" in words(at) and "hardly exceed chance level" in words(at)
    assert "No chance level is known for 7" in words(at)


def test_filters_of_models_count_for_medians(page):
    at = page(distil_view="Medians and guessing")
    at.session_state["open"] = "closed"
    at.run()

    assert "No model passes" in words(at)


@pytest.mark.parametrize("suite", ["open_clip zero-shot table", "CLIP scaling grid"])
def test_gains_stand_against_imagenets(look, suite):
    at = look(distil_view="What scale brings", suite=suite)

    assert not at.exception and not at.error
    rows = table(at, 0).set_index("Capability")
    assert rows.loc["imagenet", "More than ImageNet, points"] == 0
    assert rows.loc["depth estimation", "More, high, points"] < 0
    assert "Clearly less gains: " in words(at) and "Missing in this table: relations" in words(at)


def test_a_suite_without_capabilities_says_so(look):
    at = look(distil_view="What scale brings", suite="InternVL3.5 report")

    assert "has no capabilities" in words(at)


def test_a_button_chooses_another_suite(page):
    at = page()

    at.button(key="instead_clip-grid").click().run()

    assert "CLIP scaling grid: 34 models with all of 35 benchmarks" in words(at)
