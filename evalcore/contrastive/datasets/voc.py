"""Pascal VOC 2007 through torchvision: the objects of its test set cut out, or whole pictures.

UniBench and DataComp count objects, each cut out by its box and of one class (14,976, the difficult
ones included); clip-benchmark's shards of the same name too. A whole picture shows several classes.
"""

from pathlib import Path
from typing import Any

import numpy as np

from evalcore.contrastive.pictures import Box, Crops, Files, Pictures
from evalcore.errors import BadInput

CLASSES = (
    "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow",
    "diningtable", "dog", "horse", "motorbike", "person", "pottedplant", "sheep", "sofa", "train",
    "tvmonitor",
)  # fmt: skip
"""As its files name them."""
SPOKEN = {"diningtable": "dining table", "pottedplant": "potted plant", "tvmonitor": "tv monitor"}
EDGES = ("xmin", "ymin", "xmax", "ymax")


def there(place: Path) -> bool:
    """Whether a folder holds VOC 2007 as torchvision reads it."""
    return (place / "VOCdevkit" / "VOC2007").is_dir()


def read(place: Path, whole: bool = False) -> tuple[Pictures, Any]:
    """The test set.

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
        found = VOCDetection(str(place), year="2007", image_set="test", download=False)
    except (RuntimeError, OSError) as error:
        raise BadInput(
            f"{place}: torchvision does not find VOC 2007's test set ({error})"
        ) from None
    paths = [Path(one) for one in found.images]
    objects = [_objects(Path(one)) for one in found.annotations]
    if whole:
        shown = np.zeros((len(paths), len(CLASSES)), bool)
        for at, seen in enumerate(objects):
            shown[at, [label for label, _ in seen]] = True
        return Files(paths), shown
    each = [(path, *one) for path, seen in zip(paths, objects, strict=True) for one in seen]
    crops = Crops(Files([path for path, _, _ in each]), [box for _, _, box in each])
    return crops, np.array([label for _, label, _ in each], np.int64)


def _objects(path: Path) -> list[tuple[int, Box]]:
    """Class and box of each object that an annotation names."""
    from xml.etree import ElementTree

    try:
        seen = ElementTree.parse(path).getroot().findall("object")
        return [(CLASSES.index(one.findtext("name", "")), _box(one)) for one in seen]
    except (ElementTree.ParseError, OSError, ValueError, AttributeError) as error:
        raise BadInput(f"{path} is no annotation of VOC 2007 ({error})") from None


def _box(seen: Any) -> Box:
    left, top, right, bottom = (round(float(seen.find("bndbox").findtext(one))) for one in EDGES)
    if right <= left or bottom <= top:
        raise ValueError(f"a box without area: {left}, {top}, {right}, {bottom}")
    return left, top, right, bottom
