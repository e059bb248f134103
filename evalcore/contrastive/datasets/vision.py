"""Data sets as torchvision keeps them on this disk, MNIST's own idx files, and Pascal VOC 2007.

Nothing is downloaded. UniBench and DataComp count VOC's objects, each cut out of its picture.
"""

import gzip
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.contrastive.datasets.naming import files
from evalcore.contrastive.pictures import Arrays, Box, Crops, Files, Pictures
from evalcore.errors import BadInput

TEST: Mapping[str, Any] = {"split": "test"}
TORCHVISION: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "caltech101": ("Caltech101", {}),
    "cars": ("StanfordCars", TEST),
    "cifar10": ("CIFAR10", {"train": False}),
    "cifar100": ("CIFAR100", {"train": False}),
    "country211": ("Country211", TEST),
    "dtd": ("DTD", TEST),
    "eurosat": ("EuroSAT", {}),
    "fashion_mnist": ("FashionMNIST", {"train": False}),
    "fgvc_aircraft": ("FGVCAircraft", TEST),
    "flowers102": ("Flowers102", TEST),
    "food101": ("Food101", TEST),
    "gtsrb": ("GTSRB", TEST),
    "mnist": ("MNIST", {"train": False}),
    "pcam": ("PCAM", TEST),
    "pets": ("OxfordIIITPet", TEST),
    "places365": ("Places365", {"split": "val", "small": True}),
    "renderedsst2": ("RenderedSST2", TEST),
    "stl10": ("STL10", TEST),
    "sun397": ("SUN397", {}),
    "svhn": ("SVHN", TEST),
}
"""Benchmark → torchvision's class and the options that give its test set."""


MARKS = ("categories_places365.txt",)
"""Files by which a folder is torchvision's, although it holds tar files."""


def marked(place: Path) -> bool:
    """Whether a folder is torchvision's beyond doubt."""
    return any((place / name).is_file() for name in MARKS)


def make(name: str, place: Path) -> Any:
    """The data set of a benchmark.

    Raises:
        BadInput: torchvision does not find it there.
    """
    import torchvision

    if name not in TORCHVISION:
        raise BadInput(
            f"benchmark {name!r}: {place} is a folder of torchvision; which set? Call it one of "
            f"{', '.join(TORCHVISION)}"
        )
    kind, options = TORCHVISION[name]
    try:
        return getattr(torchvision.datasets, kind)(str(place), download=False, **options)
    except TypeError:
        return getattr(torchvision.datasets, kind)(str(place), **options)
    except (RuntimeError, OSError, ImportError) as error:
        raise BadInput(
            f"benchmark {name!r}: torchvision's {kind} does not find its test set in {place} "
            f"({error}); a folder of class folders or tar shards will do too"
        ) from None


def pictures(data_set: Any, revision: str | None) -> Pictures | None:
    """The pictures of a data set that holds them as one array or as files; None: ask its items."""
    data = getattr(data_set, "data", None)
    if data is not None and getattr(data_set, "transform", None) is None:
        array = _bytes(data)
        if array is not None and len(array) == len(data_set):
            return _revised(Arrays(array), revision)
    for name in ("samples", "imgs", "_samples", "_image_files", "_images", "images"):
        listed = getattr(data_set, name, None)
        if isinstance(listed, list) and len(listed) == len(data_set) and listed:
            paths = [entry[0] if isinstance(entry, tuple) else entry for entry in listed]
            if all(isinstance(path, str | Path) for path in paths) and Path(paths[0]).is_file():
                return _revised(Files([Path(entry) for entry in paths]), revision)
    return None


def classes(data_set: Any) -> Sequence[str]:
    """What a data set calls its classes; nothing where it does not say."""
    features = getattr(data_set, "features", None) or {}
    label = features.get("label") if isinstance(features, Mapping) else None
    named = (getattr(data_set, name, None) for name in ("classes", "categories"))
    return next((value for value in named if value), None) or getattr(label, "names", None) or ()


def labels(data_set: Any) -> Any:
    """(n,) class numbers of a data set: as it lists them, else as each item says."""
    for name in ("targets", "labels", "_labels", "y"):
        listed = getattr(data_set, name, None)
        if listed is not None and not callable(listed) and len(listed) == len(data_set):
            return np.asarray(listed)
    for name in ("samples", "_samples"):
        listed = getattr(data_set, name, None)
        if isinstance(listed, list) and len(listed) == len(data_set):
            return np.array([int(entry[1]) for entry in listed])
    items = (data_set[at] for at in range(len(data_set)))
    return np.array([item["label"] if isinstance(item, dict) else item[1] for item in items])


