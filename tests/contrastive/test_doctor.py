"""The rows of UniBench's benchmarks and models, and what doctor says of a machine."""

import csv

import open_clip
import pandas as pd
import pytest
from PIL import Image

from evalcore import __main__ as command
from evalcore import catalog, home
from evalcore.contrastive import doctor, unibench
from evalcore.contrastive.datasets import loaders
from evalcore.errors import UnknownName


@pytest.fixture(scope="module")
def catalogue():
    return pd.read_csv(home.ROOT / "data" / "catalog" / "benchmarks.csv").rename(
        columns={"id": "benchmark"}
    )


def fill(folder, classes, each):
    for label in range(classes):
        (folder / f"kind {chr(97 + label)}").mkdir(parents=True)
        for at in range(each):
            path = folder / f"kind {chr(97 + label)}" / f"{at}.png"
            Image.new("RGB", (8, 8), (label, at, 0)).save(path)


def row(found, benchmark):
    return found.set_index("benchmark").loc[benchmark]


def test_every_benchmark_of_the_paper_has_a_row(catalogue):
    types = catalogue[catalogue["type"].notna()]

    assert sorted(types["benchmark"]) == sorted(one.benchmark for one in unibench.data())


def test_every_benchmark_says_how_its_data_are_had(tmp_path):
    assert [one.benchmark for one in unibench.data() if not (one.shards or one.url)] == []
    assert all(unibench.fetch(one, tmp_path) for one in unibench.data())


def test_every_model_of_the_paper_has_a_row():
    with (home.ROOT / "data" / "catalog" / "models.csv").open(encoding="utf-8") as file:
        ids = [one["id"] for one in csv.DictReader(file) if one["id"].startswith("unibench/")]

    assert sorted(ids) == sorted(one.model for one in unibench.models())


def test_open_clip_knows_every_tag_that_a_row_names():
    tags = set(open_clip.list_pretrained())
    named = {(m.name, m.pretrained) for m in unibench.models() if m.through == "open_clip"}

    assert named <= tags


def test_a_model_that_nothing_runs_says_why():
    found = doctor.models()

    assert (found["runs"] == "no").sum() == 5
    assert found.loc[found["runs"] == "no", "note"].notna().all()
    assert found.loc[found["runs"] != "no", "spec"].notna().all()


def test_missing_data_come_with_the_way_to_get_them(tmp_path, catalogue):
    found = doctor.benchmarks(tmp_path, catalogue)

    assert set(found["state"]) == {"missing"}
    assert "hf download haideraltahan/wds_flowers" in row(found, "flowers102")["words"]
    assert "image, caption and wrong captions" in row(found, "sugarcrepe")["words"]


def test_every_licence_and_size_names_its_source():
    rows = catalog.read(home.ROOT / "data" / "zeroshot" / "terms.csv", unibench.Terms)

    names = [row.benchmark for row in rows]
    assert len(set(names)) == len(names)
    assert set(names) <= {one.benchmark for one in unibench.data()}
    for row in rows:
        assert len({bool(row.licence), bool(row.covers), bool(row.licence_source)}) == 1
        assert (row.archive_mb is None) == (row.archive is None) == (row.archive_source is None)
        assert row.licence or row.archive_mb
        for source in filter(None, (row.licence_source, row.archive_source)):
            assert source.startswith("https://")


def test_the_licence_stands_beside_data_that_are_not_here_and_is_open_where_none_says_it(
    tmp_path, catalogue
):
    found = doctor.benchmarks(tmp_path, catalogue)

    free = row(found, "pcam")
    assert (free["licence"], free["licence_covers"]) == ("CC0 1.0", "data")
    assert "basveeling/pcam" in free["licence_source"]
    assert free["archive_megabytes"] == 800
    assert row(found, "sugarcrepe")["licence_covers"] == "captions"
    open_ = row(found, "stl10")
    assert pd.isna(open_["licence"]) and pd.isna(open_["archive_megabytes"])


def test_the_command_counts_what_is_known(home, tmp_path, capsys):
    command.main(("doctor", "--data", str(tmp_path)))

    said = capsys.readouterr().out
    known_ = sum(one.licence is not None for one in unibench.terms().values())
    assert f"licence known for {known_} of 53, size of an archive for" in said
    assert "MIT (captions)" in said and "CC0 1.0" in said


def test_data_that_are_there_are_counted_and_compared_with_the_known_counts(tmp_path, catalogue):
    fill(tmp_path / "stl10", classes=10, each=2)
    fill(tmp_path / "wds_eurosat", classes=3, each=1)
    expected = catalogue.copy()
    expected.loc[expected["benchmark"] == "stl10", "n_items"] = 20

    found = doctor.benchmarks(tmp_path, expected)

    ready = row(found, "stl10")
    assert (ready["state"], ready["items"], ready["classes"]) == ("ready", 20, 10)
    odd = row(found, "eurosat")
    assert odd["state"] == "differs"
    assert (
        "3 items, the benchmark has 5,400; pictures of 3 classes, the benchmark has 10"
        in odd["words"]
    )


def test_a_damaged_picture_is_found(tmp_path, catalogue):
    fill(tmp_path / "stl10", classes=10, each=1)
    (tmp_path / "stl10" / "kind a" / "0.png").write_bytes(b"\x89PNG no picture")

    found = row(doctor.benchmarks(tmp_path, catalogue), "stl10")

    assert found["state"] == "broken"
    assert "0.png" in found["words"]


def test_the_revision_changes_with_the_pictures(tmp_path, catalogue):
    fill(tmp_path / "stl10", classes=10, each=1)
    before = row(doctor.benchmarks(tmp_path, catalogue), "stl10")["revision"]
    Image.new("RGB", (9, 9)).save(tmp_path / "stl10" / "kind a" / "0.png")

    after = row(doctor.benchmarks(tmp_path, catalogue), "stl10")["revision"]

    assert before != after


def test_names_of_benchmarks_and_of_sets_become_places(tmp_path):
    fill(tmp_path / "stl10", classes=2, each=1)
    sets = {"distilled-type": ["stl10"]}

    assert unibench.wanted(["distilled-type", "mine=here"], tmp_path, sets) == [
        f"stl10={tmp_path / 'stl10'}",
        "mine=here",
    ]


def test_a_name_without_data_says_how_to_get_them(tmp_path):
    with pytest.raises(UnknownName, match="hf download haideraltahan/wds_dtd"):
        unibench.wanted(["dtd"], tmp_path, {})


def test_an_unknown_name_says_what_is_known(tmp_path):
    with pytest.raises(UnknownName, match=r"should be NAME=PATH, a set \(\), or one of .*caltech"):
        unibench.wanted(["imagenet"], tmp_path, {})


def test_named_folders_keep_their_names_whatever_the_usual_order_is(tmp_path):
    for name in ("trouser", "bag"):
        (tmp_path / "fashion_mnist" / name).mkdir(parents=True)
        Image.new("RGB", (8, 8)).save(tmp_path / "fashion_mnist" / name / "0.png")

    assert loaders.load("fashion_mnist", str(tmp_path / "fashion_mnist")).classes == (
        "bag",
        "trouser",
    )
