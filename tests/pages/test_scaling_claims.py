"""The Scaling page on UniBench's claims: the paper's words beside the open data."""

import pytest

from evalcore.home import ROOT
from pages.parts.scaling import claims_words
from tests.pages.opening import charts, words

PAPER = ROOT / "../shared/papers/unibench.txt"


@pytest.fixture
def page(open_page):
    """Opens the view with a link's parameters."""

    def page(session=None, **link):
        at = open_page("scaling", session, scale_suite="Claims of UniBench", **link)
        assert not at.exception and not at.error
        return at

    return page


@pytest.mark.skipif(not PAPER.exists(), reason="the paper is not beside the code")
@pytest.mark.parametrize("claim", list(claims_words.QUOTES))
def test_quotes_stand_in_the_paper_word_for_word(claim):
    def bare(text):
        kept = text.replace("\\times", "×").replace("$", "").replace("’", "'")
        return " ".join(kept.split())

    quote, section = claims_words.QUOTES[claim].rsplit(" (section ", 1)

    assert bare(quote) in bare(PAPER.read_text())
    assert section in ("3.1)", "3.3)")


def test_985_fold_data_bring_no_reasoning(look):
    text = words(look())

    assert "training data from 13 to 12,800 million pairs, 985-fold, n 3 models" in text
    assert "reasoning: −2.9 points (−4.4 to −1.4); the other 4 on average: +49.0 points" in text
    assert "25-fold, n 31 models in 9 groups), ten times the training data bring reasoning" in text
    assert "Not shown: relations." in text
    assert "The samples seen grow with the data" in text


def test_the_papers_figures_stand_beside_those_of_eva01(look):
    text = words(look(scale_claim="Larger models"))

    assert "improves by 17.4% as model size scales by 11×" in text
    assert "11.8-fold, n 3 models with the same data set and objective" in text
    assert "reasoning: +6.2 points (+4.8 to +7.6); the other 4 on average: +15.0 points" in text
    assert "The paper's 17.4 % for the others and 3.41 % for relations and reasoning" in text


def test_a_missing_interval_says_why_and_how_to_get_one(look):
    raw, corrected = words(look()), words(look(scale_chance="true"))

    assert "No interval where object recognition takes part: Dollar Street" in raw
    assert "no interval" not in corrected.lower()


def test_medians_say_how_many_models_stand_behind_them(look):
    at = look(scale_claim="All models")

    assert "117 of 121 models" in words(at)
    reasoning = next(trace for trace in charts(at)[0]["data"] if trace["name"] == "reasoning")
    assert len(reasoning["text"]) == 6 and "n 13 models" in reasoning["text"][0]


def test_the_five_named_capabilities_are_held_against_imagenet(look):
    at = look(scale_claim="All models", scale_axis="Capability")

    assert "counting +5.3 (25 %), scene recognition +17.4 (81 %)" in words(at)
    found = at.main.dataframe[-1].value.set_index("Capability")
    assert found.loc["imagenet", "Of ImageNet's, %"] == 100
    assert (found["Named by the paper"] == "yes").sum() == 5
    legend = [t["name"] for t in charts(at)[0]["data"] if t["showlegend"]]
    assert {"counting", "depth estimation", "spatial understanding"} < set(legend)
    assert len(legend) == 4


@pytest.mark.parametrize(("pool", "filters"), [("small", 6), ("large", 6), ("xlarge", 3)])
def test_filters_of_one_pool_hold_architecture_and_samples(look, pool, filters):
    at = look(scale_claim="Better data", scale_pool=pool)

    assert f"n {filters} filters" in words(at)
    assert len(charts(at)[0]["data"]) == filters
    assert ("they count as one result" in words(at)) == (pool == "small")
    assert ("Ten times the pool" in words(at)) == (pool == "small")


def test_another_objective_at_the_same_architecture(look):
    text = words(look(scale_claim="Other objective", scale_chance="true"))

    assert "CoCa ViT-L/14 against ViT-L/14: " in text
    assert "Not shown: hard negatives." in text
    assert "its text 70.4 %" in text
