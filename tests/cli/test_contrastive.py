"""The commands zeroshot, digits and cache, as a person gives them."""

import json

import numpy as np
import pandas as pd
import pytest

from evalcore import __main__ as command
from evalcore.cli.output import GAPS
from evalcore.contrastive import digits
from evalcore.store import build, queries
from tests.contrastive.test_columns import made, parquet, shown
from tests.contrastive.test_loaders import idx
from tests.contrastive.worlds import class_folders, spec

COLOURS = "tests.contrastive.worlds:colours"


@pytest.fixture
def told(home, capsys):
    """Runs a command; gives its exit code and what it said."""

    def run(*words):
        code = command.main(words)
        return code, capsys.readouterr()

    return run


def test_a_model_on_a_folder_of_class_folders(told, tmp_path):
    place = class_folders(tmp_path / "set", each=2)

    code, said = told(
        *("zeroshot", "--model", COLOURS, "--benchmark", f"colours={place}"),
        *("--device", "cpu", "--format", "json"),
    )

    (row,) = json.loads(said.out)
    assert code == 0
    assert (row["value"], row["n"], row["chance"], row["low"] < 1) == (1, 8, 0.25, True)


def test_the_digit_study_shows_its_pictures_once_and_stands_in_the_store(told, tmp_path):
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 256, (20, 28, 28), np.uint8)
    place = idx(tmp_path / "mnist", pictures, np.arange(20, dtype=np.uint8) % 10)

    few = f"mnist={place}?as=mnist-20"
    code, said = told("digits", "--model", spec(tmp_path), "--benchmark", few)

    assert code == 0
    assert "saw 20 pictures of mnist-20 (20 in the set) for 6 prompt sets" in said.out
    scores = queries.scores(build.ensure(), "digit-study")
    assert scores.groupby("axis").size().to_dict() == {f"top-{k}": 6 for k in range(1, 6)}
    assert set(scores["n"]) == {20}


def test_the_line_of_a_network_stands_beside_the_whole_of_mnist_alone():
    rows = {"model": ["m"], "n": [9], "encoded": [9], "seconds": [0.1]}

    whole, part = (
        digits.remarks(pd.DataFrame(rows | {"benchmark": [name]})) for name in ("mnist", "mnist-9")
    )

    assert "A network with two layers: 99 % on MNIST (quoted" in whole[1]
    assert len(part) == 1


def test_countbench_by_classes_stands_apart_from_countbench_by_captions(told, tmp_path):
    numbers = {"image": [shown("red")] * 9, "number": [*range(2, 11)]}
    parquet(tmp_path / "classes" / "test.parquet", made(numbers))
    texts = {"image": [shown("red")] * 2, "caption": ["red", "blue"], "wrong_1": ["blue", "red"]}
    parquet(tmp_path / "captions" / "test.parquet", made(texts))
    model = ("--model", COLOURS, "--device", "cpu", "--benchmark")

    told("digits", *model, f"countbench={tmp_path / 'classes'}")
    told("zeroshot", *model, f"countbench={tmp_path / 'classes'}")
    _, said = told("zeroshot", *model, f"countbench={tmp_path / 'captions'}")
    code, refused = told("digits", *model, f"countbench={tmp_path / 'captions'}")

    assert "countbench: all 2 items hang together through shared pictures, so no" in said.out
    path = build.ensure()
    rows = queries.scores(path, "zeroshot").set_index("benchmark")
    assert sorted(rows.index) == ["countbench", "countbench-classes"]
    assert (rows["n"]["countbench-classes"], rows["value"]["countbench"]) == (9, 0.5)
    assert "countbench itself is of captions" in rows["note"]["countbench-classes"]
    chance = queries.table(path, "benchmarks").set_index("benchmark")["chance"]
    assert chance["countbench-classes"] == pytest.approx(1 / 9)
    study = queries.scores(path, "digit-study")
    assert set(study.loc[study["axis"] == "top-1", "benchmark"]) == {"countbench-classes"}
    assert code == command.BAD_INPUT and "hf:nielsr/countbench" in refused.err


def test_what_is_wrong_is_said_and_nothing_is_run(told, tmp_path):
    code, said = told("zeroshot", "--model", COLOURS, "--benchmark", f"set={tmp_path / 'none'}")

    assert code == command.BAD_INPUT
    assert "there is no file or folder" in said.err


def test_pictures_that_cannot_be_read_are_told_by_the_exit_code(told, tmp_path):
    place = class_folders(tmp_path / "set", each=1)
    pictures = sorted(place.rglob("*.png"))
    run = ("zeroshot", "--model", COLOURS, "--device", "cpu", "--benchmark", f"colours={place}")
    pictures[0].write_bytes(b"no picture")

    some, said = told(*run)
    for path in pictures:
        path.write_bytes(b"no picture")
    none, refused = told(*run)

    assert some == GAPS
    assert "colours: 1 item has no score: " in said.err
    assert f"{pictures[0].name} cannot be decoded (" in said.err
    assert none == command.BAD_INPUT
    assert f"none of 4 pictures can be read: {pictures[0]} cannot be decoded (" in refused.err
    assert "such as PNG or JPEG" in refused.err


def test_items_whose_captions_are_equal_have_no_score_and_are_counted(told, tmp_path):
    texts = {"image": [shown("red")] * 3, "caption": ["red"] * 3, "wrong_1": ["blue", "red", "red"]}
    parquet(tmp_path / "set" / "test.parquet", made(texts))
    run = ("zeroshot", "--model", COLOURS, "--device", "cpu", "--benchmark")

    code, said = told(*run, f"relation={tmp_path / 'set'}", "--format", "json")
    texts["wrong_1"] = ["red"] * 3
    parquet(tmp_path / "same" / "test.parquet", made(texts))
    refused, why = told(*run, f"same={tmp_path / 'same'}")

    (row,) = json.loads(said.out)
    assert code == GAPS
    assert (row["value"], row["n"], row["undecidable"], row["unread"]) == (1, 1, 2, 0)
    assert "relation: 2 items have no score: a wrong caption equals the right one" in said.err
    (note,) = queries.scores(build.ensure(), "zeroshot")["note"]
    assert "2 items have a wrong caption equal to the right one and do not count" in note
    assert refused == command.BAD_INPUT
    assert "in every item the right caption and a wrong one are equal ('red')" in why.err


def test_what_is_kept_is_listed_and_removed(told, tmp_path):
    place = class_folders(tmp_path / "set", each=1)
    told("zeroshot", "--model", COLOURS, "--benchmark", f"colours={place}", "--device", "cpu")

    _, listed = told("cache")
    _, cleared = told("cache", "--clear", "pixels")
    _, after = told("cache", "--format", "json")

    assert "of 20000 MB in" in listed.out
    assert cleared.out.endswith("MB are free again\n")
    assert {row["kind"] for row in json.loads(after.out)} == {"images", "texts"}


def test_an_unknown_part_of_what_is_kept_is_told(told):
    code, said = told("cache", "--clear", "everything")

    assert code == command.BAD_INPUT
    assert "the cache holds no 'everything'" in said.err
