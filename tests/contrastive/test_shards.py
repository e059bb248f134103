"""UniBench's own shards: numbered pictures, captions, numbers of classes."""

import io

import numpy as np
import pytest

from evalcore.contrastive.datasets import loaders
from evalcore.errors import BadInput
from tests.contrastive.test_authors import scores, table
from tests.contrastive.worlds import picture, shard


def webp(colour):
    held = io.BytesIO()
    picture(colour).save(held, "webp", lossless=True)
    return held.getvalue()


def npy(array):
    held = io.BytesIO()
    np.save(held, np.array(array))
    return held.getvalue()


RELATIONS = [("red", ["a red one", "a blue one"]), ("blue", ["a green one", "a blue one"])]


def relations(folder):
    files = {}
    for number, (colour, captions) in enumerate(RELATIONS):
        files |= {
            f"s000000{number}.0.webp": webp(colour),
            f"s000000{number}.npy": npy(captions),
            f"s000000{number}.split.txt": b"swap_obj",
        }
    return shard(folder / "test" / "0.tar", files).parent


def test_shards_of_captions_score_as_the_same_captions_in_a_table(home, tmp_path):
    rows = []
    for colour, (right, wrong) in RELATIONS:
        picture(colour).save(tmp_path / f"{colour}.png")
        rows.append({"image": f"{colour}.png", "caption": right, "wrong_1": wrong})

    found = scores(f"sugarcrepe={relations(tmp_path / 'wds_sugarcrepe')}?as=crepe")

    assert found == scores(f"crepe={table(tmp_path / 'same.csv', rows)}")
    assert found["accuracy"] == (1 / 2, 2, 0.5)


def test_shards_of_two_pictures_and_two_captions_are_pairs(tmp_path):
    files = {"s0.1.webp": webp("blue"), "s0.0.webp": webp("red"), "s0.npy": npy(["red", "blue"])}

    task = loaders.load("winoground", str(shard(tmp_path / "0.tar", files)))

    assert task.pairs and task.captions == (("red", "blue"),)
    assert task.pictures[0].getpixel((0, 0))[0] > 200 and task.pictures[1].getpixel((0, 0))[2] > 200


def test_numbered_pictures_of_classes(tmp_path):
    files = {"s0.0.webp": webp("red"), "s0.cls": b"1", "s1.0.webp": webp("blue"), "s1.cls": b"0"}
    folder = shard(tmp_path / "0.tar", files)
    (folder / "classnames.txt").write_text("blue\nred\n")

    assert loaders.load("colours", str(folder)).labels.tolist() == [1, 0]


def test_another_split_is_asked_for(tmp_path):
    files = {"s0.webp": webp("red"), "s0.cls": b"1"}
    shard(tmp_path / "test" / "0.tar", files)
    shard(tmp_path / "train" / "0.tar", files | {"s1.webp": webp("red"), "s1.cls": b"0"})

    assert len(loaders.load("x", str(tmp_path))) == 1
    assert len(loaders.load("x", f"{tmp_path}?split=train")) == 2
    with pytest.raises(BadInput, match="has no shards of a split val"):
        loaders.load("x", f"{tmp_path}?split=val")
    with pytest.raises(BadInput, match=r"is of a kind \(shards\) without 'label'"):
        loaders.load("x", f"{tmp_path}?label=kind")


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ([[0, 2], [1]], [[True, False, True], [False, True, False]]),
        ([[1, 0, 1], [0, 1, 0]], [[True, False, True], [False, True, False]]),
        ([[1], [0]], [[False, True, False], [True, False, False]]),
        ([[0, 1], [1, 0]], [[True, True, False], [True, True, False]]),
    ],
)
def test_numbers_of_classes_are_told_from_zeros_and_ones(tmp_path, told, shown):
    files = {f"s{n}.webp": webp("red") for n in range(2)}
    folder = shard(tmp_path / "0.tar", files | {f"s{n}.npy": npy(told[n]) for n in range(2)})
    (folder / "classnames.txt").write_text("a\nb\nc\n")

    assert loaders.load("several", str(folder)).labels.tolist() == shown


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"s0.webp": b"x", "s0.npy": npy([0, 3])}, "labels from 0 to 3, but 3 classes"),
        ({"s0.webp": b"x", "s0.npy": npy([0.5, 1])}, "zeros and ones, or numbers of classes"),
        ({"s0.webp": b"x", "s0.npy": npy(["one"])}, "captions should be two or more"),
        ({"s0.webp": b"x", "s0.npy": b"no"}, "s0.npy is no label"),
        (
            {"s0.0.webp": b"x", "s0.1.webp": b"x", "s0.npy": npy(["a", "b", "c"])},
            "two of two pictures",
        ),
        ({"s0.0.webp": b"x", "s0.1.webp": b"x", "s0.cls": b"1"}, "2 pictures, but 1 samples"),
        (
            {"s0.webp": b"x", "s0.npy": npy(["a", "b"]), "s1.webp": b"x", "s1.cls": b"1"},
            "some samples have a .cls label",
        ),
    ],
)
def test_what_fits_no_form_is_told(tmp_path, files, said):
    folder = shard(tmp_path / "0.tar", files)
    (folder / "classnames.txt").write_text("a\nb\nc\n")

    with pytest.raises(BadInput, match=said):
        loaders.load("set", str(folder))
