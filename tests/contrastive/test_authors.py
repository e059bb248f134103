"""Relation benchmarks in their authors' own files, and the words when something is wrong."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from evalcore.contrastive import doctor
from evalcore.contrastive.datasets import loaders, orders
from evalcore.contrastive.datasets.authors import SUGARCREPE
from evalcore.contrastive.evaluate import Evaluator
from evalcore.errors import BadInput
from tests.contrastive.worlds import Colours, picture


def scores(benchmark):
    (outcome,) = Evaluator(device="cpu").add_model(Colours()).add_benchmark(benchmark).outcomes()
    return {metric.name: (metric.value, metric.n, metric.chance) for metric in outcome.metrics}


def table(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def halves(path, left, right):
    """A picture of two colours side by side, 20 pixels each."""
    whole = Image.new("RGB", (40, 20))
    whole.paste(picture(left, size=(20, 20)), (0, 0))
    whole.paste(picture(right, size=(20, 20)), (20, 0))
    path.parent.mkdir(parents=True, exist_ok=True)
    whole.save(path)


def genome(folder, file="visual_genome_relation.json", **about):
    """Three parts of two pictures, as ARO writes them; of the third the false caption fits."""
    halves(folder / "images" / "1.png", "red", "blue")
    halves(folder / "images" / "2.png", "green", "red")
    rows = [
        ("1.png", 0, "red", "blue"),
        ("1.png", 20, "blue", "red"),
        ("2.png", 20, "green", "red"),
    ]
    told = [
        {
            "image_id": 1, "image_path": name, "bbox_x": x, "bbox_y": 0, "bbox_w": 20, "bbox_h": 20,
            "true_caption": f"the {true} one ", "false_caption": f"the {false} one",
            "relation_name": "beside", **about,
        }
        for name, x, true, false in rows
    ]  # fmt: skip
    (folder / file).write_text(json.dumps(told))
    return folder


def crepe(folder, pictures="val2017"):
    """SugarCrepe's seven files, each of one line; of the last the negative caption fits."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / pictures).mkdir(parents=True, exist_ok=True)
    picture("red").save(folder / pictures / "000000000001.png")
    for name in SUGARCREPE:
        right, wrong = ("blue", "red") if name == "swap_obj" else ("red", "blue")
        line = {
            "filename": "000000000001.png", "caption": f"{name} {right} ",
            "negative_caption": f"{name} {wrong}",
        }  # fmt: skip
        (folder / f"{name}.json").write_text(json.dumps({"0": line}))
    return folder


