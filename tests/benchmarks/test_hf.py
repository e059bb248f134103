"""Hugging Face data sets, where the ``datasets`` package is installed: saved here, read back."""

import sys

import pytest
from PIL import Image

from evalcore.benchmarks import hf
from evalcore.errors import BadInput

COLUMNS = {"question": "q", "answers": "gold.text", "tag:type": "kind"}


@pytest.fixture
def datasets():
    return pytest.importorskip("datasets", reason="the package datasets is not installed")


@pytest.fixture
def saved(datasets, tmp_path):
    """A folder with one split of three questions about two pictures."""
    red, blue = Image.new("RGB", (6, 4), "red"), Image.new("L", (4, 4), 9)
    data = datasets.Dataset.from_dict(
        {
            "q": ["Red?", "Blue?", "Both?"],
            "image": [[red], [blue], [red]],
            "gold": [[{"text": "yes"}, {"text": "yes, red"}], [{"text": "no"}], []],
            "kind": [0, 1, 0],
        },
        features=datasets.Features(
            {
                "q": datasets.Value("string"),
                "image": datasets.List(datasets.Image()),
                "gold": datasets.List({"text": datasets.Value("string")}),
                "kind": datasets.ClassLabel(names=["colour", "shape"]),
            }
        ),
    )
    datasets.DatasetDict({"dev": data}).save_to_disk(tmp_path / "toy")
    return tmp_path / "toy"


def test_a_saved_data_set_is_read_by_its_column_map(saved, home):
    first, second, third = hf.load(saved, columns=COLUMNS, split="dev")

    assert (first.benchmark, first.id, first.question) == ("toy", "dev/0", "Red?")
    assert first.answers == ("yes", "yes, red")
    assert [item.tags[0] for item in (first, second)] == [("type", "colour"), ("type", "shape")]
    assert third.answers == ()


def test_pictures_are_kept_by_their_content_and_shared_ones_form_a_cluster(saved, home):
    first, second, third = hf.load(saved, columns=COLUMNS, split="dev")

    assert first.images == third.images != second.images
    assert first.cluster == third.cluster
    assert second.cluster is None
    assert len([path for path in (home / "pictures").rglob("*") if path.is_file()]) == 2
    with Image.open(first.images[0]) as picture:
        assert (picture.size, picture.getpixel((0, 0))) == ((6, 4), (255, 0, 0))


def test_a_folder_of_picture_files_is_read_in_place(datasets, tmp_path, home):
    Image.new("RGB", (4, 4), "red").save(tmp_path / "a.png")
    rows = '{"file_name": "a.png", "question": "Red?", "answers": "yes"}\n'
    (tmp_path / "metadata.jsonl").write_text(rows)

    (item,) = hf.load(tmp_path, split="train")

    assert (item.id, item.answers) == ("train/0", ("yes",))
    assert item.images[0].read_bytes() == (tmp_path / "a.png").read_bytes()


def test_an_unknown_split_is_refused(saved):
    with pytest.raises(BadInput) as caught:
        hf.load(saved, columns=COLUMNS, split="test")

    assert str(caught.value) == (
        f"{saved}: cannot be read (it has no split 'test', only dev); give a data set's name on "
        "the hub, or a folder, and a split that it has"
    )


def test_a_missing_column_is_refused(saved):
    with pytest.raises(BadInput) as caught:
        hf.load(saved, split="dev")

    assert str(caught.value) == (
        f"{saved} (dev): no column 'question'; there are 'q', 'image', 'gold', 'kind'. Name it "
        "so, or say which column it is: columns={'question': ...}"
    )


def test_a_path_in_the_table_leads_nowhere_outside(datasets, tmp_path, home):
    rows = {"question": ["Q?"], "image": ["/etc/passwd"]}
    datasets.Dataset.from_dict(rows).save_to_disk(tmp_path / "toy")

    with pytest.raises(BadInput, match="row 0: image '/etc/passwd' lies outside"):
        hf.load(tmp_path / "toy")


def test_without_the_package_its_name_is_given(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)

    with pytest.raises(BadInput) as caught:
        hf.load("owner/name")

    assert str(caught.value) == (
        "owner/name: reading it needs the package datasets; pip install datasets"
    )
