"""Several items about one picture: shown to the model once, and one cluster for intervals."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
import statsmodels.api as sm

from evalcore.analysis import intervals, resample
from evalcore.contrastive import relation, scoring
from evalcore.contrastive.datasets import corrupted, loaders
from evalcore.contrastive.evaluate import Evaluator
from evalcore.contrastive.pictures import Arrays, Crops, Files
from evalcore.contrastive.record import interval
from evalcore.contrastive.scoring import Scale
from evalcore.contrastive.task import Task
from evalcore.engine import runs
from evalcore.store import build, queries
from evalcore.suites import suite
from tests.contrastive.test_authors import genome, table, winoground
from tests.contrastive.test_columns import made, parquet, shown
from tests.contrastive.test_shards import npy, shard, webp
from tests.contrastive.worlds import Colours, picture

SEEN = ("red", "blue", "red", "green", "red", "blue")
RIGHT = ("red", "blue", "blue", "green", "red", "red")
"""What the right caption says of each: the third and the last are wrong."""


def captions(folder, own=False):
    """Six captions about three pictures; with ``own`` each item has a copy of its picture."""
    folder.mkdir(exist_ok=True)
    rows = []
    for at, (colour, right) in enumerate(zip(SEEN, RIGHT, strict=True)):
        name = f"{colour}-{at if own else ''}.png"
        picture(colour).save(folder / name)
        wrong = colour if right != colour else "black"
        rows.append({"image": name, "caption": f"a {right} one", "wrong": f"a {wrong} one"})
    return table(folder / "set.csv", rows)


def evaluated(benchmark, model=None):
    made = Evaluator(device="cpu").add_model(model or Colours()).add_benchmark(benchmark)
    return made.outcomes()[0]


def verdicts(outcome):
    run = {run.id: run for run in runs.own()}[outcome.run]
    return [one.score for one in run.verdicts("accuracy-1-r0").values()], run.items()


def in_pairs(rng, pictures=40, each=3):
    """Credits of items that are about alike on one picture, and the pictures' numbers."""
    cluster = np.repeat(np.arange(pictures), each)
    known = rng.random(pictures)[cluster]
    return (rng.random(len(cluster)) < known).astype(float), cluster


def test_captions_on_one_picture_show_it_once_and_score_as_copies_of_it(home, tmp_path):
    model, decoded = Colours(), Counter()

    class Watched(Files):
        def __getitem__(self, at):
            decoded[self.paths[at].name] += 1
            return super().__getitem__(at)

    task = loaders.load("set", str(captions(tmp_path / "shared")))
    object.__setattr__(task, "pictures", Watched(task.pictures.paths))
    once = evaluated(task, model)
    copies = evaluated(f"copies={captions(tmp_path / 'copies', own=True)}")

    assert decoded == dict.fromkeys(("red-.png", "blue-.png", "green-.png"), 1)
    assert (model.shown, once.decoded, once.encoded, copies.encoded) == (3, 3, 3, 6)
    assert verdicts(once)[0] == verdicts(copies)[0] == [1, 1, 0, 1, 1, 0]
    assert (once.metrics[0].n, once.clusters, copies.clusters) == (6, 3, None)
    assert once.metrics[0].value == copies.metrics[0].value
    assert evaluated(task, model).encoded == 0  # kept for the next time


def test_a_picture_that_cannot_be_read_is_told_once_and_fails_all_its_items(home, tmp_path):
    path = captions(tmp_path)
    (tmp_path / "red-.png").write_bytes(b"no picture")

    outcome = evaluated(f"set={path}")

    assert (outcome.unread, outcome.metrics[0].n, len(outcome.failed)) == (3, 3, 1)


def test_items_about_one_picture_share_a_cluster_down_to_the_store(home, tmp_path):
    outcome = evaluated(f"set={captions(tmp_path)}")

    _, items = verdicts(outcome)
    assert [one.cluster for one in items] == [
        "picture/0", "picture/1", "picture/0", None, "picture/0", "picture/1",
    ]  # fmt: skip
    path = build.ensure()
    assert queries.items(path, "set")["cluster"].nunique() == 3
    (row,) = suite.load(path, "zeroshot").scores.to_dict("records")
    robust = sm.OLS([1, 1, 0, 1, 1, 0], np.ones(6)).fit(
        cov_type="cluster", cov_kwds={"groups": [0, 1, 0, 2, 0, 1]}
    )
    assert (row["n"], row["clusters"]) == (6, 3)
    assert row["item_se"] == pytest.approx(float(robust.bse[0]))
    assert (row["item_low"], row["item_high"]) == pytest.approx(interval(outcome.metrics[0]))
    assert "the items are about 3 pictures" in row["note"]


