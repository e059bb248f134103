"""Folders of ImageNet's pictures in several forms: the makers' ImageNet-C and ImageNet-9.

ImageNet-C (Hendrycks and Dietterich 2019) is a folder for each corruption, in it one for each of
five severities, in these ImageNet's classes; its archives may each lie in a folder of their own.
ImageNet-9 (Xiao et al. 2020) is a folder for each way to change the background, with nine classes.
"""

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evalcore.contrastive.datasets import corrupted, listing, naming
from evalcore.contrastive.datasets.makers import Labelled
from evalcore.contrastive.pictures import Files, numbered
from evalcore.errors import BadInput

EXTRA = ("gaussian_blur", "saturate", "spatter", "speckle_noise")
"""Corruptions for tuning, which are no part of the benchmark."""
BACKGROUNDS = (
    "fg", "mixed_next", "mixed_rand", "mixed_same", "no_fg", "only_bg_b", "only_bg_t", "only_fg",
    "original",
)  # fmt: skip


class Forms(Files):
    """Pictures of which one folder holds several forms: those of one name are of one picture."""

    def wholes(self) -> NDArray[np.int64] | None:
        """By class folder and file name."""
        return numbered(path.parts[-2:] for path in self.paths)


def corruptions(place: Path) -> dict[str, Path]:
    """The corruptions that a folder holds, in it or in folders of archives."""
    inside = listing.folders(place)
    every = [*inside, *(below for one in inside if one.name not in KNOWN
                        for below in listing.folders(one))]  # fmt: skip
    return {one.name: one for one in every if one.name in KNOWN and _severities(one)}


KNOWN = frozenset({*corrupted.CORRUPTIONS, *EXTRA})


def _severities(folder: Path) -> bool:
    return any((folder / str(one)).is_dir() for one in corrupted.SEVERITIES)


def backgrounds(place: Path) -> list[str]:
    """The variations of ImageNet-9 that a folder holds; none if it is no such."""
    found = [one.name for one in listing.folders(place) if one.name in BACKGROUNDS]
    return found if len(found) > 1 else []


def read(name: str, place: Path, asked: Mapping[str, str]) -> Labelled:
    """All corruptions at all severities, or those that are asked for.

    Raises:
        BadInput: One is missing, or its classes are others than those of the first.
    """
    there = corruptions(place)
    chosen, degrees = corrupted.chosen(asked)
    sets = {}
    for corruption, severity in product(chosen, degrees):
        folder = there.get(corruption, place / corruption) / str(severity)
        if not folder.is_dir():
            raise BadInput(
                f"benchmark {name!r}: {place} lacks {corruption} at severity {severity}; "
                "ImageNet-C is 15 corruptions at 5 severities, and some of them can be asked for: "
                "?corruption=fog,snow&severity=3&as=NAME"
            )
        sets[corruption, severity] = dict(listing.classes(name, folder))
    return _joined(name, place, sets)


def _joined(
    name: str, place: Path, sets: Mapping[tuple[str, int], Mapping[str, list[Path]]]
) -> Labelled:
    """The pictures of all sets, of which each must have the same classes and as many pictures."""
    (first, held), *others = sets.items()
    order, size = {one: at for at, one in enumerate(held)}, sum(map(len, held.values()))
    for which, classes in others:
        count = sum(map(len, classes.values()))
        if classes.keys() != held.keys() or count != size:
            raise BadInput(
                f"benchmark {name!r}: {which[0]} at severity {which[1]} has {len(classes)} classes "
                f"and {count} pictures, {first[0]} at {first[1]} has {len(held)} and {size}; all "
                "should have the same"
            )
    rows = [(path, order[one]) for classes in sets.values()
            for one, paths in classes.items() for path in paths]  # fmt: skip
    words = naming.named(list(order), place, f"benchmark {name!r}")
    pictures = Forms([path for path, _ in rows])
    labels = np.array([label for _, label in rows])
    return Labelled(pictures, labels, words.classes, words.coded)
