"""Four questions about models of today, on the shipped results: what an answer has to hold.

The properties are tested, not a model's name: new results may put another one first.
"""

import dataclasses

import pytest

from evalcore.decision.needs import Needs
from evalcore.decision.presets import CURRENT
from evalcore.suites import current, pooling, suite


@pytest.fixture(scope="module")
def results(store):
    return current.load(store, day="2026-11-30")


@pytest.fixture(scope="module", params=list(CURRENT))
def decision(request, store, results):
    return current.decide(store, CURRENT[request.param].needs, current=results)


@pytest.fixture(scope="module")
def decided(store, results):
    return {
        name: current.decide(store, preset.needs, current=results)
        for name, preset in CURRENT.items()
    }


def facts(decision):
    """What is known of the winner."""
    models = decision.data.models.set_index("model")
    return models.loc[decision.answer.winner], decision.answer.market.loc[decision.answer.winner]


def test_the_winner_is_a_model_of_2025_or_2026(decision):
    about, _ = facts(decision)

    assert about["released"] >= "2025"


def test_the_winner_was_not_trained_on_the_task_nor_given_examples(decision):
    about, _ = facts(decision)

    assert about["mode_kind"] in ("plain", "thinking", "effort")


def test_the_winner_can_be_had(decision):
    _, offer = facts(decision)

    assert offer["available"] is True


def test_the_tied_are_named_and_come_from_the_ranking(decision):
    answer = decision.answer

    assert answer.tied_best
    assert set(answer.tied_best) <= set(answer.ranking["model"])
    assert answer.ranking["low"].notna().all()


def test_every_excluded_model_names_its_limit_and_what_would_let_it_in(decision):
    rows = decision.answer.excluded

    assert len(rows)
    assert rows["limit"].str.len().gt(0).all()
    assert rows["relaxation"].str.len().gt(0).all()


def test_what_cannot_be_told_says_what_to_state(decision):
    rows = decision.answer.cannot_tell

    assert rows["what"].str.contains("--").all()


def test_every_model_of_the_block_is_somewhere(decision):
    answer = decision.answer
    told = [answer.ranking, answer.excluded, answer.incomplete, answer.cannot_tell]
    places = {model for frame in told for model in frame["model"]}

    cells = suite.cells(decision.data, "need")
    asked = [tag for tag, _ in answer.mix]
    assert set(cells.loc[cells["tag"].isin(asked), "model"]) <= places


def test_the_block_covers_all_that_was_asked_and_the_page_can_say_why(decision):
    blocks = decision.blocks
    row = blocks.table.set_index("suite").loc[decision.data.suite]

    assert row["chosen"] and row["lacks"] == ()
    assert row["name"] in blocks.reason
    assert blocks.table["chosen"].sum() == 1
    assert len(blocks.table) > 5


def test_documents_and_charts_open_and_small(decided):
    about, _ = facts(decided["documents-small"])

    assert bool(about["open_weights"]) and about["params_b"] <= 8
    assert {tag for tag, _ in decided["documents-small"].answer.mix} == {"documents", "charts"}


def test_a_little_more_size_is_named_with_what_it_buys(decided):
    answer = decided["documents-small"].answer

    assert "aise the size to" in " ".join(answer.sentences)
    assert answer.relaxations["gain"].max() > 0


def test_text_in_pictures_through_an_api_for_two_dollars(decided):
    about, offer = facts(decided["text-cheap"])

    assert offer["usd_per_1000"] <= 2
    assert offer["api"]
    assert len(offer["usd_basis"]) >= 3


def test_nobody_without_a_price_is_ranked_under_a_budget(decided):
    assert decided["text-cheap"].answer.ranking["usd_per_1000"].le(2).all()
    assert len(decided["text-cheap"].answer.cannot_tell)


def test_mathematics_permissive_on_one_card(decided):
    about, offer = facts(decided["mathematics-one-card"])

    assert offer["licence_class"] == "permissive"
    assert offer["memory_gb"] <= 24


def test_everyday_scenes_cheapest_of_the_good_ones(decided):
    answer = decided["everyday-cheapest"].answer
    rows = answer.ranking.set_index("model")
    own, best = rows.loc[answer.winner], rows["score"].max()

    near = rows[rows["score"] >= best - 0.03]
    assert own["score"] >= best - 0.03
    assert own["usd_per_1000"] == near["usd_per_1000"].min()


@pytest.mark.parametrize("include", [False, True])
def test_no_model_trained_on_the_task_stands_in_the_pooled_table(store, include):
    data = suite.load(store, pooling.SUITE, include_modes=include)

    assert "fine-tuned" not in set(data.models["mode_kind"])
    assert data.left_out["why"].str.contains("trained|fine-tuned").any()


def test_every_score_of_a_current_suite_is_a_fraction_whatever_its_source_prints(store):
    data = suite.load(store, pooling.SUITE)
    printed = data.scores[data.scores["benchmark"] == "ocrbench"]

    assert data.scores["value"].between(0, 1).all()
    # Points of 1,000 and of 100 stand side by side in the sources; as fractions they agree.
    assert set(printed["printed_unit"]) == {"0-100", "0-1000"}
    assert printed["value"].between(0.2, 1).mean() > 0.95


def test_pooled_values_keep_their_sources_and_mark_those_that_disagree(store):
    data = suite.load(store, pooling.SUITE)
    several = data.scores[data.scores["n_sources"] > 1]
    row = several[several["disagree"]].iloc[0]
    told = pooling.sources_of(data.scores, row["model"], row["benchmark"])

    assert len(told) >= 2
    assert told["value"].max() - told["value"].min() > 0.03
    assert told.loc[told["used"], "value"].median() == pytest.approx(row["value"])


def test_a_pooled_answer_says_what_was_mixed(store):
    needs = Needs(pooling.SUITE, "need", (("documents", 1.0),))
    answer = current.recommend_for(suite.load(store, pooling.SUITE), needs)

    assert "Pooled:" in " ".join(answer.assumptions)
    assert "because you asked" in " ".join(answer.assumptions)


def test_all_blocks_cover_fewer_needs_than_somebody_may_ask(store, results):
    asked = (("honesty", 1.0), ("knowledge", 1.0), ("integrated abilities", 1.0))

    found = current.choose(results, Needs("", "need", asked))

    assert found.chosen is None
    assert "--mix-blocks" in found.reason


def test_retired_models_stay_as_reference_where_they_are_not_asked_about(store):
    needs = Needs("mmr-bench", "need", (("mathematics", 1.0),), open_weights=True)
    data = suite.load(store, "mmr-bench")
    answer = current.recommend_for(data, dataclasses.replace(needs, available_today=False))

    assert answer.needs.available_today is False
    assert answer.reference is not None
