"""torchvision's data sets, as they lie on this disk; nothing is downloaded."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evalcore.contrastive.pictures import Arrays, Files, Pictures
from evalcore.errors import BadInput

TEST: Mapping[str, Any] = {"split": "test"}
KNOWN: Mapping[str, tuple[str, Mapping[str, Any]]] = {
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
    return any((place / one).is_file() for one in MARKS)


def make(name: str, place: Path) -> Any:
    """The data set of a benchmark.

    Raises:
        BadInput: torchvision does not find it there.
    """
    import torchvision

    if name not in KNOWN:
        raise BadInput(
            f"benchmark {name!r}: {place} is a folder of torchvision; which set? Call it one of "
            f"{', '.join(KNOWN)}"
        )
    kind, options = KNOWN[name]
    try:
        return getattr(torchvision.datasets, kind)(str(place), download=False, **options)
    except TypeError:
        return getattr(torchvision.datasets, kind)(str(place), **options)
    except (RuntimeError, OSError, ImportError) as error:
        raise BadInput(
            f"benchmark {name!r}: torchvision's {kind} does not find its test set in {place} "
            f"({error}); a folder of class folders or tar shards will do too"
        ) from None


def pictures(found: Any, revision: str | None) -> Pictures | None:
    """The pictures of a data set that holds them as one array or as files; None: ask its items."""
    data = getattr(found, "data", None)
    if data is not None and getattr(found, "transform", None) is None:
        array = _bytes(data)
        if array is not None and len(array) == len(found):
            return _revised(Arrays(array), revision)
    for name in ("samples", "imgs", "_samples", "_image_files", "_images", "images"):
        listed = getattr(found, name, None)
        if isinstance(listed, list) and len(listed) == len(found) and listed:
            paths = [one[0] if isinstance(one, tuple) else one for one in listed]
            if all(isinstance(one, str | Path) for one in paths) and Path(paths[0]).is_file():
                return _revised(Files([Path(one) for one in paths]), revision)
    return None


def classes(found: Any) -> Sequence[str]:
    """What a data set calls its classes; nothing where it does not say."""
    features = getattr(found, "features", None) or {}
    label = features.get("label") if isinstance(features, Mapping) else None
    named = (getattr(found, name, None) for name in ("classes", "categories"))
    return next((one for one in named if one), None) or getattr(label, "names", None) or ()


def labels(found: Any) -> Any:
    """(n,) class numbers of a data set: as it lists them, else as each item says."""
    for name in ("targets", "labels", "_labels", "y"):
        listed = getattr(found, name, None)
        if listed is not None and not callable(listed) and len(listed) == len(found):
            return np.asarray(listed)
    for name in ("samples", "_samples"):
        listed = getattr(found, name, None)
        if isinstance(listed, list) and len(listed) == len(found):
            return np.array([int(one[1]) for one in listed])
    items = (found[at] for at in range(len(found)))
    return np.array([one["label"] if isinstance(one, dict) else one[1] for one in items])


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
