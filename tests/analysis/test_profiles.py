import numpy as np
import pandas as pd
import pytest

from evalcore.analysis import estimates, intervals, profiles
from evalcore.errors import BadInput

NAN = np.nan
BENCHMARKS = pd.DataFrame(
    [
        ("a", "accuracy", 0.5, 100.0, "object", "fine"),
        ("b", "accuracy", 0.2, 400.0, "object", "coarse"),
        ("c", "accuracy", NAN, NAN, "reasoning", "coarse"),
        ("r", "mean recall@1", 0.0, 50.0, None, None),
    ],
    columns=["benchmark", "metric", "chance", "n_items", "type", "capability"],
)


def scores(rows, axis="benchmark", **columns):
    """Scores from (model, tag, value), with the other columns of the frame."""
    frame = pd.DataFrame(rows, columns=["model", "tag", "value"]).assign(
        source="s", suite="s", axis=axis, metric="accuracy", n=NAN, sd=NAN, sd_over=None
    )
    frame = frame.assign(judge=None, kind="published", mode=None, split=None, suspect=False)
    return frame.assign(benchmark=frame["tag"], **columns)


GRID = [("m", "a", 0.8), ("m", "b", 0.6), ("m", "c", 0.4), ("k", "a", 0.7), ("k", "c", 0.5)]


def cell(frame, model, tag):
    return frame[(frame["model"] == model) & (frame["tag"] == tag)].iloc[0]


def test_stored_axis_gives_one_cell_a_row_without_the_total():
    rows = scores([("m", "ocr", 0.5), ("m", "total", 0.6)], "capability", n=50.0)

    found = profiles.cells(rows, BENCHMARKS, "capability")

    assert list(found.columns) == profiles.COLUMNS
    assert found["tag"].to_list() == ["ocr"]
    assert tuple(found.loc[0, ["low", "high"]]) == pytest.approx(
        tuple(map(float, intervals.wilson(0.5, 50)))
    )
    assert found.loc[0, "method"] == "approximate, from value and n (Wilson)"


def test_benchmark_rows_take_their_n_from_the_size_of_the_benchmark():
    found = profiles.cells(scores(GRID), BENCHMARKS, "benchmark")

    assert cell(found, "m", "b")["n"] == 400
    assert cell(found, "m", "b")["se"] == pytest.approx(np.sqrt(0.6 * 0.4 / 400))


@pytest.mark.parametrize(
    ("axis", "tag", "metric", "why"),
    [
        ("benchmark", "r", "mean recall@1", "recall is no share of items"),
        ("benchmark", "c", "accuracy", "the size is unknown"),
        ("task_type", "a", "accuracy", "a tag is not its whole benchmark"),
    ],
)
def test_n_stays_unknown_without_a_fitting_size(axis, tag, metric, why):
    found = profiles.cells(scores([("m", tag, 0.5)], axis, metric=metric), BENCHMARKS, axis)

    assert found[["n", "se", "low", "high"]].isna().all(axis=None)
    assert found.loc[0, "method"] == ""


def test_group_is_the_mean_of_its_benchmarks_by_hand():
    found = cell(profiles.cells(scores(GRID), BENCHMARKS, "type"), "m", "object")

    # se = sqrt(.8*.2/100 + .6*.4/400)/2 = sqrt(.0016 + .0006)/2
    assert found["value"] == pytest.approx(0.7)
    assert found["se"] == pytest.approx(np.sqrt(0.0022) / 2)
    assert found["low"] == pytest.approx(0.7 - 1.959964 * np.sqrt(0.0022) / 2)
    assert (found["n"], found["n_benchmarks"]) == (500, 2)
    assert found["method"] == estimates.BY_GROUP


def test_model_lacking_a_benchmark_of_the_group_has_no_cell_there():
    found = profiles.cells(scores(GRID), BENCHMARKS, "type")

    assert list(zip(found["model"], found["tag"], strict=True)) == [
        ("m", "object"),
        ("m", "reasoning"),
        ("k", "reasoning"),
    ]


