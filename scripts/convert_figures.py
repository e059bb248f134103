"""Turns the re-tabulated published figures into the files that the store is built from.

    python scripts/convert_figures.py --from ../shared/figures --to .

Reads the CSV files of VQA360, MM-Vet v2, UniBench, open_clip and the CLIP scaling grid, and writes

- ``precomputed/figures/<source>.csv``: Score rows, one file a source;
- ``precomputed/figures/tables/*.csv``: tables that are not scores of single models;
- ``data/catalog/models.csv`` and ``benchmarks.csv``.

Names are joined by tables that people write: ``figure_names.py`` and ``figure_benchmarks.py``
beside this script, ``aliases.csv`` and ``architectures.csv`` in the repository's ``data/catalog``.
The output is the same byte for byte at every run.
"""

import argparse
from pathlib import Path

import figure_catalog
import figure_scores
import figure_tables
from figure_io import read, write

ROOT = Path(__file__).resolve().parents[1]


def convert(source: Path, target: Path) -> None:
    """Read the figures in ``source`` and write all files below ``target``."""
    catalog = ROOT / "data" / "catalog"
    vqa360_ids = {row["model"] for row in read(source / "vqa360_models.csv")}
    ids = figure_scores.mmvet2_ids(source, read(catalog / "aliases.csv"), vqa360_ids)
    _write_catalog(source, target / "data" / "catalog", read(catalog / "architectures.csv"), ids)
    _write_scores(source, target / "precomputed" / "figures", ids)
    _write_tables(source, target / "precomputed" / "figures" / "tables")


def _write_catalog(
    source: Path, target: Path, architectures: list[dict[str, str]], ids: dict[str, str]
) -> None:
    models = figure_catalog.models(source, architectures, ids)
    write(target / "models.csv", figure_catalog.MODEL_COLUMNS, models)
    benchmarks = figure_catalog.benchmarks(source)
    write(target / "benchmarks.csv", figure_catalog.BENCHMARK_COLUMNS, benchmarks)


def _write_scores(source: Path, target: Path, ids: dict[str, str]) -> None:
    rows = {
        "vqa360": figure_scores.vqa360(source),
        "mmvet2": figure_scores.mmvet2(source, ids),
        "openclip": figure_scores.openclip(source),
        "clip-grid": figure_scores.clip_grid(source),
    }
    for name, scores in rows.items():
        write(target / f"{name}.csv", figure_scores.COLUMNS, scores)


def _write_tables(source: Path, target: Path) -> None:
    benchmarks = {row["benchmark"] for row in read(source / "unibench_benchmarks.csv")}
    tables = {
        "judge_validation": figure_tables.judge_validation(source),
        "group_summary": figure_tables.group_summary(source),
        "scale_ratio": figure_tables.scale_ratio(source),
        "representatives": figure_tables.representatives(source, benchmarks),
        "item_counts": figure_tables.item_counts(source),
    }
    for name, rows in tables.items():
        write(target / f"{name}.csv", figure_tables.COLUMNS[name], rows)


def main() -> None:
    """Convert the folder given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="source", type=Path, default=ROOT.parent / "shared/figures")
    parser.add_argument("--to", dest="target", type=Path, default=ROOT)
    settings = parser.parse_args()
    convert(settings.source, settings.target)


if __name__ == "__main__":
    main()
