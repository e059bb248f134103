"""One way of opening a picture: every opener sees the same pixels of every kind of file."""

import io
import os
import socket

import numpy as np
import pytest
from PIL import Image, ImageDraw

from evalcore import pictures
from evalcore.benchmarks import sampling
from evalcore.contrastive.pictures import Files
from evalcore.errors import BadInput
from evalcore.models.prompt import all_opened, encoded
from evalcore.records import Item
from pages.shared.pictures import look

SIDE = 48
RAMP = np.linspace(0, 1, SIDE)[None, :].repeat(SIDE, 0)


def ink():
    """Black letters on nothing: what stands behind the nothing is black too."""
    drawn = Image.new("RGBA", (SIDE, SIDE), (0, 0, 0, 0))
    ImageDraw.Draw(drawn).rectangle((8, 8, 20, 40), fill=(0, 0, 0, 255))
    ImageDraw.Draw(drawn).rectangle((24, 8, 40, 40), fill=(200, 30, 30, 128))
    return drawn


def on_white():
    page = Image.new("RGB", (SIDE, SIDE), "white")
    page.paste(ink(), mask=ink().getchannel("A"))
    return page


def binary():
    """Ink that is there or not: what one transparent colour of a palette can say."""
    drawn = Image.new("P", (SIDE, SIDE), 0)
    drawn.putpalette([0, 0, 0, 200, 30, 30])
    ImageDraw.Draw(drawn).rectangle((8, 8, 20, 40), fill=1)
    page = Image.new("RGB", (SIDE, SIDE), "white")
    ImageDraw.Draw(page).rectangle((8, 8, 20, 40), fill=(200, 30, 30))
    return drawn, page


def noise(mode="RGB"):
    values = np.random.default_rng(7).integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)
    return Image.fromarray(values).convert(mode)


def saved(path, picture, **more):
    picture.save(path, **more)
    return path


def rgba(folder):
    return saved(folder / "a.png", ink()), on_white()


def webp(folder):
    return saved(folder / "a.webp", ink(), lossless=True), on_white()


def grey_alpha(folder):
    drawn = ink().convert("LA")
    page = Image.new("RGB", drawn.size, "white")
    page.paste(drawn.convert("RGBA"), mask=drawn.getchannel("A"))
    return saved(folder / "a.png", drawn), page


def palette(folder):
    drawn, page = binary()
    return saved(folder / "a.png", drawn, transparency=0), page


def gif(folder):
    drawn, page = binary()
    return saved(folder / "a.gif", drawn, transparency=0), page


def one_clear_colour(folder):
    drawn = Image.new("RGB", (SIDE, SIDE), "black")
    ImageDraw.Draw(drawn).rectangle((8, 8, 20, 40), fill=(200, 30, 30))
    return saved(folder / "a.png", drawn, transparency=(0, 0, 0)), binary()[1]


def opaque(folder):
    return saved(folder / "a.png", noise("RGBA")), noise()


def deep(kind, top, ending, file_top=None):
    def made(folder):
        values = (RAMP * (file_top or top)).astype(kind)
        expected = np.rint(values.astype(np.float64) * 255 / top).astype(np.uint8)
        path = saved(folder / f"a.{ending}", Image.fromarray(values))
        return path, Image.fromarray(expected).convert("RGB")

    return made


def turned(folder):
    note = Image.Exif()
    note[0x0112] = 6
    path = saved(folder / "a.png", noise(), exif=note)
    return path, noise().transpose(Image.Transpose.ROTATE_270)


def cmyk(folder):
    path = saved(folder / "a.tif", noise("CMYK"))
    return path, noise("CMYK").convert("RGB")


def first_of_many(ending):
    def made(folder):
        frames = [noise(), Image.new("RGB", (SIDE, SIDE), "blue")]
        more = {"save_all": True, "append_images": frames[1:]}
        more |= {"lossless": True} if ending == "webp" else {}
        path = saved(folder / f"a.{ending}", frames[0], **more)
        with Image.open(path) as file:
            return path, file.convert("RGB")

    return made


def plain(mode, ending):
    def made(folder):
        return saved(folder / f"a.{ending}", noise(mode)), noise(mode).convert("RGB")

    return made


KINDS = {
    "RGBA": rgba,
    "WebP with transparency": webp,
    "grey with transparency": grey_alpha,
    "palette with transparency": palette,
    "GIF with transparency": gif,
    "RGB with one clear colour": one_clear_colour,
    "RGBA without a transparent pixel": opaque,
    "16-bit PNG": deep(np.uint16, 65535, "png"),
    "16-bit TIFF": deep(np.uint16, 65535, "tif"),
    "12 bits in a 16-bit file": deep(np.uint16, 4095, "png"),
    "8 bits in a 16-bit file": deep(np.uint16, 255, "png"),
    "not quite 16 bits": deep(np.uint16, 65535, "tif", 40000),
    "32-bit whole numbers": deep(np.int32, 65535, "tif"),
    "fractions to 1": deep(np.float32, 1, "tif"),
    "fractions to 255": deep(np.float32, 255, "tif"),
    "turned by its camera": turned,
    "CMYK": cmyk,
    "first frame of a GIF": first_of_many("gif"),
    "first frame of a WebP": first_of_many("webp"),
    "first page of a TIFF": first_of_many("tif"),
    "RGB": plain("RGB", "png"),
    "grey": plain("L", "png"),
    "black and white": plain("1", "png"),
    "palette": plain("P", "png"),
    "BMP": plain("RGB", "bmp"),
}


