"""The Digits page: published scores against 99 %, and studies of labels and prompts run here."""

import json
import statistics

import numpy as np
import pandas as pd
import pyarrow.parquet as parquet
import pytest
from statsmodels.stats.proportion import proportion_confint

from evalcore.contrastive import digits
from evalcore.contrastive.evaluate import Evaluator
from evalcore.contrastive.pictures import Arrays
from evalcore.contrastive.task import Task
from evalcore.home import ROOT
from pages.parts.digits import studies as parts
from tests.pages.opening import charts, opened, table, words

PAGE = "digits"
SHIPPED = sorted((ROOT / "precomputed" / "runs").glob("demo-clip--mnist--*"))
TOY = "Demo CLIP, a toy (demo) on MNIST"


@pytest.fixture
def first_view(look):
    """The page as it opens."""
    return look()


def by_hand():
    """Set-up → (whether each picture was read, top-1 to top-5 as the run wrote them)."""
    found = {}
    for folder in SHIPPED:
        settings = json.loads((folder / "run.json").read_text())["settings"]
        labels, _, prompts = (
            settings["options"]["prompts"].removeprefix("digits: ").partition(" x ")
        )
        lines = (folder / "items.jsonl").read_text().splitlines()
        right = [json.loads(line)["answers"][0] for line in lines]
        said = parquet.read_table(folder / "predictions.parquet")["text"].to_pylist()
        metrics = {m["name"]: m["value"] for m in json.loads(
            (folder / "scores.json").read_text())["metrics"]}  # fmt: skip
        tops = [metrics["accuracy"], *(metrics[f"accuracy-top{k}"] for k in range(2, 6))]
        found[parts.setup(labels, prompts)] = (np.array(right) == np.array(said), tops)
    return found


def test_the_published_scores_are_those_of_the_open_table(first_view):
    at = first_view

    assert not at.exception and not at.error
    rows = pd.read_csv(ROOT / "precomputed" / "figures" / "openclip.csv")
    scores = rows[rows["benchmark"] == "mnist"].set_index("printed_model")["value"]
    assert f"None of {len(scores)} models reaches the 99 % of a network with two" in words(at)
    assert f"the best is {scores.idxmax()} with {100 * scores.max():.1f} %" in words(at)
    for benchmark, title in (("mnist", "MNIST"), ("svhn", "SVHN"), ("clevr_count", "CLEVR count")):
        median = statistics.median(rows.loc[rows["benchmark"] == benchmark, "value"])
        assert f"{title} {100 * median:.1f} %" in words(at)


def test_every_model_stands_on_the_line_of_its_benchmark_with_chance_and_the_network(first_view):
    drawn = {trace["name"]: trace for trace in charts(first_view)[0]["data"]}

    assert list(drawn) == [
        "MNIST", "SVHN", "CLEVR count", "guessing: MNIST, SVHN", "guessing: CLEVR count",
        "network with two layers: MNIST",
    ]  # fmt: skip
    assert [drawn[name]["y"][0] for name in list(drawn)[3:]] == [10, 12.5, 99]


def test_a_ringed_model_and_the_controlled_grid_are_links(page):
    ringed = page(digit_ring_openclip="ViT-B-32/openai")
    grid = page(digit_table="Controlled grid")

    ring = next(one for one in charts(ringed)[0]["data"] if one["name"] == "ViT-B-32/openai")
    rows = pd.read_csv(ROOT / "precomputed" / "figures" / "openclip.csv")
    own = rows[rows["printed_model"] == "ViT-B-32/openai"].set_index("benchmark")["value"]
    for text, benchmark in zip(ring["text"], ("mnist", "svhn", "clevr_count"), strict=True):
        assert f"{100 * own[benchmark]:.1f} %" in text
    assert "None of 34 models" in words(grid)


def test_the_toys_study_is_what_its_answers_say(first_view):
    at = first_view

    found = table(at, "Top")
    for setup, (read, tops) in by_hand().items():
        rows = found[found["Labels and prompts"] == setup].set_index("Top")
        assert rows["Accuracy, %"][1] == pytest.approx(100 * read.mean())
        assert list(rows["Accuracy, %"]) == pytest.approx([100 * top for top in tops])
        assert list(rows["Guessing, %"]) == pytest.approx([10, 20, 30, 40, 50])
        low, high = proportion_confint(read.sum(), len(read), method="wilson")
        assert (rows["Low, %"][1], rows["High, %"][1]) == pytest.approx((100 * low, 100 * high))
        assert set(rows["n pictures"]) == {len(read)} == {1000}
    assert len(found) == 30 and "A toy, to show the view" in words(at)
    assert max(tops[4] for _, tops in by_hand().values()) < 0.95
    assert "Even this is below the 99 % of a network with two layers" in words(at)


def test_the_papers_order_stands_beside_ours(first_view):
    found = table(first_view, "Top")

    first = found[found["Top"] == 1].set_index("Labels and prompts")
    assert list(first["Place"]) == [1, 2, 3, 4, 5, 6]
    assert first["UniBench's place"]["word labels, specialised word prompts"] == 1
    assert first["UniBench's place"]["digit labels, specialised word prompts"] == 6
    best = max(by_hand(), key=lambda setup: by_hand()[setup][0].mean())
    assert first.index[0] == best


class Brightness:
    """Tells dark pictures from bright ones, and takes every text for a middling one."""

    revision, image_size = "1", 8

    def get_image_embeddings(self, pictures):
        return pictures.mean(dim=(2, 3))

    def get_text_embeddings(self, texts):
        return np.array([[len(text) % 7, 1.0, 2.0] for text in texts])


def test_a_study_run_here_comes_first_and_the_toys_stays(home, rng):
    shown = Arrays(rng.integers(0, 255, (30, 8, 8)).astype(np.uint8))
    task = Task("mnist", shown, tuple("0123456789"), rng.integers(0, 10, 30))
    made = Evaluator(device="cpu").add_model(Brightness(), "mine")
    made.add_benchmark(task, prompts=digits.sets("mnist")).evaluate()

    at = opened(PAGE)

    assert not at.exception
    assert at.selectbox(key="digit_study").options == ["mine on MNIST", TOY]
    assert "mine on MNIST, n 30 pictures" in words(at) and "A toy" not in words(at)
    every = table(at, "Best, %")
    assert list(every["n pictures"]) == [30, 1000]
    toy = opened(PAGE, digit_study=TOY)
    assert "Demo CLIP, a toy (demo) on MNIST, n 1,000 pictures" in words(toy)


class NoStudies:
    """A store without a digit study."""

    def once(self, make):
        return make(self)

    def table(self, name):
        return pd.DataFrame({"suite": ["openclip"]})


def test_without_a_study_there_is_none():
    assert parts.studies(NoStudies()).empty
