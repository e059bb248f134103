"""Benchmarks of every form on this disk, and the words when they are wrong."""

import gzip
import io
import json

import numpy as np
import pytest
from open_clip.zero_shot_metadata import IMAGENET_CLASSNAMES, OPENAI_IMAGENET_TEMPLATES
from PIL import Image

from evalcore.contrastive import digits, prompts
from evalcore.contrastive.datasets import loaders
from evalcore.contrastive.pictures import DatasetPictures, Spans
from evalcore.contrastive.task import Task
from evalcore.errors import BadInput
from tests.contrastive.worlds import class_folders, picture, shard


def png(colour="red"):
    held = io.BytesIO()
    picture(colour).save(held, "png")
    return held.getvalue()


def npy(array):
    held = io.BytesIO()
    np.save(held, array)
    return held.getvalue()


def idx(folder, pictures, labels, zipped=True):
    folder.mkdir(parents=True)
    for kind, array in (("images-idx3", pictures), ("labels-idx1", labels)):
        magic = 2051 if array.ndim == 3 else 2049
        raw = np.array([magic, *array.shape], ">i4").tobytes() + array.tobytes()
        name = f"t10k-{kind}-ubyte{'.gz' if zipped else ''}"
        (folder / name).write_bytes(gzip.compress(raw) if zipped else raw)
    return folder


def test_class_folders_are_classes_in_the_order_of_their_names(tmp_path):
    (tmp_path / "set" / ".hidden").mkdir(parents=True)

    task = loaders.load("colours", str(class_folders(tmp_path / "set", each=2)))

    assert task.classes == ("black", "blue", "green", "red")
    assert task.labels.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert task.templates == ("a photo of a {}.",)


def test_numbered_folders_are_in_the_order_of_their_numbers(tmp_path):
    for number in (0, 2, 10):
        (tmp_path / str(number)).mkdir()
        picture("red").save(tmp_path / str(number) / "a.png")

    assert loaders.load("numbers", str(tmp_path)).classes == ("0", "2", "10")


def test_a_folder_may_bring_its_own_names_and_templates(tmp_path):
    place = class_folders(tmp_path / "set", each=1, colours=("red", "blue"))
    (place / "classnames.txt").write_text("sky\nfire\n")
    (place / "zeroshot_classification_templates.txt").write_text("a {c}\nthe {c}\n")

    task = loaders.load("set", str(place))

    assert task.prompts() == ["a sky", "the sky", "a fire", "the fire"]


@pytest.mark.parametrize("zipped", [True, False])
def test_idx_files_zipped_or_not(tmp_path, rng, zipped):
    pictures = rng.integers(0, 256, (4, 5, 6), np.uint8)
    place = idx(tmp_path / "MNIST" / "raw", pictures, np.array([3, 0, 9, 1], np.uint8), zipped)

    task = loaders.load("mnist", str(place.parent))

    assert task.labels.tolist() == [3, 0, 9, 1]
    assert np.array_equal(np.asarray(task.pictures[2]), pictures[2])
    assert task.classes == tuple("0123456789")


def test_a_cut_off_idx_file_is_told(tmp_path, rng):
    place = idx(
        tmp_path / "m", rng.integers(0, 256, (4, 5, 6), np.uint8), np.zeros(4, np.uint8), False
    )
    path = place / "t10k-images-idx3-ubyte"
    path.write_bytes(path.read_bytes()[:-1])

    with pytest.raises(BadInput, match="t10k-images-idx3-ubyte is no whole idx file of images"):
        loaders.load("mnist", str(place))


def test_shards_in_clip_benchmarks_layout(tmp_path):
    place = tmp_path / "wds_colours"
    shard(place / "test" / "0.tar", {"s0.png": png("red"), "s0.cls": b"1"})
    shard(place / "test" / "10.tar", {"s2.cls": b"1\n", "s2.webp": png("blue")})
    shard(place / "test" / "2.tar", {"a/s1.jpg": png("blue"), "a/s1.cls": b"0", "a/s1.json": b"{}"})
    (place / "test" / "nshards.txt").write_text("3")
    (place / "classnames.txt").write_text("blue\nred\n")
    (place / "zeroshot_classification_templates.txt").write_text("a {c} thing\n")

    task = loaders.load("colours", str(place))

    assert task.labels.tolist() == [1, 0, 1]
    assert (task.classes, task.templates) == (("blue", "red"), ("a {c} thing",))
    assert isinstance(task.pictures, Spans)
    assert task.pictures[0].getpixel((0, 0))[0] > 200


