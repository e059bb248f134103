import io

import pytest
from PIL import Image

from evalcore.errors import BadInput
from evalcore.models.prompt import encoded


def read(sent):
    return Image.open(io.BytesIO(sent.data))


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA", "P", "1", "CMYK"])
def test_any_picture_becomes_rgb_without_loss(tmp_path, mode):
    picture = Image.effect_noise((40, 30), 90).convert(mode)
    path = tmp_path / ("a.tiff" if mode == "CMYK" else "a.png")
    picture.save(path)

    sent = encoded(path)

    assert (sent.mime, read(sent).format) == ("image/png", "PNG")
    assert read(sent).tobytes() == picture.convert("RGB").tobytes()


def test_a_photo_stays_a_photo(tmp_path):
    Image.effect_noise((200, 100), 40).convert("RGB").save(tmp_path / "a.jpg", quality=90)

    sent = encoded(tmp_path / "a.jpg")

    assert (sent.mime, read(sent).format, read(sent).size) == ("image/jpeg", "JPEG", (200, 100))


def test_a_picture_is_resized_to_a_square(tmp_path):
    Image.new("RGB", (40, 30)).save(tmp_path / "a.png")

    assert read(encoded(tmp_path / "a.png", 64)).size == (64, 64)


def test_a_picture_on_its_side_is_turned_upright(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.new("RGB", (40, 30)).save(tmp_path / "a.jpg", exif=exif)

    sent = encoded(tmp_path / "a.jpg")

    assert read(sent).size == (30, 40)
    assert 0x0112 not in read(sent).getexif()


@pytest.mark.parametrize("content", [b"", b"no picture", b"\x89PNG\r\n\x1a\n1234"])
def test_what_is_no_picture_is_told(tmp_path, content):
    (tmp_path / "a.png").write_bytes(content)

    with pytest.raises(BadInput, match=r"^the picture a\.png cannot be decoded \("):
        encoded(tmp_path / "a.png")


@pytest.mark.parametrize(
    ("size", "expected"), [((400, 100), (224, 56)), ((50, 100), (112, 224)), ((400, 2), (224, 1))]
)
def test_a_picture_may_keep_its_shape(size, expected, tmp_path):
    Image.new("RGB", size).save(tmp_path / "a.png")

    assert read(encoded(tmp_path / "a.png", 224, keep_shape=True)).size == expected
