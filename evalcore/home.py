"""Every path that Sextant reads or writes.

The home folder holds what one machine adds (the built store, later runs and imports);
``EVALCORE_HOME`` moves it. Everything else ships with the project and is only read.
"""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def home() -> Path:
    """The home folder: ``EVALCORE_HOME``, else ``home`` beside the project's files."""
    chosen = os.environ.get("EVALCORE_HOME")
    return Path(chosen).expanduser() if chosen else ROOT / "home"


def store_path() -> Path:
    """The results store; built by ``evalcore.store.build``, replaced whole, never edited."""
    return home() / "results.duckdb"


def catalog_folders() -> list[Path]:
    """Folders of catalogue files: the shipped one, then rows that the user added."""
    return [ROOT / "data" / "catalog", home() / "catalog"]


def figures_folder() -> Path:
    """Published numbers, one file a source, and tables that are not model scores."""
    return ROOT / "precomputed" / "figures"


def runs_folder() -> Path:
    """Runs made on this machine, one folder each."""
    return home() / "runs"


def shipped_runs_folder() -> Path:
    """Sealed runs that ship with the project, and the pictures that they show; only read."""
    return ROOT / "precomputed" / "runs"


def notes_folder() -> Path:
    """What people note on this machine: flags and labels, files that are only appended to."""
    return home() / "notes"
