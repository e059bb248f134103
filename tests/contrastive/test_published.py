"""Runs with clip-benchmark's prompts: beside open_clip's table, where they were asked as it was."""

import json
from dataclasses import replace

import numpy as np
import pytest

from evalcore.contrastive import prompts
from evalcore.contrastive.datasets import loaders
from evalcore.contrastive.evaluate import Evaluator
from evalcore.contrastive.pictures import Arrays
from evalcore.contrastive.task import Task
from evalcore.errors import BadInput
from evalcore.store import build, queries
from evalcore.suites import suite
from tests.contrastive.test_loaders import idx
from tests.contrastive.worlds import tiny

PUBLISHED = "vit-b-32/laion2b_s34b_b79k"
HERE = f"{PUBLISHED} (measured here)"
NAMES = {"mnist": [*map(str, range(10))], "flowers": ["rose", "tulip"]}
TEMPLATES = {
    "mnist": ['a photo of the number: "{c}".'],
    "flowers": ["a photo of a {c}, a type of flower."],
    "dollar_street": ["a {c}"],
}


@pytest.fixture(scope="module", autouse=True)
def package(tmp_path_factory):
    """A small package of clip-benchmark's layout: names and templates under its own ids."""
    site = tmp_path_factory.mktemp("site")
    folder = site / "clip_benchmark" / "datasets"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "en_classnames.json").write_text(json.dumps(NAMES))
    (folder / "en_zeroshot_classification_templates.json").write_text(json.dumps(TEMPLATES))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(site))
        yield


@pytest.fixture(scope="module")
def ran(tmp_path_factory, package):
    """A store after four runs, and what the first gave: thirty pictures of noise as MNIST."""
    folder = tmp_path_factory.mktemp("world")
    rng = np.random.default_rng(0)
    data = rng.integers(0, 256, (30, 28, 28)).astype(np.uint8)
    place = idx(folder / "mnist", data, (np.arange(30) % 10).astype(np.uint8))
    streets = Arrays(rng.integers(0, 256, (6, 9, 9, 3)).astype(np.uint8))
    street = Task("dollar_street", streets, ("bed", "roof"), np.arange(6) % 2)
    mnist = loaders.load("mnist", str(place))
    asked = [
        (PUBLISHED, mnist, prompts.CLIP_BENCHMARK),
        ("newcomer", mnist, prompts.CLIP_BENCHMARK),
        (PUBLISHED, mnist, ()),
        (PUBLISHED, street, prompts.CLIP_BENCHMARK),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVALCORE_HOME", str(folder / "home"))
        model = tiny(folder)
        found = [
            Evaluator(device="cpu")
            .add_model(replace(model, name=name))
            .add_benchmark(benchmark, prompts=said)
            .outcomes()[0]
            for name, benchmark, said in asked
        ]
        return build.build(), found[0]


def measured(path, name):
    rows = queries.scores(path, name)
    return rows[rows["kind"] == "measured"]


def test_a_published_model_stands_there_twice_and_no_published_number_changes(ran, store):
    path, outcome = ran
    cells = suite.cells(suite.load(path, "openclip"), "benchmark")
    mnist = cells[cells["tag"] == "mnist"].set_index("model")

    assert mnist.loc[HERE, "value"] == outcome.metrics[0].value
    assert (mnist.loc[HERE, "kind"], mnist.loc[HERE, "n"]) == ("measured", 30)
    assert mnist.loc[PUBLISHED, "kind"] == "published"
    kept = cells[cells["kind"] == "published"].reset_index(drop=True)
    assert kept.equals(suite.cells(suite.load(store, "openclip"), "benchmark"))


def test_its_scores_name_their_own_source_and_the_model_tells_where_it_ran(ran):
    path, _ = ran
    rows = measured(path, "openclip")
    models = suite.load(path, "openclip").models.set_index("model")["name"]

    assert set(rows["model"]) == {PUBLISHED, "newcomer"}
    assert set(rows["source"]) == {"runs/openclip"}
    assert set(rows["metric"]) == {"accuracy"}
    assert models[HERE] == f"{models[PUBLISHED]} (measured here)"
    assert "newcomer" in models


def test_a_part_of_the_test_set_says_so(ran):
    notes = measured(ran[0], "openclip")["note"]

    assert notes.str.startswith("30 pictures, the test set has 10,000").all()


def test_other_prompts_and_another_metric_than_the_tables_stand_in_a_suite_of_their_own(ran):
    """open_clip's table gives Dollar Street by the worst income group among the first five."""
    rows = measured(ran[0], "zeroshot")

    assert set(rows["tag"]) == {"mnist", "dollar_street"}
    assert rows["note"].isna().all()
    assert set(measured(ran[0], "openclip")["tag"]) == {"mnist"}


def test_prompts_are_found_under_clip_benchmarks_own_name():
    found = prompts.given(prompts.CLIP_BENCHMARK, "flowers102")

    assert found.classes == ("rose", "tulip")
    assert found.templates == ("a photo of a {c}, a type of flower.",)


def test_a_benchmark_that_clip_benchmark_does_not_word_is_refused():
    with pytest.raises(BadInput, match="clip-benchmark has no templates for 'cub'"):
        prompts.given(prompts.CLIP_BENCHMARK, "cub")
