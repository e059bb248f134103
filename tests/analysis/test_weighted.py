"""Weighted scores from single questions, against resampling by hand and the linearised error."""

import numpy as np
import pandas as pd
import pytest

from evalcore.analysis import intervals, multiple, resample, weighted
from evalcore.analysis.by_items import Items, Repeats

TAGS = ("t", "u", "v")
SHARE = pd.Series({"t": 0.5, "u": 0.3, "v": 0.2})
MADE = {tag: {("b", "x", tag): 1.0} for tag in TAGS}


def items(scores, cluster, by, asked=None):
    places = {("b", "x", tag): np.asarray(place) for tag, place in by.items()}
    return Items(pd.DataFrame(scores), np.asarray(cluster), places, asked=asked)


def cells(made):
    """Each model's means over the questions it has a score for."""
    rows = [
        (model, key[2], float(made.scores[model].iloc[place].mean()))
        for model in made.scores
        for key, place in made.places.items()
    ]
    return pd.DataFrame(rows, columns=["model", "tag", "value"]).dropna()


def weigh(made, share=SHARE, known=None):
    return weighted.weigh(made, MADE, share, cells(made) if known is None else known)


@pytest.fixture
def world(rng):
    """Three models on 240 questions about 90 pictures; most questions have two or three tags."""
    hard = rng.normal(size=240)
    scores = {
        name: (hard + rng.normal(size=240) * 0.6 + lift > 0).astype(float)
        for name, lift in (("a", 0.5), ("b", 0.3), ("c", -0.4))
    }
    member = rng.random((240, 3)) < (0.8, 0.6, 0.4)
    member[:, 0] |= ~member.any(axis=1)
    by = {tag: np.flatnonzero(member[:, place]) for place, tag in enumerate(TAGS)}
    return items(scores, rng.integers(0, 90, 240), by)


def by_hand(made, share, resamples=3000):
    """Draw whole pictures with replacement, gather their questions, take the mean of tag means."""
    rng = np.random.default_rng(5)
    table, cluster = made.scores.to_numpy(), made.cluster
    names = np.unique(cluster)
    questions = [np.flatnonzero(cluster == name) for name in names]
    has = {tag: np.isin(np.arange(len(table)), made.places["b", "x", tag]) for tag in share.index}
    drawn = []
    for _ in range(resamples):
        rows = np.concatenate(
            [questions[place] for place in rng.integers(0, len(names), len(names))]
        )
        means = [table[rows][has[tag][rows]].mean(axis=0) for tag in share.index]
        drawn.append(share.to_numpy() @ means)
    return np.array(drawn)


@pytest.mark.parametrize("share", [SHARE, pd.Series({"v": 1.0})], ids=["mix", "one tag"])
def test_scores_and_errors_are_those_of_resampling_pictures_by_hand(world, share):
    found = weigh(world, share)
    drawn = by_hand(world, share)

    means = [world.scores.iloc[world.places["b", "x", tag]].mean() for tag in share.index]
    assert found.score.mean[0] == pytest.approx(share.to_numpy() @ np.array(means))
    assert found.score.se[0] == pytest.approx(drawn.std(axis=0), rel=0.06)
    apart = found.column("a") - found.column("b")
    assert apart.std() == pytest.approx((drawn[:, 0] - drawn[:, 1]).std(), rel=0.06)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    assert found.low == pytest.approx(low, abs=0.02)
    assert found.high == pytest.approx(high, abs=0.02)


def test_a_question_moves_the_score_by_its_share_in_each_of_its_tags(world):
    part = {tag: SHARE[tag] / len(world.places["b", "x", tag]) for tag in TAGS}
    moves = np.zeros(240)
    for tag in TAGS:
        moves[world.places["b", "x", tag]] += part[tag]

    assert weigh(world).score.mean[0] == pytest.approx(moves @ world.scores.to_numpy())


def test_the_error_is_the_linearised_one_of_the_mean_of_means(world):
    table, away = world.scores.to_numpy(), np.zeros((240, 3))
    for tag in TAGS:
        place = world.places["b", "x", tag]
        away[place] += SHARE[tag] * (table[place] - table[place].mean(axis=0)) / len(place)
    sums = pd.DataFrame(away).groupby(world.cluster).sum().to_numpy()
    count = len(sums)

    expected = np.sqrt(count / (count - 1) * (sums**2).sum(axis=0))
    assert weigh(world).score.se[0] == pytest.approx(expected, rel=0.05)
    assert weigh(world).clusters == count


def test_the_same_question_gives_the_same_draws(world):
    again = items(world.scores.copy(), world.cluster, {k[2]: p for k, p in world.places.items()})

    assert (weigh(world).score.draws == weigh(again).score.draws).all()


def test_very_many_pictures_give_the_errors_that_resampling_gives(world, monkeypatch):
    drawn = weigh(world)
    monkeypatch.setattr(resample, "MANY", 10)
    again = items(world.scores.copy(), world.cluster, {k[2]: p for k, p in world.places.items()})
    normal = weigh(again)

    assert normal.score.se[0] == pytest.approx(drawn.score.se[0], rel=0.05)
    apart = [(found.column("a") - found.column("c")).std() for found in (drawn, normal)]
    assert apart[1] == pytest.approx(apart[0], rel=0.06)


def test_only_questions_that_all_models_have_a_score_for_count():
    scores = {"a": [1, 1, 0, np.nan, 1.0], "b": [1, 0, 0, 1, 1.0]}
    made = items(scores, range(5), {"t": range(5)})

    found = weigh(made, pd.Series({"t": 1.0}))

    assert found.models == ("a", "b")
    assert found.n == 4
    assert found.means["t"].tolist() == [0.75, 0.5]


