import numpy as np
import pandas as pd
import pytest

from evalcore.errors import UnknownName
from evalcore.importers import own_csv
from evalcore.suites import suite
from evalcore.suites.suite import ModelFilter

# Sizes and weights that are known, unknown, and on the limit of 8 billion.
MODELS = pd.DataFrame(
    {
        "model": ["small", "eight", "big", "open-unsized", "closed", "unknown"],
        "params_b": [2.0, 8.0, 8.29, np.nan, np.nan, np.nan],
        "open_weights": pd.Series([True, True, True, True, False, None], dtype=object),
    }
)
UNSTATED = "not known whether its weights are open"
FILTERS = [
    (ModelFilter(), {}),
    (ModelFilter("open"), {"closed": "closed weights", "unknown": UNSTATED}),
    (ModelFilter("open", include_unknown=True), {"closed": "closed weights"}),
    (
        ModelFilter("closed"),
        dict.fromkeys(["small", "eight", "big", "open-unsized"], "open weights")
        | {"unknown": UNSTATED},
    ),
    (
        ModelFilter(max_params_b=8),
        {"big": "8.3 B parameters"}
        | dict.fromkeys(["open-unsized", "closed", "unknown"], "size unknown"),
    ),
    (ModelFilter(max_params_b=8, include_unknown=True), {"big": "8.3 B parameters"}),
    (
        ModelFilter("open", 8, True),
        {"big": "8.3 B parameters", "closed": "closed weights"},
    ),
    (
        ModelFilter("open", 1),
        {
            "small": "2.0 B parameters",
            "eight": "8.0 B parameters",
            "big": "8.3 B parameters",
            "open-unsized": "size unknown",
            "closed": "closed weights",
            "unknown": UNSTATED,
        },
    ),
]


@pytest.fixture(scope="module")
def vqa360(store):
    return suite.load(store, "vqa360")


@pytest.fixture(scope="module")
def uploaded(vqa360):
    known = own_csv.Stored(own_csv.places(vqa360.scores), frozenset(vqa360.models["model"]))
    text = (
        "model,benchmark,axis,tag,score,n\n"
        "mine,vqa360,task_type,Chart Understanding,0.9,400\n"
        "mine,vqa360,task_type,Document Understanding,0.8,\n"
    )
    return own_csv.read(text.encode(), "mine.csv", known)


@pytest.mark.parametrize(("chosen", "hidden"), FILTERS)
def test_a_filter_hides_models_and_says_why(chosen, hidden):
    kept, out = suite.split_models(MODELS, chosen)

    assert dict(zip(out["model"], out["reason"], strict=True)) == hidden
    assert kept == [model for model in MODELS["model"] if model not in hidden]


def test_a_filter_of_no_models_hides_none():
    kept, hidden = suite.split_models(MODELS.head(0), ModelFilter("open", 8))

    assert kept == []
    assert list(hidden) == ["model", "reason"]
    assert hidden.empty


def test_shipped_models_pass_a_filter_for_open_weights(vqa360):
    kept, hidden = suite.split_models(vqa360.models, ModelFilter("open", 10))

    assert set(hidden["model"]) == {
        "cogvlm2-llama3-19b", "gemini-1.5-flash", "gemini-1.5-pro", "gpt-4o-mini",
    }  # fmt: skip
    assert len(kept) == 6


def test_an_unknown_suite_is_refused_with_a_suggestion(store):
    with pytest.raises(UnknownName) as caught:
        suite.load(store, "vqa36")

    assert str(caught.value).startswith(
        "unknown suite 'vqa36'; did you mean vqa360? "
        "known: vqa360, mmvet2, unibench, openclip, clip-grid, "
    )


def test_a_name_like_no_other_is_refused_without_a_suggestion(store):
    with pytest.raises(UnknownName) as caught:
        suite.load(store, "")

    assert str(caught.value).startswith(
        "unknown suite ''; known: vqa360, mmvet2, unibench, openclip, clip-grid, "
    )


def test_an_unknown_axis_is_refused_with_those_of_the_suite(vqa360):
    with pytest.raises(UnknownName) as caught:
        suite.cells(vqa360, "task_typ")

    assert str(caught.value) == (
        "unknown axis of suite vqa360 'task_typ'; did you mean task_type? "
        "known: task_type, application_domain, knowledge_type"
    )


def test_the_default_axis_comes_first(store):
    assert suite.axes(suite.load(store, "openclip"))[0] == "type"


def test_a_suite_without_scores_loads_empty(store):
    data = suite.load(store, "unibench")

    assert data.scores.empty
    assert data.models.empty
    assert suite.cells(data, "type").empty


def test_tags_that_share_questions_widen_a_mean(vqa360):
    assert suite.design_effect(vqa360, "task_type") == 1
    # E[t^2] / E[t] with mean 1.70 and standard deviation 0.68 (VQA360 paper, Table 2).
    assert suite.design_effect(vqa360, "application_domain") == pytest.approx(1.972)


def test_an_upload_adds_its_model_and_cells(vqa360, uploaded):
    data = suite.with_upload(vqa360, uploaded)
    cells = suite.cells(data, "task_type")
    mine = cells[cells["model"] == "mine"].set_index("tag")

    assert len(data.models) == 11
    assert set(mine["kind"]) == {"uploaded"}
    assert mine.loc["Chart Understanding", ["value", "n"]].tolist() == [0.9, 400]


def test_an_uploaded_score_without_n_has_no_interval(vqa360, uploaded):
    cells = suite.cells(suite.with_upload(vqa360, uploaded), "task_type")

    row = cells[(cells["model"] == "mine") & (cells["tag"] == "Document Understanding")]

    assert row[["n", "se", "low", "high"]].isna().all(axis=None)


def test_nothing_is_known_of_an_uploaded_model(vqa360, uploaded):
    models = suite.with_upload(vqa360, uploaded).models.set_index("model")

    assert models.loc["mine", ["params_b", "open_weights", "maker", "licence"]].isna().all()
    assert models.loc["mine", "source"] == "upload"


def test_an_upload_changes_no_published_cell(vqa360, uploaded):
    before = suite.cells(vqa360, "task_type")
    after = suite.cells(suite.with_upload(vqa360, uploaded), "task_type")

    kept = after[after["model"] != "mine"].reset_index(drop=True)

    pd.testing.assert_frame_equal(kept, before.reset_index(drop=True), check_dtype=False)


def test_an_upload_for_another_suite_changes_nothing(store, uploaded):
    data = suite.load(store, "mmvet2")

    assert suite.with_upload(data, uploaded) is data
