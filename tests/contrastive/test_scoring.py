"""Scores from embeddings, against hand calculation, torch and the faults of published scorers."""

import math

import numpy as np
import pytest
import torch

from evalcore.contrastive import relation, scoring
from evalcore.contrastive.scoring import Scale
from evalcore.errors import EvalcoreError

SCALE = Scale(100.0)


def embeddings(rng, n, d=16):
    return scoring.normalised(rng.normal(size=(n, d)).astype(np.float32))


def values(scored):
    return {metric.name: metric.value for metric in scored.metrics}


def chances(scored):
    return {metric.name: metric.chance for metric in scored.metrics}


@pytest.fixture
def world(rng):
    """200 pictures of 12 classes."""
    return embeddings(rng, 200), embeddings(rng, 12), rng.integers(0, 12, 200)


def test_top_1_to_5_are_torchs(world):
    images, names, labels = world
    logits = torch.from_numpy(images) @ torch.from_numpy(names).T
    best = logits.topk(5, dim=1).indices == torch.from_numpy(labels)[:, None]

    found = values(scoring.classify(images, names, labels, SCALE))

    assert found["accuracy"] == best[:, 0].double().mean()
    for j in range(2, 6):
        assert found[f"accuracy-top{j}"] == best[:, :j].any(dim=1).double().mean()


def test_the_first_guess_its_confidence_and_the_entropy_are_the_softmaxs(world):
    images, names, labels = world
    odds = torch.softmax(100 * torch.from_numpy(images) @ torch.from_numpy(names).T, dim=1)

    found = scoring.classify(images, names, labels, SCALE)

    assert found.guess.tolist() == odds.argmax(dim=1).tolist()
    assert found.confidence == pytest.approx(odds.amax(dim=1).numpy(), rel=1e-4)
    entropy = torch.distributions.Categorical(odds).entropy().numpy()
    assert found.entropy == pytest.approx(entropy, rel=1e-3, abs=1e-5)


def test_a_sigmoid_model_is_as_sure_as_its_sigmoid(world):
    images, names, labels = world
    odds = torch.sigmoid(100 * torch.from_numpy(images) @ torch.from_numpy(names).T - 10)

    found = scoring.classify(images, names, labels, Scale(100.0, -10.0))

    assert found.confidence == pytest.approx(odds.amax(dim=1).numpy(), rel=1e-4)


@pytest.mark.parametrize("size", [1, 2, 3, 50, 199, 200])
def test_the_size_of_a_block_changes_nothing_and_a_last_block_of_one_is_scored(
    world, size, monkeypatch
):
    whole = scoring.classify(*world, SCALE)

    monkeypatch.setattr(scoring, "BLOCK", size * 12)
    found = scoring.classify(*world, SCALE)

    assert found.guess.tolist() == whole.guess.tolist()
    assert values(found) == values(whole)


@pytest.mark.parametrize("classes", [1, 2, 3, 4, 5, 6])
def test_a_top_k_stands_only_where_there_are_more_classes_than_k(rng, classes):
    labels = rng.integers(0, classes, 9)

    found = scoring.classify(embeddings(rng, 9), embeddings(rng, classes), labels, SCALE)

    told = [name for name in values(found) if name.startswith("accuracy-top")]
    assert told == [f"accuracy-top{j}" for j in range(2, 6) if j < classes]


def test_with_few_classes_each_picture_has_a_guess_of_its_own(rng):
    names = np.eye(2, 4, dtype=np.float32)
    images = np.concatenate([names[[1, 1, 0]], names[:1]])

    found = scoring.classify(images, names, np.array([0, 1, 0, 1]), SCALE)

    assert found.guess.tolist() == [1, 1, 0, 0]
    assert found.credit.tolist() == [0, 1, 1, 0]


def test_one_class_is_always_right(rng):
    found = scoring.classify(embeddings(rng, 3), embeddings(rng, 1), np.zeros(3, np.int64), SCALE)

    assert values(found) == {"accuracy": 1, "mean-per-class-recall": 1}
    assert chances(found) == {"accuracy": 1, "mean-per-class-recall": 1}
    assert found.ties == 0


def test_a_model_that_says_the_same_of_everything_scores_chance_and_its_ties_are_counted(rng):
    names = np.tile(embeddings(rng, 1), (10, 1))
    labels = np.arange(30) % 10

    found = scoring.classify(embeddings(rng, 30), names, labels, SCALE)

    assert values(found) == pytest.approx(chances(found))
    assert values(found)["accuracy-top3"] == pytest.approx(0.3)
    assert found.ties == 30


def test_classes_of_one_name_share_its_text_and_tie_exactly(rng):
    images, names = embeddings(rng, 40), embeddings(rng, 3)
    same = np.array([0, 1, 2, 1])

    found = scoring.classify(images, names, np.full(40, 3), SCALE, same)

    assert set(found.credit) <= {0.0, 0.5}
    assert (found.credit > 0).sum() == found.ties > 0


def test_recall_is_a_mean_over_the_classes_that_have_pictures(rng):
    names = np.eye(4, dtype=np.float32)
    labels = np.array([0, 0, 0, 1])
    images = names[[0, 0, 2, 1]]

    metric = scoring.classify(images, names, labels, SCALE).metrics[-1]

    assert metric.value == pytest.approx((2 / 3 + 1) / 2)
    assert metric.note == "2 of 4 classes have no picture"


