"""Where the shipped figures and those they were made from lie, and how the tests read them."""

import csv

import pytest

from evalcore.home import ROOT

SHARED = ROOT.parent / "shared" / "figures"
FIGURES = ROOT / "precomputed" / "figures"
CATALOG = ROOT / "data" / "catalog"
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the figures' folder is not here")


def read(path):
    """The rows of a CSV file as they stand."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
