"""Hugging Face data sets on this disk: Parquet files and what ``save_to_disk`` writes."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalcore.contrastive import prompts
from evalcore.contrastive.datasets import loaders
from evalcore.errors import BadInput
from tests.contrastive.test_authors import scores, table
from tests.contrastive.test_shards import webp
from tests.contrastive.worlds import picture

IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
SEEN = [("red", 1), ("blue", 0), ("red", 1)]
NAMES = {"names": ["sky_blue", "fire red"], "_type": "ClassLabel"}


def shown(colour):
    return {"bytes": webp(colour), "path": None}


def made(columns, features=None):
    """A table as the package writes it, with what it writes of the columns."""
    pictures = {"image", "image_0", "image_1", "0.webp", "1.webp"} & columns.keys()
    arrays = {name: pa.array(v, IMAGE if name in pictures else None) for name, v in columns.items()}
    told = {name: {"_type": "Image"} for name in pictures} | (features or {})
    about = {b"huggingface": json.dumps({"info": {"features": told}}).encode()}
    return pa.table(arrays).replace_schema_metadata(about)


def labelled(column="label", **features):
    columns = {"image": [shown(colour) for colour, _ in SEEN], column: [at for _, at in SEEN]}
    return made(columns, features)


def parquet(path, content, **about):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(content, path, **about)


def saved(folder, content, parts=1):
    """As ``save_to_disk`` leaves it, without the words in the schema."""
    folder.mkdir(parents=True)
    features = json.loads(content.schema.metadata[b"huggingface"])["info"]["features"]
    (folder / "dataset_info.json").write_text(json.dumps({"features": features}))
    (folder / "state.json").write_text("{}")
    bare = content.replace_schema_metadata(None)
    step = -(-len(bare) // parts)
    for part in range(parts):
        name = f"data-{part:05d}-of-{parts:05d}.arrow"
        rows = bare.slice(part * step, step)
        with pa.ipc.new_stream(str(folder / name), bare.schema) as file:
            file.write_table(rows)


def as_table(folder):
    """The same pictures as a CSV file."""
    rows = []
    for number, (colour, at) in enumerate(SEEN):
        picture(colour).save(folder / f"{number}.png")
        rows.append({"image": f"{number}.png", "label": ("sky_blue", "fire red")[at]})
    return table(folder / "same.csv", rows)


@pytest.mark.parametrize("form", ["parquet", "saved", "split"])
def test_pictures_and_named_classes_score_as_the_same_in_a_table(home, tmp_path, form):
    content, folder = labelled(label=NAMES), tmp_path / "set"
    if form == "parquet":
        parquet(folder / "data" / "test-00000-of-00002-0ab1.parquet", content[:2], row_group_size=1)
        parquet(folder / "data" / "test-00001-of-00002-0ab1.parquet", content[2:])
    elif form == "saved":
        saved(folder, content, parts=2)
    else:
        saved(folder / "test", content)
        saved(folder / "train", content[:1])
        (folder / "dataset_dict.json").write_text('{"splits": ["test", "train"]}')

    task = loaders.load("colours", str(folder))

    assert task.classes == ("sky blue", "fire red") and task.labels.tolist() == [1, 0, 1]
    # A table's classes are in the order of their names, which changes nothing of the scores.
    assert scores(f"colours={folder}") == scores(f"colours={as_table(tmp_path)}")


def test_one_file_and_a_split_that_is_asked_for(tmp_path):
    parquet(tmp_path / "validation.parquet", labelled(label=NAMES))
    parquet(tmp_path / "train.parquet", labelled(label=NAMES)[:1])

    assert len(loaders.load("colours", str(tmp_path / "train.parquet"))) == 1
    assert len(loaders.load("colours", str(tmp_path))) == 3
    task = loaders.load("colours", f"{tmp_path}?split=train")
    assert len(task) == 1 and task.source["split"] == "train"


def test_unibenchs_saved_captions_and_pairs(tmp_path):
    captions = made({"0.webp": [shown("red")] * 2, "npy": [["a", "b"], ["c", "d"]],
                     "split.txt": ["swap_obj", "add_obj"], "__key__": ["0", "1"]})  # fmt: skip
    saved(tmp_path / "wds_sugarcrepe", captions)
    both = {"1.webp": [shown("blue")], "0.webp": [shown("red")], "npy": [["x", "y"]]}
    saved(tmp_path / "wds_winoground", made(both))

    relation = loaders.load("sugarcrepe", str(tmp_path / "wds_sugarcrepe"))
    pairs = loaders.load("winoground", str(tmp_path / "wds_winoground"))

    assert relation.captions == (("a", "b"), ("c", "d")) and relation.right.tolist() == [0, 0]
    assert pairs.pairs and pairs.captions == (("x", "y"),)
    assert pairs.pictures[0].getpixel((0, 0))[0] > 200


def test_columns_of_captions(tmp_path):
    wrong = {"image": [shown("red")] * 2, "caption": ["a", "b"], "wrong_1": ["c", "d"],
             "wrong_2": [None, "e"]}  # fmt: skip
    parquet(tmp_path / "one.parquet", made(wrong))
    pair = {"image_0": [shown("red")], "image_1": [shown("blue")], "caption_0": ["a"],
            "caption_1": ["b"], "tag": ["Object"]}  # fmt: skip
    parquet(tmp_path / "two.parquet", made(pair))

    assert loaders.load("x", str(tmp_path / "one.parquet")).captions == (
        ("a", "c"),
        ("b", "d", "e"),
    )
    assert loaders.load("winoground", str(tmp_path / "two.parquet")).pairs


def test_several_classes_of_a_picture(tmp_path):
    several = made(
        {"image": [shown("red")] * 2, "labels": [[0, 2], [1]]},
        {"labels": {"_type": "Sequence", "feature": {"names": ["a", "b", "c"]}}},
    )
    parquet(tmp_path / "test.parquet", several)

    task = loaders.load("x", str(tmp_path))

    assert task.several and task.labels.tolist() == [[True, False, True], [False, True, False]]


def test_words_for_labels_keep_their_own_order_whatever_the_usual_one_is(tmp_path):
    words = made({"image": [shown("red")] * 2, "label": ["trouser", "bag"]})
    parquet(tmp_path / "test.parquet", words)

    task = loaders.load("fashion_mnist", str(tmp_path))

    assert (task.classes, task.labels.tolist()) == (("bag", "trouser"), [1, 0])
    rows = [{"image": "0.png", "label": "trouser"}, {"image": "0.png", "label": "bag"}]
    picture("red").save(tmp_path / "0.png")
    same = loaders.load("fashion_mnist", str(table(tmp_path / "same.csv", rows)))
    assert (same.classes, same.labels.tolist()) == (task.classes, task.labels.tolist())


def test_imagenets_usual_words_go_before_its_columns(tmp_path):
    names = {"names": [f"synonym {n}, other" for n in range(1000)], "_type": "ClassLabel"}
    parquet(tmp_path / "validation.parquet", labelled(label=names))

    task = loaders.load("imagenet1k", str(tmp_path))

    assert task.classes == prompts.usual("imagenet1k").classes


def test_countbenchs_numbers_are_what_its_classes_are_called(tmp_path):
    numbers = made({"image": [shown("red")] * 9, "text": ["many"] * 9, "number": [*range(2, 11)]})
    parquet(tmp_path / "train.parquet", numbers)

    task = loaders.load("countbench", str(tmp_path))

    assert task.labels.tolist() == list(range(9))
    assert task.classes == prompts.usual("countbench").classes and len(task.classes) == 9


def test_a_column_that_is_asked_for(tmp_path):
    parquet(tmp_path / "test.parquet", labelled("kind", kind=NAMES, other=NAMES))

    assert loaders.load("x", f"{tmp_path}?label=kind").labels.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("content", "asked", "said"),
    [
        (labelled(label=NAMES), "?label=kind", "no column 'kind'; it has image, label"),
        (labelled(label=NAMES), "?split=val", "no split 'val' .*only test"),
        (labelled(label=NAMES), "?colour=red", "'colour=red' asks for nothing known"),
        (labelled("kind"), "", r"which of the columns .* holds the classes\? Say \?label=COLUMN"),
        (made({"label": [1]}), "", r"holds the pictures\? Say \?image=COLUMN"),
        (made({"image": [shown("red")], "label": [-1]}), "", "row 0: column 'label' says no class"),
        (made({"image": [shown("red")], "label": [1.5]}), "", "column 'label' holds float"),
        (
            labelled(label={"names": ["one"], "_type": "ClassLabel"}),
            "",
            "labels from 0 to 1, but 1 classes|has one class, 'one'",
        ),
    ],
)
def test_what_is_wrong_with_columns_is_told(tmp_path, content, asked, said):
    parquet(tmp_path / "test.parquet", content)

    with pytest.raises(BadInput, match=said):
        loaders.load("x", f"{tmp_path}{asked}")


def test_files_that_lack_or_are_damaged_are_told(tmp_path):
    parquet(tmp_path / "a" / "test-00000-of-00002.parquet", labelled(label=NAMES))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "test.parquet").write_bytes(b"PAR1 no")
    for config in ("one", "two"):
        parquet(tmp_path / "c" / config / "test.parquet", labelled(label=NAMES))

    with pytest.raises(BadInput, match="2 files belong together, but 1 are there"):
        loaders.load("x", str(tmp_path / "a"))
    with pytest.raises(BadInput, match="test.parquet is no whole file of Arrow or Parquet"):
        loaders.load("x", str(tmp_path / "b"))
    with pytest.raises(BadInput, match=r"several sets \(one, two\); name one: \?config=FOLDER"):
        loaders.load("x", str(tmp_path / "c"))
    assert len(loaders.load("x", f"{tmp_path / 'c'}?config=two")) == 3


def test_a_cell_without_a_picture_is_one_picture_that_cannot_be_read(tmp_path):
    nothing = {"bytes": None, "path": None}
    parquet(tmp_path / "t.parquet", made({"image": [shown("red"), nothing], "label": [0, 1]}))

    task = loaders.load("x", str(tmp_path / "t.parquet"))

    assert task.pictures[0].mode == "RGB"
    with pytest.raises(BadInput, match="t.parquet:1:image is no picture"):
        task.pictures[1]
