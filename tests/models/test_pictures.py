import pytest
from PIL import Image

from evalcore.errors import BadInput
from evalcore.models.prompt import all_opened, grey, opened


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "1", "P", "CMYK", "I;16", "LA"])
def test_every_kind_of_picture_becomes_rgb(tmp_path, mode):
    path = tmp_path / ("a.tif" if mode == "CMYK" else "a.png")
    Image.new(mode, (30, 20)).save(path)

    picture = opened(path)

    assert (picture.mode, picture.size) == ("RGB", (30, 20))


def test_a_picture_is_turned_as_its_camera_noted(tmp_path):
    picture = Image.new("RGB", (30, 20))
    note = picture.getexif()
    note[0x0112] = 6
    picture.save(tmp_path / "a.jpg", exif=note)

    assert opened(tmp_path / "a.jpg").size == (20, 30)


def test_a_picture_is_resized_to_a_square(tmp_path):
    Image.new("RGB", (30, 20)).save(tmp_path / "a.png")

    assert opened(tmp_path / "a.png", 448).size == (448, 448)


@pytest.mark.parametrize("content", [None, b"", b"<html>", b"\x89PNG\r\n\x1a\nbroken"])
def test_what_is_no_picture_is_told_by_its_name(tmp_path, content):
    path = tmp_path / "a.png"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(BadInput, match=r"^the picture a\.png (is missing$|cannot be decoded \()"):
        opened(path)


def test_a_grey_picture_has_the_size_asked_for():
    assert grey(32).size == (32, 32)


def test_several_pictures_come_in_their_order(tmp_path):
    paths = [tmp_path / f"{side}.png" for side in range(1, 30)]
    for side, path in enumerate(paths, 1):
        Image.new("RGB", (side, side)).save(path)

    assert [picture.width for picture in all_opened(paths)] == list(range(1, 30))
