"""VQA360's layout: the real sample beside the project, and small broken copies of the layout."""

import json

import pytest
from PIL import Image

from evalcore.benchmarks import vqa360
from evalcore.errors import BadInput
from evalcore.store import queries


@pytest.fixture
def sample(shared):
    return shared / "data" / "vqa360_sample" / "test"


def write(root, name, data=None, tags=None):
    dataset, _, key = name.rpartition("_")
    own = {"dataset": dataset, "key": int(key)}
    files = {
        "data": own | {"question": "Q?", "label": ["x"]} | (data or {}),
        "task_instance_classifications": own
        | {"task_type": "T", "application_domain": ["D"], "knowledge_type": ["K"]}
        | (tags or {}),
    }
    for folder, content in files.items():
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / f"{name}.json").write_text(json.dumps(content), "utf-8")


def read(root, **options):
    return list(vqa360.load(root, allow_missing_images=True, **options))


def refusal(root, **options):
    with pytest.raises(BadInput) as caught:
        vqa360.load(root, **{"allow_missing_images": True} | options)
    return str(caught.value)


def test_the_sample_has_seven_items_of_each_source_in_order_of_their_keys(sample):
    items = read(sample)

    assert len(items) == 35
    assert [item.id for item in items[:2]] == ["A-OKVQA_0", "A-OKVQA_1"]
    assert [item.id for item in items[7:10]] == ["ChartQA_1", "ChartQA_2", "ChartQA_5"]


def test_every_tag_of_the_sample_is_one_of_the_stores(sample, store):
    there = queries.scores(store, "vqa360")[["axis", "tag"]]
    known = set(there.itertuples(index=False, name=None))

    tags = {tag for item in read(sample) for tag in item.tags}

    assert tags <= known
    assert ("application_domain", "Other") in tags


def test_the_two_spellings_of_a_label_read_alike(sample):
    items = {item.id: item for item in read(sample)}

    assert items["A-OKVQA_0"].answers == ("cigarette",) * 10
    assert items["OK-VQA_5"].answers == ("man",) * 6 + ("men",) * 4
    assert "white, black" in items["VQAv2_314"].answers


def test_choices_are_offered_only_on_demand(sample):
    first = read(sample)[0]
    offered = read(sample, offer_choices=True)

    assert first.choices == ()
    assert offered[0].choices == ("toothpick", "food", "popsicle stick", "cigarette")
    assert offered[0].answers == ("cigarette",)
    assert sum(bool(item.choices) for item in offered) == 7


def test_missing_pictures_are_an_error_unless_allowed(sample):
    assert refusal(sample, allow_missing_images=False) == (
        f"{sample}/images: 35 of 35 pictures are missing, first A-OKVQA_0.png; give their folder "
        "with images=..., or allow_missing_images=True to read the questions without them"
    )
    assert {item.images for item in read(sample)} == {()}


def test_pictures_are_found_and_equal_ones_form_a_cluster(tmp_path):
    (tmp_path / "pictures").mkdir()
    for key, colour in [(1, "red"), (2, "red"), (30, "blue")]:
        write(tmp_path, f"ChartQA_{key}")
        file = tmp_path / "pictures" / f"ChartQA_{key}.png"
        Image.new("RGB", (4, 4), colour).save(file)

    first, second, third = vqa360.load(tmp_path, images=tmp_path / "pictures")

    assert first.images == ((tmp_path / "pictures" / "ChartQA_1.png").resolve(),)
    assert first.cluster == second.cluster
    assert (first.cluster is None, third.cluster) == (False, None)


@pytest.mark.parametrize(
    ("label", "answers"),
    [
        (["a, b", "c"], ("a, b", "c")),
        ("['a, b', 'c']", ("a, b", "c")),
        ("[\"it's\", 'x']", ("it's", "x")),
        ([1, 0.5], ("1", "0.5")),
        ("[1, 2.50]", ("1", "2.5")),
        ([], ()),
    ],
)
def test_a_label_is_a_list_or_a_text_holding_one(tmp_path, label, answers):
    write(tmp_path, "X_1", {"label": label})

    assert read(tmp_path)[0].answers == answers


LABEL = "label should be a list of answers, or a text holding a Python list"
BROKEN = [
    ({"label": "__import__('os').getcwd()"}, {}, LABEL),
    ({"label": "cigarette"}, {}, LABEL),
    ({"label": "[" * 2000}, {}, LABEL),
    ({"label": None}, {}, LABEL),
    ({"label": ["x", None]}, {}, "label holds 'None', which is no text"),
    ({"question": ""}, {}, "question is ''; it should be a text"),
    ({"key": 2}, {}, "it speaks of 'X_2'; it should be about 'X_1'"),
    ({"choices": "a"}, {}, "choices is 'a'; it should be a list of texts"),
    ({"choices": ["a", "b"], "correct_choice": "c"}, {},
     "correct_choice 'c' is none of ('a', 'b')"),
    ({}, {"knowledge_type": "Other"}, "knowledge_type is 'Other'; it should be a list of texts"),
    ({}, {"dataset": "Y"}, "it speaks of 'Y_1'; it should be about 'X_1'"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "tags", "message"), BROKEN)
def test_a_broken_item_is_refused_with_its_file(tmp_path, data, tags, message):
    write(tmp_path, "X_1", data, tags)
    folder = "task_instance_classifications" if tags else "data"

    assert refusal(tmp_path, offer_choices=True) == f"{tmp_path}/{folder}/X_1.json: {message}"


def test_a_broken_layout_is_refused_with_what_would_be_right(tmp_path):
    write(tmp_path / "test", "X_1")

    assert refusal(tmp_path) == f"{tmp_path}: no folder 'data'; give {tmp_path}/test"
    assert refusal(tmp_path / "test" / "data") == (
        f"{tmp_path}/test/data: no folder 'data'; give the folder of one split, such as .../test"
    )


def test_a_question_without_tags_file_is_refused(tmp_path):
    write(tmp_path, "X_1")
    file = tmp_path / "task_instance_classifications" / "X_1.json"
    file.unlink()

    assert refusal(tmp_path) == f"{file}: there is no such file"


def test_a_file_named_after_nothing_is_refused(tmp_path):
    write(tmp_path, "X_1")
    (tmp_path / "data" / "notes.json").write_text("{}")

    assert refusal(tmp_path) == (
        f"{tmp_path}/data/notes.json: the name should be <data set>_<key>.json"
    )
