import pandas as pd
import pytest

from evalcore.errors import BadInput, UnknownName
from evalcore.store import queries
from evalcore.suites import small_sets, suite
from evalcore.suites.pooling import SUITE as MIXED


@pytest.fixture(scope="module")
def load(store):
    return lambda name: suite.load(store, name)


@pytest.fixture(scope="module")
def found(store, load):
    printed = queries.table(store, "representatives")
    return small_sets.find(load("openclip"), "type", "family", printed)


def test_what_is_better_the_lower_it_is_is_turned_round(load, store):
    data = load("idp-omnidocbench")

    turned = small_sets.turned(data)["omnidocbench-v1.5-text-edit"]

    rows = queries.scores(store, "idp-omnidocbench")
    rows = rows[rows["metric"] == "edit-distance"].set_index("model")["value"]
    assert (turned + rows).dropna().to_list() == pytest.approx([1.0] * 15)
    overall = small_sets.table(data)["omnidocbench-v1.5-overall"]
    assert overall.corr(turned) > 0.8


def test_a_suite_of_higher_is_better_has_nothing_to_turn(load):
    assert small_sets.turned(load("openclip")).empty
    assert small_sets.turned(load("internvl3.5")).empty


def test_modes_that_do_not_compete_are_no_rows(store, load):
    data = load(MIXED)
    modes = queries.table(store, "modes").set_index("mode")

    mode = data.models.set_index("model")["mode"]
    rows = [*small_sets.table(data).index, *small_sets.turned(data).index]
    assert modes["by_default"].reindex(mode[rows]).fillna(True).all()


@pytest.mark.parametrize(
    ("name", "how", "units"),
    [
        ("openclip", "family", 11),
        ("openclip", "model", 121),
        ("clip-grid", "family", 6),
        ("clip-grid", "model", 34),
    ],
)
def test_families_or_else_architectures_are_held_out_together(load, name, how, units):
    assert small_sets.held(load(name), how).nunique() == units


def test_siblings_share_family_and_training_data_and_lie_between(load):
    data = load("openclip")

    units = small_sets.held(data, "siblings")

    assert 11 < units.nunique() < 121
    models = data.models.set_index("model")
    for _, rows in models.groupby(units):
        assert rows["family"].nunique() == 1
        assert rows["train_data"].nunique(dropna=False) == 1


def test_modes_of_one_release_are_never_parted(load):
    data = load("qwen3.5-cards")

    for how in small_sets.HOLDS:
        units = small_sets.held(data, how)
        assert data.models.set_index("model").groupby("base").apply(
            lambda rows, units=units: units[rows.index].nunique()
        ).eq(1).all()  # fmt: skip


def test_a_block_with_gaps_is_cut_to_its_complete_part(load):
    job = small_sets.task(load("internvl3.5"), "need", "family")

    assert job.table.notna().all(axis=None)
    assert job.table.shape == (23, 20)
    assert {"documents", "charts"} <= set(job.wanted)


def test_the_small_set_beats_imagenet_alone_and_random_sets(found):
    size = 4

    ours = found.path.iloc[size - 1]
    alone = found.others.iloc[0]
    random = found.random.set_index("size").loc[size]
    assert alone["benchmarks"] == ["imagenet1k"]
    assert ours["honest_high"] < alone["low"] and ours["honest_error"] < random["low"]
    assert ours["honest_rank_low"] > 0.98


def test_the_papers_sets_count_what_the_table_lacks(found):
    rows = found.others.set_index("name")

    assert rows.loc["distilled-type", "printed"] == 8 and rows.loc["distilled-type", "size"] == 4
    assert set(rows.loc["distilled-type", "missing"]) == {
        "imagenetc", "countbench", "vg_attribution",
    }  # fmt: skip
    assert rows.loc["distilled-capability", "printed"] == 18
    assert rows.loc["recomputed by type", "size"] == 5


@pytest.mark.parametrize(
    ("name", "axis", "how", "error", "message"),
    [
        ("vqa360", "task_type", "family", BadInput, "no scores of single models by benchmark"),
        ("openclip", "benchmark", "family", UnknownName, "unknown axis of suite openclip"),
        ("openclip", "type", "makers", UnknownName, "unknown way to hold out 'makers'"),
        ("kimi-vl", "need", "family", BadInput, "no 4 benchmarks that the same 8 models have"),
        ("molmo", "need", "family", BadInput, "too small to distil"),
    ],
)
def test_what_cannot_be_distilled_is_said(load, name, axis, how, error, message):
    with pytest.raises(error, match=message):
        small_sets.task(load(name), axis, how)


def test_a_benchmark_may_speak_for_several_groups(load):
    pairs = small_sets.groups(load("internvl3.5"), "need")

    assert list(pairs) == ["benchmark", "group"]
    assert isinstance(pairs, pd.DataFrame) and not pairs.duplicated().any()
