"""What is found out about items and pictures before anything is spent."""

import zlib
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from evalcore import pictures
from evalcore.benchmarks import pictures as kept
from evalcore.benchmarks import sampling
from evalcore.errors import BadInput
from evalcore.records import Item

WHOLE = "it should be a whole PNG, JPEG, WEBP, GIF, BMP or TIFF file"


@pytest.fixture
def good(tmp_path):
    Image.new("RGB", (64, 48), "red").save(tmp_path / "a.png")
    return Item(
        benchmark="b", id="1", question="Q?", answers=("yes",), images=(tmp_path / "a.png",)
    )


def test_items_in_order_pass(good):
    sampling.check([good, replace(good, id="2", question="<image> Q?")])


def test_choices_that_are_pictures_count_as_places_once(good):
    two = replace(good, images=good.images * 2, choices=("<image>", "<image>"), answers=("B",))

    sampling.check([two])
    assert sampling.problems([replace(two, images=good.images)]) == [
        "b, 1: 2 places <image> for 1 pictures; make them equal"
    ]


@pytest.mark.parametrize("ending", ["png", "jpg", "webp", "gif", "bmp", "tiff"])
def test_the_usual_kinds_of_pictures_pass(tmp_path, ending):
    file = tmp_path / f"a.{ending}"
    Image.new("L", (64, 48), 99).save(file)

    assert pictures.wrong(file) is None


PROBLEMS = [
    ({"answers": ()}, "no reference answer; the judge needs one, or choose a judge that does not"),
    ({"answers": ("B",), "choices": ("yes", "no")}, "the answer 'B' is none of the choices; write "
     "the choice's text, or say what answers are with answers_are='letter' or 'index'"),
    ({"images": ()}, "no picture; give one, or ask blind"),
    ({"question": "<image><image> Q?"}, "2 places <image> for 1 pictures; make them equal"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), PROBLEMS)
def test_a_problem_is_named_with_its_item(good, change, message):
    found = sampling.problems([good, replace(good, id="2", **change)])

    assert found == [f"b, 2: {message}"]


def test_what_a_run_does_not_need_is_not_asked_for(good):
    bare = replace(good, answers=(), images=())

    assert sampling.problems([bare], pictures=False, answers=False) == []
    assert sampling.problems([bare], answers=False, text_only=True) == []


def test_an_answer_matches_a_choice_whatever_its_case(good):
    item = replace(good, answers=("Yes ",), choices=("yes", "no"))

    assert sampling.problems([item]) == []


def test_a_repeated_id_is_named_once(good):
    assert sampling.problems([good, good, good]) == [
        "b, 1: the id occurs 3 times; every item needs one of its own"
    ]


def test_no_items_are_a_problem():
    assert sampling.problems([]) == ["there are no items; give at least one"]


def test_a_message_lists_ten_problems_and_counts_all(good):
    items = [replace(good, id=str(number), answers=()) for number in range(1200)]

    with pytest.raises(BadInput) as caught:
        sampling.check(items)

    lines = str(caught.value).splitlines()
    assert lines[0] == "1,200 problems in 1,200 items; the first 10:"
    assert lines[1].startswith("  b, 0: no reference answer")
    assert len(lines) == 11


def test_a_single_problem_is_told_in_the_singular(good):
    with pytest.raises(BadInput) as caught:
        sampling.check([replace(good, images=())])

    assert str(caught.value) == (
        "1 problem in 1 items:\n  b, 1: no picture; give one, or ask blind"
    )


def test_a_missing_picture_is_named(good, tmp_path):
    gone = tmp_path / "gone.png"

    found = sampling.problems([replace(good, images=(*good.images, gone, gone))])

    assert found == [f"b, 1: the picture {gone} is missing"]


@pytest.mark.parametrize("ending", ["png", "jpg", "webp", "gif"])
def test_a_picture_that_breaks_off_is_found(tmp_path, ending, rng):
    file = tmp_path / f"a.{ending}"
    Image.fromarray(rng.integers(0, 255, (200, 200, 3), dtype="uint8")).save(file)
    content = file.read_bytes()
    file.write_bytes(content[: len(content) * 2 // 3])

    assert WHOLE in pictures.wrong(file)


@pytest.mark.parametrize(
    "content", [b"", b"<svg/>", b"%!PS-Adobe", b"GIF89a", b"\x89PNG\r\n\x1a\n"]
)
def test_what_is_no_picture_is_found(tmp_path, content):
    file = tmp_path / "a.png"
    file.write_bytes(content)

    assert WHOLE in pictures.wrong(file)


def test_a_folder_is_no_picture(tmp_path):
    assert pictures.wrong(tmp_path) == (
        f"the picture {tmp_path} cannot be opened: it is a folder; give a file"
    )


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize("side", [9_500, 60_000])
def test_a_decompression_bomb_is_refused_without_being_unpacked(tmp_path, side):
    file = tmp_path / "bomb.png"
    Image.new("1", (8, 8)).save(file)
    head = bytearray(file.read_bytes())
    head[16:24] = side.to_bytes(4, "big") * 2
    head[29:33] = zlib.crc32(head[12:29]).to_bytes(4, "big")
    file.write_bytes(bytes(head))

    assert pictures.wrong(file) == (
        f"the picture {file} has more than 89 million pixels; shrink it"
    )


@pytest.mark.filterwarnings("ignore")
@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
def test_no_damage_to_a_picture_ends_the_check(tmp_path, data):
    file = tmp_path / "damaged"
    Image.new("RGB", (40, 40), "red").save(
        file, format=data.draw(st.sampled_from(pictures.FORMATS))
    )
    content = bytearray(file.read_bytes())
    places = st.integers(0, len(content) - 1)
    for place, byte in data.draw(st.lists(st.tuples(places, st.integers(0, 255)), max_size=8)):
        content[place] = byte
    file.write_bytes(bytes(content))

    assert isinstance(pictures.wrong(file), str | None)


def test_a_home_that_takes_no_pictures_is_named(home):
    (home / "pictures").write_text("in the way")

    with pytest.raises(BadInput, match="the picture cannot be kept .*choose another home folder"):
        kept.keep(b"content")
