"""Pictures that a benchmark shows several times: each is decoded and embedded once."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from evalcore.contrastive import embed
from evalcore.contrastive.cache import Cache
from evalcore.contrastive.embed import Embedded
from evalcore.contrastive.encoder import Encoder
from evalcore.contrastive.pictures import Pictures
from evalcore.contrastive.scoring import Floats, Ints, Rows


class PictureSubset:
    """Some of the pictures of a benchmark."""

    def __init__(self, pictures: Pictures, rows: Ints) -> None:
        """Take the pictures of these numbers, in this order."""
        self.pictures, self.rows = pictures, rows
        self.parallel = pictures.parallel
        told = hashlib.sha256(f"{pictures.revision}".encode() + rows.tobytes())
        self.revision = None if pictures.revision is None else told.hexdigest()[:16]

    def __len__(self) -> int:
        """How many there are."""
        return len(self.rows)

    def __getitem__(self, at: int) -> Image.Image:
        """One picture."""
        return self.pictures[int(self.rows[at])]

    def name(self, at: int) -> str:
        """As among all."""
        return self.pictures.name(int(self.rows[at]))

    def path(self, at: int) -> Path | None:
        """As among all."""
        return self.pictures.path(int(self.rows[at]))

    def alike(self) -> None:
        """None: none is there twice."""

    wholes = alike


class Spread:
    """Rows of an array, some of them several times; no copy is made before one is asked for."""

    def __init__(self, rows: Rows, places: Ints) -> None:
        """Take (m, d) rows and, for each of n, the number of its row."""
        self.rows, self.places = rows, places

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.places)

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and their width."""
        return len(self.places), *self.rows.shape[1:]

    def __getitem__(self, asked: Any) -> Floats:
        """Some rows, by a slice or by their numbers."""
        return self.rows[self.places[asked]]


def images(encoder: Encoder, pictures: Pictures, cache: Cache, **how: Any) -> Embedded:
    """As ``embed.images``, whose ``how`` it takes; the same picture is shown to the model once.

    Returns:
        ``vectors`` and ``failed`` of all pictures; ``encoded`` and ``decoded`` count each once.
    """
    same = pictures.alike()
    if same is None:
        return embed.images(encoder, pictures, cache, **how)
    first = np.unique(same, return_index=True)[1]
    found = embed.images(encoder, PictureSubset(pictures, first), cache, **how)
    failed = {at: found.failed[one] for at, one in enumerate(same.tolist()) if one in found.failed}
    return replace(found, vectors=Spread(found.vectors, same), failed=failed)
