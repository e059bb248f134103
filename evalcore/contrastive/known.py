"""UniBench's 53 benchmarks and 60 models as rows: where each is had, and by what it is run.

The rows lie in ``data/zeroshot``; what a benchmark measures stands in the catalogue.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evalcore import catalog, home
from evalcore.errors import UnknownName

Form = Literal["classes", "captions", "pairs"]
Through = Literal["open_clip", "checkpoint", "transformers", "none"]


COLUMNS: dict[Form, str] = {
    "classes": "image, label",
    "captions": "image, caption and wrong captions (wrong_1 ...)",
    "pairs": "image_0, caption_0, image_1, caption_1",
}
"""Columns of a CSV file that holds a benchmark of each form."""


@dataclass(frozen=True)
class KnownData:
    """Where the data of a benchmark can be had."""

    benchmark: str
    """Its id in the catalogue."""
    folder: str
    """Its folder's usual name."""
    form: Form
    """Classes to choose from, captions of which one is right, or two pictures and two captions."""
    shards: str | None
    """A Hugging Face data set of tar shards: UniBench's own."""
    shards_also: str | None
    """clip-benchmark's shards of the same pictures."""
    url: str | None
    """Its makers' page, where no shards can be read here."""
    note: str | None


@dataclass(frozen=True)
class KnownModel:
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


def data() -> list[KnownData]:
    """The 53 benchmarks of UniBench."""
    return catalog.read(home.ROOT / "data" / "zeroshot" / "data.csv", KnownData)


def models() -> list[KnownModel]:
    """The 60 models of UniBench."""
    return catalog.read(home.ROOT / "data" / "zeroshot" / "models.csv", KnownModel)


def place(row: KnownData, root: Path) -> Path | None:
    """Where the data of a benchmark lie under a folder; None if they do not.

    Args:
        row: The benchmark.
        root: A folder with one folder (or CSV file) a benchmark, under its id, its usual name, or
            the name of its shards.
    """
    shards = [one.rpartition("/")[2] for one in (row.shards, row.shards_also) if one]
    for name in dict.fromkeys((row.benchmark, row.folder, *shards)):
        folder = root / name
        if folder.is_dir() and any(folder.iterdir()):
            return folder
        if (root / f"{name}.csv").is_file():
            return root / f"{name}.csv"
    return None


def fetch(row: KnownData, root: Path) -> str:
    """How the data can be had: a command, or a page and what to make of it."""
    if row.shards:
        target = root / row.benchmark
        return f"hf download {row.shards} --repo-type dataset --local-dir {target}"
    columns = COLUMNS[row.form]
    return f"{row.url}, as a CSV file of {columns} in {root / f'{row.benchmark}.csv'}"


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
    found, missing = [], []
    for name in names:
        if "=" in name:
            found.append(name)
            continue
        if name not in rows and name not in sets:
            raise UnknownName(
                f"benchmark {name!r} should be NAME=PATH, a set ({', '.join(sets)}), or one of "
                f"{', '.join(rows)}"
            )
        for one in sets.get(name, [name]):
            where = place(rows[one], root)
            found.append(f"{one}={where}")
            missing += [f"{one}: {fetch(rows[one], root)}"] if where is None else []
    if missing:
        raise UnknownName(f"not in {root}; to get them:\n  " + "\n  ".join(dict.fromkeys(missing)))
    return list(dict.fromkeys(found))
