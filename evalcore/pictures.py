"""The one way in which a picture is opened: for models, APIs, judges, pages and contrastive runs.

What a file means by its pixels is decided here and nowhere else: its first frame, turned as its
camera noted, transparent parts on white, deep grey scaled to 8 bits. Contrastive runs stand beside
published numbers and do in two things what open_clip's and UniBench's ``convert("RGB")`` does: no
turning, and the colour that stands behind transparent parts (``as_published``).
"""

import contextlib
import io
import threading
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from evalcore import files
from evalcore.errors import BadInput
from evalcore.messages import excerpt

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
"""What is opened at all; Pillow knows more, some of which start other programs."""
RARER = (*FORMATS, "PPM", "JPEG2000", "TGA", "PCX")
"""What data sets of contrastive runs come in."""
MOST_BYTES = 1_000_000_000
MAX_PIXELS = 89_478_485
"""Where Pillow begins to warn of decompression bombs: a picture of 256 MB when unpacked."""
MAX_RATIO = 200
"""Longer side to shorter: what the processors of Qwen's models take. One of 1 x 100,000 would be
scaled up to 5,000 million pixels by those that make the shorter side fit."""
LARGE = 25_000_000
"""Pixels, above which a picture is decoded alone."""
DEPTHS = (8, 10, 12, 14, 16)
"""Bits of grey that cameras and scanners give; all but the first come in files of 16 or 32."""
DEEP = ("I", "F")
WHITE = (255, 255, 255)
_large = threading.Lock()


class Unreadable(BadInput):
    """A picture that cannot be shown; from ``decoded`` in words that go on after its name."""


class Decoded(NamedTuple):
    """A picture, and what its file was."""

    picture: Image.Image
    """RGB, of the size it has upright."""
    photo: bool
    """Whether the file is a JPEG."""


def decoded(source: Path | bytes, near: int | None = None) -> Decoded:
    """A picture as its file means it.

    Args:
        source: The file, or its bytes.
        near: A size in pixels that is enough: a JPEG is decoded no larger than it needs be.

    Raises:
        Unreadable: There is no such file, it is no whole picture, or it is too large or too thin.
    """
    try:
        with _file(source) as file, Image.open(file, formats=FORMATS) as picture, _room(picture):
            if near is not None:
                picture.draft("RGB", (near, near))
            return Decoded(_upright(picture), picture.format in ("JPEG", "MPO"))
    except Exception as error:  # noqa: BLE001  any decoder may raise anything
        raise _unreadable(error, FORMATS) from None


def named(path: Path) -> Decoded:
    """As ``decoded``; errors begin with the file's name.

    Raises:
        BadInput: It cannot be shown.
    """
    try:
        return decoded(path)
    except Unreadable as error:
        raise BadInput(f"the picture {files.shown(path.name)} {error}") from None


def opened(path: Path) -> Image.Image:
    """As ``named``: the picture alone.

    Raises:
        BadInput: It cannot be shown.
    """
    return named(path).picture


def wrong(path: Path) -> str | None:
    """What keeps a picture from being shown to a model; None if nothing does."""
    try:
        # A JPEG is decoded at its smallest scale; a file that breaks off still shows.
        decoded(path, near=1)
    except Unreadable as error:
        return f"the picture {files.shown(path)} {error}"
    return None


def as_published(source: Path | bytes, name: str) -> Image.Image:
    """A picture as the published contrastive evaluations see it: RGB, or ``L`` where it is grey.

    Raises:
        Unreadable: As ``decoded``, with the name before it.
    """
    try:
        with _file(source) as file, Image.open(file, formats=RARER) as picture, _room(picture):
            return published_colours(picture)
    except Exception as error:  # noqa: BLE001  any decoder may raise anything
        raise Unreadable(f"{name} {_unreadable(error, RARER)}") from None