def test_group_with_one_unknown_n_has_no_interval():
    found = cell(profiles.cells(scores(GRID), BENCHMARKS, "capability"), "m", "coarse")

    assert found["value"] == pytest.approx(0.5)
    assert np.isnan([found["n"], found["se"], found["low"], found["high"]]).all()
    assert found["method"] == ""


def test_benchmarks_without_a_group_are_left_out():
    rows = scores([("m", "a", 0.8), ("m", "r", 0.1), ("m", "elsewhere", 0.1)])

    assert profiles.cells(rows, BENCHMARKS, "type")["tag"].to_list() == ["object"]


def test_group_is_of_the_least_vetted_kind_it_contains():
    kinds = ["published", "uploaded", "published", "published", "measured"]

    found = profiles.cells(scores(GRID, kind=kinds), BENCHMARKS, "type")

    assert cell(found, "m", "object")["kind"] == "uploaded"
    assert cell(found, "k", "reasoning")["kind"] == "measured"


def test_suspect_scores_take_part_only_when_asked():
    rows = scores(GRID, suspect=[False, False, True, False, False])

    assert len(profiles.cells(rows, BENCHMARKS, "benchmark")) == 4
    found = profiles.cells(rows, BENCHMARKS, "benchmark", include_suspect=True)
    assert found["suspect"].to_list() == [False, False, True, False, False]


def test_scores_without_a_value_give_no_cell():
    rows = scores([("m", "a", 0.8), ("k", "a", NAN)])

    assert profiles.cells(rows, BENCHMARKS, "type")["model"].to_list() == ["m"]


@pytest.mark.parametrize("axis", ["benchmark", "type", "capability", "task_type"])
def test_no_scores_give_an_empty_frame_of_cells(axis):
    found = profiles.cells(scores([]), BENCHMARKS, axis)

    assert list(found.columns) == profiles.COLUMNS
    assert found.empty


@pytest.mark.parametrize(
    ("sd", "sd_over", "repeats", "se", "method"),
    [
        (0.04, "judge repeats", NAN, np.sqrt(0.24 / 96 + 0.04**2), estimates.BY_JUDGE),
        (0.04, "judge repeats", 4, np.sqrt(0.24 / 96 + 0.02**2), estimates.BY_JUDGE),
        (0.30, "items", NAN, 0.3 / np.sqrt(96), estimates.BY_ITEMS),
        (0.00, "items", NAN, np.sqrt(0.24 / 96), estimates.BY_WILSON),
        (NAN, None, NAN, np.sqrt(0.24 / 96), estimates.BY_WILSON),
    ],
)
def test_published_spread_enters_the_standard_error(sd, sd_over, repeats, se, method):
    rows = scores([("m", "ocr", 0.6)], "capability", n=96.0, sd=sd, sd_over=sd_over)

    found = profiles.cells(rows.assign(repeats=repeats), BENCHMARKS, "capability")

    assert found.loc[0, "se"] == pytest.approx(se)
    assert found.loc[0, "method"] == method


def test_chance_is_taken_off_each_benchmark_before_the_mean():
    rows = scores([("m", "a", 0.8), ("m", "b", 0.6)])

    found = profiles.cells(rows, BENCHMARKS, "type", correct_chance=True).iloc[0]

    # (.8-.5)/.5 = .6 and (.6-.2)/.8 = .5; se .04/.5 and sqrt(.0006)/.8
    assert found["value"] == pytest.approx(0.55)
    assert found["se"] == pytest.approx(np.sqrt(0.08**2 + 0.0006 / 0.64) / 2)
    assert found["method"].endswith("; rescaled so that chance is 0")


