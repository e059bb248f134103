"""The commands zeroshot, digits and cache, as a person gives them."""

import json

import numpy as np
import pytest

from evalcore import __main__ as command
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

    code, said = told("digits", "--model", spec(tmp_path), "--benchmark", f"mnist={place}")

    assert code == 0
    assert "saw 20 pictures of mnist (20 in the set) for 6 prompt sets" in said.out
    assert "A network with two layers: 99 % on MNIST (quoted" in said.out
    scores = queries.scores(build.ensure(), "digit-study")
    assert scores.groupby("axis").size().to_dict() == {f"top-{k}": 6 for k in range(1, 6)}
    assert set(scores["n"]) == {20}


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
