"""UniBench's 53 benchmarks and 60 models as rows: where each is had, its terms, and what runs it.

The rows lie in ``data/zeroshot``; what a benchmark measures stands in the catalogue.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evalcore import catalog, home
from evalcore.errors import UnknownName
from evalcore.records import Benchmark

Form = Literal["classes", "captions", "pairs"]
Layout = Literal["read", "own name", "shards"]
Through = Literal["open_clip", "checkpoint", "transformers", "none"]


COLUMNS: dict[Form, str] = {
    "classes": "image, label",
    "captions": "image, caption and wrong captions (wrong_1 ...)",
    "pairs": "image_0, caption_0, image_1, caption_1",
}
"""Columns of a CSV file that holds a benchmark of each form."""


@dataclass(frozen=True)
class DataSource:
    """Where the data of a benchmark can be had."""

    benchmark: str
    """Its id in the catalogue."""
    folder: str
    """Its folder's usual name."""
    form: Form
    """Classes to choose from, captions of which one is right, or two pictures and two captions."""
    shards: str | None
    """A Hugging Face data set of tar shards or Parquet files: mostly UniBench's own."""
    shards_also: str | None
    """clip-benchmark's shards of the same pictures; of CountBench the numbers as classes."""
    url: str | None
    """Its makers' page, where their files can be read here as they are."""
    note: str | None
    items: int | None
    """Items of its test set where the catalogue does not say, by its makers (``items_source``)."""
    items_source: str | None
    layout: Layout
    """What becomes of its makers' own files: ``read``; read under a name of ``own``, as they are
    another set than the benchmark; or refused, as it needs ``shards``."""
    layout_note: str | None
    """Which files, or why not."""


@dataclass(frozen=True)
class Terms:
    """Under which licence the data of a benchmark are given away, and how large they are.

    Each is there only where a source says so; most makers of older data sets say nothing.
    """

    benchmark: str
    licence: str | None
    covers: Literal["data", "captions", "repository"] | None
    """What the source says it of: a repository's licence may not reach the pictures in it."""
    licence_source: str | None
    archive_mb: float | None
    """Megabytes (of 1,000,000 bytes) to download, of a public archive that may hold more splits."""
    archive: str | None
    """What that archive holds."""
    archive_source: str | None
    note: str | None


@dataclass(frozen=True)
class PaperModel:
    """By what a model of the paper is run here."""

    model: str
    """Its id in the catalogue."""
    through: Through
    """The package that carries it; ``checkpoint``: a file that one must have; ``none``."""
    name: str | None
    """open_clip's architecture, or an address on the Hugging Face hub."""
    pretrained: str | None
    """open_clip's tag."""
    note: str | None

    @property
    def spec(self) -> str | None:
        """As ``models.load`` takes it; None if nothing here runs it."""
        if self.through == "open_clip":
            return f"open_clip:{self.name}/{self.pretrained}"
        if self.through == "checkpoint":
            return f"open_clip:{self.name}/FILE"
        return f"hf:{self.name}" if self.through == "transformers" else None


def data() -> list[DataSource]:
    """The 53 benchmarks of UniBench."""
    return catalog.read(home.ROOT / "data" / "zeroshot" / "data.csv", DataSource)


def terms() -> dict[str, Terms]:
    """Licences and sizes, by benchmark; those of which neither is known are not in it."""
    rows = catalog.read(home.ROOT / "data" / "zeroshot" / "terms.csv", Terms)
    return {row.benchmark: row for row in rows}


def models() -> list[PaperModel]:
    """The 60 models of UniBench."""
    return catalog.read(home.ROOT / "data" / "zeroshot" / "models.csv", PaperModel)


def catalogued() -> dict[str, Benchmark]:
    """What the catalogue says of each benchmark, by its id; a first row counts."""
    rows_by_id: dict[str, Benchmark] = {}
    for folder in home.catalog_folders():
        for path in catalog.files(folder, "benchmarks.csv"):
            for row in catalog.read(path, Benchmark):
                rows_by_id.setdefault(row.id, row)
    return rows_by_id


def place(row: DataSource, root: Path) -> Path | None:
    """Where the data of a benchmark lie under a folder; None if they do not.

    Args:
        row: The benchmark.
        root: A folder with one folder (or CSV file) a benchmark, under its id, its usual name, or
            the name of its shards.
    """
    shards = [address.rpartition("/")[2] for address in (row.shards, row.shards_also) if address]
    for name in dict.fromkeys((row.benchmark, row.folder, *shards)):
        folder = root / name
        if folder.is_dir() and any(folder.iterdir()):
            return folder
        if (root / f"{name}.csv").is_file():
            return root / f"{name}.csv"
    return None


def fetch(row: DataSource, root: Path) -> str:
    """How the data can be had: a command, its makers' files, or a table of one's own."""
    target, ways = root / row.benchmark, []
    if row.shards:
        ways.append(f"hf download {row.shards} --repo-type dataset --local-dir {target}")
        ways.append(f"--benchmark {row.benchmark}=hf:{row.shards}")
    if row.url:
        ways.append(f"its makers' files ({row.url}) in {root / row.folder}")
        ways.append(f"a CSV file of {COLUMNS[row.form]} in {target}.csv")
    return "; or ".join(ways)


def wanted(names: Iterable[str], root: Path, sets: dict[str, list[str]]) -> list[str]:
    """What a person calls benchmarks, as ``NAME=PATH``.

    Args:
        names: ``NAME=PATH`` stays as it is; a known benchmark's id is looked for under ``root``; a
            name of ``sets`` stands for its benchmarks.
        root: Where the known benchmarks lie.
        sets: Names of sets and what is in them.

    Raises:
        UnknownName: A name is of none of these, or its data are not there.
    """
    rows = {row.benchmark: row for row in data()}
    places, missing = [], []
    for name in names:
        if "=" in name:
            places.append(name)
            continue
        if name not in rows and name not in sets:
            raise UnknownName(
                f"benchmark {name!r} should be NAME=PATH, a set ({', '.join(sets)}), or one of "
                f"{', '.join(rows)}"
            )
        for benchmark in sets.get(name, [name]):
            where = place(rows[benchmark], root)
            places.append(f"{benchmark}={where}")
            missing += [f"{benchmark}: {fetch(rows[benchmark], root)}"] if where is None else []
    if missing:
        raise UnknownName(f"not in {root}; to get them:\n  " + "\n  ".join(dict.fromkeys(missing)))
    return list(dict.fromkeys(places))
