"""A current suite as pages and the command line get it: models by mode, needs, offers."""

import pandas as pd
import pytest

from evalcore.decision import need_axis
from evalcore.decision.needs import Needs
from evalcore.errors import BadInput
from evalcore.importers import own_csv
from evalcore.suites import current, pooling, suite

UPLOAD = (
    "model,benchmark,axis,tag,score,n\n"
    "mine,docvqa-test,benchmark,docvqa-test,0.99,500\n"
    "mine,infovqa-test,benchmark,infovqa-test,0.98,500\n"
)


@pytest.fixture(scope="module")
def report(store):
    return suite.load(store, "qwen3-vl")


@pytest.fixture(scope="module")
def uploaded(report):
    known = own_csv.Stored(own_csv.places(report.scores), frozenset(report.models["base"]))
    return suite.with_upload(report, own_csv.read(UPLOAD.encode(), "mine.csv", known))


def test_a_model_with_two_modes_is_two_rows(report):
    modes = report.models[report.models["base"] == "gpt-5"]

    assert set(modes["model"]) == {"gpt-5 [reasoning high]", "gpt-5 [reasoning minimal]"}
    assert set(modes["name"]) == {"GPT-5 [reasoning high]", "GPT-5 [reasoning minimal]"}
    assert set(report.scores["model"]) == set(report.models["model"])


def test_it_opens_on_needs_and_knows_their_benchmarks(report):
    assert suite.axes(report)[0] == need_axis.AXIS
    used = report.composition[report.composition["used"]]
    assert set(used.loc[used["need"] == "documents", "family"]) >= {"DocVQA", "InfoVQA"}


def test_what_stands_behind_a_need_are_the_scores_of_its_benchmarks(report):
    found = suite.behind(report, "need", "documents")

    used = report.composition.query("used and need == 'documents'")
    assert set(found["benchmark"]) == set(used["benchmark"])


def test_an_older_suite_has_neither_modes_nor_offers(store):
    data = suite.load(store, "vqa360")

    assert not data.current
    assert "mode_kind" not in data.models
    assert current.in_full(data, Needs("vqa360", "task_type")) == Needs("vqa360", "task_type")


def test_in_a_current_suite_it_goes_without_saying_that_models_can_be_had(report):
    needs = current.in_full(report, Needs("qwen3-vl", "need"))

    assert needs.available_today is True
    assert needs.workload is not None
    kept = current.in_full(report, Needs("qwen3-vl", "need", available_today=False))
    assert kept.available_today is False


def test_an_upload_is_ranked_by_what_it_has_and_changes_nobody_else(report, uploaded):
    before = suite.cells(report, "need").set_index(["model", "tag"])["value"]
    after = suite.cells(uploaded, "need").set_index(["model", "tag"])["value"]
    bounds = need_axis.bounds(uploaded.scores, uploaded.composition).set_index(["model", "tag"])

    pd.testing.assert_series_equal(after[before.index], before)
    assert bounds.loc[("mine", "documents"), "lacks"] == ("OCRBench",)
    assert bounds.loc[("mine", "documents"), "ceiling"] == pytest.approx((0.99 + 0.98 + 1) / 3)


def test_an_uploaded_model_of_unknown_status_is_told_apart(uploaded):
    needs = Needs("qwen3-vl", "need", (("documents", 1.0),), include_unknown=True)
    answer = current.recommend_for(uploaded, needs)

    assert "mine" in set(answer.incomplete["model"])
    strict = current.recommend_for(uploaded, Needs("qwen3-vl", "need", (("documents", 1.0),)))
    assert "mine" in set(strict.cannot_tell["model"])


@pytest.mark.parametrize(
    ("name", "size", "is_open"), [("qwen3-vl-8b-instruct", 8.8, True), ("gpt-5", None, False)]
)
def test_of_a_model_of_the_suite_measured_by_oneself_its_facts_are_known(
    report, name, size, is_open
):
    rows = report.scores[report.scores["base"].eq(name)].drop_duplicates("benchmark")
    mine = rows.assign(model=f"my-{name}", kind="uploaded", source="upload", suite="qwen3-vl")
    found = suite.with_upload(report, mine.drop(columns=["base", "mode"]))
    about = found.models.set_index("model").loc[f"my-{name}"]
    answer = current.recommend_for(found, Needs("qwen3-vl", "need", (("documents", 1.0),)))

    assert (about["base"], about["source"], about["open_weights"]) == (name, "upload", is_open)
    assert about["params_b"] == pytest.approx(size, abs=0.05) if size else about.isna()["params_b"]
    assert answer.market.loc[f"my-{name}", "available"] is True


def test_one_document_is_counted_once_in_the_pool(store):
    data = suite.load(store, pooling.SUITE)

    assert not data.scores.duplicated(["model", "benchmark"]).any()
    assert data.row["mixed"] and data.row["current"]


@pytest.mark.parametrize("name", ["paligemma", "paligemma-2"])
def test_a_suite_of_models_trained_on_the_task_answers_only_when_asked(store, name):
    needs = Needs(name, "benchmark", (("infovqa-val", 1.0),))
    with pytest.raises(BadInput, match="include such modes"):
        current.recommend_for(suite.load(store, name), needs)

    data = suite.load(store, name, include_modes=True)
    assert set(data.models["mode_kind"]) == {"fine-tuned"}
