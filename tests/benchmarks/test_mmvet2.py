"""MM-Vet v2's layout: items written here in its form."""

import json

import pytest
from PIL import Image

from evalcore.benchmarks import mmvet2
from evalcore.errors import BadInput
from evalcore.store import queries

ENTRY = {
    "question": "What is x in the equation?<IMG>v2_0_0.png",
    "answer": "-1<AND>-5",
    "capability": ["ocr", "math"],
    "added_in": "v1",
}


def written(folder, content, name="mm-vet-v2.json"):
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return file


def read(folder, **change):
    written(folder, {"v2_0": ENTRY | change})
    (item,) = mmvet2.load(folder, allow_missing_images=True)
    return item


def test_an_item_keeps_the_authors_truth_and_gets_our_marks(tmp_path):
    (tmp_path / "images").mkdir()
    Image.new("RGB", (4, 4)).save(tmp_path / "images" / "v2_0_0.png")
    written(tmp_path, {"v2_0": ENTRY})

    (item,) = mmvet2.load(tmp_path)

    assert (item.benchmark, item.id, item.answers) == ("mm-vet-v2", "v2_0", ("-1<AND>-5",))
    assert item.question == "What is x in the equation?<image>"
    assert item.images == ((tmp_path / "images" / "v2_0_0.png").resolve(),)
    assert item.tags == (
        ("capability", "math"),
        ("capability", "ocr"),
        ("integration", "math+ocr"),
    )


@pytest.mark.parametrize(
    ("question", "ours"),
    [
        ("Q?<IMG>v2_0_0.png", "Q?<image>"),
        ("<IMG>v2_0_0.JPG<IMG>Q?", "<image>Q?"),
        ("First<IMG>a.jpg<IMG>then\n<IMG>b.jpeg<IMG>; why?", "First<image>then\n<image>; why?"),
        ("Q?<IMG>a.png\n", "Q?<image>"),
    ],
)
def test_pictures_stand_where_the_authors_place_them(tmp_path, question, ours):
    assert read(tmp_path, question=question).question == ours


def test_an_item_without_all_its_pictures_has_none(tmp_path):
    (tmp_path / "images").mkdir()
    Image.new("RGB", (4, 4)).save(tmp_path / "images" / "a.png")

    assert read(tmp_path, question="Q<IMG>a.png<IMG>or<IMG>b.png").images == ()
    with pytest.raises(BadInput) as caught:
        mmvet2.load(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}/images: 1 of 2 pictures are missing, first b.png; give their folder with "
        "images=..., or read the questions without them with allow_missing_images=true, which is "
        "enough to judge answers"
    )


def tags_of(store, axis):
    scores = queries.scores(store, "mmvet2")
    return set(scores.loc[scores["axis"] == axis, "tag"]) - {"total"}


def test_the_capability_names_are_the_stores(store):
    assert tags_of(store, "capability") == set(mmvet2.CAPABILITIES)


def test_integrations_are_spelt_as_in_the_store(tmp_path, store):
    known = tags_of(store, "integration")

    items = [read(tmp_path, capability=tag.split("+")[::-1]) for tag in known]

    assert len(known) == 16
    assert {item.tags[-1] for item in items} == {("integration", tag) for tag in known}


BROKEN = [
    ({"v2_0": "text"}, "{file}, v2_0: it should be an object with question, answer and capability"),
    ({"v2_0": ENTRY | {"question": "Q?"}},
     "{file}, v2_0: the question names no picture; it should hold <IMG> and a file's name"),
    ({"v2_0": ENTRY | {"question": "Q?<IMG>../../x.png"}},
     "{file}, v2_0: '../../x.png' is no plain name of a picture in the folder"),
    ({"v2_0": ENTRY | {"answer": ""}}, "{file}, v2_0: answer is ''; it should be a text"),
    ({"v2_0": ENTRY | {"capability": ["ocr", "sing"]}},
     "{file}, v2_0: capability is \"['ocr', 'sing']\"; it should be a list out of gen, know, math, "
     "ocr, rec, seq, spat"),
    ({"v2_0": ENTRY | {"capability": []}}, "{file}, v2_0: capability is '[]'; it should be a list "
     "out of gen, know, math, ocr, rec, seq, spat"),
    ({}, "{file}: no items; each should stand under its id, such as v2_0"),
    ([], "{file}: it holds '[]'; it should hold one JSON object"),
    ('{"v2_0": {}, "v2_0": {}}',
     "{file}: no JSON ('v2_0' stands twice); it should hold one JSON object"),
    ("{", "{file}: no JSON (Expecting property name enclosed in double quotes: line 1 column 2 "
     "(char 1)); it should hold one JSON object"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BROKEN)
def test_a_broken_item_file_is_refused(tmp_path, content, message):
    file = written(tmp_path, content)

    with pytest.raises(BadInput) as caught:
        mmvet2.load(file, allow_missing_images=True)

    assert str(caught.value) == message.format(file=file)
