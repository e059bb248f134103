"""How long the results store takes to build, beside a bare reading of the same files."""

from pathlib import Path

import pandas as pd

from bench.clock import times
from bench.table import ms, ratio, show, verdict
from evalcore import home
from evalcore.store import build

BAR = 5.0


def _files() -> list[Path]:
    figures = home.figures_folder()
    folders = [*home.catalog_folders(), figures, figures / "tables"]
    return [path for folder in folders for path in sorted(folder.glob("*.csv"))]


def _read_bare() -> None:
    for path in _files():
        pd.read_csv(path)


def main() -> None:
    """Print the build's seconds over five runs and the ratio to the bare reading."""
    ours, bare = times(build.build), times(_read_bare)
    rows = [
        ("build of the store", *map(ms, ours), ratio(ours.median, bare.median)),
        ("bare pandas.read_csv of the same files", *map(ms, bare), "1.0 x"),
    ]
    size = home.store_path().stat().st_size / 1e6
    show(
        f"Store: {len(_files())} files to {size:.1f} MB; bar {BAR:g} s: {verdict(ours.most, BAR)}",
        ("5 runs", "min", "median", "max", "ratio"),
        rows,
    )
