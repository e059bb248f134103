"""What a model may give instead of embeddings: no traceback, nothing kept or counted wrong."""

import numpy as np
import pytest
import torch

from evalcore.contrastive.cache import Cache
from evalcore.contrastive.encoder import Encoder, Transform, unit
from evalcore.contrastive.evaluate import Evaluator
from evalcore.contrastive.pictures import Arrays
from evalcore.contrastive.scoring import Scale
from evalcore.contrastive.task import Task
from evalcore.engine import runs
from evalcore.errors import BadInput, EvalcoreError
from evalcore.store import build, queries
from tests.contrastive.worlds import COLOURS, Colours
from tests.fuzz import TIMES

CASES = 500 * TIMES
NAMES = tuple(COLOURS)
PICTURES = Arrays(
    np.array([np.full((4, 4, 3), COLOURS[NAMES[at % 4]], np.uint8) for at in range(8)])
)
LABELS = np.arange(8) % 4


def worded(*colours):
    return tuple(f"a {colour} thing" for colour in colours)


TASKS = (
    Task("classes", PICTURES, NAMES, LABELS),
    Task("several", PICTURES, NAMES, np.eye(4, dtype=bool)[LABELS]),
    Task(
        "captions",
        PICTURES,
        captions=tuple(worded(NAMES[at], NAMES[at - 1], NAMES[at - 2]) for at in LABELS),
        right=np.zeros(8, np.int64),
    ),
    Task(
        "pairs",
        PICTURES,
        captions=tuple(worded(NAMES[at], NAMES[at + 1]) for at in (0, 2, 0, 2)),
        pairs=True,
    ),
)
VALUES = (np.nan, np.inf, -np.inf, 0.0, 1e30, -1e38, 1e-30, 1e300)


def shifted(array, rng):
    """One or more rows, or one number, become something odd."""
    found = np.array(array, np.float64)
    rows = rng.choice(len(found), rng.integers(1, len(found) + 1), replace=False)
    value = VALUES[rng.integers(len(VALUES))]
    if rng.random() < 0.5:
        found[rows] = value
    else:
        found[rows, rng.integers(found.shape[1])] = value
    return found


SHAPES = (
    lambda array, rng: array[: rng.integers(0, len(array))],
    lambda array, rng: np.concatenate([array, array]),
    lambda array, rng: array[:, : rng.integers(0, 3)],
    lambda array, rng: array.mean(axis=1),
    lambda array, rng: array[None],
    lambda array, rng: array.T[:, :1],
)
KINDS = (
    lambda array, rng: torch.tensor(array).half(),
    lambda array, rng: torch.tensor(array).bfloat16(),
    lambda array, rng: np.round(array * 100).astype(np.int16),
    lambda array, rng: array.astype(np.complex64),
    lambda array, rng: array.astype(str),
    lambda array, rng: array.astype(object),
    lambda array, rng: [list(row)[: at % 3 + 1] for at, row in enumerate(array)],
    lambda array, rng: array.tolist(),
    lambda array, rng: None,
    lambda array, rng: {"embeddings": array},
    lambda array, rng: 1 / 0,
    lambda array, rng: torch.tensor(array, requires_grad=True),
)


def plausible(made, count):
    """Whether it is what a model could mean: a direction for each."""
    try:
        if np.iscomplexobj(made):
            return False
        rows = np.array([[float(one) for one in row] for row in made])
        return (
            len(rows) == count
            and rows.ndim == 2
            and bool(
                rows.shape[1] and np.isfinite(rows).all() and np.abs(rows).max(axis=1).min() > 0
            )
        )
    except (TypeError, ValueError):
        return False


def same(made, array):
    rows = np.array([[float(one) for one in row] for row in made])
    return rows.shape == array.shape and np.allclose(rows, array, rtol=0.02)


class Odd(Colours):
    """Knows colours, but gives something odd now and then; its weights keep their name."""

    revision = "odd"
    image_size = 4

    def __init__(self, rng=None, of=("images", "texts")):
        super().__init__()
        self.rng, self.of, self.plausible = rng, of, False

    def get_image_embeddings(self, pictures):
        return self._odd("images", super().get_image_embeddings(pictures).numpy())

    def get_text_embeddings(self, texts):
        return self._odd("texts", super().get_text_embeddings(texts))

    def _odd(self, what, array):
        if self.rng is None or what not in self.of:
            return array
        ways = (shifted, *SHAPES, *KINDS)
        chosen = 0 if self.rng.random() < 0.6 else self.rng.integers(len(ways))
        made = ways[chosen](array, self.rng)
        self.plausible |= plausible(made, len(array)) and not same(made, array)
        return made


def evaluate(model, task):
    return Evaluator(device="cpu").add_model(model, "odd").add_benchmark(task).outcomes()[0]


def credited(outcome):
    run = {run.id: run for run in runs.own()}[outcome.run]
    (path,) = (run.folder / "verdicts").iterdir()
    scores = {one.item: one.score for one in run.verdicts(path.stem).values()}
    return [scores[item.id] for item in run.items()], run


