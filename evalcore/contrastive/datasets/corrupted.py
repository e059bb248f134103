"""ImageNet-C from a local ImageNet: its 15 corruptions at 5 severities, made as they are asked for.

The corruptions are those of the package ``imagecorruptions``, which is optional (of its makes the
one that runs with today's NumPy is ``imagecorruptions-imaug``). As ImageNet-C was made (Hendrycks
and Dietterich, ICLR 2019; github.com/hendrycks/robustness) a picture is first scaled to 256 pixels,
cut to 224, and afterwards kept as JPEG of quality 85. The draws are our own, the same each time.
"""

import contextlib
import hashlib
import importlib
import io
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import metadata
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from evalcore.contrastive.pictures import Pictures
from evalcore.contrastive.task import Task
from evalcore.errors import BadInput

PACKAGE, DISTRIBUTION = "imagecorruptions", "imagecorruptions-imaug"
CORRUPTIONS = (
    "gaussian_noise", "shot_noise", "impulse_noise", "defocus_blur", "glass_blur", "motion_blur",
    "zoom_blur", "snow", "frost", "fog", "brightness", "contrast", "elastic_transform", "pixelate",
    "jpeg_compression",
)  # fmt: skip
SEVERITIES = (1, 2, 3, 4, 5)
SCALED, CUT, QUALITY = 256, 224, 85
SEEDED = frozenset({"impulse_noise", "glass_blur"})
"""Those that take a seed of their own."""
_drawing = threading.Lock()


class Corrupted:
    """Pictures, all of them with each of some corruptions."""

    parallel = True

    def __init__(self, pictures: Pictures, kinds: Sequence[tuple[str, int]]) -> None:
        """Take pictures.

        Args:
            pictures: The sound ones.
            kinds: Corruptions with their severities; the pictures follow in this order.

        Raises:
            BadInput: The package is not installed.
        """
        self.pictures, self.kinds, self.made = pictures, list(kinds), _package()
        content = f"{pictures.revision} {self.kinds} {version()}"
        known = pictures.revision is not None
        self.revision = hashlib.sha256(content.encode()).hexdigest()[:16] if known else None

    def __len__(self) -> int:
        """How many there are."""
        return len(self.pictures) * len(self.kinds)

    def __getitem__(self, at: int) -> Image.Image:
        """One corrupted picture."""
        kind, number = divmod(at, len(self.pictures))
        corruption, severity = self.kinds[kind]
        sound = np.asarray(cut(self.pictures[number].convert("RGB")))
        with _drawn(at):
            own = {"seed": at} if corruption in SEEDED else {}
            corrupted = self.made.corrupt(
                sound, corruption_name=corruption, severity=severity, **own
            )
        held = io.BytesIO()
        Image.fromarray(corrupted).save(held, "jpeg", quality=QUALITY, optimize=True)
        with Image.open(held) as picture:
            return picture.convert("RGB")

    def name(self, at: int) -> str:
        """Its sound picture's, with the corruption."""
        kind, number = divmod(at, len(self.pictures))
        return f"{self.pictures.name(number)} {self.kinds[kind][0]} {self.kinds[kind][1]}"

    def path(self, at: int) -> Path | None:
        """None: it has no file."""
        return None

    def alike(self) -> None:
        """None: no draw is like another."""

    def wholes(self) -> Any:
        """The number of its sound picture."""
        several = len(self.kinds) > 1
        return np.tile(np.arange(len(self.pictures)), len(self.kinds)) if several else None


def of(task: Task, asked: Mapping[str, str]) -> Task:
    """A benchmark of classes with corrupted pictures; its number is the mean over all of them.

    Args:
        task: The sound one.
        asked: ``corruption``: names of ``CORRUPTIONS`` with commas between them, or ``all``;
            ``severity``: numbers from 1 to 5 with commas between them, or ``all`` (as if unsaid).

    Raises:
        BadInput: There is no such corruption or severity, or the package is not installed.
    """
    if task.captions or task.labels is None:
        raise BadInput(f"benchmark {task.id!r}: only pictures of classes are corrupted")
    names, degrees = chosen(asked)
    kinds = list(product(names, degrees))
    labels: Any = np.asarray(task.labels)
    tiled: Any = np.tile(labels, (len(kinds), *(1 for _ in labels.shape[1:])))
    corrupted: Any = Corrupted(task.pictures, kinds)
    about = {"corruption": list(names), "severity": list(degrees), "package": version()}
    return replace(task, pictures=corrupted, labels=tiled, source={**task.source, **about})


def chosen(asked: Mapping[str, str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The corruptions and severities that are asked for, as in ``of``.

    Raises:
        BadInput: There is no such one.
    """
    names = _chosen("corruption", asked.get("corruption", "all"), CORRUPTIONS)
    degrees = _chosen("severity", asked.get("severity", "all"), tuple(map(str, SEVERITIES)))
    return names, tuple(map(int, degrees))


def cut(picture: Image.Image) -> Image.Image:
    """The middle of a picture, 224 pixels wide and high, its shorter side scaled to 256."""
    short = min(picture.size)
    size = tuple(SCALED * side // short for side in picture.size)
    scaled = picture.resize((size[0], size[1]), Image.Resampling.BILINEAR)
    left, top = (round((side - CUT) / 2) for side in size)
    return scaled.crop((left, top, left + CUT, top + CUT))


@contextlib.contextmanager
def _drawn(seed: int) -> Iterator[None]:
    """The same draws each time: the package asks NumPy's one generator."""
    with _drawing:
        before = np.random.get_state()  # noqa: NPY002
        np.random.seed(seed % 2**32)  # noqa: NPY002
        try:
            yield
        finally:
            np.random.set_state(before)  # noqa: NPY002


def version() -> str:
    """The package's version, which decides what the pictures look like."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "unknown"


def _chosen(what: str, given: str, known: Sequence[str]) -> tuple[str, ...]:
    names = tuple(known) if given == "all" else tuple(part.strip() for part in given.split(","))
    wrong = [name for name in names if name not in known]
    if wrong:
        raise BadInput(f"{what} {wrong[0]!r} should be 'all' or of {', '.join(known)}")
    return tuple(dict.fromkeys(names))


def _package() -> Any:
    try:
        return importlib.import_module(PACKAGE)
    except ImportError as error:
        raise BadInput(
            f"corrupted pictures need the package {PACKAGE} ({error}); pip install {DISTRIBUTION}"
        ) from None