def winoground(folder, colours=(("red", "blue"), ("green", "black"))):
    (folder / "images").mkdir(parents=True)
    lines = []
    for number, pair in enumerate(colours):
        line = {"id": number, "tag": "Object", "num_main_preds": 1}
        for at, colour in enumerate(pair):
            picture(colour).save(folder / "images" / f"ex_{number}_img_{at}.png")
            line |= {f"image_{at}": f"ex_{number}_img_{at}", f"caption_{at}": f"some {colour}"}
        lines.append(json.dumps(line))
    (folder / "examples.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def test_aros_parts_of_pictures_score_as_the_same_parts_in_a_table(home, tmp_path):
    folder = genome(tmp_path / "aro")
    rows = []
    for at, (name, x, true, false) in enumerate(
        [("1", 0, "red", "blue"), ("1", 20, "blue", "red"), ("2", 20, "green", "red")]
    ):
        with Image.open(folder / "images" / f"{name}.png") as whole:
            whole.crop((x, 0, x + 20, 20)).save(tmp_path / f"{at}.png")
        rows.append(
            {"image": f"{at}.png", "caption": f"the {true} one", "wrong": f"the {false} one"}
        )

    found = scores(f"vg_relation={folder}?as=parts")

    assert found == scores(f"parts={table(tmp_path / 'same.csv', rows)}")
    assert found["accuracy"] == (2 / 3, 3, 0.5)


def test_the_name_tells_aros_two_files_apart(tmp_path):
    folder = genome(tmp_path)
    genome(tmp_path, "visual_genome_attribution.json", true_caption="the white one")

    task = loaders.load("vg_attribution", str(folder))

    assert task.captions[0] == ("the white one", "the blue one")
    with pytest.raises(BadInput, match="holds ARO's two benchmarks; call it one of vg_attribution"):
        loaders.load("mine", str(folder))
    one = loaders.load("mine", str(folder / "visual_genome_relation.json"))
    assert one.captions[0] == ("the red one", "the blue one")


def test_embeddings_of_parts_change_with_the_boxes(tmp_path):
    one = loaders.load("vg_relation", str(genome(tmp_path)))
    other = loaders.load("vg_relation", str(genome(tmp_path, bbox_h=10)))

    assert one.pictures.revision != other.pictures.revision
    assert other.pictures[0].size == (20, 10)


def test_sugarcrepe_is_its_seven_files_over_cocos_pictures(home, tmp_path):
    folder = crepe(tmp_path / "sugarcrepe")
    rows = [
        {
            "image": "sugarcrepe/val2017/000000000001.png",
            "caption": f"{name} {'blue' if name == 'swap_obj' else 'red'}",
            "wrong_1": f"{name} {'red' if name == 'swap_obj' else 'blue'}",
        }
        for name in SUGARCREPE
    ]

    found = scores(f"sugarcrepe={folder}?as=crepe")

    assert found == scores(f"crepe={table(tmp_path / 'same.csv', rows)}")
    assert found["accuracy"] == (6 / 7, 7, 0.5)


@pytest.mark.parametrize("pictures", ["images/val2017", "../val2017", "../coco/images/val2017"])
def test_cocos_pictures_may_lie_beside_the_files_or_above_them(tmp_path, pictures):
    folder = crepe(tmp_path / "repository" / "data", pictures)
    (folder / "add_obj.json").rename(folder / "add_ent.json")  # as earlier versions call it

    assert len(loaders.load("sugarcrepe", str(folder.parent))) == 7


def test_one_of_sugarcrepes_files_alone_is_a_benchmark(tmp_path):
    folder = crepe(tmp_path)

    assert loaders.load("swaps", str(folder / "swap_obj.json")).captions == (
        ("swap_obj blue", "swap_obj red"),
    )


def test_winoground_scores_as_the_same_pairs_in_a_table(home, tmp_path):
    folder = winoground(tmp_path / "wino")
    rows = [
        {
            "image_0": f"wino/images/ex_{number}_img_0.png", "caption_0": f"some {zero}",
            "image_1": f"wino/images/ex_{number}_img_1.png", "caption_1": f"some {one}",
        }
        for number, (zero, one) in enumerate((("red", "blue"), ("green", "black")))
    ]  # fmt: skip

    found = scores(f"winoground={folder}?as=wino")

    assert found == scores(f"wino={table(tmp_path / 'same.csv', rows)}")
    assert found["winoground-group"][1] == 2


def test_doctor_finds_the_authors_files_by_the_names_of_the_benchmarks(tmp_path):
    genome(tmp_path / "aro")
    genome(tmp_path / "aro", "visual_genome_attribution.json")
    crepe(tmp_path / "sugarcrepe")
    winoground(tmp_path / "winoground")
    columns = ["benchmark", "n_items", "n_classes"]

    found = doctor.benchmarks(tmp_path, pd.DataFrame(columns=columns)).set_index("benchmark")

    there = found.loc[["vg_relation", "vg_attribution", "sugarcrepe", "winoground"]]
    assert set(there["state"]) == {"differs"} and there["items"].tolist() == [3, 3, 7, 2]
    assert there["expected"].tolist() == [23937, 28748, 7511, 400]
    assert "hf download haideraltahan/wds_coco_order" in found.loc["coco_order", "words"]
    assert "its makers' files (https://github.com/mertyg" in found.loc["coco_order", "words"]


BROKEN = [
    (genome, "visual_genome_relation.json", "[{", "cannot be read as JSON"),
    (genome, "visual_genome_relation.json", "[]", "has no entries"),
    (genome, "visual_genome_relation.json", "[1]", "entry 0: it should be an object, not int"),
    (
        genome,
        "visual_genome_relation.json",
        '[{"image_path": "1.png"}]',
        "bbox_h should be numbers",
    ),
    (crepe, "swap_obj.json", '"text"', "cannot be read as JSON"),
    (crepe, "swap_obj.json", '{"7": {"filename": "a"}}', "swap_obj.json, entry 7: 'caption'"),
    (winoground, "examples.jsonl", '{"image_0": ""}', "line 1: 'image_0' should be a text"),
    (winoground, "examples.jsonl", "{}\nno", "cannot be read as JSON"),
]


@pytest.mark.parametrize(("make", "file", "text", "said"), BROKEN)
def test_broken_files_are_told_with_their_place(tmp_path, make, file, text, said):
    folder = make(tmp_path / "set")
    (folder / file).write_text(text)

    with pytest.raises(BadInput, match=said):
        loaders.load("set", str(folder))


@pytest.mark.parametrize(
    ("make", "gone", "said"),
    [
        (genome, "images/2.png", "1 of 3 pictures are missing, first .*2.png"),
        (crepe, "val2017/000000000001.png", "put COCO's val2017 .* there"),
        (crepe, "add_obj.json", "lacks add_obj.json; SugarCrepe is all 7 files"),
        (
            winoground,
            "images/ex_1_img_0.png",
            "1 of 4 pictures are missing, first .*ex_1_img_0.png",
        ),
    ],
)
def test_missing_files_are_told(tmp_path, make, gone, said):
    folder = make(tmp_path / "set")
    (folder / gone).unlink()

    with pytest.raises(BadInput, match=said):
        loaders.load("set", str(folder))


def test_a_part_without_area_is_told(tmp_path):
    with pytest.raises(BadInput, match="entry 0: its part of the picture has no area"):
        loaders.load("vg_relation", str(genome(tmp_path, bbox_w=0)))


TAGS = {"black": "JJ", "red": "JJ", "cats": "NNS", "mat": "NN", "dog": "NN"}
CAPTION = "Black cats sit on a red mat by the dog"


def tagged(caption):
    """As a tagger, by a list of words."""
    words = caption.split()
    return [(word, TAGS.get(word.lower(), "DT")) for word in words]


def karpathy(folder, captions=(CAPTION, "A dog.")):
    (folder / "val2014").mkdir(parents=True)
    picture("black").save(folder / "val2014" / "1.png")
    told = [{"image": "val2014/1.png", "caption": list(captions)}]
    (folder / "coco_karpathy_test.json").write_text(json.dumps(told))
    return folder


def test_each_caption_stands_against_four_shuffles_of_it(tmp_path):
    task = orders.load("coco_order", karpathy(tmp_path), tagged)

    right, nouns, rest, within, threes = (one.split() for one in task.captions[0])
    assert len(task) == 2 and task.right.tolist() == [0, 0]
    assert right == ["black", "cats", "sit", "on", "a", "red", "mat", "by", "the", "dog"]
    assert all(sorted(one) == sorted(right) for one in (nouns, rest, within, threes))
    at = [1, 6, 9]
    assert [one for n, one in enumerate(nouns) if n not in (0, 5, *at)] == [
        "sit",
        "on",
        "a",
        "by",
        "the",
    ]
    assert sorted(nouns[n] for n in at) == ["cats", "dog", "mat"]
    assert [rest[n] for n in (0, 1, 5, 6, 9)] == ["black", "cats", "red", "mat", "dog"]
    assert [sorted(within[n : n + 3]) for n in (0, 3, 6)] == [
        sorted(right[n : n + 3]) for n in (0, 3, 6)
    ]
    joined = " ".join(threes)
    assert all(" ".join(right[n : n + 3]) in joined for n in (0, 3, 6))


def test_the_shuffles_are_the_same_each_time_and_even_over_many_draws(tmp_path):
    folder = karpathy(tmp_path)

    assert orders.load("x", folder, tagged).captions == orders.load("x", folder, tagged).captions
    drawn = [
        tuple(
            orders.shuffles([(word, "NN") for word in "abc"], np.random.default_rng(seed))[
                0
            ].split()
        )
        for seed in range(600)
    ]
    counts = [drawn.count(one) for one in set(drawn)]
    assert len(counts) == 6 and min(counts) > 60  # 100 each, 9 more or less


def test_captions_are_cut_to_thirty_words_without_signs():
    assert orders.cleaned('A "cat" (one); ' + "word " * 40) == "a cat one" + " word" * 27


def test_without_spacy_the_words_name_it_and_unibenchs_own_draw(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)

    with pytest.raises(BadInput, match="pip install spacy.*hf:haideraltahan/wds_coco_order"):
        loaders.load("coco_order", str(karpathy(tmp_path)))


def test_captions_that_are_no_list_are_told(tmp_path):
    folder = karpathy(tmp_path)
    (folder / "coco_karpathy_test.json").write_text('[{"image": "a", "caption": "text"}]')

    with pytest.raises(BadInput, match="entry 0: 'caption' should be a list of texts"):
        orders.load("coco_order", folder, tagged)
