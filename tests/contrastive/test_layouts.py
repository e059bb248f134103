"""The table of the 53 benchmarks: what becomes of their makers' own files, each tried."""

from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from evalcore import __main__ as command
from evalcore.contrastive import counts, unibench
from evalcore.contrastive.datasets import loaders
from evalcore.contrastive.evaluate import Evaluator
from evalcore.contrastive.task import check_words
from evalcore.engine import runs
from evalcore.errors import BadInput
from tests.contrastive import layouts
from tests.contrastive.test_loaders import npy, png
from tests.contrastive.worlds import Colours, shard

ROWS = {row.benchmark: row for row in unibench.data()}


@pytest.fixture(autouse=True)
def unhashed(monkeypatch):
    """torchvision compares some files with the hashes of the real ones."""
    monkeypatch.setattr("torchvision.datasets.utils.check_md5", lambda *_, **__: True)


def test_every_benchmark_is_tried_as_its_row_says():
    by = {
        "read": {*layouts.READ, *layouts.NEEDS},
        "own name": set(layouts.OWN),
        "shards": set(layouts.SHARDS),
    }

    assert {name: {r.benchmark for r in ROWS.values() if r.layout == name} for name in by} == by
    assert sum(map(len, by.values())) == 53
    assert all(row.layout_note for row in ROWS.values())


@pytest.mark.parametrize("benchmark", sorted({**layouts.READ, **layouts.OWN}))
@pytest.mark.parametrize("packed", ["as it is", "by a Mac"])
def test_makers_files_are_read_with_their_names(tmp_path, benchmark, packed):
    build, names = {**layouts.READ, **layouts.OWN}[benchmark]
    place = build(tmp_path)
    if packed == "by a Mac":
        layouts.mac(tmp_path)
    if packed == "by a Mac" and benchmark == "caltech101":
        with pytest.raises(BadInput, match="DS_Store"):  # torchvision reads it as a class
            loaders.load(benchmark, str(place))
        return

    task = loaders.load(benchmark, str(place))

    check_words(task)
    for at in range(min(9, len(task.pictures))):
        task.pictures[at].load()
    if names is None:
        assert task.captions and not task.classes
    elif isinstance(names, int):
        assert len(task.classes) == names
    else:
        assert task.classes == names
    assert counts.differences(task, len(task) + 1, None) == [
        f"{len(task):,} items, the benchmark has {len(task) + 1:,}"
    ]


@pytest.mark.parametrize("benchmark", sorted(layouts.NEEDS))
def test_a_package_that_is_needed_is_named(tmp_path, benchmark):
    package = layouts.NEEDS[benchmark]
    if find_spec(package):
        pytest.skip(f"{package} is installed")
    file = {"coco_order": "coco_karpathy_test.json", "flickr30k_order": "flickr30k_test.json"}
    if benchmark in file:
        layouts.captions(tmp_path, file[benchmark])
    else:
        for kind in "xy":
            layouts.text(tmp_path / "pcam" / f"camelyonpatch_level_2_split_test_{kind}.h5")

    with pytest.raises(BadInput, match=f"(?i){package}"):
        loaders.load(benchmark, str(tmp_path))


@pytest.mark.parametrize("benchmark", sorted(layouts.SHARDS))
def test_files_that_are_not_the_benchmark_are_refused(tmp_path, benchmark):
    build, said = layouts.SHARDS[benchmark]
    place = build(tmp_path)

    with pytest.raises(BadInput, match=said):
        check_words(loaders.load(benchmark, str(place)))


@pytest.mark.parametrize("benchmark", sorted(ROWS))
def test_the_shards_of_each_are_read(tmp_path, benchmark):
    form = ROWS[benchmark].form
    if form == "classes":
        files = {"s0.0.webp": png("red"), "s0.cls": b"1", "s1.0.webp": png(), "s1.cls": b"0"}
    elif form == "pairs":
        files = {"s0.0.webp": png("red"), "s0.1.webp": png("blue"), "s0.npy": npy(["a", "b"])}
    else:
        files = {"s0.0.webp": png("red"), "s0.npy": npy(["a", "b"])}
    shard(tmp_path / "test" / "0.tar", files)
    if form == "classes":
        (tmp_path / "classnames.txt").write_text("day\nnight\n")
    layouts.mac(tmp_path)

    task = loaders.load(benchmark, str(tmp_path))

    assert task.classes == ("day", "night") if form == "classes" else task.captions


