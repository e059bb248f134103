"""The Correlation page on models of today: one block, all blocks mixed, and the scaling grid."""

from tests.pages.opening import charts, words

PAGE = "correlation"


MIXED = "All current blocks, mixed"


def test_a_block_shows_its_benchmarks_with_the_shared_models_in_each_square(look):
    at = look(suite="InternVL3.5 report")

    assert not at.exception and not at.error
    pairs = at.main.dataframe[0].value
    assert len(pairs) == 20 * 19 / 2 and pairs["n models"].min() == 23
    texts = charts(at)[0]["data"][1]["text"]
    assert len(texts) == 400 and "43" in {text.rstrip("·") for text in texts}
    assert "59 releases and 31 families" in words(at) and "not independent" in words(at)


def test_prices_and_sizes_are_no_columns(look):
    pairs = look(suite="InternVL3.5 report").main.dataframe[0].value

    named = set(pairs["First"]) | set(pairs["Second"])
    assert not [name for name in named if "USD" in name or "parameter" in name.lower()]


def test_blocks_are_mixed_only_by_a_choice(look):
    assert "Mixed:" not in words(look(suite="Models of today, best block"))
    at = look(suite=MIXED)

    text = words(at)
    assert not at.exception and not at.error
    assert "Mixed: blocks of different protocols pooled because you asked" in text
    assert "those that at least 40 of the models have" in text


def test_pairs_of_few_models_are_grey_and_those_below_four_have_no_r(look):
    at = look(suite=MIXED)

    squares, grey, texts, _ = charts(at)[0]["data"]
    assert grey["colorscale"] == [[0, "#BDBDBD"], [1, "#BDBDBD"]]
    pairs = at.main.dataframe[0].value
    assert pairs.loc[pairs["n models"] < 4, "r"].isna().all()
    few = pairs["n models"].between(4, 7).sum()
    assert f"grey: {few} pairs with fewer than 8" in words(at)


def test_a_measure_that_is_better_the_lower_is_turned_round(look):
    at = look(suite="IDP: OmniDocBench v1.5")

    pairs = at.main.dataframe[0].value
    row = pairs.iloc[0]
    assert "text edit distance (turned round)" in row["Second"] + row["First"]
    assert row["r"] > 0.8
    assert "1 − value is compared" in words(at)


def test_clusters_name_benchmarks_that_say_the_same(look):
    at = look(suite=MIXED)

    clusters = at.main.dataframe[1].value
    assert "MMMU-Pro, MMMU val" in clusters["Say the same"][0]
    assert (clusters["Lowest r"].astype(float) >= 0.9).all()
    assert (clusters["Fewest models"] >= 8).all()


def test_any_benchmark_may_be_the_one_that_predicts(page):
    at = page(suite="InternVL3.5 report")
    key = "corr_reference_benchmark_internvl3.5"

    at.selectbox(key=key).set_value("mmstar").run()

    assert not at.exception
    assert "benchmarks correlate with MMStar below 0.5" in words(at)
    assert "18 of the 53" not in words(at)


def test_needs_are_compared_too(look):
    at = look(suite="InternVL3.5 report", corr_what_today="Needs")

    assert not at.exception and not at.error
    assert charts(at)[0]["data"][0]["z"]["shape"] == "9, 9"
    assert "mean of its benchmarks" in words(at)


def test_the_grid_has_what_imagenet_fails_to_predict_too(look):
    at = look(suite="CLIP scaling grid")

    text = words(at)
    assert "9 of 34 benchmarks correlate with ImageNet-1k below 0.5" in text
    assert "specifically 18 of the 53" in text and "one family" in text


def test_a_suite_too_small_says_so(look):
    at = look(suite="Molmo paper")

    assert not at.exception and not at.error
    assert "a correlation needs four and two" in words(at)


def test_a_button_leads_to_all_blocks(page):
    at = page()

    at.button(key="instead_current").click().run()

    assert "Mixed: blocks of different protocols" in words(at)