def test_all_right_and_none_right_keep_an_error_and_are_told_apart():
    made = items({"a": [1.0] * 30, "b": [0.0] * 30}, range(30), {"t": range(30)})

    found = weigh(made, pd.Series({"t": 1.0}))

    assert found.score.se[0] == pytest.approx(intervals.standard_error([1, 0], [30, 30]), rel=0.06)
    ends = intervals.wilson([1, 0], [30, 30])
    assert (found.low, found.high) == (pytest.approx(ends.low), pytest.approx(ends.high))
    assert multiple.standings(found.score, found.models)["tied"].tolist() == [True, False]


@pytest.mark.parametrize(
    ("has", "expected"),
    [
        ({"a": 100, "b": 90, "c": 10}, ["a", "b"]),
        ({"a": 100, "b": 10, "c": 10}, ["a", "b", "c"]),
        ({"a": 100}, ["a"]),
        ({"a": 100, "b": 0}, []),
    ],
    ids=["a small sample stays out", "samples alike and a full run", "alone", "nothing shared"],
)
def test_as_many_models_join_as_leave_most_questions_common(has, expected):
    scored = pd.DataFrame({model: np.arange(100) < count for model, count in has.items()})

    assert weighted.joined(scored) == expected


def test_samples_that_share_nothing_are_not_compared_and_say_why():
    scores = np.full((40, 2), np.nan)
    scores[:20, 0], scores[20:, 1] = 1.0, 0.0
    made = items(dict(zip("ab", scores.T, strict=True)), range(40), {"t": range(40)})

    found = weigh(made, pd.Series({"t": 1.0}))

    assert found.models == ()
    why = "no two of the models have enough questions in common"
    assert found.left == {"a": why, "b": why}


def test_items_that_do_not_give_the_total_are_not_used(world):
    known = cells(world)
    known.loc[(known["model"] == "b") & (known["tag"] == "u"), "value"] += 0.01

    found = weigh(world, known=known)

    assert found.models == ("a", "c")
    assert found.left == {"b": "its answers give another score on u than its total"}


def test_a_tag_without_items_leaves_the_mix_to_the_totals(world):
    more = weighted.weigh(world, MADE, pd.Series({"t": 0.5, "new": 0.5}), cells(world))

    assert (more.models, more.left) == ((), {})


def test_one_picture_says_nothing_about_the_error():
    made = items({"a": [1, 0.0], "b": [0, 0.0]}, [7, 7], {"t": [0, 1]})

    assert weigh(made, pd.Series({"t": 1.0})).models == ()


@pytest.fixture
def judged(world, rng):
    """The same with "a" judged four times by a judge of moods; one answer it read but once."""
    verdicts = world.scores["a"].to_numpy()[:, None] * 0.6 + rng.normal(0.2, 0.05, 4)
    verdicts = verdicts + rng.normal(scale=0.05, size=(240, 4))
    verdicts[11, 1:] = np.nan
    scores = world.scores.assign(a=np.nanmean(verdicts, axis=1))
    return Items(scores, world.cluster, world.places, repeats=[Repeats("a", "b", 0, verdicts)])


def judge_error(made, share, inside):
    """By hand: the weighted total of each repeat over the questions that all repeats scored."""
    table, totals = made.repeats[0].scores, []
    whole = inside & ~np.isnan(table).any(axis=1)
    for repeat in table.T:
        tags = [[i for i in made.places["b", "x", tag] if whole[i]] for tag in share.index]
        means = [sum(repeat[i] for i in tag) / len(tag) for tag in tags]
        totals.append(sum(share.to_numpy() * means))
    return np.std(totals, ddof=1) / 2


@pytest.mark.parametrize("many", [False, True], ids=["resampled", "normal"])
@pytest.mark.parametrize("share", [SHARE, pd.Series({"v": 1.0})], ids=["mix", "one tag"])
def test_the_spread_over_judge_runs_is_drawn_beside_the_questions(judged, share, many, monkeypatch):
    if many:
        monkeypatch.setattr(resample, "MANY", 10)
    once = Items(judged.scores, judged.cluster, judged.places)
    plain, found = weigh(once, share), weigh(judged, share)
    error = judge_error(judged, share, np.ones(240, dtype=bool))

    assert (found.judged, plain.judged) == (("a",), ())
    assert (found.score.draws[:, 0, 1:] == plain.score.draws[:, 0, 1:]).all()
    assert error > 0.3 * plain.score.se[0, 0]
    assert found.score.se[0, 0] == pytest.approx(np.hypot(plain.score.se[0, 0], error), rel=0.03)
    apart, before = (one.column("a") - one.column("b") for one in (found, plain))
    assert apart.var() == pytest.approx(before.var() + error**2, rel=0.06)
    wider = found.score.se[0, 0] / plain.score.se[0, 0]
    assert found.high[0] - found.low[0] == pytest.approx(
        wider * (plain.high[0] - plain.low[0]), rel=0.06
    )
    assert (found.low[1:] == plain.low[1:]).all()


def test_judge_runs_count_on_the_questions_that_all_models_share(judged):
    scores = judged.scores.copy()
    scores.loc[200:, "b"] = np.nan
    part = Items(scores, judged.cluster, judged.places, repeats=judged.repeats)
    once = Items(scores, judged.cluster, judged.places)
    error = judge_error(judged, SHARE, np.arange(240) < 200)
    found, plain = weigh(part), weigh(once)

    assert found.models == ("a", "b", "c")
    assert found.score.se[0, 0] == pytest.approx(np.hypot(plain.score.se[0, 0], error), rel=0.03)