def published_colours(picture: Image.Image) -> Image.Image:
    """An open picture in RGB, or ``L`` where it is grey; transparency is passed over."""
    if picture.mode.startswith(DEEP):
        picture = _shallow(picture)
    if picture.mode in ("L", "RGB"):
        picture.load()
        return picture
    return picture.convert("RGB")


def _file(source: Path | bytes) -> BinaryIO:
    if isinstance(source, bytes):
        return io.BytesIO(source)
    if why := files.wrong(source):
        raise Unreadable("is missing" if why == files.NO_FILE else f"cannot be opened: {why}")
    return files.opened(source, MOST_BYTES)


def _room(picture: Image.Image) -> contextlib.AbstractContextManager[object]:
    """Leave for decoding: large pictures come one at a time, or many threads fill the memory."""
    width, height = picture.size
    if width * height > MAX_PIXELS:
        raise Image.DecompressionBombError
    if max(width, height) > MAX_RATIO * min(width, height):
        raise Unreadable(
            f"has {width:,} x {height:,} pixels; the longer side may be {MAX_RATIO} times the "
            "shorter, so cut it"
        )
    return _large if width * height > LARGE else contextlib.nullcontext()


def _unreadable(error: Exception, formats: tuple[str, ...]) -> Unreadable:
    if isinstance(error, Unreadable):
        return error
    if isinstance(error, Image.DecompressionBombError):
        return Unreadable(f"has more than {MAX_PIXELS / 1e6:.0f} million pixels; shrink it")
    # Pillow names an object in memory when it knows no format.
    why = (
        "no picture that is known"
        if isinstance(error, UnidentifiedImageError)
        else excerpt(error, 200)
    )
    return Unreadable(
        f"cannot be decoded ({why or type(error).__name__}); it should be a whole "
        f"{', '.join(formats[:-1])} or {formats[-1]} file"
    )


def _upright(picture: Image.Image) -> Image.Image:
    """RGB, turned, on white; nothing is left that could be applied a second time."""
    coloured = picture.mode.startswith(("RGB", "P"))
    turned = ImageOps.exif_transpose(picture)
    if turned.mode.startswith(DEEP):
        turned = _shallow(turned)
    opaque = _on_white(turned) if turned.has_transparency_data else turned.convert("RGB")
    # Colour profiles of grey and CMYK do not fit what is RGB now.
    kept = ("icc_profile", "comment") if coloured else ("comment",)
    opaque.info = {name: opaque.info[name] for name in kept if name in opaque.info}
    return opaque


def _on_white(picture: Image.Image) -> Image.Image:
    """What is transparent, on white, as browsers and paper show it."""
    layer = picture.convert("RGBA")
    page = Image.new("RGB", picture.size, WHITE)
    page.paste(layer, mask=layer.getchannel("A"))
    page.info = dict(picture.info)
    return page


def _shallow(picture: Image.Image) -> Image.Image:
    """Deep grey in 8 bits.

    Whole numbers are scaled from the smallest of ``DEPTHS`` that holds the brightest pixel: a file
    of 16 bits does not say that its scanner gave 12. Fractions are taken as 0 to 1, or 0 to 255.
    """
    values = np.asarray(picture)
    low, high = float(values.min()), float(values.max())
    tops = (1.0, 255.0) if picture.mode.startswith("F") else tuple(2.0**d - 1 for d in DEPTHS)
    top = next((limit for limit in tops if high <= limit), None)
    if top is None or not low >= 0:  # not a number is neither
        raise Unreadable(
            f"has grey values from {low:g} to {high:g}; save it with 8 or 16 bits, from 0 on"
        )
    scaled = np.rint(values * np.float32(255 / top)).astype(np.uint8)
    clear = picture.info.get("transparency")
    if isinstance(clear, int):
        scaled[values == clear] = 255
    shallow = Image.fromarray(scaled)
    shallow.info = {name: value for name, value in picture.info.items() if name != "transparency"}
    return shallow