def test_corrected_interval_may_reach_below_chance():
    found = profiles.cells(
        scores([("m", "a", 0.5)]), BENCHMARKS, "benchmark", correct_chance=True
    ).iloc[0]

    low, high = intervals.wilson(0.5, 100)
    assert found["value"] == 0
    assert (found["low"], found["high"]) == pytest.approx((2 * low - 1, 2 * high - 1))


@pytest.mark.parametrize(
    ("rows", "expected", "why"),
    [
        (scores(GRID), ["c"], "unknown chance"),
        (scores(GRID, metric=["map", *["accuracy"] * 4]), ["a", "c"], "one row, other metric"),
        (scores([("m", "elsewhere", 0.1)]), ["elsewhere"], "unknown benchmark"),
        (scores([]), [], "no scores"),
    ],
)
def test_uncorrectable_benchmarks_are_named(rows, expected, why):
    assert profiles.uncorrectable(rows, BENCHMARKS) == expected


def test_uncorrectable_benchmarks_leave_the_group_for_all_models():
    rows = scores([("m", "b", 0.6), ("m", "c", 0.4), ("k", "b", 0.2)])

    found = profiles.cells(rows, BENCHMARKS, "capability", correct_chance=True)

    assert found["model"].to_list() == ["m", "k"]
    assert found["value"].to_list() == pytest.approx([0.5, 0])


def test_two_scores_for_one_place_are_refused_with_their_difference():
    rows = scores([("m", "a", 0.8), ("m", "a", 0.6)], split=["val", "test"])

    with pytest.raises(BadInput) as raised:
        profiles.cells(rows, BENCHMARKS, "type")

    assert str(raised.value) == (
        "'m' has 2 scores on 'a', different in split (1 such places); "
        "choose one score for each place"
    )


def test_unknown_axis_lists_the_known_ones():
    with pytest.raises(BadInput) as raised:
        profiles.cells(scores(GRID), BENCHMARKS, "colour")

    assert str(raised.value) == (
        "unknown axis 'colour'; this suite has benchmark, capability, type"
    )


def test_two_suites_do_not_mix():
    rows = scores(GRID, suite=["s", "s", "s", "t", "t"])

    with pytest.raises(BadInput, match=r"scores of the suites \['s', 't'\] do not compare"):
        profiles.cells(rows, BENCHMARKS, "benchmark")


def test_total_is_taken_once_a_model_from_the_row_that_knows_most():
    rows = pd.concat(
        [
            scores([("m", "total", 0.6), ("k", "total", 0.5)], "integration"),
            scores([("m", "total", 0.6), ("m", "ocr", 0.7)], "capability", n=517.0),
        ]
    ).reset_index(drop=True)

    found = profiles.totals(rows.assign(benchmark="v2"))

    assert found[["model", "value"]].to_numpy().tolist() == [["k", 0.5], ["m", 0.6]]
    assert found["n"].to_list() == pytest.approx([NAN, 517], nan_ok=True)


def test_judge_spread_hardly_widens_a_total_on_517_items():
    # MM-Vet v2 prints 71.8 +- 0.2; sampling alone is about ten times that.
    row = scores([("m", "total", 0.718)], "capability", n=517.0, sd=0.002)

    found = profiles.totals(row.assign(sd_over="judge repeats", repeats=5))

    assert found.loc[0, "se"] == pytest.approx(0.0198, abs=1e-4)


def test_total_of_a_benchmark_without_tags_is_left_out():
    rows = scores([("m", "total", 0.7), ("m", "total", 0.6), ("m", "ocr", 0.5)], "capability")

    found = profiles.totals(rows.assign(benchmark=["v1", "v2", "v2"]))

    assert found["value"].to_list() == [0.6]


def test_rows_that_only_share_an_index_label_stay_apart():
    rows = pd.concat([scores(GRID), scores([("u", "c", 0.9)], kind="uploaded", suspect=None)])

    found = profiles.cells(rows, BENCHMARKS, "type")

    assert cell(found, "u", "reasoning")["value"] == 0.9
    assert len(found) == 4
