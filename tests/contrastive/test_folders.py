"""Folders of classes: what systems leave there, parts, nesting, and names that a model can read."""

from pathlib import Path

import pytest
from open_clip.zero_shot_metadata import IMAGENET_CLASSNAMES
from timm.data import ImageNetInfo

from evalcore.contrastive import counts, prompts
from evalcore.contrastive.datasets import loaders, naming
from evalcore.contrastive.evaluate import Evaluator
from evalcore.contrastive.task import Task, check, check_words
from evalcore.engine import runs
from evalcore.errors import BadInput
from tests.contrastive.layouts import jpeg, mac, wordnet
from tests.contrastive.test_evaluate import evaluate
from tests.contrastive.worlds import Colours, class_folders, picture

FOUND = ("blue", "red")


def folders(place, names=FOUND):
    for name in names:
        jpeg(place / name / "a.jpg")
    return place


def test_what_a_mac_or_windows_leaves_is_no_class_and_no_picture(tmp_path):
    place = mac(folders(tmp_path))

    task = loaders.load("set", str(place))

    assert (task.classes, len(task)) == (FOUND, 2)


def test_a_mac_s_tar_file_is_no_shard(tmp_path):
    place = folders(tmp_path)
    (place / "__MACOSX").mkdir()
    (place / "__MACOSX" / "._0.tar").write_bytes(b"\0\5\x16\7")
    (place / "._1.parquet").write_bytes(b"\0\5\x16\7")

    assert loaders.load("set", str(place)).classes == FOUND


@pytest.mark.parametrize("within", ["data", "data/images", "a/b/c"])
def test_a_single_folder_inside_is_looked_into(tmp_path, within):
    folders(tmp_path / within)

    assert loaders.load("set", str(tmp_path)).classes == FOUND


@pytest.mark.parametrize(
    ("parts", "taken"),
    [
        (("train", "val", "test"), "test"),
        (("train", "val"), "val"),
        (("Train", "Validation"), "Validation"),
        (("training", "testing"), "testing"),
        (("train",), "train"),
    ],
)
def test_parts_side_by_side_are_no_classes(tmp_path, parts, taken):
    for part in parts:
        folders(tmp_path / part)

    task = loaders.load("set", str(tmp_path))

    assert task.classes == FOUND
    assert {task.pictures.path(at).parts[-3] for at in range(len(task))} == {taken}


def test_a_part_is_asked_for_by_name(tmp_path):
    for part in ("train", "test"):
        folders(tmp_path / part)

    task = loaders.load("set", f"{tmp_path}?split=train")

    assert task.pictures.path(0).parts[-3] == "train" and task.source["split"] == "train"
    with pytest.raises(BadInput, match="has no part 'val'; it has test, train"):
        loaders.load("set", f"{tmp_path}?split=val")
    with pytest.raises(BadInput, match="asks for one thing twice"):
        loaders.load("set", f"{tmp_path}?split=train&split=test")


def test_pictures_in_one_folder_of_a_class_are_its_own_and_in_several_a_question(tmp_path):
    for name in FOUND:
        jpeg(tmp_path / name / "images" / "a.jpg")

    assert loaders.load("set", str(tmp_path)).classes == FOUND
    jpeg(tmp_path / "red" / "more" / "b.jpg")
    with pytest.raises(BadInput, match=r"1 folder holds \(red\) folders of pictures"):
        loaders.load("set", str(tmp_path))


def test_empty_class_folders_are_named(tmp_path):
    folders(tmp_path)
    for name in ("green", "grey"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".DS_Store").write_bytes(b"Bud1")

    with pytest.raises(BadInput, match=r"2 class folders hold \(green, grey\) no picture in"):
        loaders.load("set", str(tmp_path))


def test_numbers_of_wordnet_are_said_in_words_in_their_own_order(tmp_path):
    task = loaders.load("mine", str(wordnet(tmp_path)))

    assert task.prompts() == ["a photo of a stingray.", "a photo of a sunglasses."]
    check_words(task)


def test_a_part_of_imagenet_keeps_the_names_of_its_own_classes(tmp_path):
    task = loaders.load("imagenet1k", str(wordnet(tmp_path)))

    assert task.classes == ("stingray", "sunglasses")
    assert len(task.templates) == 80
    with pytest.raises(BadInput, match="pictures of 2 classes, the benchmark has 1,000"):
        counts.check(task)


def test_imagenets_names_are_open_clips_in_timms_order():
    numbers = ImageNetInfo("imagenet-1k").label_names()

    assert list(naming.imagenet()) == numbers == sorted(numbers)
    assert list(naming.imagenet().values()) == list(IMAGENET_CLASSNAMES)
    told = ImageNetInfo("imagenet-1k").index_to_description
    # WordNet's own words, in which most of the usual names stand too.
    alike = sum(
        name.lower().split()[-1] in told(at).lower()
        for at, name in enumerate(naming.imagenet().values())
    )
    assert alike > 800


