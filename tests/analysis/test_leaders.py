"""Leaders, ties and leaderboards from single questions, against statsmodels and plain loops."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.stats import norm, t
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from evalcore.analysis import (
    by_items,
    intervals,
    leaders,
    multiple,
    profiles,
    ranking,
    resample,
    unscored,
)
from evalcore.analysis.by_items import Items, Repeats

NAN = np.nan
N = 240
KEYS = {tag: ("b", "kind", tag) for tag in ("x", "y", "z")}
MADE = {tag: {key: 1.0} for tag, key in KEYS.items()}


@pytest.fixture
def items(rng):
    """Four models on 240 questions about 80 pictures; tags share questions; "graded" has halves."""
    cluster = np.repeat(np.arange(N // 3), 3)
    hard = rng.normal(size=N // 3)[cluster] + rng.normal(size=N)
    levels = {"good": 0.6, "near": 0.5, "far": -0.6}
    made = {name: (hard + rng.normal(size=N) < level) * 1.0 for name, level in levels.items()}
    made["graded"] = rng.integers(0, 3, N) / 2
    places = {
        KEYS["x"]: np.arange(0, 160),
        KEYS["y"]: np.arange(100, N),
        KEYS["z"]: np.arange(0, N, 2),
    }
    return Items(pd.DataFrame(made), cluster, places)


def cells(items):
    """What ``profiles.cells`` gives of these items."""
    found = by_items.estimates(items, list(items.places))
    return found.assign(method="", n_benchmarks=1, kind="measured", suspect=False)


def clustered(values, cluster):
    """Ordinary least squares on a constant, cluster-robust, by statsmodels."""
    known = ~np.isnan(values)
    fit = sm.OLS(values[known], np.ones(known.sum())).fit()
    return fit.get_robustcov_results("cluster", groups=cluster[known], use_t=True)


def test_errors_of_means_are_statsmodels_cluster_robust_ones(items):
    found = by_items.estimates(items, [KEYS["y"]]).set_index("model")
    places = items.places[KEYS["y"]]
    for model in items.models:
        theirs = clustered(items.scores[model].to_numpy()[places], items.cluster[places])
        assert found["se"][model] == pytest.approx(theirs.bse[0])
    theirs = clustered(items.scores["graded"].to_numpy()[places], items.cluster[places])
    ours = found.loc["graded", ["low", "high"]].to_list()
    student = t.ppf(0.975, len(set(items.cluster[places])) - 1)
    ends = intervals.of_grades(theirs.params[0], theirs.bse[0], len(places), student)
    assert ours == pytest.approx(list(ends))
    assert ours == pytest.approx(theirs.conf_int()[0], abs=0.01)
    assert found["clusters"]["good"] == len(set(items.cluster[places]))


def test_questions_that_stand_alone_have_wilsons_interval(items):
    alone = Items(items.scores, np.arange(N), items.places)
    found = by_items.estimates(alone, [KEYS["x"]]).set_index("model").loc["good"]
    theirs = proportion_confint(found["value"] * 160, 160, method="wilson")
    assert found[["low", "high"]].to_list() == pytest.approx(theirs)


def test_all_right_has_an_error_and_equal_grades_have_none(items):
    scores = items.scores.assign(good=1.0, graded=0.5)
    found = by_items.estimates(Items(scores, items.cluster, items.places), [KEYS["x"]])
    found = found.set_index("model")
    # 160 questions on 54 pictures are worth 54, less for the few degrees of freedom.
    worth = 54 * (norm.ppf(0.975) / t.ppf(0.975, 53)) ** 2
    low, _ = proportion_confint(worth, worth, method="wilson")
    assert found.loc["good", ["low", "high"]].to_list() == pytest.approx([low, 1])
    assert found["se"]["good"] == pytest.approx((1 - low) / 2 / 1.959964)
    assert found.loc["graded", ["se", "low", "high"]].isna().all()


def test_one_picture_says_nothing_of_the_error(items):
    one = Items(items.scores, np.zeros(N, dtype=int), items.places)
    found = by_items.estimates(one, [KEYS["x"]])
    assert found[["se", "low", "high"]].isna().all().all()


def test_leaders_are_compared_question_by_question_and_corrected_over_all_tags(items):
    found = leaders.compared(cells(items), items, MADE, "holm")
    for row in found.itertuples():
        places = items.places[KEYS[row.tag]]
        apart = items.scores[row.leader] - items.scores[row.model]
        theirs = clustered(apart.to_numpy()[places], items.cluster[places])
        assert row.difference == pytest.approx(theirs.params[0])
        assert (row.se, row.p) == pytest.approx((theirs.bse[0], theirs.pvalues[0]))
    assert found["p_adjusted"].to_numpy() == pytest.approx(
        multipletests(found["p"], 0.05, "holm")[1]
    )
    few = leaders.compared(cells(items), items, MADE, "bh")
    assert few["p_adjusted"].to_numpy() == pytest.approx(multipletests(few["p"], 0.05, "fdr_bh")[1])


def test_questions_that_only_one_was_asked_count_for_it_alone(items):
    scores = items.scores[["good", "near"]].copy()
    scores.loc[: N // 2 - 1, "good"] = NAN
    scores.loc[N // 2 :, "near"] = NAN
    apart = Items(scores, items.cluster, {KEYS["x"]: np.arange(N)})
    se, freedom = by_items.paired_errors(apart, MADE["x"], np.array([0, 1]))
    one, other = (clustered(scores[name].to_numpy(), items.cluster).bse[0] for name in scores)
    assert se[1] == pytest.approx(np.hypot(one, other))
    assert (se[0], freedom[1]) == (0, 39)


def test_pairing_tells_apart_what_separate_intervals_do_not(rng):
    score = (rng.random(N) < 0.5) * 1.0
    worse = score.copy()
    worse[np.flatnonzero(score)[:12]] = 0
    pair = Items(pd.DataFrame({"a": score, "b": worse}), np.arange(N), {KEYS["x"]: np.arange(N)})
    assert ranking.tied_best(*(cells(pair).set_index("model")[name] for name in ("value", "se")))[
        1:
    ] == ["b"]

    (row,) = leaders.winners(cells(pair), pair, {"x": MADE["x"]}).to_dict("records")
    assert (row["tied"], row["how"], row["certain"]) == (("a",), leaders.PAIRED, True)
    board = leaders.overall(cells(pair), pair, {"x": MADE["x"]})
    assert board.table["tied_best"].to_list() == [True, False]
    assert board.table[["low", "high"]].to_numpy() == pytest.approx(
        cells(pair)[["low", "high"]].to_numpy()
    )
    assert board.tied(["a", "b"]) == ["a"]


def test_the_same_answers_are_tied_and_opposite_ones_are_not(items):
    scores = items.scores.assign(far=1.0, good=1.0, near=0.0)[["far", "good", "near"]]
    same = Items(scores, items.cluster, items.places)
    found = leaders.winners(cells(same), same, MADE)
    assert found["tied"].to_list() == [("far", "good")] * 3
    assert found["certain"].all()


def test_a_mean_over_tags_that_share_questions_has_the_error_of_its_resamples(items, rng):
    weights = {"x": 1.0, "y": 2.0, "z": 1.0}
    board = leaders.overall(cells(items), items, MADE, weights=weights)
    scores, sums = items.scores.to_numpy(), []
    for _ in range(3000):
        drawn = rng.integers(0, N // 3, N // 3)
        times = np.bincount(drawn, minlength=N // 3)[items.cluster]
        means = [
            times[places] @ scores[places] / times[places].sum() for places in items.places.values()
        ]
        sums.append(np.array([0.25, 0.5, 0.25]) @ np.array(means))
    theirs = pd.Series(np.std(sums, axis=0), items.models)
    ours = board.table.set_index("model")["se"]
    assert ours.reindex(items.models).to_numpy() == pytest.approx(theirs.to_numpy(), rel=0.07)


def test_a_leaderboard_agrees_with_the_bootstrap_of_its_items(items, rng):
    key = KEYS["y"]
    only = cells(items).query("tag == 'y'")
    board = leaders.overall(only, items, {"y": {key: 1.0}}).table.set_index("model")
    draws = resample.bootstrap(items.scores, items.cluster, rng, [items.places[key]])
    theirs = multiple.standings(draws, items.models)
    assert list(board.index) == list(theirs.index)
    assert board["tied_best"].to_list() == theirs["tied"].to_list()
    assert board["rank_low"].to_list() == theirs["rank_low"].to_list()
    assert board["rank_high"].to_list() == theirs["rank_high"].to_list()
    assert board["p_best"].to_numpy() == pytest.approx(theirs["p_best"].to_numpy(), abs=0.03)


def test_published_models_stand_beside_with_errors_of_their_own(items):
    own = cells(items)
    other = own[own["model"] == "near"].assign(model="printed", se=0.03)
    unknown = own[own["model"] == "far"].assign(model="unknown", se=NAN, low=NAN, high=NAN)
    mixed = pd.concat([own, other, unknown])
    board = leaders.overall(mixed, items, MADE).table.set_index("model")
    assert board["how"].eq(leaders.PAIRED).to_dict() == {
        name: name in items.models for name in board.index
    }
    assert board["se"]["printed"] == pytest.approx(profiles.overall(other)["se"].iloc[0])
    assert board.loc["unknown", ["rank_low", "rank_high"]].isna().all()
    assert not board["tied_best"]["unknown"]
    tests = leaders.compared(mixed, items, MADE, "none").set_index(["tag", "model"])
    row, se = tests.loc[("x", "printed")], own.set_index(["tag", "model"])["se"]
    assert not row["paired"]
    assert row["se"] == pytest.approx(np.hypot(0.03, se[("x", row["leader"])]))
    assert leaders.winners(mixed, items, MADE)["how"].eq(leaders.BOTH).all()


def test_without_items_all_is_as_from_published_totals(items):
    own = cells(items)
    board = leaders.overall(own, None, {})
    assert board.table.drop(columns=["how", *unscored.BOUNDS]).equals(profiles.overall(own))
    assert board.table["how"].eq(leaders.UNPAIRED).all()
    added = ["how", "turned", *unscored.BOUNDS]
    assert leaders.winners(own, None, {}).drop(columns=added).equals(profiles.winners(own))


def test_a_mean_over_benchmarks_adds_their_independent_errors(items):
    half = {("b", "benchmark", "b"): np.arange(0, 120), ("c", "benchmark", "c"): np.arange(120, N)}
    two = Items(items.scores, items.cluster, half)
    se, freedom = by_items.paired_errors(two, dict.fromkeys(half, 0.5), np.array([0, 2]))
    apart = (items.scores["good"] - items.scores["far"]).to_numpy()
    parts = [clustered(apart[at], items.cluster[at]).bse[0] for at in half.values()]
    assert se[1] == pytest.approx(np.hypot(*parts) / 2)
    assert freedom[1] == 78


def test_differences_to_one_model_are_paired(items):
    found = leaders.against(cells(items), "near", items, MADE).set_index(["tag", "model"])
    places = items.places[KEYS["z"]]
    apart = (items.scores["good"] - items.scores["near"]).to_numpy()[places]
    theirs = clustered(apart, items.cluster[places])
    row = found.loc[("z", "good")]
    assert row[["low", "high"]].to_list() == pytest.approx(theirs.conf_int()[0])
    assert row["paired"]
    assert not leaders.against(cells(items), "near", None, {})["paired"].any()


def test_a_model_with_few_of_the_questions_is_not_called_compared_question_by_question(items):
    few = items.scores.copy()
    few.loc[12:, "near"] = NAN
    part = Items(few, items.cluster, items.places)

    whole = leaders.winners(cells(items), items, MADE).set_index("tag")
    found = leaders.winners(cells(part), part, MADE).set_index("tag")

    assert whole.loc["x", "how"] == leaders.PAIRED
    assert found.loc["x", "how"] == leaders.BOTH


@pytest.fixture
def judged(items, rng):
    """The same, "graded" judged five times and "good" three times, each repeat with a mood."""
    verdicts = {}
    for model, repeats in (("graded", 5), ("good", 3)):
        mood = rng.normal(scale=0.08, size=repeats)
        made = items.scores[model].to_numpy()[:, None] * 0.7 + 0.15 + mood
        verdicts[model] = np.clip(made + rng.normal(scale=0.1, size=made.shape), 0, 1)
    verdicts["good"][:4, 1] = NAN
    scores = items.scores.assign(**{name: np.nanmean(v, axis=1) for name, v in verdicts.items()})
    repeats = [Repeats(name, "b", 0, table) for name, table in verdicts.items()]
    return Items(scores, items.cluster, items.places, repeats=repeats)


def spread(table, places, weights=(1.0,)):
    """By hand: the weighted total of each repeat, their standard deviation over sqrt(R)."""
    totals = []
    for column in range(table.shape[1]):
        total = 0.0
        for part, weight in zip(places, weights, strict=True):
            whole = [row for row in part if not np.isnan(table[row]).any()]
            total += weight * sum(table[row, column] for row in whole) / len(whole)
        totals.append(total)
    return np.std(totals, ddof=1) / np.sqrt(len(totals))


def once(judged):
    """The same scores, as if each judge had run once."""
    return Items(judged.scores, judged.cluster, judged.places)


def test_the_spread_over_judge_runs_is_added_in_quadrature_and_kept_apart(judged):
    found = by_items.estimates(judged, list(KEYS.values())).set_index(["tag", "model"])
    plain = by_items.estimates(once(judged), list(KEYS.values())).set_index(["tag", "model"])
    for name, _, _, table in judged.repeats:
        for tag, key in KEYS.items():
            row, judge = found.loc[(tag, name)], spread(table, [judged.places[key]])
            assert judge > 0.02
            assert row["judge_se"] == pytest.approx(judge)
            assert row["se"] == pytest.approx(np.hypot(plain["se"][tag, name], judge))
            student = t.ppf(0.975, row["clusters"] - 1)
            ends = intervals.of_grades(row["value"], row["se"], row["n"], student)
            assert row[["low", "high"]].to_list() == pytest.approx(list(ends))
    others = found.index.get_level_values("model").isin(["near", "far"])
    pd.testing.assert_frame_equal(found[others], plain[others], check_exact=True)
    assert plain["judge_se"].isna().all()


def test_a_difference_has_the_spread_of_both_judges(judged):
    found = leaders.compared(cells(judged), judged, MADE).set_index(["tag", "leader", "model"])
    places, spreads = judged.places[KEYS["x"]], {}
    for name, _, _, table in judged.repeats:
        spreads[name] = spread(table, [places])
    (leader,) = found.loc["x"].index.get_level_values("leader").unique()
    for model, row in found.loc[("x", leader)].iterrows():
        apart = (judged.scores[leader] - judged.scores[model]).to_numpy()[places]
        sampling = clustered(apart, judged.cluster[places]).bse[0]
        both = np.hypot(spreads.get(leader, 0.0), spreads.get(model, 0.0))
        assert row["se"] == pytest.approx(np.hypot(sampling, both))
    told = leaders.against(cells(judged), leader, judged, MADE).set_index(["tag", "model"])
    ours = found.loc[("x", leader), "se"]
    assert told.loc["x", "se"].reindex(ours.index).to_list() == pytest.approx(ours.to_list())


def test_a_mean_over_tags_has_the_spread_of_the_repeats_weighted_totals(judged):
    weights = {"x": 1.0, "y": 2.0, "z": 1.0}
    board = leaders.overall(cells(judged), judged, MADE, weights=weights)
    plain = leaders.overall(cells(judged), once(judged), MADE, weights=weights)
    se, before = (one.table.set_index("model")["se"] for one in (board, plain))
    places = list(judged.places.values())
    judge = {name: spread(table, places, (0.25, 0.5, 0.25)) for name, _, _, table in judged.repeats}
    tags = [spread(judged.repeats[0].scores, [part]) for part in places]
    # The judge's mood moves all tags alike: as if they were independent it would be too small.
    assert judge["graded"] > 1.3 * np.linalg.norm(np.multiply(tags, (0.25, 0.5, 0.25)))
    assert se[["near", "far"]].to_list() == before[["near", "far"]].to_list()
    for name, error in judge.items():
        assert se[name] == pytest.approx(np.hypot(before[name], error))
    assert (set(board.judged), plain.judged) == (set(judge), ())
    drawn = multiple.spread(board.draws.draws[:, 0], board.draws.clusters[0])
    assert drawn == pytest.approx(board.table["se"].to_numpy(), rel=0.05)
    names = list(board.table["model"])
    one, other = (board.draws.draws[:, 0, names.index(name)] for name in judge)
    alone, beside = (plain.draws.draws[:, 0, names.index(name)] for name in judge)
    more = (one - other).var() - (alone - beside).var()
    assert more == pytest.approx(sum(error**2 for error in judge.values()), rel=0.2)


def test_judges_of_unlike_benchmarks_are_independent(judged):
    table = judged.repeats[0].scores
    half = {("b", "benchmark", "b"): np.arange(0, 120), ("c", "benchmark", "c"): np.arange(120, N)}
    parts = [Repeats("graded", "b", 0, table[:120]), Repeats("graded", "c", 120, table[120:, :2])]
    two = Items(judged.scores, judged.cluster, half, repeats=parts)
    own = [spread(part.scores, [np.arange(120)]) for part in parts]
    found = by_items.judge_errors(two.judged, dict.fromkeys(half, 0.5), 4)
    assert found.tolist() == pytest.approx([0, 0, 0, np.hypot(*own) / 2])


def test_repeats_that_share_no_question_or_agree_add_nothing(judged):
    apart = np.full((N, 2), NAN)
    apart[::2, 0], apart[1::2, 1] = 1.0, 0.0
    same = np.repeat(judged.scores[["far"]].to_numpy(), 3, axis=1)
    repeats = [Repeats("graded", "b", 0, apart), Repeats("far", "b", 0, same)]
    repeats += [Repeats("near", "b", 0, same[:, :1]), Repeats("left out", "b", 0, same)]
    again = Items(judged.scores, judged.cluster, judged.places, repeats=repeats)
    keys = list(KEYS.values())
    pd.testing.assert_frame_equal(
        by_items.estimates(again, keys), by_items.estimates(once(judged), keys), check_exact=True
    )
