"""Picture files as an API gets them: bytes and their kind."""

from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from evalcore import pictures
from evalcore.models.pictures import square

QUALITY = 95


class Encoded(NamedTuple):
    """A picture in a file format that every API reads."""

    data: bytes
    mime: str


def encoded(path: Path, side: int | None = None, *, keep_shape: bool = False) -> Encoded:
    """A picture as every model sees it (``evalcore.pictures``), resized if asked, as PNG or JPEG.

    It is resized to a square of ``side`` pixels or, with ``keep_shape``, so that its longer side
    has them. What was a JPEG photo becomes one again at quality 95 with full colour resolution, a
    tenth of a PNG's size; everything else stays without loss.

    Raises:
        BadInput: There is no such file, or it is no picture that can be shown.
    """
    picture, photo = pictures.named(path)
    if not keep_shape:
        picture = square(picture, side)
    elif side:
        scale = side / max(picture.size)
        width, height = (max(1, round(scale * length)) for length in picture.size)
        picture = picture.resize((width, height), Image.Resampling.LANCZOS)
    out = BytesIO()
    if photo:
        picture.save(out, "JPEG", quality=QUALITY, subsampling=0)
    else:
        picture.save(out, "PNG")
    return Encoded(out.getvalue(), "image/jpeg" if photo else "image/png")
