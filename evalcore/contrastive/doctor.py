"""What of UniBench can be run on this machine, what is missing, and on what terms it is given."""

from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from evalcore.contrastive import counts, unibench
from evalcore.contrastive.datasets import loaders
from evalcore.contrastive.models import in_hub_cache
from evalcore.contrastive.task import check_words
from evalcore.errors import EvalcoreError


@dataclass(frozen=True)
class Health:
    """One benchmark's data."""

    benchmark: str
    state: str
    """``ready``, ``differs`` (its counts are not the known ones), ``broken`` or ``missing``."""
    items: int | None
    """Items that are there."""
    expected: int | None
    """Items of its test set, where that is known."""
    classes: int | None
    expected_classes: int | None
    megabytes: float | None
    revision: str | None
    """A hash of pictures and labels."""
    words: str
    """Where it lies, what is wrong, or how it can be had."""
    licence: str | None = None
    """None: no source that we know says it."""
    licence_covers: str | None = None
    """``data``, ``captions`` alone, or a ``repository`` that need not own its pictures."""
    licence_source: str | None = None
    archive_megabytes: float | None = None
    """To download, as far as a source says."""
    archive: str | None = None
    """What that archive holds, and who says how large it is."""
    terms_note: str | None = None
    layout: str | None = None
    """What becomes of its makers' own files: ``read``, ``own name`` or ``shards``."""
    layout_note: str | None = None


def benchmarks(root: Path, catalogue: pd.DataFrame) -> pd.DataFrame:
    """Look at the data of each known benchmark.

    Args:
        root: Where they lie.
        catalogue: benchmark, n_items, n_classes of each (NaN: unknown).

    Returns:
        One row a benchmark, the fields of ``Health``.
    """
    about, terms = catalogue.set_index("benchmark"), unibench.terms()
    return pd.DataFrame(
        [
            replace(
                _with_terms(_look(row, root, about), terms.get(row.benchmark)),
                layout=row.layout,
                layout_note=row.layout_note,
            )
            for row in unibench.data()
        ]
    )


def models() -> pd.DataFrame:
    """Each model of the paper: by what it runs here and whether its weights are on this machine.

    Returns:
        model, runs (yes, with a file, no), spec, here (None where no file is served by name), note.
    """
    rows = []
    for row in unibench.models():
        runs = {"none": "no", "checkpoint": "with a file"}.get(row.through, "yes")
        here = None if runs != "yes" else _here(row)
        rows.append((row.model, runs, row.spec, here, row.note))
    return pd.DataFrame(rows, columns=["model", "runs", "spec", "here", "note"])


def _with_terms(health: Health, terms: unibench.Terms | None) -> Health:
    if terms is None:
        return health
    archive = terms.archive and f"{terms.archive}; {terms.archive_source}"
    return replace(
        health,
        licence=terms.licence,
        licence_covers=terms.covers,
        licence_source=terms.licence_source,
        archive_megabytes=terms.archive_mb,
        archive=archive,
        terms_note=terms.note,
    )


def _look(row: unibench.DataSource, root: Path, about: pd.DataFrame) -> Health:
    expected = counts.expected_items(row.benchmark, _count(about, row.benchmark, "n_items"))
    classes = _count(about, row.benchmark, "n_classes") if row.form == "classes" else None
    where = unibench.place(row, root)
    if where is None:
        words = unibench.fetch(row, root)
        return Health(row.benchmark, "missing", None, expected, None, classes, None, None, words)
    try:
        task = loaders.load(row.benchmark, str(where))
        check_words(task)
        for at in {0, len(task.pictures) // 2, len(task.pictures) - 1}:
            task.pictures[at].load()
    except (EvalcoreError, OSError, ValueError) as error:
        size = _size(where)
        words = str(error)
        return Health(row.benchmark, "broken", None, expected, None, classes, size, None, words)
    there = counts.shown_classes(task) if task.classes else None
    odd = counts.differences(task, expected, classes)
    return Health(
        row.benchmark,
        "differs" if odd else "ready",
        len(task),
        expected,
        there,
        classes,
        _size(where),
        task.revision(),
        f"{where}: {'; '.join(odd)}" if odd else str(where),
    )


def _count(about: pd.DataFrame, benchmark: str, column: str) -> int | None:
    value = about[column].get(benchmark)
    return None if value is None or pd.isna(value) else int(value)


def _size(where: Path) -> float:
    """Megabytes on disk."""
    files = where.rglob("*") if where.is_dir() else [where]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def _here(row: unibench.PaperModel) -> bool:
    """Whether the weights of a model lie in the hub's cache on this machine."""
    if row.through == "transformers":
        return in_hub_cache(row.name or "", "config.json")
    from open_clip.pretrained import get_pretrained_cfg

    about = get_pretrained_cfg(row.name or "", row.pretrained or "")
    repository, _, file = str(about.get("hf_hub") or "").rpartition("/")
    return in_hub_cache(repository, file or None)