def test_shards_of_several_classes_a_picture(tmp_path):
    shown = np.array([[1, 0, 1], [0, 1, 0]])
    files = {f"s{n}.png": png() for n in range(2)}
    shard(tmp_path / "0.tar", files | {f"s{n}.npy": npy(shown[n]) for n in range(2)})
    (tmp_path / "classnames.txt").write_text("a\nb\nc\n")

    task = loaders.load("several", str(tmp_path))

    assert task.several and task.labels.tolist() == shown.astype(bool).tolist()


@pytest.mark.parametrize(
    ("files", "about", "said"),
    [
        ({"s0.png": b"x"}, {}, "sample 's0' has no label"),
        ({"s0.cls": b"0"}, {}, "sample 's0' has no picture"),
        ({"s0.png": b"x", "s0.cls": b"red"}, {}, "s0.cls is no label"),
        ({"s0.png": b"x", "s0.cls": b"0"}, {"nshards.txt": "2"}, "says 2 shards, but 1 are there"),
        ({"s0.png": b"x", "s0.txt": b"a"}, {"dataset_type.txt": "retrieval"}, "retrieval set"),
        ({}, {}, "the shards hold no samples"),
    ],
)
def test_shards_that_lack_something_are_told(tmp_path, files, about, said):
    shard(tmp_path / "0.tar", files)
    for name, content in about.items():
        (tmp_path / name).write_text(content)

    with pytest.raises(BadInput, match=said):
        loaders.load("set", str(tmp_path))


def test_a_damaged_shard_is_told(tmp_path):
    (tmp_path / "0.tar").write_bytes(b"no archive at all" * 99)

    with pytest.raises(BadInput, match="0.tar is no whole, uncompressed tar file"):
        loaders.load("set", str(tmp_path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("image,label\nmissing.png,red\n", "1 of 1 pictures are missing, first .*missing.png"),
        ("image,label\n,red\n", "row 2: column 'image' is empty"),
        ("image,caption,wrong\nred.png,a,\n", "row 2: no wrong caption"),
        ("picture,label\nred.png,red\n", "has the columns picture, label; it should have"),
        ("image,label\n", "has no rows"),
        ("image_0,caption_0,image_1,caption_1\nred.png,a,red.png,\n", "'caption_1' is empty"),
    ],
)
def test_tables_that_lack_something_are_told(tmp_path, text, said):
    picture("red").save(tmp_path / "red.png")
    (tmp_path / "set.csv").write_text(text)

    with pytest.raises(BadInput, match=said):
        loaders.load("set", str(tmp_path / "set.csv"))


def test_a_table_of_labels(tmp_path):
    for colour in ("red", "blue"):
        picture(colour).save(tmp_path / f"{colour}.png")
    (tmp_path / "set.csv").write_text("image,label\nred.png,fire_truck\nblue.png,sky\n")

    task = loaders.load("set", str(tmp_path / "set.csv"))

    assert (task.classes, task.labels.tolist()) == (("fire truck", "sky"), [0, 1])


class Pictures:
    """As a torch Dataset: a length and items."""

    classes = ("sea_lion", "dog")
    targets = (1, 0)

    def __len__(self):
        return 2

    def __getitem__(self, at):
        return picture("red", at), self.targets[at]


def test_any_data_set_of_pictures_and_labels():
    task = loaders.dataset(Pictures(), "animals")

    assert (task.classes, task.labels.tolist()) == (("sea lion", "dog"), [1, 0])
    assert isinstance(task.pictures, DatasetPictures) and task.pictures.revision is None
    assert loaders.dataset(Pictures(), "animals", revision="v1").pictures.revision == "v1"


def test_a_torchvision_data_set_is_read_as_an_array(tmp_path, rng):
    import torchvision

    made = torchvision.datasets.ImageFolder(str(class_folders(tmp_path / "set", each=1)))

    task = loaders.dataset(made, "colours")

    assert task.pictures.revision is not None
    assert task.pictures.path(3).parent.name == "red"


def test_torchvisions_own_complaint_is_passed_on(tmp_path):
    with pytest.raises(BadInput, match="torchvision's CIFAR10 does not find its test set"):
        loaders.load("cifar10", str(tmp_path))


def test_nothing_there_and_nothing_in_it(tmp_path):
    with pytest.raises(BadInput, match="there is no file or folder"):
        loaders.load("set", str(tmp_path / "nothing"))
    with pytest.raises(BadInput, match="should hold a folder for each class"):
        loaders.load("set", str(tmp_path))


