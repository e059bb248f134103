"""Turns the re-tabulated published figures into the files that the store is built from.

    python scripts/convert_figures.py --from ../shared/figures --to .

Reads the CSV files of VQA360, MM-Vet v2, UniBench, open_clip, the CLIP scaling grid and the
collected results of current models, and writes

- ``precomputed/figures/<source>.csv``: Score rows, one file a source; those of current models in
  the subfolder ``current``;
- ``precomputed/figures/tables/*.csv``: tables that are not scores of single models;
- ``data/catalog/models.csv``, ``models-current.csv``, ``benchmarks.csv``, ``needs.csv``,
  ``prices.csv``, ``image_rules.csv``, ``output_tokens.csv`` and ``gpu_prices.csv``.

Names are joined by tables that people write: ``figure_*names.py`` and ``figure_benchmarks.py``
beside this script, ``aliases.csv``, ``architectures.csv``, ``printed_sources.csv``, ``splits.csv``
and ``sources-current.csv`` in the repository's ``data/catalog``.
The output is the same byte for byte at every run.
"""

import argparse
from pathlib import Path

import figure_catalog
import figure_current
import figure_current_catalog
import figure_offers
import figure_scores
import figure_tables
from figure_io import Row, read, write

ROOT = Path(__file__).resolve().parents[1]
CATALOG = ROOT / "data" / "catalog"


def convert(source: Path, target: Path) -> None:
    """Read the figures in ``source`` and write all files below ``target``."""
    catalog, figures = target / "data" / "catalog", target / "precomputed" / "figures"
    vqa360_ids = {row["model"] for row in read(source / "vqa360_models.csv")}
    ids = figure_scores.mmvet2_ids(source, read(CATALOG / "aliases.csv"), vqa360_ids)
    models = figure_catalog.models(source, read(CATALOG / "architectures.csv"), ids)
    _write_catalog(source, catalog, models)
    _write_scores(source, figures, ids)
    _write_current(source, target, {row["id"] for row in models}, ids)
    _write_tables(source, figures / "tables")


def _write_catalog(source: Path, target: Path, models: list[Row]) -> None:
    taken = {row["id"] for row in models}
    models = figure_current_catalog.completed(models, source, CATALOG)
    write(target / "models.csv", figure_catalog.MODEL_COLUMNS, models)
    current = figure_current_catalog.models(source, CATALOG, taken)
    write(target / "models-current.csv", figure_catalog.MODEL_COLUMNS, current)
    benchmarks = figure_catalog.benchmarks(source)
    write(target / "benchmarks.csv", figure_catalog.BENCHMARK_COLUMNS, benchmarks)
    needs = figure_current_catalog.needs(source)
    write(target / "needs.csv", figure_current_catalog.NEED_COLUMNS, needs)
    _write_offers(source, target, [*models, *current])


def _write_offers(source: Path, target: Path, models: list[Row]) -> None:
    for name, rows in figure_offers.tables(source, CATALOG, models).items():
        write(target / f"{name}.csv", figure_offers.COLUMNS[name], rows)


def _write_scores(source: Path, target: Path, ids: dict[str, str]) -> None:
    rows = {
        "vqa360": figure_scores.vqa360(source),
        "mmvet2": figure_scores.mmvet2(source, ids),
        "openclip": figure_scores.openclip(source),
        "clip-grid": figure_scores.clip_grid(source),
    }
    for name, scores in rows.items():
        write(target / f"{name}.csv", figure_scores.COLUMNS, scores)


def _write_current(source: Path, target: Path, taken: set[str], ids: dict[str, str]) -> None:
    totals = {
        row["model"]: row["printed_value"]
        for row in figure_scores.mmvet2(source, ids)
        if row["tag"] == "total" and row["benchmark"] == "mm-vet-v2"
    }
    found = figure_current.scores(source, CATALOG, taken, totals)
    for name, scores in found.items():
        file = target / "precomputed" / "figures" / "current" / f"{name}.csv"
        write(file, figure_scores.COLUMNS, scores)


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
