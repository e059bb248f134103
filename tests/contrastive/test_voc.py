"""Pascal VOC 2007 as torchvision finds it: objects cut out, or whole pictures."""

import numpy as np
import pytest
from PIL import Image

from evalcore.contrastive.datasets import loaders
from evalcore.errors import BadInput
from tests.contrastive.test_authors import scores, table
from tests.contrastive.worlds import COLOURS

OBJECTS = {"000001": [("dog", (1, 1, 20, 20)), ("pottedplant", (21, 1, 40, 20))],
           "000002": [("dog", (5, 5, 30, 15))]}  # fmt: skip


def annotation(objects):
    inside = "".join(
        f"<object><name>{name}</name><difficult>1</difficult><bndbox><xmin>{box[0]}</xmin>"
        f"<ymin>{box[1]}</ymin><xmax>{box[2]}</xmax><ymax>{box[3]}</ymax></bndbox></object>"
        for name, box in objects
    )
    return f"<annotation>{inside}</annotation>"


@pytest.fixture
def folder(tmp_path):
    voc = tmp_path / "voc2007" / "VOCdevkit" / "VOC2007"
    for name in ("ImageSets/Main", "JPEGImages", "Annotations"):
        (voc / name).mkdir(parents=True)
    (voc / "ImageSets" / "Main" / "test.txt").write_text("\n".join(OBJECTS) + "\n")
    for name, objects in OBJECTS.items():
        whole = Image.new("RGB", (40, 20), COLOURS["red"])
        whole.paste(Image.new("RGB", (20, 20), COLOURS["green"]), (20, 0))
        whole.save(voc / "JPEGImages" / f"{name}.jpg", quality=100)
        (voc / "Annotations" / f"{name}.xml").write_text(annotation(objects))
    return tmp_path / "voc2007"


def test_each_object_is_cut_out_the_difficult_ones_too(folder):
    task = loaders.load("voc2007", str(folder))

    assert [task.classes[label] for label in task.labels] == ["dog", "potted plant", "dog"]
    assert [task.pictures[at].size for at in range(3)] == [(19, 19), (19, 19), (25, 10)]
    assert task.pictures[1].getpixel((9, 9))[1] > 150


def test_objects_score_as_the_same_parts_in_a_table(home, folder, tmp_path):
    task = loaders.load("voc2007", str(folder))
    rows = []
    for at in range(3):
        task.pictures[at].save(tmp_path / f"{at}.png")
        rows.append({"image": f"{at}.png", "label": task.classes[task.labels[at]]})
    words = tmp_path / "classnames.txt"
    words.write_text("dog\npotted plant\n")

    there = scores(f"voc2007={folder}?as=voc-mine")["accuracy"]
    here = scores(f"same={table(tmp_path / 'same.csv', rows)}")["accuracy"]

    # Nothing here is named by its colour: every class ties, of 20 and of 2.
    assert (there[0], there[1]) == (pytest.approx(1 / 20), 3)
    assert (here[0], here[1]) == (pytest.approx(1 / 2), 3)


def test_a_whole_picture_shows_several_classes(folder):
    task = loaders.load("voc2007", f"{folder}?objects=whole")

    assert task.several and len(task) == 2
    assert [[task.classes[one] for one in np.flatnonzero(row)] for row in task.labels] == [
        ["dog", "potted plant"],
        ["dog"],
    ]
    assert task.source["objects"] == "whole"
    with pytest.raises(BadInput, match="objects=all should be cut or whole"):
        loaders.load("voc2007", f"{folder}?objects=all")


def test_the_tar_files_that_torchvision_leaves_are_no_shards(folder, tmp_path):
    (folder / "VOCtest_06-Nov-2007.tar").write_bytes(b"")
    places = tmp_path / "places"
    places.mkdir()
    (places / "val_256.tar").write_bytes(b"")
    (places / "categories_places365.txt").write_text("")

    assert len(loaders.load("voc2007", str(folder))) == 3
    with pytest.raises(BadInput, match="torchvision's Places365 does not find its test set"):
        loaders.load("places365", str(places))
    with pytest.raises(BadInput, match="a folder of torchvision; which set"):
        loaders.load("mine", str(places))


def test_what_lacks_or_is_damaged_is_told(folder):
    voc = folder / "VOCdevkit" / "VOC2007"
    (voc / "Annotations" / "000002.xml").write_text(annotation([("unicorn", (1, 1, 2, 2))]))
    with pytest.raises(BadInput, match="000002.xml is no annotation of VOC 2007"):
        loaders.load("voc2007", str(folder))
    (voc / "ImageSets" / "Main" / "test.txt").unlink()
    with pytest.raises(BadInput, match="does not find VOC 2007's test set"):
        loaders.load("voc2007", str(folder))