def test_labels_beyond_the_classes_are_refused():
    with pytest.raises(BadInput, match="labels from 0 to 2, but 2 classes"):
        loaders.dataset(Pictures(), "animals", classes=["dog", "cat"], labels=[0, 2])


def test_imagenets_words_are_open_clips():
    known = prompts.usual("imagenet1k")

    assert known.classes == tuple(IMAGENET_CLASSNAMES)
    assert len(known.templates) == 80
    assert known.templates[0].replace("{}", "cat") == OPENAI_IMAGENET_TEMPLATES[0]("cat")


def test_words_of_ones_own_by_benchmark_or_for_all(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"mnist": {"classes": ["zero", "one"]}}))

    assert prompts.given(str(path), "mnist") == prompts.Prompts(("zero", "one"), None, "mine")
    with pytest.raises(BadInput, match="neither at the top nor for 'svhn'"):
        prompts.given(str(path), "svhn")
    for told in ("red", 5, ["red", 1], {"red": "blue"}):
        path.write_text(json.dumps({"mnist": {"classes": told}}))
        with pytest.raises(BadInput, match="'classes' should be a list of texts, not "):
            prompts.given(str(path), "mnist")
    path.write_text("{")
    with pytest.raises(BadInput, match="^prompts .*mine.json: no JSON"):
        prompts.given(str(path), "mnist")


def test_a_template_without_a_place_for_the_class_is_refused(tmp_path):
    task = loaders.load("set", str(class_folders(tmp_path / "set", each=1)))

    with pytest.raises(BadInput, match="template 'a photo' should hold {} for the class"):
        task.with_prompts(None, ("a photo",))


def test_the_digit_study_has_the_papers_six_sets():
    found = digits.sets("mnist")

    assert [len(one.templates) for one in found] == [10, 10, 1, 10, 10, 1]
    assert found[0].classes[7] == "seven" and found[3].classes[7] == "7"
    assert "the number {} is drawn as a digit in this image." in found[0].templates
    assert found[5].name == "digits: digits x basic"
    assert len({one.name for one in found}) == 6


def test_counts_are_said_in_words_and_in_digits():
    words, figures = digits.sets("clevr_count")

    assert (words.classes[-1], figures.classes[-1]) == ("ten", "10")
    with pytest.raises(BadInput, match="'pets' is not of digits or counts"):
        digits.sets("pets")


def test_a_task_knows_how_its_wording_and_its_pictures_differ():
    from evalcore.contrastive.pictures import Arrays

    data = np.zeros((2, 3, 3), np.uint8)
    one = Task("a", Arrays(data), ("x", "y"), np.array([0, 1]))
    other = Task("a", Arrays(data + 1), ("x", "z"), np.array([0, 1]))

    assert one.revision() != other.revision() and one.wording() != other.wording()
    assert one.revision() == Task("a", Arrays(data), ("x",), np.array([0, 1])).revision()


def test_other_modes_of_pictures_become_rgb_or_stay_grey(tmp_path):
    for mode in ("L", "RGB", "RGBA", "P", "1", "CMYK", "LA"):
        (tmp_path / mode).mkdir()
        kind = "jpg" if mode == "CMYK" else "png"
        Image.new(mode, (4, 4)).save(tmp_path / mode / f"{mode}.{kind}")

    task = loaders.load("modes", str(tmp_path))

    assert {task.pictures[at].mode for at in range(7)} == {"L", "RGB"}


def test_class_names_of_the_package_datasets():
    class Features(Pictures):
        classes = ()
        features = {"label": type("ClassLabel", (), {"names": ["fire_truck", "sky"]})()}

        def __getitem__(self, at):
            return {"image": picture("red", at), "label": self.targets[at]}

    task = loaders.dataset(Features(), "mine")

    assert (task.classes, task.labels.tolist()) == (("fire truck", "sky"), [1, 0])
    assert task.pictures[0].size == (24, 20)


def test_numbers_in_a_table_are_in_the_order_of_numbers(tmp_path):
    picture("red").save(tmp_path / "red.png")
    rows = "".join(f"red.png,{number}\n" for number in (10, 2, 0))
    (tmp_path / "set.csv").write_text(f"image,label\n{rows}")

    task = loaders.load("set", str(tmp_path / "set.csv"))

    assert (task.classes, task.labels.tolist()) == (("0", "2", "10"), [2, 1, 0])