def test_the_printed_interval_is_wilsons_with_what_clustered_items_are_worth(rng):
    credit, cluster = in_pairs(rng)

    metric = scoring.proportion("accuracy", credit, 0.5, cluster)

    robust = sm.OLS(credit, np.ones(len(credit))).fit(
        cov_type="cluster", cov_kwds={"groups": cluster}
    )
    quantile = resample.t_quantile(39) / intervals.z()
    worth = credit.mean() * (1 - credit.mean()) / (robust.bse[0] * quantile) ** 2
    assert metric.worth == pytest.approx(worth) and metric.worth < metric.n == 120
    assert interval(metric) == pytest.approx(tuple(map(float, resample.wilson(credit, cluster))))


def test_recall_per_class_is_worth_what_a_clustered_regression_on_classes_says(rng):
    credit, cluster = in_pairs(rng)
    labels = rng.permutation(np.arange(120) % 4)

    metric = scoring.per_class(credit, labels, 4, cluster)

    robust = sm.OLS(credit, np.eye(4)[labels]).fit(cov_type="cluster", cov_kwds={"groups": cluster})
    even = np.full(4, 1 / 4)
    se = np.sqrt(even @ robust.cov_params() @ even * (120 - 4) / 119)  # without its own n - k
    quantile = resample.t_quantile(39) / intervals.z()
    assert metric.value == pytest.approx(even @ robust.params)
    assert metric.worth == pytest.approx(metric.value * (1 - metric.value) / (se * quantile) ** 2)
    assert metric.worth < scoring.per_class(credit, labels, 4).worth


def test_every_metric_of_clustered_items_is_worth_less(rng):
    images, names = (scoring.normalised(rng.normal(size=(n, 8))) for n in (30, 6))
    images, cluster = np.repeat(images, 4, axis=0), np.repeat(np.arange(30), 4)
    labels = np.repeat(rng.integers(0, 6, 30), 4)
    pairs = np.repeat(rng.normal(size=(30, 2, 2)), 4, axis=0)

    found = [
        scoring.classify(images, names, labels, Scale(), None, cluster),
        scoring.several(images, names, np.eye(6, dtype=bool)[labels], Scale(), None, cluster),
        relation.pairs(pairs, Scale(), cluster),
    ]

    worth = [one for scored in found for one in scored.metrics if not np.isnan(one.worth)]
    assert len(worth) == 10
    assert all(one.worth < one.n / 2 for one in worth)


def test_parts_of_one_picture_are_one_cluster_and_two_pictures(tmp_path):
    task = loaders.load("vg_relation", str(genome(tmp_path)))

    assert task.pictures.alike() is None
    assert task.cluster().tolist() == [0, 0, 1]
    files = task.pictures.files
    twice = Crops(files, [(0, 0, 20, 20), (0, 0, 20, 20), (0, 0, 20, 20)])
    assert twice.alike().tolist() == [0, 0, 1]


def test_the_same_bytes_in_shards_or_columns_of_captions_are_one_picture(tmp_path):
    two = [["a", "b"], ["c", "d"], ["e", "f"]]
    colours = ("red", "blue", "red")
    files = {}
    for at, (colour, told) in enumerate(zip(colours, two, strict=True)):
        files |= {f"s{at}.0.webp": webp(colour), f"s{at}.npy": npy(told)}
    shard(tmp_path / "tar" / "0.tar", files)
    rows = [shown(colour) for colour in colours]
    parquet(tmp_path / "columns" / "test.parquet", made({"0.webp": rows, "npy": two}))

    for place in ("tar", "columns"):
        task = loaders.load("order", str(tmp_path / place))
        assert task.cluster().tolist() == task.pictures.alike().tolist() == [0, 1, 0]


def test_winogrounds_items_stand_alone_unless_one_shares_a_picture(tmp_path):
    assert loaders.load("winoground", str(winoground(tmp_path))).cluster() is None
    paths = [tmp_path / "images" / f"ex_{n}_img_{at}.png" for n in (0, 1) for at in (0, 1)]
    shared = Files([*paths[:2], *paths[1:3], paths[3], paths[3]])

    task = Task("pairs", shared, captions=(("a", "b"),) * 3, pairs=True)

    assert task.cluster().tolist() == [0, 0, 1]


def test_corruptions_of_one_picture_are_one_cluster(monkeypatch):
    monkeypatch.setattr(corrupted, "_package", SimpleNamespace)
    task = Task("x", Arrays(np.zeros((2, 9, 9), np.uint8)), ("a", "b"), np.array([0, 1]))

    several = corrupted.of(task, {"corruption": "fog,snow", "severity": "1"})

    assert several.cluster().tolist() == [0, 1, 0, 1] and several.pictures.alike() is None
    assert corrupted.of(task, {"corruption": "fog", "severity": "1"}).cluster() is None
