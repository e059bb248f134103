"""Readers of result files: each turns one file into rows, or says what is wrong with it."""

from collections.abc import Callable, Mapping

import pandas as pd

from evalcore.importers import own_csv, own_labels

IMPORTERS: Mapping[str, Callable[..., pd.DataFrame]] = {
    "scores": own_csv.read,
    "labels": own_labels.read,
}
"""Name to importer: (the file's bytes, its name, what the store has of it)."""