def from_page(path):
    found = look(str(path), SIDE)
    assert isinstance(found, bytes), found
    return Image.open(io.BytesIO(found))


OPENERS = {
    "local model": lambda path: all_opened([path])[0],
    "API": lambda path: Image.open(io.BytesIO(encoded(path).data)),
    "judge": lambda path: Image.open(io.BytesIO(encoded(path, SIDE, keep_shape=True).data)),
    "page": from_page,
}
AS_PUBLISHED = {
    "RGBA", "WebP with transparency", "grey with transparency", "palette with transparency",
    "GIF with transparency", "RGB with one clear colour", "turned by its camera",
}  # fmt: skip
"""Kinds that open_clip's and UniBench's ``convert("RGB")`` shows otherwise; runs keep to that."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("opener", OPENERS)
def test_every_opener_sees_what_the_file_means(tmp_path, opener, kind):
    path, expected = KINDS[kind](tmp_path)

    seen = OPENERS[opener](path)

    assert (seen.mode, seen.size) == ("RGB", expected.size)
    # Half a level, where two ways round otherwise.
    assert np.abs(np.asarray(seen, int) - np.asarray(expected, int)).max() <= 1
    assert 0x0112 not in seen.getexif()
    assert not seen.has_transparency_data


@pytest.mark.parametrize("kind", KINDS)
def test_contrastive_runs_see_it_too_but_for_what_published_code_does_otherwise(tmp_path, kind):
    path, expected = KINDS[kind](tmp_path)
    if kind in AS_PUBLISHED:
        with Image.open(path) as file:
            expected = file.convert("RGB")

    seen = Files([path])[0]

    assert seen.mode in ("L", "RGB")
    found = np.asarray(seen.convert("RGB"), int)
    assert np.abs(found - np.asarray(expected, int)).max() <= 1


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_camera_s_note_is_followed_exactly_once(tmp_path, orientation):
    note = Image.Exif()
    note[0x0112] = orientation
    path = saved(tmp_path / "a.png", Image.new("RGB", (30, 20)), exif=note)
    size = (30, 20) if orientation < 5 else (20, 30)

    once = pictures.opened(path)

    assert once.size == size
    assert pictures.opened(saved(tmp_path / "b.png", once)).size == size


# What cannot be shown, and how that is told.


def thin(folder):
    return saved(folder / "a.png", Image.new("RGB", (1, 100_000)))


def truncated(folder):
    path = saved(folder / "a.png", noise())
    path.write_bytes(path.read_bytes()[:600])
    return path


def below_zero(folder):
    return saved(folder / "a.tif", Image.fromarray((RAMP * 100 - 50).astype(np.int32)))


def not_a_number(folder):
    values = RAMP.astype(np.float32)
    values[0, 0] = np.nan
    return saved(folder / "a.tif", Image.fromarray(values))


def of_24_bits(folder):
    return saved(folder / "a.tif", Image.fromarray((RAMP * 2**24).astype(np.int32)))


def a_page(folder):
    (folder / "a.png").write_text("<html>")
    return folder / "a.png"


def a_loop(folder):
    (folder / "a.png").symlink_to(folder / "b.png")
    (folder / "b.png").symlink_to(folder / "a.png")
    return folder / "a.png"


def a_pipe(folder):
    os.mkfifo(folder / "a.png")
    return folder / "a.png"


def a_socket(folder):
    os.chdir(folder)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("a.png")
    return folder / "a.png"


BROKEN = {
    "1 x 100,000 pixels": (thin, "has 1 x 100,000 pixels; the longer side may be 200 times the"),
    "broken off": (truncated, "cannot be decoded ("),
    "below zero": (below_zero, "has grey values from -50 to 50; save it with 8 or 16 bits"),
    "no number": (not_a_number, "has grey values from nan to nan"),
    "24 bits": (of_24_bits, "has grey values from 0 to 1.67772e+07"),
    "no picture": (a_page, "cannot be decoded (no picture that is known); it should be a whole"),
    "links in a circle": (a_loop, "cannot be opened: its links lead round in a circle"),
    "a pipe": (a_pipe, "cannot be opened: it is a pipe; give a file"),
    "a socket": (a_socket, "cannot be opened: it is a socket; give a file"),
    "a device": (lambda folder: folder.joinpath("/dev/zero"), "it is a device; give a file"),
    "a folder": (lambda folder: folder, "cannot be opened: it is a folder; give a file"),
    "too long a name": (lambda folder: folder / ("n" * 5000), "the name is too long for a file"),
    "a zero byte": (lambda folder: folder / "a\0.png", "no file can have that name"),
    "nothing": (lambda folder: folder / "a.png", "is missing"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_cannot_be_shown_is_told_in_a_sentence_by_every_opener(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    make, words = BROKEN[kind]
    path = make(tmp_path)
    item = Item("b", "1", "Q?", ("a",), images=(path,))

    (problem,) = sampling.problems([item])
    assert problem.startswith("b, 1: the picture ")
    assert words in problem
    for opener in ("local model", "API", "judge"):
        with pytest.raises(BadInput) as caught:
            OPENERS[opener](path)
        assert words in str(caught.value)
        assert len(str(caught.value)) < 400
    with pytest.raises(pictures.Unreadable, match=r"^a\.png .+"):
        pictures.as_published(path, "a.png")
    assert isinstance(look(str(path), SIDE), str)
