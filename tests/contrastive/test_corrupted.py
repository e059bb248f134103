"""ImageNet-C made from sound pictures, with a small fake of the optional package."""

import sys
import types

import numpy as np
import pytest
import torchvision
from PIL import Image

from evalcore.contrastive.datasets import corrupted, loaders
from evalcore.errors import BadInput
from tests.contrastive.worlds import class_folders


@pytest.fixture
def package(monkeypatch):
    """As ``imagecorruptions``: noise from NumPy's one generator, more with the severity."""
    made = types.ModuleType("imagecorruptions")

    def corrupt(image, severity, corruption_name, **about):
        assert image.shape == (224, 224, 3)
        assert ("seed" in about) == (corruption_name in ("impulse_noise", "glass_blur"))
        noise = np.random.normal(size=image.shape, scale=10 * severity)  # noqa: NPY002
        return np.clip(image + noise, 0, 255).astype(np.uint8)

    made.corrupt = corrupt
    monkeypatch.setitem(sys.modules, "imagecorruptions", made)


@pytest.fixture
def folder(tmp_path):
    return class_folders(tmp_path / "set", each=1)


def spread(picture):
    return np.asarray(picture, float).std(axis=(0, 1)).mean()


def test_pictures_are_scaled_and_cut_as_torchvision_does(rng):
    picture = Image.fromarray(rng.integers(0, 256, (300, 517, 3), np.uint8))
    usual = torchvision.transforms.Compose(
        [torchvision.transforms.Resize(256), torchvision.transforms.CenterCrop(224)]
    )

    assert np.array_equal(corrupted.cut(picture), usual(picture))


def test_one_corruption_of_every_picture(package, folder):
    task = loaders.load("imagenetc", f"{folder}?corruption=gaussian_noise&severity=3")

    assert task.labels.tolist() == [0, 1, 2, 3]
    assert task.pictures[0].size == (224, 224)
    assert task.source["corruption"] == ["gaussian_noise"] and task.source["severity"] == [3]
    assert task.pictures.name(1).endswith("0.png gaussian_noise 3")


def test_all_of_them_are_one_benchmark_of_75_times_the_pictures(package, folder):
    task = loaders.load("imagenetc", f"{folder}?corruption=all")

    assert len(task) == 4 * 15 * 5
    assert task.labels.tolist() == [0, 1, 2, 3] * 75
    assert spread(task.pictures[4 * 4]) > spread(task.pictures[0])  # severity 5 against 1


def test_draws_are_the_same_each_time_and_leave_others_alone(package, folder):
    task = loaders.load("imagenetc", f"{folder}?corruption=fog,impulse_noise&severity=2")
    np.random.seed(1)  # noqa: NPY002
    one = [np.asarray(task.pictures[at]) for at in range(8)]
    drawn = np.random.random()  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002

    assert all(np.array_equal(one[at], task.pictures[at]) for at in range(8))
    assert drawn == np.random.random()  # noqa: NPY002
    assert not np.array_equal(one[0], one[1])


def test_what_is_asked_for_in_vain_is_told(package, folder, monkeypatch):
    with pytest.raises(BadInput, match="corruption 'rain' should be 'all' or of gaussian_noise"):
        loaders.load("imagenetc", f"{folder}?corruption=rain")
    with pytest.raises(BadInput, match="severity '6' should be 'all' or of 1, 2"):
        loaders.load("imagenetc", f"{folder}?corruption=fog&severity=6")
    monkeypatch.setitem(sys.modules, "imagecorruptions", None)
    with pytest.raises(BadInput, match="pip install imagecorruptions-imaug"):
        loaders.load("imagenetc", f"{folder}?corruption=fog")


def test_the_package_itself_makes_all_15(folder):
    pytest.importorskip("imagecorruptions")
    task = loaders.load("imagenetc", f"{folder}?corruption=all&severity=3")

    for at in range(0, len(task), 4):
        picture = task.pictures[at]
        assert picture.size == (224, 224) and np.array_equal(picture, task.pictures[at])