def test_a_picture_that_could_not_be_read_has_no_score(world):
    images, names, labels = world
    images[7] = np.nan
    without = np.delete(np.arange(200), 7)

    found = scoring.classify(images, names, labels, SCALE)
    rest = scoring.classify(images[without], names, labels[without], SCALE)

    assert (found.unscored, found.guess[7], found.tied[7]) == (1, -1, False)
    assert math.isnan(found.credit[7])
    assert values(found) == pytest.approx(values(rest))
    assert {metric.n for metric in found.metrics} == {199}


def test_text_embeddings_that_are_no_numbers_are_refused(world):
    images, names, labels = world
    names[3, 0] = np.nan

    with pytest.raises(EvalcoreError, match="not all numbers"):
        scoring.classify(images, names, labels, SCALE)


def test_class_embeddings_are_averaged_over_templates_and_have_length_one(rng):
    texts = embeddings(rng, 6)

    found = scoring.classifier(texts, 3)

    mean = (texts[2] + texts[3]) / 2
    assert found[1] == pytest.approx(mean / np.linalg.norm(mean), rel=1e-6)


def test_several_classes_a_picture_are_scored_by_average_precision():
    names = np.eye(3, dtype=np.float32)
    images = np.array([[0.9, 0.1, 0.2], [0.8, 0.3, 0.1], [0.1, 0.9, 0.7]], np.float32)
    labels = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 0]], bool)

    found = scoring.several(images, names, labels, SCALE)

    # Class 0 finds its pictures first and third, class 1 its two first; no picture shows class 2.
    assert values(found)["mean-average-precision"] == pytest.approx(((1 + 2 / 3) / 2 + 1) / 2)
    assert found.metrics[0].note == "1 of 3 classes have no picture"
    assert values(found)["hit@1"] == pytest.approx(2 / 3)
    assert chances(found)["hit@1"] == pytest.approx((1 + 1 + 2) / 9)


def test_equal_scores_have_the_precision_of_all_of_them():
    assert scoring.precision(np.ones(4), np.array([True, False, False, False])) == 0.25
    assert math.isnan(scoring.precision(np.ones(2), np.zeros(2, bool)))


@pytest.mark.parametrize(("right", "n"), [(1, 1), (1, 5), (3, 7), (7, 7)])
def test_chance_of_average_precision_is_that_of_random_orders(rng, right, n):
    shown = np.arange(n) < right

    drawn = [scoring.precision(rng.permutation(n).astype(float), shown) for _ in range(4000)]

    assert np.mean(drawn) == pytest.approx(scoring.by_chance(right, n), abs=0.02)


def test_a_caption_is_right_only_where_it_beats_the_others():
    texts = np.eye(3, dtype=np.float32)
    candidates = [np.array([0, 1]), np.array([1, 0, 2]), np.array([2, 1])]

    found = relation.captions(texts[[0, 2, 1]], texts, candidates, np.array([0, 0, 0]), SCALE)

    assert found.credit.tolist() == [1, 0, 0]
    assert found.guess.tolist() == [0, 2, 1]
    assert found.metrics[0].chance == pytest.approx((1 / 2 + 1 / 3 + 1 / 2) / 3)


def test_captions_that_a_model_cannot_tell_apart_earn_a_share_each(rng):
    image, text = embeddings(rng, 5, 512), embeddings(rng, 1, 512)
    candidates = [np.zeros(count, np.int64) for count in (2, 3, 4, 5, 7)]

    found = relation.captions(image, text, candidates, np.zeros(5, np.int64), SCALE)

    assert found.credit == pytest.approx([1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 7])
    assert values(found) == pytest.approx(chances(found))
    assert found.ties == 5


def test_winoground_scores_are_the_papers():
    cosines = np.array(
        [
            [[0.9, 0.1], [0.2, 0.8]],  # all right
            [[0.9, 0.1], [0.95, 0.96]],  # each picture finds its caption, a caption not its picture
            [[0.5, 0.9], [0.4, 0.95]],  # each caption finds its picture, a picture not its caption
        ]
    )

    found = relation.pairs(cosines, SCALE)

    assert found.extra["text"].tolist() == [1, 1, 0]
    assert found.extra["image"].tolist() == [1, 0, 1]
    assert found.extra["group"].tolist() == [1, 0, 0]


def test_winoground_pairs_of_equal_scores_earn_what_chance_earns():
    found = relation.pairs(np.full((3, 2, 2), 0.3), SCALE)

    assert values(found) == pytest.approx(chances(found))
    assert chances(found) == pytest.approx(
        {"winoground-group": 1 / 6, "winoground-image": 1 / 4, "winoground-text": 1 / 4}
    )
    assert found.ties == 3


def test_winoground_chance_is_what_random_scores_earn(rng):
    found = values(relation.pairs(rng.normal(size=(20_000, 2, 2)), SCALE))

    assert found["winoground-text"] == pytest.approx(0.25, abs=0.015)
    assert found["winoground-image"] == pytest.approx(0.25, abs=0.015)
    assert found["winoground-group"] == pytest.approx(1 / 6, abs=0.015)


def test_a_single_pair_is_scored():
    assert relation.pairs(np.array([[[1.0, 0.0], [0.0, 1.0]]]), SCALE).credit.tolist() == [1]
