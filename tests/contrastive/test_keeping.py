"""What is kept: chunks, limits, and what a kill leaves."""

import os
import subprocess
import sys

import numpy as np
import pytest

from evalcore.contrastive import cache, embed
from evalcore.contrastive.cache import Cache, Chunk
from evalcore.contrastive.evaluate import Evaluator
from evalcore.contrastive.pictures import Arrays
from evalcore.contrastive.task import Task
from evalcore.engine import runs
from evalcore.errors import BadInput, UnknownName
from evalcore.home import ROOT
from tests.contrastive.worlds import config, tiny

KILLED = """
import sys, time
from evalcore.contrastive import cache
from tests.contrastive.test_keeping import noise
class Slow(cache.Entry):
    def write(self, number, chunk):
        super().write(number, chunk)
        if self.path.parent.name == "images":
            print(number, flush=True)
            time.sleep(60)
cache.Entry = Slow
noise(sys.argv[1])
"""
"""A process that stops for long once the first chunk of embeddings is kept."""


def noise(model):
    """700 pictures of noise in chunks of 50, through a model."""
    embed.CHUNK, before = 50, embed.CHUNK
    try:
        data = np.random.default_rng(3).integers(0, 256, (700, 12, 12), np.uint8)
        task = Task("noise", Arrays(data), ("one", "two", "three"), np.arange(700) % 3)
        made = Evaluator(device="cpu", batch=16).add_model(model).add_benchmark(task)
        return made.outcomes()[0]
    finally:
        embed.CHUNK = before


@pytest.fixture
def kept(tmp_path):
    return Cache(tmp_path / "cache", 10_000)


def rows(number, size=100):
    return Chunk(np.full((size, 2), number, np.float32), {})


def test_what_is_written_is_read_again_with_what_failed(kept):
    entry = kept.entry("images", {"of": "a"}, "a thing")
    entry.write(3, Chunk(np.arange(6.0).reshape(3, 2), {1: "torn"}))

    found = kept.entry("images", {"of": "a"}).read(3)

    assert found.rows.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert found.failed == {1: "torn"}
    assert kept.entry("images", {"of": "b"}).read(3) is None
    (row,) = kept.table()
    assert (row["kind"], row["of"], row["chunks"]) == ("images", "a thing", 1)


def test_what_has_no_name_is_not_kept(kept):
    kept.entry("images", {"of": None}).write(0, rows(0))

    assert kept.table() == []


def test_the_entry_that_was_not_used_for_longest_makes_room(kept):
    for number in range(10):
        entry = kept.entry("images", {"of": number}, str(number))
        entry.write(0, rows(number))
        os.utime(entry.path / "about.json", (number, number))
    kept.entry("images", {"of": 2})  # in use again

    kept.entry("images", {"of": "new"}, "new").write(0, rows(0, 300))

    held = {row["of"] for row in kept.table()}
    assert {"2", "9", "new"} <= held and not {"0", "1"} & held
    assert sum(row["megabytes"] for row in kept.table()) <= 0.01


def test_what_is_larger_than_the_limit_is_not_kept_and_removes_nothing_else_in_vain(kept):
    entry = kept.entry("images", {"of": "large"})

    entry.write(0, rows(0, 2_000))

    assert entry.read(0) is None


def test_a_torn_chunk_is_made_again(kept):
    entry = kept.entry("images", {"of": "a"})
    entry.write(0, rows(1))
    path = next(entry.path.glob("*.npy"))
    path.write_bytes(path.read_bytes()[:50])

    assert entry.read(0) is None


def test_clearing_one_kind_or_key(kept):
    for kind in ("images", "texts"):
        kept.entry(kind, {"of": "a"}).write(0, rows(1))

    assert kept.clear("texts") > 800
    assert [row["kind"] for row in kept.table()] == ["images"]
    kept.clear(kept.table()[0]["key"])
    assert kept.table() == []
    with pytest.raises(UnknownName, match="the cache holds no 'nothing'"):
        kept.clear("nothing")


def test_the_limit_is_a_number(monkeypatch):
    monkeypatch.setenv(cache.LIMIT_VARIABLE, "3")
    assert cache.limit_bytes() == 3_000_000_000
    monkeypatch.setenv(cache.LIMIT_VARIABLE, "much")
    with pytest.raises(BadInput, match="EVALCORE_CACHE_GB='much'"):
        cache.limit_bytes()


def test_a_second_model_finds_the_pictures_resized(home, tmp_path):
    data = np.random.default_rng(0).integers(0, 256, (5, 8, 8, 3), np.uint8)
    task = Task("noise", Arrays(data), ("one", "two"), np.arange(5) % 2)
    models = [tiny(tmp_path), tiny(tmp_path)]
    models[1].name, models[1].fingerprint = "another", "another"
    evaluator = Evaluator().add_benchmark(task)
    for model in models:
        evaluator.add_model(model)

    found = evaluator.outcomes()

    assert [(one.decoded, one.encoded) for one in found] == [(5, 5), (0, 5)]
    assert found[0].metrics == found[1].metrics


def test_chunks_are_one_array_of_which_parts_can_be_asked(rng, monkeypatch):
    monkeypatch.setattr(embed, "CHUNK", 4)
    whole = rng.normal(size=(10, 3)).astype(np.float32)

    stacked = embed.Stacked([whole[:4], whole[4:8], whole[8:]])

    assert (stacked.shape, len(stacked)) == ((10, 3), 10)
    assert np.array_equal(stacked[2:9], whole[2:9])
    assert np.array_equal(stacked[np.array([9, 0, 5])], whole[[9, 0, 5]])
    assert np.array_equal(stacked[:], whole)


def test_a_killed_run_goes_on_where_it_was_with_the_same_numbers(tmp_path, monkeypatch):
    model = f"open_clip:{config(tmp_path)}/random"
    environment = {**os.environ, "EVALCORE_HOME": str(tmp_path / "killed")}
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, model],
        cwd=ROOT,
        env=environment | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline().strip() == "0"
    process.kill()
    process.wait()
    told = {}
    for name in ("killed", "whole"):
        monkeypatch.setenv("EVALCORE_HOME", str(tmp_path / name))
        outcome = noise(model)
        (run,) = runs.own()
        told[name] = (
            outcome.metrics,
            list(run.predictions().values()),
            (run.folder / "confidence.parquet").read_bytes(),
        )
        assert outcome.encoded == (650 if name == "killed" else 700)
    assert told["killed"] == told["whole"]