@pytest.mark.parametrize("benchmark", sorted({**layouts.READ, **layouts.OWN}))
def test_a_part_of_a_benchmark_never_stands_in_the_store_as_the_benchmark(
    home, tmp_path, benchmark
):
    build, _ = {**layouts.READ, **layouts.OWN}[benchmark]
    (tmp_path / "data").mkdir()
    place = build(tmp_path / "data")

    with pytest.raises(BadInput, match=rf"not that benchmark; .*\?as={benchmark}-mine'$"):
        Evaluator(device="cpu").add_model(Colours()).add_benchmark(
            f"{benchmark}={place}"
        ).outcomes()

    (outcome,) = (
        Evaluator(device="cpu")
        .add_model(Colours())
        .add_benchmark(f"{benchmark}={place}?as={benchmark}-mine")
        .outcomes()
    )
    assert outcome.benchmark == f"{benchmark}-mine"
    assert {run.settings.benchmark for run in runs.own()} == {f"{benchmark}-mine"}


def test_doctor_prints_the_table(home, tmp_path, capsys):
    command.main(("doctor", "--data", str(tmp_path)))

    said = capsys.readouterr().out
    assert "makers' own files: of 34 benchmarks read as they are, of 5 read under a name" in said
    assert "of 14 refused, as these need shards or a CSV file" in said


def test_birds_are_those_of_the_test_part_with_names_of_words(tmp_path):
    place = layouts.cub(tmp_path)

    task = loaders.load("cub", str(place))

    assert task.labels.tolist() == [0, 0, 1, 1]
    assert task.pictures.path(0).name == "Black_footed_Albatross_0001.jpg"
    assert task.prompts()[0] == "a photo of a Black footed Albatross."
    for where in (place / "CUB_200_2011", place / "CUB_200_2011" / "images"):
        assert loaders.load("cub", str(where)).labels.tolist() == [0, 0, 1, 1]
    assert len(loaders.load("cub", f"{place}?split=train")) == 2
    assert len(loaders.load("cub", f"{place}?split=all")) == 6


def test_scenes_are_asked_vtabs_two_questions(tmp_path):
    place = layouts.clevr(tmp_path)

    count = loaders.load("clevr_count", str(place))
    distance = loaders.load("clevr_distance", str(place))

    assert [count.classes[one] for one in count.labels] == ["3", "10", "4", "5"]
    # As VTAB computes it: the last bound that lies below the depth.
    bounds = np.array([0.0, 8.0, 8.5, 9.0, 9.5, 10.0, 100.0])
    expected = [int(np.max(np.where(bounds - depth < 0))) for depth in (7.5, 12.0, 8.0, 8.25)]
    assert distance.labels.tolist() == expected == [0, 5, 0, 1]
    with pytest.raises(BadInput, match="call it clevr_count or clevr_distance"):
        loaders.load("clevr", str(place))
    assert loaders.load("scenes", f"{place}?question=count").labels.tolist() == [0, 7, 1, 2]


def test_objectnet_is_the_classes_it_shares_with_imagenet(tmp_path):
    place = layouts.objectnet(tmp_path)

    task = loaders.load("objectnet", str(place / "objectnet-1.0" / "images"))

    assert (task.classes, task.labels.tolist()) == (("alarm clock", "banana"), [0, 0, 1, 1])
    for one in (place / "objectnet-1.0" / "images" / "banana").iterdir():
        one.unlink()
    with pytest.raises(BadInput, match="banana holds no picture"):
        loaders.load("objectnet", str(place))


def test_imagenet_c_is_all_its_corruptions_and_some_are_asked_for_by_name(tmp_path):
    place = layouts.imagenet_c(tmp_path, each=2)

    whole = loaders.load("imagenetc", str(place))
    some = loaders.load("imagenetc", f"{place}?corruption=fog,snow&severity=3&as=weather")

    assert len(whole) == 15 * 5 * 4 and whole.classes == ("stingray", "sunglasses")
    assert counts.differences(whole, None, 2) == []
    assert len(np.unique(whole.cluster())) == 4
    assert (some.id, len(some), some.source["corruption"]) == ("weather", 8, ["fog", "snow"])
    with pytest.raises(BadInput, match="corrupted in some ways"):
        counts.check(loaders.load("imagenetc", f"{place}?corruption=fog"))
    (place / "digital" / "fog" / "3" / "n01498041" / "n01498041_0.JPEG").unlink()
    with pytest.raises(BadInput, match="fog at severity 3 has 2 classes and 3 pictures"):
        loaders.load("imagenetc", str(place))