def _bytes(data: Any) -> Any:
    """(n, h, w) or (n, h, w, 3) bytes, or None if the array is of another kind."""
    array = np.asarray(data)
    if array.dtype != np.uint8:
        return None
    if array.ndim == 4 and array.shape[1] == 3 and array.shape[3] != 3:
        array = array.transpose(0, 2, 3, 1)  # SVHN and STL-10 have their colours first
    return array if array.ndim == 3 or (array.ndim == 4 and array.shape[3] == 3) else None


def _revised(held: Arrays | Files, revision: str | None) -> Pictures:
    held.revision = revision or held.revision
    return held


CLASSES = (
    "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow",
    "diningtable", "dog", "horse", "motorbike", "person", "pottedplant", "sheep", "sofa", "train",
    "tvmonitor",
)  # fmt: skip
"""As its files name them."""
SPOKEN = {"diningtable": "dining table", "pottedplant": "potted plant", "tvmonitor": "tv monitor"}
EDGES = ("xmin", "ymin", "xmax", "ymax")


def is_voc(place: Path) -> bool:
    """Whether a folder holds VOC 2007 as torchvision reads it."""
    return (place / "VOCdevkit" / "VOC2007").is_dir()


def read_voc(place: Path, whole: bool = False) -> tuple[Pictures, Any]:
    """VOC's test set.

    Args:
        place: The folder that holds ``VOCdevkit``.
        whole: Whole pictures instead of the objects in them.

    Returns:
        Pictures, and (n,) class numbers or for whole ones (n, 20) whether a class is shown.

    Raises:
        BadInput: torchvision does not find it, or a file of it is damaged.
    """
    from torchvision.datasets import VOCDetection

    try:
        data_set = VOCDetection(str(place), year="2007", image_set="test", download=False)
    except (RuntimeError, OSError) as error:
        raise BadInput(
            f"{place}: torchvision does not find VOC 2007's test set ({error})"
        ) from None
    paths = [Path(image) for image in data_set.images]
    objects = [_objects(Path(annotation)) for annotation in data_set.annotations]
    if whole:
        shown = np.zeros((len(paths), len(CLASSES)), bool)
        for at, seen in enumerate(objects):
            shown[at, [label for label, _ in seen]] = True
        return Files(paths), shown
    each = [(path, *cut) for path, seen in zip(paths, objects, strict=True) for cut in seen]
    crops = Crops(Files([path for path, _, _ in each]), [box for _, _, box in each])
    return crops, np.array([label for _, label, _ in each], np.int64)


def _objects(path: Path) -> list[tuple[int, Box]]:
    """Class and box of each object that an annotation names."""
    from xml.etree import ElementTree

    try:
        seen = ElementTree.parse(path).getroot().findall("object")
        return [(CLASSES.index(element.findtext("name", "")), _box(element)) for element in seen]
    except (ElementTree.ParseError, OSError, ValueError, AttributeError) as error:
        raise BadInput(f"{path} is no annotation of VOC 2007 ({error})") from None


def _box(seen: Any) -> Box:
    left, top, right, bottom = (round(float(seen.find("bndbox").findtext(edge))) for edge in EDGES)
    if right <= left or bottom <= top:
        raise ValueError(f"a box without area: {left}, {top}, {right}, {bottom}")
    return left, top, right, bottom


IMAGES = re.compile(r"(t10k|test)-images[-.]idx3-ubyte(\.gz)?")
HEADER = {"images": (2051, 16), "labels": (2049, 8)}
"""The first number of a file, and the bytes before its contents."""


def is_idx(place: Path) -> bool:
    """Whether a folder holds a test set in MNIST's idx format, gzip or not."""
    return _images(place) is not None


def read_idx(place: Path) -> tuple[Any, Any]:
    """The idx files' test set.

    Returns:
        (n, h, w) bytes and (n,) class numbers.

    Raises:
        BadInput: A file is not whole, or the labels are missing.
    """
    images = _images(place)
    assert images is not None
    labels = images.with_name(images.name.replace("images", "labels").replace("idx3", "idx1"))
    return _idx_bytes(images, "images"), _idx_bytes(labels, "labels").astype(np.int64)


def _images(place: Path) -> Path | None:
    paths = [file for file in files(place, "*ubyte*") if IMAGES.fullmatch(file.name)]
    return paths[0] if paths else None


def _idx_bytes(path: Path, kind: str) -> Any:
    magic, begin = HEADER[kind]
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        header = np.frombuffer(raw[:begin], ">i4")
        shape = tuple(int(length) for length in header[1:])
        if int(header[0]) != magic:
            raise ValueError(f"it begins with {int(header[0])}, not with {magic}")
        return np.frombuffer(raw[begin:], np.uint8).reshape(shape)
    except (OSError, ValueError, EOFError) as error:
        raise BadInput(f"{path} is no whole idx file of {kind} ({error})") from None