def test_numbers_outside_imagenet_are_named_by_the_makers_list_else_by_wordnet(tmp_path):
    place = wordnet(tmp_path / "tiny" / "val", ("n00005787", "n02121620"))

    assert loaders.load("tiny", str(place)).classes == ("benthos", "cat")
    (tmp_path / "tiny" / "words.txt").write_text("n02121620\thouse cat, pussy\n")
    assert loaders.load("tiny", str(place)).classes == ("benthos", "house cat")
    wordnet(place, ("n99999999",))
    with pytest.raises(BadInput, match="nothing names 1 of the classes, such as n99999999; put"):
        loaders.load("tiny", str(place))
    (place / "words.txt").write_text("n99999999 unicorn\n")
    assert loaders.load("tiny", str(place)).classes[2] == "unicorn"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (("001.Black_footed_Albatross", "002.Laysan"), ("Black footed Albatross", "Laysan")),
        (("00_dog", "10_bird"), ("dog", "bird")),
        (("n02085620-Chihuahua", "n02085782-Japanese_spaniel"), ("Chihuahua", "Japanese spaniel")),
        (("/a/airfield", "/b/bow_window/indoor"), ("airfield", "bow window/indoor")),
        (("707-320", "A300B4", "DC-3"), ("707-320", "A300B4", "DC-3")),
        (("TV", "sofa"), ("TV", "sofa")),
        (("3.5_inch_disk", "cd"), ("3.5 inch disk", "cd")),
    ],
)
def test_names_are_cleaned_by_their_makers_rules(raw, words):
    assert naming.named(raw, Path(), "x") == naming.Named(words)


@pytest.mark.parametrize(
    "raw",
    [("0", "1"), ("class_0", "class_1"), ("cat", "17"), ("n01498041", "dog"), ("AD", "AE"), ("_",)],
)
def test_codes_are_never_said_to_a_model(home, tmp_path, raw):
    folders(tmp_path / "set", raw if len(raw) > 1 else ("_", "cat"))
    place = f"set={tmp_path / 'set'}"

    with pytest.raises(BadInput, match="says nothing to a model; name them in classnames.txt"):
        evaluate(Colours(), place)

    assert runs.own() == []
    (tmp_path / "set" / "classnames.txt").write_text("red\nblue\n")
    assert evaluate(Colours(), place)[0].metrics[0].n == 2


def test_codes_may_be_named_by_a_file_of_prompts(home, tmp_path):
    folders(tmp_path / "set", ("0", "1"))
    words = tmp_path / "words.json"
    words.write_text('{"classes": ["red", "blue"]}')

    (outcome,) = evaluate(Colours(), f"set={tmp_path / 'set'}", prompts=str(words))

    assert outcome.metrics[0].n == 2
    (tmp_path / "set" / "classnames.txt").write_text("red\nblue\n")
    words.write_text('{"classes": ["red", "blue", "green"]}')
    with pytest.raises(BadInput, match="has 2 classes, and 3 names are given for them"):
        evaluate(Colours(), f"set={tmp_path / 'set'}", prompts=str(words))


def test_codes_in_a_table_or_a_data_set_are_codes_too(tmp_path):
    picture("red").save(tmp_path / "a.png")
    (tmp_path / "set.csv").write_text("image,label\na.png,4\na.png,7\n")
    (tmp_path / "known.csv").write_text("image,label\na.png,n01498041\na.png,n04355933\n")
    pictures = [(picture("red"), 0), (picture("blue"), 1)]

    table = loaders.load("set", str(tmp_path / "set.csv"))

    assert table.coded
    assert loaders.load("set", str(tmp_path / "known.csv")).classes == ("stingray", "sunglasses")

    class Held(list):
        classes = ("n01498041", "n04355933")

    class Numbers(list):
        classes = ("0", "1")

    assert loaders.dataset(Held(pictures), "mine").classes == ("stingray", "sunglasses")
    assert loaders.dataset(Numbers(pictures), "mine").coded


def test_numbered_folders_take_the_usual_names_only_where_they_are_as_many(tmp_path):
    ten = folders(tmp_path / "ten", tuple("0123456789"))
    some = folders(tmp_path / "some", ("3", "7"))

    assert loaders.load("cifar10", str(ten)).classes == prompts.usual("cifar10").classes
    with pytest.raises(BadInput, match="classes are called '3', '7'"):
        check_words(loaders.load("cifar10", str(some)))


