"""Models on benchmarks, from files to run folders and the store."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from evalcore.contrastive.datasets import loaders
from evalcore.contrastive.evaluate import Evaluator
from evalcore.contrastive.pictures import Arrays, Files
from evalcore.contrastive.task import Task
from evalcore.engine import runs
from evalcore.errors import BadInput, EvalcoreError
from evalcore.store import build, queries
from tests.contrastive.worlds import COLOURS, Colours, Same, class_folders, picture, spec


def evaluate(model, benchmark, **about):
    return Evaluator(device="cpu").add_model(model).add_benchmark(benchmark, **about).outcomes()


def metrics(outcome):
    return {metric.name: metric.value for metric in outcome.metrics}


@pytest.fixture
def folder(tmp_path):
    return class_folders(tmp_path / "colours")


def run_of(outcome):
    return {run.id: run for run in runs.own()}[outcome.run]


def test_a_model_that_sees_colours_names_them_all(home, folder):
    (outcome,) = evaluate(Colours(), f"colours={folder}")

    assert metrics(outcome) == {
        "accuracy": 1, "accuracy-top2": 1, "accuracy-top3": 1, "mean-per-class-recall": 1
    }  # fmt: skip
    assert (outcome.metrics[0].n, outcome.metrics[0].chance) == (12, 0.25)


def test_a_run_is_a_folder_like_every_other(home, folder):
    (outcome,) = evaluate(Colours(), f"colours={folder}")

    run = run_of(outcome)
    answers, verdicts = run.predictions(), run.verdicts("top-1-1-r0")
    items = run.items()
    assert (run.settings.model, run.settings.benchmark) == ("colours", "colours")
    assert [item.answers for item in items] == [(c,) for c in COLOURS for _ in range(3)]
    assert all(item.images[0].is_file() for item in items)
    assert {one.text for one in answers.values()} == set(COLOURS)
    assert {one.score for one in verdicts.values()} == {1.0}
    assert set(answers) == set(verdicts) == {item.id for item in items}
    assert run.fact("fingerprint") == "1-fp32-cpu"


def test_the_store_holds_the_score_with_its_n_chance_type_and_capability(home, folder):
    about = {"classes": ["red", "blue"], "type": "texture", "capability": "colour"}
    evaluate(Colours(), [(picture("red"), 0), (picture("blue"), 1)], name="two", **about)

    evaluate(Same(), [(picture("red"), 0)], name="torn", classes=["red", "blue"])
    torn = next(run for run in runs.own() if run.settings.benchmark == "torn")
    (torn.folder / "scores.json").unlink()

    path = build.build()

    (row,) = queries.scores(path, "zeroshot").to_dict("records")
    assert (row["model"], row["benchmark"], row["value"], row["n"]) == ("colours", "two", 1, 2)
    known = queries.table(path, "benchmarks").set_index("benchmark").loc["two"]
    assert (known["chance"], known["n_classes"]) == (0.5, 2)
    assert (known["type"], known["capability"]) == ("texture", "colour")


def test_a_known_benchmarks_main_metric_is_the_catalogues(home, folder):
    (outcome,) = evaluate(Colours(), f"pets={folder}?as=four-pets")

    assert outcome.metrics[0].name == "mean-per-class-recall"


def test_new_prompts_show_the_model_no_picture_again(home, folder, tmp_path):
    words = tmp_path / "words.json"
    words.write_text(json.dumps({"classes": ["night", "blue", "green", "red"]}))
    model = Colours()
    evaluate(model, f"colours={folder}")

    (outcome,) = evaluate(model, f"colours={folder}", prompts=[str(words)])

    assert (model.shown, outcome.encoded, outcome.decoded) == (12, 0, 0)
    assert outcome.prompts == "words"
    assert metrics(outcome)["accuracy"] == 0.75  # nothing is like night


def test_several_prompt_sets_cost_one_pass_even_where_nothing_is_kept(home, folder, tmp_path):
    files = []
    for number in range(3):
        files.append(tmp_path / f"{number}.json")
        files[-1].write_text(json.dumps({"templates": [f"picture {number} of {{}}"]}))
    model = Colours()
    model.revision = None

    found = evaluate(model, f"colours={folder}", prompts=[str(path) for path in files])

    assert model.shown == 12
    assert [one.encoded for one in found] == [12, 0, 0]
    assert len({one.run for one in found}) == 3


def test_the_same_text_is_shown_to_a_model_once(home, folder):
    model = Colours()
    evaluate(model, f"colours={folder}")
    evaluate(model, f"again={folder}")

    assert sorted(model.said) == sorted(f"a photo of a {colour}." for colour in COLOURS)


def test_a_model_that_says_the_same_of_everything_scores_chance(home, folder):
    (outcome,) = evaluate(Same(), f"colours={folder}")

    assert metrics(outcome)["accuracy"] == pytest.approx(0.25)
    assert outcome.ties == 12


@pytest.mark.parametrize("batch", [1, 5, 11, 12])
def test_a_last_batch_of_one_is_nothing_special(home, folder, tmp_path, batch):
    model = spec(tmp_path)
    whole = Evaluator(device="cpu").add_model(model).add_benchmark(f"colours={folder}").outcomes()
    (home / "cache").rename(home / "before")

    found = (
        Evaluator(device="cpu", batch=batch)
        .add_model(model)
        .add_benchmark(f"colours={folder}")
        .outcomes()
    )

    assert metrics(found[0]) == metrics(whole[0])


def test_two_classes_are_scored_and_one_is_no_choice(home, tmp_path):
    two = class_folders(tmp_path / "two", each=1, colours=("black", "red"))
    one = class_folders(tmp_path / "one", each=1, colours=("red",))

    (outcome,) = evaluate(Colours(), f"two={two}")

    assert metrics(outcome) == {"accuracy": 1, "mean-per-class-recall": 1}
    assert outcome.metrics[0].chance == 1 / 2
    assert {one.text for one in run_of(outcome).predictions().values()} == {"black", "red"}
    with pytest.raises(BadInput, match="'one' has one class, 'red'; a choice needs two classes"):
        evaluate(Colours(), f"one={one}")
    assert [run.settings.benchmark for run in runs.own()] == ["two"]


def test_pictures_of_several_classes(home, tmp_path):
    for colour in ("red", "blue"):
        picture(colour).save(tmp_path / f"{colour}.png")
    (tmp_path / "set.csv").write_text("image,label\nred.png,red;green\nblue.png,blue\n")

    (outcome,) = evaluate(Colours(), f"several={tmp_path / 'set.csv'}")

    # Red and blue find their pictures; the blue one, wrongly, comes first for green.
    assert metrics(outcome)["mean-average-precision"] == pytest.approx((1 + 1 + 1 / 2) / 3)
    assert metrics(outcome)["hit@1"] == 1
    assert run_of(outcome).items()[0].answers == ("green", "red")
    assert math.isnan(outcome.row()["low"])


def test_a_class_without_a_picture_is_left_out_of_the_mean_and_said(home, folder):
    whole = loaders.load("colours", str(folder))
    some = [at for at, label in enumerate(whole.labels) if whole.classes[label] != "green"]
    files = Files([whole.pictures.path(at) for at in some])

    (outcome,) = evaluate(Colours(), replace(whole, pictures=files, labels=whole.labels[some]))

    recall = outcome.metrics[-1]
    assert (recall.value, recall.n, recall.note) == (1, 9, "1 of 4 classes have no picture")


def test_a_picture_that_cannot_be_read_has_no_score_and_is_told(home, folder):
    whole = (folder / "red" / "1.png").read_bytes()
    (folder / "red" / "1.png").write_bytes(whole[: len(whole) // 2])

    (outcome,) = evaluate(Colours(), f"colours={folder}")
    (again,) = evaluate(Colours(), f"colours={folder}")

    assert (outcome.unread, outcome.metrics[0].n, outcome.metrics[0].value) == (1, 11, 1)
    assert "red/1.png cannot be decoded (" in outcome.failed[0]
    assert (again.encoded, again.failed, metrics(again)) == (0, outcome.failed, metrics(outcome))
    run = run_of(outcome)
    broken = next(item.id for item in run.items() if item.images[0].name == "1.png"
                  and item.answers == ("red",))  # fmt: skip
    assert run.predictions()[broken].text is None
    assert run.verdicts("top-1-1-r0")[broken].score is None


def test_a_set_of_which_nothing_can_be_read_is_an_error(home, tmp_path):
    for colour in ("blue", "red"):
        (tmp_path / "all" / colour).mkdir(parents=True)
        (tmp_path / "all" / colour / "0.png").write_bytes(b"no picture")

    with pytest.raises(EvalcoreError, match="none of 2 pictures can be read.*0.png"):
        evaluate(Colours(), f"all={tmp_path / 'all'}")


def test_a_picture_that_changed_is_another_set_of_pictures(home, folder):
    model = Colours()
    evaluate(model, f"colours={folder}")
    picture("blue").save(folder / "red" / "1.png")

    with pytest.raises(BadInput, match="other pictures or labels now"):
        evaluate(model, f"colours={folder}")
    assert model.shown == 24


def test_relation_captions_and_their_ties(home, tmp_path):
    picture("red").save(tmp_path / "red.png")
    rows = ["image,caption,wrong_1,wrong_2", "red.png,a red thing,a blue thing,a green thing"]
    rows += ["red.png,red on blue,red on green,", "red.png,a blue thing,a red thing,"]
    (tmp_path / "set.csv").write_text("\n".join(rows) + "\n")

    (outcome,) = evaluate(Colours(), f"relation={tmp_path / 'set.csv'}")

    # The second row's captions are alike to a model that reads the first colour it knows.
    blue_first = [1, 0.5, 0] if list(COLOURS).index("blue") > list(COLOURS).index("red") else None
    credit = [one.score for one in run_of(outcome).verdicts("accuracy-1-r0").values()]
    assert credit[0] == 1 and credit[2] == 0
    assert outcome.metrics[0].chance == pytest.approx((1 / 3 + 1 / 2 + 1 / 2) / 3)
    assert blue_first is None or credit == blue_first
    assert run_of(outcome).items()[0].choices == ("a red thing", "a blue thing", "a green thing")


def test_winoground_pairs(home, tmp_path):
    for colour in ("red", "blue"):
        picture(colour).save(tmp_path / f"{colour}.png")
    (tmp_path / "set.csv").write_text(
        "image_0,caption_0,image_1,caption_1\nred.png,a red thing,blue.png,a blue thing\n"
    )

    (outcome,) = evaluate(Colours(), f"pairs={tmp_path / 'set.csv'}")

    assert metrics(outcome) == {
        "winoground-group": 1, "winoground-image": 1, "winoground-text": 1
    }  # fmt: skip
    assert len(run_of(outcome).items()[0].images) == 2


def test_captions_beyond_the_context_tie_and_are_counted(home, tmp_path):
    picture("red").save(tmp_path / "red.png")
    start = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    (tmp_path / "set.csv").write_text(
        f"image,caption,wrong\nred.png,{start} fifteen red,{start} fifteen blue\n"
    )

    (outcome,) = evaluate(spec(tmp_path), f"long={tmp_path / 'set.csv'}")

    assert (outcome.cut, outcome.texts, outcome.ties) == (2, 2, 1)
    assert metrics(outcome)["accuracy"] == 0.5


def test_embeddings_that_do_not_fit_are_refused_in_words(home, folder):
    class Few(Colours):
        revision = "few"

        def get_image_embeddings(self, pictures):
            return super().get_image_embeddings(pictures)[:1]

    class Narrow(Colours):
        revision = "narrow"

        def get_text_embeddings(self, texts):
            return super().get_text_embeddings(texts)[:, :2]

    with pytest.raises(BadInput, match=r"gave 1 embeddings for \d+ pictures"):
        evaluate(Few(), f"colours={folder}")
    with pytest.raises(BadInput, match="have 3 numbers, those of texts 2"):
        evaluate(Narrow(), f"colours={folder}")


def test_one_failing_model_keeps_the_others_results(home, folder):
    class Broken(Colours):
        def get_image_embeddings(self, pictures):
            raise EvalcoreError("out of order")

    evaluator = Evaluator(device="cpu").add_model(Broken()).add_model(Colours())

    with pytest.raises(EvalcoreError, match=r"out of order \(1 results are kept\)"):
        evaluator.add_benchmark(f"colours={folder}").evaluate()
    assert [run.settings.model for run in runs.own()] == ["colours"]


def test_grey_pictures_take_a_third_of_the_room_and_score_as_in_colour(home, tmp_path):
    grey = np.random.default_rng(0).integers(0, 256, (7, 9, 9), np.uint8)
    labels = np.arange(7) % 2
    both = [
        Task(name, Arrays(data), ("0", "1"), labels)
        for name, data in (("grey", grey), ("colour", np.repeat(grey[..., None], 3, axis=3)))
    ]
    evaluator = Evaluator(device="cpu").add_model(spec(tmp_path))
    for task in both:
        evaluator.add_benchmark(task)

    found = evaluator.outcomes()

    assert metrics(found[0]) == metrics(found[1])
    sizes = sorted(path.stat().st_size for path in (home / "cache/pixels").rglob("*.npy"))
    assert sizes == [7 * 256 + 128, 3 * 7 * 256 + 128]


def test_a_data_set_with_a_transform_is_refused_in_words(home):
    data = [(np.zeros((3, 4, 4), np.float32), 0)]

    with pytest.raises(BadInput, match="make the data set without a transform"):
        evaluate(Colours(), data, name="floats", classes=["red", "blue"])


def test_nothing_to_do_is_said():
    with pytest.raises(BadInput, match="add a model and a benchmark first"):
        Evaluator().evaluate()


def test_real_digits_run_from_the_files_as_they_are_published(home, shared, tmp_path):
    task = loaders.load("mnist", str(shared / "data" / "mnist"))

    assert np.bincount(task.labels).tolist()[::9] == [980, 1009]
    few = Task("mnist", Arrays(task.pictures.data[:65]), task.classes, task.labels[:65])
    (outcome,) = evaluate(spec(tmp_path), few)
    assert outcome.metrics[0].n == 65
    assert Image.fromarray(task.pictures.data[0]).size == (28, 28)
