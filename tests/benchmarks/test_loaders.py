"""The contract of every loader."""

import inspect

import pytest

from evalcore.benchmarks import LOADERS


@pytest.mark.parametrize("name", LOADERS)
def test_a_loader_says_what_it_needs_and_raises(name):
    text = inspect.getdoc(LOADERS[name])

    assert "Args:" in text
    assert "Raises:" in text
    assert inspect.signature(LOADERS[name]).parameters