def test_whatever_a_model_gives_there_is_a_score_or_a_sentence_and_no_lasting_damage(home):
    whole = {task.id: credited(evaluate(Odd(), task))[0] for task in TASKS}
    said, scored, compared = 0, 0, 0
    for seed in range(CASES):
        rng = np.random.default_rng(seed)
        task = TASKS[seed % len(TASKS)]
        for run in runs.own():
            run.folder.rename(home / f"done-{seed}-{run.folder.name}")
        Cache().clear()
        of = (("images",), ("texts",), ("images", "texts"))[seed % 3]
        model = Odd(rng, of)
        try:
            outcome = evaluate(model, task)
        except EvalcoreError as error:
            said += 1
            assert runs.own() == [] and len(str(error)) > 20
        else:
            scored += 1
            found, run = credited(outcome)
            answers = list(run.predictions().values())
            assert outcome.unread == found.count(None) == sum(a.error is not None for a in answers)
            assert all(score is None or 0 <= score <= 1 for score in found)
            assert outcome.metrics[0].n == len(found) - found.count(None) > 0
            run.folder.rename(home / f"kept-{seed}")
        if not model.plausible:  # else nobody can know that it is not meant
            compared += 1
            assert credited(evaluate(Odd(), task))[0] == whole[task.id], "something odd was kept"
    assert min(said, scored, compared) > 100


def test_a_picture_without_an_embedding_has_no_score_and_the_others_keep_theirs(home):
    class Blind(Odd):
        def get_image_embeddings(self, pictures):
            found = Colours.get_image_embeddings(self, pictures)
            found[2:4] = float("nan")
            return found

    outcome = evaluate(Blind(), TASKS[0])

    found, run = credited(outcome)
    assert found == [1, 1, None, None, 1, 1, 1, 1]
    assert (outcome.unread, outcome.metrics[0].n, outcome.metrics[0].value) == (2, 6, 1)
    assert outcome.failed[0] == "picture 2: its embedding is zero or not all numbers"
    assert list(run.predictions().values())[2].error == (
        "the model gives no embedding of the picture"
    )
    assert queries.scores(build.build(), "zeroshot")["n"].tolist() == [6]


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_a_model_without_any_embedding_is_refused_and_leaves_nothing(home, bad):
    class Empty(Odd):
        def get_image_embeddings(self, pictures):
            return np.full((len(pictures), 3), bad)

    class Mute(Odd):
        def get_text_embeddings(self, texts):
            return np.full((len(texts), 3), bad)

    for model, said in (
        (Empty(), "gives no embedding for any of 8 pictures: picture 0: its embedding is zero or"),
        (Mute(), "gives no embedding for 4 of 4 texts, first 'a photo of a black.': its embedding"),
    ):
        with pytest.raises(EvalcoreError, match=said):
            evaluate(model, TASKS[0])
    assert runs.own() == []
    assert {row["kind"] for row in Cache().table()} == {"pixels", "images"}
    assert all(row["chunks"] == 1 for row in Cache().table())


def test_vectors_of_any_size_keep_their_direction():
    rows = np.array([[3.0, 4.0]])

    for size in (1e-300, 1e-30, 1e-12, 1.0, 1e20, 1e30, 1e300):
        assert unit(rows * size, 1, "m", "texts")[0] == pytest.approx([0.6, 0.8], abs=1e-3)
    assert unit(torch.tensor(rows).half() * 9000, 1, "m", "texts")[0] == pytest.approx(
        [0.6, 0.8], abs=1e-3
    )


def test_texts_that_cancel_each_other_out_are_told(home):
    class Torn(Odd):
        def get_text_embeddings(self, texts):
            return np.array(
                [[1.0, 0, 0] if text.startswith("a") else [-1.0, 0, 0] for text in texts]
            )

    task = Task("torn", PICTURES, NAMES, LABELS, templates=("a {}", "the {}"))

    with pytest.raises(EvalcoreError, match="cancel each other out"):
        evaluate(Torn(), task)


@pytest.mark.parametrize(
    ("factor", "bias"), [(np.nan, None), (np.inf, None), (0, None), (9, np.nan)]
)
def test_a_scale_that_is_no_number_is_refused(factor, bias):
    with pytest.raises(BadInput, match="the scale should be a number above 0"):
        Scale(factor, bias)


def test_an_encoder_says_what_is_wrong_with_what_its_model_gives():
    def encoder(give):
        return Encoder("m", None, Transform(lambda one: one, None), Scale(), give, give, list)

    for give, said in (
        (lambda _: torch.zeros(2, 3), "gave 2 embeddings for 1 texts; one of each"),
        (lambda _: torch.zeros(3), r"shape \(3,\) for 1 texts; a row of numbers for each"),
        (lambda _: "vector", "gave str for texts; a tensor or array of real numbers"),
        (lambda _: 1 / 0, r"fails on 1 texts \(ZeroDivisionError: division by zero\)"),
    ):
        with pytest.raises(EvalcoreError, match=said):
            encoder(give).texts(["red"])