def test_a_list_of_names_must_be_as_long_as_the_classes(tmp_path):
    place = folders(tmp_path)
    (place / "classnames.txt").write_text("sky\nfire\nsea\n")

    with pytest.raises(BadInput, match="names 3 classes, but the data have 2"):
        loaders.load("set", str(place))


def test_two_folders_of_one_name_are_told(tmp_path):
    folders(tmp_path, ("sea_lion", "Sea lion", "dog"))

    with pytest.raises(BadInput, match="'Sea lion' and 'sea_lion' are both said as 'sea lion'"):
        loaders.load("set", str(tmp_path))


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("image,label\na.png,red\na.png,red\n", "has one class, 'red'; a choice needs two"),
        ("image,caption\na.png,a red picture\n", "it should have image,label"),
        ("image,caption,wrong\na.png,a red picture,\n", "no wrong caption beside the right one"),
    ],
)
def test_what_leaves_no_choice_is_refused_before_anything_is_kept(home, tmp_path, rows, said):
    picture("red").save(tmp_path / "a.png")
    (tmp_path / "set.csv").write_text(rows)

    with pytest.raises(BadInput, match=said):
        evaluate(Colours(), f"set={tmp_path / 'set.csv'}")
    assert runs.own() == [] and not list((home / "cache").rglob("*.npy"))


def test_a_single_caption_and_labels_of_nothing_are_refused(tmp_path):
    import numpy as np

    files = loaders.load("set", str(folders(tmp_path))).pictures
    right = np.zeros(2, np.int64)

    with pytest.raises(BadInput, match="has one caption, 'a'; a wrong one beside it is wanted"):
        check(Task("set", files, captions=(("a",), ("b", "c")), right=right))
    with pytest.raises(BadInput, match="no picture shows any of its 2 classes"):
        check(Task("set", files, FOUND, np.zeros((2, 2), bool)))


def test_a_whole_benchmark_runs_under_its_name_and_a_part_under_another(home, tmp_path):
    names = ("airplane", "bird", "car", "cat", "deer", "dog", "horse", "monkey", "ship", "truck")
    place = folders(tmp_path / "stl10", names)

    with pytest.raises(BadInput, match=r"10 items, the benchmark has 8,000\. So it is not that"):
        evaluate(Colours(), f"stl10={place}")
    (outcome,) = evaluate(Colours(), f"stl10={place}?as=ten-pictures")

    assert outcome.benchmark == "ten-pictures"
    (run,) = runs.own()
    assert run.settings.benchmark == "ten-pictures"
    for taken in ("stl10", "pets", ""):
        with pytest.raises(BadInput, match="should be a name of its own, such as stl10-mine"):
            loaders.load("stl10", f"{place}?as={taken}")


def test_a_data_set_of_ones_own_under_a_known_name_is_compared_too(home):
    data = [(picture("red"), 0), (picture("blue"), 1)]

    with pytest.raises(BadInput, match="'pcam': PATH has 2 items, the benchmark has 32,768"):
        Evaluator(device="cpu").add_model(Colours()).add_benchmark(data, name="pcam").outcomes()


def test_corrupted_pictures_are_never_the_sound_benchmark(tmp_path):
    task = loaders.load("mine", str(class_folders(tmp_path / "set")))
    fog = {"corruption": ["fog"], "severity": [1]}

    odd = counts.differences(Task(**{**vars(task), "id": "imagenet1k", "source": fog}), None, None)

    assert odd == ["pictures corrupted in some ways (imagenetc is all 15 at all 5 severities)"]


@pytest.mark.parametrize("called", ["CIFAR-10", "Cifar10", "cifar_10"])
@pytest.mark.parametrize("own", [False, True])
def test_a_benchmark_of_the_catalogue_is_known_however_it_is_written(home, tmp_path, called, own):
    place = folders(tmp_path / "data", ["cat", "dog"])
    name, path = ("mine", f"{place}?as={called}") if own else (called, str(place))

    with pytest.raises(BadInput, match=f"the catalogue calls '{called}' cifar10"):
        loaders.load(name, path)


def test_classes_that_look_the_same_are_told(tmp_path):
    folders(tmp_path, ["caf\u00e9", "cafe\u0301"])

    with pytest.raises(BadInput, match="cannot tell them apart"):
        loaders.load("mine", str(tmp_path))


def test_a_table_with_one_column_twice_is_refused(tmp_path):
    (tmp_path / "mine.csv").write_text("image,label,label\n1.png,cat,dog\n")

    with pytest.raises(BadInput, match="row 1: two columns are called 'label'"):
        loaders.load("mine", str(tmp_path / "mine.csv"))
