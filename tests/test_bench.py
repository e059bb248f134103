"""The benches that the Makefile runs can be started; what they print is not judged here."""

import importlib
from pathlib import Path

import pytest

BENCHES = [path.stem for path in (Path(__file__).parents[1] / "bench").glob("[a-z]*.py")]


@pytest.mark.parametrize("name", BENCHES)
def test_a_bench_finds_all_it_needs(name):
    assert importlib.import_module(f"bench.{name}").__doc__