def test_backgrounds_are_sets_of_their_own(tmp_path):
    place = layouts.imagenet_9(tmp_path)

    with pytest.raises(BadInput, match="several backgrounds .mixed_rand, only_fg, original."):
        loaders.load("imagenet9", str(place))


def test_dollar_street_takes_the_test_table_and_refuses_a_picture_without_topic(tmp_path):
    place = layouts.dollar_street(tmp_path) / "dataset_dollarstreet"

    assert loaders.load("dollar_street", str(place)).labels.tolist() == [1, 0]
    table = place / "images_v2_imagenet_test.csv"
    table.write_text(table.read_text().replace("['Toothbrushes']", "[]"))
    with pytest.raises(BadInput, match="row 2: no topic in"):
        loaders.load("dollar_street", str(place))


@pytest.mark.parametrize(
    ("build", "benchmark", "file", "old", "new", "said"),
    [
        (layouts.cub, "cub", "images.txt", "3 001", "2 001", "line 3: a number and a text"),
        (layouts.cub, "cub", "image_class_labels.txt", "6 2", "6 9", "picture 6 of images.txt"),
        (layouts.cub, "cub", "images.txt", "_0001.jpg", "_1.jpg", "1 of 4 pictures are missing"),
        (layouts.objectnet, "objectnet", "mappings/objectnet_to_imagenet_1k.json", "Banana",
         "Bananas", "no folder for 1 of the 2 classes .*'Bananas'"),
        (layouts.objectnet, "objectnet", "mappings/objectnet_to_imagenet_1k.json", "{", "",
         "cannot be read as JSON"),
        (layouts.clevr, "clevr_distance", "scenes/CLEVR_val_scenes.json", "12.0", '"far"',
         "three pixel_coords"),
        (layouts.clevr, "clevr_count", "scenes/CLEVR_val_scenes.json", "CLEVR_val_000003", "x",
         "1 of 4 pictures are missing"),
        (layouts.clevr, "clevr_count", "scenes/CLEVR_val_scenes.json", '"objects"', '"things"',
         "scene 0: it has no list of objects"),
        (layouts.dollar_street, "dollar_street", "images_v2_imagenet_test.csv", "topics", "tops",
         "no column topics"),
    ],
)  # fmt: skip
def test_lists_that_lack_something_are_told(tmp_path, build, benchmark, file, old, new, said):
    root = next(one for one in build(tmp_path).iterdir() if one.is_dir())
    path = root / file
    path.write_text(path.read_text().replace(old, new, 1))

    with pytest.raises(BadInput, match=said):
        loaders.load(benchmark, str(root))


def test_the_table_of_doctor_holds_the_layouts(tmp_path):
    from evalcore.contrastive import doctor

    columns = ["benchmark", "n_items", "n_classes"]
    found = doctor.benchmarks(tmp_path, pd.DataFrame(columns=columns)).set_index("benchmark")

    assert found["layout"].value_counts().to_dict() == {"read": 34, "shards": 14, "own name": 5}
    assert "train_test_split.txt" in found.loc["cub", "layout_note"]


@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe\0", b"[" * 100_000, b"{}", b"[]", b"null", b'{"scenes": [5]}', b"", b"\0" * 50],
)
@pytest.mark.parametrize(
    ("build", "benchmark", "file"),
    [
        (layouts.cub, "cub", "images.txt"),
        (layouts.cub, "cub", "classes.txt"),
        (layouts.cub, "cub", "train_test_split.txt"),
        (layouts.objectnet, "objectnet", "mappings/objectnet_to_imagenet_1k.json"),
        (layouts.objectnet, "objectnet", "mappings/folder_to_objectnet_label.json"),
        (layouts.clevr, "clevr_count", "scenes/CLEVR_val_scenes.json"),
        (layouts.dollar_street, "dollar_street", "images_v2_imagenet_test.csv"),
    ],
)
def test_a_damaged_list_is_a_sentence(tmp_path, build, benchmark, file, content):
    root = next(one for one in build(tmp_path).iterdir() if one.is_dir())
    (root / file).write_bytes(content)

    with pytest.raises(BadInput):
        loaders.load(benchmark, str(root))
